import type { Clipboard, Machine } from './clipboard.ts'
import { feedHelper, keepHelper, runHelper } from './helper.ts'
import { textOf } from './text.ts'

/**
 * A Wayland desktop that lets programs without a window see the clipboard. On one that does not, every look would take
 * the keyboard from the window that has it; there the X server beside it is the better door, if there is one.
 */
export async function openWayland(machine: Machine): Promise<Clipboard | undefined> {
  const { env, find } = machine
  const copy = find('wl-copy')
  const paste = find('wl-paste')
  if (!env['WAYLAND_DISPLAY'] || copy === undefined || paste === undefined) return undefined
  const open = await letsWatch(paste, machine)
  if (!open && env['DISPLAY'] && (find('xclip') ?? find('xsel')) !== undefined) return undefined
  return {
    name: `${paste} (Wayland)`,
    async read() {
      const { exitCode, stdout, stderr } = await runHelper([paste, '--no-newline', '--type', 'text'], machine)
      if (exitCode === 0) return textOf(stdout)
      if (/nothing is copied|no selection|no suitable type/i.test(stderr)) return ''
      throw new Error(stderr || `exit code ${exitCode}`)
    },
    write: (text) => feedHelper([copy, '--type', 'text/plain;charset=utf-8'], text, machine),
    ...(open && { listen: (onCopy, onEnd) => watch(paste, machine, onCopy, onEnd) }),
  }
}

/** Where it is not allowed, the program says so and ends; otherwise it would stay for ever. */
async function letsWatch(paste: string, machine: Machine): Promise<boolean> {
  const nothing = (): void => {}
  try {
    const stop = await watch(paste, machine, nothing, nothing)
    stop()
    return true
  } catch {
    return false
  }
}

/** It does not say whose copy it is. It begins with what is already there, which is no copy. */
function watch(
  paste: string,
  machine: Machine,
  onCopy: (owner: string) => void,
  onEnd: () => void,
): Promise<() => void> {
  return new Promise((done, fail) => {
    let watching = false
    const stop = keepHelper(
      [paste, '--watch', 'echo'],
      machine,
      () => watching && onCopy(''),
      () => (watching ? onEnd() : fail(new Error('the desktop tells of no copies'))),
    )
    setTimeout(() => {
      watching = true
      done(stop)
    }, 200)
  })
}
