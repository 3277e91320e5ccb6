import type { Clada } from '../api/clada.ts'
import type { HistoryEntry } from '../engine/history-run.ts'
import { printable } from '../report/printable.ts'
import { invalidParams, protocolError, resourceNotFound } from './requests.ts'
import type { ReadResourceResult, Resource } from '@modelcontextprotocol/sdk/types.js'

export const reportUri = 'clada://report'
export const historyUri = 'clada://history'

const fixed: readonly Resource[] = [
  { uri: reportUri, name: 'report', description: 'What was answered last.', mimeType: 'text/plain' },
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

const pageSize = 100

/** The resources, newest executions first, a page at a time. The cursor is the number to go on below. */
export async function listResources(
  clada: Pick<Clada, 'history'>,
  cursor?: string,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const below = cursor === undefined ? Infinity : Number(cursor)
  if (Number.isNaN(below)) throw protocolError(invalidParams, `There is no page ${cursor}`)
  const entries = (await clada.history()).filter(({ number }) => number < below).reverse()
  const page = entries.slice(0, pageSize)
  const last = page.at(-1)
  return {
    resources: [...(cursor === undefined ? fixed : []), ...page.map(executionResource)],
    ...(entries.length > pageSize && last !== undefined ? { nextCursor: String(last.number) } : {}),
  }
}

const executionResource = ({ number, summary, time }: HistoryEntry): Resource => ({
  uri: `${historyUri}/${number}`,
  name: `execution ${number}`,
  description: printable(`${time} ${summary}`),
  mimeType: 'text/x-diff',
})

/** The resource at an address. `lastReport` is what this server answered last. */
export async function readResource(
  uri: string,
  lastReport: string | undefined,
  clada: () => Promise<Pick<Clada, 'history' | 'execution'>>,
): Promise<ReadResourceResult> {
  const answer = (mimeType: string, text: string): ReadResourceResult => ({ contents: [{ uri, mimeType, text }] })
  if (uri === reportUri) return answer('text/plain', lastReport ?? 'Nothing was executed by this server yet.')
  if (uri === historyUri) return answer('application/json', JSON.stringify(await (await clada()).history(), null, 2))
  const number = /^clada:\/\/history\/([1-9]\d{0,9})$/.exec(uri)?.[1]
  const detail = number === undefined ? undefined : await (await clada()).execution(Number(number))
  if (detail === undefined) throw protocolError(resourceNotFound, `There is no resource ${printable(uri)}. List them.`)
  return answer('text/x-diff', detail.diffs.map(({ diff }) => diff).join(''))
}
