import fs from 'node:fs'
import path from 'node:path'
import { sha256 } from '../core/hash.ts'
import { passedOver, slashed } from '../core/paths.ts'
import { namesIn, readSmall, type Text } from './rule-files.ts'
import { isRecord } from '../core/platform.ts'

/**
 * What a package tool would run. Few forms are understood, and those exactly: with every other one a script of any
 * package may be meant, so an approval is bound to the scripts of all of them.
 */
export function packageScripts(program: string, given: readonly string[], cwd: string, root: string): Text | undefined {
  const [first = '', ...rest] = given.filter((word, at) => !(harmless.test(word) && !given.slice(0, at).includes('--')))
  const byName = scriptNamed(program, first, rest)
  const nearest = nearestManifest(cwd)
  const own = nearest === undefined ? undefined : manifestIn(nearest, root)
  const settings = toolSettings([...new Set([nearest ?? root, root])], root)
  const bound = (text: Text): Text => ({ ...text, whole: settings === '' ? text.whole : `${text.whole}\n${settings}` })
  if (byName !== undefined && own?.scripts[byName] !== undefined) return bound(withPreAndPost(byName, own.scripts))
  const manifests = manifestsFor([...given, nearest ?? '.'], cwd, root)
  if (installing.test(first) || (first === '' && program === 'yarn')) {
    const text = installScripts(manifests, root)
    return text && bound(text)
  }
  if (manifests.length === 0) return undefined
  const names = manifests.map(({ name }) => name)
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  return bound({
    whole: JSON.stringify(manifests.map(({ name, scripts, unread }) => [name, scripts, unread])),
    shown: `what is not known by name, maybe any script of ${names.slice(0, mostNames).join(', ')}${more}`,
  })
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
  // An option may lead to another package, before the name of the script or after it.
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

/** Those of the workspaces run too, and those of packages that are taken from a directory. */
function installScripts(manifests: readonly Manifest[], root: string): Text | undefined {
  if (manifests.length === 0) return undefined
  const { packages, archives } = withLocalPackages(manifests, root)
  const found = packages.flatMap(({ name, scripts, native, unread }) => [
    ...linesOf(installNames, scripts).map((line) => `${name} ${line}`),
    ...(native === undefined ? [] : [`${name} install: node-gyp rebuild (binding.gyp, ${sha256(native).slice(0, 8)})`]),
    ...(unread === undefined ? [] : [`whatever ${name} says, which cannot be read (${sha256(unread).slice(0, 8)})`]),
  ])
  const packed = archives.map(({ name, hash }) => `whatever ${name} runs (${hash.slice(0, 8)})`)
  const all = [...found, ...packed]
  return {
    whole: all.join('\n'),
    shown: `${all.length === 0 ? 'no scripts of the project' : all.join('; ')}, and whatever fetched packages run`,
  }
}

interface Manifest {
  readonly dir: string
  /** As seen from the root. */
  readonly name: string
  readonly scripts: Readonly<Record<string, string>>
  /** Where its dependencies are directories or archives. */
  readonly local: readonly string[]
  /** The text of binding.gyp, which is built where no script says otherwise. */
  readonly native: string | undefined
  /** The text, where it could not be understood. */
  readonly unread: string | undefined
}

/** Packages that others name by a path, wherever they are, and the archives among them. */
function withLocalPackages(
  manifests: readonly Manifest[],
  root: string,
): { packages: readonly Manifest[]; archives: { name: string; hash: string }[] } {
  const packages = new Map(manifests.map((one) => [one.dir, one]))
  const archives = new Map<string, string>()
  for (const { dir, local } of packages.values()) {
    for (const place of [...local, ...lockedPlaces(dir)]) {
      const at = path.resolve(dir, place)
      if (packages.has(at) || archives.has(at) || packages.size >= mostDirectories) continue
      const manifest = manifestIn(at, root)
      if (manifest !== undefined) packages.set(at, manifest)
      else if (fs.statSync(at, { throwIfNoEntry: false })?.isFile()) archives.set(at, sha256(fs.readFileSync(at)))
    }
  }
  return {
    packages: [...packages.values()],
    archives: [...archives].map(([at, hash]) => ({ name: slashed(path.relative(root, at)), hash })),
  }
}

/** Places that the files with the exact versions name. */
function lockedPlaces(dir: string): string[] {
  const locks = ['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock']
  return locks.flatMap((name) => {
    const text = readSmall(path.join(dir, name)) ?? ''
    const named = [...text.matchAll(/(?:file|link|portal):([^\s"',)#]+)/g)].map(([, place = '']) => place)
    const resolved = [...text.matchAll(/"resolved":\s*"(?!https?:|git|file:)([^"]+)"/g)].map(([, place = '']) => place)
    return [...named, ...resolved]
  })
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
  for (const word of named) dirs.add(path.resolve(cwd, word.slice(word.indexOf('=') + 1).replace(/^file:/, '')))
  return [...dirs].sort().flatMap((dir) => manifestIn(dir, root) ?? [])
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
    if (manifestNames.some((name) => fs.existsSync(path.join(dir, name)))) return dir
    if (dir === path.dirname(dir)) return undefined
  }
}

/** The first counts; the others only where it is not there, and for pnpm only. */
const manifestNames = ['package.json', 'package.json5', 'package.yaml']

function manifestIn(dir: string, root: string): Manifest | undefined {
  const file = manifestNames.find((name) => fs.existsSync(path.join(dir, name)))
  const text = file === undefined ? undefined : readSmall(path.join(dir, file))
  if (file === undefined || text === undefined) return undefined
  const name = slashed(path.join(path.relative(root, dir), file))
  const native = readSmall(path.join(dir, 'binding.gyp'))
  const value = parsed(text)
  if (!isRecord(value)) return { dir, name, scripts: {}, local: [], native, unread: text }
  const dependencies = Object.entries(value)
    .filter(([key]) => /dependencies$/i.test(key))
    .flatMap(([, all]) => stringsIn(all))
  return {
    dir,
    name,
    scripts: Object.fromEntries(stringsIn(value['scripts'])),
    local: dependencies.flatMap(([, spec]) => placeIn(spec) ?? []),
    native,
    unread: undefined,
  }
}

const stringsIn = (value: unknown): [string, string][] =>
  isRecord(value)
    ? Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : []

/** The path in a dependency that names one. */
const placeIn = (spec: string): string | undefined =>
  /^(?:file|link|portal):(.+)$/.exec(spec)?.[1] ?? /^(?:\.{1,2}\/|\/).*$/.exec(spec)?.[0]

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Files that can put another program or shell in the place of the tool's own. Their texts count, and are not shown. */
const settingNames = ['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'pnpm-workspace.yaml', 'bunfig.toml']

/** Whether a change of this file can change what a script of a package is. */
export const decidesScripts = (relative: string): boolean =>
  relative.split('/').includes('node_modules') || [...manifestNames, ...settingNames].includes(path.basename(relative))

const toolSettings = (dirs: readonly string[], root: string): string =>
  dirs
    .flatMap((dir) => {
      const there = new Set(namesIn(dir))
      return settingNames.flatMap((name) => {
        const text = there.has(name) ? readSmall(path.join(dir, name)) : undefined
        return text === undefined ? [] : [`${slashed(path.join(path.relative(root, dir), name))}: ${sha256(text)}`]
      })
    })
    .join('\n')
