import path from 'node:path'
import type { ActionSpec } from '../core/action.ts'
import type { Block } from '@clada/reply/core/block.ts'
import { syntaxOf } from '@clada/reply/syntax/table.ts'

/** The parameters of a block with its paths as the project has them, and what was changed in them. */
export interface PlainPaths {
  readonly params: Block['params']
  readonly warnings: readonly string[]
}

interface ProjectPaths {
  readonly root: string
  readonly isThere: (absolute: string) => boolean
}

/** How a path was meant, with a warning where that is no other spelling of the same name. */
type PathReading = { readonly path: string; readonly warning?: string } | undefined

/** Reads away what models and chat programs put around paths and into them, unless there is such a file. */
export function plainPaths(block: Block, project: ProjectPaths & { readonly strict: boolean }): PlainPaths {
  const readings = project.strict ? [withoutRootOrSide] : [withoutBackticks, withoutBackslashes, withoutRootOrSide]
  let params = block.params
  const warnings: string[] = []
  for (const reading of readings)
    for (const name of reading === withoutRootOrSide ? ['path'] : PATHS) {
      const given = params[name]
      const read = given === undefined ? undefined : reading(given, block, project)
      if (read === undefined) continue
      params = { ...params, [name]: read.path }
      if (read.warning !== undefined) warnings.push(read.warning)
    }
  return { params, warnings }
}

const PATHS = ['path', 'old_path', 'new_path'] as const

/** Models put paths in backticks, as in prose. */
function withoutBackticks(given: string, _: Block, { root, isThere }: ProjectPaths): PathReading {
  const inner = /^`([^`\n]+)`$/.exec(given)?.[1]
  if (inner === undefined || isThere(path.resolve(root, given))) return undefined
  return { path: inner, warning: `'${given}' was read as '${inner}', without the backticks` }
}

/**
 * A backslash before a letter is a separator of Windows, and then all are. One before punctuation may be an escape of
 * Markdown: `app\\[id].ts` is read as the file that exists, and a path with slashes has no other separators.
 */
function withoutBackslashes(given: string, { syntax }: Block, { root, isThere }: ProjectPaths): PathReading {
  if (!given.includes('\\')) return undefined
  const plain = given.replace(ESCAPES, '$1')
  const unescaped = {
    path: plain,
    warning: `backslashes of markdown in '${given}' were left out: '${plain}'`,
  }
  const isThereAs = (name: string): boolean => isThere(path.resolve(root, name))
  const isUnescaped = !plain.includes('\\') && isThereAs(plain)
  if (syntaxOf(syntax).kind === 'native') return isUnescaped ? unescaped : undefined
  const separated = { path: given.replace(/\\+/g, '/') }
  const isSeparated = isThereAs(separated.path)
  if (isUnescaped || isSeparated) return isUnescaped && isSeparated ? undefined : isUnescaped ? unescaped : separated
  if (/\\[A-Za-z0-9]/.test(given)) return separated
  return given.includes('/') ? unescaped : undefined
}

const ESCAPES = /\\([!-/:-@[-`{-~])/g

/** Some models prefix every path with the project's own name or with the a/ or b/ of a diff. */
function withoutRootOrSide(
  given: string,
  { rootNameMayLead, sideMayLead }: Block,
  { root, isThere }: ProjectPaths,
): PathReading {
  const name = rootNameMayLead ? path.basename(root) : sideMayLead ? given.slice(0, 1) : ''
  if (name === '' || !given.startsWith(`${name}/`) || isThere(path.join(root, name))) return undefined
  const short = given.slice(name.length + 1)
  const what = rootNameMayLead ? 'the name of the project itself' : `${name}/, as in a diff,`
  return { path: short, warning: `'${given}' starts with ${what} and was read as '${short}'` }
}

/**
 * What an absolute path of another machine means here: what follows the project's own name, or else the longest end of it that
 * is a file, unless that is to be deleted.
 */
export function pathHere(
  given: string,
  becomes: ActionSpec['file'],
  { root, isThere }: ProjectPaths,
): string | undefined {
  const [drive, ...parts] = given.replaceAll('\\', '/').split('/')
  if (drive === undefined || !/^(?:[A-Za-z]:)?$/.test(drive) || parts.length < 2 || parts.includes('..'))
    return undefined
  const ends = parts.map((_, at) => parts.slice(at).join('/'))
  const isFile = (end: string): boolean => isThere(path.join(root, end))
  const named = ends.filter((_, at) => at > 0 && parts[at - 1] === path.basename(root))
  const [only, ...others] = named.some(isFile) ? named.filter(isFile) : named
  if (only !== undefined) return others.length === 0 ? only : undefined
  // A name without a directory may be in any project.
  return becomes === 'edited' || becomes === 'replaced' ? ends.slice(0, -1).find(isFile) : undefined
}
