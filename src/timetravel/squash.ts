import { identityOf } from '../journal/message.ts'
import { type Commit, signature } from '../git/read-commits.ts'
import { inRepository, moveRef } from '../git/repository.ts'
import type { IsolatedGit } from '../git/isolated-git.ts'
import { isByModel, type SquashPlan } from './squash-plan.ts'

/**
 * Makes one commit of several that follow each other, and answers with the branch's new one. Trees stay as they are,
 * so neither the files nor the index are touched; the commits that come after get new parents and nothing else.
 */
export async function squash(isolated: IsolatedGit, plan: SquashPlan, author: string | null): Promise<string> {
  const { repository } = isolated
  const { head, runs } = plan
  const made = await rewrite(isolated, plan, author)
  const keep = ['update-ref', '--create-reflog', '-m', 'clada: squash', 'refs/clada/before-squash', head]
  await inRepository(repository, keep)
  const what = runs.length === 1 ? 'one run' : `${runs.length} runs`
  await moveRef(repository, 'HEAD', made, head, `clada: squash ${what}`)
  return made
}

async function rewrite(isolated: IsolatedGit, plan: SquashPlan, author: string | null): Promise<string> {
  const { commits, ranges, runs } = plan
  const oldest = ranges.at(-1)?.[1] ?? 0
  let parent = commits[oldest - 1]?.parents[0]
  for (let at = oldest - 1; at >= 0; at--) {
    const index = ranges.findIndex(([from, to]) => at >= from && at < to)
    const commit = commits[at]
    if (commit === undefined) continue
    if (index === -1) parent = await withParent(isolated, commit, parent)
    // The newest of a run has the tree that counts.
    else if (ranges[index]?.[0] === at)
      parent = await oneCommit(isolated, commits.slice(...ranges[index]), parent, runs[index]?.message ?? '', author)
  }
  return parent ?? ''
}

/** What a person wrote stays theirs, as with git's own squash: the oldest of theirs names author and date. */
function oneCommit(
  isolated: IsolatedGit,
  members: readonly Commit[],
  parent: string | undefined,
  message: string,
  author: string | null,
): Promise<string> {
  const own = author === null ? members.findLast((commit) => !isByModel(commit)) : undefined
  const { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail, GIT_AUTHOR_DATE: date } = identityOf(author)
  const clada = latin1(`${name} <${mail}> ${date}`)
  const lines = [
    `tree ${members[0]?.tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    `author ${own?.author ?? clada}`,
    `committer ${clada}`,
  ]
  return store(isolated, lines.join('\n'), `\n\n${latin1(message.replaceAll('\0', ''))}`)
}

/** The same commit with another parent; a signature no longer holds and is left out. */
function withParent(isolated: IsolatedGit, { header, body }: Commit, parent: string | undefined): Promise<string> {
  const bare = header
    .replace(/^parent .*\n/gm, '')
    .replace(signature, '')
    .replace(/\n+$/, '')
  const [first = '', ...rest] = bare.split('\n')
  return store(isolated, [first, ...(parent === undefined ? [] : [`parent ${parent}`]), ...rest].join('\n'), body)
}

/** Bytes as characters, the way commits are held here. */
const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

async function store(isolated: IsolatedGit, header: string, body: string): Promise<string> {
  const input = Buffer.from(header + body, 'latin1')
  return (await isolated.git(['hash-object', '-t', 'commit', '-w', '--stdin'], { input })).out.toString().trim()
}
