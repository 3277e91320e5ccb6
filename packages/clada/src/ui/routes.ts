import { withoutUndefined } from '@clada/reply/core/optional.ts'
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { PlaceChoice } from '../core/result.ts'
import type { BlockChoice } from '../core/review.ts'
import { conversationOf, describeExecution, timelineOf } from './history-view.ts'
import { projectFacts, promptText, structuresOf } from './prompting.ts'
import type { PagePromptRequest } from './protocol.ts'
import { RequestRefusal } from './guard.ts'
import type { PageSession } from './session.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'

export interface RouteCall {
  readonly session: PageSession
  readonly query: URLSearchParams
  readonly request: IncomingMessage
  /** The largest document, in bytes. */
  readonly inputBytes: number
}

/** What the page may ask, and what it gets: a value that becomes JSON. */
export const routes: Readonly<Record<string, (call: RouteCall) => unknown>> = {
  'GET /api/state': ({ session }) => session.state(),
  'GET /api/plan': ({ session }) => session.plan,
  'GET /api/document': ({ session }) => ({ text: session.text }),
  'GET /api/block': ({ session, query }) =>
    session.detailIn(parseNumber(query.get('revision')), parseNumber(query.get('key'))),
  'GET /api/file': ({ session, query }) => session.fileIn(parseNumber(query.get('revision')), query.get('path') ?? ''),
  'GET /api/answer': ({ session }) => ({ text: session.answer() }),
  'GET /api/timeline': ({ session }) => timelineOf(session.project),
  'GET /api/execution': ({ session, query }) => describeExecution(session.project, parseNumber(query.get('number'))),
  'GET /api/conversation': ({ session, query }) => conversationOf(session.project, query.get('id') ?? ''),
  'GET /api/since': ({ session }) => session.project.clada.changedSince(),
  'GET /api/project': ({ session }) => projectFacts(session.project),
  'GET /api/structures': ({ session, query }) => structuresOf(session.project, query.get('path') ?? ''),

  'POST /api/document': async ({ session, query, request, inputBytes }) => {
    const text = await readBody(request, 'text/markdown', inputBytes)
    return session[query.get('over') === 'any' ? 'open' : 'offer'](text, query.get('name') ?? '')
  },
  'POST /api/reply': async (call) => call.session.reopen(idIn(await jsonBody(call))),
  'POST /api/forget': async (call) => call.session.forget(idIn(await jsonBody(call))),
  'POST /api/refresh': ({ session }) => session.refresh(),
  'POST /api/clear': ({ session }) => session.clear(),
  'POST /api/choice': async ({ session, request, inputBytes }) => {
    const { task, choice } = jsonObject(await readBody(request, 'application/json', inputBytes))
    if (typeof task !== 'string') throw new RequestRefusal(400, 'Name the block by its task number.')
    return session.decide(task, choiceIn(choice))
  },
  'POST /api/edit': async ({ session, request, inputBytes }) =>
    session.edit(await readBody(request, 'text/markdown', inputBytes)),
  'POST /api/apply': async (call) => {
    const { tasks, revision } = await jsonBody(call)
    if (typeof revision !== 'number') throw new RequestRefusal(400, 'Name the revision of the plan that was shown.')
    return call.session.apply(tasksIn(tasks), revision)
  },
  'POST /api/stop': ({ session }) => session.stop(),
  'POST /api/answer': async (call) => {
    const { id, answer } = await jsonBody(call)
    const said = answers.find((one) => one === answer)
    if (typeof id !== 'number' || said === undefined)
      throw new RequestRefusal(400, 'An answer is once, always, no or try.')
    if (!call.session.questions.answer(id, said)) throw new RequestRefusal(409, 'This question is no longer open.')
  },
  'POST /api/undo': (call) => turnExecutions(call, 'undo'),
  'POST /api/redo': (call) => turnExecutions(call, 'redo'),
  'POST /api/back': ({ session }) => session.back(),
  'POST /api/forward': ({ session }) => session.forward(),
  'POST /api/context': async (call) => {
    const { paths, on } = await jsonBody(call)
    if (!Array.isArray(paths)) throw new RequestRefusal(400, 'The working set is a list of paths.')
    return call.session.changeContext(on === true ? 'add' : 'remove', paths.map(String))
  },
  'POST /api/prompt': async (call) => promptText(call.session.project, promptIn(await jsonBody(call))),
  'POST /api/follow': async (call) => call.session.follow((await jsonBody(call))['on'] === true ? 'start' : 'stop'),
}

async function turnExecutions(call: RouteCall, how: 'undo' | 'redo'): Promise<unknown> {
  const { number, numbers, action, force } = await jsonBody(call)
  if (Array.isArray(numbers)) return call.session.turnAll(how, numbers.map(Number), force === true)
  return call.session[how]({
    number: typeof number === 'number' ? number : undefined,
    action: typeof action === 'number' ? action : undefined,
    force: force === true,
  })
}

const answers = ['once', 'always', 'no', 'try'] as const

/** Everything but a document is short. */
const longestJson = 1_000_000

const jsonBody = async ({ request }: RouteCall): Promise<Record<string, unknown>> =>
  jsonObject(await readBody(request, 'application/json', longestJson))

function parseNumber(text: string | null): number {
  if (text === null || !/^\d{1,9}$/.test(text)) throw new RequestRefusal(400, 'A number is required here.')
  return Number(text)
}

function idIn({ id }: Record<string, unknown>): number {
  if (typeof id !== 'number') throw new RequestRefusal(400, 'Name the reply by its id.')
  return id
}

/** A decision about a block, from a tab. */
function choiceIn(given: unknown): BlockChoice {
  if (!isRecord(given)) throw new RequestRefusal(400, 'A decision about a block is an object.')
  const { leaveOut, reason, leave, params, place, patches, texts } = given
  return withoutUndefined({
    leaveOut: leaveOut === true ? leaveOut : undefined,
    reason: typeof reason === 'string' && reason !== '' ? reason : undefined,
    leave: Array.isArray(leave) && leave.length > 0 ? leave.map(leftIn) : undefined,
    params: isFilled(params) ? textsIn(params) : undefined,
    place: isRecord(place) ? placeChoiceIn(place) : undefined,
    patches: patches === 'good' ? patches : undefined,
    texts: isFilled(texts) ? textsIn(texts) : undefined,
  })
}

const isFilled = (value: unknown): value is Record<string, unknown> => isRecord(value) && Object.keys(value).length > 0

function leftIn(given: unknown): { hunk: string; reason?: string } {
  if (!isRecord(given) || typeof given['hunk'] !== 'string')
    throw new RequestRefusal(400, 'Name the change that is left out.')
  const { hunk, reason } = given
  return { hunk, reason: typeof reason === 'string' && reason !== '' ? reason : undefined }
}

function placeChoiceIn({ line, endLine, hunk }: Record<string, unknown>): PlaceChoice {
  const isLine = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
  if (!isLine(line) || !isLine(endLine) || endLine < line) throw new RequestRefusal(400, 'A place is lines from 1.')
  return { line, endLine, hunk: isLine(hunk) ? hunk : undefined }
}

const textsIn = (given: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).map(([name, text]) => [name, String(text)]))

function promptIn({ syntax, include, actions, show, task }: Record<string, unknown>): PagePromptRequest {
  const shown = shows.find((one) => one === show)
  if (typeof syntax !== 'string' || shown === undefined)
    throw new RequestRefusal(400, 'This is not a valid request for a prompt.')
  return {
    syntax,
    include: include === 'all' ? 'all' : 'everyday',
    actions: Array.isArray(actions) ? actions.map(String) : null,
    show: shown,
    task: typeof task === 'string' ? task.trim() : '',
  }
}

const shows = ['text', 'numbered', 'outline', 'none'] as const

function tasksIn(given: unknown): string[] | null {
  if (given === null) return null
  if (!Array.isArray(given)) throw new RequestRefusal(400, 'Tasks are a list of numbers, or null for all.')
  return given.map(String)
}

/** What a request brings, up to a limit. Nothing of what is too long is kept. */
export async function readBody(request: IncomingMessage, type: string, limit: number): Promise<string> {
  const [given = ''] = (request.headers['content-type'] ?? '').split(';')
  if (given.trim() !== type) throw new RequestRefusal(415, `The content type must be ${type}.`)
  const tooLong = new RequestRefusal(413, `This has more than ${limit} bytes, the limit. Split it into several.`)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLong
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > limit) throw tooLong
    chunks.push(bytes)
  }
  const whole = Buffer.concat(chunks)
  if (!isUtf8(whole)) throw new RequestRefusal(400, 'This is not valid UTF-8. Save it as UTF-8 first.')
  return whole.toString('utf8')
}

export function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // Said below.
  }
  throw new RequestRefusal(400, 'A JSON object is required here.')
}
