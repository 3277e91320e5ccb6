import path from 'node:path'
import { groupName, userName } from '../../process/account-names.ts'
import { withSlashes } from '../../core/paths.ts'
import type { FileStat } from '../../core/files.ts'
import { forEachOperand, noSuchFile, type ReadingRun } from './reading-run.ts'
import { modeText, typeName } from './status.ts'

/** stat: what the system knows of a file, by a format. */
export async function runStat(reader: ReadingRun): Promise<void> {
  const format = reader.valueOf('-c') ?? (reader.has('-t') ? terse : usual)
  await forEachOperand(reader, async ({ given, found }) => {
    reader.print(`${formatStat(format, given, found.stat)}\n`)
  })
}

const terse = '%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o'
const usual = [
  '  File: %n',
  '  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F',
  'Device: %Hd,%Ld\tInode: %-11i Links: %h',
  'Access: (%04a/%10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)',
  'Access: %x',
  'Modify: %y',
  'Change: %z',
  ' Birth: %w',
].join('\n')

/** `%` with flags, a width, and a letter; `H` and `L` are the two halves of a device number. */
const formatStat = (format: string, name: string, file: FileStat): string =>
  format.replace(/%([-0]*)(\d*)([HL]?)(.)/gs, (all, flags: string, width: string, half: string, letter: string) => {
    if (letter === '%') return '%'
    const value = half === '' ? facts[letter]?.(file, name) : facts[half + letter]?.(file, name)
    if (value === undefined) return half === '' ? '?' : all
    if (flags.includes('-')) return value.padEnd(Number(width))
    return value.padStart(Number(width), flags.includes('0') ? '0' : ' ')
  })

const facts: Readonly<Record<string, (file: FileStat, name: string) => string>> = {
  n: (_, name) => name,
  N: (_, name) => `'${name}'`,
  s: ({ size }) => String(size),
  b: ({ blocks }) => String(blocks),
  B: () => '512',
  o: ({ blksize }) => String(blksize),
  f: ({ mode }) => mode.toString(16),
  a: ({ mode }) => (mode & 0o7777).toString(8),
  A: modeText,
  F: typeName,
  u: ({ uid }) => String(uid),
  U: ({ uid }) => userName(uid) ?? 'UNKNOWN',
  g: ({ gid }) => String(gid),
  G: ({ gid }) => groupName(gid) ?? 'UNKNOWN',
  d: ({ dev }) => String(dev),
  D: ({ dev }) => dev.toString(16),
  Hd: ({ dev }) => String(majorOf(dev)),
  Ld: ({ dev }) => String(minorOf(dev)),
  i: ({ ino }) => String(ino),
  h: ({ nlink }) => String(nlink),
  t: ({ rdev }) => majorOf(rdev).toString(16),
  T: ({ rdev }) => minorOf(rdev).toString(16),
  x: ({ atime }) => timeText(atime),
  y: ({ mtime }) => timeText(mtime),
  z: ({ ctime }) => timeText(ctime),
  w: ({ birthtime }) => (birthtime.getTime() === 0 ? '-' : timeText(birthtime)),
  X: ({ atime }) => secondsOf(atime),
  Y: ({ mtime }) => secondsOf(mtime),
  Z: ({ ctime }) => secondsOf(ctime),
  W: ({ birthtime }) => secondsOf(birthtime),
}

/** As Linux packs them. */
const majorOf = (dev: number): number => Math.floor(dev / 256) % 4096
const minorOf = (dev: number): number => (dev % 256) + Math.floor(dev / 2 ** 20) * 256

const secondsOf = (time: Date): string => String(Math.floor(time.getTime() / 1000))

/** In local time. Node knows milliseconds. */
function timeText(time: Date): string {
  const offset = -time.getTimezoneOffset()
  const local = new Date(time.getTime() + offset * 60_000).toISOString().replace('T', ' ').replace('Z', '')
  const two = (value: number): string => String(Math.floor(Math.abs(value))).padStart(2, '0')
  return `${local} ${offset < 0 ? '-' : '+'}${two(offset / 60)}${two(offset % 60)}`
}

/** realpath: whole paths. `-e`: all of it must be there; `-m`: nothing must. */
export async function runRealpath(reader: ReadingRun): Promise<void> {
  for (const { given, absolute, found } of reader.operands) {
    const above = { given, absolute: path.dirname(absolute) }
    const isThere =
      found !== undefined ||
      reader.has('-m') ||
      (!reader.has('-e') && (await reader.files.look(above, 'list'))?.type === 'directory')
    if (isThere) reader.print(`${withSlashes(found?.absolute ?? absolute)}\n`)
    else reader.complain(given, noSuchFile)
  }
}

/** pwd: the directory that the command runs in. */
export async function runPwd(reader: ReadingRun): Promise<void> {
  reader.print(`${withSlashes(reader.cwd.absolute)}\n`)
}
