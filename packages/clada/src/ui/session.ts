import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { Clada } from '../api/clada.ts'
import type { CladaOptions } from '../config/settings.ts'
import type { ApprovalRequest } from '../core/commands.ts'
import type { ActionResult, FileChange } from '../core/result.ts'
import type { BlockChoice } from '../core/review.ts'
import type { ReportOptions } from '../report/parts.ts'
import type { StepResult } from '../timetravel/back-forward.ts'
import type { UndoResult } from '../timetravel/undo.ts'
import {
  answerOf,
  applyReply,
  carryOver,
  chooseTasks,
  replyEntry,
  type OpenDocument,
  Replies,
  type Reply,
} from './open-document.ts'
import { FollowedFile } from './followed-file.ts'
import { turnAll, undoneIn } from './history-view.ts'
import { toOutcome, type Planned, planOf, type PageProject, planOfText } from './plan.ts'
import { changeContext } from './prompting.ts'
import type {
  BlockDetail,
  ContextChange,
  PageState,
  ReplyPlan,
  ResultEvent,
  Running,
  PageUndoRequest,
} from './protocol.ts'
import { Questions } from './questions.ts'
import { RequestRefusal } from './guard.ts'

export interface PageSessionOptions {
  readonly options: CladaOptions
  readonly root: string
  /** The largest document, in bytes. */
  readonly inputBytes: number
  readonly inputFile: string
  /** Rules of the project for models. */
  readonly rules: readonly string[]
  /** Options of the report for the model. */
  readonly report: ReportOptions
  readonly send: (event: string, data: unknown) => void
  /** Texts that an editor has not saved yet, by path. Plans are made with them. */
  readonly unsaved?: (() => Readonly<Record<string, string>>) | undefined
}

/** What all tabs look at: one document, its results, and at most one thing that is being done. */
export class PageSession {
  readonly questions: Questions
  readonly project: PageProject
  readonly #send: PageSessionOptions['send']
  readonly #followed: FollowedFile
  readonly #report: ReportOptions
  readonly #id = randomUUID()
  readonly #replies = new Replies()
  readonly #comparing: Clada
  #lastId = 0
  #revision = 0
  #history = 0
  #context = 0
  #running: Running | null = null
  /** Resolved when nothing is running. */
  #work: Promise<unknown> = Promise.resolve()
  #stop = new AbortController()
  /** What the followed file became while something was being done. */
  #newer: string | undefined

  constructor({ options, root, inputBytes, inputFile, rules, report, send, unsaved }: PageSessionOptions) {
    this.#send = send
    this.#report = report
    this.questions = new Questions(() => this.#tell())
    const ask = (request: ApprovalRequest) =>
      this.questions.ask(request, 'page', this.#stop.signal).catch(() => 'no' as const)
    // No document writes the next one.
    const own = { ...options, reserved: [...(options.reserved ?? []), inputFile] }
    // The page shows what a proposal would change before it is applied: applying it is the yes.
    const proposals = own.proposals === 'off' ? 'off' : 'apply'
    this.project = { root, options: own, rules, unsaved, clada: new Clada({ ...own, ask, proposals }) }
    this.#comparing = new Clada({ ...own, proposals, syntaxCheck: 'off' })
    this.#followed = new FollowedFile(inputFile, inputBytes, (text) => void this.#heard(text))
  }

  /** Loads what the first request needs in advance. */
  async warmUp(): Promise<void> {
    await this.look('')
  }

  /** The plan of a reply with the files as they are now. It is not shown by that. */
  async look(text: string): Promise<Planned> {
    if (this.#replies.shown !== undefined && this.text === text) {
      await this.refresh()
      if (this.planned?.plan.isChecking === false && this.text === text) return this.planned
    }
    return planOf({ ...this.project, id: 0, text, name: '', revision: 0, done: new Map(), choices: {} })
  }

  state(): PageState {
    const { on, isThere } = this.#followed
    const { fatalError, warnings = [] } = this.#replies.shown?.last ?? {}
    return {
      root: this.project.root,
      session: this.#id,
      plan: this.#replies.shown?.planned.plan.revision ?? null,
      replies: this.#replies.all().map(replyEntry),
      running: this.#running,
      remarks: [...(fatalError === undefined ? [] : [fatalError]), ...warnings],
      questions: this.questions.list(),
      follow: on || isThere ? { file: path.basename(this.#followed.file), on } : null,
      history: this.#history,
      context: this.#context,
    }
  }

  get plan(): ReplyPlan | null {
    return this.planned?.plan ?? null
  }

  get planned(): Planned | undefined {
    return this.#replies.shown?.planned
  }

  get text(): string {
    return this.#replies.shown?.text ?? ''
  }

  /** Shows a reply, and gives its plan when the effects are known. */
  open(text: string, name: string): Promise<ReplyPlan> {
    return this.#planned(...this.#read(text, name)).whole
  }

  /**
   * The same for a person, who sees a long reply as soon as it is read. Null when the text has no blocks and would take
   * the place of a reply that has some: the person is asked first.
   */
  async offer(text: string, name: string): Promise<ReplyPlan | null> {
    const [reply, read] = this.#read(text, name)
    if (reply.count === 0 && this.#replies.shown !== undefined && this.#replies.shown.count > 0) return null
    return this.#planned(reply, read).soon
  }

  #read(text: string, name: string): [Reply, Planned] {
    this.#refuseWhileRunning()
    const id = ++this.#lastId
    const reply = { id, text, name, opened: new Date().toISOString(), done: new Map(), choices: {}, broken: undefined }
    const read = planOfText({ ...this.project, ...reply, revision: 0 })
    return [{ ...reply, count: read.plan.blocks.length }, read]
  }

  /** Shows one of the earlier replies again. */
  async reopen(id: number): Promise<ReplyPlan> {
    this.#refuseWhileRunning()
    const reply = this.#replies.all().find((one) => one.id === id)
    if (reply === undefined) throw new RequestRefusal(404, 'This reply is no longer in the list.')
    return this.#planned(await this.#withoutUndone(reply)).soon
  }

  forget(id: number): void {
    this.#refuseWhileRunning()
    this.#replies.forget(id)
    this.#tell()
  }

  /** Stores a decision about one block, and computes the effects of all blocks again. */
  async decide(task: string, choice: BlockChoice): Promise<ReplyPlan> {
    const document = this.#undecided(task)
    const { [task]: _, ...others } = document.choices.blocks ?? {}
    const blocks = Object.keys(choice).length === 0 ? others : { ...others, [task]: choice }
    // At once: the next decision may come before this one is shown.
    const { planned, ...reply } = { ...document, choices: { ...document.choices, blocks } }
    this.#replies.show({ ...reply, planned })
    return this.#planned(reply, planned).whole
  }

  /** The reply with another text. Decisions about blocks that stay as they are stay too. */
  async edit(text: string): Promise<ReplyPlan> {
    this.#refuseWhileRunning()
    const { planned, ...reply } = this.#opened()
    const read = planOfText({ ...this.project, ...reply, text, revision: 0 })
    const kept = carryOver(reply, [planned.checked, read.checked], text)
    const { broken: _, ...rest } = reply
    return this.#planned({ ...rest, ...kept, broken: undefined, count: read.plan.blocks.length }, read).whole
  }

  #undecided(task: string): OpenDocument {
    this.#refuseWhileRunning()
    const document = this.#opened()
    if (document.done.has(task)) throw new RequestRefusal(409, 'This block was already applied. Undo it first.')
    if (document.planned.reviewed(task) === undefined) throw new RequestRefusal(404, 'There is no such block.')
    return document
  }

  /** The same document, with the files as they are now. */
  async refresh(): Promise<ReplyPlan | null> {
    if (this.#replies.shown === undefined || this.#running !== null) return this.plan
    const { planned, ...reply } = this.#replies.shown
    return this.#planned(await this.#withoutUndone(reply), planned).whole
  }

  clear(): void {
    this.#refuseWhileRunning()
    this.#replies.putAway()
    this.#tell()
  }

  /** Null if the requested plan was replaced by another. */
  detailIn(revision: number, key: number): BlockDetail | null {
    return this.plan?.revision === revision ? this.detail(key) : null
  }

  detail(key: number): BlockDetail {
    const detail = this.#replies.shown?.planned.detail(key)
    if (detail === undefined) throw new RequestRefusal(404, 'There is no such block.')
    return detail
  }

  /** Null if the requested plan was replaced by another. */
  fileIn(revision: number, name: string): FileChange | null {
    return this.plan?.revision === revision ? this.file(name) : null
  }

  file(name: string): FileChange {
    const change = this.#replies.shown?.planned.file(name)
    if (change === undefined) throw new RequestRefusal(404, 'That file would not be changed.')
    return change
  }

  /** Starts to apply a revision of the plan as it was shown; results are sent as they come. */
  apply(tasks: readonly string[] | null, revision: number): void {
    this.#refuseWhileRunning()
    const document = this.#opened()
    if (document.planned.plan.revision !== revision)
      throw new RequestRefusal(
        409,
        'The plan has changed since it was shown, so nothing was applied. Look at it, and apply again.',
      )
    const { count, only } = chooseTasks(document, tasks)
    void this.#busy({ what: 'document', done: 0, total: count, tasks: only ?? null, results: [] }, async () => {
      const { signal } = this.#stop
      const results: Omit<ResultEvent, 'revision'>[] = []
      const onAction = (one: ActionResult): void => {
        const result = { task: one.task ?? '', outcome: toOutcome(one) }
        results.push(result)
        if (this.#running !== null) this.#running = { ...this.#running, done: results.length, results }
        this.#send('result', { revision, ...result })
      }
      const onOutput = (task: string, chunk: Buffer): void =>
        this.#send('output', { task, text: chunk.toString('utf8') })
      const { clada } = this.project
      const how = { clada, comparing: this.#comparing, only, signal, onAction, onOutput }
      this.#replies.show(await applyReply(document, how))
    })
  }

  stop(): void {
    this.#stop.abort(new Error('the user stopped the run'))
  }

  answer(): string {
    return answerOf(this.#opened(), this.#report)
  }

  /** The executions of the reply that is shown, without those that were undone. */
  executions(): number[] {
    const all = [...(this.#replies.shown?.done.values() ?? [])].flatMap(({ execution }) => execution ?? [])
    return [...new Set(all)]
  }

  undo(request: PageUndoRequest): Promise<UndoResult> {
    return this.#turn('undo', ({ clada }) => clada.undo(request))
  }

  redo(request: PageUndoRequest): Promise<UndoResult> {
    return this.#turn('redo', ({ clada }) => clada.redo(request))
  }

  /** Several executions: all of them, or none. */
  turnAll(how: 'undo' | 'redo', numbers: readonly number[], force: boolean): Promise<UndoResult> {
    return this.#turn(how, (project) => turnAll(project, how, numbers, force))
  }

  back(): Promise<StepResult> {
    return this.#turn('back', ({ clada }) => clada.back())
  }

  forward(): Promise<StepResult> {
    return this.#turn('forward', ({ clada }) => clada.forward())
  }

  async changeContext(how: 'add' | 'remove', files: readonly string[]): Promise<ContextChange> {
    this.#refuseWhileRunning()
    const change = await changeContext(this.project, how, files)
    this.#context++
    this.#tell()
    return change
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
    await this.settled()
  }

  /** Resolves when nothing is running, and the plan shows what was done. */
  async settled(): Promise<void> {
    await this.#work.catch(() => undefined)
  }

  #show(document: OpenDocument): void {
    this.#replies.show(document)
    this.#tell()
  }

  #tell(): void {
    this.#send('state', this.state())
  }

  #opened(): OpenDocument {
    if (this.#replies.shown === undefined) throw new RequestRefusal(409, 'There is no document.')
    return this.#replies.shown
  }

  #refuseWhileRunning(): void {
    if (this.#running !== null) throw new RequestRefusal(409, 'Another run is in progress. Wait for it, or stop it.')
  }

  async #heard(text: string): Promise<void> {
    if (text === this.text) return
    if (this.#running !== null) this.#newer = text
    else await this.offer(text, path.basename(this.#followed.file))
  }

  async #turn<T>(what: Running['what'], work: (project: PageProject) => Promise<T>): Promise<T> {
    this.#refuseWhileRunning()
    return this.#busy({ what, done: 0, total: 1, tasks: null, results: [] }, () => work(this.project))
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

  /** Blocks that were undone, alone or with their execution, here or elsewhere, are pending again. */
  async #withoutUndone(reply: Reply): Promise<Reply> {
    if (reply.done.size === 0) return reply
    const isUndone = await undoneIn(this.project)
    const done = [...reply.done].filter(
      ([, { execution, result }]) => execution === undefined || !isUndone(execution, result.seq),
    )
    const { last: _, ...fresh } = reply
    const kept = done.length === 0 ? fresh : reply
    return { ...kept, done: new Map(done) }
  }

  /** A plan that is no longer the newest is discarded. A long reply is shown as soon as it is read. */
  #planned(reply: Reply, read?: Planned): { readonly soon: Promise<ReplyPlan>; readonly whole: Promise<ReplyPlan> } {
    const input = { ...this.project, ...reply, checked: read?.checked }
    if (reply.count <= manyBlocks || this.#replies.shown?.id === reply.id) {
      const whole = this.#foreseen(reply, { ...input, revision: ++this.#revision })
      return { soon: whole, whole }
    }
    const planned = planOfText({ ...input, revision: ++this.#revision })
    this.#show({ ...reply, planned })
    const whole = this.#foreseen(reply, { ...input, checked: planned.checked, revision: ++this.#revision })
    return { soon: Promise.resolve(planned.plan), whole }
  }

  async #foreseen(reply: Reply, input: Parameters<typeof planOf>[0]): Promise<ReplyPlan> {
    // What was read goes out first.
    await new Promise(setImmediate)
    const planned = await planOf(input)
    if (input.revision === this.#revision) {
      this.#show({ ...reply, planned, broken: reply.broken ?? planned.preview?.result.parseErrors })
    }
    return planned.plan
  }
}

/** Blocks of a reply that is shown before its effects are known. */
const manyBlocks = 100
