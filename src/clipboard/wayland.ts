import type { Clipboard, FindProgram } from './clipboard.ts'
import { feedHelper, keepHelper, runHelper } from './helper.ts'
import { textOf } from './text.ts'

/**
 * A Wayland desktop that lets programs without a window see the clipboard. On one that does not, every look would take
 * the keyboard from the window that has it; there the X server beside it is the better door, if there is one.
 */
export async function openWayland(find: FindProgram, env: NodeJS.ProcessEnv): Promise<Clipboard | undefined> {
  const copy = find('wl-copy')
  const paste = find('wl-paste')
  if (!env['WAYLAND_DISPLAY'] || copy === undefined || paste === undefined) return undefined
  const open = await letsWatch(paste)
  if (!open && env['DISPLAY'] && (find('xclip') ?? find('xsel')) !== undefined) return undefined
  return {
    name: `${paste} (Wayland)`,
    async read() {
      const { exitCode, stdout, stderr } = await runHelper({ file: paste, args: ['--no-newline', '--type', 'text'] })
      if (exitCode === 0) return textOf(stdout)
      if (/nothing is copied|no selection|no suitable type/i.test(stderr)) return ''
      throw new Error(stderr || `exit code ${exitCode}`)
    },
    write: (text) => feedHelper({ file: copy, args: ['--type', 'text/plain;charset=utf-8'] }, text),
    ...(open && { listen: (onCopy, onEnd) => watch(paste, onCopy, onEnd) }),
  }
}

/** Where it is not allowed, the program says so and ends; otherwise it would stay for ever. */
function letsWatch(paste: string): Promise<boolean> {
  return new Promise((done) => {
    const stop = keepHelper(
      { file: paste, args: ['--watch', 'true'] },
      () => {},
      () => {
        clearTimeout(stays)
        done(false)
      },
    )
    const stays = setTimeout(() => {
      stop()
      done(true)
    }, 200)
  })
}

/** It does not say whose copy it is. It begins with what is already there, which is no copy. */
function watch(paste: string, onCopy: (owner: string) => void, onEnd: () => void): () => void {
  const start = performance.now()
  const heard = (): void => {
    if (performance.now() - start > 200) onCopy('')
  }
  return keepHelper({ file: paste, args: ['--watch', 'echo'] }, heard, onEnd)
}
