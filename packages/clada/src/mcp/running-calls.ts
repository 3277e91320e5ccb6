import { now } from '../core/time-limit.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { codes, type RpcParams, protocolError, type RpcResult } from './protocol.ts'

/**
 * Calls of clients of revision 2026-07-28. Such a client cannot be asked while a call runs: the call is answered with the
 * question and a `requestState`, and the client sends the call again with the answer. What the call did until then stays
 * done, so it must not run a second time: it waits here, and goes on where it was.
 *
 * A `requestState` is 32 random bytes: there is nothing in it to read or to alter. What it stands for is known here alone,
 * together with the call that it belongs to, and it is good for one answer.
 */
export class RunningCalls {
  readonly #open = new Map<string, SentQuestion>()
  /** How long a question stays open: a person may be away for a while. */
  readonly #patienceMs: number
  /** How long it stays open while another call waits: clients give up a call after a minute. */
  readonly #hurryMs: number

  constructor({ patienceMs, hurryMs }: { readonly patienceMs: number; readonly hurryMs: number }) {
    this.#patienceMs = patienceMs
    this.#hurryMs = hurryMs
  }

  /** Starts a call; the result is its own, or the first question that it has. */
  start(
    call: CallIdentity,
    request: CallRequest,
    work: (running: RunningCall) => Promise<RpcResult>,
  ): Promise<RpcResult> {
    // A client that sends a call anew will not answer what it was asked before.
    for (const [state, { running }] of this.#open) if (isSameAnswer(running.call, call)) this.#giveUp(state)
    const running = new RunningCall(call)
    running.result = work(running)
    return this.#next(running, request)
  }

  /** Called when another call comes: it waits for the project, and the client may never answer what is asked. */
  hurry(): void {
    for (const { running } of this.#open.values()) running.hurry(this.#hurryMs)
  }

  /** Goes on with a call that has asked something. @throws where the state is not that of this very call */
  resume(state: string, call: CallIdentity, responses: unknown, request: CallRequest): Promise<RpcResult> {
    const open = this.#open.get(state)
    if (open === undefined) throw callRefusal('it is not open: it was answered, withdrawn or too late')
    const { running, question } = open
    const other = (['tool', 'arguments', 'root'] as const).find((name) => !isSameAnswer(running.call[name], call[name]))
    if (other !== undefined)
      throw callRefusal(`it is that of a call with ${other === 'tool' ? 'another' : 'other'} ${other}`)
    this.#close(state, open)
    const given = isRecord(responses) ? responses[questionKey] : undefined
    // Without an answer the question is put again, under another state.
    if (!isRecord(given) && question.isOpen) running.unanswered(question)
    else question.settle(given)
    return this.#next(running, request)
  }

  async #next(running: RunningCall, request: CallRequest): Promise<RpcResult> {
    const came = await running.next(request)
    if (!(came instanceof ClientQuestion)) return came
    const state = process.getBuiltinModule('node:crypto').randomBytes(32).toString('base64url')
    const open: SentQuestion = { running, question: came, late: () => this.#giveUp(state) }
    this.#open.set(state, open)
    running.wait(this.#patienceMs, open.late)
    return {
      resultType: 'input_required',
      inputRequests: { [questionKey]: { method: 'elicitation/create', params: came.params } },
      requestState: state,
    }
  }

  #giveUp(state: string): void {
    const open = this.#open.get(state)
    if (open === undefined) return
    this.#close(state, open)
    open.question.settle(undefined)
  }

  #close(state: string, { running }: SentQuestion): void {
    this.#open.delete(state)
    running.stopWaiting()
  }
}

/** What a `requestState` is bound to. */
export interface CallIdentity {
  readonly tool: string
  readonly arguments: unknown
  readonly root: string
}

/** In whatever order a client writes the fields of an object. */
const isSameAnswer = (one: unknown, other: unknown): boolean =>
  process.getBuiltinModule('node:util').isDeepStrictEqual(one, other)

/** The request that waits for a call just now. */
export interface CallRequest {
  readonly signal: AbortSignal
  readonly tell: (message: string) => void
}

interface SentQuestion {
  readonly running: RunningCall
  readonly question: ClientQuestion
  readonly late: () => void
}

const questionKey = 'answer'

const callRefusal = (why: string): Error =>
  protocolError(
    codes.invalidParams,
    `This requestState cannot be used: ${why}. Call the tool without it; then the question is put again.`,
  )

/** A question to the user that the client has to put. */
class ClientQuestion {
  readonly params: RpcParams
  readonly answer: Promise<unknown>
  isOpen = true
  #resolve: (answer: unknown) => void = () => undefined

  constructor(params: RpcParams, withdrawn: AbortSignal) {
    this.params = params
    this.answer = new Promise((resolve) => (this.#resolve = resolve))
    if (withdrawn.aborted) this.settle(undefined)
    else withdrawn.addEventListener('abort', () => this.settle(undefined), { once: true })
  }

  settle(answer: unknown): void {
    this.isOpen = false
    this.#resolve(answer)
  }
}

export class RunningCall {
  readonly call: CallIdentity
  result: Promise<RpcResult> = Promise.resolve({})
  readonly #stop = new AbortController()
  readonly signal = this.#stop.signal
  tell: (message: string) => void = () => undefined
  /** A question that no request has taken to the client yet. */
  #question: ClientQuestion | undefined
  #arrived: () => void = () => undefined
  #timer: NodeJS.Timeout | undefined
  #late = { at: Infinity, giveUp: (): void => undefined }

  constructor(call: CallIdentity) {
    this.call = call
  }

  /** Asks the user in the client; undefined where there was no answer. */
  ask(params: RpcParams, withdrawn: AbortSignal): Promise<unknown> {
    const question = new ClientQuestion(params, AbortSignal.any([withdrawn, this.signal]))
    this.unanswered(question)
    return question.answer
  }

  unanswered(question: ClientQuestion): void {
    this.#question = question
    this.#arrived()
  }

  /** The result, or the next question, whichever comes first. Until then the call ends with the request. */
  async next({ signal, tell }: CallRequest): Promise<RpcResult | ClientQuestion> {
    const stop = (): void => this.#stop.abort(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    this.tell = tell
    try {
      for (;;) {
        const arrived = new Promise<undefined>((resolve) => (this.#arrived = () => resolve(undefined)))
        const question = this.#question
        this.#question = undefined
        // One that was answered elsewhere meanwhile need not be put.
        const came = question?.isOpen ? question : await Promise.race([this.result, arrived])
        if (came !== undefined) return came
      }
    } finally {
      signal.removeEventListener('abort', stop)
      this.tell = () => undefined
    }
  }

  wait(ms: number, late: () => void): void {
    this.stopWaiting()
    this.#late = { at: now() + ms, giveUp: late }
    this.#timer = setTimeout(late, ms).unref()
  }

  hurry(ms: number): void {
    const { at, giveUp } = this.#late
    if (at - now() > ms) this.wait(ms, giveUp)
  }

  stopWaiting(): void {
    clearTimeout(this.#timer)
  }
}
