import { splitKeepingEnds } from '@clada/reply/text/lines.ts'
import fs from 'node:fs'
import path from 'node:path'
import { slashed } from '../core/paths.ts'
import { anyOf, diffFiles, type LookCall, type Looking, type LookResult } from './looking.ts'
import { findFiles } from './find-files.ts'
import { messageOf } from '../core/platform.ts'

/**
 * The commands that models look around with, for machines that lack the programs. Undefined for a command or an option
 * that only the program has.
 */
export function lookAround(name: string, call: LookCall): LookResult | undefined {
  const command = commands[name]
  if (command === undefined) return undefined
  const said: string[] = []
  const has = (...flags: string[]): boolean => flags.some((flag) => call.options.includes(flag))
  const valueOf = (flag: string): string | undefined => {
    const at = call.options.findIndex((word) => word === flag || word.startsWith(`${flag}=`))
    const word = call.options[at]
    return word === undefined ? undefined : word === flag ? call.options[at + 1] : word.slice(flag.length + 1)
  }
  const complain = (file: string, error: unknown): void => void said.push(`${name}: ${file}: ${reasonOf(error)}\n`)
  const output = command({ ...call, has, valueOf, complain })
  if (output === undefined) return undefined
  if (typeof output !== 'string') return output
  return { output: said.join('') + output, exitCode: said.length > 0 ? 1 : 0 }
}

type Command = (look: Looking) => string | LookResult | undefined

const commands: Readonly<Record<string, Command>> = {
  cat: (look) => perFile(look, (bytes) => catted(bytes.toString('utf8'), look)).join(''),
  head: (look) => titled(look, (bytes) => firstOf(bytes, look)),
  tail: (look) => titled(look, (bytes) => lastOf(bytes, look)),
  wc: counted,
  pwd: ({ absolute }) => `${slashed(absolute)}\n`,
  realpath: (look) =>
    eachWord(look, (word) => {
      const full = path.resolve(look.absolute, word)
      if (look.has('-e')) fs.lstatSync(path.join(look.safePath, word))
      return `${slashed(full)}\n`
    }).join(''),
  ls: listed,
  stat: (look) => eachWord(look, (word) => described(word, look)).join(''),
  tree: drawn,
  find: findFiles,
  diff: diffFiles,
  xxd: (look) => perFile(look, (bytes) => hexOf(bytes, look)).join(''),
  file: (look) =>
    eachWord(look, (word) => `${look.has('-b', '--brief') ? '' : `${word}: `}${kindOf(word, look)}\n`).join(''),
}

/** What is said about a file, in the words of the programs. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? messageOf(error)
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
}

function eachWord<T>(look: Looking, act: (word: string) => T): T[] {
  return look.words.flatMap((word) => {
    try {
      return [act(word)]
    } catch (error) {
      look.complain(word, error)
      return []
    }
  })
}

const perFile = <T>(look: Looking, act: (bytes: Buffer, word: string) => T): T[] =>
  eachWord(look, (word) => act(fs.readFileSync(path.join(look.safePath, word)), word))

/** With the last line break, where there is one. */

function catted(text: string, { has }: Looking): string {
  let lines = splitKeepingEnds(text)
  if (has('-s')) lines = lines.filter((line, at) => line !== '\n' || lines[at - 1] !== '\n')
  if (has('-A'))
    lines = lines.map((line) =>
      line
        .replace(/\r(?=\n)/, '^M')
        .replace(/\t/g, '^I')
        .replace(/\n$/, '$\n'),
    )
  let number = 0
  const numbered = (line: string): string => `${String(++number).padStart(6)}\t${line}`
  if (has('-b')) return lines.map((line) => (/^\$?\n$/.test(line) ? line : numbered(line))).join('')
  return (has('-n') ? lines.map(numbered) : lines).join('')
}

/** Each file under its name, where there are several. */
function titled(look: Looking, part: (bytes: Buffer) => string): string {
  const names = look.has('-v') || (look.words.length > 1 && !look.has('-q'))
  return perFile(look, (bytes, word) => (names ? `==> ${word} <==\n` : '') + part(bytes)).join(names ? '\n' : '')
}

function firstOf(bytes: Buffer, { valueOf }: Looking): string {
  const size = valueOf('-c')
  if (size !== undefined)
    return bytes.subarray(0, size.startsWith('-') ? -Number(size.slice(1)) : Number(size)).toString()
  const count = valueOf('-n') ?? '10'
  const lines = splitKeepingEnds(bytes.toString('utf8'))
  return lines
    .slice(0, count.startsWith('-') ? Math.max(0, lines.length - Number(count.slice(1))) : Number(count))
    .join('')
}

function lastOf(bytes: Buffer, { valueOf }: Looking): string {
  const size = valueOf('-c')
  if (size !== undefined)
    return bytes.subarray(size.startsWith('+') ? Number(size) - 1 : Math.max(0, bytes.length - Number(size))).toString()
  const count = valueOf('-n') ?? '10'
  const lines = splitKeepingEnds(bytes.toString('utf8'))
  return lines
    .slice(count.startsWith('+') ? Math.max(0, Number(count) - 1) : Math.max(0, lines.length - Number(count)))
    .join('')
}

const columns = ['-l', '-w', '-m', '-c', '-L'] as const

function counted(look: Looking): string {
  const wanted = columns.filter((flag) => look.has(flag))
  const shown = wanted.length === 0 ? (['-l', '-w', '-c'] as const) : wanted
  const rows = perFile(look, (bytes, word) => ({ word, counts: countsOf(bytes), size: bytes.length }))
  const size = rows.reduce((sum, row) => sum + row.size, 0)
  if (look.words.length > 1) {
    const total = (flag: (typeof columns)[number]): number =>
      flag === '-L'
        ? Math.max(0, ...rows.map(({ counts }) => counts['-L']))
        : rows.reduce((sum, { counts }) => sum + counts[flag], 0)
    const counts = { '-l': total('-l'), '-w': total('-w'), '-m': total('-m'), '-c': total('-c'), '-L': total('-L') }
    rows.push({ word: 'total', counts, size })
  }
  const width = look.words.length === 1 && shown.length === 1 ? 1 : String(size).length
  return rows
    .map(({ word, counts }) => `${shown.map((flag) => String(counts[flag]).padStart(width)).join(' ')} ${word}\n`)
    .join('')
}

function countsOf(bytes: Buffer): Record<(typeof columns)[number], number> {
  const text = bytes.toString('utf8')
  return {
    '-l': text.split('\n').length - 1,
    '-w': text.match(/\S+/g)?.length ?? 0,
    '-m': [...text].length,
    '-c': bytes.length,
    '-L': Math.max(0, ...splitKeepingEnds(text).map((line) => [...line.replace(/\r?\n$/, '')].length)),
  }
}

interface Item {
  readonly name: string
  readonly stat: fs.Stats
}

function itemsIn(look: Looking, dir: string): Item[] {
  const inside = path.join(look.safePath, dir)
  const items = fs.readdirSync(inside).flatMap((name): Item[] => {
    const stat = fs.lstatSync(path.join(inside, name), { throwIfNoEntry: false })
    return stat === undefined ? [] : [{ name, stat }]
  })
  return items.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function listed(look: Looking): string {
  const { has } = look
  const all = has('-a', '-A')
  const ordered = (items: Item[]): Item[] => {
    if (has('-t')) items.sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs)
    if (has('-S')) items.sort((a, b) => b.stat.size - a.stat.size)
    return has('-r') ? items.reverse() : items
  }
  const named = eachWord(look, (word) => ({ name: word, stat: fs.lstatSync(path.join(look.safePath, word)) }))
  const isEntered = ({ stat }: Item): boolean => stat.isDirectory() && !has('-d')
  const files = ordered(named.filter((item) => !isEntered(item)))
  const parts = files.length === 0 ? [] : [entriesOf(files, look)]
  const dirs = ordered(named.filter(isEntered)).map(({ name }) => name)
  const titles = dirs.length + files.length > 1 || has('-R')
  for (let dir = dirs.shift(); dir !== undefined; dir = dirs.shift()) {
    const items = ordered(itemsIn(look, dir).filter(({ name }) => all || !name.startsWith('.')))
    const shown = has('-R') ? items.filter(({ name }) => !look.isHidden(name)) : items
    const own = has('-a')
      ? ['.', '..'].map((name) => ({ name, stat: fs.lstatSync(path.join(look.safePath, dir, name)) }))
      : []
    parts.push((titles ? `${dir}:\n` : '') + entriesOf([...own, ...shown], look))
    if (has('-R')) dirs.unshift(...shown.filter(isEntered).map(({ name }) => `${dir}/${name}`))
  }
  return parts.join('\n')
}

function entriesOf(items: readonly Item[], { has }: Looking): string {
  const marked = ({ name, stat }: Item): string => {
    const mark = stat.isDirectory() ? '/' : has('-F') && stat.isSymbolicLink() ? '@' : ''
    return has('-F', '-p') ? name + mark : name
  }
  if (!has('-l')) return items.map((item) => `${marked(item)}\n`).join('')
  const sizes = items.map(({ stat }) => (has('-h') ? shortSize(stat.size) : String(stat.size)))
  const width = Math.max(0, ...sizes.map((size) => size.length))
  return items
    .map(
      (item, at) => `${modeOf(item.stat)} ${(sizes[at] ?? '').padStart(width)} ${timeOf(item.stat)} ${marked(item)}\n`,
    )
    .join('')
}

function shortSize(size: number): string {
  if (size < 1024) return String(size)
  const power = Math.min(4, Math.floor(Math.log2(size) / 10))
  const value = size / 1024 ** power
  return `${value < 10 ? (Math.ceil(value * 10) / 10).toFixed(1) : Math.ceil(value)}${' KMGT'.charAt(power)}`
}

const timeOf = ({ mtime }: fs.Stats): string => mtime.toISOString().slice(0, 16).replace('T', ' ')

function modeOf(stat: fs.Stats): string {
  const type = stat.isDirectory() ? 'd' : stat.isSymbolicLink() ? 'l' : '-'
  const bits = [...'rwxrwxrwx'].map((letter, at) => (((stat.mode >> (8 - at)) & 1) === 1 ? letter : '-'))
  return type + bits.join('')
}

function described(word: string, look: Looking): string | undefined {
  const stat = fs.lstatSync(path.join(look.safePath, word))
  const type = stat.isDirectory()
    ? 'directory'
    : stat.isSymbolicLink()
      ? 'symbolic link'
      : stat.size === 0
        ? 'regular empty file'
        : 'regular file'
  const facts: Readonly<Record<string, string>> = {
    n: word,
    s: String(stat.size),
    F: type,
    a: (stat.mode & 0o7777).toString(8),
    A: modeOf(stat),
    h: String(stat.nlink),
    Y: String(Math.floor(stat.mtimeMs / 1000)),
    y: stat.mtime.toISOString(),
    '%': '%',
  }
  const format = look.valueOf('-c')
  if (format !== undefined) return `${format.replace(/%(.)/g, (all, letter: string) => facts[letter] ?? all)}\n`
  if (look.has('-t')) return `${word} ${stat.size} ${facts['Y']}\n`
  return `  File: ${word}\n  Size: ${stat.size}\t${type}\nAccess: (${facts['a']?.padStart(4, '0')}/${facts['A']})\nModify: ${facts['y']}\n`
}

function drawn(look: Looking): string | undefined {
  const { has, valueOf } = look
  if (has('-J')) return undefined
  const depth = Number(valueOf('-L') ?? 1000)
  const [left, only] = [valueOf('-I'), valueOf('-P')].map((patterns) =>
    patterns === undefined ? undefined : anyOf(patterns),
  )
  const count = { dirs: 0, files: 0 }
  const lines: string[] = []
  const walk = (dir: string, lead: string, level: number): void => {
    const items = itemsIn(look, dir).filter(({ name, stat }) => {
      if ((!has('-a') && name.startsWith('.')) || look.isHidden(name) || left?.(name)) return false
      return stat.isDirectory() || (!has('-d') && (only === undefined || only(name)))
    })
    for (const [at, { name, stat }] of items.entries()) {
      const last = at === items.length - 1
      const shown = (has('-f') ? `${dir}/${name}` : name) + (has('-F') && stat.isDirectory() ? '/' : '')
      lines.push(has('-i') ? shown : `${lead}${last ? '└── ' : '├── '}${shown}`)
      if (!stat.isDirectory()) count.files++
      else {
        count.dirs++
        if (level < depth) walk(`${dir}/${name}`, `${lead}${last ? '    ' : '│   '}`, level + 1)
      }
    }
  }
  eachWord(look, (word) => {
    fs.readdirSync(path.join(look.safePath, word))
    lines.push(word + (has('-F') && !word.endsWith('/') ? '/' : ''))
    count.dirs++
    walk(word, '', 1)
  })
  const many = (n: number, one: string, more: string): string => `${n} ${n === 1 ? one : more}`
  const report = has('-d') ? '' : `, ${many(count.files, 'file', 'files')}`
  if (!has('--noreport')) lines.push('', many(count.dirs, 'directory', 'directories') + report)
  return `${lines.join('\n')}\n`
}

function hexOf(whole: Buffer, { has, valueOf }: Looking): string | undefined {
  if (has('-b', '-i')) return undefined
  const from = Number(valueOf('-s') ?? valueOf('-seek') ?? 0)
  const length = Number(valueOf('-l') ?? valueOf('-len') ?? whole.length)
  const bytes = whole.subarray(from, from + length)
  const hex = has('-u') ? bytes.toString('hex').toUpperCase() : bytes.toString('hex')
  const plain = has('-p')
  const columnsOf = Number(valueOf('-c') ?? valueOf('-cols') ?? (plain ? 30 : 16))
  const group = Number(valueOf('-g') ?? 2) || columnsOf
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += columnsOf) {
    const part = hex.slice(at * 2, (at + columnsOf) * 2)
    if (plain) {
      lines.push(part)
      continue
    }
    const groups = part.match(new RegExp(`.{1,${group * 2}}`, 'g')) ?? []
    const width = columnsOf * 2 + Math.ceil(columnsOf / group) - 1
    const text = bytes
      .subarray(at, at + columnsOf)
      .toString('latin1')
      .replace(/[^\x20-\x7e]/g, '.')
    lines.push(`${(from + at).toString(16).padStart(8, '0')}: ${groups.join(' ').padEnd(width)}  ${text}`)
  }
  return lines.map((line) => `${line}\n`).join('')
}

function kindOf(word: string, look: Looking): string {
  const mime = look.has('-i', '--mime', '--mime-type', '--mime-encoding')
  const at = path.join(look.safePath, word)
  const stat = fs.lstatSync(at)
  const bytes = stat.isFile() ? fs.readFileSync(at) : undefined
  const binary = bytes?.includes(0) || (bytes !== undefined && bytes.toString('utf8').includes('\ufffd'))
  const ascii = bytes?.every((byte) => byte < 128) ?? false
  const [type, charset, words] =
    bytes === undefined
      ? ['inode/directory', 'binary', 'directory']
      : bytes.length === 0
        ? ['inode/x-empty', 'binary', 'empty']
        : binary
          ? ['application/octet-stream', 'binary', 'data']
          : [
              'text/plain',
              ascii ? 'us-ascii' : 'utf-8',
              `${ascii ? 'ASCII text' : 'UTF-8 Unicode text'}${bytes.includes('\r\n') ? ', with CRLF line terminators' : ''}`,
            ]
  if (!mime) return words ?? ''
  if (look.has('--mime-type')) return type ?? ''
  return look.has('--mime-encoding') ? (charset ?? '') : `${type}; charset=${charset}`
}
