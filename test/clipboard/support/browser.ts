import { atomOf, connectX11, filled, message, numbers, request } from '../../../src/watch/clipboard/x11.ts'

/** A program that stays while texts are copied from it, as a browser does, and hands them out when it is asked. */
export async function openBrowser(env: NodeJS.ProcessEnv) {
  const { socket, root, idBase } = await connectX11(env)
  const window = idBase + 1
  const smallest = 0x10001
  socket.write(request(1, 0, numbers(window, root, 0, smallest, 0, 0, 0)))
  const clipboard = await atomOf(socket, 'CLIPBOARD')
  const targets = await atomOf(socket, 'TARGETS')
  const utf8 = await atomOf(socket, 'UTF8_STRING')
  let text = ''

  const serve = async (): Promise<void> => {
    for (;;) {
      const event = await message(socket)
      if ((event[0] ?? 0) !== 30) continue
      const [time = 0, requestor = 0, target = 0, property = 0] = [4, 12, 20, 24].map((at) => event.readUInt32LE(at))
      const answer = target === targets ? numbers(targets, utf8) : Buffer.from(text)
      const [kind, width] = target === targets ? [4, 32] : [utf8, 8]
      const length = answer.length / (width / 8)
      socket.write(request(18, 0, Buffer.concat([numbers(requestor, property, kind, width, length), filled(answer)])))
      const told = Buffer.concat([
        Buffer.from([31, 0, 0, 0]),
        numbers(time, requestor, clipboard, target, property, 0, 0),
      ])
      socket.write(request(25, 0, Buffer.concat([numbers(requestor, 0), told])))
    }
  }
  serve().catch(() => {})
  return {
    copy(copied: string): void {
      text = copied
      socket.write(request(22, 0, numbers(window, clipboard, 0)))
    },
    close: () => void socket.destroy(),
  }
}
