import { registry } from '../actions/registry.ts'
import type { Clada } from '../api/clada.ts'
import { type ActionResult } from '../core/result.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import type {
  BlockChoice,
  Review,
  ReviewChoices,
  ReviewedBlock,
  ReviewedFile,
  ReviewHunk,
  ReviewPlace,
} from '../core/review.ts'
import type { PreviewOptions } from '../engine/options.ts'
import { userText } from '../report/failure.ts'
import { paintDiff, withColor, type Paint, withoutColor } from '../report/pretty.ts'
import { oneLine, primaryOf, spellOut, spellOutCommand } from '../report/words.ts'
import { splitKeepingEnds } from '@clada/reply/text/lines.ts'
import { formatExtent } from '@clada/reply/text/unified-diff.ts'

/** The person who reviews, at a terminal or in a test. */
export interface Reviewer {
  tell(lines: readonly string[]): void
  /** What was typed; undefined when the person has left. */
  ask(question: string): Promise<string | undefined>
  /** A text of a file as the person has edited it, or the reason why it stays as it is. */
  edit(text: string, path: string): Promise<{ readonly text: string } | { readonly why: string }>
}

export interface ReviewRequest {
  readonly clada: Clada
  readonly text: string
  readonly color: boolean
  readonly options?: PreviewOptions
  /** The reply as the model wrote it, where the person has edited it. */
  readonly original?: string
  /** Whether the whole reply can be edited. */
  readonly editable: boolean
}

/** The reply, which the person may have edited, and the choices. */
export interface Reviewed {
  readonly text: string
  readonly choices: ReviewChoices
}

/**
 * Steps through the changes of a reply as `git add -p` does. The choices apply exactly what was shown; undefined when the
 * person has left, and nothing is to be applied.
 */
export async function reviewWith(reviewer: Reviewer, request: ReviewRequest): Promise<Reviewed | undefined> {
  const walk = new ReviewWalk(reviewer, request)
  const tasks = (await walk.look()).blocks.map(({ task }) => task)
  for (const [index, task] of tasks.entries()) {
    const end = await walk.block(task, `${index + 1}/${tasks.length}`)
    if (end === 'left') {
      if (walk.edited === undefined) return undefined
      const { original = request.text } = request
      return reviewWith(reviewer, { ...request, text: walk.edited, original })
    }
    if (end === 'on') continue
    for (const rest of tasks.slice(index + 1)) walk.decide(rest, { leaveOut: true, reason: unreviewed })
    break
  }
  return { text: request.text, choices: await walk.choices() }
}

const unreviewed = 'the review ended before this change'

/** What happens after a block: the next one, the end of the review, or no run at all. */
type End = 'on' | 'quit' | 'left'

/** Hunks that are shown together, because their context overlaps. */
interface ShownHunks {
  readonly file: ReviewedFile
  readonly hunks: readonly ReviewHunk[]
}

class ReviewWalk {
  readonly #reviewer: Reviewer
  readonly #request: ReviewRequest
  readonly #paint: Paint
  readonly #blocks: Record<string, BlockChoice> = {}
  /** Files of which all further hunks are taken or left out. */
  readonly #decidedFiles = new Map<string, { readonly take: boolean; readonly reason?: string }>()
  /** Undefined after a choice that changes it. */
  #review: Review | undefined

  constructor(reviewer: Reviewer, request: ReviewRequest) {
    this.#reviewer = reviewer
    this.#request = request
    this.#paint = request.color ? withColor : withoutColor
  }

  /** The whole reply as the person has edited it: the review begins again with it. */
  edited: string | undefined

  /** What was typed; undefined when the person has left, or has edited the whole reply. */
  async #ask(question: string): Promise<string | undefined> {
    for (;;) {
      const answer = await this.#reviewer.ask(question)
      if (answer?.trim() !== 'E' || !this.#request.editable) return answer
      const { text } = this.#request
      const done = await this.#reviewer.edit(text, 'reply.md')
      if ('why' in done) this.#reviewer.tell([spellOut(done.why)])
      else if (done.text !== text) {
        this.#reviewer.tell(['The review begins again with your text.'])
        this.edited = done.text
        return undefined
      }
    }
  }

  async look(): Promise<Review> {
    const { clada, text, options } = this.#request
    return (this.#review ??= await clada.review(text, { blocks: this.#blocks }, options))
  }

  get #more(): readonly string[] {
    return this.#request.editable ? ['E - edit the whole reply; the review begins again with it'] : []
  }

  decide(task: string, choice: BlockChoice): void {
    this.#blocks[task] = { ...this.#blocks[task], ...choice }
    this.#review = undefined
  }

  /** All choices, bound to what was shown. */
  async choices(): Promise<ReviewChoices> {
    const { blocks } = await this.look()
    const { original } = this.#request
    return {
      blocks: Object.fromEntries(blocks.map(({ task, shown }) => [task, { shown, ...this.#blocks[task] }])),
      original,
    }
  }

  async block(task: string, count: string): Promise<End> {
    const { block, result } = await this.#find(task)
    if (block === undefined || result === undefined) return 'on'
    const effect = registry.get(result.action)?.effect
    const head = this.#paint.bold(`\n(${count}) ${spellOutCommand(`${result.action} ${primaryOf(result)}`.trimEnd())}`)
    const why = result.explanation === undefined ? [] : [this.#paint.dim(spellOut(oneLine(result.explanation)))]
    if (!result.success) {
      // The command is asked about when it is its turn.
      if (result.code === 'approval_required') return 'on'
      this.#reviewer.tell([head, ...why, this.#paint.red(spellOut(userText(result)))])
      if (block.places.length + block.fitting > 0) return this.#places(task, block, count)
      return block.files.length > 0 ? this.#hunks(task) : 'on'
    }
    if (effect === 'read' || effect === 'meta') return 'on'
    this.#reviewer.tell([head, ...why])
    if (block.files.length === 0) return this.#whole(task, effect === 'exec' ? 'Run it' : 'Apply it')
    return this.#hunks(task)
  }

  /** A choice of places for an edit that has none of its own, or of the hunks that have one. */
  async #places(task: string, { places, fitting, files }: ReviewedBlock, count: string): Promise<End> {
    this.#reviewer.tell(places.flatMap((place, index) => this.#placeLines(place, index + 1)))
    const numbers = places.length === 1 ? '1' : `1-${places.length}`
    const good = fitting === 0 ? [] : [`g - take the ${formatCount(fitting, 'hunk')} that fit`]
    const keys = [...(places.length === 0 ? [] : [numbers]), ...(fitting === 0 ? [] : ['g']), 'n', 'd', 'q', '?']
    for (;;) {
      const answer = await this.#ask(
        `${places.length === 0 ? 'Take the hunks that fit' : 'Use which place'} [${keys.join(',')}]? `,
      )
      if (answer === undefined) return 'left'
      const word = answer.trim().toLowerCase()
      const place = places[Number(word) - 1]
      if (place !== undefined) {
        const { line, endLine, hunk, params } = place
        const lines = { line, endLine, hunk }
        this.decide(
          task,
          params === undefined ? { place: lines } : { params: { ...this.#blocks[task]?.params, ...params } },
        )
        return this.block(task, count)
      }
      if (word === 'g' && fitting > 0) {
        this.decide(task, { patches: 'good' })
        return this.block(task, count)
      }
      if (word === 'n') return files.length > 0 ? this.#hunks(task) : 'on'
      if (word === 'd') return this.#leaveOut(task)
      if (word === 'q') return this.#quit(task)
      this.#reviewer.tell([
        ...(places.length === 0 ? [] : [`${numbers} - use this place; its change is shown then, and can be edited`]),
        ...good,
        'n - none of them: the model gets the error and the nearest places',
        'd - leave the block out',
        'q - quit: leave out this block and all later ones',
        ...this.#more,
      ])
    }
  }

  async #whole(task: string, question: string): Promise<End> {
    for (;;) {
      const answer = await this.#ask(`${question} [y,n,q,?]? `)
      if (answer === undefined) return 'left'
      const word = answer.trim().toLowerCase()
      if (word === 'y') return 'on'
      if (word === 'n') return this.#leaveOut(task)
      if (word === 'q') return this.#quit(task)
      const keys = ['y - yes', 'n - leave the block out', 'q - quit: leave out this block and all later ones']
      this.#reviewer.tell([...keys, ...this.#more])
    }
  }

  async #hunks(task: string): Promise<End> {
    const decided = new Set<string>()
    const split = new Set<string>()
    let shownFile = ''
    for (;;) {
      const { block } = await this.#find(task)
      const groups = (block?.files ?? []).flatMap((file) => hunkGroups(file, split))
      const index = groups.findIndex(({ hunks }) => hunks.some(({ id }) => !decided.has(id)))
      const group = groups[index]
      if (group === undefined) return 'on'
      const { file, hunks } = group
      const before = this.#decidedFiles.get(file.path)
      if (before !== undefined) {
        this.#take(task, hunks, before, decided)
        continue
      }
      if (shownFile !== file.path) this.#reviewer.tell([this.#paint.bold(fileLine(file))])
      shownFile = file.path
      this.#reviewer.tell(shownHunkLines(group).map((line) => paintDiff(spellOut(line), this.#paint)))
      const end = await this.#hunk(task, group, `(${index + 1}/${groups.length})`, decided, split)
      if (end !== 'on') return end
    }
  }

  /** Asks until a group of hunks is decided, split or edited. */
  async #hunk(task: string, group: ShownHunks, count: string, decided: Set<string>, split: Set<string>): Promise<End> {
    const { file, hunks } = group
    const keys = hunkKeys(group)
    for (;;) {
      const answer = await this.#ask(`${count} Apply this hunk [${keys.map(([key]) => key).join(',')},?]? `)
      if (answer === undefined) return 'left'
      const word = answer.trim().toLowerCase()
      const key = keys.some(([known]) => known === word) ? word : '?'
      if (key === 'q') {
        const rest = hunkGroups(file, split).flatMap((one) => one.hunks)
        const others = (await this.#find(task)).block?.files.flatMap((one) => one.hunks) ?? rest
        this.#take(
          task,
          others.filter(({ id }) => !decided.has(id)),
          { take: false, reason: unreviewed },
          decided,
        )
        return 'quit'
      }
      if (key === 'y' || key === 'a') {
        if (key === 'a') this.#decidedFiles.set(file.path, { take: true })
        this.#take(task, hunks, { take: true }, decided)
        return 'on'
      }
      if (key === 'n' || key === 'd') {
        const reason = await this.#reason()
        if (reason === undefined) return 'left'
        const left = { take: false, ...reason }
        if (key === 'd') this.#decidedFiles.set(file.path, left)
        this.#take(task, hunks, left, decided)
        return 'on'
      }
      if (key === 's') {
        for (const { id } of hunks) split.add(id)
        return 'on'
      }
      if (key === 'e') {
        if (await this.#edited(task, group, decided)) return 'on'
        continue
      }
      this.#reviewer.tell([...keys.map(([known, does]) => `${known} - ${does}`), ...this.#more])
    }
  }

  /** The lines of the hunks, with their context, as the person wants them; false when they stay as they are. */
  async #edited(task: string, { file, hunks }: ShownHunks, decided: Set<string>): Promise<boolean> {
    const lines = splitKeepingEnds(file.after ?? '')
    const [from, to] = [(hunks[0]?.newStart ?? 0) - context, (hunks.at(-1)?.newEnd ?? 0) + context]
    const [start, end] = [Math.max(0, from), Math.min(lines.length, to)]
    const given = lines.slice(start, end).join('')
    const done = await this.#reviewer.edit(given, file.path)
    if ('why' in done) this.#reviewer.tell([spellOut(done.why)])
    if ('why' in done || done.text === given) return false
    const text = [...lines.slice(0, start), done.text, ...lines.slice(end)].join('')
    const { texts } = this.#blocks[task] ?? {}
    this.decide(task, { texts: { ...texts, [file.path]: text } })
    const height = splitKeepingEnds(done.text).length
    const now = (await this.#find(task)).block?.files.find(({ path }) => path === file.path)
    const own = now?.hunks.filter(({ newStart, newEnd }) => newStart <= start + height && newEnd >= start) ?? []
    this.#take(task, own, { take: true }, decided)
    return true
  }

  #take(
    task: string,
    hunks: readonly ReviewHunk[],
    { take, reason }: { readonly take: boolean; readonly reason?: string },
    decided: Set<string>,
  ): void {
    for (const { id } of hunks) decided.add(id)
    if (take || hunks.length === 0) return
    const { leave = [] } = this.#blocks[task] ?? {}
    const more = hunks.map(({ id }) => ({ hunk: id, reason }))
    this.decide(task, { leave: [...leave, ...more] })
  }

  async #leaveOut(task: string): Promise<End> {
    const reason = await this.#reason()
    if (reason === undefined) return 'left'
    this.decide(task, { leaveOut: true, ...reason })
    return 'on'
  }

  #quit(task: string): End {
    this.decide(task, { leaveOut: true, reason: unreviewed })
    return 'quit'
  }

  async #reason(): Promise<{ readonly reason?: string } | undefined> {
    const answer = await this.#ask('Reason, for the model (Enter for none): ')
    if (answer === undefined) return undefined
    return answer.trim() === '' ? {} : { reason: answer.trim() }
  }

  async #find(task: string): Promise<{ block?: ReviewedBlock | undefined; result?: ActionResult | undefined }> {
    const { blocks, result } = await this.look()
    const block = blocks.find((one) => one.task === task)
    return { block, result: result.results.find(({ seq }) => seq === block?.seq) }
  }

  #placeLines({ line, endLine, text, similarity, diff }: ReviewPlace, number: number): string[] {
    const alike = similarity === undefined ? '' : `, ${Math.round(similarity * 100)}% similar`
    const where = line === endLine ? `line ${line}` : `lines ${line}-${endLine}`
    const rows = (
      diff ??
      splitKeepingEnds(text)
        .map((row) => ` ${row}`)
        .join('')
    )
      .trimEnd()
      .split('\n')
    return [
      `${number}) ${where}${alike}`,
      ...rows.slice(0, mostRows).map((row) => `   ${paintDiff(spellOut(row), this.#paint)}`),
    ]
  }
}

const mostRows = 20
const context = 3

const help = {
  y: 'apply this hunk',
  n: 'leave this hunk out; you can say why',
  a: 'apply this hunk and all later ones in this file',
  d: 'leave out this hunk and all later ones in this file',
  s: 'split it into smaller hunks',
  e: 'edit it before it is applied',
  q: 'quit: leave out this hunk and everything after it',
} as const

function hunkKeys({ file, hunks }: ShownHunks): [key: string, does: string][] {
  const isEditable = file.after !== null && !file.binary && hunks.every(({ kind }) => kind === 'lines')
  return Object.entries(help).filter(([key]) => (key !== 's' || hunks.length > 1) && (key !== 'e' || isEditable))
}

/** Hunks whose context overlaps are one, unless the person has split them. */
function hunkGroups(file: ReviewedFile, split: ReadonlySet<string>): ShownHunks[] {
  const groups: ReviewHunk[][] = []
  for (const hunk of file.hunks) {
    const last = groups.at(-1)?.at(-1)
    const isNear = last?.kind === 'lines' && hunk.kind === 'lines' && hunk.oldStart - last.oldEnd <= 2 * context
    if (isNear && !split.has(hunk.id)) groups.at(-1)?.push(hunk)
    else groups.push([hunk])
  }
  return groups.map((hunks) => ({ file, hunks }))
}

function fileLine({ path, from, change, binary, before, after }: ReviewedFile): string {
  const lines = formatCount(splitKeepingEnds((change === 'create' ? after : before) ?? '').length, 'line')
  const state = change === 'create' ? `, new, ${lines}` : change === 'delete' ? `, deleted, ${lines}` : ''
  return spellOut(`${from === undefined ? '' : `${from} → `}${path}${binary ? ', binary' : ''}${binary ? '' : state}`)
}

function shownHunkLines({ file, hunks }: ShownHunks): string[] {
  const [first] = hunks
  const last = hunks.at(-1)
  if (first === undefined || last === undefined) return []
  if (first.kind === 'move') return [`rename ${file.from ?? ''} → ${file.path}`]
  if (first.kind === 'whole') return [`${file.change} ${file.path} as a whole`]
  const [old, now] = [splitKeepingEnds(file.before ?? ''), splitKeepingEnds(file.after ?? '')]
  const above = Math.min(context, first.oldStart)
  const below = Math.min(context, old.length - last.oldEnd)
  const head = `@@ -${formatExtent(first.oldStart - above, last.oldEnd + below)} +${formatExtent(first.newStart - above, last.newEnd + below)} @@`
  const rows: string[] = []
  let at = first.oldStart - above
  for (const { oldStart, oldEnd, newStart, newEnd } of hunks) {
    rows.push(...old.slice(at, oldStart).map((line) => ` ${line}`))
    rows.push(...old.slice(oldStart, oldEnd).map((line) => `-${line}`))
    rows.push(...now.slice(newStart, newEnd).map((line) => `+${line}`))
    at = oldEnd
  }
  rows.push(...old.slice(at, last.oldEnd + below).map((line) => ` ${line}`))
  // CRLF is not shown where every line has it.
  const isCrlf = [file.before, file.after].every((text) => !text || text.includes('\r\n'))
  return [head, ...rows.flatMap((row) => shownRow(row, isCrlf))]
}

function shownRow(row: string, isCrlf: boolean): string[] {
  if (!row.endsWith('\n')) return [row, '\\ No newline at end of file']
  return [row.replace(isCrlf ? /\r?\n$/ : /\n$/, '')]
}
