import path from 'node:path'
import { type EncodingName, encodingNamed } from '../core/encodings.ts'
import { ProblemError } from '../core/problem.ts'
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
  readonly #files = new Map<string, Promise<DeclarationFiles>>()

  constructor(tree: Tree, configured: Readonly<Record<string, EncodingName>> = {}) {
    this.#tree = tree
    this.#configured = configured
  }

  /** For a change of a file that may declare something: what it says now is what holds. */
  async freeze(at: Location): Promise<void> {
    if (declaring.includes(at.parts.at(-1) ?? '')) await this.#filesIn(at, at.parts.length - 1)
  }

  async of(at: Location): Promise<Declared> {
    const given = await this.#configuredFor(at.parts.join('/'))
    let eol: Declared['eol']
    let charset: EncodingName | undefined
    let attribute: EncodingName | undefined
    let isDone = false
    for (let depth = at.parts.length - 1; depth >= 0; depth--) {
      const { editorconfig, isRoot, attributes } = await this.#filesIn(at, depth)
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

  async #configuredFor(relative: string): Promise<EncodingName | undefined> {
    const all = Object.entries(this.#configured)
    for (const [glob, encoding] of all.toReversed()) if ((await matcher(glob))(relative)) return encoding
    return undefined
  }

  #filesIn(at: Location, depth: number): Promise<DeclarationFiles> {
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

async function readDeclarations(editorconfig: string, gitattributes: string): Promise<DeclarationFiles> {
  const rules: Rule[] = []
  let isRoot = false
  let section: ((relative: string) => boolean) | undefined
  for (const line of editorconfig.split(/\r?\n/)) {
    const [, glob] = /^\s*\[(.+)\]\s*$/.exec(line) ?? []
    if (glob !== undefined) {
      section = await matcher(glob)
      continue
    }
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? []
    if (section === undefined) isRoot ||= name.toLowerCase() === 'root' && value.toLowerCase() === 'true'
    else if (name.toLowerCase() === 'charset') rules.push({ matches: section, encoding: encodingNamed(value) })
    else if (name.toLowerCase() === 'end_of_line') rules.push({ matches: section, eol: eols[value.toLowerCase()] })
  }
  const attributes: Rule[] = []
  for (const line of gitattributes.split(/\r?\n/)) {
    const [, glob, encoding] = /^\s*(?!#)(\S+)\s(?:.*\s)?working-tree-encoding=(\S+)/.exec(line) ?? []
    if (glob !== undefined && encoding !== undefined)
      attributes.push({ matches: await matcher(glob), encoding: encodingNamed(encoding) })
  }
  return { editorconfig: rules, isRoot, attributes }
}

const eols: Readonly<Record<string, Declared['eol']>> = { lf: '\n', crlf: '\r\n' }

/** A glob without a slash is about names in any directory, as in .editorconfig and .gitattributes. */
async function matcher(glob: string): Promise<(relative: string) => boolean> {
  const { default: picomatch } = await import('picomatch')
  const bare = glob.replace(/^\//, '')
  const isMatch = picomatch(glob.includes('/') ? bare : `**/${bare}`, { dot: true })
  return (relative) => isMatch(relative)
}
