import { lookUp } from '@clada/reply/core/look-up.ts'
import path from 'node:path'
import { type EncodingName, encodingNamed } from '../core/encodings.ts'
import { ProblemError } from '../core/problem.ts'
import { makePathTest } from '@clada/reply/text/ignore-rules.ts'
import type { Tree } from './tree.ts'
import type { Location } from './walk.ts'

/** What a project says about a file: its encoding, and how a new one ends its lines. */
export interface Declared {
  readonly encoding?: EncodingName | undefined
  readonly eol?: '\n' | '\r\n' | undefined
}

type Rule = Declared & { matches(relative: string): boolean }

/**
 * The declarations of a project, as they were before this run changed any: `encoding` of the config, `charset` and
 * `end_of_line` of .editorconfig, `working-tree-encoding` of .gitattributes. A reply that edits one of these files writes
 * the others as they were read.
 */
export class Declarations {
  readonly #tree: Tree
  readonly #configured: Readonly<Record<string, EncodingName>>
  readonly #files = new Map<string, DeclarationFiles>()

  constructor(tree: Tree, configured: Readonly<Record<string, EncodingName>> = {}) {
    this.#tree = tree
    this.#configured = configured
  }

  /** For a change of a file that may declare something: what it says now is what holds. */
  freeze(at: Location): void {
    if (declaring.includes(at.parts.at(-1) ?? '')) this.#filesIn(at, at.parts.length - 1)
  }

  of(at: Location): Declared {
    const given = this.#configuredFor(at.parts.join('/'))
    let eol: Declared['eol']
    let charset: EncodingName | undefined
    let attribute: EncodingName | undefined
    let isDone = false
    for (let depth = at.parts.length - 1; depth >= 0; depth--) {
      const { editorconfig, isRoot, attributes } = this.#filesIn(at, depth)
      const relative = at.parts.slice(depth).join('/')
      // The nearest file speaks last, and in each the last section.
      for (const rule of isDone ? [] : editorconfig.toReversed()) {
        if (!rule.matches(relative)) continue
        charset ??= rule.encoding
        eol ??= rule.eol
      }
      attribute ??= attributes.findLast((rule) => rule.matches(relative))?.encoding
      isDone ||= isRoot
    }
    return { encoding: given ?? charset ?? attribute, eol }
  }

  #configuredFor(relative: string): EncodingName | undefined {
    const all = Object.entries(this.#configured)
    const globs = new Globs()
    for (const [glob, encoding] of all.toReversed()) if (globs.test(glob)(relative)) return encoding
    return undefined
  }

  #filesIn(at: Location, depth: number): DeclarationFiles {
    const parts = at.parts.slice(0, depth)
    const up = at.parts.length - depth
    const dir = path.join(at.absolute, ...Array.from({ length: up }, () => '..'))
    const known = this.#files.get(dir)
    if (known !== undefined) return known
    const read = (name: string): string => {
      const file = { ...at, parts: [...parts, name], absolute: path.join(dir, name) }
      try {
        if (this.#tree.look(file)?.type !== 'file') return ''
        const base = this.#tree.read(file, largest)
        const text = base.bytes.toString('utf8')
        base.release()
        return text
      } catch (error) {
        if (error instanceof ProblemError) return ''
        throw error
      }
    }
    const [editorconfig = '', gitattributes = ''] = declaring.map(read)
    const files = readDeclarations(editorconfig, gitattributes)
    this.#files.set(dir, files)
    return files
  }
}

interface DeclarationFiles {
  readonly editorconfig: readonly Rule[]
  /** Whether files above do not count. */
  readonly isRoot: boolean
  readonly attributes: readonly Rule[]
}

const declaring = ['.editorconfig', '.gitattributes']
const largest = 1_000_000

function readDeclarations(editorconfig: string, gitattributes: string): DeclarationFiles {
  const rules: Rule[] = []
  const globs = new Globs()
  let isRoot = false
  let section: ((relative: string) => boolean) | undefined
  for (const line of editorconfig.split(/\r?\n/)) {
    const [, glob] = /^\s*\[(.+)\]\s*$/.exec(line) ?? []
    if (glob !== undefined) {
      section = globs.test(glob)
      continue
    }
    const [, name = '', given = ''] = /^\s*([\w-]+)\s*[=:](.*)$/.exec(line) ?? []
    const value = given.trim()
    if (section === undefined) isRoot ||= name.toLowerCase() === 'root' && value.toLowerCase() === 'true'
    else if (name.toLowerCase() === 'charset') rules.push({ matches: section, encoding: encodingNamed(value) })
    else if (name.toLowerCase() === 'end_of_line')
      rules.push({ matches: section, eol: lookUp(eols, value.toLowerCase()) })
  }
  const attributes: Rule[] = []
  for (const line of gitattributes.split(/\r?\n/)) {
    const [, glob, encoding] = /^\s*(?!#)(\S+)\s(?:.*\s)?working-tree-encoding=(\S+)/.exec(line) ?? []
    if (glob !== undefined && encoding !== undefined)
      attributes.push({ matches: globs.test(glob), encoding: encodingNamed(encoding) })
  }
  return { editorconfig: rules, isRoot, attributes }
}

const eols: Readonly<Record<string, Declared['eol']>> = { lf: '\n', crlf: '\r\n' }

/**
 * Makes tests of the globs of one file. Such files come with the project, so that neither a glob nor all of them together
 * may take long: what is too much is about no file.
 */
class Globs {
  #left = mostCharacters

  /** A glob without a slash is about names in any directory, as in .editorconfig and .gitattributes. */
  test(glob: string): (relative: string) => boolean {
    const choices = glob.length > this.#left ? [] : withoutBraces(glob)
    this.#left -= choices.reduce((sum, { length }) => sum + length, 0)
    const tests = this.#left < 0 ? [] : choices.map(makePathTest)
    return (relative) => tests.some((test) => test(relative))
  }
}

/** `{a,b}` and `{1..3}` of .editorconfig, each choice by itself; none where there are too many. */
function withoutBraces(glob: string): string[] {
  const done: string[] = []
  const waiting = [glob]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const found = /(?<!\\)\{([^{}]*)\}/.exec(next)
    if (found === null) done.push(next)
    else {
      const [before, after] = [next.slice(0, found.index), next.slice(found.index + found[0].length)]
      waiting.push(...choicesIn(found[1] ?? '').map((choice) => before + choice + after))
    }
    if (done.length + waiting.length > mostChoices) return []
  }
  return done
}

function choicesIn(inner: string): string[] {
  const [, from, to] = /^([+-]?\d{1,9})\.\.([+-]?\d{1,9})$/.exec(inner) ?? []
  if (from !== undefined && to !== undefined) {
    const [first = 0, last = 0] = [Number(from), Number(to)].toSorted((a, b) => a - b)
    return Array.from({ length: Math.min(last - first, mostChoices) + 1 }, (_, index) => String(first + index))
  }
  // Braces around one choice are characters of the name, and a name that has them is hardly ever meant.
  return inner.includes(',') ? inner.split(',') : [`?${inner}?`]
}

const mostChoices = 1000
const mostCharacters = 100_000
