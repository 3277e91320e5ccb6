import nodePath from 'node:path'
import { pathFrom } from '../core/paths.ts'
import { damagedProblem } from '../actions/replace-occurrences.ts'
import type { CommandScope } from '../commands/scope.ts'
import type { openWorkingSet } from '../context/working-set.ts'
import {
  type ActionContext,
  type ActionSpec,
  type Commands,
  fail,
  type Outcome,
  type Repair,
  type HistoryCommands,
  wouldRun,
} from '../core/action.ts'
import { commandSettingsOf } from '../config/settings.ts'
import type { Block } from '@clada/reply/core/block.ts'
import type { Ask } from '../core/commands.ts'
import type { Files, PathArg } from '../core/files.ts'
import { type Problem, stackOf, ProblemError } from '../core/problem.ts'
import { tooComplex, withTimeLimit } from '../core/time-limit.ts'
import { decide } from '../policy/decide.ts'
import { findOccurrences } from '@clada/reply/text/edit.ts'
import { parseHunks } from '@clada/reply/text/hunks.ts'
import { hiddenWarning } from '@clada/reply/text/spell-out.ts'
import { describeValue } from '../core/describe-value.ts'
import { untilAborted } from '../core/until-aborted.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { runWarnings } from '../policy/makes-run.ts'
import { explain } from '../report/explain.ts'
import type { RunOptions } from './options.ts'
import type { ReadyTask } from './tasks.ts'
import type { ActionFiles, Landing, OpenWorkspace, Scope } from '../workspace/open.ts'
import { syntaxOf } from '@clada/reply/syntax/table.ts'
import type { ActionResult } from '../core/result.ts'

interface RunnerParts {
  readonly ask: Ask | undefined
  /** Undo, back, forward and squash, for actions that only the user may call. */
  readonly steps: () => Promise<HistoryCommands>
}

export interface Watching {
  readonly onWrite: (landing: Landing) => void
  /** Whether it is open until others have run if what it does stays. */
  readonly atomic: boolean
}

/** Decides whether an action may run, runs it with its files and commands, and turns exceptions into outcomes. */
export class ActionRunner {
  readonly #options: RunOptions
  readonly #workspace: OpenWorkspace
  readonly #parts: RunnerParts
  readonly #copies = new Map<string, { total: number; reached: number; applied: number }>()
  #set: Promise<ReturnType<typeof openWorkingSet>> | undefined

  constructor(options: RunOptions, workspace: OpenWorkspace, parts: RunnerParts) {
    this.#options = options
    this.#workspace = workspace
    this.#parts = parts
  }

  /** A model that means every place writes the same edit once for each. Native edits say by `count` how many they mean. */
  expectCopies(blocks: readonly Block[]): void {
    for (const block of blocks) {
      if (syntaxOf(block.syntax).kind !== 'foreign' || block.params['patch'] === undefined) continue
      const key = keyOfEdit(block)
      const known = this.#copies.get(key)
      this.#copies.set(key, {
        total: (known?.total ?? 0) + 1,
        reached: known?.reached ?? 0,
        applied: known?.applied ?? 0,
      })
    }
  }

  /** How many places an edit must have so that each of its copies has one; undefined where one of them has failed. */
  #copiesLeft(block: Block): number | undefined {
    const copies = this.#copies.get(keyOfEdit(block))
    return copies !== undefined && copies.reached === copies.applied ? copies.total - copies.applied : undefined
  }

  #countCopy(block: Block, { ok }: Outcome): void {
    const key = keyOfEdit(block)
    const copies = this.#copies.get(key)
    if (copies === undefined) return
    this.#copies.set(key, {
      ...copies,
      reached: copies.reached + 1,
      applied: copies.applied + (ok ? 1 : 0),
    })
  }

  /** The reason why an action must not run. */
  refusal({ decoded: { spec, spelled } }: ReadyTask): Problem | undefined {
    const { settings, origin } = this.#options
    const decision = decide(spec, spelled, { origin, allowedActions: settings.allowedActions })
    if (decision.verdict !== 'deny') return undefined
    return { kind: 'denied', rule: decision.rule, action: spelled, reason: decision.reason }
  }

  /** What an action would do to files that are thrown away afterwards. */
  async tryOut(task: ReadyTask, scope: Scope): Promise<Outcome> {
    const counted = this.#copies.get(keyOfEdit(task.block))
    const outcome = await this.run(task, scope, { onWrite: () => {}, atomic: false })
    if (counted !== undefined) this.#copies.set(keyOfEdit(task.block), counted)
    return outcome
  }

  async run(
    { block, number, choice, decoded: { spec, spelled, args } }: ReadyTask,
    scope: Scope,
    { onWrite, atomic }: Watching,
  ): Promise<Outcome> {
    const {
      settings,
      options: { strict, matching, patches, finalNewline },
    } = this.#options
    const files = scope.filesFor(onWrite, this.#options.expected?.get(number))
    try {
      const { damage = [] } = block
      if (damage.length > 0 && !spec.repairs) return { ok: false, problem: damagedProblem('old_text', damage) }
      const { kind, rules } = syntaxOf(block.syntax)
      const isForeign = kind !== 'native'
      const repair: Repair = {
        readings: strict ? 'off' : 'allowed',
        matching: strict ? 'exact' : isForeign ? 'tolerant' : (matching ?? 'exact'),
        patches: choice?.patches ?? patches ?? 'whole',
        damage,
        indentation: block.uncertainMarks ? 'exact' : undefined,
        rules,
        place: choice?.place,
        copies: this.#copiesLeft(block),
      }
      const context: ActionContext = {
        root: { given: '.', absolute: settings.root },
        files,
        commands: this.#commands(files, { task: number, block, atomic }, scope, () => context),
        workingSet: () => this.#workingSet(),
        history: this.#parts.steps,
        spelled,
        repair,
        pastEnd: syntaxOf(block.syntax).paths === 'relative' || block.values !== undefined ? 'noted' : 'fails',
        outlines: (this.#options.options.evidence ?? 'none') !== 'none',
        finalNewline: finalNewline ?? 'exact',
        signal: this.#options.request.signal ?? new AbortController().signal,
        explain: (problem) => explain(problem, spelled).error,
      }
      if (spec.effect === 'write') await this.#workspace.queue()
      if (this.#options.effect === 'show' && runsProgram(spec)) return wouldRun(spec.name, { would_run: spec.name })
      const outcome = await withTimeLimit(settings.limits.actionMs, () => this.#withMeantPath(spec, args, context))
      this.#countCopy(block, outcome)
      const warnings = runWarnings([...files.changed].map((file) => pathFrom(settings.root, file)))
      if (outcome.ok && files.changed.size > 0) warnings.push(...hiddenWarnings(args))
      return { ...outcome, warnings: [...(outcome.warnings ?? []), ...warnings] }
    } catch (error) {
      return { ok: false, problem: problemOfError(error) }
    } finally {
      files.close()
    }
  }

  /** An edit of a file that is there under a name in another case goes there; for other paths the report has suggestions. */
  async #withMeantPath(spec: ActionSpec, args: ReadyTask['decoded']['args'], context: ActionContext): Promise<Outcome> {
    const given = pathIn(args)
    // Edits of a missing file fail anyway, with suggestions.
    const makes = spec.effect === 'write' && !spec.repairs
    const other = makes && given !== undefined ? await this.#besideUser(given, context.files) : undefined
    if (given !== undefined && other !== undefined) return fail(whichFile(given, other))
    const first = await tryRun(() => this.#runSpec(spec, args, context))
    if (first.ok || given === undefined || !isMissingPath(first.problem, given)) return first
    const { suggestPaths } = await import('./similar-paths.ts')
    const { otherCase, suggested } = await suggestPaths(context.files, given)
    if (suggested.length === 0) return first
    const [only, ...others] = await filesThatFit(context.files, spec, args, suggested)
    const resend = only === undefined || others.length > 0 ? {} : { resend: { path: only } }
    const problem: Problem = { ...first.problem, meant: suggested.map((one) => one.given), ...resend }
    if (otherCase === undefined || !spec.repairs || context.repair.matching === 'exact') return { ...first, problem }
    const second = await tryRun(() => spec.run({ ...args, path: otherCase }, context))
    if (!second.ok) {
      // The place in that file says more than the name.
      if (!('nearest' in second.problem || 'places' in second.problem)) return { ...first, problem }
      const texts = 'resend' in second.problem ? second.problem.resend : undefined
      const meant = texts === undefined ? {} : { resend: { ...texts, path: otherCase.given } }
      const note = `there is no '${given.given}'; the text was looked for in '${otherCase.given}'`
      return { ...second, problem: { ...second.problem, ...meant }, warnings: [note, ...(second.warnings ?? [])] }
    }
    const warning = `there is no '${given.given}'; the edit was applied to '${otherCase.given}', whose old text matches`
    return { ...second, warnings: [warning, ...(second.warnings ?? [])] }
  }

  /** An action of the caller's own need not listen to the signal, and may return anything. */
  async #runSpec(spec: ActionSpec, args: ReadyTask['decoded']['args'], context: ActionContext): Promise<Outcome> {
    const { actions = [] } = this.#options.options
    if (!actions.some(({ name }) => name === spec.name)) return spec.run(args, context)
    const outcome: Outcome = await untilAborted(context.signal, () => spec.run(args, context))
    if (!isRecord(outcome) || typeof outcome.ok !== 'boolean')
      throw new Error(
        `${spec.name} must return ok(…) or actionFailed(…); what it returned is ${describeValue(outcome)}`,
      )
    // Reports are JSON, too. A number of 64 bits, or an object that contains itself, cannot be.
    JSON.stringify(outcome)
    return outcome
  }

  /** A relative path that is missing in the project, and present where the user is: either may be meant. */
  async #besideUser({ given, absolute, base }: PathArg, files: Files): Promise<string | undefined> {
    const { root, startedIn } = this.#options.settings
    if (startedIn === undefined || base !== root || nodePath.isAbsolute(given) || given.startsWith('./'))
      return undefined
    const { isListed } = await import('./similar-paths.ts')
    const other = nodePath.resolve(startedIn, given)
    if ((await isListed(files, absolute)) || !(await isListed(files, other))) return undefined
    return pathFrom(root, other)
  }

  /** Writes the staged changes of the working set. */
  async landWorkingSet(): Promise<void> {
    const set = await this.#set
    if (set !== undefined && 'land' in set) await set.land()
  }

  /** Whether programs can be part of an atomic group. */
  async canStage(): Promise<boolean> {
    const { settings, options } = this.#options
    return (await import('../commands/contained.ts')).canStage({ settings, commands: commandSettingsOf(options) })
  }

  /** Loaded with the first command: most documents have none. */
  #commands(
    files: ActionFiles,
    { task, block, atomic }: { readonly task: string; readonly block: Block; readonly atomic: boolean },
    scope: Scope,
    context: () => ActionContext,
  ): Commands {
    const { settings, options, effect, request } = this.#options
    const { programs, signal, onOutput, onProgram } = request
    const own: CommandScope = {
      settings,
      commands: commandSettingsOf(options),
      files,
      effect: effect === 'show' ? (programs === 'try' ? 'tried' : 'show') : scope.staged ? 'staged' : 'land',
      ask: this.#parts.ask,
      signal,
      onOutput:
        onOutput === undefined
          ? undefined
          : (chunk) => onOutput(task, chunk, { syntax: block.syntax, line: block.startLine, atomic }),
      coverage: syntaxOf(block.syntax).coverage,
    }
    return {
      run: async (request) => {
        onProgram?.(request.command)
        const meant = await (await import('./command-as-action.ts')).runCommandAsAction(request, settings, context())
        return meant ?? (await import('../commands/run-command.ts')).runCommand(request, own)
      },
      exec: async (request) => {
        onProgram?.(`exec ${request.lang}`)
        return (await import('../commands/exec-code.ts')).execCode(
          request,
          request.returnOutput ? own : { ...own, onOutput: undefined },
        )
      },
    }
  }

  #workingSet(): ReturnType<ActionContext['workingSet']> {
    const { settings, effect } = this.#options
    const place = {
      root: settings.root,
      session: settings.session,
    }
    this.#set ??= import('../context/working-set.ts').then((module) => module.openWorkingSet(place, effect))
    return this.#set
  }
}

/** An action whose effects only its run shows. Those of programs have a preview of their own. */
const runsProgram = ({ effect, previews }: ActionSpec): boolean =>
  (effect === 'exec' || effect === 'git') && previews !== true

/** About characters in the texts of an action that its old text did not have. */
const hiddenWarnings = (args: Readonly<Record<string, unknown>>): string[] =>
  ['content', 'new_text', 'new_content', 'edits', 'patch'].flatMap((name) => {
    const { [name]: text, old_text: old } = args
    if (typeof text !== 'string') return []
    if (name === 'patch')
      return hiddenWarning(name, text.replace(MARK_OF_FILE, '$1').replace(MARK_SEARCHED, '$1')) ?? []
    return hiddenWarning(name, text, typeof old === 'string' ? old : '') ?? []
  })

/** A byte order mark that the first new line of a hunk copied from the file, which keeps its own or has none. */
const MARK_OF_FILE = /^(@@.*\n(?:[- ].*\n)*\+)\ufeff/gm
const MARK_SEARCHED = /^([- ])\ufeff/gm

async function tryRun(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    return { ok: false, problem: problemOfError(error) }
  }
}

export function pathIn(args: Readonly<Record<string, unknown>>): PathArg | undefined {
  const { path: given } = args
  if (typeof given !== 'object' || given === null || !('given' in given) || !('absolute' in given)) return undefined
  const { given: spelled, absolute } = given
  if (typeof spelled !== 'string' || typeof absolute !== 'string') return undefined
  return {
    given: spelled,
    absolute,
    base: 'base' in given && typeof given.base === 'string' ? given.base : undefined,
  }
}

/** Of existing files those that an action could be meant for: to read them, or because they have its old text. */
async function filesThatFit(
  files: Files,
  { effect }: ActionSpec,
  { old_text: old, patch }: Readonly<Record<string, unknown>>,
  suggested: readonly PathArg[],
): Promise<string[]> {
  if (effect === 'read') return suggested.map(({ given }) => given)
  const parsed = typeof patch === 'string' ? parseHunks(patch) : undefined
  const { applyHunks } = await import('@clada/reply/text/hunks-apply.ts')
  const fits = (text: string): boolean =>
    typeof old === 'string'
      ? findOccurrences(text, old).length === 1
      : parsed !== undefined && 'hunks' in parsed && applyHunks(text, parsed.hunks, { levels: 'exact', damage: [] }).ok
  const texts = await Promise.all(suggested.map((path) => files.read(path).catch(() => undefined)))
  return suggested.flatMap(({ given }, at) => {
    const { text } = texts[at] ?? {}
    return text !== undefined && fits(text) ? [given] : []
  })
}

const keyOfEdit = ({ params }: Block): string => `${params['path']}\0${params['patch']}`

const whichFile = ({ given }: PathArg, other: string): Problem => ({
  kind: 'path',
  rule: 'invalid_parameter',
  path: given,
  reason: `paths are relative to the project, which has no '${given}', and clada was started in a directory that has '${other}'`,
  advice: `Write '${other}' for that file, or './${given}' for a new one.`,
})

const isMissingPath = (problem: Problem, { given }: PathArg): problem is Problem & { kind: 'os' } =>
  problem.kind === 'os' && problem.code === 'ENOENT' && problem.path === given

export const stoppedProblem = (reason: string): Problem => ({ kind: 'stopped', reason })

/** Puts the outcome of an action into its result. */
export function setOutcome(result: ActionResult, outcome: Outcome, warnings: readonly string[]): void {
  result.success = outcome.ok
  if (outcome.data === undefined) delete result.data
  else result.data = outcome.data
  if (outcome.outlines !== undefined) result.outlines = outcome.outlines
  if (outcome.ok && outcome.hits !== undefined) result.hits = outcome.hits
  if (outcome.ok && outcome.paths !== undefined) result.paths = outcome.paths
  if (!outcome.ok) {
    Object.assign(result, explain(outcome.problem, result.action))
    const stack = stackOf(outcome.problem)
    if (result.failure !== undefined && stack !== undefined) result.failure = { ...result.failure, stack }
  }
  const all = [...warnings, ...(outcome.warnings ?? [])]
  // What a write warned of did not happen where the file could not be written.
  if (all.length > 0) result.warnings = all
  else delete result.warnings
}

export function problemOfError(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem
  const limit = tooComplex(error)
  if (limit !== undefined) return limit
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'bug', message, stack }
}
