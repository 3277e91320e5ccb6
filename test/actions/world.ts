import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { withSlashes } from '../../packages/clada/src/core/paths.ts'
import type { Piece } from './read-cases.ts'

/** Everything below a directory by its path from the project; clada's own corner left out. */
export type World = Record<string, string>

/** Puts pieces on the disk, in their order. */
export function build(root: string, pieces: readonly Piece[]): void {
  for (const piece of pieces) {
    const file = path.join(root, piece.path)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    const body = piece.body.trimEnd()
    if (piece.flags.includes('dir')) fs.mkdirSync(file, { recursive: true })
    else if (piece.flags.includes('link')) fs.symlinkSync(body, file)
    else if (piece.flags.includes('hardlink')) fs.linkSync(path.join(root, body), file)
    else if (piece.flags.includes('fifo')) execFileSync('mkfifo', [file])
    else fs.writeFileSync(file, bytesOf(piece))
    const mode = modeOf(piece)
    if (mode !== undefined) fs.chmodSync(file, mode)
  }
}

/**
 * What is there. A file is its mode and bytes, a link its target, an empty directory is itself; a directory
 * with something in it is told by that.
 */
export function look(root: string): World {
  const world: World = {}
  for (const entry of entriesBelow(path.dirname(root))) {
    const file = path.join(entry.parentPath, entry.name)
    const name = withSlashes(path.relative(root, file))
    if (name === '' || name === '.clada' || name.startsWith('.clada/')) continue
    if (entry.isSymbolicLink()) world[name] = `-> ${fs.readlinkSync(file)}`
    else if (entry.isFile()) world[name] = fileState(fs.statSync(file).mode, fs.readFileSync(file))
    else if (!entry.isDirectory()) world[name] = 'special'
    else if (fs.readdirSync(file).length === 0) world[name] = 'directory'
  }
  return world
}

/** Follows no link, as Node's own way does from Node 22 on. */
function entriesBelow(dir: string): fs.Dirent[] {
  return fs
    .readdirSync(dir, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry, ...entriesBelow(path.join(dir, entry.name))] : [entry]))
}

/** What must be there: as before, except for what the case says. */
export function expected(before: World, after: readonly Piece[], found: World): World {
  const world = { ...before }
  for (const piece of after) {
    const name = path.posix.normalize(piece.path)
    if (piece.flags.includes('absent')) delete world[name]
    else if (piece.flags.includes('dir')) world[name] = 'directory'
    else if (piece.flags.includes('link')) world[name] = `-> ${piece.body.trimEnd()}`
    else world[name] = fileState(modeOf(piece) ?? keptMode(before[name]) ?? keptMode(found[name]) ?? 0, bytesOf(piece))
    for (let dir = path.posix.dirname(name); dir !== '.'; dir = path.posix.dirname(dir)) {
      if (world[dir] === 'directory') delete world[dir]
    }
  }
  return world
}

const fileState = (mode: number, bytes: Buffer): string =>
  `${(mode & 0o7777).toString(8)} ${JSON.stringify(bytes.toString(isText(bytes) ? 'utf8' : 'latin1'))}`

const isText = (bytes: Buffer): boolean => bytes.equals(Buffer.from(bytes.toString('utf8')))

/** A file that was there keeps its mode; that of a new one is the machine's business. */
function keptMode(state: string | undefined): number | undefined {
  const mode = Number.parseInt(state ?? '', 8)
  return Number.isNaN(mode) ? undefined : mode
}

function modeOf({ flags }: Piece): number | undefined {
  const flag = flags.find((one) => one.startsWith('mode '))
  return flag === undefined ? undefined : Number.parseInt(flag.slice(5), 8)
}

function bytesOf({ body, flags }: Piece): Buffer {
  if (flags.includes('base64')) return Buffer.from(body, 'base64')
  const text = flags.includes('json') ? (JSON.parse(body) as string) : body
  const times = Number(flags.find((one) => one.startsWith('repeat '))?.slice(7) ?? 1)
  return Buffer.from(text.repeat(times))
}
