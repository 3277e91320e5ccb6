// Runs the conformance suite of the Model Context Protocol against `clada mcp --http`.
//
//   npm run build && npm run mcp:conformance
//
// The suite needs Node 22 and sends no key, so it is installed with that Node into a temporary directory and talks through
// a proxy that adds the key. Most of its scenarios call tools, resources and prompts of its own example server by name, or
// ask for capabilities that clada does not declare; the others must pass.
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'

const applies = new Set([
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'resources-list',
  'resources-subscribe',
  'resources-unsubscribe',
  'prompts-list',
  'dns-rebinding-protection',
])

const root = path.resolve(import.meta.dirname, '..')
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-mcp-'))
const [project, state] = ['project', 'state'].map((name) => path.join(dir, name))
fs.mkdirSync(project)
fs.writeFileSync(path.join(dir, 'package.json'), '{"private": true}')
const env = { ...process.env, XDG_STATE_HOME: state }
execFileSync('npm', ['install', '--silent', 'node@22', '@modelcontextprotocol/conformance@0.1.16'], { cwd: dir, env })

const server = spawn(process.execPath, [path.join(root, 'dist/cli.cjs'), 'mcp', '--http', '--root', project], {
  env,
  stdio: ['ignore', 'ignore', 'pipe'],
})
let passed = 0
try {
  const address = await new Promise((found, failed) => {
    let said = ''
    server.stderr.on('data', (chunk) => {
      said += chunk
      const [, url] = /listening on (http:\S+?)[;\s]/.exec(said) ?? []
      if (url !== undefined) found(new URL(url))
    })
    server.on('exit', () => failed(new Error(said)))
  })
  const key = fs.readFileSync(path.join(state, 'clada/mcp-key'), 'utf8').trim()
  const proxy = http.createServer((request, response) => {
    const names = `127.0.0.1:${proxy.address().port}`
    const here = (value) => value?.replace(names, address.host)
    const headers = { ...request.headers, authorization: `Bearer ${key}`, host: here(request.headers.host) }
    if (headers.origin !== undefined) headers.origin = here(headers.origin)
    const onward = http.request({
      host: address.hostname,
      port: address.port,
      path: request.url,
      method: request.method,
      headers,
    })
    onward.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode, answer.headers)))
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  await new Promise((done) => proxy.listen(0, '127.0.0.1', done))
  const suite = path.join(dir, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  const url = `http://127.0.0.1:${proxy.address().port}/mcp`
  const output = await new Promise((done) => {
    const program = spawn(path.join(dir, 'node_modules/node/bin/node'), [suite, 'server', '--url', url], { env })
    let said = ''
    for (const stream of [program.stdout, program.stderr]) stream.on('data', (chunk) => void (said += chunk))
    program.on('close', () => done(said))
  })
  proxy.close()
  proxy.closeAllConnections()
  const rows = [...output.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)]
  for (const [, name, , failed] of rows.filter(([, name]) => applies.has(name))) {
    if (failed === '0') passed++
    console.log(`${failed === '0' ? 'passed' : 'FAILED'}  ${name}`)
  }
  console.log(`${passed} of ${applies.size} scenarios that apply; ${rows.length - applies.size} do not`)
} finally {
  server.kill()
  fs.rmSync(dir, { recursive: true, force: true })
}
process.exitCode = passed === applies.size ? 0 : 1
