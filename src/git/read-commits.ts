import { inRepository, type Repository } from './repository.ts'

/** A commit as git stores it. */
export interface Commit {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  /** Name, email and time, as git stores them. */
  readonly author: string
  /** Seconds since 1970. */
  readonly time: number
  readonly message: string
  /** As git stores it, as latin1. */
  readonly header: string
  readonly body: string
}

/** Commits by their ids, in the same order. */
export async function readCommits(repository: Repository, ids: readonly string[]): Promise<Commit[]> {
  if (ids.length === 0) return []
  const { out } = await inRepository(repository, ['cat-file', '--batch'], { input: `${ids.join('\n')}\n` })
  let at = 0
  return ids.map((id) => {
    const end = out.indexOf(10, at)
    const size = Number(out.subarray(at, end).toString().split(' ')[2])
    const raw = out.subarray(end + 1, end + 1 + size)
    at = end + 1 + size + 1
    return parseCommit(id, raw)
  })
}

/** A signature has several lines, all but the first with a leading space. */
export const signature = /^gpgsig(?:-sha256)? .*(?:\n .*)*\n?/gm

export const isSigned = ({ header }: Commit): boolean => header.search(signature) !== -1

function parseCommit(id: string, raw: Buffer): Commit {
  const text = raw.toString('latin1')
  const headerEnd = text.indexOf('\n\n')
  const header = text.slice(0, headerEnd)
  const [, time = '0'] = /^committer .* (\d+) [+-]\d{4}$/m.exec(header) ?? []
  return {
    id,
    tree: /^tree (\S+)/.exec(header)?.[1] ?? '',
    parents: [...header.matchAll(/^parent (\S+)$/gm)].map(([, parent = '']) => parent),
    author: /^author (.*)$/m.exec(header)?.[1] ?? '',
    time: Number(time),
    message: raw.subarray(headerEnd + 2).toString('utf8'),
    header,
    body: text.slice(headerEnd),
  }
}
