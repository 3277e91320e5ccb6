import type { ActionSpec } from '../core/action.ts'
import type { Block, NotExecutedReason } from '@clada/reply/core/block.ts'
import type { PathArg } from '../core/files.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import type { DamageKind } from '@clada/reply/core/diagnostic.ts'
import type { Proposal } from '@clada/reply/core/proposal.ts'
import { commentMarksFor } from '@clada/reply/text/comment-marks.ts'
import { isFileComment } from '@clada/reply/syntax/proposal/file-comment.ts'
import { missingSentence } from '../report/words.ts'
import { withLineEndsOf } from '@clada/reply/text/lines.ts'
import { findPasteDamage } from '@clada/reply/text/pasted.ts'
import { damageWords } from '@clada/reply/text/undamage.ts'
import { lacksBeginning, findMissingPart } from '@clada/reply/text/whole-file.ts'
import type { PlacedParts } from '../structure/place-parts.ts'
import type { Change, Scope } from '../workspace/open.ts'
import type { LandingDecision, RunOptions } from './options.ts'
import { withTimeLimit } from '../core/time-limit.ts'
import { changeOf, diffOf } from './preview.ts'
import type { ReadyTask } from './tasks.ts'

/** A proposal as it is meant, or the reason why it is only listed. */
export interface ResolvedProposal {
  readonly task: ReadyTask
  readonly reason?: NotExecutedReason
  readonly nearest?: [first: number, last: number]
}

/** What the question about a proposal needs. */
type ProposalFacts = Pick<Proposal, 'path' | 'diff' | 'lacks'> & { readonly kind: Proposal['kind'] | 'command' }

/** What a reply proposes: each change is staged, shown, and written after a yes. */
export class Proposals {
  readonly #options: RunOptions
  /** When every earlier action is reported. */
  readonly #reported: () => Promise<void>
  /** Those that wait, or waited, for an answer. */
  readonly list: Proposal[] = []
  /** Those that nobody has answered. */
  readonly waiting: { readonly line: number; readonly path: string }[] = []
  /** Whether the user has said yes to all further ones. */
  #agreed: boolean

  constructor(options: RunOptions, reported: () => Promise<void>) {
    this.#options = options
    this.#reported = reported
    this.#agreed = options.options.proposals === 'apply'
  }

  /**
   * What a proposal comes to: without a first comment that only names the file, where the file has no such line; with the
   * rest of the file, where it only has declarations of it. Otherwise the reason to list it.
   */
  async resolve(task: ReadyTask, scope: Scope): Promise<ResolvedProposal> {
    const { block, decoded } = task
    const { path: given, content } = decoded.params
    if (this.#fileOf(block) !== 'replaced' || typeof given !== 'string' || typeof content !== 'string') return { task }
    const text = await readTextAt(decoded.args['path'], scope)
    const { unplaced } = block.part ?? {}
    if (text === undefined) return unplaced === undefined ? { task } : { task, reason: unplaced }
    if (isHeldIn(text, content, unplaced !== undefined)) return { task, reason: 'listing' }
    if (unplaced !== undefined && content.trim() === '') return { task, reason: 'listing' }
    if (hasOnlyComments(given, content) && !hasOnlyComments(given, text)) return { task, reason: 'example' }
    const [, first = '', rest = ''] = /^(.*)\r?\n([^]*)$/.exec(content) ?? []
    const isTitled = isFileComment(first, given) && !text.split(/\r?\n/).includes(first)
    const own = isTitled ? rest : content
    const whole = block.syntax === 'proposal' ? withLineEndsOf(text, own) : own
    const asWhole = whole === content ? task : withContent(task, whole)
    const extent = extentOf(text, own, block)
    if (extent === 'whole') return { task: asWhole }
    const { coversFile, placeParts } = await import('../structure/place-parts.ts')
    const file = { path: given, text }
    if (await this.#inTime(() => coversFile(file, own))) return { task: { ...asWhole, extent: 'whole' } }
    const isIncomplete = extent === 'incomplete'
    const unsure: ResolvedProposal = block.part?.mayShow ? { task, reason: 'listing' } : { task: asWhole }
    if (isIncomplete && (block.part === undefined || !isSmallOf(text, own))) return { task: asWhole }
    const look = isIncomplete ? 'members' : unplaced === undefined ? 'likely' : 'known'
    const placed = await this.#inTime(() => placeParts(file, own, look))
    // A file that was shortened has its beginning as well.
    if (isIncomplete && (placed === undefined || placed.inserted.length > 0)) return unsure
    if (placed?.text === text) return { task, reason: 'listing' }
    if (placed !== undefined) return { task: asPart(task, placed) }
    if (unplaced === undefined) return unsure
    const { findNearestPlaces } = await import('@clada/reply/text/nearest.ts')
    const [nearest] = await findNearestPlaces(text, own)
    return { task, reason: unplaced, nearest: nearest ? [nearest.line, nearest.endLine] : undefined }
  }

  /** As long as an action may take, because the file and the text of the reply are parsed; undefined when it takes longer. */
  async #inTime<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await withTimeLimit(this.#options.settings.limits.actionMs, work)
    } catch (error) {
      if (error instanceof ProblemError && error.problem.kind === 'too-complex') return undefined
      throw error
    }
  }

  /** The reason not to start a program that a reply only proposes; undefined after a yes. */
  async decideCommand({ block, decoded }: ReadyTask): Promise<Problem | undefined> {
    const { command, code } = decoded.params
    const path = String(command ?? code ?? block.action)
    const answer =
      this.#agreed || this.#options.effect === 'show' ? 'once' : await this.#ask({ kind: 'command', path, diff: '' })
    if (answer === 'once' || answer === 'always') return undefined
    if (answer === undefined) this.waiting.push({ line: block.startLine, path })
    return { kind: 'review-needed', path, refused: answer === 'no' }
  }

  /**
   * Decides about the changes of a proposal, for every front end: a preview lists it, an execution asks where a yes is
   * needed. A review is a yes, except to a part of a file that would replace all of it.
   */
  async decide(task: ReadyTask, changes: readonly Change[]): Promise<LandingDecision> {
    const { effect, request } = this.#options
    const warnings: string[] = []
    const { block } = task
    for (const { damage, ...proposal } of this.#of(task, changes)) {
      const { path, lacks } = proposal
      if (damage.length > 0)
        warnings.push(`perhaps damaged by copying: it has ${damageWords(damage)}, and the file has none`)
      const isAgreed = this.#agreed || (effect !== 'show' && request.review !== undefined)
      const isSettled = isAgreed && lacks === undefined
      if (!isSettled || effect === 'show') this.list.push(proposal)
      if (isSettled) continue
      if (lacks === 'everything') this.waiting.push({ line: block.startLine, path })
      if (lacks === 'everything') return { warnings, problem: { kind: 'review-needed', path, refused: false, lacks } }
      const doubts = lacks === undefined || lacks === 'characters' ? [] : [missingSentence(lacks)]
      if (effect === 'show') {
        warnings.push(...doubts)
        continue
      }
      const answer = await this.#ask(proposal)
      if (answer === undefined) this.waiting.push({ line: block.startLine, path })
      if (answer !== 'once' && answer !== 'always')
        return { warnings, problem: { kind: 'review-needed', path, refused: answer === 'no', lacks } }
      warnings.push(...doubts)
      this.#agreed ||= answer === 'always'
    }
    return { warnings }
  }

  async #ask({ kind, path, diff, lacks }: ProposalFacts): Promise<string | undefined> {
    const { options, settings } = this.#options
    await this.#reported()
    return options.ask?.({
      root: settings.root,
      command: path,
      about: 'proposal',
      proposed: kind,
      diff,
      lacks,
      canTry: false,
      program: undefined,
      unsandboxed: false,
      changed: false,
      repository: false,
    })
  }

  /** What becomes of its file. */
  #fileOf({ action }: Block): ActionSpec['file'] {
    return this.#options.settings.registry.get(action)?.file
  }

  #of({ block, extent }: ReadyTask, changes: readonly Change[]): (Proposal & { damage: readonly DamageKind[] })[] {
    const { root } = this.#options.settings
    const becomes = this.#fileOf(block)
    return changes.map((change) => {
      const { path, diff } = diffOf(change, root)
      const { before, after, binary } = changeOf(change, root)
      const isWhole = before !== null && after !== null && becomes === 'replaced' && extent === undefined
      const missing = isWhole ? (binary ? 'most' : findMissingPart(before, after)) : undefined
      const isText = before !== null && after !== null && becomes === 'replaced' && !binary
      const damage = isText ? findPasteDamage(before, after) : []
      const lacks = missing ?? (damage.length > 0 ? 'characters' : undefined)
      return {
        line: block.startLine,
        path,
        kind: extent === 'part' ? 'part' : proposalKind(becomes, before, after),
        diff,
        lacks,
        damage,
      }
    })
  }
}

function proposalKind(becomes: ActionSpec['file'], before: string | null, after: string | null): Proposal['kind'] {
  if (becomes === 'moved') return 'move'
  if (before === null) return 'create'
  if (after === null) return 'delete'
  return becomes === 'replaced' ? 'overwrite' : 'edit'
}

/** Whether a file has this text already, as a whole or in consecutive lines. A part may have lost its indentation. */
function isHeldIn(text: string, content: string, isFragment: boolean): boolean {
  const plainLines = (all: string): string => {
    const lines = all.split('\n').map((line) => (isFragment ? line.trim() : line.trimEnd()))
    return lines.join('\n').replace(/^\n+|(?<!\n)\n+$/g, '')
  }
  return content.trim() !== '' && `\n${plainLines(text)}\n`.includes(`\n${plainLines(content)}\n`)
}

/** "Paste the contents of the file here": a text without code never takes the place of one with code. */
function hasOnlyComments(path: string, text: string): boolean {
  const marks = commentMarksFor(path)
  const rows = text.split('\n').filter((row) => row.trim() !== '')
  return marks !== undefined && rows.length > 0 && rows.every((row) => row.trimStart().startsWith(marks.open))
}

/** What a text may be of its file. What has its beginning is the whole of it, or that without its last declarations. */
function extentOf(text: string, content: string, { part }: Block): 'whole' | 'part' | 'incomplete' {
  const lacks = findMissingPart(text, content)
  if (lacks === undefined) return part?.unplaced !== undefined && countTelling(text) <= SMALL ? 'part' : 'whole'
  const { unplaced } = part ?? {}
  const mayBePart = part !== undefined && lacks !== 'everything'
  return mayBePart && (unplaced !== undefined || lacksStart(text, content)) ? 'part' : 'incomplete'
}

const lacksStart = (text: string, content: string): boolean =>
  lacksBeginning(text.split(/\r?\n/), content.split(/\r?\n/))

const isSmallOf = (text: string, content: string): boolean => countTelling(content) * 2 < countTelling(text)

const countTelling = (text: string): number => text.split('\n').filter((line) => /\w/.test(line)).length

/** So short a file may be rewritten by a part that has nothing of it. */
const SMALL = 5

const withContent = (task: ReadyTask, content: string): ReadyTask => ({
  ...task,
  decoded: {
    ...task.decoded,
    params: { ...task.decoded.params, content },
    args: { ...task.decoded.args, content },
  },
})

/** The parameters stay as the model wrote them; the action gets the whole file. */
function asPart(task: ReadyTask, { text, replaced, inserted }: PlacedParts): ReadyTask {
  const { decoded } = task
  const did = [
    ...(replaced.length > 0 ? [`it replaces ${replaced.map((one) => `'${one}'`).join(', ')}`] : []),
    ...(inserted.length > 0
      ? [`${replaced.length > 0 ? '' : 'it '}adds ${inserted.map((one) => `'${one}'`).join(', ')}`]
      : []),
  ]
  const warning = `the text is a part of the file: ${did.join(' and ')}; the rest stays`
  const args = { ...decoded.args, content: text }
  return { ...task, decoded: { ...decoded, args, warnings: [...decoded.warnings, warning] }, extent: 'part' }
}

/** The text of a file; undefined where there is none that can be read. */
async function readTextAt(path: unknown, scope: Scope): Promise<string | undefined> {
  if (!isPathArg(path)) return undefined
  const files = scope.filesFor(() => {})
  try {
    return (await files.read(path)).text
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  } finally {
    files.close()
  }
}

const isPathArg = (path: unknown): path is PathArg => typeof path === 'object' && path !== null && 'absolute' in path
