import path from 'node:path'
import type { FileStat, PathArg } from '../../core/files.ts'
import { groupName, userName } from '../../process/account-names.ts'
import { childOf, noSuchFile, type ReadingRun, tryRead } from './reading-run.ts'
import { modeText, printable, shortSize, typeMark } from './status.ts'

/** What is listed: an operand, or an entry of a directory. */
interface Item {
  readonly name: string
  readonly stat: FileStat
  readonly arg: PathArg
}

/** ls: a directory's entries, one on a line, or the facts of each with `-l`. */
export async function runLs(reader: ReadingRun): Promise<void> {
  const items: Item[] = []
  for (const operand of reader.operands) {
    const { given, absolute, found } = operand
    if (found === undefined) reader.complain(given, noSuchFile, 2)
    else items.push({ name: given, stat: found.stat, arg: { given, absolute } })
  }
  const isEntered = (item: Item): boolean => isDirectoryItem(item) && !reader.has('-d')
  const files = sortItems(
    items.filter((item) => !isEntered(item)),
    reader,
  )
  if (files.length > 0) await printItems(files, reader)
  const dirs = sortItems(items.filter(isEntered), reader)
  const isTitled = reader.operands.length > 1 || reader.has('-R')
  let isFirst = files.length === 0
  for (let dir = dirs.shift(); dir !== undefined; dir = dirs.shift()) {
    const { name, arg } = dir
    const below: Item[] = []
    await tryRead(reader, name, async () => {
      below.push(...(await itemsIn(arg, reader)))
      reader.print(`${isFirst ? '' : '\n'}${isTitled ? `${printable(name)}:\n` : ''}`)
      isFirst = false
      if (reader.has('-l')) reader.print(`total ${totalOf(below, reader)}\n`)
      await printItems(below, reader)
    })
    if (!reader.has('-R')) continue
    const further = below.filter((item) => isDirectoryItem(item) && item.name !== '.' && item.name !== '..')
    dirs.unshift(...further.map((item) => ({ ...item, name: item.arg.given })))
  }
}

const isDirectoryItem = ({ stat }: Item): boolean => (stat.mode & 0o170000) === 0o040000

function sortItems(items: Item[], reader: ReadingRun): Item[] {
  const byName = (a: Item, b: Item): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  const order = reader.has('-S')
    ? (a: Item, b: Item): number => b.stat.size - a.stat.size || byName(a, b)
    : reader.has('-t')
      ? (a: Item, b: Item): number => b.stat.mtimeMs - a.stat.mtimeMs || byName(a, b)
      : byName
  items.sort(order)
  return reader.has('-r') ? items.reverse() : items
}

/** What is blocked is not entered, so a recursive list does not show it either. */
async function itemsIn(dir: PathArg, reader: ReadingRun): Promise<Item[]> {
  reader.checkTime()
  const entries = await reader.files.list(dir)
  const items = entries.flatMap(({ name, stat }): Item[] => {
    const arg = childOf(dir, name)
    const isHidden = name.startsWith('.') && !reader.has('-a', '-A')
    return isHidden || (reader.has('-R') && reader.files.isBlocked(arg)) ? [] : [{ name, stat, arg }]
  })
  if (reader.lastOf('-a', '-A') === '-a') items.push(...(await ownEntries(dir, reader)))
  return sortItems(items, reader)
}

/** `.` and `..`; of a directory above the roots only the name is shown. */
async function ownEntries(dir: PathArg, reader: ReadingRun): Promise<Item[]> {
  const items: Item[] = []
  let own: FileStat | undefined
  for (const name of ['.', '..']) {
    const arg = { given: name, absolute: path.join(dir.absolute, name) }
    const found = await reader.files.look(arg, 'list').catch(() => undefined)
    const stat = found?.stat ?? (reader.has('-l') ? undefined : own)
    if (stat !== undefined) items.push({ name, stat, arg })
    own ??= stat
  }
  return items
}

function totalOf(items: readonly Item[], reader: ReadingRun): string {
  const bytes = items.reduce((sum, { stat }) => sum + stat.blocks * 512, 0)
  return reader.has('-h') ? shortSize(bytes) : String(Math.ceil(bytes / 1024))
}

async function printItems(items: readonly Item[], reader: ReadingRun): Promise<void> {
  if (!reader.has('-l')) {
    reader.print(items.map(({ name, stat }) => `${printable(name)}${nameMark(stat, reader)}\n`).join(''))
    return
  }
  const rows = items.map(({ stat }) => [
    modeText(stat),
    String(stat.nlink),
    userName(stat.uid) ?? String(stat.uid),
    groupName(stat.gid) ?? String(stat.gid),
    reader.has('-h') ? shortSize(stat.size) : String(stat.size),
    timeOf(stat.mtime),
  ])
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)))
  for (const [nth, { name, stat, arg }] of items.entries()) {
    const isLink = (stat.mode & 0o170000) === 0o120000
    const target = isLink ? await reader.files.readLink(arg).catch(() => undefined) : undefined
    const cells = (rows[nth] ?? []).map((cell, column) =>
      column === 2 || column === 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    const mark = isLink ? '' : nameMark(stat, reader)
    reader.print(`${cells.join(' ')} ${printable(name)}${target === undefined ? mark : ` -> ${printable(target)}`}\n`)
  }
}

function nameMark(stat: FileStat, reader: ReadingRun): string {
  const mark = typeMark(stat)
  const shown = reader.lastOf('-F', '-p')
  return shown === '-F' || (shown === '-p' && mark === '/') ? mark : ''
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const halfAYear = 31_556_952_000 / 2

/** The time of day, or the year where that was long ago. */
function timeOf(time: Date): string {
  const age = Date.now() - time.getTime()
  const two = (value: number): string => String(value).padStart(2, '0')
  const isRecent = age >= 0 && age < halfAYear
  const rest = isRecent ? `${two(time.getHours())}:${two(time.getMinutes())}` : ` ${time.getFullYear()}`
  return `${months[time.getMonth()]} ${String(time.getDate()).padStart(2)} ${rest}`
}
