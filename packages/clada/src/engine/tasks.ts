import type { ActionSpec } from '../core/action.ts'
import path from 'node:path'
import { decode, type Decoded } from '../actions/decode.ts'
import type { Block, BlockGroup } from '@clada/reply/core/block.ts'
import type { Diagnostic } from '@clada/reply/core/diagnostic.ts'
import { withSlashes } from '../core/paths.ts'
import { ProblemError } from '../core/problem.ts'
import type { ParseError } from '../core/result.ts'
import type { BlockChoice } from '../core/review.ts'
import type { RunOptions } from './options.ts'
import { explainDiagnostic } from '../report/explain-diagnostic.ts'
import { findPlaceholder } from '@clada/reply/syntax/placeholder.ts'
import { defaultSyntax, syntaxOf } from '@clada/reply/syntax/table.ts'
import { Corrections } from './corrections.ts'
import { pathHere, type PlainPaths, plainPaths } from './plain-paths.ts'
import { shamContentOf, shamContentOfDiagnostic } from '@clada/reply/syntax/sham/sham.ts'

/** A block with its number, and its action or the errors in it. */
export type Task =
  | ReadyTask
  | { readonly ready: false; readonly block: Block; readonly number: string; readonly errors: ParseError[] }

export interface ReadyTask {
  readonly ready: true
  readonly block: Block
  /** As `TaskNumbers` counts. */
  readonly number: string
  readonly decoded: Decoded & { ok: true }
  /** The decision of the user about it. */
  readonly choice?: BlockChoice
  /** Its parameters as the model wrote them, where the user has edited them. */
  readonly written?: Readonly<Record<string, unknown>>
  /** `part`: declarations were put in their places, and its content is the whole file with them; `whole`: it declares all that the file declares. */
  readonly extent?: 'part' | 'whole'
}

type RulesOfRun = Pick<RunOptions, 'settings' | 'effect' | 'options' | 'request'>

interface Disk {
  isThere(absolute: string): boolean
  /** Whether the changes of programs can land together with others. */
  canStage(): Promise<boolean>
  /** The files below the root whose path ends in these names. */
  filesEndingIn(path: string): Promise<readonly string[]>
  /** The only path from the root that differs from this one in nothing but upper and lower case. */
  otherCaseOf(path: string): Promise<string | undefined>
}

export class Tasks {
  readonly #options: RulesOfRun
  readonly #disk: Disk
  readonly #numbers = new TaskNumbers()
  #corrections: Corrections | undefined

  constructor(options: RulesOfRun, disk: Disk) {
    this.#options = options
    this.#disk = disk
  }

  get corrections(): Corrections {
    return (this.#corrections ??= new Corrections(this.#options))
  }

  /**
   * Whether a block in the format of another tool explains that format: its path is a placeholder, and no such file
   * exists. The name of the project itself is no placeholder, nor is a directory that is there.
   */
  isExample(block: Block): boolean {
    if (syntaxOf(block.syntax).kind === 'native') return false
    const { root } = this.#options.settings
    const { params } = this.#withPlainPaths(block)
    return [params['path'], params['old_path'], params['new_path']].some((given) => {
      if (given === undefined) return false
      const relative = withSlashes(path.relative(root, path.resolve(root, given)))
      const place = findPlaceholder(relative.startsWith('../') ? withSlashes(given) : relative)
      return place !== undefined && !this.#exists(path.resolve(root, place))
    })
  }

  /** Whether a path leads out of the project, or is no path on this system. */
  #isOutside(given: string): boolean {
    try {
      this.#disk.isThere(path.resolve(this.#options.settings.root, given))
      return false
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      return error.problem.kind === 'path' && OUTSIDE.has(error.problem.rule)
    }
  }

  /** A path that may not be looked at is none that the project has. */
  #exists(absolute: string): boolean {
    try {
      return this.#disk.isThere(absolute)
    } catch (error) {
      if (error instanceof ProblemError) return false
      throw error
    }
  }

  /** Counts a block that is not run. */
  leaveOut(block: Block): void {
    this.#numbers.next(block)
  }

  async prepare(blocks: readonly Block[]): Promise<Task[]> {
    const tasks: Task[] = []
    for (const written of blocks) {
      const { block, several } = await this.#withWholePath(written)
      const task = this.#task(block, several)
      const refused = task.ready && this.#mustBeRevertible(task) && !(await this.#disk.canStage())
      tasks.push(refused ? this.#brokenTask(block, task.number, [startsProcess(block)]) : task)
    }
    return tasks
  }

  #brokenTask(block: Block, number: string, errors: readonly ParseError[]): Task {
    const labels = { task: number, group: block.group?.line, label: block.label }
    const isNamed = syntaxOf(block.syntax).ids === 'written'
    const numbered = errors.map((error) => ({ ...error, ...labels, blockId: isNamed ? error.blockId : number }))
    return { ready: false, block, number, errors: numbered }
  }

  /**
   * Models leave out the directories of a file: `App.js` for `client/src/App.js`. Where the path does not exist and exactly
   * one file ends in it, that file is proposed; where several do, none is taken. A path may also be there in another case. Others write the absolute path that the file
   * has on another machine.
   */
  async #withWholePath(block: Block): Promise<{ block: Block; several: readonly string[] }> {
    const unchanged = { block, several: [] }
    const given = this.#withPlainPaths(block).params['path'] ?? ''
    const { root, registry } = this.#options.settings
    const becomes = registry.get(block.action)?.file
    if (this.#options.options.strict || !isOfOtherTool(block)) return unchanged
    const isThere = (absolute: string): boolean => this.#exists(absolute)
    const here = this.#isOutside(given) ? pathHere(given, becomes, { root, isThere }) : undefined
    if (here !== undefined) {
      const warning = `'${given}' is outside the project; it was read as '${here}'`
      return { block: asProposal(block, here, warning), several: [] }
    }
    if (!mayBeShort(block, becomes) || !SHORT.test(given)) return unchanged
    const isNew = becomes === 'replaced' && !this.#exists(path.resolve(root, given))
    // Two files whose names differ only in case cannot be checked out on most machines: the model has misspelt the one there is.
    const otherCase = isNew ? await this.#disk.otherCaseOf(given) : undefined
    if (otherCase !== undefined) {
      const warning = `'${given}' was read as '${otherCase}', which differs only in upper and lower case; './${given}' would be a new file`
      return { block: asProposal(block, otherCase, warning), several: [] }
    }
    const [first = ''] = given.split('/')
    if (this.#exists(path.resolve(root, first))) return unchanged
    const found = await this.#disk.filesEndingIn(given)
    const [only] = found
    if (only === undefined) return unchanged
    // An edit of a file that does not exist fails anyway, and its report names the files that may be meant.
    if (found.length > 1) return { block, several: becomes === 'replaced' ? found : [] }
    const warning = `'${given}' was read as '${only}', the only file whose path ends in it`
    return { block: asProposal(block, only, warning), several: [] }
  }

  #task(block: Block, several: readonly string[]): Task {
    const { settings } = this.#options
    const number = this.#numbers.next(block)
    const broken = (...errors: readonly ParseError[]): Task =>
      this.#brokenTask(block, number, this.#withCorrection(block, errors))
    if (block.diagnostics.length > 0)
      return broken(...block.diagnostics.map((diagnostic) => syntaxError(block, diagnostic)))
    if (several.length > 0) return broken(refuseSeveralFiles(block, several))
    const relativePaths = settings.relativePaths || syntaxOf(block.syntax).paths === 'relative'
    const { params, warnings } = this.#withPlainPaths(block)
    const choice = this.#options.request.review?.blocks?.[number]
    const decodeWith = (given: Readonly<Record<string, unknown>>): Decoded =>
      addWarnings(decode(block.action, given, settings.registry, { root: settings.root, relativePaths }), warnings)
    const written = decodeWith(block.values ?? params)
    const decoded =
      choice?.params === undefined ? written : decodeWith({ ...(block.values ?? params), ...choice.params })
    if (!decoded.ok) return broken(validationError(block, decoded))
    return {
      ready: true,
      block,
      number,
      decoded,
      choice,
      written: written.ok && written !== decoded ? written.params : undefined,
    }
  }

  #withCorrection(block: Block, [first, ...others]: readonly ParseError[]): ParseError[] {
    return first === undefined ? [] : [{ ...first, ...this.corrections.ofBlock(block) }, ...others]
  }

  /** An atomic group must not start a process where its effects cannot be reverted. */
  #mustBeRevertible({ block, decoded: { spec, params } }: ReadyTask): boolean {
    const isAtomic = block.group?.atomic || this.#options.effect === 'together'
    return isAtomic && spec.startsProcess?.(params) === true
  }

  #withPlainPaths(block: Block): PlainPaths {
    const { options, settings } = this.#options
    return plainPaths(block, {
      root: settings.root,
      strict: options.strict ?? false,
      isThere: (absolute) => this.#exists(absolute),
    })
  }
}

const isOfOtherTool = ({ syntax, diagnostics }: Block): boolean =>
  diagnostics.length === 0 && syntaxOf(syntax).kind !== 'native'

/** Whether a block is about a file that should exist: an edit of another tool, or a whole file that is proposed. */
const mayBeShort = ({ syntax }: Block, becomes: ActionSpec['file']): boolean =>
  becomes === 'replaced' ? syntax === 'proposal' : becomes === 'edited' || becomes === 'deleted'

const asProposal = (block: Block, path: string, warning: string): Block => ({
  ...block,
  params: { ...block.params, path },
  proposed: true,
  warnings: [...(block.warnings ?? []), warning],
})

/** Drives of Windows are no names elsewhere. */
const OUTSIDE: ReadonlySet<string> = new Set(['path_escape', 'invalid_parameter'])

/** `./a.ts` and paths from the root of the disk say where the file is. */
const SHORT = /^[^./\\~][^\\:]*$/

function refuseSeveralFiles(block: Block, files: readonly string[]): ParseError {
  const given = block.params['path'] ?? ''
  const named = files.length > 5 ? [...files.slice(0, 5), 'others'] : files
  const message = `${block.action}: '${given}' does not exist, and several files end in it: ${named.join(', ')}`
  const hint = `Write the whole path of one of them, or './${given}' for a new file.`
  return validationError(block, { ok: false, errorType: 'validation', message, code: 'file_not_found', hint })
}

function startsProcess(block: Block): ParseError {
  const message = `${block.action}: Command not allowed: it would start a process, which cannot be reverted on this system`
  const hint = 'Put it into a block of its own, without atomic.'
  return validationError(block, { ok: false, errorType: 'validation', message, code: 'command_not_allowed', hint })
}

const addWarnings = (decoded: Decoded, warnings: readonly string[]): Decoded =>
  decoded.ok && warnings.length > 0 ? { ...decoded, warnings: [...warnings, ...decoded.warnings] } : decoded

/** Numbers blocks in order of appearance, from 1. Where groups are nested, their members are 3.1, 3.2 and so on. */
export class TaskNumbers {
  #last = 0
  #group: BlockGroup | undefined
  #member = 0

  next({ syntax, group }: Block): string {
    if (group === undefined || syntaxOf(syntax).groups?.numbers === 'flat') return String(++this.#last)
    if (group !== this.#group) {
      this.#group = group
      this.#member = 0
      this.#last++
    }
    return `${this.#last}.${++this.#member}`
  }
}

export function syntaxError(block: Block | undefined, diagnostic: Diagnostic): ParseError {
  const { code, line, column, blockId, message, hint } = explainDiagnostic(diagnostic, block?.id ?? null)
  const truncated = code === 'FOLLOWS_UNCLOSED_HEREDOC' || code === 'UNCLOSED_HEREDOC'
  return {
    blockId: blockId ?? 'unknown',
    action: block?.action || undefined,
    errorType: 'syntax',
    message,
    code: truncated && block?.endLine === null ? 'truncated' : code,
    line,
    column,
    blockStartLine: block?.startLine ?? line,
    shamContent: shamContentOfDiagnostic(block, diagnostic),
    hint,
    syntax: block?.syntax ?? diagnostic.syntax ?? defaultSyntax,
  }
}

export function validationError(block: Block, decoded: Decoded & { ok: false }): ParseError {
  const { errorType, message, code, hint } = decoded
  return {
    blockId: block.id,
    action: block.action || undefined,
    errorType,
    message,
    code,
    // A call without a document has no line.
    line: block.startLine || undefined,
    blockStartLine: block.startLine || undefined,
    shamContent: shamContentOf(block),
    hint,
    syntax: block.syntax,
  }
}
