import fs from 'node:fs'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { findEndless } from '../state/git-dirs.ts'
import { jsonOf, putFile, readLinked, readOwn } from '../state/own-files.ts'
import { isReferenceName, symbolicTarget } from '../state/reference-name.ts'
import { stateHome, makePrivateDir } from '../state/user-state.ts'
import { readOnlyGit, plainConfig } from './isolated-git-dir.ts'
import type { Mask } from './overlay.ts'
import { runLimitedGit } from './limited-git.ts'
import type { ProcessEnd } from './run-process.ts'

export interface GitViewOptions {
  readonly root: string
  /** Git directories below the root. */
  readonly repositories: readonly string[]
  readonly isBlocked: (relative: string) => boolean
  /** What decides which names are blocked. */
  readonly rules: readonly string[]
  /** `full`: the user lets programs read the objects of repositories that track blocked files. */
  readonly git: 'safe' | 'full'
}

/**
 * How the git directories of a project look to programs: data only. The config has plain values and addresses without
 * user names and passwords; reflogs, what was fetched from where and files of extensions are not there. A repository
 * that tracks a blocked file is not there at all, because its objects hold that file.
 */
export async function gitMasks(sight: GitViewOptions): Promise<Mask[]> {
  const masks: Mask[] = []
  for (const name of sight.repositories) {
    const stat = fs.lstatSync(path.join(sight.root, name), { throwIfNoEntry: false })
    if (stat?.isDirectory()) masks.push(...(await masksOfGitDir(name, path.dirname(name), sight)))
  }
  return masks
}

/** How one git directory looks, whose files are at `top`. */
async function masksOfGitDir(name: string, top: string, sight: GitViewOptions): Promise<Mask[]> {
  const gitDir = path.join(sight.root, name)
  if (findEndless({ gitDir, commonDir: gitDir }) !== undefined) return [{ path: name, as: 'missing' }]
  const hidden = sight.git === 'full' ? undefined : await whyGitHidden(name, top, sight)
  if (hidden === undefined) return dataOnly(name, top, sight)
  return [{ path: name, as: { text: `gitdir: /${hiddenMessage(hidden)}\n` } }]
}

/** A git file leads to a directory; git's own message says that it is not there, by its name. */
const hiddenMessage = (why: string): string =>
  `(hidden from programs, because ${why}; exec: {git: full} in the user's config of clada shows it)`

/** Besides these, and index files that are shared, nothing in a git directory is needed to read the repository. */
const data: ReadonlySet<string> = new Set([
  'HEAD',
  'ORIG_HEAD',
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'index',
  'objects',
  'refs',
  'packed-refs',
  'reftable',
  'shallow',
  'info',
  'hooks',
  'description',
  'branches',
  'commondir',
  'gitdir',
])

async function dataOnly(name: string, top: string, sight: GitViewOptions): Promise<Mask[]> {
  const masks: Mask[] = []
  for (const entry of fs.readdirSync(path.join(sight.root, name))) {
    const shown = `${name}/${entry}`
    if (data.has(entry) || entry.startsWith('sharedindex.')) continue
    if (entry === 'config') {
      const text = readLinked(path.join(sight.root, shown)) ?? ''
      masks.push({ path: shown, as: { text: plainConfig(text, 'with remotes') } })
    } else if (entry === 'modules') masks.push(...(await inModules(shown, top, sight)))
    else masks.push({ path: shown, as: 'missing' })
  }
  return masks
}

/** The git directories of submodules, also of those that are not checked out. Their names may have slashes. */
async function inModules(name: string, top: string, sight: GitViewOptions): Promise<Mask[]> {
  const at = path.join(sight.root, name)
  if (!fs.lstatSync(at).isDirectory()) return [{ path: name, as: 'missing' }]
  const masks: Mask[] = []
  for (const entry of fs.readdirSync(at)) {
    const inside = fs.existsSync(path.join(at, entry, 'HEAD')) ? masksOfGitDir : inModules
    masks.push(...(await inside(`${name}/${entry}`, path.join(top, entry), sight)))
  }
  return masks
}

/** A blocked file that the index or the last commit has, or nobody knows. Asked of git only when one of them changed. */
async function whyGitHidden(
  name: string,
  top: string,
  { root, isBlocked, rules }: GitViewOptions,
): Promise<string | undefined> {
  const key = digestOf(JSON.stringify([rules, gitDirState(path.join(root, name))]))
  const file = path.join(stateHome(), 'tracked', digestOf(path.join(root, name)))
  const before = jsonOf(readOwn(file))
  if (typeof before === 'object' && before !== null && 'key' in before && before.key === key)
    return 'blocked' in before && typeof before.blocked === 'string' ? tracks(before.blocked) : undefined
  const tracked = await listTracked(path.join(root, name))
  // Not remembered: the next time git may have an answer.
  if (tracked === undefined) return 'git could not list what this repository tracks'
  const blocked = tracked.find((one) => isBlocked(path.join(top, one)))
  try {
    makePrivateDir(path.dirname(file))
    putFile(file, JSON.stringify({ key, blocked }))
  } catch {
    // Then git is asked again the next time.
  }
  return blocked === undefined ? undefined : tracks(blocked)
}

const tracks = (blocked: string): string => `this repository tracks the blocked file ${JSON.stringify(blocked)}`

/** Where the branch is, and what the index looked like. */
function gitDirState(gitDir: string): string {
  const index = fs.lstatSync(path.join(gitDir, 'index'), { bigint: true, throwIfNoEntry: false })
  const head = readOwn(path.join(gitDir, 'HEAD')) ?? ''
  const ref = symbolicTarget(head)
  const packed = fs.lstatSync(path.join(gitDir, 'packed-refs'), { bigint: true, throwIfNoEntry: false })
  const commit = ref === undefined || !isReferenceName(ref) ? '' : (readOwn(path.join(gitDir, ref)) ?? '')
  return [index?.ino, index?.size, index?.ctimeNs, head, commit, packed?.ctimeNs].map(String).join(' ')
}

/**
 * Whatever the directory says about where its files are: programs see its objects. Undefined if git has no whole answer:
 * a list that is cut short may lack the one name that matters.
 */
async function listTracked(gitDir: string): Promise<string[] | undefined> {
  // Nothing was ever put into it.
  if (!fs.existsSync(path.join(gitDir, 'objects'))) return []
  const isolated = readOnlyGit({ gitDir, commonDir: gitDir }, gitDir)
  try {
    const ask = (...words: string[]): Promise<ProcessEnd | undefined> =>
      runLimitedGit({
        args: [...isolated.args, ...words],
        env: isolated.env,
        timeoutMs: 30_000,
        outputBytes: longestList,
      })
    const [staged, head, committed] = await Promise.all([
      ask('ls-files', '-z'),
      ask('rev-parse', '-q', '--verify', 'HEAD'),
      ask('ls-tree', '-r', '-z', '--name-only', '--full-tree', 'HEAD'),
    ])
    const hasNoCommit = head?.exitCode === 1
    if (!isWholeListing(staged) || !(hasNoCommit || isWholeListing(committed))) return undefined
    const listed = [staged, committed].map((end) => end?.stdout ?? '').join('')
    return [...new Set(listed.split('\0'))].filter((one) => one !== '')
  } finally {
    isolated.close()
  }
}

/** Of a longer one the middle would be missing. */
const longestList = 1 << 28

const isWholeListing = (end: ProcessEnd | undefined): boolean =>
  end?.exitCode === 0 && Buffer.byteLength(end.stdout) < longestList / 2
