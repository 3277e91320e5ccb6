import { isRecord } from '@clada/reply/core/is-record.ts'
import { registry } from '../actions/registry.ts'
import { withSlashes } from '../core/paths.ts'
import type { Clada } from '../api/clada.ts'
import type { CladaOptions } from '../config/settings.ts'
import type { NotExecuted } from '@clada/reply/core/block.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import type { MissingPart } from '@clada/reply/core/proposal.ts'
import { type ActionResult, type FileChange, isLeftOut } from '../core/result.ts'
import type { BlockChoice, Review, ReviewChoices, ReviewedBlock, ReviewedFile } from '../core/review.ts'
import { checkDocument, type CheckedBlock, type CheckedDocument } from '../engine/check.ts'
import { pageAdvice, userReason } from '../report/failure.ts'
import { notExecutedReason, showOutput } from '../report/parts.ts'
import { reasonForPerson } from '../report/repair.ts'
import { missingSentence, oneLine, warningForPerson } from '../report/words.ts'
import { countChanges } from '@clada/reply/text/line-diff.ts'
import type { MatchLevel } from '@clada/reply/text/fit.ts'
import type {
  BlockDetail,
  BlockState,
  BlockOutcome,
  ReplyPlan,
  PlanBlock,
  Prose,
  ResultFacts,
  TouchedFile,
} from './protocol.ts'

/** A block that was applied, with the changes that were predicted. */
export interface DoneBlock {
  readonly result: ActionResult
  /** The execution it was a part of, where that was written down. */
  readonly execution: number | undefined
  readonly changes: readonly FileChange[]
  readonly reviewed: ReviewedBlock | undefined
}

/** A document with what would become of it now. */
export interface Planned {
  readonly plan: ReplyPlan
  /** Missing as long as the reply was only read. */
  readonly preview: Review | undefined
  readonly checked: CheckedDocument
  /** The decisions that it shows. */
  readonly choices: ReviewChoices
  detail(key: number): BlockDetail | undefined
  /** A file with all that would be done to it; a moved one by its new path. */
  file(path: string): PlannedChange | undefined
  /** What would be done at a path. */
  total(path: string): FileChange | undefined
  changesOf(task: string): readonly FileChange[]
  reviewed(task: string): ReviewedBlock | undefined
}

interface PlanInput extends PageProject {
  readonly id: number
  readonly text: string
  readonly name: string
  readonly revision: number
  /** By task number: these are shown as they went, and not foreseen again. */
  readonly done: ReadonlyMap<string, DoneBlock>
  readonly choices: ReviewChoices
  /** From an earlier look at the same text. */
  readonly checked?: CheckedDocument | undefined
}

/** Every block of a document as it is written; what it would do is not known yet. */
export const planOfText = (input: PlanInput): Planned => assemblePlan(input, undefined)

/** Every block of a document with its state: what the text says, what the disk says, what was done already. */
export async function planOf(input: PlanInput): Promise<Planned> {
  const { text, clada, options, done, choices } = input
  const checked = input.checked ?? checkDocument(text, options)
  const left = checked.blocks.flatMap(({ task }) => (task === undefined || done.has(task) ? [] : [task]))
  const only = done.size === 0 ? {} : { only: left }
  const preview = await clada.review(text, choices, { ...only, unsaved: input.unsaved?.() })
  return assemblePlan({ ...input, checked }, preview)
}

function assemblePlan(input: PlanInput, preview: Review | undefined): Planned {
  const { id, text, name, revision, root, options, done, choices } = input
  const checked = input.checked ?? checkDocument(text, options)
  const foreseen = new Map(preview?.result.results.map((result) => [result.task, result]))
  const lacking = new Map(preview?.result.proposals?.flatMap(({ line, lacks }) => (lacks ? [[line, lacks]] : [])))
  const parts = new Set(preview?.result.proposals?.flatMap(({ line, kind }) => (kind === 'part' ? [line] : [])))
  const unmeant = new Map(preview?.result.notExecuted?.map((one) => [one.line, one]))
  const unknown = preview === undefined ? 'checking' : 'skipped'
  const reviews = new Map(preview?.blocks.map((block) => [block.task, block]))
  const reviewed = (task: string): ReviewedBlock | undefined => done.get(task)?.reviewed ?? reviews.get(task)
  const changesBy = new Map<string, readonly FileChange[]>()
  const totals = new Map<string, FileChange>()
  const blocks = checked.blocks.map((block, key): PlanBlock => {
    const { task = '' } = block
    const earlier = done.get(task)
    const result = earlier?.result ?? foreseen.get(task)
    const changes = earlier?.changes ?? (result === undefined ? [] : (preview?.changesBy(result.seq) ?? []))
    changesBy.set(task, changes)
    if (earlier === undefined) for (const change of changes) addChange(totals, change)
    return {
      key,
      task: block.task,
      id: block.id,
      syntax: block.syntax,
      proposed: block.proposed,
      action: block.action,
      target: relativeToRoot(root, block.target),
      isProgram: registry.get(block.action)?.effect === 'exec',
      startLine: block.startLine,
      endLine: block.endLine,
      group: block.group && { line: block.group.line, atomic: block.group.atomic },
      ...judgeBlock(block, result, { unknown, lacking, parts, unmeant, partly: changes.length > 0 }),
      warnings: warningsOfBlock(block, result).length,
      files: listMoved(changes, reviewed(task)?.files ?? []).map(toTouchedFile),
      decided: describeChoice(choices.blocks?.[task]),
      outcome: earlier && toOutcome(earlier.result),
    }
  })
  const plan: ReplyPlan = {
    revision,
    reply: id,
    isChecking: preview === undefined,
    name,
    bytes: Buffer.byteLength(text),
    edited: choices.original !== undefined,
    blocks,
    files: [...withMoves(totals, movesIn(blocks)).values()]
      .filter(({ before, after, from }) => before !== after || from !== undefined)
      .map(toTouchedFile)
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
    warnings: checked.warnings,
    fatal: preview?.result.fatalError,
  }
  const lines = text.split('\n')
  return {
    plan,
    preview,
    checked,
    choices,
    changesOf: (task) => changesBy.get(task) ?? [],
    reviewed,
    file: (path) => withMoves(totals, movesIn(blocks)).get(path),
    total: (path) => totals.get(path),
    detail: (key) => {
      const block = checked.blocks[key]
      if (block === undefined) return undefined
      const { task = '', startLine, endLine, problems, why } = block
      const result = done.get(task)?.result ?? foreseen.get(task)
      const advice = result && pageAdvice(result)
      const output = result && showOutput(result, { limit: shownOutput, root })
      return {
        key,
        revision,
        reply: id,
        raw: lines.slice(startLine - 1, endLine ?? Math.min(lines.length, startLine + 200)).join('\n'),
        prose: proseAround(checked.blocks, key, lines),
        files: reviewed(task)?.files ?? [],
        places: reviewed(task)?.places ?? [],
        fitting: reviewed(task)?.fitting ?? 0,
        params: reviewed(task)?.params ?? {},
        choice: choices.blocks?.[task] ?? {},
        problems,
        warnings: warningsOfBlock(block, result),
        note: why,
        explanation: result?.explanation,
        result: result && facts(result),
        advice,
        output: output?.body,
      }
    },
  }
}

/**
 * The prose between a block and the one before it, with the words that announce a proposal, and after the last one. Fences
 * and the markers of a group are not prose.
 */
function proseAround(blocks: readonly CheckedBlock[], key: number, lines: readonly string[]): Prose {
  const block = blocks[key]
  if (block === undefined) return { above: '', below: '' }
  const from = blocks.slice(0, key).reduce((last, one) => Math.max(last, one.endLine ?? lines.length), 0)
  const isLast = key === blocks.length - 1
  return {
    above: proseIn([...lines.slice(from, block.startLine - 1), ...announcement(block, lines)]),
    below: isLast && block.endLine !== null ? proseIn(lines.slice(block.endLine)) : '',
  }
}

/** The lines of a proposal above its first fence; none if it begins inside a fence or with a tag. */
function announcement({ syntax, startLine, endLine }: CheckedBlock, lines: readonly string[]): readonly string[] {
  const isInside = lines.slice(0, startLine - 1).filter((line) => fence.test(line)).length % 2 === 1
  const own = lines.slice(startLine - 1, endLine ?? lines.length)
  const end = own.findIndex((line) => fence.test(line))
  return syntax !== 'proposal' || isInside || /^\s*</.test(own[0] ?? '') || end === -1 ? [] : own.slice(0, end)
}

const fence = /^\s*(?:`{3,}|~{3,})/

function proseIn(lines: readonly string[]): string {
  const text = lines.filter((line) => !marker.test(line)).join('\n')
  return text
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .slice(0, longestProse)
}

const marker = /^\s*(?:`{3,}|~{3,}|<---(?:TASKS|END)\b.*--->\s*$|<\/?tasks\b[^<]*>\s*$)/

const longestProse = 5000

/** Characters of an action's output that the page shows. */
const shownOutput = 200_000

export const toOutcome = (result: ActionResult): BlockOutcome => ({
  success: result.success,
  left: isLeftOut(result) ? true : undefined,
  why: isLeftOut(result) ? result.review?.reason : result.error === undefined ? undefined : userReason(result),
  warnings: result.warnings?.length ?? 0,
})

/** What a change does, with where the file was before if it is moved. */
export type PlannedChange = FileChange & Pick<ReviewedFile, 'from'>

/** The changes of one block, a moved file as one of them. */
function listMoved(changes: readonly FileChange[], files: readonly ReviewedFile[]): readonly PlannedChange[] {
  const moves = files.flatMap(({ path, from }) => (from === undefined ? [] : [[path, from] as const]))
  if (moves.length === 0) return changes
  return [...withMoves(new Map(changes.map((change) => [change.path, change])), new Map(moves)).values()]
}

/** Where each moved file comes from, over all blocks that are still to be done: by its last path. */
function movesIn(blocks: readonly PlanBlock[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { files, outcome } of blocks) {
    if (outcome !== undefined) continue
    for (const { path, from } of files) {
      if (from === undefined) continue
      found.set(path, found.get(from) ?? from)
      found.delete(from)
    }
  }
  return found
}

/** A file that is gone from one path and new at another is one change. */
function withMoves(
  totals: ReadonlyMap<string, FileChange>,
  moves: ReadonlyMap<string, string>,
): ReadonlyMap<string, PlannedChange> {
  const found = new Map<string, PlannedChange>(totals)
  for (const [path, from] of moves) {
    const [gone, fresh] = [totals.get(from), totals.get(path)]
    if (gone?.change !== 'delete' || fresh?.change !== 'create') continue
    found.delete(from)
    found.set(path, { ...fresh, change: 'modify', before: gone.before, from })
  }
  return found
}

export function toTouchedFile(change: PlannedChange): TouchedFile {
  const known = counted.get(change)
  if (known !== undefined) return known
  const { path, change: kind, before, after, from } = change
  const fresh = { path, change: kind, from, ...countChanges(before, after) }
  counted.set(change, fresh)
  return fresh
}

/** A plan is computed again after every decision and every run, and most of its changes stay. */
const counted = new WeakMap<FileChange, TouchedFile>()

export function addChange(totals: Map<string, FileChange>, change: FileChange): void {
  const first = totals.get(change.path)
  if (first === undefined) return void totals.set(change.path, change)
  const { before, binary } = first
  const kind = before === null ? 'create' : change.after === null ? 'delete' : 'modify'
  totals.set(change.path, { ...change, before, change: kind, binary: binary || change.binary })
}

function judgeBlock(
  block: CheckedBlock,
  result: ActionResult | undefined,
  {
    unknown,
    lacking,
    parts,
    unmeant,
    partly,
  }: {
    readonly unknown: 'checking' | 'skipped'
    readonly lacking: ReadonlyMap<number, MissingPart>
    /** Texts that were put into their files, by line. */
    readonly parts: ReadonlySet<number>
    /** What only the disk said is not meant, by line. */
    readonly unmeant: ReadonlyMap<number, NotExecuted>
    /** Some of its hunks are applied if it fails. */
    readonly partly: boolean
  },
): Pick<PlanBlock, 'state' | 'why' | 'rule' | 'runs'> {
  const [problem] = block.problems
  if (problem !== undefined) {
    return { state: problem.code === 'action_not_allowed' ? 'refused' : 'broken', why: oneLine(problem.message) }
  }
  if (block.note !== undefined) return { state: 'skipped', why: block.why }
  if (result !== undefined && isLeftOut(result)) return { state: 'left', why: result.review?.reason }
  const example = unmeant.get(block.startLine)
  if (result === undefined) return { state: unknown, why: example && notExecutedReason(example) }
  const runs = programOf(result)
  if (result.unknown !== undefined) return { state: 'unknown' }
  const lacks = lacking.get(block.startLine)
  if (result.success && lacks !== undefined)
    return {
      state: 'approval',
      why: `${lacks === 'characters' ? 'perhaps damaged' : 'not the whole file'}: ${missingSentence(lacks)}`,
    }
  if (result.success && parts.has(block.startLine)) return { state: 'part' }
  if (result.success) return { state: isRepaired(result) ? 'repaired' : 'ready', runs }
  const { code, details } = result
  return {
    state: partly ? 'repaired' : failureState(code),
    why: userReason(result),
    rule: details?.rule,
    runs: details?.command,
  }
}

/**
 * Whether the text that lands is not the text of the block. A repaired marker, a wrong line number or white space that the
 * search text lacked changes nothing about it: that is a note.
 */
function isRepaired({ data }: ActionResult): boolean {
  if (!isRecord(data)) return false
  const { matched, strategies } = data
  const levels = [
    ...(typeof matched === 'string' ? matched.split(', ') : []),
    ...(Array.isArray(strategies) ? strategies.map(String) : []),
  ]
  return levels.some((level) => changingLevels.has(level))
}

/** Match levels at which new lines are changed like the old ones. */
const changingLevels: ReadonlySet<string> = new Set<MatchLevel>(['indentation', 'characters', 'prefix'])

/** What the user has changed, for the list of blocks. */
function describeChoice(choice: BlockChoice = {}): string | undefined {
  const left = choice.leave?.length ?? 0
  const words = [
    ...(left === 0 ? [] : [`${left} ${left === 1 ? 'change' : 'changes'} left out`]),
    ...(choice.params === undefined && choice.texts === undefined ? [] : ['edited by you']),
    ...(choice.place === undefined ? [] : ['place chosen by you']),
    ...(choice.patches === undefined ? [] : ['only the hunks that fit']),
  ]
  return words.length === 0 ? undefined : words.join(', ')
}

function failureState(code: Code | undefined): BlockState {
  if (code === 'approval_required') return 'approval'
  if (code === 'skipped') return 'skipped'
  return code !== undefined && refusals.has(code) ? 'refused' : 'fails'
}

const refusals = new Set<Code>([
  'path_escape',
  'path_denied',
  'symlink_not_allowed',
  'command_not_allowed',
  'action_not_allowed',
])

/** What a preview says that it would run, or the code that ran. */
function programOf({ data, params }: ActionResult): string | undefined {
  if (isRecord(data) && 'would_run' in data) return String(data['would_run'])
  return typeof params['code'] === 'string' ? params['code'] : undefined
}

/** A person sees the diff. */
const warningsOfBlock = (block: CheckedBlock, result: ActionResult | undefined): readonly string[] => [
  ...(result?.warnings ?? block.warnings ?? []).map(warningForPerson),
  ...(result?.unknown === undefined ? [] : [`as things are: ${oneLine(result.unknown)}`]),
]

/** The words for a person; the report for the model has its own. */
const facts = (result: ActionResult): ResultFacts => {
  const { success, error, code, details } = result
  const { stack: _, advice: __, ...shown } = details ?? {}
  return { success, error: error === undefined ? undefined : reasonForPerson(result), code, details: details && shown }
}

/** What the page works on. */
export interface PageProject {
  readonly root: string
  readonly options: CladaOptions
  readonly clada: Clada
  /** Rules of the project for models, one sentence each. */
  readonly rules: readonly string[]
  /** Texts that an editor has not saved yet, by path. */
  readonly unsaved?: (() => Readonly<Record<string, string>>) | undefined
}

/** A path as people name it: relative to the root, if it is inside. */
export const relativeToRoot = (root: string, target: string): string =>
  target.startsWith(`${withSlashes(root)}/`) ? target.slice(root.length + 1) : target
