import fs from 'node:fs'
import path from 'node:path'
import type { Effect, NotKept } from '../core/effects.ts'
import { isBelowAny, isInside } from '../core/paths.ts'
import { ownerOfName } from '../core/reserved-names.ts'
import { gitName } from '../core/reserved-names.ts'
import { type GitDirs, gitDirsAt, repairAdvice } from '../state/git-dirs.ts'
import { statesInGit } from '../state/project-state.ts'
import { putFile, readOwn } from '../state/own-files.ts'
import { isReferenceName } from '../state/reference-name.ts'
import type { Collected } from './effects.ts'
import { plainConfig } from './isolated-git-dir.ts'
import { judgeWritten } from './git-data.ts'
import { foreignOwner, type Unusable } from './git-owner.ts'
import { GitLanding, refuseLeftFile } from './land-git.ts'
import type { Overlay } from './overlay.ts'

/** The repository of a directory of the project, as its files say. */
export interface FoundRepository extends GitDirs {
  readonly top: string
}

/** The next repository around a directory, up to the root of the project, or why it is not used. */
export function repositoryAt(dir: string, root: string): FoundRepository | Unusable | undefined {
  for (let top = dir; isInside(top, root); top = path.dirname(top)) {
    const found = gitDirsAt(top)
    if (found === undefined) continue
    if ('broken' in found) return { reason: found.broken, advice: repairAdvice }
    if ('foreign' in found) return { reason: `${found.foreign}, so this repository is not used`, advice: found.advice }
    return foreignOwner(top, found) ?? { top, ...found }
  }
  return undefined
}

/**
 * A git command that works on layers over the project and over the git directory, which is in the project, or elsewhere
 * if the project is a linked worktree or a submodule.
 */
export class LayeredGit {
  readonly #repository: FoundRepository
  readonly #verb: string
  readonly #root: string

  constructor(repository: FoundRepository, verb: string, root: string) {
    this.#repository = repository
    this.#verb = verb
    this.#root = root
  }

  /** The git directory, if it is outside the project. */
  get beside(): string | undefined {
    const { commonDir } = this.#repository
    return isInside(commonDir, this.#root) ? undefined : commonDir
  }

  /** Whether a git directory of the project, by its name, has what this command works on. */
  isIn(name: string): boolean {
    return isInside(this.#repository.commonDir, path.join(this.#root, name))
  }

  /** Before the command: whether the index is another one afterwards is seen by its entries. */
  keepIndex(layers: Overlay): void {
    const index = path.join(this.#repository.gitDir, 'index')
    if (fs.lstatSync(index, { throwIfNoEntry: false })?.isFile())
      fs.copyFileSync(index, layers.file(keptIndex), fs.constants.COPYFILE_FICLONE)
  }

  /** What the command did to the project, and to the git directory by names below it. Ends the use of the layers. */
  collect(layers: Overlay): { project: Collected; inGit: Collected } {
    const inGit = this.beside === undefined ? undefined : layers.collectBeside()
    if (inGit !== undefined) return { project: layers.collect(), inGit }
    const prefix = `${path.relative(this.#root, this.#repository.commonDir)}/`
    const isGit = ({ path: name }: { path: string }): boolean => name.startsWith(prefix)
    const all = layers.collect('none', (name) => name.startsWith(prefix))
    const below = <T extends { path: string }>(one: T): T => ({ ...one, path: one.path.slice(prefix.length) })
    const { effects, notKept, stripped } = all
    return {
      project: {
        effects: effects.filter((one) => !isGit(one)),
        notKept: notKept.filter((one) => !isGit(one)),
        stripped: stripped.filter((name) => !name.startsWith(prefix)),
      },
      inGit: { effects: effects.filter(isGit).map(below), notKept: notKept.filter(isGit).map(below), stripped: [] },
    }
  }

  /** Checks what lands, and takes git's locks for it. */
  async prepare(
    { project, inGit }: ReturnType<LayeredGit['collect']>,
    layers: Overlay,
  ): Promise<GitLanding | Unusable> {
    const other = project.effects.find(isOfRepository)
    if (other !== undefined) return refuseLeftFile(other.path)
    const repository = { ...this.#repository, verb: this.#verb }
    return GitLanding.prepare(inGit, repository, { began: layers.began, index: layers.file(keptIndex) })
  }

  /** As reports have it. */
  asReported({ path: name, reason }: NotKept): NotKept {
    const { commonDir } = this.#repository
    return { path: path.join(this.beside ?? path.relative(this.#root, commonDir), name), reason }
  }
}

/** Every name in a git directory that does not belong to an object, for a command that works on the repository itself. */
export function namesInGitDir({ commonDir }: GitDirs): ReadonlySet<string> {
  const names = new Set<string>()
  const states = new Set(statesInGit(commonDir))
  const pending = ['']
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    for (const entry of fs.readdirSync(path.join(commonDir, dir), { withFileTypes: true })) {
      const name = path.posix.join(dir, entry.name)
      if (states.has(name)) continue
      names.add(name)
      if (entry.isDirectory() && name !== 'objects') pending.push(name)
    }
  }
  return names
}

/** The names that came since and that git has no use for; of a directory only itself. */
export function findPlantedNames(repository: FoundRepository, before: ReadonlySet<string>, verb: string): string[] {
  const { gitDir, commonDir } = repository
  const command = { worktree: path.relative(commonDir, gitDir), verb }
  const isPlanted = (name: string): boolean => {
    const verdict = judgeWritten(name, command)
    if (before.has(name) || verdict.as !== 'refused' || /^(?:refs|logs|objects|reftable)(?:\/|$)/.test(name))
      return false
    // A rebase may leave its own state.
    return !verdict.isEssential || /^(?:worktrees|modules)(?:\/|$)/.test(name)
  }
  const planted = [...namesInGitDir(repository)].filter(isPlanted)
  return planted.filter((name) => !isBelowAny(name, new Set(planted)))
}

const keptIndex = 'index-before'

/** Part of a git directory, of whatever repository. */
const isOfRepository = ({ kind, path: name }: Effect): boolean =>
  kind !== 'gone' && kind !== 'time' && name.split('/').some((part) => ownerOfName(part) === 'git')

/**
 * Makes the repository that `git init` made in a layer: an empty one with plain settings, whatever else is there. Undefined
 * if it made none here.
 */
export function makeRepository(effects: readonly Effect[], place: { safePath: string; relative: string }): boolean {
  const gitDir = path.posix.join(place.relative, gitName)
  const fileAt = (name: string): string | undefined => {
    const found = effects.find((one) => one.path === `${gitDir}/${name}` && one.kind === 'file')
    return found?.kind === 'file' ? readOwn(found.from) : undefined
  }
  const head = fileAt('HEAD')
  const config = fileAt('config')
  if (
    head === undefined ||
    config === undefined ||
    !/^ref: refs\/heads\/[\w./-]+\n$/.test(head) ||
    !isReferenceName(head.slice('ref: '.length, -1))
  )
    return false
  const dir = path.join(place.safePath, gitName)
  fs.mkdirSync(dir)
  for (const name of ['objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'refs/tags'])
    fs.mkdirSync(path.join(dir, name))
  putFile(path.join(dir, 'config'), plainConfig(config))
  putFile(path.join(dir, 'HEAD'), head)
  return true
}
