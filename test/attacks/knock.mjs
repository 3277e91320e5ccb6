// Knocks at a server of clada: `node knock.mjs OUTPUT-OF-THE-SERVER KNOCK`. Ends with 1 when it was let in.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'

const [, , output = '', json = '{}'] = process.argv
/** @type {import('./scenarios/doors.ts').Knock} */
const knock = JSON.parse(json)
const { way = { host: '127.0.0.1' }, requests = [], signed = [] } = knock

const printed = await eventually(() => {
  const text = fs.existsSync(output) ? fs.readFileSync(output, 'utf8') : ''
  return /token=\S+[^]*pair[^]*: \d+-\S+|listening on \S+/.test(text) ? text : undefined
})
const [, port = '0'] = /127\.0\.0\.1:(\d+)/.exec(printed) ?? []
const facts = {
  PORT: port,
  TOKEN: /token=(\S+)/.exec(printed)?.[1] ?? '',
  CODE: /: \d+-(\S+)/.exec(printed)?.[1] ?? '',
  KEY: keyOfMcp(),
}

const extension = 'chrome-extension://abcdefghijklmnop'
const loopback = { host: '127.0.0.1' }
if (knock.entered) {
  const { headers, body } = await send(loopback, { path: '/?token=$TOKEN' })
  Object.assign(facts, { COOKIE: String(headers['set-cookie']).split(';')[0], PAGE: keyIn(body) })
}
const paired = signed.length > 0 ? await pair() : undefined
if (knock.as === 'nobody') {
  process.setgid?.(65_534)
  process.setuid?.(65_534)
}

let last = 0
for (const one of requests) last = (await send(way, one)).status
for (const one of signed) last = await ask(one)
console.log('knocked:', last)
process.exitCode = last >= 200 && last < 400 ? 1 : 0

async function pair() {
  const body = JSON.stringify({ code: facts.CODE })
  const headers = { origin: extension, 'content-type': 'application/json' }
  return JSON.parse((await send(loopback, { path: '/companion/pair', method: 'POST', headers, body })).body)
}

/** What the paired extension asks. `looks`: a reply that it looks at before; `forged`: what of it is not as it should be. */
async function ask({ route, body, looks, forged = {} }) {
  const seen = { site: 'https://chat.example', tab: 1 }
  const looked = looks === undefined ? {} : await shownOf({ ...seen, text: looks })
  const request = signedRequest(route, JSON.stringify({ ...seen, ...looked, ...body }), forged)
  const { status } = await send(way, request)
  return forged.again ? (await send(way, request)).status : status
}

async function shownOf(body) {
  const { answer } = JSON.parse((await send(loopback, signedRequest('look', JSON.stringify(body)))).body)
  const { hash, shown } = JSON.parse(answer)
  return { hash, shown }
}

/** As `pairing.ts` wants it, but for what is forged. */
function signedRequest(route, text, forged = {}) {
  const [time, nonce] = [String(Date.now() - (forged.age ?? 0)), randomBytes(12).toString('base64url')]
  const parts = ['clada request', forged.route ?? route, forged.port ?? port, time, nonce, sha256(forged.text ?? text)]
  const mac = createHmac('sha256', Buffer.from(forged.key ?? paired.key, 'base64url')).update(parts.join('\n'))
  const headers = {
    origin: forged.origin ?? extension,
    'content-type': 'application/json',
    'x-clada-companion': [forged.id ?? paired.id, time, nonce, mac.digest('base64url')].join(' '),
  }
  return { path: `/companion/${route}`, method: 'POST', headers, body: text }
}

/** The name in the request is the usual one, whatever address it is sent to. */
function send(to, { path: target, method = 'GET', headers = {}, body }) {
  const all = Object.entries({ host: '127.0.0.1:$PORT', ...headers }).map(([name, value]) => [name, filled(value)])
  const options = { ...to, port, path: filled(target), method, agent: false, headers: Object.fromEntries(all) }
  return new Promise((resolve, reject) => {
    const request = http.request(options, (answer) => {
      let text = ''
      answer.on('data', (part) => (text += part))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }))
    })
    request.on('error', reject)
    request.end(body === undefined ? undefined : filled(body))
  })
}

function filled(text) {
  return text.replace(/\$([A-Z]+)/g, (whole, name) => facts[name] ?? whole)
}

function keyIn(page) {
  return /<meta name="clada-key" content="([^"]*)"/.exec(page)?.[1] ?? ''
}

function keyOfMcp() {
  const file = path.join(process.env.XDG_STATE_HOME ?? '', 'clada', 'mcp-key')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : ''
}

function sha256(text) {
  return createHash('sha256').update(text).digest('hex')
}

async function eventually(find) {
  for (let tries = 0; tries < 600; tries++) {
    const found = find()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the server did not start')
}
