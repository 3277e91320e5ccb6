import fs from 'node:fs'
import path from 'node:path'
import { isInside } from '../core/paths.ts'
import type { RepositoryPosition } from '../store/record.ts'
import { nearestGitDirs, repairAdvice, hasHead } from '../state/git-dirs.ts'
import { platform } from '../core/platform.ts'
import { ProblemError } from '../core/problem.ts'
import { foreignOwner } from '../process/git-owner.ts'
import { gitOfUser, gitError } from './git-program.ts'
import { fsckAdvice, type Head, headOf, inRepository, refuseLinks, type Repository } from './repository.ts'
import { isSpecialFile, ownDir, putFile, readOwn } from '../state/own-files.ts'
import { gitName } from '../core/reserved-names.ts'

export interface ConfiguredRepository extends Repository {
  readonly config: RepositoryConfig
}

/**
 * The repository whose files a directory holds. One that has its files elsewhere, or none, is no repository of this
 * directory: its branch would lose everything that is not here. Stops where git cannot work in it.
 */
export async function findRepository(
  root: string,
  commit: 'is checked' | 'is read later' = 'is checked',
): Promise<ConfiguredRepository | undefined> {
  const nearest = nearestRepository(root)
  if (nearest === undefined) return undefined
  // Also asks git whether it knows this kind of repository.
  const readTree = () => inRepository(nearest, ['rev-parse', '-q', '--verify', 'HEAD^{tree}'], { okExitCodes: [1] })
  const [config, head, tree] = await Promise.all([
    listConfig(nearest).then((listed) => configFrom(listed, nearest)),
    headOf(nearest),
    commit === 'is checked' ? readTree() : undefined,
  ])
  const { status } = tree ?? (config.isRead ? { status: 0 } : await readTree())
  const top = workTreeOf(nearest, config)
  if (top === undefined || !isInside(root, top)) return undefined
  if (status !== 0) assertHeadReadable(head)
  return { ...nearest, top, config }
}

/** The repository by the configuration that git listed the last time, and a question to git whether it is the same now. */
export interface KnownRepository {
  readonly repository: ConfiguredRepository
  isCurrent(): Promise<boolean>
}

/** The same without waiting for git, in a process that has asked it before. */
export function knownRepository(root: string): KnownRepository | undefined {
  const nearest = nearestRepository(root)
  const listed = nearest && lastListed.get(nearest.gitDir)
  if (nearest === undefined || listed === undefined) return undefined
  const config = configFrom(listed, nearest)
  const top = workTreeOf(nearest, config)
  if (!config.isRead || top === undefined || !isInside(root, top)) return undefined
  const isCurrent = () =>
    listConfig(nearest).then(
      (now) => now === listed,
      () => false,
    )
  return { repository: { ...nearest, top, config }, isCurrent }
}

/** By git directory. */
const lastListed = new Map<string, string>()

/** Throws `ProblemError` if there is a commit that cannot be read. */
export function assertHeadReadable({ commit }: Head): void {
  if (commit !== undefined)
    throw gitError(`commit ${commit.slice(0, 8)}, which is checked out, cannot be read`, fsckAdvice)
}

/** The next repository around a directory. Looks at files only: no git has to run for it. */
export function nearestRepository(root: string): Repository | undefined {
  const found = nearestGitDirs(root)
  if (found === undefined || 'foreign' in found) return undefined
  if ('broken' in found) throw gitError(found.broken, found.broken.includes(' leads to ') ? repairAdvice : undefined)
  const owned = foreignOwner(found.top, found)
  if (owned !== undefined) throw gitError(owned.reason, owned.advice)
  // Before git is started: it would wait for ever for what a pipe in the place of HEAD or the index says.
  refuseLinks(found)
  return found
}

/** Why the next repository around a directory is not used, where that is so. */
export function foreignRepository(root: string): string | undefined {
  const found = nearestGitDirs(root)
  if (found === undefined || !('foreign' in found)) return undefined
  return `${found.foreign}, so this repository is not used: clada keeps its checkpoints in its own state. ${found.advice}`
}

/** clada's own repository, where there is no other. `top` is set when it is to look at files. */
export async function ownRepository(stateDir: string, top?: string): Promise<ConfiguredRepository> {
  const gitDir = ownDir(stateDir, 'repo')
  removeLinks(gitDir)
  for (const name of ['objects', 'refs']) ownDir(gitDir, name)
  for (const name of ['info', 'pack']) ownDir(path.join(gitDir, 'objects'), name)
  for (const [name, text] of [
    ['HEAD', 'ref: refs/clada/checkpoints\n'],
    ['config', '[core]\n\trepositoryformatversion = 0\n\tbare = true\n'],
  ] as const) {
    // In one step: another process may be making the same repository.
    if (readOwn(path.join(gitDir, name)) === undefined) putFile(path.join(gitDir, name), text)
  }
  const repository: Repository = { top, gitDir, commonDir: gitDir }
  return { ...repository, config: configFrom(await listConfig(repository), repository) }
}

/** Where a repository has its files. A worktree has them in its own place, whatever is configured for the repository. */
function workTreeOf({ top, gitDir, commonDir }: Repository, { bare, worktree }: RepositoryConfig): string | undefined {
  if (gitDir !== commonDir) return top
  if (bare) return undefined
  if (worktree === undefined) return top
  try {
    return fs.realpathSync(path.resolve(fs.realpathSync(gitDir), worktree))
  } catch {
    return undefined
  }
}

/** Git makes none here, and would write to wherever one leads that a project brought along. */
function removeLinks(dir: string, name = ''): void {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const file = path.join(dir, entry.name)
    if (entry.isSymbolicLink()) fs.unlinkSync(file)
    // Objects are only ever added, so that links to single ones are not written through.
    else if (entry.isDirectory() && name !== 'objects') removeLinks(file, entry.name)
  }
}

/** Whether a directory is the top of a repository, or was: a file that leads to none counts. */
export function isRepository(dir: string): boolean {
  const dotGit = path.join(dir, gitName)
  return hasHead(dotGit) || (fs.existsSync(dotGit) && fs.statSync(dotGit).isFile())
}

/** Where the repository around a directory is; undefined where none can be used, or nothing is committed. */
export async function headPosition(root: string): Promise<RepositoryPosition | undefined> {
  try {
    const repository = nearestRepository(root)
    if (repository === undefined) return undefined
    const { commit, branch } = await headOf(repository)
    return commit === undefined ? undefined : { commit, branch }
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** The parts of a repository's configuration that matter for saving files. */
export interface RepositoryConfig {
  /** Whether git has read it: of a repository of a later kind it lists nothing. */
  readonly isRead: boolean
  /** The settings about content and names, which run no program, as the text of a config file. */
  readonly text: string
  /** Filters that would run a program. */
  readonly filters: ReadonlySet<string>
  readonly sparse: boolean
  /** The hash of object ids. */
  readonly hash: 'sha1' | 'sha256'
  /** Whether the file system has executable bits and links. */
  readonly modes: boolean
  readonly bare: boolean
  /** The configured working tree. */
  readonly worktree: string | undefined
}

const harmless = new Set(
  (
    'core.filemode core.ignorecase core.symlinks core.autocrlf core.eol core.precomposeunicode core.protecthfs ' +
    'core.protectntfs core.trustctime core.checkstat core.excludesfile core.attributesfile core.bigfilethreshold ' +
    'core.compression core.loosecompression core.sparsecheckout core.sparsecheckoutcone core.sharedrepository ' +
    'index.sparse index.version extensions.objectformat'
  ).split(' '),
)

/** Of these, what names a file whose lines git reads. */
const ruleFiles = new Set(['core.excludesfile', 'core.attributesfile'])

/** Git waits for a pipe, and reads `/dev/zero` until memory ends. */
const leadsToSpecialFile = (file: string, top = '/'): boolean =>
  isSpecialFile(path.resolve(top, file.replace(/^~(?=\/)/, platform.home() ?? '/nonexistent')))

function configFrom(listed: string, { top }: Repository): RepositoryConfig {
  const values = new Map<string, string>()
  const own = new Map<string, string>()
  const filters = new Set<string>()
  const words = listed.split('\0')
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope = '', item = ''] = words.slice(at, at + 2)
    const [name = '', ...rest] = item.split('\n')
    const value = rest.length === 0 ? 'true' : rest.join('\n')
    values.set(name, value)
    if (scope === 'local' || scope === 'worktree') own.set(name, value)
    const [, filter] = /^filter\.(.+)\.(?:clean|process)$/s.exec(name) ?? []
    if (filter !== undefined && rest.length > 0 && value !== '') filters.add(filter)
  }
  const lines = [...values].map(([name, value]) => {
    const [section = '', key = ''] = name.split('.')
    if (!harmless.has(name) || (ruleFiles.has(name) && leadsToSpecialFile(value, top))) return ''
    return `[${section}]\n\t${key} = "${value.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"\n`
  })
  return {
    isRead: own.has('core.repositoryformatversion'),
    text: lines.join(''),
    filters,
    sparse: isTrueInConfig(values.get('core.sparsecheckout')),
    hash: values.get('extensions.objectformat')?.toLowerCase() === 'sha256' ? 'sha256' : 'sha1',
    modes:
      isTrueInConfig(values.get('core.filemode') ?? 'true') && isTrueInConfig(values.get('core.symlinks') ?? 'true'),
    // Git reads these from the repository's own configuration only.
    bare: isTrueInConfig(own.get('core.bare')),
    worktree: own.get('core.worktree'),
  }
}

/** All spellings of true in git. */
const isTrueInConfig = (value = ''): boolean => /^(?:true|yes|on|[1-9]\d*)$/i.test(value)

/** The configuration of the repository, the machine and the user. Reading it starts no program. */
async function listConfig({ gitDir }: Repository): Promise<string> {
  const { out } = await gitOfUser(gitDir, { GIT_DIR: gitDir }, ['config', '-z', '--show-scope', '--list'])
  const listed = out.toString()
  lastListed.set(gitDir, listed)
  return listed
}
