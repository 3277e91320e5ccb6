// Runs the conformance suite of the Model Context Protocol against `clada mcp --http`, for the newest revision of each era.
//
//   npm run build && npm run mcp:conformance
//
// The suite needs Node 22 and sends no key, so it is installed with that Node into a temporary directory and talks through
// a proxy that adds the key. Many of its scenarios call tools, resources and prompts of its own example server by name;
// where clada has a call that does the same, the proxy puts that in their place. The others ask for what clada does not
// offer: sampling, logging, completion, audio, tasks, headers made of parameters.
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'

const both = [
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-error',
  'tools-call-with-progress',
  'server-sse-multiple-streams',
  'resources-list',
  'resources-read-text',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'dns-rebinding-protection',
]

const scenarios = {
  '2026-07-28': [
    'server-stateless',
    ...both,
    'caching',
    'http-header-validation',
    'sep-2164-resource-not-found',
    'input-required-result-result-type',
    'input-required-result-request-state',
    'input-required-result-missing-input-response',
    'input-required-result-tampered-state',
    'input-required-result-validate-input',
    'input-required-result-unsupported-methods',
  ],
  '2025-11-25': [
    'server-initialize',
    'server-session-lifecycle',
    'ping',
    ...both,
    'resources-subscribe',
    'resources-unsubscribe',
    'tools-call-elicitation',
  ],
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const writes = ['a', 'b', 'c'].map((name) => `<---WRITE file="${name}"--->\n${name}\n<---END--->`).join('\n')
const asks = { name: 'run', arguments: { command: 'bash make.sh' } }

/** By the name of what the suite asks for. */
const standIns = {
  test_simple_text: { name: 'file_read_numbered', arguments: { path: 'text.txt' } },
  test_image_content: { name: 'file_read_numbered', arguments: { path: 'red.png' } },
  test_error_handling: { name: 'file_read_numbered', arguments: { path: 'missing.txt' } },
  test_tool_with_progress: { name: 'execute', arguments: { document: writes } },
  test_elicitation: asks,
  test_input_required_result_elicitation: asks,
  test_input_required_result_tampered_state: asks,
  test_input_required_result_request_state: asks,
  test_simple_prompt: { name: 'clada' },
  test_prompt_with_arguments: { name: 'start', arguments: { task: 'testValue1 testValue2' } },
  'test://static-text': { uri: 'clada://report' },
}

const root = path.resolve(import.meta.dirname, '..')
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-mcp-'))
fs.writeFileSync(path.join(dir, 'package.json'), '{"private": true}')
execFileSync('npm', ['install', '--silent', 'node@22', '@modelcontextprotocol/conformance@0.2.0-alpha.12'], {
  cwd: dir,
})
const suite = path.join(dir, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const node = path.join(dir, 'node_modules/node/bin/node')

let failed = 0
try {
  for (const [revision, names] of Object.entries(scenarios)) {
    for (const name of names) {
      const { passed, wrong, untestable } = await run(name, revision)
      if (wrong.length > 0 || passed === 0) failed++
      const note = untestable === 0 ? '' : `, ${untestable} need a tool of the suite`
      console.log(
        `${wrong.length > 0 || passed === 0 ? 'FAILED' : 'passed'}  ${revision}  ${name} (${passed} checks${note})`,
      )
      for (const message of wrong) console.log(`        ${message}`)
    }
  }
} finally {
  fs.rmSync(dir, { recursive: true, force: true })
}
const all = Object.values(scenarios).flat().length
console.log(`${all - failed} of ${all} scenarios passed`)
process.exitCode = failed === 0 ? 0 : 1

/** One scenario, with a server of its own: a question that the suite leaves open would hold up the next one. */
async function run(name, revision) {
  const here = fs.mkdtempSync(path.join(dir, 'run-'))
  const project = path.join(here, 'project')
  fs.mkdirSync(project)
  fs.writeFileSync(path.join(project, 'text.txt'), 'text\n')
  fs.writeFileSync(path.join(project, 'red.png'), Buffer.from(png, 'base64'))
  fs.writeFileSync(path.join(project, 'make.sh'), 'echo made\n')
  const env = { ...process.env, XDG_STATE_HOME: path.join(here, 'state') }
  const server = spawn(
    process.execPath,
    [path.join(root, 'packages/clada/dist/cli.cjs'), 'mcp', '--http', '--root', project],
    {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const address = await new Promise((found, lost) => {
    let said = ''
    server.stderr.on('data', (chunk) => {
      said += chunk
      const [, url] = /listening on (http:\S+?)[;\s]/.exec(said) ?? []
      if (url !== undefined) found(new URL(url))
    })
    server.on('exit', () => lost(new Error(said)))
  })
  const key = fs.readFileSync(path.join(here, 'state/clada/mcp-key'), 'utf8').trim()
  const proxy = http.createServer((request, response) => void forward(request, response, address, key, proxy))
  try {
    await new Promise((done) => proxy.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${proxy.address().port}/mcp`
    const out = path.join(here, 'out')
    const args = [suite, 'server', '--url', url, '--scenario', name, '--spec-version', revision, '-o', out]
    const program = spawn(node, args, { env, stdio: 'ignore' })
    await new Promise((done) => program.on('close', done))
    return counted(checksIn(out))
  } finally {
    proxy.close()
    proxy.closeAllConnections()
    // It may be writing its state, which is removed at the end.
    const ended = new Promise((done) => server.on('close', done))
    server.kill()
    await ended
  }
}

function checksIn(out) {
  if (!fs.existsSync(out)) return []
  return fs.readdirSync(out).flatMap((name) => JSON.parse(fs.readFileSync(path.join(out, name, 'checks.json'), 'utf8')))
}

function counted(checks) {
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  const [untestable, wrong] = [[], []]
  for (const { errorMessage = '', id } of bad)
    (errorMessage.startsWith('Not testable') ? untestable : wrong).push(`${id}: ${errorMessage}`)
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length
  return { passed, wrong, untestable: untestable.length }
}

async function forward(request, response, address, key, proxy) {
  const names = `127.0.0.1:${proxy.address().port}`
  const here = (value) => value?.replace(names, address.host)
  const headers = { ...request.headers, authorization: `Bearer ${key}`, host: here(request.headers.host) }
  if (headers.origin !== undefined) headers.origin = here(headers.origin)
  const parts = []
  for await (const part of request) parts.push(part)
  const { body, name } = translated(Buffer.concat(parts))
  delete headers['transfer-encoding']
  if (body.length > 0) headers['content-length'] = String(body.length)
  if (name !== undefined && headers['mcp-name'] !== undefined) headers['mcp-name'] = name
  const { hostname: host, port } = address
  const onward = http.request({ host, port, path: request.url, method: request.method, headers })
  onward.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode, answer.headers)))
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  onward.end(body)
}

/** A request with clada's own call in the place of one to the suite's example server. */
function translated(body) {
  try {
    const message = JSON.parse(body.toString('utf8'))
    const standIn = standIns[message.params?.name ?? message.params?.uri]
    if (standIn === undefined) return { body }
    const params = { ...message.params, ...standIn }
    return { body: Buffer.from(JSON.stringify({ ...message, params })), name: standIn.name ?? standIn.uri }
  } catch {
    return { body }
  }
}
