// Small commands, as a person waits for them, beside a Node that does nothing: installed with npm, and as one executable.
import fs from 'node:fs'
import path from 'node:path'
import { block, cli, executable, env, scratch, spawned, writeFiles } from '../measure.mjs'

const requests = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

/** By a project of their own: what was executed in one before is read at each start. */
const commands = (dir) => ({
  version: { what: '`clada version`', args: ['version'] },
  diff: { what: '`clada diff` of one block', args: ['diff', '--root', dir, path.join(dir, 'reply.md')] },
  block: {
    what: 'one block that makes a file, without git',
    args: ['--no-git', '--again', '--root', dir, path.join(dir, 'reply.md')],
    before: () => fs.rmSync(path.join(dir, 'made.txt'), { force: true }),
  },
  outline: {
    what: '`clada outline` of a TypeScript file',
    args: ['outline', '--root', dir, path.join(dir, 'code.ts')],
  },
  mcp: { what: '`clada mcp` until the list of tools', args: ['mcp', '--root', dir], input: requests.join('') },
})

function row(kind, name, program) {
  const id = `${kind}-${name}`
  const dir = path.join(scratch, id)
  const { what, args, before, input } = commands(dir)[name]
  return {
    id,
    what,
    beside: '`node -e 0`',
    rounds: 30,
    measure() {
      writeFiles(dir, { 'reply.md': block('file_write', { path: path.join(dir, 'made.txt'), content: 'x' }) })
      fs.copyFileSync(new URL('../../packages/clada/src/actions/decode.ts', import.meta.url), path.join(dir, 'code.ts'))
      const stdio = [input === undefined ? 'ignore' : 'pipe', 'ignore', 'pipe']
      return {
        ours() {
          before?.()
          return spawned([...program, ...args], { input, stdio })
        },
        peer: () => spawned([process.execPath, '-e', '0'], { env }),
      }
    },
  }
}

const names = Object.keys(commands(scratch))

export const rows = [
  ...names.map((name) => row('start', name, [process.execPath, cli])),
  ...(executable === undefined ? [] : names.map((name) => row('executable', name, [executable]))),
]
