import { Contents } from '../journal/images.ts'
import { identityOf } from '../journal/summary.ts'
import { syncObjects, writeCommit } from './objects.ts'
import type { ExecutionRecord, PathRecord, State } from '../journal/record.ts'
import { checkpointsRef, type Head, moveRef, refAt } from './repository.ts'
import type { IsolatedGit } from './isolated-git.ts'
import { byteName, editTree, type NewContent, type TreeChanges } from './tree-walk.ts'

export interface ShadowPlan {
  readonly isolated: IsolatedGit
  readonly head: Head
  readonly record: ExecutionRecord
  readonly message: string
  readonly author: string | null
  /** Entries of the record, with their path in the repository. */
  readonly entries: readonly { readonly name: string; readonly entry: PathRecord }[]
  readonly contents: Contents
}

/**
 * Makes two commits, the state before and the state after, that differ from the checked-out commit only in the changed
 * paths. Neither the index nor other files are read, so the cost does not depend on the size of the repository.
 */
export async function saveShadow(plan: ShadowPlan): Promise<{ before: string; after: string }> {
  const { isolated, head, record, author } = plan
  const states = (when: 'before' | 'after'): TreeChanges =>
    new Map(plan.entries.map(({ name, entry }) => [byteName(name), contentOf(entry[when], plan.contents)]))
  const [old, now] = [states('before'), states('after')]
  const commit = async (
    base: string | undefined,
    changes: TreeChanges,
    parents: readonly string[],
    message: string,
  ) => {
    const tree = await editTree(isolated, base, changes)
    return { tree, commit: writeCommit(isolated, { tree, parents, message, identity: identityOf(author) }) }
  }
  for (let round = 0; ; round++) {
    const previous = await refAt(isolated.repository, checkpointsRef)
    const parents = new Set([head.commit, previous].filter((one) => one !== undefined))
    const first = `clada: before execution ${record.number}\n`
    const base = head.commit ?? previous
    const { tree, commit: before } = await commit(base && `${base}^{tree}`, old, [...parents], first)
    const { commit: after } = await commit(tree, now, [before], plan.message)
    await syncObjects(isolated)
    try {
      await moveRef(isolated.repository, checkpointsRef, after, previous, 'clada')
      return { before, after }
    } catch (error) {
      // An execution in another worktree was faster: this one follows it.
      if (round === 20 || (await refAt(isolated.repository, checkpointsRef)) === previous) throw error
    }
  }
}

function contentOf(state: State, contents: Contents): NewContent | undefined {
  if (state.type === 'symlink') return { mode: '120000', body: Buffer.from(state.target) }
  const body = contents.bytesOf(state)
  if (state.type !== 'file' || body === undefined) return undefined
  return { mode: state.mode & 0o100 ? '100755' : '100644', body }
}
