// How long an MCP client waits for its first answer: from starting the server until its tools are listed.
//
//   node bench/mcp.mjs
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { cli, median, scratch, spawned } from './measure.mjs'

const root = path.join(scratch, 'mcp')
fs.mkdirSync(root, { recursive: true })

const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
const clientInfo = { name: 'bench', version: '1' }
const hello = { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } }

/** Milliseconds until the list of tools is there. The second request waits for the answer to the first, as in a client. */
function listed() {
  const begun = performance.now()
  const child = spawn(process.execPath, [cli, 'mcp', '--root', root], { stdio: ['pipe', 'pipe', 'inherit'] })
  let text = ''
  let took
  child.stdin.write(line(hello))
  child.stdout.on('data', (chunk) => {
    const asked = text.includes('\n')
    text += chunk
    if (!asked && text.includes('\n')) {
      child.stdin.write(line({ method: 'notifications/initialized' }) + line({ id: 2, method: 'tools/list' }))
    }
    if (took === undefined && text.endsWith('\n') && text.includes('"tools":[')) {
      took = performance.now() - begun
      child.stdin.end()
    }
  })
  return new Promise((resolve, reject) =>
    child.on('close', () => (took === undefined ? reject(new Error(`No tools came: ${text}`)) : resolve(took))),
  )
}

/** Against a bare Node, in turn. */
export async function firstAnswer(times = 30) {
  const [ours, theirs] = [[], []]
  for (let time = 0; time < times; time++) {
    ours.push(await listed())
    theirs.push(spawned(process.execPath, ['-e', '0']))
  }
  const [a, b] = [ours, theirs].map(median)
  return { ours: a, peer: b, ratio: a / b }
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log('first answer', await firstAnswer())
