import { osReason } from '../core/os-words.ts'
import fs from 'node:fs'
import { constants, isUtf8 } from 'node:buffer'
import type { Config } from '../config/nested-config.ts'
import { wrapLine } from '../report/width.ts'
import { spellOut } from '../report/words.ts'
import { escapeJson } from '@clada/reply/text/spell-out.ts'
import { type FlagValues, UsageError } from './flags.ts'
import { InputError } from '@clada/reply/core/source.ts'
import { hasCode, messageOf } from '../core/errors.ts'
import { platform } from '../core/platform.ts'

/** The report could not be written. The run itself is complete. */
export class OutputError extends Error {
  override readonly name = 'OutputError'

  constructor(cause: unknown) {
    super(`the report could not be written to standard output: ${osReason(codeOf(cause)) ?? messageOf(cause)}`)
  }
}

/**
 * Writes to standard output before the process ends. The stream would lose what is in flight when a pipe is slow
 * and the process exits; and it costs start-up time.
 */
export function print(text: string, end: 'line' | 'as it is' = 'line'): void {
  const open = end === 'line' && text !== '' && !text.endsWith('\n')
  const bytes = Buffer.from(open ? `${text}\n` : text)
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(1, bytes, at)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      // The reader has gone.
      if (code === 'EPIPE') return
      if (code !== 'EAGAIN') throw new OutputError(error)
      Atomics.wait(pause, 0, 0, 5)
    }
  }
}

/** Prints sentences, which are broken between words where a terminal is too narrow for them. */
export function say(text: string, to: 1 | 2 = 1): void {
  const columns = columnsOf(to)
  const lines = text
    .split('\n')
    .flatMap((line) => wrapLine(line, columns))
    .join('\n')
  if (to === 1) print(lines)
  else process.stderr.write(`${lines}\n`)
}

/** The width of the terminal behind a descriptor; undefined where there is none, or where it is not known. */
export function columnsOf(to: 1 | 2): number | undefined {
  if (!isTerminal(to)) return undefined
  const { columns } = to === 1 ? process.stdout : process.stderr
  return columns > 0 ? columns : undefined
}

/** A value as JSON. A terminal that shows it is not controlled by what is in it. */
export const printJson = (value: unknown): void => print(escapeJson(JSON.stringify(value, null, 2)))

const pause = new Int32Array(new SharedArrayBuffer(4))

/** Whether a descriptor is a terminal, without loading what only terminals need. */
export const isTerminal = (fd: 0 | 1 | 2): boolean => (terminals[fd] ??= leadsToTerminal(fd))

const terminals: boolean[] = []

/** Before a command line: the one before in the same process may have had other streams. */
export const forgetTerminals = (): void => void terminals.splice(0)

function leadsToTerminal(fd: 0 | 1 | 2): boolean {
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isCharacterDevice() || stat.rdev === fs.statSync(platform.nullDevice).rdev) return false
  } catch {
    // It is closed.
    return false
  }
  return process.getBuiltinModule('node:tty').isatty(fd)
}

/** Whether there is a user who can answer. */
export const canAsk = (): boolean => isTerminal(2) && process.env['CI'] === undefined

/** Whether a text is to be copied, and whether the terminal is asked as well. */
export interface Giving {
  readonly copy: boolean
  readonly osc52: boolean
  readonly quiet: boolean
}

/** --osc52 implies --copy. */
export const readGiving = (flags: FlagValues, { osc52 }: Config['clipboard']): Giving => ({
  copy: flags.copy !== undefined || flags.osc52 !== undefined,
  osc52: osc52 || flags.osc52 !== undefined,
  quiet: flags.quiet !== undefined,
})

/**
 * Puts out a text: to the clipboard with --copy or --osc52, else to stdout. Where there is no clipboard it
 * goes to stdout anyway, and the result is the exit code of a failure. Control characters are shown by their
 * code in either case: these texts are meant to be pasted, and many chats run in a terminal.
 */
export async function giveText(given: string, { copy, osc52, quiet }: Giving, root: string): Promise<0 | 1> {
  const text = spellOut(given)
  if (!copy) {
    print(text)
    return 0
  }
  const { copyToClipboard } = await import('../watch/clipboard/open.ts')
  const { to, why } = await copyToClipboard(text, { roots: [root], osc52 })
  if (to.length > 0) {
    if (!quiet) say(`clada: copied to ${to.join(' and ')}`, 2)
    return 0
  }
  for (const reason of why) say(`clada: ${reason}`, 2)
  print(text)
  return 1
}

export interface Input {
  /** As it was named; `-` for standard input. */
  readonly name: string
  readonly text: string
}

/** The documents a command was given: files, or standard input. */
export async function readInputs(words: readonly string[]): Promise<Input[]> {
  const names = words.length === 0 ? ['-'] : words
  const inputs: Input[] = []
  for (const name of names) {
    if (name === '-') askForText()
    inputs.push({ name, text: decodeInput(name, name === '-' ? await readStdin() : readInputFile(name)) })
  }
  return inputs
}

/** A command that waits for a text at a terminal looks as if it did nothing. */
function askForText(): void {
  if (isTerminal(0)) say('clada: paste the reply here, then press Enter and Ctrl-D.', 2)
}

function readInputFile(name: string): Buffer {
  let fd: number | undefined
  try {
    fd = fs.openSync(name, 'r')
    const parts = new InputParts(name)
    readParts(fd, parts)
    return parts.whole()
  } catch (error) {
    if (error instanceof UsageError) throw error
    const reason = codeOf(error)
    const found = reason === 'ENOENT' ? { missing: name } : {}
    throw new UsageError(`Cannot read '${name}': ${refusalReason(reason)}.`, found)
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/** Why the system refused a file, with what to check. */
export function refusalReason(code: string): string {
  const reason = osReason(code) ?? code
  return reason === osReason('EACCES')
    ? `${reason}; check who owns it, and the permissions of it and its directory`
    : reason
}

async function readStdin(): Promise<Buffer> {
  try {
    return fs.readFileSync(0)
  } catch (error) {
    // A terminal, or a pipe that others made non-blocking: only a stream can wait for it.
    if (!hasCode(error, 'EAGAIN', 'EOF')) throw error
  }
  const parts = new InputParts('-')
  for await (const chunk of process.stdin) parts.add(Buffer.from(chunk))
  return parts.whole()
}

/** Standard input as a text. @throws UsageError where it is none */
export const readStdinText = async (): Promise<string> => decodeInput('-', await readStdin())

function readParts(fd: number, parts: InputParts): void {
  for (;;) {
    const part = Buffer.allocUnsafe(partBytes)
    const length = fs.readSync(fd, part, 0, partBytes, null)
    if (length === 0) return
    parts.add(part.subarray(0, length))
  }
}

const partBytes = 256 * 1024

/** What was read so far. A device or a pipe may have no end, and no text is longer than the engine allows. */
class InputParts {
  readonly #name: string
  readonly #parts: Buffer[] = []
  #size = 0

  constructor(name: string) {
    this.#name = name
  }

  add(part: Buffer): void {
    this.#size += part.length
    if (this.#size > constants.MAX_STRING_LENGTH)
      throw new UsageError(
        `${shownInput(this.#name)} has more than ${constants.MAX_STRING_LENGTH} bytes (input_too_large), so nothing was executed.`,
      )
    this.#parts.push(part)
  }

  whole(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

const shownInput = (name: string): string => (name === '-' ? 'Standard input' : `'${name}'`)

/** A document with broken characters would write them into files, so it is refused as a whole. */
function decodeInput(name: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new UsageError(`${shownInput(name)} is not valid UTF-8 (not_utf8), so nothing was executed. Save it as UTF-8.`)
}

/** Whether standard input may still be growing while it is read. */
export function isLive(words: readonly string[]): boolean {
  if (words.length > 1 || (words[0] ?? '-') !== '-') return false
  return !fs.fstatSync(0).isFile()
}

const abortReason = ({ reason }: AbortSignal): string => messageOf(reason)

/** Standard input as it arrives, until its end or the signal. */
export async function* readStdinTexts(signal: AbortSignal): AsyncGenerator<string> {
  // Refuses broken characters like the rest, and keeps those that are cut between two chunks.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  askForText()
  const { stdin } = process
  signal.addEventListener('abort', () => stdin.destroy(), { once: true })
  try {
    // At a terminal nothing begins before the end: a question would take its answer from the rest of the document.
    let held = ''
    for await (const chunk of stdin) {
      const text = decoder.decode(chunk, { stream: true })
      if (isTerminal(0)) held += text
      else yield text
    }
    yield held + decoder.decode()
  } catch (error) {
    if (signal.aborted)
      throw new InputError(
        `The input was not complete: ${abortReason(signal)}. Nothing after that place was executed.`,
        'skipped',
      )
    if (!(error instanceof TypeError)) throw error
    throw new InputError('Standard input is not valid UTF-8. Nothing after that place was executed.', 'not_utf8')
  }
}
