import { lookUp } from '@clada/reply/core/look-up.ts'
import path from 'node:path'
import { formatCount, groupDigits } from '@clada/reply/core/words.ts'
import { jsonOf, listNames, putFile, readOwn, readStats } from '../state/own-files.ts'
import { splitNul } from './git-program.ts'
import type { IsolatedGit } from './isolated-git.ts'

/** An untracked directory that no commit takes: what tools made or brought, or more than a person writes. */
export interface MadeDirectory {
  /** Relative to the top of the repository. */
  readonly name: string
  readonly why: string
  readonly files: number
}

/** Of these untracked paths, those that no commit takes, by their directories. */
export async function findMadeDirectories(isolated: IsolatedGit, paths: readonly string[]): Promise<MadeDirectory[]> {
  const { top } = isolated.repository
  if (top === undefined || paths.length === 0) return []
  const found: Omit<MadeDirectory, 'files'>[] = []
  const known = new Map<string, string | undefined>()
  for (const name of paths) {
    const made = ancestors(name).find((dir) => {
      if (!known.has(dir)) known.set(dir, makerOf(top, dir))
      return known.get(dir) !== undefined
    })
    if (made !== undefined && !found.some((one) => one.name === made))
      found.push({ name: made, why: known.get(made) ?? '' })
  }
  const tracked = await filterTracked(
    isolated,
    found.map(({ name }) => name),
  )
  const made = found.filter(({ name }) => !tracked.has(name))
  const isMade = isBelow(made.map(({ name }) => name))
  made.push(
    ...(await tooLarge(
      isolated,
      top,
      paths.filter((name) => !isMade(name)),
    )),
  )
  return made.map((one) => ({ ...one, files: paths.filter(isBelow([one.name])).length }))
}

export function isBelow(dirs: readonly string[]): (name: string) => boolean {
  const all = new Set(dirs)
  return (name) => all.size > 0 && ancestors(name).some((dir) => all.has(dir))
}

/** `.venv/ (1,308 files, a Python environment) is not committed; …` */
export function madeWarning(made: readonly MadeDirectory[], shown: (name: string) => string): string {
  const named = made.map(
    ({ name, why, files }) => `${shown(name)}/ (${groupDigits(files)} ${files === 1 ? 'file' : 'files'}, ${why})`,
  )
  const rules = made.map(({ name }) => `/${name}/`)
  const them = formatCount(rules.length, 'line')
  return `not committed: ${named.join(', ')}. Put ${rules.length === 1 ? 'this line' : `these ${them}`} into .gitignore: ${rules.join(' ')}`
}

/** Those that no execution has named yet. They are named in the report of one, and not again while they stay. */
export function filterUnnamed(made: readonly MadeDirectory[], top: string, stateDir: string): readonly MadeDirectory[] {
  const file = path.join(stateDir, 'named-directories')
  const named = jsonOf(readOwn(file))
  const before: unknown[] = Array.isArray(named) ? named : []
  const fresh = made.filter(({ name }) => !before.includes(path.join(top, name)))
  if (fresh.length === 0) return fresh
  const there = before.filter((one) => typeof one === 'string' && readStats(one) !== undefined)
  try {
    putFile(file, JSON.stringify([...there, ...fresh.map(({ name }) => path.join(top, name))]))
  } catch {
    // Then they are named again the next time.
  }
  return fresh
}

/** From the outermost on. */
const ancestors = (name: string): string[] => {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** What a directory of this name holds, wherever it is. */
const byName: Readonly<Record<string, string>> = {
  node_modules: 'packages',
  bower_components: 'packages',
  'site-packages': 'packages',
  __pycache__: 'a cache',
  '.pytest_cache': 'a cache',
  '.mypy_cache': 'a cache',
  '.ruff_cache': 'a cache',
  '.parcel-cache': 'a cache',
  '.turbo': 'a cache',
  '.gradle': 'a cache',
  '.tox': 'an environment',
  '.nox': 'an environment',
  '.terraform': 'packages',
  '.next': 'build output',
  '.nuxt': 'build output',
  '.svelte-kit': 'build output',
  '.eggs': 'packages',
}

/** What it holds where one of these files is beside it. */
const besides: readonly (readonly [dir: string, file: RegExp, why: string])[] = [
  ['target', /^(?:Cargo\.toml|pom\.xml|build\.sbt)$/, 'build output'],
  ['build', /^(?:build\.gradle(?:\.kts)?|CMakeLists\.txt|setup\.py|pubspec\.yaml)$/, 'build output'],
  ['dist', /^(?:package\.json|pyproject\.toml|setup\.py)$/, 'build output'],
  ['coverage', /^package\.json$/, 'build output'],
  ['vendor', /^(?:composer\.json|go\.mod|Gemfile)$/, 'packages'],
  ['bin', /\.(?:cs|fs|vb)proj$/, 'build output'],
  ['obj', /\.(?:cs|fs|vb)proj$/, 'build output'],
  ['.build', /^Package\.swift$/, 'build output'],
  ['Pods', /^Podfile$/, 'packages'],
  ['deps', /^mix\.exs$/, 'packages'],
  ['_build', /^mix\.exs$/, 'build output'],
]

/** What tools put into a directory of their own. */
const inside: readonly (readonly [file: string, why: string])[] = [
  ['pyvenv.cfg', 'a Python environment'],
  ['CACHEDIR.TAG', 'a cache'],
]

function makerOf(top: string, dir: string): string | undefined {
  const name = path.posix.basename(dir)
  const known = lookUp(byName, name) ?? (name.endsWith('.egg-info') ? 'build output' : undefined)
  if (known !== undefined) return known
  const beside = besides.filter(([one]) => one === name)
  const names = beside.length === 0 ? [] : listNames(path.join(top, path.posix.dirname(dir)))
  const [, , why] = beside.find(([, file]) => names.some((one) => file.test(one))) ?? []
  return why ?? inside.find(([file]) => readStats(path.join(top, dir, file))?.isFile())?.[1]
}

/** Nobody writes more at once. */
const most = { files: 200, bytes: 20 * 1024 * 1024 } as const

/** The topmost untracked directories with too much in them. */
async function tooLarge(
  isolated: IsolatedGit,
  top: string,
  paths: readonly string[],
): Promise<Omit<MadeDirectory, 'files'>[]> {
  const found: Omit<MadeDirectory, 'files'>[] = []
  const sizes = new Map(paths.map((name) => [name, sizeAt(path.join(top, name))]))
  // A tracked directory may have one inside.
  for (let depth = 1, left = paths; left.length > 0; depth++) {
    const groups = new Map<string, { files: number; bytes: number }>()
    for (const name of left) {
      const parts = name.split('/')
      if (parts.length <= depth) continue
      const dir = parts.slice(0, depth).join('/')
      const group = groups.get(dir) ?? { files: 0, bytes: 0 }
      groups.set(dir, { files: group.files + 1, bytes: group.bytes + (sizes.get(name) ?? 0) })
    }
    const large = [...groups].filter(([, { files, bytes }]) => files > most.files || bytes > most.bytes)
    const tracked = await filterTracked(
      isolated,
      large.map(([dir]) => dir),
    )
    for (const [dir, { bytes }] of large)
      if (!tracked.has(dir))
        found.push({
          name: dir,
          why: bytes > most.bytes ? `${Math.round(bytes / 2 ** 20)} MB` : 'more than anyone writes at once',
        })
    left = left.filter(isBelow([...tracked]))
  }
  return found
}

const sizeAt = (file: string): number => readStats(file)?.size ?? 0

/** The directories in which the last commit has something. */
async function filterTracked(isolated: IsolatedGit, dirs: readonly string[]): Promise<Set<string>> {
  if (isolated.tree === undefined || dirs.length === 0) return new Set()
  return new Set(splitNul(await isolated.gitOn(['ls-tree', '-z', '--name-only', isolated.tree], dirs)))
}
