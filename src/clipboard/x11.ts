import type { Clipboard, FindProgram } from './clipboard.ts'
import { feedHelper, runHelper, type Helper, type HelperEnd } from './helper.ts'
import { textOf } from './text.ts'
import { listenToX11 } from './x11-events.ts'

/** An X server; on a Wayland desktop the one it keeps for older programs. */
export function openX11(find: FindProgram, env: NodeJS.ProcessEnv): Clipboard | undefined {
  const display = env['DISPLAY']
  const xclip = find('xclip')
  const xsel = find('xsel')
  const program = xclip ?? xsel
  if (!display || program === undefined) return undefined
  return {
    name: `${program} (X11)`,
    read: () => (xclip === undefined ? readByXsel(program) : readByXclip(xclip)),
    // xsel serves more kinds of readers, and tells them when the text was copied.
    write: (text) =>
      feedHelper(xsel === undefined ? clipboardOf(program, ['-i']) : { file: xsel, args: ['-b', '-i'] }, text),
    listen: (onCopy, onEnd) => listenToX11(env, onCopy, onEnd),
  }
}

/** A program that owns an image may hand it out as text when it is asked for text, so it is asked first what it has. */
async function readByXclip(xclip: string): Promise<string> {
  const kinds = await runHelper(clipboardOf(xclip, ['-o', '-t', 'TARGETS']))
  if (kinds.exitCode !== 0) return nothingOrFailure(kinds)
  const offered = kinds.stdout.toString('latin1').split('\n')
  const kind = textKinds.find((name) => offered.includes(name))
  if (kind === undefined) return ''
  const end = await runHelper(clipboardOf(xclip, ['-o', '-t', kind]))
  return end.exitCode === 0 ? textOf(end.stdout) : nothingOrFailure(end)
}

async function readByXsel(xsel: string): Promise<string> {
  const end = await runHelper({ file: xsel, args: ['-b', '-o'] })
  return end.exitCode === 0 ? textOf(end.stdout) : nothingOrFailure(end)
}

const clipboardOf = (file: string, args: readonly string[]): Helper => ({
  file,
  args: ['-selection', 'clipboard', ...args],
})

const textKinds = ['UTF8_STRING', 'text/plain;charset=utf-8', 'STRING', 'text/plain', 'TEXT']

/** An empty clipboard is an error to these programs. */
function nothingOrFailure({ stderr, exitCode }: HelperEnd): string {
  if (/not available|no owner/i.test(stderr)) return ''
  throw new Error(stderr || `exit code ${exitCode}`)
}
