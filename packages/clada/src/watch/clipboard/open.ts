import os from 'node:os'
import fs from 'node:fs'
import tty from 'node:tty'
import { ownProgram, pathOutside, systemPath } from '../../process/programs.ts'
import {
  type Clipboard,
  feedHelper,
  fromWindows,
  isClipboard,
  type Machine,
  type NoClipboard,
  runHelper,
  decodeClipboard,
} from './clipboard.ts'
import { openX11 } from './x11.ts'
import { messageOf } from '../../core/errors.ts'
import { platform } from '../../core/platform.ts'
import { spellOut } from '../../report/words.ts'

export interface OpenOptions {
  /** Programs are not taken from there: a model may have written them. */
  readonly roots?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Where programs are looked for. By default where the system has them, then the user's PATH. */
  readonly dirs?: readonly string[]
  /** Default: 5 s. A clipboard takes longer only if its owner does not answer. */
  readonly patienceMs?: number
}

/** Looks at what this machine has; nothing is read yet. */
export async function openClipboard(options: OpenOptions = {}): Promise<Clipboard | NoClipboard> {
  const { roots = [process.cwd()], env = process.env, patienceMs = 5000 } = options
  const dirs = options.dirs ?? [...systemPath, ...pathOutside(env['PATH'], roots)]
  const machine: Machine = { env, patienceMs, find: (name) => ownProgram(name, dirs) }
  if (!platform.desktops) return openLibrary('native', machine)
  // The Linux desktop that WSL brings shares its clipboard with Windows, and keeps every letter.
  const found = (await openWayland(machine)) ?? openX11(machine)
  if (found !== undefined) return found
  if (/microsoft/i.test(os.release())) return openLibrary('wsl', machine)
  if (!env['DISPLAY']) return { why: env['WAYLAND_DISPLAY'] ? `${none} install wl-clipboard.` : noDesktop }
  if (process.arch !== 'x64') return { why: `${none} install xclip.` }
  // The library brings an xsel for the commonest kind of machine.
  return openLibrary('native', machine)
}

const none = 'No clipboard:'
const noDesktop = `${none} neither WAYLAND_DISPLAY nor DISPLAY is set. Over SSH, --osc52 copies to the clipboard of your own terminal.`

/**
 * A Wayland desktop that lets programs without a window see the clipboard. On one that does not, every look would take
 * the keyboard from the window that has it; there the X server beside it is used, if there is one.
 */
async function openWayland(machine: Machine): Promise<Clipboard | undefined> {
  const { env, find } = machine
  const copy = find('wl-copy')
  const paste = find('wl-paste')
  if (!env['WAYLAND_DISPLAY'] || copy === undefined || paste === undefined) return undefined
  const isVisible = await isVisibleWithoutWindow(paste, machine)
  if (!isVisible && env['DISPLAY'] && (find('xclip') ?? find('xsel')) !== undefined) return undefined
  return {
    name: `${paste} (Wayland)`,
    async read() {
      const { exitCode, stdout, stderr } = await runHelper([paste, '--no-newline', '--type', 'text'], machine)
      if (exitCode === 0) return decodeClipboard(stdout)
      if (/nothing is copied|no selection|no suitable type/i.test(stderr)) return ''
      throw new Error(stderr || `exit code ${exitCode}`)
    },
    write: (text) => feedHelper([copy, '--type', 'text/plain;charset=utf-8'], text, machine),
  }
}

/** Without data control `wl-paste --watch` says so and ends immediately; with it, it runs until it is killed. */
async function isVisibleWithoutWindow(paste: string, machine: Machine): Promise<boolean> {
  try {
    await runHelper([paste, '--watch', 'true'], { ...machine, patienceMs: 200 })
    return false
  } catch {
    return true
  }
}

/** What macOS and Windows have, through a library that knows them. Loaded only when it is needed. */
async function openLibrary(kind: 'native' | 'wsl', machine: Machine): Promise<Clipboard | NoClipboard> {
  try {
    const { default: library } = await import('clipboardy')
    const windows = kind === 'wsl' || !platform.posixCommands
    return {
      name: kind === 'wsl' ? 'Windows, through WSL' : 'the system',
      read: async () => {
        const text = await inTime(
          onSystemPath(() => library.read()),
          machine,
        )
        return windows ? fromWindows(text) : text
      },
      write: (text) =>
        kind === 'wsl'
          ? writeFromWsl(text, machine)
          : inTime(
              onSystemPath(() => library.write(text)),
              machine,
            ),
    }
  } catch (error) {
    return { why: `No clipboard: ${messageOf(error)}` }
  }
}

/** The library starts its programs by name, in the same turn; none of them is to come from a project. */
function onSystemPath<T>(start: () => Promise<T>): Promise<T> {
  const own = process.env['PATH']
  if (own === undefined || !platform.posixCommands) return start()
  process.env['PATH'] = systemPath.join(':')
  try {
    return start()
  } finally {
    process.env['PATH'] = own
  }
}

/** The pipe between the two systems spoils everything but ASCII. */
function writeFromWsl(text: string, machine: Machine): Promise<void> {
  const script =
    '$b=[Console]::In.ReadToEnd(); Set-Clipboard -Value ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($b)))'
  const powershell = '/mnt/c/Windows/System32/WindowsPowerShell/v1.0/powershell.exe'
  const encoded = Buffer.from(text).toString('base64')
  return feedHelper([powershell, '-NoProfile', '-NonInteractive', '-Command', script], encoded, machine)
}

function inTime<T>(work: Promise<T>, { patienceMs }: Machine): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error('the clipboard does not answer')), patienceMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

export interface CopyOptions extends OpenOptions {
  /** Asks the terminal too, which may be on another machine. */
  readonly osc52?: boolean | undefined
}

export interface Copied {
  /** Where the text went; empty when nowhere. */
  readonly to: readonly string[]
  /** Why it went nowhere. Safe to print. */
  readonly why: readonly string[]
}

/** Puts a text on whatever clipboards there are. Never rejects. */
export async function copyToClipboard(text: string, options: CopyOptions = {}): Promise<Copied> {
  const tries = [await bySystem(text, options), ...(options.osc52 ? [byTerminal(text)] : [])]
  const to = tries.flatMap((one) => ('to' in one ? [one.to] : []))
  const why = tries.flatMap((one) => ('why' in one ? [one.why] : []))
  // The terminal is used where there is no other clipboard.
  return { to, why: to.length > 0 ? [] : why }
}

type Try = { readonly to: string } | { readonly why: string }

async function bySystem(text: string, options: OpenOptions): Promise<Try> {
  const clipboard = await openClipboard(options)
  if (!isClipboard(clipboard)) return clipboard
  try {
    await clipboard.write(text)
    return { to: 'the clipboard' }
  } catch (error) {
    const reason = messageOf(error)
    return { why: `Not copied: ${spellOut(reason)}` }
  }
}

/** Asked only where a terminal listens: in a file or a pipe the sequence would be rubbish. */
export function byTerminal(text: string): Try {
  const terminal = [2, 1].find((descriptor) => tty.isatty(descriptor))
  if (terminal === undefined) return { why: 'Not copied by OSC 52: neither stderr nor stdout is a terminal.' }
  const asked = osc52(text)
  if (!asked.ok) return asked
  try {
    fs.writeSync(terminal, asked.sequence)
    return { to: 'the clipboard of the terminal (OSC 52)' }
  } catch {
    return { why: 'Not copied by OSC 52: the terminal does not accept it.' }
  }
}

/**
 * OSC 52 asks a terminal to put a text on the clipboard of its machine, which over SSH is the user's. It never answers,
 * so the result is unknown.
 */
export type Osc52 = { readonly ok: true; readonly sequence: string } | { readonly ok: false; readonly why: string }

/** Bytes of text. It makes a sequence of 100 000, which is where the first of the common terminals stop reading. */
export const osc52Limit = 74_994

export function osc52(text: string, env: NodeJS.ProcessEnv = process.env): Osc52 {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length > osc52Limit) {
    const why = `Not copied by OSC 52: the text has ${bytes.length} bytes, and terminals take ${osc52Limit}.`
    return { ok: false, why }
  }
  return { ok: true, sequence: handedOn(`\x1b]52;c;${bytes.toString('base64')}\x07`, env) }
}

/** A terminal multiplexer passes on only what is wrapped for it. */
function handedOn(sequence: string, env: NodeJS.ProcessEnv): string {
  // Which of the two tmux lets pass is a matter of its settings: allow-passthrough or set-clipboard.
  if (env['TMUX']) return `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\${sequence}`
  if (!env['STY']) return sequence
  // screen takes short strings only.
  return (sequence.match(/[^]{1,250}/g) ?? []).map((piece) => `\x1bP${piece}\x1b\\`).join('')
}
