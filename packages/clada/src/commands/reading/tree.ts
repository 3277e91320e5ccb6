import type { ListedEntry, PathArg } from '../../core/files.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { namePattern } from './name-pattern.ts'
import { childOf, forEachOperand, type ReadingRun } from './reading-run.ts'
import { printable, typeMark } from './status.ts'

/** A directory or a file as `-J` prints it. */
interface TreeNode {
  readonly type: string
  readonly name: string
  readonly target?: string
  readonly contents?: readonly TreeNode[]
}

/** tree: everything below a directory, drawn as a tree. */
export async function runTree(reader: ReadingRun): Promise<void> {
  const drawing = new Drawing(reader)
  await forEachOperand(reader, (operand) => drawing.draw(operand), 2)
  drawing.end()
}

class Drawing {
  readonly #reader: ReadingRun
  readonly #depth: number
  readonly #isLeftOut: ((name: string) => boolean) | undefined
  readonly #isWanted: ((name: string) => boolean) | undefined
  readonly #roots: TreeNode[] = []
  #dirs = 0
  #files = 0

  constructor(reader: ReadingRun) {
    this.#reader = reader
    this.#depth = Number(reader.valueOf('-L') ?? Infinity)
    this.#isLeftOut = matchesAny(reader.valueOf('-I'))
    this.#isWanted = matchesAny(reader.valueOf('-P'))
  }

  async draw(operand: PathArg): Promise<void> {
    const { given } = operand
    const entries = await this.#entriesOf(operand)
    this.#dirs++
    if (!this.#reader.has('-J'))
      this.#reader.print(`${given}${this.#reader.has('-F') && !given.endsWith('/') ? '/' : ''}\n`)
    this.#roots.push({ type: 'directory', name: given, contents: await this.#below(operand, entries, '', 1) })
  }

  end(): void {
    if (this.#reader.has('-J')) {
      const report = { type: 'report', directories: this.#dirs, files: this.#files }
      const all = this.#reader.has('--noreport') ? this.#roots : [...this.#roots, report]
      this.#reader.print(`${JSON.stringify(all, undefined, 2)}\n`)
    } else if (!this.#reader.has('--noreport')) {
      const files = this.#reader.has('-d') ? '' : `, ${formatCount(this.#files, 'file')}`
      this.#reader.print(`\n${formatCount(this.#dirs, 'directory', 'directories')}${files}\n`)
    }
  }

  async #below(dir: PathArg, entries: readonly ListedEntry[], lead: string, level: number): Promise<TreeNode[]> {
    const nodes: TreeNode[] = []
    for (const [at, entry] of entries.entries()) {
      const isLast = at === entries.length - 1
      const arg = childOf(dir, entry.name)
      const target = entry.type === 'symlink' ? await this.#reader.files.readLink(arg).catch(() => '') : undefined
      this.#printEntry(entry, { arg, target, branch: lead + (isLast ? '└── ' : '├── ') })
      const shown = this.#reader.has('-f') ? arg.given : entry.name
      if (entry.type !== 'directory') {
        this.#files++
        nodes.push({ type: target === undefined ? entry.type : 'link', name: shown, target })
        continue
      }
      this.#dirs++
      const isEntered = level < this.#depth
      const below = isEntered ? await this.#entriesOf(arg) : []
      const contents = await this.#below(arg, below, `${lead}${isLast ? '    ' : '│\u00a0\u00a0 '}`, level + 1)
      nodes.push({ type: 'directory', name: shown, contents: isEntered ? contents : undefined })
    }
    return nodes
  }

  #printEntry(
    { name, stat }: ListedEntry,
    { arg, target, branch }: { readonly arg: PathArg; readonly target: string | undefined; readonly branch: string },
  ): void {
    if (this.#reader.has('-J')) return
    const shown = printable(this.#reader.has('-f') ? arg.given : name)
    const mark = this.#reader.has('-F') && target === undefined ? typeMark(stat) : ''
    const end = target === undefined ? mark : ` -> ${printable(target)}`
    this.#reader.print(`${this.#reader.has('-i') ? '' : branch}${shown}${end}\n`)
  }

  /** What is blocked is neither shown nor entered. */
  async #entriesOf(dir: PathArg): Promise<ListedEntry[]> {
    this.#reader.checkTime()
    const entries = await this.#reader.files.list(dir)
    return entries.filter(({ name, type }) => {
      if ((name.startsWith('.') && !this.#reader.has('-a')) || this.#isLeftOut?.(name)) return false
      if (type !== 'directory' && (this.#reader.has('-d') || this.#isWanted?.(name) === false)) return false
      return !this.#reader.files.isBlocked(childOf(dir, name))
    })
  }
}

/** Patterns for names, `|` between them. */
function matchesAny(patterns: string | undefined): ((name: string) => boolean) | undefined {
  const all = patterns?.split('|').map((pattern) => namePattern(pattern))
  return all && ((name) => all.some((matches) => matches(name)))
}
