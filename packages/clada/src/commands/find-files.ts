import fs from 'node:fs'
import path from 'node:path'
import { anyOf, type Looking } from './looking.ts'

interface Found {
  /** As it is printed. */
  readonly name: string
  readonly depth: number
  readonly stat: fs.Stats
}

/** What a test does with a file: whether it is true; it may also print it, or keep find out of a directory. */
type Test = (found: Found, act: { print(end: string): void; prune(): void }) => boolean

/** find, for the expressions that the rules let pass. */
export function findFiles(look: Looking): string {
  const first = look.words.findIndex((word) => /^(?:-.+|[(!])$/.test(word))
  const starts = first === -1 ? look.words : look.words.slice(0, first)
  const words = first === -1 ? [] : look.words.slice(first)
  const limits = { '-maxdepth': Infinity, '-mindepth': 0 }
  const rest: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '-maxdepth' || word === '-mindepth') limits[word] = Number(words[++at])
    else rest.push(word)
  }
  const test = new Expression(rest, look).whole()
  const out: string[] = []
  const visit = (name: string, depth: number): void => {
    const at = path.join(look.safePath, name)
    const stat = fs.lstatSync(at)
    let pruned = false
    const print = (end: string): void => void out.push(name + end)
    if (depth >= limits['-mindepth']) test({ name, depth, stat }, { print, prune: () => (pruned = true) })
    if (!stat.isDirectory() || pruned || depth >= limits['-maxdepth']) return
    for (const child of fs.readdirSync(at).sort()) {
      try {
        visit(name.endsWith('/') ? name + child : `${name}/${child}`, depth + 1)
      } catch (error) {
        look.complain(`${name}/${child}`, error)
      }
    }
  }
  for (const start of starts) {
    try {
      visit(start, 0)
    } catch (error) {
      look.complain(start, error)
    }
  }
  return out.join('')
}

/** or := and ('-o' and)*; and := not ('-a'? not)*; not := ('!'|'-not') not | '(' or ')' | test */
class Expression {
  readonly #words: readonly string[]
  readonly #look: Looking
  #at = 0

  constructor(words: readonly string[], look: Looking) {
    this.#words = words
    this.#look = look
  }

  whole(): Test {
    return this.#words.length === 0 ? (_, { print }) => (print('\n'), true) : this.#or()
  }

  #or(): Test {
    const parts = [this.#and()]
    while (this.#take('-o', '-or')) parts.push(this.#and())
    return (found, act) => parts.some((part) => part(found, act))
  }

  #and(): Test {
    const parts = [this.#not()]
    for (;;) {
      this.#take('-a', '-and')
      const next = this.#words[this.#at]
      if (next === undefined || next === ')' || next === '-o' || next === '-or') break
      parts.push(this.#not())
    }
    return (found, act) => parts.every((part) => part(found, act))
  }

  #not(): Test {
    if (this.#take('!', '-not')) {
      const inner = this.#not()
      return (found, act) => !inner(found, act)
    }
    if (this.#take('(')) {
      const inner = this.#or()
      this.#take(')')
      return inner
    }
    return this.#test(this.#words[this.#at++] ?? '')
  }

  #test(word: string): Test {
    if (word === '-print') return (_, { print }) => (print('\n'), true)
    if (word === '-print0') return (_, { print }) => (print('\0'), true)
    if (word === '-prune') return (_, { prune }) => (prune(), true)
    if (word === '-empty') return (found) => this.#isEmpty(found)
    const value = this.#words[this.#at++] ?? ''
    const now = Date.now()
    switch (word) {
      case '-name':
      case '-iname': {
        const matches = anyOf(value, word === '-iname' ? 'i' : '')
        return ({ name }) => matches(name.replace(/\/+$/, '').replace(/^.*\//s, '') || name)
      }
      case '-path':
      case '-ipath': {
        const matches = anyOf(value, word === '-ipath' ? 'i' : '')
        return ({ name }) => matches(name)
      }
      case '-type':
        return ({ stat }) => value.split(',').includes(letterOf(stat))
      case '-size':
        return ({ stat }) => compares(value, sizeIn(value, stat.size))
      case '-mtime':
        return ({ stat }) => compares(value, Math.floor((now - stat.mtimeMs) / 86_400_000))
      case '-mmin':
        return ({ stat }) => compares(value, Math.ceil((now - stat.mtimeMs) / 60_000))
      default: {
        const { mtimeMs } = fs.lstatSync(path.join(this.#look.safePath, value))
        return ({ stat }) => stat.mtimeMs > mtimeMs
      }
    }
  }

  #isEmpty({ name, stat }: Found): boolean {
    if (stat.isFile()) return stat.size === 0
    return stat.isDirectory() && fs.readdirSync(path.join(this.#look.safePath, name)).length === 0
  }

  #take(...words: readonly string[]): boolean {
    if (!words.includes(this.#words[this.#at] ?? '')) return false
    this.#at++
    return true
  }
}

const letterOf = (stat: fs.Stats): string =>
  stat.isFile() ? 'f' : stat.isDirectory() ? 'd' : stat.isSymbolicLink() ? 'l' : stat.isFIFO() ? 'p' : 's'

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
