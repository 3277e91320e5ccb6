import type { TextPair } from '@clada/reply/core/text-pair.ts'
import type { DamageKind } from '@clada/reply/core/diagnostic.ts'
import type { ExecData, ExecRequest, RunData, RunRequest } from './commands.ts'
import type { Files, SearchHit, PathArg } from './files.ts'
import { keepStack, type Problem } from './problem.ts'
import type { ActionResult, Outlines, PlaceChoice } from './result.ts'
import type { Shape, ValueOf } from './shape.ts'

/**
 * The definition of an action. Validation, the prompt, `clada tools`, the docs, the MCP tools and the
 * example tests are all derived from this one value.
 */
export interface ActionSpec<P extends Params = Params, R extends Shape = Shape> {
  readonly name: string
  /** Other names this language has had for it; exact, nothing is fuzzy. */
  readonly aliases: readonly string[]
  /** For lists that people see; made of the name where there is none. */
  readonly title?: string
  readonly description: string
  readonly effect: 'read' | 'write' | 'exec' | 'meta' | 'git'
  readonly access: readonly ('llm' | 'user')[]
  /** What becomes of the file in `path`, of actions that blocks of other tools and proposals ask for. */
  readonly file?: 'replaced' | 'edited' | 'deleted' | 'moved'
  /** The command that does the same for the user, where models may not call the action. */
  readonly command?: string
  /** Set where the user may also call it by a line that begins with a slash. */
  readonly slashCommand?: true
  /** Conditions under which it works, and a side effect worth knowing, as `clada tools --format yaml` lists them. */
  readonly constraints?: readonly string[]
  readonly behavior?: string
  /** The parameter that a one-line summary shows. */
  readonly primary?: keyof P & string
  /** Set on what a model needs every day: the prompt names these, and the others only when asked. */
  readonly everyday?: true
  /** The action that does the same and more: prompts teach that one, where the syntax can write every action. */
  readonly within?: string
  /** Whether the report shows its output. */
  readonly display: 'always' | 'never' | 'conditional'
  readonly params: P
  /** Set on an edit that heeds `ActionContext.repair`; the others never get a text that is in doubt. */
  readonly repairs?: true
  /** What clients may count on; where nothing is said, the worse is assumed. */
  readonly hints?: Hints
  /** What `data` holds on success. */
  readonly returns: R
  readonly examples: readonly Example[]
  /** How reports show what it returned; without it they show nothing. */
  readonly output?: Output<ValueOf<NoInfer<R>>>
  /** The result in the past tense, such as `created a.txt`, for reports that have a sentence for each. */
  past?(target: string, result: ShownResult<ValueOf<NoInfer<R>>>): string
  /** Set on an action with effect `exec` or `git` that can be previewed. The others are only named in a preview. */
  readonly previews?: true
  /** Whether a call would start a process. Where there are no layers for it, an atomic group cannot revert it. */
  startsProcess?(params: Readonly<Record<string, unknown>>): boolean
  run(args: Args<P>, context: ActionContext): Promise<Outcome<ValueOf<NoInfer<R>>>>
}

/** The definitions of a project, by name and by alias. */
export type Registry = Pick<ReadonlyMap<string, ActionSpec>, 'get' | 'has' | 'keys' | 'values' | 'entries'>

/** A result as its output sees it. `data` is missing where an action failed with nothing to show. */
export interface ShownResult<Data = unknown> extends Pick<
  ActionResult,
  'action' | 'params' | 'success' | 'details' | 'outlines' | 'hits' | 'paths'
> {
  readonly data?: Data | undefined
}

export interface Output<Data = unknown> {
  /** `program`: a program wrote it, and it is marked as such. */
  readonly by?: 'program'
  /** Set where the text itself names the files that it is about. */
  readonly named?: true
  /** Set where the text has frames of its own; everything else of it must go through `show.content`. */
  readonly framed?: true
  text(result: ShownResult<Data>, show: Showing): string | CutText | undefined
}

/** What an output may take, and how reports show texts and paths. */
export interface Showing {
  /** Characters. A text that is longer is cut by the report, in the middle; who knows better how to cut does so. */
  readonly room: number
  /** Characters of a long file that was read whole: more is shown by its beginning and its outline. */
  readonly fileRoom?: number | undefined
  /** A text of a file or a program, in which no line reads as one of the report. */
  content(text: string): string
  /** Relative to the project, or whole outside it. */
  path(given: string): string
  /** Set where nothing else is around it, so that content needs no lines that say where it begins and ends. */
  readonly bare?: true | undefined
}

/** A text of which a part is left out, where the text itself says so. */
export interface CutText {
  readonly text: string
  /** The part, in a few words for the line of the action. */
  readonly cut: string
}

export interface Hints {
  /** It only looks, although what it looks at is not a file of the project. */
  readonly reads?: true
  /** Nothing that was there is lost: it only adds. */
  readonly adds?: true
  /** The same call again changes nothing more. */
  readonly idempotent?: true
}

/** What an action may use: the project's files, with the same checks, records and undo as for actions of clada. */
export interface ActionContext {
  /** The project. */
  readonly root: PathArg
  readonly files: Files
  readonly commands: Commands
  /** Loaded when it is asked for: most documents never do. */
  workingSet(): Promise<WorkingSet>
  readonly history: () => Promise<HistoryCommands>
  /** The action's name as the block spelled it. */
  readonly spelled: string
  readonly repair: Repair
  /** What a reading of lines does that are only partly in the file: the seeds' error, or a note. */
  readonly pastEnd: 'fails' | 'noted'
  /** Whether long files that are read whole get their outline, for a report that shows only a part of them. */
  readonly outlines: boolean
  /** How a file that is written whole ends. */
  readonly finalNewline: 'exact' | 'add'
  /** Aborted when the caller stops the execution. */
  readonly signal: AbortSignal
  /** A problem in words, for results that list several. */
  explain(problem: Problem): string
}

/** How an edit may read a text that is not in the file as written. */
export interface Repair {
  /** `off`: not otherwise. */
  readonly readings: 'allowed' | 'off'
  /** `tolerant`: an edit may find its place by the looser levels of `text/matcher.ts` too. */
  readonly matching: 'tolerant' | 'exact'
  /** What to do with a patch of which only some hunks fit: `whole` applies none of them. */
  readonly patches: 'whole' | 'good'
  /** Damage that the block's markers and texts show: then a text that shows it must not be taken literally. */
  readonly damage: readonly DamageKind[]
  /** `exact`: another indentation is not forgiven, because that of the edit is not certain. */
  readonly indentation?: 'exact' | undefined
  /**
   * `codex`: a new file and a move may replace a file, added lines without context go to the end, files end in a newline.
   * `search-replace`: a new file may be there already if it is empty.
   */
  readonly rules?: 'codex' | 'search-replace' | undefined
  /** How many places an edit may have, because the reply has as many copies of it that are not applied yet. */
  readonly copies?: number | undefined
  /** The lines that the user chose for an edit that has no place of its own. */
  readonly place?: PlaceChoice | undefined
}

/** What actions may do with other programs. One implementation, loaded when the first command comes. */
export interface Commands {
  run(request: RunRequest): Promise<Outcome<RunData>>
  exec(request: ExecRequest): Promise<Outcome<ExecData>>
}

/**
 * What users may do with what was executed. One implementation, loaded when the first such action comes. Each of these
 * takes the lock and writes its own record, so an action that calls one changes nothing else.
 */
export interface HistoryCommands {
  undo(request: UndoRequest): Promise<Outcome<ValueOf<typeof undoShape>>>
  back(): Promise<Outcome<ValueOf<typeof stepShape>>>
  forward(): Promise<Outcome<ValueOf<typeof stepShape>>>
  squash(request: SquashRequest): Promise<Outcome<ValueOf<typeof squashShape>>>
}

export const undoShape = {
  'execution?': 'integer',
  'executions?': ['integer'],
  'actions?': ['integer'],
  'summary?': 'string',
  restored: ['string: a path'],
  conflicts: [{ path: 'string', reason: 'string' }],
  'git_commit?': 'string',
} as const

export const stepShape = {
  'commit?': 'string',
  'branch?': 'string',
  'stashed_files?': ['string'],
  'restored_files?': ['string'],
  'kept?': ['string: a ref'],
} as const

export const squashShape = {
  runs: [
    {
      commits: [{ id: 'string', subject: 'string' }],
      message: 'string',
      'empty?': 'boolean: they change nothing together',
    },
  ],
  'git_commit?': 'string',
  'before?': 'string',
  'limit?': { commit: 'string', why: 'string', 'ref?': 'string' },
  'dry_run?': 'boolean',
} as const

/** The result of an action. A failure may still carry data, such as the lines that do exist. */
export type Outcome<Data = unknown> = Succeeded<Data> | Failed<Data>

export interface Succeeded<Data = unknown> {
  readonly ok: true
  readonly data: Data
  readonly warnings?: readonly string[]
  /** Of long files that were read whole. */
  readonly outlines?: Outlines | undefined
  /** The lines that a command found, if they are all that it printed, each after the name of its file. */
  readonly hits?: readonly SearchHit[] | undefined
  /** The paths that a command listed, if they are all that it printed. */
  readonly paths?: readonly string[] | undefined
  /** A file, absolute, about whose broken syntax the warnings say all there is to say. */
  readonly brokenSyntax?: string | undefined
  /** In a preview: a program that was not run, so that what comes after it may find other files. */
  readonly notRun?: string
}

export interface Failed<Data = never> {
  readonly ok: false
  readonly problem: Problem
  readonly data?: Data
  readonly warnings?: readonly string[]
  /** Of long files that were read whole. */
  readonly outlines?: Outlines | undefined
}

/** Files, a call, and the expected result; a test runs every one. Paths are relative to a scratch root. */
export interface Example {
  readonly title: string
  readonly before?: Readonly<Record<string, string>>
  /** Calls that ran before, each an execution of its own. */
  readonly earlier?: readonly { readonly action: string; readonly params: Readonly<Record<string, string>> }[]
  readonly params: Readonly<Record<string, string>>
  /** The files then; null for one that must be gone. Files not named must be as before. */
  readonly after?: Readonly<Record<string, string | null>>
  /** Expected fields of `data`. `ROOT` is the scratch root. */
  readonly data?: unknown
  /** The code of the failure, when it must fail. */
  readonly code?: string
}

/** The definition of one parameter. */
export interface Param<T = unknown> {
  readonly type: 'string' | 'integer' | 'boolean' | 'enum' | 'count'
  readonly required: boolean
  /** The parameter that takes its place: with that one given, this one is not needed. */
  readonly unless?: string
  readonly description: string
  readonly format?: 'absolute_path' | 'multiline_absolute_paths' | 'lines' | 'edits'
  /** The value of another parameter with which it is needed, such as `mode=hours`. */
  readonly when?: string
  readonly values?: readonly string[]
  readonly default?: string | number | boolean
  /** Few calls need it: the prompt is shorter without. `for-programs`: only reports for programs hold what goes into it. */
  readonly rare?: true | 'for-programs'
  /** Carries the type of the decoded value; never present at run time. */
  readonly decoded?: T
}

export type Params = Readonly<Record<string, Param>>
export type Args<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never }

type Defaulted = 'aliases' | 'access' | 'display'

/**
 * Keeps the types of the parameters and of the result while they are checked against `ActionSpec`. Unless a definition says otherwise, an
 * action has no aliases, is for models, is summed up by its path, and its output is not shown.
 */
export function defineAction<const P extends Params, const R extends Shape>(
  spec: Omit<ActionSpec<P, R>, Defaulted> & Partial<Pick<ActionSpec<P, R>, Defaulted>>,
): ActionSpec {
  const path = 'path' in spec.params ? { primary: 'path' } : {}
  const whole = { aliases: [], access: ['llm'], display: 'never', ...path, ...spec }
  // Handlers take their own parameters; the registry holds them all under one type, and only `decode` calls them.
  return whole as unknown as ActionSpec
}

/** Whether a call with these values lacks the parameter. */
export const isLacking = (
  name: string,
  param: { readonly required?: boolean; readonly unless?: string } | undefined,
  given: Readonly<Record<string, unknown>>,
): boolean =>
  param?.required === true &&
  given[name] === undefined &&
  (param.unless === undefined || given[param.unless] === undefined)

/** The result of an action that succeeded. */
export const ok = <Data>(data: Data, warnings: readonly string[] = []): Succeeded<Data> =>
  warnings.length > 0 ? { ok: true, data, warnings } : { ok: true, data }

/** In a preview: a program that would run. */
export const wouldRun = <Data>(notRun: string, data: Data): Succeeded<Data> => ({
  ...ok(data, ['not run in a preview; what it changes cannot be foreseen']),
  notRun,
})

export function fail(problem: Problem): Failed
export function fail<Data>(problem: Problem, data: Data | undefined): Failed<Data>
export function fail<Data>(problem: Problem, data?: Data): Failed<Data> {
  keepStack(problem)
  return data === undefined ? { ok: false, problem } : { ok: false, problem, data }
}

/** For actions of your own: why it failed, in words for the model, and what to do about it. */
export const actionFailed = (message: string, advice?: string): Failed =>
  fail({ kind: 'action-failed', message, advice })

export const text = (description: string): Param<string> => ({ type: 'string', required: true, description })

export const path = (description: string): Param<PathArg> => ({
  type: 'string',
  required: true,
  format: 'absolute_path',
  description,
})

export const paths = (description: string): Param<readonly PathArg[]> => ({
  type: 'string',
  required: true,
  format: 'multiline_absolute_paths',
  description,
})

export const lines = (description: string): Param<string> => ({
  type: 'string',
  required: true,
  format: 'lines',
  description,
})

/** Several pairs of texts: in blocks as SEARCH/REPLACE, from programs as a list of objects. */
export const edits = (description: string): Param<readonly TextPair[]> => ({
  type: 'string',
  required: true,
  format: 'edits',
  description,
})

export const integer = (description: string): Param<number> => ({ type: 'integer', required: true, description })

/** A positive integer, or `all`. */
export const count = (description: string): Param<number | 'all'> => ({ type: 'count', required: true, description })

export const flag = (description: string): Param<boolean> => ({ type: 'boolean', required: true, description })

export const choice = <const V extends string>(values: readonly V[], description: string): Param<V> => ({
  type: 'enum',
  required: true,
  values,
  description,
})

export const optional = <T>(param: Param<T>): Param<T | undefined> => ({ ...param, required: false })

/** Needed with that value of another parameter. */
export const when = <T>(condition: string, param: Param<T>): Param<T | undefined> => ({
  ...optional(param),
  when: condition,
})

/** Needed where `other` is not given. */
export const unless = <T>(other: string, param: Param<T>): Param<T | undefined> => ({ ...param, unless: other })

export const rare = <T>(param: Param<T>): Param<T> => ({ ...param, rare: true })

export const forPrograms = <T>(param: Param<T>): Param<T> => ({ ...param, rare: 'for-programs' })

export const defaulting = <T extends string | number | boolean>(param: Param<T>, value: T): Param<T> => ({
  ...param,
  required: false,
  default: value,
})

/**
 * The kinds of parameters, each with its description. They are `text`, `path`, `paths` (a list; in blocks one per line),
 * `lines` (such as `3-5,9`), `integer`, `flag` (true or false) and `choice(['a', 'b'], '…')`.
 * `param.optional(param.text('…'))` may be missing; `param.defaulting(…, value)` has a default.
 */
export const param = { text, path, paths, lines, integer, flag, choice, optional, defaulting } as const

/** The execution to undo, or a part of it. */
export interface UndoRequest {
  /** Its number; without it the last one that is not undone. */
  readonly execution: number | undefined
  /** Only this action. */
  readonly action: number | undefined
  /** Merges files that changed since instead of refusing. */
  readonly force: boolean
}

/** The commits to combine into one. */
export interface SquashRequest {
  readonly mode: SquashMode
  /** Only the run that begins at the newest commit. */
  readonly contiguous: boolean
  readonly hours: number | undefined
  readonly days: number | undefined
  readonly containing: string | undefined
  readonly message: string | undefined
  /** Also commits that were pushed or that other branches or tags contain. */
  readonly force: boolean
  readonly dryRun: boolean
}

export const squashModes = ['auto_ai', 'ai_messages', 'hours', 'days', 'msg_contains'] as const
type SquashMode = (typeof squashModes)[number]

/**
 * The files that user and model keep in view, from one execution to the next. Only names are stored: every use reads
 * the file, with the usual checks.
 */
export interface WorkingSet {
  /** In the order they were added. Throws `ProblemError` when the list cannot be read. */
  entries(): Promise<readonly WorkingEntry[]>
  /** Replaces the current list under a lock. */
  change(update: UpdateEntries): Promise<void>
  /** Removes all entries. A list that cannot be read is renamed, and its new name is returned. */
  clear(): Promise<string | undefined>
  /** The last executions that changed files, oldest first: no more than `count`. */
  executions(count: number): Promise<readonly Touching[]>
}

export interface WorkingEntry {
  /** Absolute; `file@@Class@@method` for one structure of a file. */
  readonly path: string
  readonly added: string
}

export type UpdateEntries = (entries: readonly WorkingEntry[]) => readonly WorkingEntry[]

/** An execution and the absolute paths of its files. */
export interface Touching {
  readonly time: string
  readonly paths: ReadonlySet<string>
}
