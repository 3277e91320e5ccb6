import { type YamlEntry, type ConfigError, type YamlPosition, spellValue, quoteValue, type YamlNode } from './kinds.ts'
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'

/** A YAML text as a tree with places. Never throws: whatever is wrong with it is among the errors. */
export function yamlTree(text: string): YamlTree {
  const lines = new LineCounter()
  const at = (offset: number): YamlPosition => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const errors: ConfigError[] = []
  try {
    // A duplicate key is reported by us, with both places.
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
    for (const { code, message, pos } of document.errors) {
      const place = at(pos[0])
      // One mistake causes several errors; the first is the clearest.
      if (errors.at(-1)?.at.line !== place.line) errors.push({ at: place, message: inPlainWords(code, message) })
    }
    const soundTo = Math.min(...errors.map((error) => error.at.line))
    const odd: ConfigError[] = []
    const tree = new Growing(document, at, odd).grow(document.contents)
    return { tree, errors: [...errors, ...odd.filter((error) => error.at.line < soundTo)], soundTo }
  } catch (error) {
    // Thousands of nested brackets exhaust the stack.
    const reason = error instanceof RangeError ? 'it is nested too deeply' : String(error)
    return {
      tree: brokenNode(origin),
      errors: [{ at: origin, message: `This cannot be read as YAML: ${reason}.` }],
      soundTo: 1,
    }
  }
}

export interface YamlTree {
  readonly tree: YamlNode
  readonly errors: readonly ConfigError[]
  /** From this line on the text is broken, and its values are not reliable. */
  readonly soundTo: number
}

const origin: YamlPosition = { line: 1, column: 1 }
const brokenNode = (at: YamlPosition): YamlNode => ({ kind: 'broken', at })

/** Far more than any config holds, far less than what a few aliases of aliases can make. */
const mostNodes = 20_000
const mostDepth = 50

class Growing {
  readonly #document: ReturnType<typeof parseDocument>
  readonly #at: (offset: number) => YamlPosition
  readonly #errors: ConfigError[]
  #nodes = 0
  #stopped = false

  constructor(document: ReturnType<typeof parseDocument>, at: (offset: number) => YamlPosition, errors: ConfigError[]) {
    this.#document = document
    this.#at = at
    this.#errors = errors
  }

  grow(node: unknown, around: YamlPosition = origin, depth = 0): YamlNode {
    const at = this.#placeOf(node) ?? around
    if (++this.#nodes > mostNodes || depth > mostDepth) {
      if (!this.#stopped)
        this.#errors.push({ at, message: 'There is too much here for a config, or too many aliases.' })
      this.#stopped = true
      return brokenNode(at)
    }
    if (isAlias(node)) {
      const target = node.resolve(this.#document)
      if (target !== undefined) return { ...this.grow(target, at, depth), at }
      const message = `${quoteValue(`*${node.source}`)} begins with '*', which YAML takes for an alias. Put the text in quotes.`
      this.#errors.push({ at, message })
      return brokenNode(at)
    }
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.tag !== undefined && !node.tag.startsWith('tag:yaml')) {
      this.#errors.push({
        at,
        message: `${quoteValue(node.tag)} begins with '!', which YAML takes for a tag. Put the text in quotes.`,
      })
      return brokenNode(at)
    }
    if (isSeq(node)) return { kind: 'list', at, items: node.items.map((item) => this.grow(item, at, depth + 1)) }
    if (isMap(node)) return { kind: 'map', at, entries: this.#entries(node.items, at, depth) }
    const value = isScalar(node) ? node.value : null
    const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
    return { kind: 'scalar', at, value: plain }
  }

  #entries(items: readonly { key: unknown; value: unknown }[], around: YamlPosition, depth: number): YamlEntry[] {
    const seen = new Map<string, YamlPosition>()
    return items.flatMap(({ key, value }) => {
      const at = this.#placeOf(key) ?? around
      if (!isScalar(key) || key.value === null || typeof key.value === 'object') {
        this.#errors.push({ at, message: 'A key must be a plain word.' })
        return []
      }
      const name = String(key.value)
      const first = seen.get(name)
      if (first !== undefined) {
        this.#errors.push({
          at,
          message: `${quoteValue(name)} is a duplicate key; the first is on line ${first.line}.`,
        })
        return []
      }
      seen.set(name, at)
      return [{ name, at, value: this.grow(value, at, depth + 1) }]
    })
  }

  #placeOf(node: unknown): YamlPosition | undefined {
    if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return undefined
    const [start]: unknown[] = node.range
    return typeof start === 'number' ? this.#at(start) : undefined
  }
}

function inPlainWords(code: string, message: string): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'YAML does not allow tabs for indentation. Use spaces.'
    case 'MULTIPLE_DOCS':
      return "There is a second document here. A config is one; remove the '---'."
    default:
      // The parser reports its own stack as an error of the text.
      if (/call stack/.test(message)) return 'This is nested too deeply.'
      return `This is not YAML: ${spellValue(message.replace(/\s*\n[\s\S]*/, ''))}.`.replace(/\.\.$/, '.')
  }
}
