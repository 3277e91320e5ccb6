import fs from 'node:fs'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { hasCode } from '../core/platform.ts'
import { SettingsError } from '../core/settings.ts'
import { readOwn, renameFile, writeIgnoreFile } from './own-files.ts'
import { writtenByGit } from './git-dirs.ts'
import { isPrivate, makePrivateDir, stateHome, temporaryHome, userStateDir } from './user-state.ts'

/**
 * A repository can ship a `.clada/` with a history, locks or a `back.json` of its own making. State counts only when it
 * carries an id that clada drew for this root and noted in the user's own state directory, where neither a repository
 * nor a model can write. Other state is set aside whole, and `clada trust --history` adopts it.
 */
export interface OwnState {
  readonly dir: string
  /** What the user should know; at most one sentence or two, and only in the run that finds it. */
  readonly notes: readonly string[]
}

const stateName = '.clada'
const idFile = 'id'
const asideDir = 'set-aside'

/** Whether this user's clada made the `.clada` of a root, and git has brought nothing into it since. */
export function isVouched(root: string): boolean {
  if (ownerConflict(root) !== undefined) return false
  const id = readOwn(path.join(root, stateName, idFile))?.trim()
  return id !== undefined && isId(id) && isNoted(root, id) && !hasTrackedState(root)
}

function isNoted(root: string, id: string): boolean {
  for (const dir of voucherDirs(root)) if (fs.existsSync(voucherIn(dir, root, id))) return true
  return false
}

/** Whether git has written a file into `.clada`, whatever the origin of the rest. What people share is left out. */
const hasTrackedState = (root: string): boolean =>
  writtenByGit(path.join(root, stateName)).some((name) => !sharedNames.has(name))

/** Whether a root has state that is ignored. */
export function hasForeignState(root: string): boolean {
  const dir = path.join(root, stateName)
  return fs.lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() === true && !isPlain(dir) && !isVouched(root)
}

export const foreignStateNote = (where: string): string =>
  `'${stateName}' in this project was not made by clada for you on this machine, so its history and other state are ignored; ${where}. If it is yours, for example because the project was moved, adopt it with: clada trust --history`

/**
 * `.clada` in a root, made if it is missing, with foreign state set aside. Undefined where it cannot be used:
 * it is not a directory, cannot be written to and has no history of ours, or nothing can vouch for it.
 */
export function ownState(root: string): OwnState | undefined {
  const dir = path.join(root, stateName)
  const conflict = ownerConflict(root)
  if (conflict !== undefined) throw new SettingsError(conflict)
  if (isVouched(root)) {
    if (isWritableDir(dir)) return { dir, notes: [] }
    throw new SettingsError(
      `'${dir}' cannot be written to, and the history of this project is in it. Make it writable, so that the history stays in one place: chmod u+w '${dir}'.`,
    )
  }
  try {
    fs.mkdirSync(dir)
  } catch (error) {
    if (!hasCode(error, 'EEXIST') || !isWritableDir(dir)) return undefined
  }
  try {
    const plain = isPlain(dir)
    // Another process may have made it in between.
    if (!plain && isVouched(root)) return { dir, notes: [] }
    const notes = plain ? [] : [foreignStateNote(`it was moved to '${setAside(dir)}'`)]
    if (!fs.existsSync(path.join(dir, '.gitignore'))) writeIgnoreFile(dir)
    return { dir, notes: [...notes, ...vouchFor(root)] }
  } catch (error) {
    // Half a state directory would be committed one day. Better none at all.
    removeIfEmpty(dir)
    if (!(error instanceof Error)) throw error
    return undefined
  }
}

/**
 * Why the state of a project is not used where the superuser made it and another user runs clada, or the other way
 * round: each would have a history of their own, and files that the other cannot change.
 */
export function ownerConflict(root: string): string | undefined {
  const dir = path.join(root, stateName)
  const stat = fs.lstatSync(dir, { throwIfNoEntry: false })
  const user = process.geteuid?.()
  if (stat?.isDirectory() !== true || user === undefined || (stat.uid === 0) === (user === 0)) return undefined
  return stat.uid === 0
    ? `'${dir}' belongs to root: clada ran here as root before. To continue with that history as yourself: sudo chown -R ${user} '${dir}', then clada trust --history.`
    : `'${dir}' belongs to user ${stat.uid}, and clada runs as root. Run it as that user, so that the history stays in one place: sudo -u '#${stat.uid}' clada ….`
}

/** Makes what is there count from now on; what was set aside last, where that is all there is to adopt. */
export function adoptState(root: string): 'adopted' | 'counts already' | 'nothing to adopt' | 'tracked' {
  const dir = path.join(root, stateName)
  if (!isWritableDir(dir)) return 'nothing to adopt'
  if (hasTrackedState(root)) return 'tracked'
  const vouched = isVouched(root)
  if (!vouched && !isPlain(dir)) {
    fs.rmSync(path.join(dir, idFile), { force: true, recursive: true })
    vouchFor(root)
    return 'adopted'
  }
  const last = asideIn(dir).at(-1)
  if (last === undefined) return vouched ? 'counts already' : 'nothing to adopt'
  const adopted = fs.mkdtempSync(`${dir}-`)
  const fresh = path.join(adopted, 'state')
  renameFile(path.join(dir, asideDir, String(last)), fresh)
  fs.rmSync(path.join(fresh, idFile), { force: true, recursive: true })
  // The one that counted until now is kept too.
  const others = path.join(fresh, asideDir)
  if (!isDir(others)) fs.mkdirSync(others)
  renameFile(dir, path.join(others, String((asideIn(fresh).at(-1) ?? 0) + 1)))
  renameFile(fresh, dir)
  fs.rmdirSync(adopted)
  if (!fs.existsSync(path.join(dir, '.gitignore'))) writeIgnoreFile(dir)
  vouchFor(root)
  return 'adopted'
}

const sharedNames = new Set(['.gitignore', 'allowed-commands.json'])

/** Whether a directory has nothing in it but what people share, and what says so. */
const isPlain = (dir: string): boolean =>
  fs.readdirSync(dir, { withFileTypes: true }).every((entry) => {
    if (!entry.isFile()) return false
    // An id that another process is just writing is empty.
    const isBegun = entry.name === idFile && fs.statSync(path.join(dir, idFile)).size === 0
    return isBegun || sharedNames.has(entry.name)
  })

/**
 * Moves a state directory below a new one of the same name, so that it stays blocked for documents and out of commits.
 * What people share, and has vouchers of its own, stays in its place. Returns where the rest is, from the root.
 */
function setAside(dir: string): string {
  const numbers = asideIn(dir)
  const fresh = fs.mkdtempSync(`${dir}-`)
  fs.chmodSync(fresh, 0o755)
  const aside = path.join(fresh, asideDir)
  fs.mkdirSync(aside)
  const name = String((numbers.at(-1) ?? 0) + 1)
  renameFile(dir, path.join(aside, name))
  renameFile(fresh, dir)
  const list = readOwn(path.join(dir, asideDir, name, 'allowed-commands.json'))
  if (list !== undefined) fs.writeFileSync(path.join(dir, 'allowed-commands.json'), list, { flag: 'wx' })
  return `${stateName}/${asideDir}/${name}`
}

/** How many states were set aside. */
export const setAsideIn = (root: string): number => asideIn(path.join(root, stateName)).length

/** The numbers of what was set aside, in order. */
function asideIn(dir: string): number[] {
  const aside = path.join(dir, asideDir)
  if (!isDir(aside)) return []
  const names = fs.readdirSync(aside).filter((name) => /^[1-9]\d{0,5}$/.test(name) && isDir(path.join(aside, name)))
  return names.map(Number).toSorted((a, b) => a - b)
}

/** Notes a fresh id in the user's state directory, then in the project: an id in a project is always vouched for. */
function vouchFor(root: string): string[] {
  const id = randomId()
  const notes = noteId(root, id)
  // In one call, and of two processes that do this at once the last one's id stays: both are noted.
  writeWhole(path.join(root, stateName, idFile), `${id}\n`)
  return notes
}

/** @throws where no directory of the user's can be written to */
function noteId(root: string, id: string): string[] {
  let failure: unknown
  for (const [index, dir] of [...voucherDirs(root)].entries()) {
    try {
      makePrivateDir(dir)
      if (!isPrivate(dir)) continue
      writeWhole(voucherIn(dir, root, id), `${root}\n`)
      if (index === 0) return []
      return [
        `'${stateHome()}' cannot be written to, so that this project's history is clada's own is noted in '${dir}' and forgotten when that is emptied. Set XDG_STATE_HOME to a directory that can be written to.`,
      ]
    } catch (error) {
      failure = error
    }
  }
  throw failure instanceof Error ? failure : new Error('no directory of the user can be used')
}

/** No temporary file that a killed process would leave. */
function writeWhole(file: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants
  const fd = fs.openSync(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  try {
    fs.writeSync(fd, text)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/**
 * Where ids are noted: the state directory, and where that cannot be used, a private directory among the temporary
 * files, so that machines without a home still have a history. Neither counts inside the project.
 */
function* voucherDirs(root: string): Generator<string> {
  const state = userStateDir(root)
  if (state !== undefined) yield path.join(state, 'vouched')
  const temporary = temporaryHome()
  const isOutside = !`${temporary}${path.sep}`.startsWith(`${root}${path.sep}`)
  if (isOutside && (!fs.existsSync(temporary) || isPrivate(temporary))) yield temporary
}

/** What cannot be guessed is the id; the root is only there so that a copy elsewhere is another. */
const voucherIn = (dir: string, root: string, id: string): string => path.join(dir, `${digestOf(root)}-${id}`)

/** From the system where it has such a file: loading node:crypto would cost every first run some milliseconds. */
function randomId(): string {
  const bytes = Buffer.alloc(16)
  try {
    const fd = fs.openSync('/dev/urandom', 'r')
    try {
      if (fs.readSync(fd, bytes) === bytes.length) return bytes.toString('hex')
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    // Windows has none.
  }
  return process.getBuiltinModule('node:crypto').randomBytes(16).toString('hex')
}

const isId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

const isDir = (dir: string): boolean => fs.lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() === true

/** A link here could lead anywhere; a repository may have brought it along. */
function isWritableDir(dir: string): boolean {
  if (!isDir(dir)) return false
  try {
    fs.accessSync(dir, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

function removeIfEmpty(dir: string): void {
  try {
    if (isPlain(dir) && fs.readdirSync(dir).every((name) => name === '.gitignore'))
      fs.rmSync(dir, { recursive: true, force: true })
  } catch {
    // It belongs to someone else.
  }
}
