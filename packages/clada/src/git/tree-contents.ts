import { randomBytes } from 'node:crypto'
import type { InMemory } from '../core/recorder.ts'
import { gitError } from './git-program.ts'
import type { IsolatedGit, IsolatedCall } from './isolated-git.ts'

/** An entry of a tree. */
export interface TreeEntry {
  readonly mode: string
  readonly oid: string
}

export function treeEntryState({ mode }: TreeEntry, bytes: Buffer | undefined): InMemory {
  if (bytes === undefined) return { type: 'absent' }
  if (mode === '120000') return { type: 'symlink', target: bytes.toString() }
  return { type: 'file', mode: mode === '100755' ? 0o755 : 0o644, bytes }
}

/** The files and links of a tree at these paths. */
export const sidesIn = async (
  isolated: IsolatedGit,
  tree: string,
  names: readonly string[],
): Promise<NamedTreeEntry[]> =>
  (await treeEntriesAt(isolated, tree, names))
    .filter(({ type }) => type === 'blob')
    .map(({ mode, oid, name }) => ({ mode, oid, name }))

/** All entries of a tree at these paths. */
export async function treeEntriesAt(
  isolated: IsolatedGit,
  tree: string,
  names: readonly string[],
): Promise<(NamedTreeEntry & { readonly type: string })[]> {
  const listed = (await isolated.gitOn(['ls-tree', '-z', '--full-tree', tree], names)).toString().split('\0')
  return listed.flatMap((line) => {
    const [, mode, type, oid, name] = /^(\d+) (\w+) (\S+)\t(.*)$/s.exec(line) ?? []
    return mode === undefined || type === undefined || oid === undefined || name === undefined
      ? []
      : [{ mode, type, oid, name }]
  })
}

export type NamedTreeEntry = TreeEntry & { readonly name: string }

/**
 * Contents as in the working tree, with converted line endings, by `oid name`. `how` selects the attributes; by default
 * those on the disk.
 */
export async function treeContents(
  isolated: IsolatedGit,
  wanted: readonly NamedTreeEntry[],
  how: IsolatedCall = {},
): Promise<Map<string, Buffer>> {
  const there = wanted.filter(({ mode }) => mode !== '000000')
  const links = there.filter(({ mode }) => mode === '120000')
  const files = there.filter(({ mode }) => mode !== '120000')
  return new Map([
    ...(await blobContents(isolated, links, [], ({ oid }) => oid, how)),
    ...(await blobContents(
      isolated,
      files.filter(hasPlainName),
      ['--filters'],
      ({ oid, name }) => `${oid} ${name}`,
      how,
    )),
    ...(await readBlobsOneByOne(
      isolated,
      files.filter((file) => !hasPlainName(file)),
      how,
    )),
  ])
}

/** Contents of files as git stores them. */
export const readStoredContents = async (
  isolated: IsolatedGit,
  files: readonly NamedTreeEntry[],
): Promise<Map<string, Buffer>> => new Map(await blobContents(isolated, files, [], ({ oid }) => oid))

/** Whether a name fits into a line of input, after a space. */
const hasPlainName = ({ name }: NamedTreeEntry): boolean => !/^[ \t]|\n/.test(name)

/**
 * The size in git's output is that before conversions, so it does not give the end of a content. A random word in each
 * header does.
 */
async function blobContents(
  isolated: IsolatedGit,
  some: readonly NamedTreeEntry[],
  flags: readonly string[],
  lineFor: (one: NamedTreeEntry) => string,
  how: IsolatedCall = {},
): Promise<[string, Buffer][]> {
  if (some.length === 0) return []
  const word = randomBytes(16).toString('hex')
  const input = `${some.map(lineFor).join('\n')}\n`
  const { out } = await isolated.git(['cat-file', `--batch=${word} %(objectname)`, ...flags], { ...how, input })
  let at = 0
  return some.map(({ oid, name }) => {
    const header = `${word} ${oid}\n`
    if (out.subarray(at, at + header.length).toString('latin1') !== header)
      throw gitError(`an object is missing: ${oid}`, 'If this is a partial clone, fetch it first.')
    const begin = at + header.length
    const next = out.indexOf(`\n${word} `, begin)
    const end = next === -1 ? out.length - 1 : next
    at = end + 1
    return [`${oid} ${name}`, out.subarray(begin, end)]
  })
}

/** For names that do not fit into a line of input. */
async function readBlobsOneByOne(
  isolated: IsolatedGit,
  some: readonly NamedTreeEntry[],
  how: IsolatedCall,
): Promise<[string, Buffer][]> {
  const found: [string, Buffer][] = []
  for (const { oid, name } of some) {
    const { out } = await isolated.git(['cat-file', '--filters', `--path=${name}`, oid], how)
    found.push([`${oid} ${name}`, out])
  }
  return found
}
