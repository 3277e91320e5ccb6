import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageDir } from '../core/installation.ts'
import { isInPackages, isInside } from '../core/paths.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { jsonOf, readLinked } from './own-files.ts'
import { pathSpellings } from './user-state.ts'

/**
 * What this process is made of: the package of clada, the packages it needs, wherever Node would look for them, Node, and
 * the links that started it. clada loads its parts when it first needs them, so in a project that has clada in
 * `node_modules`, code of a reply that could write there would run without a sandbox a moment later.
 */
export function runningProgram(roots: readonly string[]): readonly string[] {
  started ??= findStarted()
  const { dir } = started
  if (dir === undefined || !roots.some((root) => isInside(dir, root))) return started.names
  return (needed ??= [...addNeeded(dir, new Set(started.names))])
}

interface StartedProgram {
  readonly names: readonly string[]
  /** The package of clada; undefined from source, where there is nothing to start but what a developer builds. */
  readonly dir: string | undefined
}

let started: StartedProgram | undefined
let needed: readonly string[] | undefined

function findStarted(): StartedProgram {
  const node = pathSpellings(process.execPath)
  const dir = packageDir()
  if (dir === undefined) return { names: node, dir }
  // A checkout is what somebody works on; what was built in it is not.
  const own = isInPackages(dir) ? dir : path.join(dir, 'dist')
  const links = pathSpellings(process.argv[1] ?? dir)
  return { names: [...node, ...listPreloaded(), own, ...(isInside(links.at(-1) ?? '', own) ? links : [])], dir }
}

/** What Node loads before anything else, at this start and the next: Yarn names its `.pnp.cjs` of the project in NODE_OPTIONS. */
function listPreloaded(): string[] {
  const { NODE_OPTIONS = '' } = process.env
  const given = NODE_OPTIONS.match(/(?:"(?:[^"\\]|\\.)*"|[^\s"])+/g) ?? []
  const words = [...process.execArgv, ...given.map((word) => word.replaceAll(/"|\\(?=.)/g, ''))]
  return words.flatMap((word, at) => {
    const [option, value = words[at + 1]] =
      /^(?:-r|--require|--import|--loader|--experimental-loader)(?:=(.*))?$/s.exec(word) ?? []
    return option === undefined || value === undefined ? [] : pathSpellings(fileOfModule(value))
  })
}

function fileOfModule(module: string): string {
  try {
    if (module.startsWith('file:')) return fileURLToPath(module)
    return createRequire(path.join(process.cwd(), 'any.js')).resolve(module)
  } catch {
    return path.resolve(module)
  }
}

/** A package that is missing counts too, at every place where it would be found. */
function addNeeded(dir: string, found: Set<string>, seen = new Set<string>()): Set<string> {
  if (seen.has(dir)) return found
  seen.add(dir)
  for (const name of neededBy(dir)) {
    for (const at of lookedThrough(dir)) {
      const names = pathSpellings(path.join(at, 'node_modules', name))
      for (const one of names) found.add(one)
      const real = names.at(-1) ?? ''
      if (!fs.existsSync(real)) continue
      addNeeded(real, found, seen)
      break
    }
  }
  return found
}

/** The directories whose `node_modules` Node looks through for what a package needs, in its order. */
function lookedThrough(dir: string): string[] {
  const above = path.dirname(dir)
  const rest = above === dir ? [] : lookedThrough(above)
  return path.basename(dir) === 'node_modules' ? rest : [dir, ...rest]
}

function neededBy(dir: string): string[] {
  const manifest = jsonOf(readLinked(path.join(dir, 'package.json')))
  if (!isRecord(manifest)) return []
  return ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) => {
    const needed = manifest[kind]
    return isRecord(needed) ? Object.keys(needed) : []
  })
}
