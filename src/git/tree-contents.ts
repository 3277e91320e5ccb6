import { randomBytes } from 'node:crypto'
import type { Inspected } from '../core/recorder.ts'
import { missing } from './object-reader.ts'
import type { Room, RoomCall } from './room.ts'

/** What a tree has at a path. */
export interface Side {
  readonly mode: string
  readonly oid: string
}

export function stateOf({ mode }: Side, bytes: Buffer | undefined): Inspected {
  if (bytes === undefined) return { type: 'absent' }
  if (mode === '120000') return { type: 'symlink', target: bytes.toString() }
  return { type: 'file', mode: mode === '100755' ? 0o755 : 0o644, bytes }
}

/** What a tree has at these paths: files and links. */
export async function sidesIn(room: Room, tree: string, names: readonly string[]): Promise<Named[]> {
  return (await room.gitOn(['ls-tree', '-z', '--full-tree', tree], names))
    .toString()
    .split('\0')
    .flatMap((line) => {
      const [, mode, type, oid, name] = /^(\d+) (\w+) (\S+)\t(.*)$/s.exec(line) ?? []
      return type === 'blob' && mode !== undefined && oid !== undefined && name !== undefined
        ? [{ mode, oid, name }]
        : []
    })
}

export type Named = Side & { readonly name: string }

/**
 * Contents as they stand in the working tree, line endings and all, by `oid name`. `how` decides whose attributes
 * count; without it those on the disk do.
 */
export async function contentsOf(
  room: Room,
  wanted: readonly Named[],
  how: RoomCall = {},
): Promise<Map<string, Buffer>> {
  const there = wanted.filter(({ mode }) => mode !== '000000')
  const links = there.filter(({ mode }) => mode === '120000')
  const files = there.filter(({ mode }) => mode !== '120000')
  return new Map([
    ...(await contentsIn(room, links, [], ({ oid }) => oid, how)),
    ...(await contentsIn(room, files.filter(isPlain), ['--filters'], ({ oid, name }) => `${oid} ${name}`, how)),
    ...(await oneByOne(
      room,
      files.filter((file) => !isPlain(file)),
      how,
    )),
  ])
}

/** Contents of files as git stores them. */
export const storedContents = async (room: Room, files: readonly Named[]): Promise<Map<string, Buffer>> =>
  new Map(await contentsIn(room, files, [], ({ oid }) => oid))

/** Whether a name can stand in a line behind a blank. */
const isPlain = ({ name }: Named): boolean => !/^[ \t]|\n/.test(name)

/**
 * The size that git tells is the one before line endings and the like are put in, so it does not say where a content
 * ends. A word that nobody can have written into a file does.
 */
async function contentsIn(
  room: Room,
  some: readonly Named[],
  flags: readonly string[],
  lineFor: (one: Named) => string,
  how: RoomCall = {},
): Promise<[string, Buffer][]> {
  if (some.length === 0) return []
  const word = randomBytes(16).toString('hex')
  const input = `${some.map(lineFor).join('\n')}\n`
  const { out } = await room.git(['cat-file', `--batch=${word} %(objectname)`, ...flags], { ...how, input })
  let at = 0
  return some.map(({ oid, name }) => {
    const header = `${word} ${oid}\n`
    if (out.subarray(at, at + header.length).toString('latin1') !== header) throw missing(oid)
    const begin = at + header.length
    const next = out.indexOf(`\n${word} `, begin)
    const end = next === -1 ? out.length - 1 : next
    at = end + 1
    return [`${oid} ${name}`, out.subarray(begin, end)]
  })
}

/** For the few names that do not fit into a line. */
async function oneByOne(room: Room, some: readonly Named[], how: RoomCall): Promise<[string, Buffer][]> {
  const found: [string, Buffer][] = []
  for (const { oid, name } of some) {
    const { out } = await room.git(['cat-file', '--filters', `--path=${name}`, oid], how)
    found.push([`${oid} ${name}`, out])
  }
  return found
}
