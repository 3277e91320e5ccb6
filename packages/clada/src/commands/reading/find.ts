import type { FileStat, PathArg } from '../../core/files.ts'
import { namePattern } from './name-pattern.ts'
import { childOf, noSuchFile, type ReadingRun, tryRead } from './reading-run.ts'
import { typeLetter } from './status.ts'

interface FoundEntry {
  readonly arg: PathArg
  readonly stat: FileStat
}

/** What a test may do besides: print the file, or keep find out of a directory. */
interface Acts {
  print(end: string): void
  prune(): void
}
type Test = (found: FoundEntry, acts: Acts) => boolean | Promise<boolean>

/** find, for the expressions that the rules let pass. */
export async function runFind(reader: ReadingRun): Promise<void> {
  const words = reader.call.operands.map(({ text }) => text)
  const first = words.findIndex((word) => /^(?:-.+|[(!])$/.test(word))
  const starts = first === -1 ? words.length : first
  const limits = { '-maxdepth': Infinity, '-mindepth': 0 }
  const expression: string[] = []
  const waiting = words.slice(starts)
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    if (word === '-maxdepth' || word === '-mindepth') limits[word] = Number(waiting.shift())
    else expression.push(word)
  }
  const test = await new Expression(expression, reader).read()
  const visit = async (found: FoundEntry, depth: number): Promise<void> => {
    reader.checkTime()
    let isPruned = false
    const acts: Acts = {
      print: (end) => reader.print(found.arg.given + end),
      prune: () => {
        isPruned = true
      },
    }
    if (depth >= limits['-mindepth']) await test(found, acts)
    if (typeLetter(found.stat) !== 'd' || isPruned || depth >= limits['-maxdepth']) return
    for (const { name, stat } of await reader.files.list(found.arg)) {
      const arg = childOf(found.arg, name)
      // Neither shown nor entered.
      if (!reader.files.isBlocked(arg)) await tryRead(reader, arg.given, () => visit({ arg, stat }, depth + 1))
    }
  }
  for (const { given, absolute, found } of reader.operands.slice(0, starts)) {
    if (found === undefined) reader.complain(given, noSuchFile)
    else await tryRead(reader, given, () => visit({ arg: { given, absolute }, stat: found.stat }, 0))
  }
}

/** or := and ('-o' and)*; and := not ('-a'? not)*; not := ('!'|'-not') not | '(' or ')' | test */
class Expression {
  readonly #words: readonly string[]
  readonly #reader: ReadingRun
  #at = 0

  constructor(words: readonly string[], reader: ReadingRun) {
    this.#words = words
    this.#reader = reader
  }

  /** Prints what is true for it, unless it says itself what is printed. */
  async read(): Promise<Test> {
    const test = this.#words.length === 0 ? () => true : this.#or()
    if (this.#words.some((word) => word === '-print' || word === '-print0')) return test
    return async (found, acts) => {
      const isTrue = await test(found, acts)
      if (isTrue) acts.print('\n')
      return isTrue
    }
  }

  #or(): Test {
    const parts = [this.#and()]
    while (this.#take('-o', '-or')) parts.push(this.#and())
    return async (found, acts) => {
      for (const part of parts) if (await part(found, acts)) return true
      return false
    }
  }

  #and(): Test {
    const parts = [this.#not()]
    for (;;) {
      this.#take('-a', '-and')
      const next = this.#words[this.#at]
      if (next === undefined || next === ')' || next === '-o' || next === '-or') break
      parts.push(this.#not())
    }
    return async (found, acts) => {
      for (const part of parts) if (!(await part(found, acts))) return false
      return true
    }
  }

  #not(): Test {
    if (this.#take('!', '-not')) {
      const inner = this.#not()
      return async (found, acts) => !(await inner(found, acts))
    }
    if (this.#take('(')) {
      const inner = this.#or()
      this.#take(')')
      return inner
    }
    return this.#test(this.#words[this.#at++] ?? '')
  }

  #test(word: string): Test {
    if (word === '-print' || word === '-print0')
      return (_, { print }) => {
        print(word === '-print' ? '\n' : '\0')
        return true
      }
    if (word === '-prune')
      return (_, { prune }) => {
        prune()
        return true
      }
    if (word === '-empty') return (found) => this.#isEmpty(found)
    const value = this.#words[this.#at++] ?? ''
    const now = Date.now()
    switch (word) {
      case '-name':
      case '-iname': {
        const matches = namePattern(value, word === '-iname' ? 'any' : 'as given')
        return ({ arg: { given } }) => matches(given.replace(/(?<!^)\/+$/, '').replace(/^.*\/(?=.)/s, ''))
      }
      case '-path':
      case '-ipath': {
        const matches = namePattern(value, word === '-ipath' ? 'any' : 'as given')
        return ({ arg: { given } }) => matches(given)
      }
      case '-type':
        return ({ stat }) => value.split(',').includes(typeLetter(stat))
      case '-size':
        return ({ stat }) => compares(value, sizeIn(value, stat.size))
      case '-mtime':
        return ({ stat }) => compares(value, Math.floor((now - stat.mtimeMs) / 86_400_000))
      case '-mmin':
        return ({ stat }) => compares(value, Math.ceil((now - stat.mtimeMs) / 60_000))
      default: {
        const other = this.#reader.operands.find(({ given }) => given === value)?.found
        if (other === undefined) this.#reader.complain(value, noSuchFile)
        return ({ stat }) => other !== undefined && stat.mtimeMs > other.stat.mtimeMs
      }
    }
  }

  async #isEmpty({ arg, stat }: FoundEntry): Promise<boolean> {
    const letter = typeLetter(stat)
    if (letter === 'f') return stat.size === 0
    return letter === 'd' && (await this.#reader.files.list(arg)).length === 0
  }

  #take(...words: readonly string[]): boolean {
    if (!words.includes(this.#words[this.#at] ?? '')) return false
    this.#at++
    return true
  }
}

/** In the unit of the word, rounded up; without one in blocks of 512 bytes. */
function sizeIn(word: string, bytes: number): number {
  const units: Readonly<Record<string, number>> = { c: 1, w: 2, b: 512, k: 1024, M: 1024 ** 2, G: 1024 ** 3 }
  return Math.ceil(bytes / (units[word.slice(-1)] ?? 512))
}

/** `+5` is more than 5, `-5` less. */
function compares(word: string, value: number): boolean {
  const wanted = Number(/\d+/.exec(word)?.[0])
  return word.startsWith('+') ? value > wanted : word.startsWith('-') ? value < wanted : value === wanted
}
