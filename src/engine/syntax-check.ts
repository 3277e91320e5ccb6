import { pathFrom } from '../core/paths.ts'
import { withTimeLimit } from '../core/time-limit.ts'
import type { Change } from '../workspace/open.ts'
import { isText } from './evidence.ts'

/** Files that a run changed, as they were before it and as they are now. */
export class SyntaxCheck {
  readonly #root: string
  readonly #largest: number
  readonly #files = new Map<string, { readonly before: Buffer; after: Buffer | null }>()

  /** `lasting`: the process lives on, so that loading parsers pays. Otherwise only small files are checked. */
  constructor(root: string, process: 'lasting' | 'short') {
    this.#root = root
    this.#largest = process === 'lasting' ? 512 * 1024 : 48 * 1024
  }

  changed(changes: readonly Change[]): void {
    for (const { at, before, after } of changes) {
      const known = this.#files.get(at.absolute)
      if (known !== undefined) known.after = after?.bytes ?? null
      else if (before !== null && before.bytes.length <= this.#largest && parsed.test(at.absolute))
        this.#files.set(at.absolute, { before: before.bytes, after: after?.bytes ?? null })
    }
  }

  /** One sentence for each file whose syntax was right before the run and is not any more. */
  async warnings(): Promise<string[]> {
    const found: string[] = []
    for (const [absolute, { before, after }] of this.#files) {
      if (after === null || after.length > this.#largest || before.equals(after)) continue
      if (!isText(before) || !isText(after)) continue
      const path = pathFrom(this.#root, absolute)
      const fault = await faultOf(path, before.toString('utf8'), after.toString('utf8'))
      if (fault !== undefined)
        found.push(`${path}:${fault.line}:${fault.column} has a syntax error since this run: ${fault.message}`)
    }
    return found
  }
}

/** A parser that takes too long or fails says nothing about the file. */
async function faultOf(path: string, before: string, after: string) {
  try {
    const { brokenSyntax } = await import('../structure/broken-syntax.ts')
    return await withTimeLimit(mostMs, () => brokenSyntax(path, before, after))
  } catch {
    return undefined
  }
}

const mostMs = 2000

/** Names of files worth keeping; the languages decide in the end. */
const parsed =
  /\.(?:[cm]?[jt]sx?|py|pyi|json|ya?ml|toml|java|go|rs|[ch]|cc|cpp|cxx|hpp|hh|cs|rb|php|sh|bash|css|html?|kts?|swift)$/i
