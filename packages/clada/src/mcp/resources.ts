import type { Clada } from '../api/clada.ts'
import type { HistoryEntry } from '../engine/history-run.ts'
import { spellOut } from '../report/words.ts'
import { fitMessage, type ResourceLink } from './answers.ts'
import { codes, protocolError, type RpcResult } from './protocol.ts'

export const reportUri = 'clada://report'
export const historyUri = 'clada://history'

interface Resource {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly mimeType: string
}

const fixed: readonly Resource[] = [
  { uri: reportUri, name: 'report', description: 'The last answer, whole.', mimeType: 'text/plain' },
  { uri: historyUri, name: 'history', description: 'Every execution, oldest first.', mimeType: 'application/json' },
]

export const templates = [
  {
    uriTemplate: `${historyUri}/{n}`,
    name: 'execution',
    description: 'What execution n changed, as a unified diff.',
    mimeType: 'text/x-diff',
  },
]

/** The last answers of this server. A report that was cut can be read whole under its own address for a while. */
export class Reports {
  #count = 0
  #last: string | undefined
  readonly #whole = new Map<string, string>()

  /** Returns a link to the whole report where the answer was cut. */
  keep({ text, whole }: { readonly text: string; readonly whole?: string }): ResourceLink | undefined {
    this.#last = whole ?? text
    if (whole === undefined) return undefined
    const uri = `${reportUri}/${++this.#count}`
    this.#whole.set(uri, whole)
    const [oldest] = this.#whole.keys()
    if (this.#whole.size > keptReports && oldest !== undefined) this.#whole.delete(oldest)
    return { type: 'resource_link', uri, name: 'whole report', mimeType: 'text/plain', size: Buffer.byteLength(whole) }
  }

  at(uri: string): string | undefined {
    if (uri === reportUri) return this.#last ?? 'Nothing was executed by this server yet.'
    return this.#whole.get(uri)
  }
}

const keptReports = 8

const pageSize = 100

/** The resources, newest executions first, a page at a time. The cursor is the number to go on below. */
export async function listResources(
  clada: Pick<Clada, 'history'>,
  cursor?: string,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const below = cursor === undefined ? Infinity : Number(cursor)
  if (Number.isNaN(below)) throw protocolError(codes.invalidParams, `There is no page ${cursor}`)
  const entries = (await clada.history()).filter(({ number }) => number < below).reverse()
  const page = entries.slice(0, pageSize)
  const last = page.at(-1)
  return {
    resources: [...(cursor === undefined ? fixed : []), ...page.map(executionResource)],
    nextCursor: entries.length > pageSize && last !== undefined ? String(last.number) : undefined,
  }
}

const executionResource = ({ number, summary, time }: HistoryEntry): Resource => ({
  uri: `${historyUri}/${number}`,
  name: `execution ${number}`,
  description: spellOut(`${time} ${summary}`),
  mimeType: 'text/x-diff',
})

/** As JSON. Of a history that is too long for a message, the later half, or less. */
function newestThatFit(entries: readonly HistoryEntry[], longest: number): string {
  const json = JSON.stringify(entries, null, 2)
  return json.length <= longest >> 1 ? json : newestThatFit(entries.slice(Math.ceil(entries.length / 2)), longest)
}

/** The resource at an address; undefined where there is none. */
export async function readResource(
  uri: string,
  reports: Reports,
  clada: () => Promise<Pick<Clada, 'history' | 'execution'>>,
  longest: number,
): Promise<RpcResult | undefined> {
  const answer = (mimeType: string, text: string): RpcResult => ({
    contents: [{ uri, mimeType, text: fitMessage(text, longest) }],
  })
  const report = reports.at(uri)
  if (report !== undefined) return answer('text/plain', report)
  if (uri === historyUri) return answer('application/json', newestThatFit(await (await clada()).history(), longest))
  const number = /^clada:\/\/history\/([1-9]\d{0,9})$/.exec(uri)?.[1]
  const detail = number === undefined ? undefined : await (await clada()).execution(Number(number))
  return detail && answer('text/x-diff', detail.diffs.map(({ diff }) => diff).join(''))
}
