import http from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { HttpSession } from '../../packages/clada/src/mcp/http-session.ts'

/** The events that a client gets that has this one. */
async function missed(session: HttpSession, last: string): Promise<string[]> {
  const server = http.createServer((_, response) => {
    if (!session.listen(response, last)) response.writeHead(409).end()
    else setImmediate(() => response.end())
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const text = await (await fetch(`http://127.0.0.1:${address.port}/`)).text()
  return [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id ?? '')
}

const message = (characters: number) =>
  ({ jsonrpc: '2.0', method: 'x', params: { text: 'x'.repeat(characters) } }) as const

it.each([
  ['few and large', 40, 1024 * 1024, 15],
  ['many and small', 300, 10, 256],
] as const)('keeps so many messages for a client that lost its stream: %s', async (_, count, size, kept) => {
  const session = new HttpSession('s')
  for (let nth = 0; nth < count; nth++) await session.send(message(size))
  expect(await missed(session, String(count - kept + 1))).toHaveLength(kept - 1)
  expect(await missed(session, String(count - kept))).toEqual([])
})

it('keeps no message that is larger than all may be together, and those after it', async () => {
  const session = new HttpSession('s')
  for (const size of [10, 17 * 1024 * 1024, 10, 10]) await session.send(message(size))
  expect(await missed(session, '2')).toEqual([])
  expect(await missed(session, '3')).toEqual(['4'])
})
