import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { homeDir } from '../core/platform.ts'
import { dirsNamedBy, gitDirNear } from './git-dirs.ts'
import { readLinked } from './own-files.ts'

/**
 * The files and directories that the settings of the repository around a directory name, absolute: further settings,
 * hooks, and rules for files. Git obeys what is in them.
 */
export function placesInGitSettings(dir: string): string[] {
  const found = gitDirNear(dir)
  if (found === undefined) return []
  const { top, gitDir } = found
  const places = new Set<string>()
  for (const one of new Set([gitDir, ...dirsNamedBy(top)]))
    for (const name of ['config', 'config.worktree']) addNamedIn(path.join(one, name), top, places, 0)
  // A whole project is not closed by a setting.
  return [...places].filter((place) => !isInside(top, place) && !isInside(dir, place))
}

/** With the settings that they include, as deep as git does. */
function addNamedIn(file: string, top: string, places: Set<string>, depth: number): void {
  if (depth > mostIncludes) return
  for (const { name, value } of parseSettings(readLinked(file) ?? '')) {
    const isInclude = /^include(?:if)?\.path$/.test(name)
    // A program without a slash is looked for in PATH.
    if (!isInclude && !(placeKeys.has(name) || (programKeys.has(name) && value.includes('/')))) continue
    // The first word of a command line.
    const named = programKeys.has(name) ? (value.split(' ')[0] ?? '') : value
    const absolute = path.resolve(isInclude ? path.dirname(file) : top, named.replace(/^~(?=\/)/, homeDir()))
    if (places.has(absolute)) continue
    places.add(absolute)
    if (isInclude) addNamedIn(absolute, top, places, depth + 1)
  }
}

const mostIncludes = 10

const placeKeys: ReadonlySet<string> = new Set([
  'core.hookspath',
  'core.attributesfile',
  'core.excludesfile',
  'init.templatedir',
])

const programKeys: ReadonlySet<string> = new Set([
  'core.fsmonitor',
  'core.sshcommand',
  'core.pager',
  'core.editor',
  'core.askpass',
  'gpg.program',
  'gpg.ssh.program',
  'gpg.x509.program',
  'diff.external',
])

interface GitSetting {
  /** The section and the key in small letters, without a subsection. */
  readonly name: string
  readonly value: string
}

/** A repository brings the lines, so each is read once. */
function parseSettings(text: string): GitSetting[] {
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
