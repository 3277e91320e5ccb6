import {
  type Clipboard,
  feedHelper,
  type Helper,
  type HelperEnd,
  type Machine,
  runHelper,
  decodeClipboard,
} from './clipboard.ts'

/** An X server; on a Wayland desktop the one it keeps for older programs. */
export function openX11(machine: Machine): Clipboard | undefined {
  const { env, find } = machine
  const xclip = find('xclip')
  // The second choice: it cannot tell an image from text, and fails with large texts every now and then.
  const xsel = find('xsel')
  const program = xclip ?? xsel
  if (!env['DISPLAY'] || program === undefined) return undefined
  const fill: Helper = xclip === undefined ? [program, '-b', '-i'] : [xclip, ...ofClipboard, '-i']
  return {
    name: `${program} (X11)${xclip === undefined ? '; install xclip, which is more reliable with large texts' : ''}`,
    read: xclip === undefined ? readByXsel(program, machine) : readByXclip(xclip, machine),
    write: (text) => feedHelper(fill, text, machine),
  }
}

const ofClipboard = ['-selection', 'clipboard']

/** A program that owns an image may hand it out as text when it is asked for text, so it is asked first what it has. */
const readByXclip = (xclip: string, machine: Machine) => async (): Promise<string> => {
  const kinds = await runHelper([xclip, ...ofClipboard, '-o', '-t', 'TARGETS'], machine)
  if (kinds.exitCode !== 0) return nothingOrFailure(kinds)
  const offered = kinds.stdout.toString('latin1').split('\n')
  const kind = textKinds.find((name) => offered.includes(name))
  if (kind === undefined) return ''
  const end = await runHelper([xclip, ...ofClipboard, '-o', '-t', kind], machine)
  return end.exitCode === 0 ? decodeClipboard(end.stdout) : nothingOrFailure(end)
}

const readByXsel = (xsel: string, machine: Machine) => async (): Promise<string> => {
  const end = await runHelper([xsel, '-b', '-o'], machine)
  return end.exitCode === 0 ? decodeClipboard(end.stdout) : nothingOrFailure(end)
}

const textKinds = ['UTF8_STRING', 'text/plain;charset=utf-8', 'STRING', 'text/plain', 'TEXT']

/** An empty clipboard is an error to these programs. */
function nothingOrFailure({ stderr, exitCode }: HelperEnd): string {
  if (/not available|no owner/i.test(stderr)) return ''
  throw new Error(stderr || `exit code ${exitCode}`)
}
