import fs from 'node:fs'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { keepForUser, rootName, userStateDir } from '../state/user-state.ts'
import { defaultSyntax } from '@clada/reply/syntax/table.ts'
import { type Paired, Pairing } from './pairing.ts'
import { promptText } from './prompting.ts'
import { undoneIn } from './history-view.ts'
import { relativeToRoot, type Planned } from './plan.ts'
import type { BlockDetail, BlockOutcome, PlanBlock, Question, TouchedFile } from './protocol.ts'
import { RequestRefusal, refuseOtherNames } from './guard.ts'
import { jsonObject, readBody } from './routes.ts'
import type { PageSession } from './session.ts'
import { pause } from '../core/pause.ts'
import { listNames } from '../state/own-files.ts'

/** A reply with everything that its blocks would do. Only such a reply can be applied, by its digest, from the same tab of the same site. */
export interface CheckedReply {
  readonly hash: string
  /** Names what is shown here. It is applied only as long as it would still be the same. */
  readonly shown: string
  readonly project: RunningProject
  readonly blocks: readonly PlanBlock[]
  readonly files: readonly TouchedFile[]
  readonly warnings: readonly string[]
  readonly fatal?: string
  /** Whether it is being applied. */
  readonly isRunning: boolean
  /** Set if it was applied before, and not undone since. */
  readonly done?: Applied
}

export interface Applied {
  readonly results: readonly BlockResult[]
  /** Why it failed as a whole, and warnings. */
  readonly remarks: readonly string[]
  /** The text for the model. */
  readonly answer: string
  readonly canUndo: boolean
}

/** The result of one block, by its place in the plan. */
export interface BlockResult extends Pick<BlockOutcome, 'success' | 'why'> {
  readonly key: number
}

export type Progress =
  | {
      readonly state: 'running'
      readonly done: number
      readonly total: number
      readonly questions: readonly Question[]
    }
  | ({ readonly state: 'done' } & Applied)

export interface UndoneReply {
  readonly success: boolean
  /** Relative to the root. */
  readonly restored: readonly string[]
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[]
  readonly why?: string
}

export interface RunningProject {
  /** The same for a directory every time. */
  readonly id: string
  readonly name: string
  readonly port: number
}

export interface CompanionProjects extends RunningProject {
  readonly syntax: string
  /** Ports on which other projects of this user may be running. */
  readonly others: readonly number[]
}

export interface PairedKey {
  readonly id: string
  readonly key: string
  readonly project: RunningProject
}

interface ShownReply {
  readonly text: string
  readonly site: string
  /** Kept for the newest replies only: it holds the files that they change. */
  planned?: Planned
  state: 'shown' | 'started'
  done?: Applied
  /** The executions that applied it. */
  executions: readonly number[]
}

interface CompanionOptions {
  readonly session: PageSession
  readonly root: string
  readonly port: number
  /** A name of this machine besides those of its loopback. */
  readonly host: string | undefined
  readonly inputBytes: number
  /** An address that opens the page. */
  readonly address: () => string
  /** Whether a tab shows the page already. */
  readonly isOpen: () => boolean
}

type Body = Readonly<Record<string, unknown>>

/** The browser extension's side of the server. */
export class Companion {
  readonly #options: CompanionOptions
  readonly #dir: string | undefined
  readonly #pairing: Pairing
  readonly #shown = new Map<string, ShownReply>()

  constructor(options: CompanionOptions) {
    this.#options = options
    this.#dir = userStateDir(options.root)
    this.#pairing = new Pairing(options.port, this.#dir)
    this.#offer()
  }

  /** A new code to pair with. The previous one is no longer valid. */
  code(): string {
    return this.#pairing.code()
  }

  get isPaired(): boolean {
    return this.#pairing.all().length > 0
  }

  /** What a request gets: JSON. Throws a `RequestRefusal` before it is known who asks; later refusals are signed answers. */
  async answer(request: IncomingMessage, route: string): Promise<{ status: number; body: unknown }> {
    const { headers, method } = request
    const { host, inputBytes } = this.#options
    refuseOtherNames(headers, host)
    if (method !== 'POST') throw new RequestRefusal(405, 'Only POST requests are accepted here.')
    const { origin = '' } = headers
    // No web page can have such an origin, and browsers do not let scripts set this header.
    if (!/^(?:chrome|moz)-extension:\/\/[\w-]{1,64}$/.test(origin))
      throw new RequestRefusal(403, 'Only the browser extension may send requests here.')
    const longest = route === 'pair' ? 1000 : 2 * inputBytes + 1_000_000
    const text = await readBody(request, 'application/json', longest)
    if (route === 'pair') return { status: 200, body: this.#pair(jsonObject(text), origin) }
    const { paired, sign } = this.#pairing.signer(headers['x-clada-companion'], { route, text, origin })
    const { status, value } = await this.#asked(route, jsonObject(text), paired).then(
      (value) => ({ status: 200, value: value ?? null }),
      (error: unknown) => {
        if (error instanceof RequestRefusal) return { status: error.status, value: { error: error.message } }
        throw error
      },
    )
    const answer = JSON.stringify(value)
    return { status, body: { answer, proof: sign(status, answer) } }
  }

  /** The project is no longer offered to extensions. */
  close(): void {
    if (this.#dir !== undefined) fs.rmSync(this.#pageFile(this.#dir), { force: true })
  }

  /** Other servers of this user tell extensions about this one. */
  #offer(): void {
    if (this.#dir === undefined) return
    try {
      keepForUser(this.#pageFile(this.#dir), `${this.#options.root}\n`)
    } catch {
      // The extension then finds it by the code alone.
    }
  }

  readonly #pageFile = (dir: string): string => path.join(dir, 'pages', String(this.#options.port))

  #pair({ code }: Body, origin: string): PairedKey {
    const { id, key } = this.#pairing.pair(code, origin)
    return { id, key, project: this.#project() }
  }

  async #asked(route: string, body: Body, paired: Paired): Promise<unknown> {
    switch (route) {
      case 'projects':
        return this.#projects()
      case 'look':
        return this.#look(body, paired)
      case 'block':
        return this.#block(body, paired)
      case 'show':
        return this.#show(body, paired)
      case 'apply':
        return this.#apply(body, paired)
      case 'result':
        return this.#result(this.#known(body, paired))
      case 'answer':
        return this.#answer(body, paired)
      case 'stop':
        return this.#stop(body, paired)
      case 'undo':
        return this.#undo(this.#known(body, paired))
      case 'prompt':
        return this.#prompt(body)
      case 'forget':
        return this.#pairing.forget(paired)
      default:
        throw new RequestRefusal(404, 'There is no such address.')
    }
  }

  #project(): RunningProject {
    const { root, port } = this.#options
    return { id: rootName(root).slice(0, 16), name: path.basename(root), port }
  }

  #projects(): CompanionProjects {
    const pages = this.#dir === undefined ? [] : listNames(path.join(this.#dir, 'pages'))
    const others = pages.map(Number).filter((port) => port > 0 && port !== this.#options.port)
    return { ...this.#project(), syntax: defaultSyntax, others }
  }

  async #look(body: Body, paired: Paired): Promise<CheckedReply> {
    const { text } = body
    if (typeof text !== 'string') throw new RequestRefusal(400, 'There is no text to review.')
    if (Buffer.byteLength(text) > this.#options.inputBytes) throw new RequestRefusal(413, 'The reply is too long.')
    const hash = digestOf(text)
    const key = replyKey(body, paired, hash)
    const shown = this.#shown.get(key) ?? { text, site: siteIn(body), state: 'shown', executions: [] }
    if (await this.#isUndone(shown)) makeApplicable(shown)
    const planned = await this.#options.session.look(text)
    shown.planned = planned
    this.#remember(key, shown)
    if (shown.state === 'shown') this.#adopt(shown)
    const { blocks, files, warnings, fatal } = planned.plan
    return {
      hash,
      shown: planDigest(planned),
      project: this.#project(),
      blocks,
      files,
      warnings,
      isRunning: shown.state === 'started' && shown.done === undefined,
      fatal,
      done: shown.done,
    }
  }

  #remember(key: string, shown: ShownReply): void {
    this.#shown.delete(key)
    this.#shown.set(key, shown)
    const [oldest] = this.#shown.keys()
    if (this.#shown.size > mostShown && oldest !== undefined) this.#shown.delete(oldest)
    for (const one of [...this.#shown.values()].slice(0, -mostPlanned)) delete one.planned
  }

  async #isUndone({ done, executions }: ShownReply): Promise<boolean> {
    if (done === undefined || executions.length === 0) return false
    const isUndone = await undoneIn(this.#options.session.project)
    return executions.every((number) => isUndone(number))
  }

  /** One block with its text and its whole diff. */
  #block(body: Body, paired: Paired): BlockDetail {
    const { text, planned } = this.#known(body, paired)
    const { key } = body
    if (typeof key !== 'number') throw new RequestRefusal(400, 'Name the block by its place.')
    const { session } = this.#options
    const detail = session.text === text ? session.detail(key) : planned?.detail(key)
    if (detail === undefined) throw new RequestRefusal(409, 'This reply was reviewed too long ago. Open it again.')
    return detail
  }

  /** The page with a reply; without an address where a tab that the extension knows shows it already. */
  async #show(body: Body, paired: Paired): Promise<{ address?: string }> {
    await this.#reopened(this.#known(body, paired))
    return body['hasTab'] === true && this.#options.isOpen() ? {} : { address: this.#options.address() }
  }

  async #apply(body: Body, paired: Paired): Promise<Progress> {
    const shown = this.#known(body, paired)
    if (shown.state === 'shown') {
      const { session } = this.#options
      await session.refresh()
      const { revision } = await this.#reopened(shown)
      if (session.planned === undefined || planDigest(session.planned) !== body['shown'])
        throw new RequestRefusal(
          409,
          'Files have changed since this was shown, so nothing was applied. Check it again.',
        )
      session.apply(null, revision)
      shown.state = 'started'
    }
    return this.#result(shown)
  }

  /** The progress of a run: answers when it has ended, or after some seconds. Browsers end an extension that waits for longer. */
  async #result(shown: ShownReply): Promise<Progress> {
    const { session } = this.#options
    const until = Date.now() + longestWait
    for (;;) {
      if (shown.done !== undefined) return { state: 'done', ...shown.done }
      const { running, questions } = session.state()
      const asked = questions.filter(({ from }) => from === 'page')
      if (running === null || running.what !== 'document') break
      if (asked.length > 0 || Date.now() > until)
        return { state: 'running', done: running.done, total: running.total, questions: asked }
      await pause(20)
    }
    await session.settled()
    if (session.text !== shown.text && shown.state === 'started')
      throw new RequestRefusal(409, 'The page shows another reply now. See the timeline for the results of this one.')
    const { blocks } = await this.#reopened(shown)
    const { done, executions } = this.#outcomesOf(blocks)
    if (shown.state === 'started') {
      // Nothing was applied, so it can be tried again.
      if (done.results.length === 0) makeApplicable(shown)
      else Object.assign(shown, { done, executions })
    }
    return { state: 'done', ...done }
  }

  /** A reply that was applied from the page or from another tab, with nothing left to apply. */
  #adopt(shown: ShownReply): void {
    const { session } = this.#options
    if (session.text !== shown.text || session.planned !== shown.planned || session.plan === null) return
    const { blocks } = session.plan
    const isLeft = blocks.some(({ task, state, outcome }) => task !== undefined && state !== 'broken' && !outcome)
    if (!isLeft && session.executions().length > 0)
      Object.assign(shown, { state: 'started', ...this.#outcomesOf(blocks) })
  }

  /** The results of the reply that the session shows. */
  #outcomesOf(blocks: readonly PlanBlock[]): { readonly done: Applied; readonly executions: readonly number[] } {
    const { session } = this.#options
    const results = blocks.flatMap(({ key, outcome }): BlockResult[] => {
      if (outcome === undefined) return []
      const { success, why } = outcome
      return [{ key, success, why }]
    })
    const executions = session.executions()
    const { remarks } = session.state()
    return { done: { results, remarks, answer: session.answer(), canUndo: executions.length > 0 }, executions }
  }

  /** An answer to a question that the run of this reply asks. */
  async #answer(body: Body, paired: Paired): Promise<Progress> {
    const shown = this.#runningReply(body, paired)
    const { id, answer } = body
    const said = answers.find((one) => one === answer)
    if (typeof id !== 'number' || said === undefined) throw new RequestRefusal(400, 'An answer is once, always or no.')
    const { questions } = this.#options.session
    const isAsked = questions.list().some((one) => one.id === id && one.from === 'page')
    if (!isAsked || !questions.answer(id, said)) throw new RequestRefusal(409, 'This question is no longer open.')
    return this.#result(shown)
  }

  async #stop(body: Body, paired: Paired): Promise<Progress> {
    const shown = this.#runningReply(body, paired)
    this.#options.session.stop()
    return this.#result(shown)
  }

  /** A reply that is being applied now. */
  #runningReply(body: Body, paired: Paired): ShownReply {
    const shown = this.#known(body, paired)
    const { session } = this.#options
    const isRunning = session.state().running?.what === 'document' && session.text === shown.text
    if (shown.state !== 'started' || !isRunning) throw new RequestRefusal(409, 'This reply is not being applied.')
    return shown
  }

  async #undo(shown: ShownReply): Promise<UndoneReply> {
    const { session, root } = this.#options
    if (shown.executions.length === 0) throw new RequestRefusal(409, 'Nothing of this reply can be undone.')
    const { success, restored, conflicts, reason, error } = await session.turnAll('undo', shown.executions, false)
    if (success) makeApplicable(shown)
    const why = success ? undefined : (reason ?? error)
    return {
      success,
      restored: restored.map((file) => relativeToRoot(root, file)),
      conflicts: conflicts.map(({ path: file, reason: because }) => ({
        path: relativeToRoot(root, file),
        reason: because,
      })),
      why,
    }
  }

  async #prompt({ task, syntax }: Body): Promise<{ text: string }> {
    const { text } = await promptText(this.#options.session.project, {
      syntax: typeof syntax === 'string' ? syntax : defaultSyntax,
      include: 'everyday',
      actions: null,
      show: 'text',
      task: typeof task === 'string' ? task.trim() : '',
    })
    return { text }
  }

  #known(body: Body, paired: Paired): ShownReply {
    const { hash } = body
    const shown = typeof hash === 'string' ? this.#shown.get(replyKey(body, paired, hash)) : undefined
    if (shown === undefined) throw new RequestRefusal(409, 'This reply was not reviewed in this tab. Review it first.')
    return shown
  }

  /** The plan of a reply, which is shown again where the page shows another one. */
  async #reopened({ text, site }: ShownReply): ReturnType<PageSession['open']> {
    const { session } = this.#options
    return session.text === text && session.plan?.isChecking === false ? session.plan : session.open(text, site)
  }
}

const mostShown = 50
const mostPlanned = 4
const longestWait = 10_000

const answers = ['once', 'always', 'no', 'try'] as const

/** Names all that a person was shown of a plan: what each block is, what it would run, and its diff. */
function planDigest({ plan, reviewed }: Planned): string {
  const blocks = plan.blocks.map(({ task = '', action, target, state, runs }) => [
    task,
    action,
    target,
    state,
    runs,
    reviewed(task)?.shown,
  ])
  return digestOf(JSON.stringify([plan.fatal, blocks]))
}

/** It can be applied again. */
function makeApplicable(shown: ShownReply): void {
  shown.state = 'shown'
  shown.executions = []
  delete shown.done
}

function siteIn({ site }: Body): string {
  if (typeof site !== 'string' || site === '' || site.length > 300) throw new RequestRefusal(400, 'There is no site.')
  return site
}

/** The key of a reviewed reply: extension, site, tab and hash. */
function replyKey(body: Body, { id }: Paired, hash: string): string {
  const { tab } = body
  if (typeof tab !== 'number') throw new RequestRefusal(400, 'There is no tab.')
  return JSON.stringify([id, siteIn(body), tab, hash])
}
