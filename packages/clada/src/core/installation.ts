import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a single-file executable brings along inside itself. */
export interface EmbeddedFiles {
  /** Where the runtime lets each file be read, by its name in `dist/`. */
  readonly files: Readonly<Record<string, string>>
  /** Compiled packages, by their names. */
  readonly addons: Readonly<Record<string, () => unknown>>
}

let embedded: EmbeddedFiles | undefined

/**
 * Called by the entry of a single-file executable (scripts/standalone.mjs), before anything else.
 * @public
 */
export function useEmbeddedFiles(given: EmbeddedFiles): void {
  embedded = given
}

/** The paths of the files in a directory of `dist/`, or in another by its absolute path, by their names. */
export function installedFiles(dir: string): Map<string, string> {
  const below = Object.entries(embedded?.files ?? {}).filter(([name]) => path.posix.dirname(name) === dir)
  if (embedded !== undefined) return new Map(below.map(([name, file]) => [path.posix.basename(name), file]))
  const found = installedFile(dir)
  const names = found === undefined ? [] : fs.readdirSync(found)
  return new Map(names.map((name) => [name, path.join(found ?? '', name)]))
}

/**
 * A package with compiled code, which is never part of a bundle; undefined if it is not installed or has nothing for this
 * machine. A single-file executable loads what is inside it and nothing else: the runtime would also look into the project.
 */
export function loadPackage<T>(name: string): T | undefined {
  try {
    if (embedded !== undefined) return embedded.addons[name]?.() as T | undefined
    return isInstalledHere(name) ? (createRequire(import.meta.url)(name) as T) : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether a package is in a `node_modules` on the way up from here. Node would also look through NODE_PATH and the home
 * directory: with NODE_PATH=src, a reply wrote a parser there that was missing here, and the next edit ran it.
 */
function isInstalledHere(name: string): boolean {
  // Yarn has a table instead of directories, which says where each package is.
  if (process.versions['pnp'] !== undefined) return true
  for (let at = path.dirname(fileURLToPath(import.meta.url)); at !== path.dirname(at); at = path.dirname(at))
    if (fs.existsSync(path.join(at, 'node_modules', name))) return true
  return false
}

/** The path of a file or directory that the build puts into `dist/`; undefined if there is none. */
export function installedFile(name: string): string | undefined {
  if (embedded !== undefined) return embedded.files[name]
  const here = fileURLToPath(import.meta.url)
  // Bundled code is in `dist/` or one directory below it.
  const dirs = here.endsWith('.ts') ? ['../../../dist'] : ['..', '../..']
  return dirs.map((dir) => path.resolve(here, dir, name)).find((file) => fs.existsSync(file))
}

/** The file that a package is loaded from; undefined if it is not installed, or inside a single-file executable. */
export function packageFile(name: string): string | undefined {
  try {
    return embedded === undefined && isInstalledHere(name) ? createRequire(import.meta.url).resolve(name) : undefined
  } catch {
    return undefined
  }
}

/** The directory of the built package; undefined from source, and inside a single-file executable. */
export function packageDir(): string | undefined {
  const here = fileURLToPath(import.meta.url)
  if (embedded !== undefined || here.endsWith('.ts')) return undefined
  for (let at = path.dirname(here); at !== path.dirname(at); at = path.dirname(at))
    if (fs.existsSync(path.join(at, 'package.json'))) return at
  return undefined
}
