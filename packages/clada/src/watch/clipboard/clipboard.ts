import { startProgram } from '../../process/programs.ts'

/** A clipboard. Its contents are never logged, and never written to the disk. */
export interface Clipboard {
  /** What serves it, for messages. */
  readonly name: string
  /** The text on it; empty if it has no text. Rejects when it cannot be reached. */
  read(): Promise<string>
  write(text: string): Promise<void>
}

export interface NoClipboard {
  /** One message: what is missing and what to do. */
  readonly why: string
}

export const isClipboard = (opened: Clipboard | NoClipboard): opened is Clipboard => 'read' in opened

export interface Machine {
  /** The file of a program, if it is installed. */
  readonly find: (name: string) => string | undefined
  readonly env: NodeJS.ProcessEnv
  /** How long a program may take. */
  readonly patienceMs: number
}

/** Text on a clipboard is UTF-8. Anything else is not text, such as an image. */
export function decodeClipboard(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return ''
  }
}

/** A BOM is part of the text like any other character. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Windows breaks every line of a copied text with CRLF, whatever it was before. A text that is broken so throughout gets
 * its LF back; one that mixes them was written that way and stays.
 */
export const fromWindows = (text: string): string => (/(?<!\r)\n/.test(text) ? text : text.replaceAll('\r\n', '\n'))

/** A program that reads or fills the clipboard. Its file is absolute: nothing is looked up. */
export type Helper = readonly [file: string, ...args: string[]]

type ClipboardMachine = Pick<Machine, 'env' | 'patienceMs'>

export interface HelperEnd {
  readonly exitCode: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

/** @throws Error when it does not start, or hangs: then it is killed. */
export function runHelper([file, ...args]: Helper, { env, patienceMs }: ClipboardMachine): Promise<HelperEnd> {
  return new Promise((done, fail) => {
    const child = startProgram(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    const hung = killLater(child, patienceMs, () => fail(new Error(`${file} does not answer`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout.push(chunk)
      // A long text on a busy machine takes its time.
      hung.refresh()
    })
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.on('error', fail)
    child.on('close', (exitCode) => {
      clearTimeout(hung)
      done({ exitCode, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString('utf8').trim() })
    })
  })
}

/**
 * The same for a program that takes a text and goes on serving it in the background, where it keeps what it inherited:
 * so it gets nothing that could be waited for, and is done when its first process is.
 */
export function feedHelper(
  [file, ...args]: Helper,
  text: string,
  { env, patienceMs }: ClipboardMachine,
): Promise<void> {
  return new Promise((done, fail) => {
    // A session of its own: what serves the text outlives the terminal that clada ran in.
    const child = startProgram(file, args, { env, stdio: ['pipe', 'ignore', 'ignore'], detached: true })
    const hung = killLater(child, patienceMs, () => fail(new Error(`${file} does not answer`)))
    child.on('error', fail)
    child.on('exit', (exitCode) => {
      clearTimeout(hung)
      child.unref()
      if (exitCode === 0) done()
      else fail(new Error(`${file} failed with exit code ${exitCode}`))
    })
    // It may end without reading.
    child.stdin?.on('error', () => {})
    child.stdin?.end(text)
  })
}

function killLater(child: { kill(signal: 'SIGKILL'): boolean }, timeoutMs: number, then: () => void): NodeJS.Timeout {
  return setTimeout(() => {
    child.kill('SIGKILL')
    then()
  }, timeoutMs)
}
