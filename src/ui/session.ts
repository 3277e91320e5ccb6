import path from 'node:path'
import { Clada } from '../clada.ts'
import type { ApprovalRequest } from '../core/commands.ts'
import type { ExecutionResult, FileChange, ParseError } from '../core/result.ts'
import { formatReport } from '../report/format.ts'
import type { CladaOptions } from '../settings.ts'
import type { StepResult } from '../step.ts'
import type { UndoResult } from '../undo.ts'
import { FollowedFile } from './follow.ts'
import { below, type DoneBlock, outcomeOf, type Planned, planOf, touched } from './plan.ts'
import { changeContext, factsOf, promptText, structuresOf } from './prompting.ts'
import type {
  BlockDetail,
  ContextEntry,
  Execution,
  PageState,
  Plan,
  PlanBlock,
  ProjectFacts,
  PromptRequest,
  PromptText,
  Running,
  Structure,
  Timeline,
  UndoRequest,
} from './protocol.ts'
import { Questions } from './questions.ts'
import { Refusal } from './refusal.ts'

export interface SessionOptions {
  readonly options: CladaOptions
  readonly root: string
  /** The largest document, in bytes. */
  readonly inputBytes: number
  /** The file that may be followed. */
  readonly inputFile: string
  /** Tells all tabs. */
  readonly send: (event: string, data: unknown) => void
}

/** What all tabs look at: one document, what became of it, and at most one thing that is being done. */
export class Session {
  readonly questions: Questions
  readonly #given: SessionOptions
  readonly #clada: Clada
  readonly #followed: FollowedFile
  #document: Document | undefined
  #revision = 0
  #history = 0
  #context = 0
  #running: Running | null = null
  /** Over when nothing is being done. */
  #work: Promise<unknown> = Promise.resolve()
  #stop = new AbortController()
  #desk = false
  /** What the followed file became while something was being done. */
  #newer: string | undefined

  constructor(given: SessionOptions) {
    this.#given = given
    this.questions = new Questions(() => this.#tell())
    const ask = (request: ApprovalRequest) =>
      this.questions.ask(request, 'page', this.#stop.signal).catch(() => 'no' as const)
    this.#clada = new Clada({ ...given.options, ask })
    const { inputFile, inputBytes } = given
    this.#followed = new FollowedFile(inputFile, inputBytes, (text) => void this.#heard(text))
  }

  /** Loads what the first look needs, so that nobody waits for it. */
  async warmUp(): Promise<void> {
    await planOf({ ...this.#how(), text: '', name: '', revision: 0, done: new Map() })
  }

  state(): PageState {
    const { on, isThere } = this.#followed
    return {
      root: this.#given.root,
      plan: this.#document?.planned.plan.revision ?? null,
      running: this.#running,
      questions: this.questions.list(),
      follow: on || isThere ? { file: path.basename(this.#followed.file), on } : null,
      history: this.#history,
      context: this.#context,
      desk: this.#desk,
    }
  }

  /** Whether this page answers for other processes. */
  set desk(open: boolean) {
    this.#desk = open
    this.#tell()
  }

  get plan(): Plan | null {
    return this.#document?.planned.plan ?? null
  }

  get text(): string {
    return this.#document?.text ?? ''
  }

  async open(text: string, name: string): Promise<Plan> {
    this.#refuseWhileRunning()
    return this.#planned({ text, name, done: new Map(), broken: undefined })
  }

  /** The same document, with the files as they are now. */
  async refresh(): Promise<Plan | null> {
    if (this.#document === undefined || this.#running !== null) return this.plan
    return this.#planned(await this.#standing(this.#document))
  }

  clear(): void {
    this.#refuseWhileRunning()
    this.#document = undefined
    this.#tell()
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

  /** Begins to carry out; what comes of it is told as it comes. */
  apply(tasks: readonly string[] | null): void {
    this.#refuseWhileRunning()
    const document = this.#document
    if (document === undefined) throw new Refusal(409, 'There is no document.')
    const pending = document.planned.plan.blocks.filter(({ task, outcome }) => task !== undefined && !outcome)
    const chosen = tasks === null ? pending : pending.filter(({ task = '' }) => tasks.includes(task))
    if (chosen.length === 0) throw new Refusal(409, 'Nothing is left to carry out.')
    refuseTornGroups(pending, chosen)
    const whole = chosen.length === document.planned.plan.blocks.length
    const only = whole ? undefined : chosen.flatMap(({ task }) => task ?? [])
    void this.#busy({ what: 'document', done: 0, total: chosen.length }, () => this.#carryOut(document, only))
  }

  stop(): void {
    this.#stop.abort(new Error('the user stopped the run'))
  }

  /** What is pasted back to the model. Before anything is carried out it says so, and tells what would fail. */
  answer(): string {
    if (this.#document === undefined) throw new Refusal(409, 'There is no document.')
    const { planned, done, last, broken } = this.#document
    if (last === undefined || done.size === 0) {
      const { result } = planned.preview
      return `Nothing was carried out yet. This is what would happen:\n${formatReport(result, 'llm')}`
    }
    const { blocks } = planned.plan
    const results = blocks
      .flatMap(({ task = '' }) => done.get(task)?.result ?? [])
      .map((result, index) => ({ ...result, seq: index + 1 }))
    const left = blocks.filter(({ state, outcome }) => state !== 'broken' && outcome === undefined)
    const warnings = [
      ...(last.warnings ?? []),
      ...(left.length === 0 ? [] : [`left out by the user: ${left.map(({ id }) => id).join(', ')}`]),
    ]
    return formatReport({ ...last, results, parseErrors: broken ?? [], warnings }, 'llm')
  }

  async timeline(): Promise<Timeline> {
    const [entries, since] = await Promise.all([this.#clada.history(), this.#clada.changedSince()])
    return { entries, since: since.map(touched) }
  }

  async execution(number: number): Promise<Execution> {
    const [detail, changes] = await Promise.all([this.#clada.execution(number), this.#clada.changesOf(number)])
    if (detail === undefined || changes === undefined) throw new Refusal(404, `There is no execution ${number}.`)
    const { actions, diffs: _, ...entry } = detail
    const { root } = this.#given
    return { entry, actions: actions.map((one) => ({ ...one, target: below(root, one.target) })), ...changes }
  }

  /** What others did to the files since the last execution. */
  since(): Promise<FileChange[]> {
    return this.#clada.changedSince()
  }

  undo(request: UndoRequest): Promise<UndoResult> {
    return this.#turn('undo', () => this.#clada.undo(request))
  }

  redo({ force }: UndoRequest): Promise<UndoResult> {
    return this.#turn('redo', () => this.#clada.redo(force === undefined ? {} : { force }))
  }

  back(): Promise<StepResult> {
    return this.#turn('back', () => this.#clada.back())
  }

  forward(): Promise<StepResult> {
    return this.#turn('forward', () => this.#clada.forward())
  }

  facts(): Promise<ProjectFacts> {
    return factsOf(this.#clada, this.#given.root)
  }

  structures(file: string): Promise<Structure[]> {
    return structuresOf(this.#clada, file)
  }

  async changeContext(how: 'add' | 'remove', file: string): Promise<ContextEntry[]> {
    this.#refuseWhileRunning()
    const entries = await changeContext(this.#clada, this.#given.root, how, file)
    this.#context++
    this.#tell()
    return entries
  }

  prompt(request: PromptRequest): Promise<PromptText> {
    const { options, root } = this.#given
    return promptText(this.#clada, options, root, request)
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
    this.#given.send('state', this.state())
  }

  #refuseWhileRunning(): void {
    if (this.#running !== null) throw new Refusal(409, 'Something is being carried out. Wait for it, or stop it.')
  }

  async #heard(text: string): Promise<void> {
    if (text === this.text) return
    if (this.#running !== null) this.#newer = text
    else await this.open(text, path.basename(this.#followed.file))
  }

  async #turn<T>(what: Running['what'], work: () => Promise<T>): Promise<T> {
    this.#refuseWhileRunning()
    return this.#busy({ what, done: 0, total: 1 }, work)
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

  async #carryOut(document: Document, only: readonly string[] | undefined): Promise<void> {
    const { planned, text } = document
    const { revision } = planned.plan
    const { signal } = this.#stop
    const { send } = this.#given
    const before = (await this.#clada.history()).at(-1)?.number ?? 0
    const result = await this.#clada.execute(text, {
      signal,
      ...(only === undefined ? {} : { only }),
      onAction: (one) => {
        if (this.#running !== null) this.#running = { ...this.#running, done: this.#running.done + 1 }
        send('result', { revision, task: one.task ?? '', outcome: outcomeOf(one) })
      },
      onOutput: (task, chunk) => send('output', { task, text: chunk.toString('utf8') }),
    })
    const done = new Map(document.done)
    const execution = (await this.#clada.history()).findLast(({ kind }) => kind === 'run')
    const number = execution !== undefined && execution.number > before ? execution.number : undefined
    for (const one of result.results) {
      const { task = '' } = one
      const changes = planned.changesOf(task)
      done.set(task, { result: one, execution: number, changes: () => changes })
    }
    this.#document = { ...document, done, last: result }
  }

  #how(): { root: string; options: CladaOptions; clada: Clada } {
    const { root, options } = this.#given
    return { root, options, clada: this.#clada }
  }

  /** What was undone, here or elsewhere, is to be done again. */
  async #standing(document: Document): Promise<Document> {
    if (document.done.size === 0) return document
    const entries = await this.#clada.history()
    const undone = new Set(entries.flatMap(({ number, undone }) => (undone ? [number] : [])))
    const done = [...document.done].filter(([, { execution }]) => execution === undefined || !undone.has(execution))
    return { ...document, done: new Map(done) }
  }

  /** A plan that another has overtaken is forgotten. */
  async #planned(document: Omit<Document, 'planned'>): Promise<Plan> {
    const revision = ++this.#revision
    const { text, name, done } = document
    const planned = await planOf({ ...this.#how(), text, name, revision, done })
    if (revision === this.#revision) {
      const broken = document.broken ?? planned.preview.result.parseErrors
      this.#document = { ...document, planned, broken }
      this.#tell()
    }
    return planned.plan
  }
}

interface Document {
  readonly text: string
  readonly name: string
  readonly planned: Planned
  readonly done: ReadonlyMap<string, DoneBlock>
  /** Blocks that could not be read, from the first look. */
  readonly broken: ParseError[] | undefined
  /** What the last run answered. */
  readonly last?: ExecutionResult
}

/** What lands whole or not at all cannot be chosen in part. */
function refuseTornGroups(pending: readonly PlanBlock[], chosen: readonly PlanBlock[]): void {
  const lines = new Set(chosen.flatMap(({ group }) => (group?.atomic ? [group.line] : [])))
  for (const line of lines) {
    const members = pending.filter(({ group }) => group?.line === line)
    if (members.every((one) => chosen.includes(one))) continue
    const names = members.map(({ task }) => task).join(', ')
    throw new Refusal(409, `Tasks ${names} land together or not at all: choose all of them or none.`)
  }
}
