import path from 'node:path'
import { homeDir } from '../core/platform.ts'
import { isSpecialFile, mostSettingsBytes, readLinked, sizeOfLinked } from './own-files.ts'

export interface GitSetting {
  /** The section and the key in small letters, without a subsection. */
  readonly name: string
  readonly value: string
}

/** A repository brings the lines, so each is read once. */
export function parseSettings(text: string): GitSetting[] {
  const found: GitSetting[] = []
  let section = ''
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const [, head, rest = line] =
      /^\s*\[\s*([\w.-]+)(?![\w.-])[^\]"]*(?:"(?:[^"\\]|\\.)*"[^\]]*)?\](.*)$/s.exec(line) ?? []
    if (head !== undefined) section = head.toLowerCase()
    const [, key, raw = ''] = /^\s*([\w-]+)\s*=\s*(.*)$/s.exec(rest) ?? []
    if (key === undefined) continue
    const words = new ValueReader()
    for (words.read(raw); words.continues && at + 1 < lines.length;) words.read(lines[++at] ?? '')
    found.push({ name: `${section}.${key.toLowerCase()}`, value: words.value.trimEnd() })
  }
  return found.filter(({ value }) => value !== '')
}

/** Quotes may be anywhere in a value, comments outside them. A backslash at its end goes on with the next line. */
class ValueReader {
  value = ''
  continues = false
  #isQuoted = false

  read(line: string): void {
    this.continues = false
    const raw = line.replace(/\r$/, '')
    for (let at = 0; at < raw.length; at++) {
      const character = raw[at] ?? ''
      if (character === '"') this.#isQuoted = !this.#isQuoted
      else if (character === '\\') {
        this.continues = at + 1 === raw.length
        const escaped = raw[++at] ?? ''
        this.value += escapes.get(escaped) ?? escaped
      } else if (!this.#isQuoted && /[#;]/.test(character)) return
      else this.value += character
    }
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['b', '\b'],
])

/** The place that a setting names. Git also knows the homes of other users; nothing of theirs comes with a repository. */
export const settingPath = (from: string, named: string): string =>
  path.resolve(from, named.replace(/^~[^/]*(?=\/)/, homeDir()))

/**
 * What is wrong with some config files of a repository, or with one that they include: git waits for ever for a pipe, and
 * reads a file again for each line that includes it.
 */
export function endlessSettings(configs: readonly string[]): string | undefined {
  let bytes = 0
  const pending = configs.map((file) => ({ file, depth: 0 }))
  for (let count = 0; count < pending.length; count++) {
    const { file, depth } = pending[count] ?? { file: '', depth: 0 }
    if (count > mostIncluded)
      return `its settings include more than ${mostIncluded} files, and git would read all of them`
    if (isSpecialFile(file)) return `'${file}' is a special file, and git would wait for it`
    bytes += sizeOfLinked(file)
    if (bytes > mostSettingsBytes)
      return `'${file}' and what belongs to it have ${bytes} bytes, and git would read all of them`
    const text = readSettings(file)
    if (depth < deepestInclude && /include/i.test(text))
      for (const { name, value } of parseSettings(text))
        if (isInclude(name)) pending.push({ file: settingPath(path.dirname(file), value), depth: depth + 1 })
  }
  return undefined
}

export const isInclude = (name: string): boolean => /^include(?:if)?\.path$/.test(name)

/** Git gives up there. */
export const deepestInclude = 10

/** Each time that one is named. */
const mostIncluded = 1000

/** Empty where git could not read it either. */
function readSettings(file: string): string {
  try {
    return readLinked(file) ?? ''
  } catch {
    return ''
  }
}
