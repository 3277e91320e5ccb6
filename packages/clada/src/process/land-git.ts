import fs from 'node:fs'
import path from 'node:path'
import type { Effect, NotKept } from '../core/effects.ts'
import { mostInMemory } from '../core/recorder.ts'
import { dirsAbove, isBelowAny, unsafeTreeName } from '../core/paths.ts'
import { hasCode } from '../core/errors.ts'
import { type GitDirs, inProgress, landingNote, oddEntry } from '../state/git-dirs.ts'
import {
  copyWithTime,
  putFile,
  readOwn,
  removeFile,
  renameFile,
  syncFile,
  syncFileNow,
  syncFiles,
} from '../state/own-files.ts'
import type { Collected } from './effects.ts'
import { type GitCommand, judgeGone, judgeWritten, reportedName, type GitDataVerdict } from './git-data.ts'
import type { Unusable } from './git-owner.ts'
import { readOnlyGit } from './isolated-git-dir.ts'
import { runLimitedGit } from './limited-git.ts'
import { idOfObject } from './loose-object.ts'
import type { ProcessEnd } from './run-process.ts'
import { WriteBudget } from './write-limits.ts'
import { pause } from '../core/pause.ts'

interface LayeredRepository extends GitDirs {
  readonly top: string
  /** The word after `git`. */
  readonly verb: string
}

/** How the repository was before the command: the time by the clock of the file system, and a copy of the index. */
interface RepositoryBefore {
  readonly began: number
  readonly index: string
}

/** A file or a deletion to land, by its name below the shared git directory. */
interface GitChange {
  readonly name: string
  readonly change: 'create' | 'modify' | 'delete'
  /** Where the new content is. */
  readonly from?: string
  readonly mode: number
}

/**
 * Lands what a git command did to the git directory: data of git only, as regular files, each under git's own lock, all
 * or nothing. Between `prepare` and `land` the caller lands the files of the project.
 */
export class GitLanding {
  /** What was not kept, by its name below the shared git directory. */
  readonly notKept: readonly NotKept[]
  readonly #referenceWords: readonly string[]
  readonly #repository: LayeredRepository
  readonly #data: readonly GitChange[]
  readonly #objects: readonly GitChange[]
  readonly #locked = new Set<string>()

  private constructor(repository: LayeredRepository, sorted: SortedChanges) {
    this.#repository = repository
    this.#data = sorted.data
    this.#objects = sorted.objects
    this.notKept = sorted.notKept
    this.#referenceWords = referenceWords(this.#otherReferences())
  }

  /** Checks everything and takes the locks. */
  static async prepare(
    collected: Collected,
    repository: LayeredRepository,
    before: RepositoryBefore,
  ): Promise<GitLanding | Unusable> {
    const sorted = sortChanges(collected, commandIn(repository))
    if ('reason' in sorted) return sorted
    const odd = sorted.data.length + sorted.objects.length === 0 ? undefined : oddEntry(repository)
    if (odd !== undefined)
      return landingRefusal(`'${odd.file}' is a ${odd.type}, and git would write through it`, 'Remove it.')
    const broken =
      (await findBrokenData(sorted.data, repository)) ?? (await findBrokenObject(sorted.objects, repository))
    if (broken !== undefined) return notData(broken)
    const landing = new GitLanding(repository, sorted)
    const held = await landing.#lock(before)
    if (held === undefined) return landing
    landing.release()
    return held
  }

  /** The references that change besides the branch that is checked out and the stash, with what happens to each. */
  #otherReferences(): string[] {
    const { commonDir, gitDir } = this.#repository
    const written = new Map(this.#data.map((one) => [one.name, one]))
    const textAt = (name: string, when: 'before' | 'after'): string | undefined => {
      const change = when === 'after' ? written.get(name) : undefined
      if (change === undefined) return readOwn(path.join(commonDir, name))
      return change.from === undefined ? undefined : readOwn(change.from)
    }
    const head = textAt(path.join(path.relative(commonDir, gitDir), 'HEAD'), 'after')
      ?.slice('ref: '.length)
      .trim()
    const [before, after] = (['before', 'after'] as const).map((when) => {
      const packed = parsePackedRefs(textAt('packed-refs', when) ?? '')
      return (name: string): string | undefined => textAt(name, when)?.trim() ?? packed.get(name)
    })
    const names = written.has('packed-refs')
      ? (['before', 'after'] as const).flatMap((when) => [...parsePackedRefs(textAt('packed-refs', when) ?? '').keys()])
      : []
    const all = new Set([...names, ...[...written.keys()].filter((name) => name.startsWith('refs/'))])
    return [...all].sort().flatMap((name) => {
      const [was, is] = [before?.(name), after?.(name)]
      if (was === is || name === head || name === 'refs/stash') return []
      return [`${name} (${was === undefined ? 'new' : is === undefined ? 'deleted' : 'moved'})`]
    })
  }

  /** Returns what is to be reported. */
  async land(): Promise<string[]> {
    const { commonDir, gitDir } = this.#repository
    const before = inProgress({ gitDir })
    const objects = path.join(commonDir, 'objects')
    // A pack is there for git once it has an index.
    const ordered = [...this.#objects].sort((one, other) => Number(isIndex(one)) - Number(isIndex(other)))
    for (const object of ordered) await addObject(objects, path.join(commonDir, object.name), object.from ?? '')
    await syncFiles([...new Set([objects, ...ordered.map(({ name }) => path.dirname(path.join(commonDir, name)))])])
    const index = this.#data.find(({ name }) => path.join(commonDir, name) === path.join(gitDir, 'index'))
    // The files of the project have other inodes and times than in the layer, and git refuses a merge over such files.
    if (index?.from !== undefined)
      await queryGit(this.#repository, ['update-index', '-q', '--unmerged', '--refresh'], index.from)
    // As git does it: a packed reference is there before the loose one goes, and a name is free before it is used again.
    const rank = ({ name, change }: GitChange): number =>
      name === 'packed-refs' ? 0 : change === 'delete' ? 1 : name.endsWith('index') ? 3 : name.endsWith('HEAD') ? 4 : 2
    for (const change of [...this.#data].sort((one, other) => rank(one) - rank(other))) this.#put(change)
    await syncFiles([...new Set(this.#data.map(({ name }) => path.dirname(path.join(commonDir, name))))])
    this.release()
    const now = inProgress({ gitDir })
    return [...this.#referenceWords, ...(now === undefined || now === before ? [] : [`${now} is in progress`])]
  }

  /** Also after a failure: a lock that stays would block the user's git. */
  release(): void {
    for (const lock of this.#locked) removeFile(lock)
    this.#locked.clear()
    removeFile(path.join(this.#repository.gitDir, landingNote))
  }

  #put({ name, change, from = '', mode }: GitChange): void {
    const file = path.join(this.#repository.commonDir, name)
    const lock = `${file}.lock`
    if (change === 'delete') {
      removeFile(file)
      this.#unlock(lock)
      removeEmptyDirs(this.#repository.commonDir, name)
      return
    }
    if (!this.#locked.has(lock)) {
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.closeSync(fs.openSync(lock, 'wx'))
      this.#locked.add(lock)
    }
    // Git trusts entries of an index by its time.
    copyWithTime(from, lock)
    fs.chmodSync(lock, (fs.statSync(file, { throwIfNoEntry: false })?.mode ?? mode) & 0o666)
    syncFileNow(lock)
    renameFile(lock, file)
    this.#locked.delete(lock)
  }

  #unlock(lock: string): void {
    removeFile(lock)
    this.#locked.delete(lock)
  }

  /** Undefined once everything is locked that is there, and is as the command found it. */
  async #lock({ began, index }: RepositoryBefore): Promise<Unusable | undefined> {
    const { commonDir, gitDir } = this.#repository
    if (this.#data.length === 0) return undefined
    putFile(path.join(gitDir, landingNote), this.#data.map(({ name }) => `${name}.lock\n`).join(''))
    for (const { name } of this.#data) {
      const lock = path.join(commonDir, `${name}.lock`)
      if (!fs.existsSync(path.dirname(lock))) continue
      if (!(await isTaken(lock))) return atWork(lock)
      this.#locked.add(lock)
    }
    for (const { name, change } of this.#data) {
      const file = path.join(commonDir, name)
      const now = fs.lstatSync(file, { throwIfNoEntry: false })
      const isSame = now === undefined ? change === 'create' : change !== 'create' && now.ctimeMs <= began
      if (!isSame && !(file === path.join(gitDir, 'index') && (await hasSameEntries(file, index, this.#repository))))
        return refuseChangedMeanwhile(file)
    }
    return undefined
  }
}

function referenceWords(changed: readonly string[]): string[] {
  if (changed.length === 0) return []
  const more = changed.length > 10 ? ` and ${changed.length - 10} more` : ''
  return [`other references changed: ${changed.slice(0, 10).join(', ')}${more}`]
}

const parsePackedRefs = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/^([0-9a-f]+) (refs\/.*)$/gm)].map(([, id = '', name = '']) => [name, id]))

const isIndex = ({ name }: GitChange): boolean => name.endsWith('.idx')

interface SortedChanges {
  readonly data: GitChange[]
  readonly objects: GitChange[]
  readonly notKept: NotKept[]
}

const commandIn = ({ gitDir, commonDir, verb }: LayeredRepository): GitCommand => ({
  worktree: path.relative(commonDir, gitDir),
  verb,
})

function sortChanges({ effects, notKept }: Collected, command: GitCommand): SortedChanges | Unusable {
  const sorted: SortedChanges = { data: [], objects: [], notKept: [] }
  const refused = new Map<string, string>()
  const taken = new Set<string>()
  const refuse = (name: string, reason: string): void => {
    taken.add(name)
    const shown = reportedName(name)
    if (!refused.has(shown)) refused.set(shown, reason)
  }
  for (const { path: name, reason } of notKept) {
    const verdict = judgeWritten(name, command)
    if (verdict.as === 'left out') continue
    if (verdict.as === 'refused' && verdict.isEssential) return refuseLeftFile(name)
    refuse(name, reason)
  }
  for (const effect of effects) {
    const verdict = verdictOf(effect, command)
    const { path: name } = effect
    if (verdict.as === 'refused') {
      if (verdict.isEssential) return refuseLeftFile(name)
      refuse(name.startsWith('objects/') && effect.kind === 'gone' ? 'objects' : name, verdict.reason)
    } else if (effect.kind === 'file' && verdict.as !== 'left out')
      sorted[verdict.as === 'object' ? 'objects' : 'data'].push({ name, ...effect })
    else if (effect.kind === 'gone' && verdict.as === 'data' && effect.type !== 'directory')
      sorted.data.push({ name, change: 'delete', mode: 0 })
  }
  for (const [name, reason] of refused) sorted.notKept.push({ path: name, reason })
  // What is made in the place of something else is a change of it.
  const gone = new Set(sorted.data.flatMap(({ name, change }) => (change === 'delete' ? [name] : [])))
  const again = new Set(
    sorted.data.flatMap(({ name, change }) => (change !== 'delete' && gone.has(name) ? [name] : [])),
  )
  const data = sorted.data.flatMap((one): GitChange[] => {
    // What made room for something that is refused stays.
    if (one.change === 'delete' && (taken.has(one.name) || isBelowAny(one.name, taken))) return []
    if (!again.has(one.name)) return [one]
    return one.change === 'delete' ? [] : [{ ...one, change: 'modify' }]
  })
  return { ...sorted, data }
}

function verdictOf(effect: Effect, command: GitCommand): GitDataVerdict {
  const { kind, path: name } = effect
  if (kind === 'time') return { as: 'left out' }
  if (kind === 'gone')
    return effect.type === 'directory' && isContainer(name) ? { as: 'left out' } : judgeGone(name, command)
  const verdict = judgeWritten(name, command)
  if (kind === 'link')
    return verdict.as === 'left out'
      ? verdict
      : { as: 'refused', reason: 'it is a link', isEssential: verdict.as === 'refused' && verdict.isEssential }
  if (kind === 'directory')
    return effect.change === 'modify' || isContainer(name) || verdict.as !== 'refused' || verdict.isEssential
      ? { as: 'left out' }
      : verdict
  return verdict
}

/** Directories that are made and removed with what is in them. */
const isContainer = (name: string): boolean =>
  /^(?:worktrees\/[^/]+\/)?(?:refs|logs|objects|reftable)(?:\/|$)|^(?:worktrees\/[^/]+\/)?(?:rebase-merge|rebase-apply|sequencer)$/.test(
    name,
  )

/** The first name whose content is not what git writes there. */
async function findBrokenData(data: readonly GitChange[], repository: LayeredRepository): Promise<string | undefined> {
  const command = commandIn(repository)
  for (const { name, from } of data) {
    if (from === undefined) continue
    fs.chmodSync(from, 0o600)
    const verdict = judgeWritten(name, command)
    if (verdict.as === 'data' && verdict.check !== undefined) {
      // What git writes there is read as a whole, and a hook may leave gigabytes.
      if (fs.statSync(from).size > mostInMemory || !verdict.check(fs.readFileSync(from, 'utf8'))) return name
    }
    const isIndexFile = path.join(repository.commonDir, name) === path.join(repository.gitDir, 'index')
    if (isIndexFile && !(await hasSafeNames(from, data, repository))) return name
  }
  return undefined
}

/** Git takes what an index lists for checked: a name such as `../x` or `.git/hooks/x` would be written by a checkout. */
async function hasSafeNames(
  index: string,
  data: readonly GitChange[],
  repository: LayeredRepository,
): Promise<boolean> {
  const listed = await queryGit(repository, ['ls-files', '-z'], index, data)
  return listed !== undefined && listed.split('\0').every((name) => name === '' || unsafeTreeName(name) === undefined)
}

async function hasSameEntries(one: string, other: string, repository: LayeredRepository): Promise<boolean> {
  if (!fs.existsSync(other)) return false
  const entries = await Promise.all([one, other].map((index) => queryGit(repository, ['ls-files', '-s', '-z'], index)))
  return entries[0] !== undefined && entries[0] === entries[1]
}

/** Asks git about an index, without the settings of the repository. Undefined if git cannot read it. */
async function queryGit(
  repository: LayeredRepository,
  words: readonly string[],
  index: string,
  beside: readonly GitChange[] = [],
): Promise<string | undefined> {
  const isolated = readOnlyGit(repository, repository.top)
  try {
    for (const { name, from } of beside) {
      const shared = path.basename(name)
      if (from !== undefined && shared.startsWith('sharedindex.'))
        fs.copyFileSync(from, path.join(isolated.env['GIT_DIR'] ?? '', shared))
    }
    const end = await runGit([...isolated.args, ...words], { ...isolated.env, GIT_INDEX_FILE: index })
    return end?.exitCode === 0 ? end.stdout : undefined
  } finally {
    isolated.close()
  }
}

const runGit = (args: readonly string[], env: Readonly<Record<string, string>>): Promise<ProcessEnd | undefined> =>
  runLimitedGit({ args, env, timeoutMs: 600_000, outputBytes: 1 << 28 })

/** Objects are found by their names, so that a name must be that of the content. Indexes of packs are made anew. */
async function findBrokenObject(objects: GitChange[], repository: LayeredRepository): Promise<string | undefined> {
  const indexes: GitChange[] = []
  const budget = new WriteBudget({ bytes: mostInflated, entries: Infinity })
  for (const { name, from = '' } of objects) {
    fs.chmodSync(from, 0o600)
    if (name.endsWith('.promisor')) continue
    if (!name.endsWith('.pack')) {
      if ((await idOfObject(from, name, budget)) !== name.slice('objects/'.length).replace('/', '')) return name
      continue
    }
    const isolated = readOnlyGit(repository, repository.top)
    try {
      const index = `${from.slice(0, -'.pack'.length)}.clada.idx`
      const end = await runGit([...isolated.args, 'index-pack', '-o', index, from], isolated.env)
      if (end?.exitCode !== 0) return name
      indexes.push({ name: name.replace(/pack$/, 'idx'), change: 'create', from: index, mode: 0o444 })
    } finally {
      isolated.close()
    }
  }
  objects.push(...indexes)
  return undefined
}

/** As much as a command may write. The zeros in a file of some megabytes would otherwise be counted for hours. */
const mostInflated = 16 * 1024 ** 3

async function addObject(objects: string, to: string, from: string): Promise<void> {
  if (fs.existsSync(to)) return
  // With the permissions of the objects directory: others may share the repository.
  const { mode } = fs.statSync(objects)
  const dir = path.dirname(to)
  if (fs.mkdirSync(dir, { recursive: true }) !== undefined) fs.chmodSync(dir, mode & 0o7777)
  fs.chmodSync(from, mode & 0o444)
  try {
    await syncFile(from)
    renameFile(from, to)
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error
    // A name that git cleans up if this process dies.
    const temp = path.join(dir, `tmp_obj_clada_${process.pid}`)
    fs.copyFileSync(from, temp, fs.constants.COPYFILE_EXCL)
    await syncFile(temp)
    renameFile(temp, to)
  }
}

/** The directories of a reference or log that is gone, up to `refs/heads` and the like. */
function removeEmptyDirs(commonDir: string, name: string): void {
  const isKept = (dir: string): boolean => /^(?:logs\/)?refs(?:\/[^/]+)?$|^logs$/.test(dir)
  for (const dir of dirsAbove(name)) {
    if (isKept(dir)) return
    try {
      fs.rmdirSync(path.join(commonDir, dir))
    } catch {
      return
    }
  }
}

async function isTaken(lock: string): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      fs.closeSync(fs.openSync(lock, 'wx'))
      return true
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
      await pause(20)
    }
  }
  return false
}

const landingRefusal = (reason: string, advice: string): Unusable => ({
  reason: `${reason}, so nothing that the command did was kept`,
  advice,
})

const refuseChangedMeanwhile = (name: string): Unusable =>
  landingRefusal(`another program changed '${name}' while the command was running`, 'Run the command again.')

const atWork = (lock: string): Unusable =>
  landingRefusal(
    `'${lock}' exists: another git process is at work in this repository`,
    'Wait for it to end. If no git is running, remove that file.',
  )

export const refuseLeftFile = (name: string): Unusable =>
  landingRefusal(
    `it left '${name}' in the git directory, which decides what git does next`,
    'Ask the user to run the command in a terminal.',
  )

const notData = (name: string): Unusable =>
  landingRefusal(
    `it left '${name}' in the git directory, and that is not what git writes there`,
    'Look at the hooks and filters of the repository.',
  )
