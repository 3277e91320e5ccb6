import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import { InputError } from '../core/source.ts'
import { UsageError } from './flags.ts'

export interface Input {
  /** As it was named; `-` for standard input. */
  readonly name: string
  readonly text: string
}

/** The documents a command was given: files, or standard input. */
export async function readInputs(words: readonly string[]): Promise<Input[]> {
  const names = words.length === 0 ? ['-'] : words
  const inputs: Input[] = []
  for (const name of names)
    inputs.push({ name, text: decoded(name, name === '-' ? await readStdin() : readFile(name)) })
  return inputs
}

function readFile(name: string): Buffer {
  try {
    return fs.readFileSync(name)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const why = reason === 'ENOENT' ? 'there is no such file' : reason === 'EISDIR' ? 'it is a directory' : reason
    const found = reason === 'ENOENT' ? { missing: name } : {}
    throw new UsageError(`Cannot read '${name}': ${why}.`, found)
  }
}

export async function readStdin(): Promise<Buffer> {
  try {
    return fs.readFileSync(0)
  } catch (error) {
    // A terminal, or a pipe that others made non-blocking: only a stream can wait for it.
    if (!(error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EOF'))) throw error
  }
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** A document with broken characters would write them into files, so it is refused as a whole. */
function decoded(name: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  const shown = name === '-' ? 'Standard input' : `'${name}'`
  throw new UsageError(`${shown} is not valid UTF-8 (not_utf8), so nothing was executed. Save it as UTF-8.`)
}

/** Whether standard input may still be growing while it is read. */
export function isLive(words: readonly string[]): boolean {
  if (words.length > 1 || (words[0] ?? '-') !== '-') return false
  return !fs.fstatSync(0).isFile()
}

const reasonOf = ({ reason }: AbortSignal): string => (reason instanceof Error ? reason.message : String(reason))

/** Standard input as it comes, until its end or the signal. */
export async function* stdinTexts(signal: AbortSignal): AsyncGenerator<string> {
  // Refuses broken characters like the rest, and keeps those that are cut between two chunks.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const { stdin } = process
  signal.addEventListener('abort', () => stdin.destroy(), { once: true })
  try {
    for await (const chunk of stdin) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (signal.aborted)
      throw new InputError(
        `The input was not complete: ${reasonOf(signal)}. Nothing after that place was executed.`,
        'skipped',
      )
    if (!(error instanceof TypeError)) throw error
    throw new InputError('Standard input is not valid UTF-8. Nothing after that place was executed.', 'not_utf8')
  }
}
