import { ask, atomOf, connectX11, message, name, numbers, request, type XServer } from './x11-wire.ts'

/**
 * Hears from an X server whenever a program takes the clipboard, which is what a copy is. No program that is commonly
 * installed tells this, so the server is asked itself. Rejects where it does not tell.
 */
export async function listenToX11(
  env: NodeJS.ProcessEnv,
  onCopy: (owner: string) => void,
  onEnd: () => void,
): Promise<() => void> {
  const server = await connectX11(env)
  const { socket } = server
  try {
    const event = await askForEvents(server)
    let over = false
    hear(server, event, onCopy).catch(() => over || onEnd())
    return () => {
      over = true
      socket.destroy()
    }
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** These programs leave their work to a child, which may not have begun when they are done: it is waited for. */
export async function untilCopied(env: NodeJS.ProcessEnv, work: () => Promise<void>): Promise<void> {
  let copied = (): void => {}
  const told = new Promise<void>((done) => (copied = done))
  const stop = await listenToX11(env, copied, copied).catch(() => copied)
  const timer = setTimeout(copied, 1000)
  try {
    await work()
    await told
  } finally {
    clearTimeout(timer)
    stop()
  }
}

/** The code of the event by which the server will tell. */
async function askForEvents({ socket, root }: XServer): Promise<number> {
  const fixes = await ask(socket, request(98, 0, name('XFIXES')))
  const [present, opcode = 0, event = 0] = fixes.subarray(8)
  if (present === 0) throw new Error('the X server tells of no copies')
  await ask(socket, request(opcode, 0, numbers(1, 0)))
  const clipboard = await atomOf(socket, 'CLIPBOARD')
  const newOwner = 1
  socket.write(request(opcode, 2, numbers(root, clipboard, newOwner)))
  // A wish has no answer; when the next question has one, it was heard.
  await atomOf(socket, 'CLIPBOARD')
  return event
}

async function hear({ socket, idMask }: XServer, code: number, onCopy: (owner: string) => void): Promise<never> {
  for (;;) {
    const event = await message(socket)
    const owner = event.readUInt32LE(8)
    // Without an owner it was emptied.
    if (event[0] === code && owner !== 0) onCopy(String((owner & ~idMask) >>> 0))
  }
}
