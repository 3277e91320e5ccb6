// 50 edits of one file at the same time, by the command line, the library, the MCP server and all of them together, beside
// programs that only compute. All must be applied.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'

const count = 50

/** Returns the text for docs/internals/reliability.md. `scratch` is a directory of its own, `load` the number of such programs. */
export async function parallel(home, scratch, load) {
  const busy = Array.from({ length: load }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  try {
    const rows = []
    for (const way of ['command line', 'library', 'MCP', 'mixed'])
      for (const mode of ['off', 'commit']) {
        const { applied, seconds, codes } = await edits(home, path.join(scratch, `${way}-${mode}`), way, mode)
        rows.push(`| ${way}, ${mode} | ${applied} of ${count} | ${seconds.toFixed(0)} s |`)
        console.log(rows.at(-1), codes)
        if (applied < count) process.exitCode = 1
      }
    return [
      `With ${load} programs that compute beside them.`,
      '',
      '| how, mode | applied | time |',
      '|---|---|---|',
      ...rows,
    ].join('\n')
  } finally {
    for (const one of busy) one.kill('SIGKILL')
  }
}

async function edits(home, root, way, mode) {
  fs.mkdirSync(root)
  const file = path.join(root, 'a.txt')
  fs.writeFileSync(file, Array.from({ length: count }, (_, at) => `line-${at} old\n`).join(''))
  const git = spawn('git', ['init', '-q', root])
  await once(git, 'close')
  const document = (at) =>
    `#!SHAM [@three-char-SHA-256: abc]\naction = "file_replace_text"\npath = "${file}"\nold_text = "line-${at} old"\nnew_text = "line-${at} new"\n#!END_SHAM_abc\n`
  const cli = path.join(home, 'packages/clada/dist/cli.cjs')
  const { Clada } = await import(path.join(home, 'packages/clada/dist/index.js'))
  const { server, call } = await mcp(cli, root, mode)
  const codes = {}
  const ways = {
    'command line': async (at) => {
      const child = spawn(process.execPath, [cli, 'run', '-', '--json', '--root', root, '--git', mode], {
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      let text = ''
      child.stdout.on('data', (data) => (text += data))
      child.stdin.end(document(at))
      await once(child, 'close')
      return child.exitCode === 0 ? undefined : text
    },
    library: async (at) => {
      const result = await new Clada({ repoPath: root, git: mode }).execute(document(at))
      return result.success ? undefined : JSON.stringify(result)
    },
    MCP: async (at) => {
      const result = await call('tools/call', { name: 'execute', arguments: { document: document(at) } })
      return result.isError ? JSON.stringify(result) : undefined
    },
  }
  const all = Object.values(ways)
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const failure = await (ways[way] ?? all[at % all.length])(at)
      if (failure === undefined) return
      const code = /"(?:fatalCode|code)":\s*"([^"]+)"/.exec(failure)?.[1] ?? failure.slice(0, 300)
      codes[code] = (codes[code] ?? 0) + 1
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  server.kill()
  const applied = fs.readFileSync(file, 'utf8').match(/new$/gm)?.length ?? 0
  return { applied, seconds, codes }
}

/** A server on the project, and a way to ask it. */
async function mcp(cli, root, mode) {
  const server = spawn(process.execPath, [cli, 'mcp', '--root', root, '--git', mode], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const open = new Map()
  createInterface({ input: server.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line)
    open.get(id)?.(result)
  })
  let next = 1
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const call = (method, params) =>
    new Promise((done) => {
      open.set(next, done)
      send({ id: next++, method, params })
    })
  const clientInfo = { name: 'parallel', version: '1' }
  await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return { server, call }
}
