import fs from 'node:fs'
import path from 'node:path'
import { isInside, slashed } from '../core/paths.ts'
import { sha256 } from '../core/hash.ts'
import { findProgram, isProgram, pathOutside, real } from '../process/programs.ts'
import { projectTools } from '../process/runtimes.ts'
import type { Text } from './rule-files.ts'

/** The place a command runs in, and the directories that documents can write to. */
export interface CommandPlace {
  readonly cwd: string
  readonly root: string
  /** The root among them. */
  readonly roots: readonly string[]
}

/** A program that was found, and how it is started. */
export interface FoundProgram {
  readonly file: string
  /**
   * What is really started: the interpreters of a script, then the script. They are looked for here and not by the
   * system, because that would take one from the project first.
   */
  readonly start: readonly [file: string, ...args: string[]]
  /** Set when documents could change it: then its content is part of the approval. */
  readonly bound: Text | undefined
}

/**
 * The programs that a name may mean, the preferred one first. Tools of the project come before those of the user, but
 * not where the name is one that no project brings along.
 */
export function programsNamed(name: string, place: CommandPlace): FoundProgram[] {
  const { cwd, root, roots } = place
  if (name.includes('/') || name.includes(path.sep)) {
    const file = path.resolve(cwd, name)
    return isProgram(file) ? [found(file, place)] : []
  }
  const outside = findProgram(name, pathOutside(process.env['PATH'], roots), 'batch')
  const inside =
    outside !== undefined && neverTheProjects.has(name)
      ? undefined
      : findProgram(name, projectTools(root, cwd).path, 'batch')
  return [inside, outside].flatMap((file) => (file === undefined ? [] : [found(file, place)]))
}

/** The project's own tool of a name, for programs that start those before any other. */
export function toolNamed(name: string, place: CommandPlace): Text | undefined {
  const file = findProgram(name, projectTools(place.root, place.cwd).path, 'batch')
  return file === undefined ? undefined : found(file, place).bound
}

/** A user who approves one of these names never means a file of the project. */
const neverTheProjects = new Set(
  [
    'npm npx pnpm pnpx yarn bun bunx corepack node deno git make gmake just task cmake ninja cargo rustc rustup go',
    'mvn gradle ant java javac dotnet docker env sh bash dash zsh ksh fish busybox sudo xargs timeout curl wget ssh',
    'uv uvx poetry pipenv pipx conda bundle gem composer php perl ruby clada rg grep sed awk tar cp mv rm ln cat ls',
  ]
    .join(' ')
    .split(' '),
)

function found(file: string, place: CommandPlace): FoundProgram {
  const chain = chainOf(file, place, 0)
  const seen = [...chain.seen].reverse()
  if (!seen.some((step) => step.inside)) return { file, start: chain.start, bound: undefined }
  const named = (at: string): string => (isInside(at, place.root) ? slashed(path.relative(place.root, at)) : at)
  const parts = seen.map(({ at, to, inside }) => ({
    text: [named(at), named(to), inside ? contentHash(to) : ''],
    shown: at === to ? named(at) : `${named(at)} → ${named(to)}`,
    inside,
  }))
  return {
    file,
    start: chain.start,
    bound: {
      whole: JSON.stringify(parts.map(({ text }) => text)),
      shown: parts
        .filter((part, index) => index === 0 || part.inside)
        .map(({ shown }) => shown)
        .join(', with '),
    },
  }
}

interface Chain {
  readonly start: [file: string, ...args: string[]]
  /** Every file on the way with what its links lead to, the program last. */
  readonly seen: readonly { readonly at: string; readonly to: string; readonly inside: boolean }[]
}

const mostScripts = 4

function chainOf(file: string, place: CommandPlace, depth: number): Chain {
  const to = real(file)
  const inside = place.roots.some((root) => isInside(to, root) || isInside(file, root))
  const step = { at: file, to, inside }
  const head = depth < mostScripts ? headOf(to) : ''
  const led = inside ? ledTo(head, file).map((at) => ({ at, to: real(at), inside: true })) : []
  const [, first = '', rest = ''] = /^#![ \t]*(\S+)[ \t]*([^\r\n]*)/.exec(head) ?? []
  if (first === '') return { start: [file], seen: [...led, step] }
  const words = rest.trim() === '' ? [] : [rest.trim()]
  const plain = { start: [file] satisfies Chain['start'], seen: [...led, step] }
  if (path.basename(first) !== 'env') {
    if (!path.isAbsolute(first) || !isProgram(first)) return plain
    return before(chainOf(first, place, depth + 1), words, file, plain.seen)
  }
  const [name = '', ...more] = rest
    .trim()
    .replace(/^-S\s*/, '')
    .split(/\s+/)
  const bare = !/^-|=/.test(name) && (more.length === 0 || rest.trim().startsWith('-S'))
  if (name === '' || name.includes('/') || !bare) return plain
  const { root, cwd, roots } = place
  const outside = findProgram(name, pathOutside(process.env['PATH'], roots))
  const own = inside && !neverTheProjects.has(name) ? findProgram(name, projectTools(root, cwd).path) : undefined
  const interpreter = own ?? outside
  return interpreter === undefined ? plain : before(chainOf(interpreter, place, depth + 1), more, file, plain.seen)
}

function before(chain: Chain, words: readonly string[], file: string, seen: Chain['seen']): Chain {
  return { start: [...chain.start, ...words, file], seen: [...chain.seen, ...seen] }
}

/** The files that a starter script names which a package manager wrote. */
function ledTo(head: string, file: string): string[] {
  if (!/^basedir=/m.test(head)) return []
  const names = [...head.matchAll(/"\$basedir\/([^"$]+)"/g)].map(([, name = '']) =>
    path.resolve(path.dirname(file), name),
  )
  return [...new Set(names)].filter((name) => fs.existsSync(name)).slice(0, 10)
}

function headOf(file: string): string {
  const buffer = Buffer.alloc(8192)
  try {
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
    try {
      return fs.fstatSync(descriptor).isFile()
        ? buffer.subarray(0, fs.readSync(descriptor, buffer)).toString('utf8')
        : ''
    } finally {
      fs.closeSync(descriptor)
    }
  } catch {
    return ''
  }
}

function contentHash(file: string): string {
  try {
    return fs.statSync(file).isFile() ? sha256(fs.readFileSync(file)) : ''
  } catch {
    return ''
  }
}
