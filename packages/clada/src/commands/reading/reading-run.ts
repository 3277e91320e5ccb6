import path from 'node:path'
import type { Files, SearchHit, OpenFile, PathArg, Pathed } from '../../core/files.ts'
import { type Problem, ProblemError } from '../../core/problem.ts'
import { now, stopCause } from '../../core/time-limit.ts'
import type { ParsedCommand } from '../../policy/commands/rule.ts'
import { KeptOutput } from '../../process/kept-output.ts'
import { checkOperand, type CommandScope, listedCommandMs, type PathOperand } from '../scope.ts'

/** A command that only reads, with its files and what it has printed so far. */
export class ReadingRun {
  readonly files: Files
  readonly call: ParsedCommand
  /** The directory it runs in. */
  readonly cwd: PathArg
  /** The operands that are paths, checked. */
  readonly operands: readonly PathOperand[]
  exitCode = 0
  /** What it found, if that is all that it printed. */
  hits: readonly SearchHit[] | undefined
  readonly #name: string
  readonly #scope: CommandScope
  readonly #printed: KeptOutput
  readonly #end = now() + listedCommandMs
  #complaints = ''

  private constructor(
    name: string,
    call: ParsedCommand,
    cwd: PathArg,
    operands: readonly PathOperand[],
    scope: CommandScope,
  ) {
    this.files = scope.files
    this.call = call
    this.cwd = cwd
    this.operands = operands
    this.#name = name
    this.#scope = scope
    this.#printed = new KeptOutput(Math.min(scope.commands.outputBytes, 10 * 1024 * 1024))
  }

  /**
   * Checks every path operand like the path of an action before the first is read.
   *
   * @throws ProblemError
   */
  static async open(name: string, call: ParsedCommand, cwd: PathArg, scope: CommandScope): Promise<ReadingRun> {
    const operands: PathOperand[] = []
    for (const operand of call.operands)
      if (operand.as === 'content' || operand.as === 'name')
        operands.push(await checkOperand(operand, cwd.absolute, scope))
    return new ReadingRun(name, call, cwd, operands, scope)
  }

  has(...flags: readonly string[]): boolean {
    return this.call.has(...flags)
  }

  /** The one of these options that counts: the last. */
  lastOf(...flags: readonly string[]): string | undefined {
    return this.call.options.findLast((option) => flags.includes(option))
  }

  /** The last value of an option. */
  valueOf(...flags: readonly string[]): string | undefined {
    return flags.flatMap((flag) => this.call.valuesOf(flag)).at(-1)
  }

  print(text: string | Buffer): void {
    this.checkTime()
    this.#printed.add(typeof text === 'string' ? Buffer.from(text) : text)
  }

  /** Says that something could not be read; the command goes on and fails at its end. */
  complain(given: string, reason: string, exitCode = 1): void {
    this.#complaints += `${this.#name}: ${given}: ${reason}\n`
    this.exitCode = Math.max(this.exitCode, exitCode)
  }

  /** Complaints first, as most programs print them. */
  output(): string {
    const output = this.#complaints + this.#printed.text()
    if (output !== '') this.#scope.onOutput?.(Buffer.from(output))
    return output
  }

  /** Reads a file from its beginning to its end, and closes it. */
  async *chunks(arg: PathArg): AsyncGenerator<Buffer> {
    const file = await this.files.open(arg)
    try {
      yield* this.chunksOf(file, 0)
    } finally {
      file.close()
    }
  }

  *chunksOf(file: OpenFile, from: number, to = Infinity): Generator<Buffer> {
    for (let at = from; at < to;) {
      this.checkTime()
      const chunk = file.read(at, Math.min(chunkBytes, to - at))
      if (chunk.length === 0) return
      yield chunk
      at += chunk.length
    }
  }

  /** For commands that must have all of a file. */
  async readWhole(arg: PathArg): Promise<Buffer> {
    const file = await this.files.open(arg)
    try {
      const { fileBytes } = this.#scope.settings.limits
      if (file.size > fileBytes)
        throw new ProblemError({ kind: 'too-large', path: arg.given, size: file.size, limit: fileBytes })
      return Buffer.concat([...this.chunksOf(file, 0, fileBytes)])
    } finally {
      file.close()
    }
  }

  /** @throws ProblemError if it takes too long, or if the execution is stopped */
  checkTime(): void {
    const { signal } = this.#scope
    if (signal?.aborted) throw new ProblemError({ kind: 'command-failed', how: { stopped: stopCause(signal) } })
    if (now() > this.#end) throw new ProblemError({ kind: 'command-late', ms: listedCommandMs })
  }
}

const chunkBytes = 1 << 20

/** What is said about a file, in the words of the programs; undefined for what ends the command. */
function problemReason(problem: Problem): string | undefined {
  if (problem.kind === 'os') return reasons[problem.code] ?? problem.code
  if (problem.kind === 'path') return problem.reason
  if (problem.kind === 'not-regular') return `it is a ${problem.type}`
  return problem.kind === 'too-large'
    ? `File too large (${problem.size} bytes, the limit is ${problem.limit})`
    : undefined
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
}

export const noSuchFile = reasons['ENOENT'] ?? ''

/** Does something with each operand; what cannot be read is said. */
export async function forEachOperand(
  reader: ReadingRun,
  act: (operand: PathOperand & { readonly found: Pathed }) => Promise<void>,
  exitCode = 1,
): Promise<void> {
  for (const operand of reader.operands) {
    const { given, found } = operand
    if (found === undefined) reader.complain(given, noSuchFile, exitCode)
    else await tryRead(reader, given, () => act({ ...operand, found }), exitCode)
  }
}

/** Complains about a problem with one file. */
export async function tryRead(
  reader: ReadingRun,
  given: string,
  act: () => Promise<void>,
  exitCode = 1,
): Promise<void> {
  try {
    await act()
  } catch (error) {
    const problem = error instanceof ProblemError ? error.problem : undefined
    const reason = problem && problemReason(problem)
    if (problem === undefined || reason === undefined) throw error
    reader.complain('path' in problem ? problem.path : given, reason, exitCode)
  }
}

export const childOf = ({ given, absolute }: PathArg, name: string): PathArg => ({
  given: given.endsWith('/') ? given + name : `${given}/${name}`,
  absolute: path.join(absolute, name),
})
