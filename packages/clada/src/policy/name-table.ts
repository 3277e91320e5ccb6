/**
 * Ends of paths, in small letters: `*` is any part of one name, and a slash at the end means a directory with everything
 * in it. As one text, because most runs look for a few names, for which making a set takes longer.
 */
export class NameTable {
  readonly #text: string
  #set: ReadonlySet<string> | undefined
  #wildcards: readonly Wildcard[] | undefined
  #looks = 0

  constructor(names: readonly string[]) {
    this.#text = `\0${names.join(' ')} `.replaceAll(' ', '\0')
  }

  /** The entry that names a file, or a directory above it. */
  find(file: string): string | undefined {
    const parts = file.toLowerCase().split('/')
    for (let to = 1; to <= parts.length; to++) {
      const found = this.#entry(parts.slice(0, to), to === parts.length ? 'file' : 'directory')
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Whether an entry names exactly this file or directory. */
  names(path: string, type: 'file' | 'directory'): boolean {
    return this.#entry(path.toLowerCase().split('/'), type) !== undefined
  }

  #entry(parts: readonly string[], type: 'file' | 'directory'): string | undefined {
    const end = type === 'directory' ? '/' : ''
    for (let from = parts.length - 1; from >= Math.max(0, parts.length - longest); from--) {
      const name = `${parts.slice(from).join('/')}${end}`
      if (this.#has(name)) return name
    }
    const last = parts.at(-1) ?? ''
    this.#wildcards ??= wildcardsIn(this.#text)
    return this.#wildcards.find(
      ({ before, after, ofDir }) =>
        ofDir === (type === 'directory') &&
        last.length >= before.length + after.length &&
        last.endsWith(after) &&
        last.startsWith(before),
    )?.wildcard
  }

  #has(name: string): boolean {
    if (this.#set === undefined && ++this.#looks > 100) this.#set = new Set(this.#text.split('\0').slice(1, -1))
    return this.#set?.has(name) ?? this.#text.includes(`\0${name}\0`)
  }
}

/** Of a path without a wildcard, in names. */
const longest = 3

interface Wildcard {
  readonly wildcard: string
  readonly before: string
  readonly after: string
  readonly ofDir: boolean
}

const wildcardsIn = (text: string): Wildcard[] =>
  text.split('\0').flatMap((wildcard) => {
    const star = wildcard.lastIndexOf('*')
    if (star === -1) return []
    const ofDir = wildcard.endsWith('/')
    const after = wildcard.slice(star + 1, ofDir ? -1 : undefined)
    return { wildcard, before: wildcard.slice(0, star), after, ofDir }
  })
