import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { HistoryEntry } from '../../packages/clada/src/engine/history-run.ts'
import { listResources, readResource, Reports } from '../../packages/clada/src/mcp/resources.ts'
import { scratchDir } from '../support/scratch.ts'
import { linked, serverFor } from './client.ts'

const textAt = async (client: Client, uri: string): Promise<string> => {
  const { contents } = await client.readResource({ uri })
  return contents[0] !== undefined && 'text' in contents[0] ? contents[0].text : ''
}

describe('resources', () => {
  it('are the last report, the history, and each execution', async () => {
    const { client, call } = await linked(serverFor(scratchDir()))
    const uris = async () => (await client.listResources()).resources.map(({ uri }) => uri)
    expect(await uris()).toEqual(['clada://report', 'clada://history'])
    expect(await textAt(client, 'clada://report')).toBe('Nothing was executed by this server yet.')
    expect(JSON.parse(await textAt(client, 'clada://history'))).toEqual([])

    await call('file_write', { path: 'a.txt', content: 'x\n' })
    const { text } = await call('file_append', { path: 'a.txt', content: 'y\n' })
    expect(await textAt(client, 'clada://report')).toBe(text)
    expect(await uris()).toEqual(['clada://report', 'clada://history', 'clada://history/2', 'clada://history/1'])
    expect(JSON.parse(await textAt(client, 'clada://history'))).toMatchObject([{ number: 1 }, { number: 2 }])
    expect(await textAt(client, 'clada://history/2')).toContain(' x\n+y\n')
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'clada://history/{n}' }])
  })

  it('that are not there are said to be not there', async () => {
    const { client } = await linked(serverFor(scratchDir()))
    for (const uri of [
      'clada://history/1',
      'clada://history/0',
      'clada://history/../x',
      'clada://reports',
      'file:///etc/passwd',
    ])
      // The official client reads the code of older revisions, -32002, as this one.
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 })
    await expect(client.listResources({ cursor: 'x' })).rejects.toMatchObject({ code: -32602 })
  })

  it('that change are told to those who listen', async () => {
    const { client, call, heard } = await linked(serverFor(scratchDir()))
    const told = () => heard.splice(0).map(({ method, params }) => [method, params?.['uri']])
    const listed = ['notifications/resources/list_changed', undefined]
    await call('ls', { path: '.' })
    expect(told()).toEqual([])
    await call('file_write', { path: 'a.txt', content: 'x' })
    expect(told()).toEqual([listed])
    await client.subscribeResource({ uri: 'clada://report' })
    await client.subscribeResource({ uri: 'clada://history' })
    await call('file_write', { path: 'b.txt', content: 'x' })
    const updated = (uri: string) => ['notifications/resources/updated', uri]
    expect(told()).toEqual([updated('clada://report'), updated('clada://history'), listed])
    await client.unsubscribeResource({ uri: 'clada://report' })
    await call('ls', { path: '.' })
    expect(told()).toEqual([])
  })

  it('come a page at a time', async () => {
    const numbers = Array.from({ length: 250 }, (_, at) => at + 1)
    const entry: Omit<HistoryEntry, 'number'> = {
      time: '',
      kind: 'run',
      summary: '',
      undone: false,
      interrupted: false,
      done: 1,
      failed: 0,
      paths: [],
      mode: 'off',
    }
    const clada = { history: async () => numbers.map((number) => ({ ...entry, number })) }
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await listResources(clada, cursor)
      seen.push(...page.resources.map(({ uri }) => uri))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    const executions = numbers.map((number) => `clada://history/${number}`).reverse()
    expect(seen).toEqual(['clada://report', 'clada://history', ...executions])
  })
})

describe('a resource that is longer than a message', () => {
  const entry = (number: number): HistoryEntry => Object.assign(JSON.parse('{}'), { number, summary: 'x'.repeat(500) })
  const clada = async () => ({
    history: async () => Array.from({ length: 1000 }, (_, at) => entry(at + 1)),
    execution: async () =>
      Object.assign(JSON.parse('{}'), { diffs: [{ diff: `+${'\u0001"'.repeat(40_000)}\n`.repeat(9) }] }),
  })
  const reports = new Reports()
  const link = reports.keep({ text: 'short', whole: 'long\n'.repeat(100_000) })
  it.each(['clada://report', link?.uri ?? '', 'clada://history', 'clada://history/7'])('%s is cut', async (uri) => {
    const longest = 100_000
    const found = JSON.stringify(await readResource(uri, reports, clada, longest))
    expect(found.length).toBeGreaterThan(200)
    expect(Buffer.byteLength(found)).toBeLessThan(longest + 1000)
    if (uri !== 'clada://history') return expect(found).toContain('[output truncated]')
    const { contents } = JSON.parse(found)
    expect(JSON.parse(contents[0].text).at(-1)).toMatchObject({ number: 1000 })
  })
})
