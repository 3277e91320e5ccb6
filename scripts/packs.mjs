// Decides which file of the command line holds which module, by running small commands and asking what they use.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const write = 'action = "file_write"\npath = "PROJECT/new-WORD.txt"\ncontent = "x"'
const edit = 'action = "file_edit"\npath = "PROJECT/words.txt"\nold_text = "WORD"\nnew_text = "edited"'
const read = 'action = "read_structure"\npath = "PROJECT/words.ts"\ntarget = "word"'
const clientInfo = { name: 'build', version: '1' }
const listing = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

/**
 * By file, a small command of which it holds the modules that no earlier one uses, and its input: a block, or all of it.
 * Or other files: what the command of the first has in common with any of the others, which do not load the first.
 */
export const packs = [
  { file: 'main.cjs', args: ['version'] },
  { file: 'read-pack.cjs', common: ['run-pack.cjs', 'diff-pack.cjs', 'check-pack.cjs'] },
  { file: 'run-pack.cjs', args: ['--no-git', '-'], block: write },
  { file: 'edit-pack.cjs', args: ['--no-git', '-'], block: edit },
  { file: 'git-pack.cjs', args: ['-'], block: edit },
  { file: 'diff-pack.cjs', args: ['diff', '-'], block: write },
  { file: 'check-pack.cjs', args: ['check', '-'], block: write },
  { file: 'action-pack.cjs', common: ['mcp-pack.cjs', 'structure-pack.cjs'] },
  { file: 'mcp-pack.cjs', args: ['mcp'], input: listing.join('') },
  { file: 'structure-pack.cjs', args: ['--no-git', '-'], block: read },
]

/**
 * By the file of a pack, the files of `probe` that its command loads. `probe` is a directory in which every module is a file
 * that is loaded when it is first used, and `start.cjs` starts the command line and writes at the end what was loaded to
 * descriptor 3.
 */
export function usedByPack(probe) {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-build-')))
  try {
    return usedIn(home, path.join(probe, 'start.cjs'))
  } finally {
    fs.rmSync(home, { recursive: true, force: true })
  }
}

function usedIn(home, start) {
  const project = path.join(home, 'project')
  fs.mkdirSync(project)
  // The second round finds what the first one left in the project, as most runs do.
  const commands = packs.filter(({ args }) => args !== undefined)
  const rounds = [1, 2].flatMap((round) => commands.map((pack) => ({ ...pack, word: `${pack.file}-${round}` })))
  fs.writeFileSync(path.join(project, 'words.txt'), rounds.map(({ word }) => `${word}\n`).join(''))
  fs.writeFileSync(path.join(project, 'words.ts'), 'function word() {}\n')
  const own = Object.entries(process.env).filter(([name]) => !/^(?:NODE|GIT|CLADA|XDG)_/.test(name))
  const env = { ...Object.fromEntries(own), HOME: home, USERPROFILE: home }
  const git = (...args) => spawnSync('git', args, { cwd: project, env })
  git('init', '-q')
  git('config', 'user.name', 'build')
  git('config', 'user.email', 'build@example.com')
  const used = new Map(packs.map(({ file }) => [file, new Set()]))
  for (const { file, args, block = '', input, word } of rounds) {
    const lines = block.replace('WORD', word).replace('PROJECT', project.replaceAll('\\', '/'))
    const { status, output } = spawnSync(process.execPath, [start, ...args], {
      cwd: project,
      env,
      input: input ?? `#!SHAM [@three-char-SHA-256: abc]\n${lines}\n#!END_SHAM_abc\n`,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`clada ${args.join(' ')} failed in the build:\n${output.join('')}`)
    for (const loaded of output[3].split('\n')) used.get(file).add(path.basename(loaded))
  }
  for (const { file, common: [first, ...others] = [] } of packs)
    for (const module of used.get(first) ?? [])
      if (others.some((other) => used.get(other).has(module))) used.get(file).add(module)
  return used
}
