import path from 'node:path'
import { isInside, pathFrom, withSlashes } from '../core/paths.ts'
import { ProblemError } from '../core/problem.ts'
import type { Inspect, PlannedCommit } from '../core/recorder.ts'
import type { HistorySettings } from '../core/settings.ts'
import type { ContentStore } from '../store/content-store.ts'
import { gitError } from './git-program.ts'
import { commitPaths, type Committed } from './index-commit.ts'
import {
  listHidden,
  isStaged,
  isUnchanged,
  sparseEntriesOf,
  releaseLocks,
  statIndex,
  type FileStatus,
  statusOf,
} from './index-file.ts'
import {
  contentsOfHistory,
  type ExecutionRecord,
  isolatedDir,
  isSameState,
  type PathRecord,
  readRecord,
  type State,
  replyFilesIn,
} from '../store/record.ts'
import { commitMessage, identityOf } from '../store/summary.ts'
import {
  assertHeadReadable,
  type ConfiguredRepository,
  findRepository,
  foreignRepository,
  type KnownRepository,
  knownRepository,
  ownRepository,
} from './find-repository.ts'
import { inProgress } from '../state/git-dirs.ts'
import { syncObjectNames } from './objects.ts'
import {
  checkpointsRef,
  type Head,
  headOf,
  isSameHead,
  moveRef,
  refAt,
  refuseLinks,
  checkIndex,
  checkRefs,
  checkWritable,
  indexLock,
  waitForLock,
} from './repository.ts'
import { IsolatedGit } from './isolated-git.ts'
import { findCommittable, listIgnored, isOfEditor, isUnsavable, filterCommittable } from './savable.ts'
import { isBelow, findMadeDirectories, madeWarning, filterUnnamed } from './made-directories.ts'
import { makeCommits, type NewContent, type NewContents } from './make-commits.ts'
import { sidesIn, type TreeEntry } from './tree-contents.ts'

export interface CheckpointOptions {
  readonly root: string
  readonly allowedRoots: readonly string[]
  readonly stateDir: string
  readonly settings: HistorySettings
  readonly isBlocked: (relative: string) => boolean
  /** An undo commits only its own changes; other uncommitted changes stay as they are. */
  readonly saves: 'everything' | 'own changes'
  /** The execution's own directory. */
  readonly dir: string
  /** A directory of another repository than that of the root, whose state directory is `stateDir`. */
  readonly elsewhere?: string
  /** Called before the commit after the execution. Returns warnings. */
  readonly beforeCommit?: ((commit: PlannedCommit) => Promise<readonly string[]>) | undefined
  readonly number: number
}

/** Checkpoints of an execution that has begun, with warnings about its beginning. */
export interface Begun {
  readonly checkpoints: Checkpoints
  readonly warnings: readonly string[]
}

/**
 * Saves the state before and after an execution in git. Throws `ProblemError` before anything is changed if git cannot work. Git
 * is asked for its configuration while it looks at the files, if it has listed one before; if it is another one now, all of
 * that is done again.
 */
export async function openCheckpoints(options: CheckpointOptions): Promise<Begun | undefined> {
  const { elsewhere } = options
  const known = knownRepository(elsewhere ?? options.root)
  const begun = known && (await beginIn(known.repository, options, known.isCurrent))
  if (begun !== undefined) return begun
  const found = await findRepository(elsewhere ?? options.root, 'is read later')
  if (found === undefined && elsewhere !== undefined) return undefined
  try {
    return await beginIn(found ?? (await ownRepository(options.stateDir)), options)
  } catch (error) {
    // Without a repository of the user, git is optional: undo works without it.
    if (found === undefined && error instanceof ProblemError) return undefined
    throw error
  }
}

/** Undefined if the configuration is not current. */
async function beginIn(
  repository: ConfiguredRepository,
  options: CheckpointOptions,
  isCurrent: KnownRepository['isCurrent'] = async () => true,
): Promise<Begun | undefined> {
  await releaseLocks(repository)
  const head = repository.top === undefined ? { branch: undefined, commit: undefined } : await headOf(repository)
  const isolated =
    options.elsewhere === undefined
      ? IsolatedGit.open(repository, head, path.join(options.dir, isolatedDir))
      : IsolatedGit.openIn(options.stateDir, repository, head)
  let begun: Begun | undefined
  try {
    const checkpoints = new Checkpoints(options, isolated, head)
    const warnings = await checkpoints.before(isCurrent)
    return (begun = warnings && { checkpoints, warnings })
  } finally {
    if (begun === undefined) isolated.close()
  }
}

export class Checkpoints {
  /** The actual mode: staged changes turn `commit` into `shadow`. */
  mode: 'commit' | 'shadow'
  readonly #options: CheckpointOptions
  readonly #isolated: IsolatedGit
  #head: Head
  #before: string | undefined
  /** Something was staged at the beginning. */
  #isStaged = false
  /** The index as this execution last saw it. */
  #index: ReturnType<typeof statIndex>

  constructor(options: CheckpointOptions, isolated: IsolatedGit, head: Head) {
    this.#options = options
    this.#isolated = isolated
    this.#head = head
    this.mode = options.settings.git === 'commit' && isolated.repository.top !== undefined ? 'commit' : 'shadow'
  }

  get gitDir(): string {
    return this.#isolated.repository.gitDir
  }

  /** Of the user's repository. */
  get top(): string | undefined {
    return this.#isolated.repository.top
  }

  /** Commits the user's uncommitted changes. Returns warnings; undefined, with nothing done, if the configuration is not current. */
  async before(isCurrent: KnownRepository['isCurrent']): Promise<string[] | undefined> {
    const { settings, saves } = this.#options
    const { repository } = this.#isolated
    const checks = saves === 'everything' && repository.top !== undefined
    if (this.mode === 'shadow') {
      await this.#readHead()
      if (!(await isCurrent())) return undefined
      if (checks) await this.#check('objects', [checkpointsRef])
      const foreign = repository.top === undefined ? foreignRepository(this.#options.root) : undefined
      return foreign === undefined ? [] : [foreign]
    }
    const busy = inProgress(repository)
    if (busy !== undefined) throw gitError(`${busy} is in progress`, 'Finish or abort it first.')
    // An undo restores files even if git cannot commit them.
    const { branch } = this.#head
    if (checks) await this.#check('index', ['HEAD', ...(branch === undefined ? [] : [branch])])
    const looking = this.#whenConsistent<Omit<FileStatus, 'inIndex'>>(
      saves === 'everything'
        ? () => statusOf(this.#isolated)
        : async () => ({ staged: await isStaged(this.#isolated, this.#head.commit), changed: [], untracked: [] }),
    )
    const current = isCurrent()
    await Promise.allSettled([looking, current])
    if (!(await current)) return undefined
    const { staged, ...dirty } = await looking.catch(async (error: unknown) => {
      await this.#readHead()
      throw error
    })
    if (staged) {
      this.mode = 'shadow'
      this.#isStaged = true
      return []
    }
    const { changed } = dirty
    const untracked = this.#worthSaving(dirty.untracked)
    const own = await this.#withoutMade(this.#savable({ changed, untracked }), new Set(untracked))
    const { paths, filtered } = await findCommittable(this.#isolated, own.paths)
    if (paths.length === 0) return own.warnings
    const message = `clada: before ${new Date().toISOString()}\n`
    this.#before = (await this.#commit(paths, message, () => new Set(), settings.author)).commit
    if (this.#before === undefined) return [...own.warnings, ...this.#notFiltered(filtered)]
    const names = paths.map((name) => this.#projectPath(name))
    return [...own.warnings, ...this.#notFiltered(filtered), savedFirstWarning(names, this.#before)]
  }

  /** Without what tools made or brought, which the first report that sees it names. */
  async #withoutMade(
    paths: readonly string[],
    untracked: ReadonlySet<string>,
  ): Promise<{ readonly paths: readonly string[]; readonly warnings: string[] }> {
    // What is not on the branch is in nobody's way.
    if (this.mode === 'shadow') return { paths, warnings: [] }
    const made = await findMadeDirectories(
      this.#isolated,
      paths.filter((name) => untracked.has(name)),
    )
    const isLeftOut = isBelow(made.map(({ name }) => name))
    const fresh = filterUnnamed(made, this.#isolated.repository.top ?? this.#options.root, this.#options.stateDir)
    return {
      paths: made.length === 0 ? paths : paths.filter((name) => !untracked.has(name) || !isLeftOut(name)),
      warnings: fresh.length === 0 ? [] : [madeWarning(fresh, (name) => this.#projectPath(name))],
    }
  }

  /** Paths in `left` have conflicts for the user to resolve, and are not committed. */
  async after(
    record: ExecutionRecord,
    explanations: readonly string[],
    inspect: Inspect,
    left: ReadonlySet<string>,
  ): Promise<Saved> {
    // Programs have run since the last look.
    refuseLinks(this.#isolated.repository)
    const warnings: string[] = []
    const { top } = this.#isolated.repository
    const { root, isBlocked, settings } = this.#options
    const message = commitMessage(record, explanations, settings)
    const entries = record.paths.flatMap((entry) => {
      if ((!isContent(entry.before) && !isContent(entry.after)) || left.has(entry.path)) return []
      const absolute = path.resolve(root, entry.path)
      if (!isInside(absolute, top ?? root) || isUnsavable(entry.path, isBlocked)) return []
      return [{ name: pathFrom(top ?? root, absolute), entry, absolute }]
    })
    const names = entries.map(({ name }) => name)
    const sorted = await findCommittable(this.#isolated, names)
    const disturbed = this.mode === 'commit' && (await this.#isDisturbed())
    // If nothing is staged, committed paths are tracked too.
    const isTracked = (name: string): boolean => this.mode === 'commit' && !disturbed && sorted.committed.has(name)
    const ignored = await listIgnored(
      this.#isolated,
      sorted.paths.filter((name) => !isTracked(name)),
    )
    const open = sorted.paths.filter((name) => !ignored.has(name))
    const own = await this.#withoutMade(open, new Set(open.filter((name) => !isTracked(name))))
    const fit = new Set(own.paths)
    const candidates = entries.filter(({ name }) => fit.has(name))
    warnings.push(...own.warnings, ...this.#notFiltered(sorted.filtered))
    const leftOut = new Set([...ignored, ...open.filter((name) => !fit.has(name))])
    const unsaved = { ignored: new Set(entries.flatMap(({ name, entry }) => (leftOut.has(name) ? [entry.path] : []))) }
    if (candidates.length === 0) return { commits: this.#commits(undefined), warnings, ...unsaved }
    if (disturbed) {
      this.mode = 'shadow'
      warnings.push(
        'the repository was changed in the meantime, so this execution is saved under refs/clada and not on the branch',
      )
    }
    if (this.mode === 'shadow') {
      const where = this.#options.elsewhere === undefined ? '' : `${top}: `
      if (this.#isStaged) warnings.push(where + stagedWarning)
      const contents = contentsOfHistory(path.dirname(this.#options.dir), record.number)
      const plan = { isolated: this.#isolated, head: this.#head, record, message, author: settings.author, contents }
      return { commits: await saveShadow({ ...plan, entries: candidates }), warnings, ...unsaved }
    }
    const late = new Set<string>()
    const changedSince = (): Set<string> => {
      for (const { name, entry, absolute } of candidates)
        if (!isSameState(inspect(absolute), entry.after)) late.add(name)
      return late
    }
    const paths = candidates.map(({ name }) => name)
    const skipWorktree = await this.#sparseEntries(record, candidates)
    if (top !== undefined) warnings.push(...((await this.#options.beforeCommit?.({ top, paths, message })) ?? []))
    const { commit, unchanged } = await this.#commit(paths, message, changedSince, settings.author, skipWorktree)
    for (const name of await listHidden(this.#isolated, unchanged))
      warnings.push(`${this.#projectPath(name)} is not committed: it is marked skip-worktree or assume-unchanged`)
    for (const name of late)
      warnings.push(`${this.#projectPath(name)} was changed in the meantime and is not committed`)
    return { commits: this.#commits(commit), warnings, ...unsaved }
  }

  /** Called now and then, when everything is saved. */
  async pack(): Promise<void> {
    const { packObjects } = await import('./objects.ts')
    await packObjects(this.#isolated)
  }

  close(): void {
    this.#isolated.close()
  }

  /** Throws `ProblemError` if the commit that is checked out cannot be read. */
  async #readHead(): Promise<void> {
    const { tree } = this.#isolated
    if (tree === undefined) return
    const { status } = await this.#isolated.git(['ls-tree', '-d', '--name-only', tree], { okExitCodes: [1, 128] })
    if (status !== 0) assertHeadReadable(this.#head)
  }

  /** Throws `ProblemError` if git could not save anything, as far as that can be checked in advance. */
  async #check(needs: 'index' | 'objects', refs: readonly string[]): Promise<void> {
    const { repository } = this.#isolated
    await checkWritable(repository, needs)
    checkIndex(repository)
    await checkRefs(repository, refs)
  }

  /** The paths that may be committed, in all roots, so that changes of actions do not mix with the user's. */
  #savable(dirty: Pick<FileStatus, 'changed' | 'untracked'>): string[] {
    const { root, allowedRoots, isBlocked } = this.#options
    const top = this.#isolated.repository.top ?? root
    const found = [root, ...allowedRoots].flatMap((place) =>
      filterCommittable(dirty, {
        top,
        root: place,
        isBlocked: (relative) => isBlocked(withSlashes(path.relative(root, path.join(place, relative)))),
      }),
    )
    return [...new Set(found)]
  }

  /** Replies are saved into the project to be applied, not to be kept there, and editors leave files beside others. */
  #worthSaving(untracked: readonly string[]): string[] {
    if (untracked.length === 0) return []
    const { root, dir, settings } = this.#options
    const top = this.#isolated.repository.top ?? root
    const passing = new Set([
      ...(settings.replyFiles ?? []),
      ...replyFilesIn(path.dirname(dir), root).map((name) => path.join(root, name)),
    ])
    return untracked.filter((name) => !passing.has(path.join(top, name)) && !isOfEditor(name))
  }

  /** Relative to the project instead of the repository. */
  #projectPath(name: string): string {
    const { root } = this.#options
    return pathFrom(root, path.join(this.#isolated.repository.top ?? root, name))
  }

  #notFiltered(filtered: ReadonlyMap<string, string>): string[] {
    return [...filtered].map(
      ([name, filter]) => `${this.#projectPath(name)} is not committed: its filter '${filter}' would run a program`,
    )
  }

  #commits(after: string | undefined): Saved['commits'] {
    const before = this.#before === undefined ? {} : { before: this.#before }
    return after === undefined ? before : { ...before, after }
  }

  async #commit(
    paths: readonly string[],
    message: string,
    changedSince: () => ReadonlySet<string>,
    author: string | null,
    skipWorktree?: ReadonlyMap<string, TreeEntry>,
  ): Promise<Committed> {
    const plan = { isolated: this.#isolated, paths, message, author, changedSince }
    const done = await commitPaths(skipWorktree === undefined ? plan : { ...plan, skipWorktree })
    if (done.commit === undefined) return done
    this.#head = await headOf(this.#isolated.repository)
    this.#index = statIndex(this.#isolated.repository)
    return done
  }

  /** Paths that an undo removes and that were outside the sparse checkout before. */
  async #sparseEntries({ kind, of }: ExecutionRecord, entries: readonly { name: string; entry: PathRecord }[]) {
    const undone = kind === 'undo' && of !== undefined ? readRecord(path.dirname(this.#options.dir), of) : undefined
    const gone = entries.flatMap(({ name, entry }) => (entry.after.type === 'absent' ? [name] : []))
    const other = undone?.further?.find(({ top }) => top === this.top)
    const commits = this.#options.elsewhere === undefined ? undone?.commits : other?.commits
    return sparseEntriesOf(this.#isolated, commits?.after, gone)
  }

  /** Whether another process committed, staged or began something since this execution began. */
  async #isDisturbed(): Promise<boolean> {
    const { repository } = this.#isolated
    if (inProgress(repository) !== undefined) return true
    const isSame = isSameHead(await headOf(repository), this.#head)
    if (isSame && isUnchanged(path.join(repository.gitDir, 'index'), this.#index)) return false
    this.#head = await headOf(repository)
    const { staged } = await this.#whenConsistent(async () => ({
      staged: await isStaged(this.#isolated, this.#head.commit),
    }))
    return staged
  }

  /**
   * Reads what is staged from a consistent branch and index: a commit moves one after the other, and in between
   * everything looks staged.
   */
  async #whenConsistent<T extends { readonly staged: boolean }>(look: () => Promise<T>): Promise<T> {
    const { repository } = this.#isolated
    for (let round = 0; ; round++) {
      this.#index = statIndex(repository)
      const found = await look()
      if (!found.staged || round === 10) return found
      await waitForLock(indexLock(repository))
      const head = await headOf(repository)
      if (isSameHead(head, this.#head) && isUnchanged(path.join(repository.gitDir, 'index'), this.#index)) return found
      this.#head = head
      this.#isolated.pointTo(head)
    }
  }
}

export interface Saved {
  readonly commits: NonNullable<ExecutionRecord['commits']>
  readonly warnings: string[]
  /** Changed paths that git ignores, as the record has them. */
  readonly ignored: ReadonlySet<string>
}

function savedFirstWarning(paths: readonly string[], commit: string): string {
  const named = paths.length > 3 ? `${paths.slice(0, 3).join(', ')} and ${paths.length - 3} more` : paths.join(', ')
  return `uncommitted changes (${named}) were committed first, as ${commit.slice(0, 8)}`
}

const stagedWarning =
  'changes are staged, so this execution is saved under refs/clada and not on the branch; the index is unchanged'

const isContent = ({ type }: State): boolean => type === 'file' || type === 'symlink'

interface ShadowPlan {
  readonly isolated: IsolatedGit
  readonly head: Head
  readonly record: ExecutionRecord
  readonly message: string
  readonly author: string | null
  /** Entries of the record, with their path in the repository. */
  readonly entries: readonly { readonly name: string; readonly entry: PathRecord }[]
  readonly contents: ContentStore
}

/**
 * Makes two commits, the state before and the state after, that differ from the checked-out commit only in the changed
 * paths. Neither the index nor other files are read, so the cost does not depend on the size of the repository.
 */
async function saveShadow(plan: ShadowPlan): Promise<{ before: string; after: string }> {
  const { isolated, head, record, author, contents } = plan
  const names = plan.entries.map(({ name }) => name)
  for (let round = 0; ; round++) {
    const previous = await refAt(isolated.repository, checkpointsRef)
    const parents = [...new Set([head.commit, previous].filter((one) => one !== undefined))]
    const [base] = parents
    const there = base === undefined ? [] : await sidesIn(isolated, base, names)
    const modes = new Map(there.map(({ name, mode }) => [name, mode]))
    const changesTo = (when: 'before' | 'after'): NewContents => {
      const changes = new Map<string, NewContent | undefined>()
      for (const { name, entry } of plan.entries) {
        const content = newContentOf(entry[when], contents)
        const known = modes.get(name)
        if (content === undefined) {
          // A path without content may be a directory, whose files stay.
          if (modes.delete(name)) changes.set(name, undefined)
          continue
        }
        // If the file system has no executable bits, the mode in the repository is kept.
        const mode = known === undefined || isolated.config.modes ? content.mode : known
        modes.set(name, mode)
        changes.set(name, { ...content, mode })
      }
      return changes
    }
    const identity = identityOf(author)
    const { commits, objects } = await makeCommits(isolated, parents, [
      { changes: changesTo('before'), message: `clada: before execution ${record.number}\n`, identity },
      { changes: changesTo('after'), message: plan.message, identity },
    ])
    const [before = '', after = ''] = commits
    await syncObjectNames(isolated, objects)
    try {
      await moveRef(isolated.repository, checkpointsRef, after, previous, 'clada')
      return { before, after }
    } catch (error) {
      // An execution in another worktree was faster: this one follows it.
      if (round === 20 || (await refAt(isolated.repository, checkpointsRef)) === previous) throw error
    }
  }
}

function newContentOf(state: State, contents: ContentStore): NewContent | undefined {
  if (state.type === 'symlink') return { mode: '120000', body: Buffer.from(state.target) }
  const body = state.type === 'file' ? contents.read(state.digest) : undefined
  if (state.type !== 'file' || body === undefined) return undefined
  return { mode: state.mode & 0o100 ? '100755' : '100644', body }
}
