import path from 'node:path'
import { Clada } from '../api/clada.ts'
import type { CladaOptions } from '../config/settings.ts'
import type { ApprovalRequest } from '../core/commands.ts'
import { fatalResult, type FileChange } from '../core/result.ts'
import type { BlockChoice } from '../core/review.ts'
import type { ReportOptions } from '../report/options.ts'
import type { StepResult } from '../timetravel/back-forward.ts'
import type { UndoResult } from '../timetravel/undo.ts'
import {
  answerOf,
  boundChoices,
  buildsOnOthers,
  carriedOver,
  chosenIn,
  entryOf,
  type OpenDocument,
  type Reply,
} from './document.ts'
import { FollowedFile } from './follow.ts'
import { undoAll, undoneIn } from './past.ts'
import { outcomeOf, planOf, type Planned, type Project, readingOf } from './plan.ts'
import { changeContext } from './prompting.ts'
import type { BlockDetail, ContextEntry, PageState, Plan, Running, UndoRequest } from './protocol.ts'
import { Questions } from './questions.ts'
import { Refusal } from './refusal.ts'

export interface SessionOptions {
  readonly options: CladaOptions
  readonly root: string
  /** The largest document, in bytes. */
  readonly inputBytes: number
  /** The file that may be followed. */
  readonly inputFile: string
  /** What the people of this project want of a model. */
  readonly rules: readonly string[]
  /** How the answer for the model is to be. */
  readonly report: ReportOptions
  /** Tells all tabs. */
  readonly send: (event: string, data: unknown) => void
}

/** What all tabs look at: one document, what became of it, and at most one thing that is being done. */
export class Session {
  readonly questions: Questions
  readonly project: Project
  readonly #send: SessionOptions['send']
  readonly #followed: FollowedFile
  readonly #report: ReportOptions
  #document: OpenDocument | undefined
  /** Those that are not shown, newest first. */
  #others: readonly Reply[] = []
  #lastId = 0
  #revision = 0
  #history = 0
  #context = 0
  #running: Running | null = null
  /** Over when nothing is being done. */
  #work: Promise<unknown> = Promise.resolve()
  #stop = new AbortController()
  /** What the followed file became while something was being done. */
  #newer: string | undefined

  constructor({ options, root, inputBytes, inputFile, rules, report, send }: SessionOptions) {
    this.#send = send
    this.#report = report
    this.questions = new Questions(() => this.#tell())
    const ask = (request: ApprovalRequest) =>
      this.questions.ask(request, 'page', this.#stop.signal).catch(() => 'no' as const)
    // No document writes the next one.
    const own = { ...options, reserved: [...(options.reserved ?? []), inputFile] }
    // The page shows what a proposal would change before it is applied: applying it is the yes.
    const proposals = own.proposals === 'off' ? 'off' : 'apply'
    this.project = { root, options: own, rules, clada: new Clada({ ...own, ask, tryFirst: true, proposals }) }
    this.#followed = new FollowedFile(inputFile, inputBytes, (text) => void this.#heard(text))
  }

  /** Loads what the first request needs in advance. */
  async warmUp(): Promise<void> {
    await planOf({ ...this.project, id: 0, text: '', name: '', revision: 0, done: new Map(), choices: {} })
  }

  state(): PageState {
    const { on, isThere } = this.#followed
    const { fatalError, warnings = [] } = this.#document?.last ?? {}
    return {
      root: this.project.root,
      plan: this.#document?.planned.plan.revision ?? null,
      replies: this.#replies().map(entryOf),
      running: this.#running,
      remarks: [...(fatalError === undefined ? [] : [fatalError]), ...warnings],
      questions: this.questions.list(),
      follow: on || isThere ? { file: path.basename(this.#followed.file), on } : null,
      history: this.#history,
      context: this.#context,
    }
  }

  get plan(): Plan | null {
    return this.#document?.planned.plan ?? null
  }

  get text(): string {
    return this.#document?.text ?? ''
  }

  /** Shows a reply, and gives its plan when the effects are known. */
  open(text: string, name: string): Promise<Plan> {
    return this.#planned(...this.#read(text, name)).whole
  }

  /**
   * The same for a person, who sees a long reply as soon as it is read. Null when the text has no blocks and would take
   * the place of a reply that has some: the person is asked first.
   */
  async offer(text: string, name: string): Promise<Plan | null> {
    const [reply, read] = this.#read(text, name)
    if (reply.count === 0 && this.#document !== undefined && this.#document.count > 0) return null
    return this.#planned(reply, read).soon
  }

  #read(text: string, name: string): [Reply, Planned] {
    this.#refuseWhileRunning()
    const id = ++this.#lastId
    const reply = { id, text, name, opened: new Date().toISOString(), done: new Map(), choices: {}, broken: undefined }
    const read = readingOf({ ...this.project, ...reply, revision: 0 })
    return [{ ...reply, count: read.plan.blocks.length }, read]
  }

  /** Shows one of the earlier replies again. */
  async reopen(id: number): Promise<Plan> {
    this.#refuseWhileRunning()
    const reply = this.#replies().find((one) => one.id === id)
    if (reply === undefined) throw new Refusal(404, 'This reply is not in the list any more.')
    return this.#planned(await this.#standing(reply)).soon
  }

  /** Takes a reply off the list. */
  forget(id: number): void {
    this.#refuseWhileRunning()
    if (this.#document?.id === id) this.#document = undefined
    this.#others = this.#others.filter((one) => one.id !== id)
    this.#tell()
  }

  /** Takes a decision about one block; the effects of all are found out anew. */
  async decide(task: string, choice: BlockChoice): Promise<Plan> {
    const document = this.#undecided(task)
    const { [task]: _, ...others } = document.choices.blocks ?? {}
    const blocks = Object.keys(choice).length === 0 ? others : { ...others, [task]: choice }
    // At once: the next decision may come before this one is shown.
    const { planned, ...reply } = (this.#document = { ...document, choices: { ...document.choices, blocks } })
    return this.#planned(reply, planned).whole
  }

  /** The reply with another text. Decisions about blocks that stay as they are stay too. */
  async edit(text: string): Promise<Plan> {
    this.#refuseWhileRunning()
    const { planned, ...reply } = this.#opened()
    const read = readingOf({ ...this.project, ...reply, text, revision: 0 })
    const kept = carriedOver(reply, [planned.checked, read.checked], text)
    const { broken: _, ...rest } = reply
    return this.#planned({ ...rest, ...kept, broken: undefined, count: read.plan.blocks.length }, read).whole
  }

  #undecided(task: string): OpenDocument {
    this.#refuseWhileRunning()
    const document = this.#opened()
    if (document.done.has(task)) throw new Refusal(409, 'This block was already applied. Undo it first.')
    if (document.planned.reviewed(task) === undefined) throw new Refusal(404, 'There is no such block.')
    return document
  }

  /** The same document, with the files as they are now. */
  async refresh(): Promise<Plan | null> {
    if (this.#document === undefined || this.#running !== null) return this.plan
    const { planned, ...reply } = this.#document
    return this.#planned(await this.#standing(reply), planned).whole
  }

  clear(): void {
    this.#refuseWhileRunning()
    this.#putAway()
    this.#tell()
  }

  #replies(): Reply[] {
    const all = this.#document === undefined ? [...this.#others] : [this.#document, ...this.#others]
    return all.sort((a, b) => b.id - a.id)
  }

  #show(reply: Reply, planned: Planned): void {
    if (this.#document?.id !== reply.id) this.#putAway()
    this.#others = this.#others.filter(({ id }) => id !== reply.id)
    this.#document = { ...reply, planned }
    this.#tell()
  }

  /** What is shown stays in the list, without what can be found out again. A text without blocks does not. */
  #putAway(): void {
    if (this.#document === undefined) return
    const { planned: _, ...reply } = this.#document
    this.#document = undefined
    const same = ({ text, done }: Reply): boolean => text === reply.text && done.size === 0
    if (reply.count > 0) this.#others = [reply, ...this.#others.filter((one) => !same(one))].slice(0, mostReplies)
  }

  /** Null where the plan that was asked about has given way to another. */
  detailIn(revision: number, key: number): BlockDetail | null {
    return this.plan?.revision === revision ? this.detail(key) : null
  }

  detail(key: number): BlockDetail {
    const detail = this.#document?.planned.detail(key)
    if (detail === undefined) throw new Refusal(404, 'There is no such block.')
    return detail
  }

  file(name: string): FileChange {
    const change = this.#document?.planned.file(name)
    if (change === undefined) throw new Refusal(404, 'Nothing would be done to that file.')
    return change
  }

  /** Starts to apply a revision of the plan as it was shown; results are sent as they come. */
  apply(tasks: readonly string[] | null, revision: number): void {
    this.#refuseWhileRunning()
    const document = this.#opened()
    if (document.planned.plan.revision !== revision)
      throw new Refusal(
        409,
        'The plan has changed since it was shown, so nothing was applied. Look at it, and apply again.',
      )
    const { count, only } = chosenIn(document, tasks)
    void this.#busy({ what: 'document', done: 0, total: count, tasks: only ?? null }, () =>
      this.#carryOut(document, only),
    )
  }

  stop(): void {
    this.#stop.abort(new Error('the user stopped the run'))
  }

  answer(): string {
    return answerOf(this.#opened(), this.#report)
  }

  undo(request: UndoRequest): Promise<UndoResult> {
    return this.#turn('undo', ({ clada }) => clada.undo(request))
  }

  undoAll(numbers: readonly number[], force: boolean): Promise<UndoResult> {
    return this.#turn('undo', (project) => undoAll(project, numbers, force))
  }

  redo({ force }: UndoRequest): Promise<UndoResult> {
    return this.#turn('redo', ({ clada }) => clada.redo(force === undefined ? {} : { force }))
  }

  back(): Promise<StepResult> {
    return this.#turn('back', ({ clada }) => clada.back())
  }

  forward(): Promise<StepResult> {
    return this.#turn('forward', ({ clada }) => clada.forward())
  }

  async changeContext(how: 'add' | 'remove', files: readonly string[]): Promise<ContextEntry[]> {
    this.#refuseWhileRunning()
    const entries = await changeContext(this.project, how, files)
    this.#context++
    this.#tell()
    return entries
  }

  follow(how: 'start' | 'stop'): void {
    this.#followed[how]()
    this.#tell()
  }

  /** Stops what is being done, and waits until it has stopped. */
  async close(): Promise<void> {
    this.stop()
    this.#followed.stop()
    this.questions.drop('other')
    await this.#work.catch(() => undefined)
  }

  #tell(): void {
    this.#send('state', this.state())
  }

  #opened(): OpenDocument {
    if (this.#document === undefined) throw new Refusal(409, 'There is no document.')
    return this.#document
  }

  #refuseWhileRunning(): void {
    if (this.#running !== null) throw new Refusal(409, 'Another run is in progress. Wait for it, or stop it.')
  }

  async #heard(text: string): Promise<void> {
    if (text === this.text) return
    if (this.#running !== null) this.#newer = text
    else await this.offer(text, path.basename(this.#followed.file))
  }

  async #turn<T>(what: Running['what'], work: (project: Project) => Promise<T>): Promise<T> {
    this.#refuseWhileRunning()
    return this.#busy({ what, done: 0, total: 1, tasks: null }, () => work(this.project))
  }

  /** One thing at a time. What it did to the files shows in the plan and in the history. */
  #busy<T>(running: Running, work: () => Promise<T>): Promise<T> {
    this.#running = running
    this.#stop = new AbortController()
    this.#tell()
    const done = work().finally(async () => {
      this.#running = null
      this.#history++
      const text = this.#newer
      this.#newer = undefined
      await (text === undefined ? this.refresh() : this.#heard(text))
      this.#tell()
    })
    this.#work = done
    return done
  }

  async #carryOut(document: OpenDocument, only: readonly string[] | undefined): Promise<void> {
    const { planned, text } = document
    const { clada } = this.project
    const { plan, choices } = planned
    const { revision, blocks } = plan
    const pending = blocks.flatMap(({ task, outcome }) => (task === undefined || outcome !== undefined ? [] : [task]))
    const isPart = only !== undefined && only.length < pending.length
    // Without the others a block may do something else than was shown, and files may have changed since.
    const { blocks: now } = await clada.review(text, choices, only === undefined ? {} : { only })
    const stray = isPart
      ? buildsOnOthers(now, document)
      : now.find(({ task, shown }) => shown !== planned.reviewed(task)?.shown)
    if (stray !== undefined) {
      const why = isPart
        ? `block ${stray.task} builds on another block that is not chosen. Choose both.`
        : 'files have changed since they were shown. Look at it, and apply again.'
      this.#document = { ...document, last: fatalResult(`Nothing was applied: ${why}`) }
      return
    }
    // Each block on a stage of its own takes longer, so only where something was decided.
    const isDecided = Object.keys(choices.blocks ?? {}).length > 0 || choices.original !== undefined
    const review = isDecided ? boundChoices(choices, now) : undefined
    const before = (await clada.history()).at(-1)?.number ?? 0
    const result = await clada.execute(text, {
      signal: this.#stop.signal,
      ...(review === undefined ? {} : { review }),
      ...(only === undefined ? {} : { only }),
      onAction: (one) => {
        if (this.#running !== null) this.#running = { ...this.#running, done: this.#running.done + 1 }
        this.#send('result', { revision, task: one.task ?? '', outcome: outcomeOf(one) })
      },
      onOutput: (task, chunk) => this.#send('output', { task, text: chunk.toString('utf8') }),
    })
    const last = (await clada.history()).findLast(({ kind }) => kind === 'run')
    const execution = last !== undefined && last.number > before ? last.number : undefined
    const done = new Map(document.done)
    for (const one of result.results) {
      const { task = '' } = one
      const [changes, reviewed] = [planned.changesOf(task), planned.reviewed(task)]
      done.set(task, { result: one, execution, changes, reviewed })
    }
    this.#document = { ...document, done, last: result }
  }

  /** What was undone, here or elsewhere, is to be done again. */
  async #standing(reply: Reply): Promise<Reply> {
    if (reply.done.size === 0) return reply
    const undone = await undoneIn(this.project)
    const done = [...reply.done].filter(([, { execution }]) => execution === undefined || !undone.has(execution))
    const { last: _, ...fresh } = reply
    return { ...(done.length === 0 ? fresh : reply), done: new Map(done) }
  }

  /** A plan that another has overtaken is forgotten. A long reply is shown as soon as it is read. */
  #planned(reply: Reply, read?: Planned): { readonly soon: Promise<Plan>; readonly whole: Promise<Plan> } {
    const input = { ...this.project, ...reply, checked: read?.checked }
    if (reply.count <= manyBlocks || this.#document?.id === reply.id) {
      const whole = this.#foreseen(reply, { ...input, revision: ++this.#revision })
      return { soon: whole, whole }
    }
    const planned = readingOf({ ...input, revision: ++this.#revision })
    this.#show(reply, planned)
    const whole = this.#foreseen(reply, { ...input, checked: planned.checked, revision: ++this.#revision })
    return { soon: Promise.resolve(planned.plan), whole }
  }

  async #foreseen(reply: Reply, input: Parameters<typeof planOf>[0]): Promise<Plan> {
    // What was read goes out first.
    await new Promise(setImmediate)
    const planned = await planOf(input)
    if (input.revision === this.#revision) {
      this.#show({ ...reply, broken: reply.broken ?? planned.preview?.result.parseErrors }, planned)
    }
    return planned.plan
  }
}

/** Replies in the list, and blocks that are shown before their effects are known. */
const mostReplies = 20
const manyBlocks = 100
