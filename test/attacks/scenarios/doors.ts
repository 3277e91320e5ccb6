import path from 'node:path'
import { waysToLoopback } from '../../support/other-user.ts'
import type { Attack } from '../attack.ts'
import { numbered, quoted } from './numbered.ts'

/** The page, the panel of the extension and MCP over HTTP, for everyone who is not to come in. */
export const doorScenarios = (): Attack[] => [...strangers(), ...pages(), ...panels()]

/** What `knock.mjs` sends. `$TOKEN`, `$CODE`, `$KEY`, `$COOKIE`, `$PAGE` and `$PORT` are secrets and facts of the server. */
export interface Knock {
  readonly as?: 'nobody'
  readonly way?: { readonly host: string; readonly localAddress?: string }
  /** The owner comes in before, and the cookie and the key of the page are known. */
  readonly entered?: true
  /** The last one counts. */
  readonly requests?: readonly Request[]
  /** Requests of an extension that is paired. */
  readonly signed?: readonly {
    readonly route: string
    readonly body?: object
    readonly looks?: string
    readonly forged?: Readonly<Record<string, string | number | true>>
  }[]
}

interface Request {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const servers = {
  page: 'clada ui --no-open --port 0 --exec unsandboxed --no-git',
  mcp: 'clada mcp --http 0 --exec unsandboxed --no-git',
} as const

/** Starts a server, knocks, and says the word of planted code when the knock was answered. */
export const knocking = (door: keyof typeof servers, knock: Knock): Pick<Attack, 'reply' | 'afterwards'> => ({
  reply: 'nothing\n',
  afterwards: [
    `${servers[door]} > {FX}/../door.out 2>&1 < /dev/null & server=$!`,
    `node ${quoted(path.join(import.meta.dirname, '../knock.mjs'))} {FX}/../door.out ${quoted(JSON.stringify(knock))} || {RAN}`,
    'pkill -P $server; wait $server; rm -f {FX}/../door.out',
  ].join('\n'),
})

export const payload =
  '#!SHAM [@three-char-SHA-256: pay]\naction = "exec"\nlang = "bash"\ncode = "{S}"\n#!END_SHAM_pay\n'
const harmless = '#!SHAM [@three-char-SHA-256: abc]\naction = "ls"\npath = "src"\n#!END_SHAM_abc\n'

const json = { 'content-type': 'application/json' }
const bearer = { ...json, authorization: 'Bearer $KEY', accept: 'application/json, text/event-stream' }
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
})
const own = { cookie: '$COOKIE', 'x-clada': '$PAGE', origin: 'http://127.0.0.1:$PORT' }
const extension = { ...json, origin: 'chrome-extension://abcdefghijklmnop' }
const post = (target: string, headers: Request['headers'], body: string): Request => ({
  path: target,
  method: 'POST',
  headers: headers ?? {},
  body,
})

export const calls: Readonly<Record<'token' | 'cookie' | 'document' | 'apply' | 'code' | 'pair' | 'mcp', Request>> = {
  token: { path: '/?token=$TOKEN' },
  cookie: { path: '/', headers: own },
  document: post('/api/document', { ...own, 'content-type': 'text/markdown' }, payload),
  apply: post('/api/apply', { ...own, ...json }, '{"tasks":null,"revision":1}'),
  code: post(
    '/code',
    { origin: 'http://127.0.0.1:$PORT', 'content-type': 'application/x-www-form-urlencoded' },
    'code=$CODE',
  ),
  pair: post('/companion/pair', extension, '{"code":"$CODE"}'),
  mcp: post('/mcp', bearer, initialize),
}

/** Another user of the machine, who has learned every secret. */
function strangers(): Attack[] {
  // Only the superuser can be another user.
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return []
  return numbered(
    'STRANGER',
    { why: 'servers answer their own user only' },
    Object.entries(waysToLoopback).flatMap(([how, way]) =>
      Object.entries(calls).map(([what, request]) => ({
        description: `${what} over ${how}`,
        ...knocking(what === 'mcp' ? 'mcp' : 'page', {
          as: 'nobody',
          way,
          ...(['cookie', 'document', 'apply'].includes(what) ? { entered: true } : {}),
          requests: [request],
        }),
      })),
    ),
  )
}

/** Other pages in the browser of the user, and programs that know less than the page. */
const foreign: readonly (readonly [what: string, change: (request: Request) => Request])[] = [
  ['from another origin', (one) => withHeaders(one, { origin: 'https://evil.example' })],
  ['from an opaque origin', (one) => withHeaders(one, { origin: 'null' })],
  ['from another port', (one) => withHeaders(one, { origin: 'http://127.0.0.1:1' })],
  ['from another name of the machine', (one) => withHeaders(one, { origin: 'http://localhost:$PORT' })],
  [
    'under another name',
    (one) => withHeaders(one, { host: 'evil.example:$PORT', origin: 'http://evil.example:$PORT' }),
  ],
  ['under a name that begins like ours', (one) => withHeaders(one, { host: '127.0.0.1.evil.example:$PORT' })],
  ['from another site', (one) => withHeaders(one, { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'empty' })],
  ['without the key of the page', (one) => withHeaders(one, { 'x-clada': 'x', authorization: 'Bearer x' })],
  ['without the cookie', (one) => withHeaders(one, { cookie: 'clada-1=x', 'x-clada': '', authorization: '' })],
]

const withHeaders = (request: Request, headers: Readonly<Record<string, string>>): Request => ({
  ...request,
  headers: { ...request.headers, ...headers },
})

function pages(): Attack[] {
  const byPage = (what: string): boolean => what === 'document' || what === 'apply'
  return numbered(
    'PAGE',
    { why: "requests of other web pages are not the user's" },
    [...Object.entries(calls).filter(([what]) => byPage(what)), ['mcp', calls.mcp] as const].flatMap(
      ([what, request]) =>
        foreign
          .filter(([how]) => what !== 'mcp' || !/site|cookie/.test(how))
          .map(([how, change]) => ({
            description: `${what} ${how}`,
            ...knocking(what === 'mcp' ? 'mcp' : 'page', {
              ...(what === 'mcp' ? {} : { entered: true as const }),
              requests: [change(request)],
            }),
          })),
    ),
  )
}

/** Other extensions, and a paired one whose key is not known. */
const forgeries: readonly (readonly [what: string, knock: Knock])[] = [
  ...['projects', 'look', 'block', 'show', 'apply', 'result', 'answer', 'stop', 'undo', 'prompt', 'forget'].map(
    (route) =>
      [
        `${route} without being paired`,
        { requests: [post(`/companion/${route}`, extension, '{"site":"x","tab":1}')] },
      ] as const,
  ),
  ['a guessed code', { requests: [post('/companion/pair', extension, '{"code":"AAAAAAAA"}')] }],
  ['no code', { requests: [post('/companion/pair', extension, '{}')] }],
  [
    'the code after five wrong ones',
    {
      requests: [
        ...Array.from({ length: 6 }, () => post('/companion/pair', extension, '{"code":"AAAAAAAA"}')),
        calls.pair,
      ],
    },
  ],
  ['the code a second time', { requests: [calls.pair, calls.pair] }],
  ['the code from a web page', { requests: [withHeaders(calls.pair, { origin: 'https://evil.example' })] }],
  ['the code under another name', { requests: [withHeaders(calls.pair, { host: 'evil.example' })] }],
  ['a plain form with the code', { requests: [withHeaders(calls.pair, { 'content-type': 'text/plain' })] }],
  ...(
    [
      ['another key', { key: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
      ['another id', { id: 'AAAAAAAAAAAA' }],
      ['the signature of another route', { route: 'projects' }],
      ['the signature of another port', { port: '1' }],
      ['the signature of another text', { text: '{}' }],
      ['an old signature', { age: 120_000 }],
      ['a signature of the future', { age: -120_000 }],
      ['a signature a second time', { again: true }],
      ['another extension', { origin: 'chrome-extension://bbbbbbbbbbbbbbbb' }],
      ['a web page', { origin: 'https://chat.example' }],
    ] as const
  ).flatMap(([what, forged]) =>
    // To apply once is what the panel may do; what is sent again must not be.
    (['look', 'apply', 'prompt'] as const)
      .filter((route) => !('again' in forged && route === 'apply'))
      .map(
        (route) =>
          [`${route} with ${what}`, { signed: [{ route, body: { text: payload }, looks: payload, forged }] }] as const,
      ),
  ),
  ...(
    [
      ['that was not shown', { looks: payload, body: { shown: 'x' } }],
      ['in another tab', { looks: payload, body: { tab: 2 } }],
      ['of another site', { looks: payload, body: { site: 'https://evil.example' } }],
      ['with the digest of another reply', { looks: harmless, body: { hash: '0'.repeat(64) } }],
      ['that nobody looked at', { body: { hash: '0'.repeat(64), shown: 'x', text: payload } }],
    ] as const
  ).map(([what, request]) => [`apply a reply ${what}`, { signed: [{ route: 'apply', ...request }] }] as const),
]

function panels(): Attack[] {
  return numbered(
    'PANEL',
    { why: 'a paired extension applies what its panel has shown, and nobody else anything' },
    forgeries.map(([description, knock]) => ({ description, ...knocking('page', knock) })),
  )
}
