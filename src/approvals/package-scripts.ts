import fs from 'node:fs'
import path from 'node:path'
import { passedOver } from '../core/passed-over.ts'
import { isRecord } from './project-list.ts'
import { readSmall, type Text } from './text.ts'

/**
 * What a package tool would run. Few forms are understood, and those exactly: with every other one a script of any
 * package may be meant, so an approval is bound to the scripts of all of them.
 */
export function packageScripts(program: string, given: readonly string[], cwd: string, root: string): Text | undefined {
  const [first = '', ...rest] = given.filter((word, at) => !(harmless.test(word) && !given.slice(0, at).includes('--')))
  const byName = scriptNamed(program, first, rest)
  const nearest = nearestManifest(cwd)
  const scripts = nearest === undefined ? undefined : scriptsIn(nearest)
  if (byName !== undefined && scripts?.[byName] !== undefined) return withPreAndPost(byName, scripts)
  const manifests = manifestsFor([...given, nearest ?? '.'], cwd, root)
  if (installing.test(first) || (first === '' && program === 'yarn')) return installScripts(manifests)
  if (manifests.length === 0) return undefined
  const names = manifests.map(({ name }) => name)
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  return {
    whole: JSON.stringify(manifests.map(({ name, scripts }) => [name, scripts])),
    shown: `what is not known by name, maybe any script of ${names.slice(0, mostNames).join(', ')}${more}`,
  }
}

const mostNames = 5

/** Switches that change nothing about what runs. */
const harmless = /^(?:-s|--silent|-q|--quiet)$/

const installing = /^(?:i|install|ci|add|update|upgrade)$/

const runWords: Readonly<Record<string, { readonly test: RegExp; readonly run: RegExp }>> = {
  npm: { test: /^(?:test|t|tst)$/, run: /^(?:run|run-script|rum|urn)$/ },
  pnpm: { test: /^(?:test|t|tst)$/, run: /^(?:run|run-script)$/ },
  yarn: { test: /^test$/, run: /^run$/ },
  // Its `test` is not the script of that name.
  bun: { test: /^$/, run: /^run$/ },
}

function scriptNamed(program: string, first: string, rest: readonly string[]): string | undefined {
  const words = runWords[program]
  const end = rest.indexOf('--')
  // An option may lead to another package, before the name of the script or behind it.
  if (words === undefined || (end < 0 ? rest : rest.slice(0, end)).some((word) => word.startsWith('-')))
    return undefined
  if (words.run.test(first)) return end === 0 ? undefined : rest[0]
  if (program !== 'bun' && first === 'start') return 'start'
  return first !== '' && words.test.test(first) ? 'test' : undefined
}

function withPreAndPost(name: string, scripts: Manifest['scripts']): Text {
  const found = linesOf([`pre${name}`, name, `post${name}`], scripts)
  return { whole: found.join('\n'), shown: found.length === 1 ? (scripts[name] ?? '') : found.join('; ') }
}

const linesOf = (names: readonly string[], scripts: Manifest['scripts']): string[] =>
  names.flatMap((name) => (scripts[name] === undefined ? [] : [`${name}: ${scripts[name]}`]))

const installNames = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare']

/** Those of the workspaces run too. */
function installScripts(manifests: readonly Manifest[]): Text | undefined {
  if (manifests.length === 0) return undefined
  const found = manifests.flatMap(({ name, scripts }) =>
    linesOf(installNames, scripts).map((line) => `${name} ${line}`),
  )
  return { whole: found.join('\n'), shown: found.length === 0 ? 'no scripts of the project' : found.join('; ') }
}

interface Manifest {
  /** As seen from the root. */
  readonly name: string
  readonly scripts: Readonly<Record<string, string>>
}

/** A project has a bounded number of directories to look into; those near the root come first. */
const mostDirectories = 20_000

/** Those of the project, and those in directories that are named, wherever they are. */
function manifestsFor(named: readonly string[], cwd: string, root: string): Manifest[] {
  const dirs = new Set<string>([root])
  for (const dir of dirs) {
    if (dirs.size >= mostDirectories) break
    for (const entry of entriesOf(dir))
      if (entry.isDirectory() && !passedOver.has(entry.name)) dirs.add(path.join(dir, entry.name))
  }
  for (const word of named) dirs.add(path.resolve(cwd, word.slice(word.indexOf('=') + 1)))
  return [...dirs].sort().flatMap((dir) => {
    const scripts = scriptsIn(dir)
    return scripts === undefined ? [] : [{ name: path.join(path.relative(root, dir), 'package.json'), scripts }]
  })
}

function entriesOf(dir: string): fs.Dirent[] {
  try {
    return fs.readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Package tools look upwards for it. */
function nearestManifest(cwd: string): string | undefined {
  for (let dir = cwd; ; dir = path.dirname(dir)) {
    if (fs.existsSync(path.join(dir, 'package.json'))) return dir
    if (dir === path.dirname(dir)) return undefined
  }
}

function scriptsIn(dir: string): Record<string, string> | undefined {
  const text = readSmall(path.join(dir, 'package.json'))
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const scripts = isRecord(value) && isRecord(value['scripts']) ? Object.entries(value['scripts']) : []
    return Object.fromEntries(scripts.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch {
    return {}
  }
}
