import { plainReason } from '../core/os-words.ts'
import fs from 'node:fs'
import path from 'node:path'
import { hasCode, isOsError } from '../core/errors.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { gitName } from '../core/reserved-names.ts'
import { SettingsError } from '../core/settings.ts'
import { nearestGitDirs, repositoryAround } from './git-dirs.ts'
import { isOldStateOurs, oldStateDir } from './old-state.ts'
import { isDirectory, jsonOf, readStats, putFile, readOwn, renameFile, syncFileNow, hasAccess } from './own-files.ts'
import { keysFor, makeKey, type SigningKey } from './signing-key.ts'
import { makePrivateDir, stateHome, temporaryHome, userStateDir } from './user-state.ts'

/**
 * Where clada keeps the history of a project and everything else that a clone or an archive must not bring:
 *
 *     <git dir>/clada/<id>/              in a repository, for each worktree
 *     <user's state>/projects/<id>/      elsewhere, and where the git directory cannot be written to
 *
 * The id is an HMAC of the root's path with the user's own key. Whoever lacks the key can neither name such a directory nor sign
 * an entry in it, so one of another id is not ours: it is not read, until `clada trust --history` signs it.
 */
export interface ProjectState {
  readonly dir: string
  /** What the user should know, in the run that makes the directory. */
  readonly notes: readonly string[]
}

export const stateInGit = 'clada'
const projects = 'projects'
const rootFile = 'root'

/** The state directory of a project, if it has one. Makes nothing. */
export function findState(root: string): string | undefined {
  const asked = `${root}\0${stateHome()}\0${temporaryHome()}`
  const before = found.get(asked)
  if (before !== undefined && isState(before)) return before
  for (const key of keysFor(root)) {
    const dir = placesFor(root, key).find(isState)
    if (dir === undefined) continue
    // By its name it is ours, whatever the note in it says after a disk lost that.
    signers.set(dir, new Signer(key.key, root))
    found.set(asked, dir)
    return dir
  }
  return undefined
}

const found = new Map<string, string>()

/** The state directory of a project, made where there is none. @throws SettingsError if there is no place for it */
export function makeState(root: string): ProjectState {
  const there = findState(root)
  if (there !== undefined) {
    if (hasAccess(there, 'write')) return { dir: there, notes: [] }
    throw new SettingsError(
      `'${there}' cannot be written to, and the history of this project is in it. Make it writable, so that the history stays in one place: chmod u+w '${there}'.`,
    )
  }
  const note = isOldStateOurs(root) ? undefined : foreignStateNote(root)
  const notes = note === undefined ? [] : [note]
  const key = usableKey(root)
  let failure: unknown
  for (const dir of placesFor(root, key)) {
    try {
      makeStateAt(dir, root)
      return { dir, notes: [...notes, ...temporaryNotes(root, key, dir)] }
    } catch (error) {
      if (!isOsError(error)) throw error
      failure = error
    }
  }
  throw noPlace(failure)
}

function usableKey(root: string): SigningKey {
  try {
    return makeKey(root)
  } catch (error) {
    throw noPlace(error)
  }
}

const noPlace = (error: unknown): SettingsError =>
  new SettingsError(
    `There is no place for clada's own files: '${stateHome()}' cannot be used (${plainReason(error)}). Set XDG_STATE_HOME to a directory that can be written to.`,
    { cause: error },
  )

function temporaryNotes(root: string, { home }: SigningKey, dir: string): string[] {
  if (home !== temporaryHome()) return []
  const what =
    path.dirname(path.dirname(dir)) === home ? 'the history of this project' : "the key of this project's history"
  const why = userStateDir(root) === undefined ? 'is inside the project' : 'cannot be used'
  return [
    `'${stateHome()}' ${why}, so ${what} is in '${home}' and lost when that is emptied. Set XDG_STATE_HOME to a directory outside the project that can be written to.`,
  ]
}

function placesFor(root: string, { home, key }: SigningKey): string[] {
  const id = stateIdOf(root, key)
  const inGit = gitPlace(root)
  return [...(inGit === undefined ? [] : [path.join(inGit, id)]), path.join(home, projects, id)]
}

/** Undefined where there is no repository of the user's own, or a link or file is in the way. */
function gitPlace(root: string): string | undefined {
  const gitDir = repositoryAround(root)?.gitDir
  if (gitDir === undefined || !isOwnDir(gitDir)) return undefined
  const dir = path.join(gitDir, stateInGit)
  return readStats(dir) === undefined || isOwnDir(dir) ? dir : undefined
}

const stateIdOf = (root: string, key: Buffer): string => hmacOf(key, `directory\0${root}`).slice(0, 32)

const hmacOf = (key: Buffer, text: string): string =>
  process.getBuiltinModule('node:crypto').createHmac('sha256', key).update(text).digest('hex')

/** It counts when the root is noted in it. Another process may be making the same directory, and one may have been killed. */
function makeStateAt(dir: string, root: string): void {
  const parent = path.dirname(dir)
  makePrivateDir(parent)
  try {
    fs.mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST') || !isOwnDir(dir)) throw error
  }
  noteRoot(dir, root)
  syncFileNow(parent)
  syncFileNow(path.dirname(parent))
}

/** The inode recognizes a project that was moved. */
function noteRoot(dir: string, root: string): void {
  putFile(path.join(dir, rootFile), `${JSON.stringify({ root, inode: rootInode(root) })}\n`)
}

function rootInode(root: string): string {
  const { dev, ino, birthtimeNs } = fs.statSync(root, { bigint: true })
  // The number alone is soon another directory's.
  return `${dev}:${ino}:${birthtimeNs}`
}

interface NotedRoot {
  readonly root: string
  readonly inode: string
}

function notedRoot(dir: string): NotedRoot | undefined {
  const noted = jsonOf(readOwn(path.join(dir, rootFile)))
  if (!isRecord(noted)) return undefined
  const { root, inode } = noted
  return typeof root === 'string' && typeof inode === 'string' ? { root, inode } : undefined
}

/** Signs the entries of one project's log. */
export class Signer {
  readonly #key: Buffer
  readonly #root: string

  constructor(key: Buffer, root: string) {
    this.#key = key
    this.#root = root
  }

  /** The MAC of an entry after the one with the MAC `previous`. */
  sign(previous: string, entry: Uint8Array): string {
    const mac = process.getBuiltinModule('node:crypto').createHmac('sha256', this.#key)
    return mac.update(`entry\0${this.#root}\0${previous}\0`).update(entry).digest('hex')
  }
}

const signers = new Map<string, Signer>()

/** @throws Error if the directory is not one that `findState` or `makeState` gave */
export function signerOf(stateDir: string): Signer {
  const known = signers.get(stateDir)
  if (known !== undefined) return known
  const root = notedRoot(stateDir)?.root
  const key =
    root === undefined ? undefined : keysFor(root).find((one) => stateIdOf(root, one.key) === path.basename(stateDir))
  if (root === undefined || key === undefined) throw new Error(`'${stateDir}' is not signed by this user`)
  const signer = new Signer(key.key, root)
  signers.set(stateDir, signer)
  return signer
}

/** Says that there is a history which is not read, if so. */
export function foreignStateNote(root: string): string | undefined {
  if (findState(root) !== undefined) return undefined
  const [dir] = foreignStates(root)
  if (dir !== undefined)
    return `the history in '${dir}' was not signed by you for this directory, so it is not read. If it is yours, for example because the project was moved: clada trust --history`
  const unused = unusedStateNote(root)
  if (unused !== undefined) return unused
  const old = oldStateDir(root)
  if (old === undefined) return undefined
  return isOldStateOurs(root)
    ? `the history is still in '${old}', where an older version kept it; the next execution moves it`
    : broughtWarning(old)
}

/** A history in a repository that is not used, for example because something planted a link in it. */
function unusedStateNote(root: string): string | undefined {
  const found = nearestGitDirs(root)
  if (found === undefined || 'gitDir' in found) return undefined
  const states = path.join(found.top, gitName, stateInGit)
  const dirs = keysFor(root).map(({ key }) => path.join(states, stateIdOf(root, key)))
  const kept = dirs.find(isState)
  if (kept === undefined) return undefined
  const why = 'foreign' in found ? `${found.foreign}. ${found.advice}` : found.broken
  return `the history in '${kept}' is not read, because this repository is not used: ${why}`
}

/** About a history in the directory of earlier versions that does not count. */
export const broughtWarning = (dir: string): string =>
  `the history in '${dir}' is not read: it came with the project, or an older version made it before the project was moved. If it is yours: clada trust --history`

/** State directories that may be those of this project and are not signed for it, the newest first. */
export function foreignStates(root: string): string[] {
  const inGit = gitPlace(root)
  const own = findState(root)
  const others = inGit === undefined ? [] : stateDirsIn(inGit).filter((dir) => dir !== own && !isOfOtherRoot(dir))
  return [...others, ...movedStates(root)].toSorted((one, other) => changedAt(other) - changedAt(one))
}

/** Of a root below or above this one, in the same repository. */
function isOfOtherRoot(dir: string): boolean {
  const noted = notedRoot(dir)
  // Another user's cannot be read.
  if (noted === undefined) return !isOwnDir(dir)
  return isDirectory(noted.root) && findState(noted.root) === dir
}

/** Those of the same directory under another path. */
function movedStates(root: string): string[] {
  const inode = rootInode(root)
  return keysFor(root).flatMap(({ home }) =>
    stateDirsIn(path.join(home, projects)).filter((dir) => {
      const noted = notedRoot(dir)
      return noted !== undefined && noted.inode === inode && noted.root !== root && !isDirectory(noted.root)
    }),
  )
}

function stateDirsIn(dir: string): string[] {
  if (!isOwnDir(dir)) return []
  const names = fs.readdirSync(dir).filter((name) => /^[0-9a-f]{32}$/.test(name))
  return names.map((name) => path.join(dir, name)).filter(isDirectory)
}

function changedAt(dir: string): number {
  return readStats(path.join(dir, 'history'))?.mtimeMs ?? 0
}

/**
 * Gives a foreign state directory the name of this project's, which no other has. The caller has signed its log with
 * `signerFor`.
 */
export function adoptState(foreign: string, root: string): string {
  const { key } = usableKey(root)
  const dir = path.join(path.dirname(foreign), stateIdOf(root, key))
  noteRoot(foreign, root)
  renameFile(foreign, dir)
  syncFileNow(path.dirname(dir))
  return dir
}

/** Gives the state directory of a project another name, so that it does not count and can be adopted again. */
export function setStateAside(dir: string): string {
  const aside = path.join(path.dirname(dir), randomId())
  renameFile(dir, aside)
  return aside
}

/** The signer of a log that is to become this project's. */
export const signerFor = (root: string): Signer => new Signer(usableKey(root).key, root)

const randomId = (): string => process.getBuiltinModule('node:crypto').randomBytes(16).toString('hex')

/** The names below a git directory that hold state of this or another worktree or submodule, relative to it. */
export function statesInGit(commonDir: string): string[] {
  const inModules = (below: string): string[] =>
    namesInDirectory(path.join(commonDir, below)).flatMap((name) => {
      const dir = `${below}/${name}`
      if (fs.existsSync(path.join(commonDir, dir, 'HEAD')))
        return [`${dir}/${stateInGit}`, ...inModules(`${dir}/modules`)]
      return inModules(dir)
    })
  const inWorktrees = namesInDirectory(path.join(commonDir, 'worktrees')).map(
    (name) => `worktrees/${name}/${stateInGit}`,
  )
  return [stateInGit, ...inWorktrees, ...inModules('modules')].filter((name) => isDirectory(path.join(commonDir, name)))
}

const namesInDirectory = (dir: string): string[] => (isDirectory(dir) ? fs.readdirSync(dir) : [])

const isState = (dir: string): boolean => isOwnDir(dir) && readStats(path.join(dir, rootFile)) !== undefined

/** Not a link, which could lead anywhere, and not another user's. */
function isOwnDir(dir: string): boolean {
  const stat = readStats(dir)
  const user = process.geteuid?.()
  return stat?.isDirectory() === true && (user === undefined || stat.uid === user)
}
