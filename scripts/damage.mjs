// Measures how edits survive damage: real edits in seven syntaxes, damaged in every way that chats and models damage
// text, alone and in pairs. Prints the table of docs/internals/edit-figures.md; ends with 1 when anything was applied wrong.
//
//   npm run damage -- [--edits N] [--cases N] [--verbose] [--docs] [--only DAMAGE] [--file NAME] [--peers]
//                    [--from DIR] [--seed N]
//
// All pairs are measured; with --cases as many of them as make so many cases.
// With --from edits are made up in the files of a directory, other ones for every seed.
// With --peers the patches are given to Codex's apply_patch too, and the search-replace blocks to the MCP filesystem server;
// both are fetched from npm into node_modules/.cache.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSource } from './source.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const args = process.argv.slice(2)
const number = (name, usual) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : usual)
const word = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : '')
const cache = path.join(root, 'node_modules', '.cache')
fs.mkdirSync(cache, { recursive: true })
const { measure } = await loadSource('scripts/damage.ts')
const { table, bad } = await measure({
  root,
  edits: number('--edits', 20),
  most: number('--cases', Infinity),
  verbose: args.includes('--verbose'),
  only: word('--only'),
  file: word('--file'),
  from: word('--from'),
  seed: number('--seed', 1),
  peers: args.includes('--peers') ? { codex: codexProgram(), filesystem: filesystemServer() } : {},
})
process.stdout.write(`${table}\n`)
if (args.includes('--docs')) {
  const page = path.join(root, 'docs/internals/edit-figures.md')
  const text = fs.readFileSync(page, 'utf8')
  fs.writeFileSync(
    page,
    text.replace(/(<!-- figures -->\n)[^]*?(<!-- \/figures -->)/, (_, open, close) => `${open}${table}\n${close}`),
  )
}
process.exitCode = bad > 0 ? 1 : 0

/** What npm fetches goes into a directory of its own, once. */
function fetched(name, ...npm) {
  const home = path.join(cache, name)
  if (!fs.existsSync(home)) {
    fs.mkdirSync(home)
    spawnSync('npm', [...npm, '--silent'], { cwd: home })
  }
  return home
}

function codexProgram() {
  const home = fetched('clada-codex', 'pack', `@openai/codex@0.166.0-${process.platform}-${process.arch}`)
  const vendor = path.join(home, 'package', 'vendor')
  const [archive] = fs.readdirSync(home)
  if (archive !== undefined && !fs.existsSync(vendor)) spawnSync('tar', ['xzf', archive], { cwd: home })
  const found = fs.existsSync(vendor)
    ? fs.readdirSync(vendor).map((name) => path.join(vendor, name, 'bin', 'codex'))
    : []
  return found.find((file) => fs.existsSync(file))
}

function filesystemServer() {
  const server = '@modelcontextprotocol/server-filesystem'
  const home = fetched('clada-filesystem', 'install', '--prefix', '.', '--ignore-scripts', `${server}@2026.8.31`)
  const file = path.join(home, 'node_modules', server, 'dist', 'lib.js')
  return fs.existsSync(file) ? file : undefined
}
