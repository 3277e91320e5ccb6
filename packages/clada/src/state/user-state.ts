import { plainReason } from '../core/os-words.ts'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { SettingsError } from '../core/settings.ts'
import { listNames, putFile } from './own-files.ts'
import { homeDir } from '../core/platform.ts'

/** Where clada keeps what it knows, and where the user says what holds: neither is a document's business. */
export const stateHome = (): string => inHome('XDG_STATE_HOME', path.join('.local', 'state'))
export const configHome = (): string => inHome('XDG_CONFIG_HOME', '.config')

/** In place of the first, where that cannot be used: the key that signs histories may be there. */
export const temporaryHome = (): string => path.join(os.tmpdir(), `clada-${process.getuid?.() ?? 'user'}`)

/** The user's own config. */
export const userFile = (): string => path.join(configHome(), 'config.yml')

/** Everything that must be blocked so that both stay the user's own, by each name that leads there. */
export const userPlaces = (): string[] => [
  ...new Set(
    [stateHome(), configHome(), userFile(), temporaryHome(), ...codeHomes()].flatMap((place) => pathSpellings(place)),
  ),
]

/** Where `cli/start.cjs` keeps code for the next start, if that is not below the first, and where Node itself does. */
function codeHomes(): string[] {
  const { CLADA_CODE_CACHE: given = '', NODE_COMPILE_CACHE: ofNode = '' } = process.env
  return [
    ...(path.isAbsolute(given) ? [path.join(given, 'clada-code')] : []),
    ...(ofNode === '' ? [] : [path.resolve(ofNode)]),
  ]
}

/**
 * A path as it is given, and as it is after each link on its way; names that do not exist yet included. A program that can
 * write to any of them decides what is read in the end.
 */
export function pathSpellings(given: string): string[] {
  const names = [path.resolve(given)]
  for (let next = pastLink(names[0] ?? ''); next !== undefined && !names.includes(next); next = pastLink(next)) {
    names.push(next)
    if (names.length > mostLinks) break
  }
  return names
}

const mostLinks = 40

/** The path without the first link on its way; undefined when there is none. */
function pastLink(file: string): string | undefined {
  const { root } = path.parse(file)
  const parts = file.slice(root.length).split(path.sep)
  let at = root
  for (let count = 1; count <= parts.length; count++) {
    at += `${count === 1 ? '' : path.sep}${parts[count - 1] ?? ''}`
    try {
      const stat = fs.lstatSync(at, { throwIfNoEntry: false })
      if (stat === undefined) return undefined
      if (stat.isSymbolicLink()) return path.resolve(path.dirname(at), fs.readlinkSync(at), ...parts.slice(count))
    } catch {
      // What cannot be looked at cannot be followed.
      return undefined
    }
  }
  return undefined
}

function inHome(variable: string, usual: string): string {
  const given = process.env[variable]
  const base = given !== undefined && path.isAbsolute(given) ? given : path.join(home(), usual)
  const dir = path.join(base, 'clada')
  refuseForeignDir(dir, variable)
  return dir
}

/** Directories that were looked at in this process: nobody else can write to them. */
const owned = new Set<string>()

/**
 * Another user who can write there could plant the signing key, approvals and settings. So can the owner of what is directly in
 * it: a directory that was only taken over itself still has the files of before.
 */
function refuseForeignDir(dir: string, variable: string): void {
  const user = process.geteuid?.()
  if (user === undefined || owned.has(dir)) return
  const top = linkedStats(dir)
  if (top === undefined) return
  for (const file of [dir, ...listNames(dir).map((name) => path.join(dir, name))]) {
    const stat = file === dir ? top : linkedStats(file)
    const why = stat === undefined ? undefined : whyNotOwn(stat, user)
    if (why === undefined) continue
    throw new SettingsError(
      `'${file}' ${why.reason}, who could put approvals and settings of their own there, so clada does not use it. If all of it is yours: ${why.command} '${dir}'. If not, set ${variable} to a directory of your own.`,
    )
  }
  owned.add(dir)
}

/** Of files and directories; whoever makes a socket asks who connects to it. */
function linkedStats(file: string): fs.Stats | undefined {
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false })
    return stat?.isFile() === true || stat?.isDirectory() === true ? stat : undefined
  } catch {
    // What cannot be looked at is not used either.
    return undefined
  }
}

/** A group with the number of its user is the user's own, and has nobody else. */
function whyNotOwn({ uid, gid, mode }: fs.Stats, user: number): { reason: string; command: string } | undefined {
  if (uid !== user && uid !== 0)
    return { reason: `belongs to another user (${uid}; you are ${user})`, command: `chown -R ${user}` }
  if ((mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid))
    return { reason: `can be written to by other users (mode ${(mode & 0o777).toString(8)})`, command: 'chmod -R go-w' }
  return undefined
}

/** What is not absolute would be somewhere else in every project, where the project could fill it. */
function home(): string {
  const dir = homeDir()
  if (path.isAbsolute(dir)) return dir
  throw new SettingsError(
    `The home directory '${dir}' is not an absolute path, so there is no place for clada's own files. Set HOME to one that is.`,
  )
}

/**
 * Where clada keeps what it knows about a project and the project must not be able to say itself: neither a repository
 * nor a model can write there. Undefined when that directory is inside the project, where it would prove nothing.
 */
export function userStateDir(root: string): string | undefined {
  const dir = stateHome()
  // The home directory or the whole disk is not a downloaded project; documents cannot reach the directory itself.
  if (root === '/' || pathSpellings(homeDir()).includes(root)) return dir
  return pathSpellings(dir).some((name) => name.startsWith(`${root}${path.sep}`)) ? undefined : dir
}

/** A short name for a root, the same in every run. */
export const rootName = (root: string): string => digestOf(root)

/** Keeps a text in the user's state directory. @throws SettingsError where that cannot be */
export function keepForUser(file: string, text: string): void {
  try {
    makePrivateDir(path.dirname(file))
    putFile(file, text)
  } catch (error) {
    const why = plainReason(error)
    throw new SettingsError(
      `clada cannot remember this: '${path.dirname(file)}' cannot be used (${why}). Set XDG_STATE_HOME to a directory that can be written to.`,
      { cause: error },
    )
  }
}

/**
 * A directory only the user can enter, with what is missing above it. Node's own way never ends where the system says
 * that a directory cannot be found although all above it is there, as it does below /proc.
 */
export function makePrivateDir(dir: string): void {
  if (isStateDirectory(dir)) return
  if (dir !== path.dirname(dir)) makePrivateDir(path.dirname(dir))
  try {
    fs.mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it at the same time.
    if (!isStateDirectory(dir)) throw error
  }
}

/** Whether a directory is the user's own, and nobody else can write to it: anybody can make one of any name in `/tmp`. */
export function isPrivate(dir: string): boolean {
  const stat = fs.lstatSync(dir, { throwIfNoEntry: false })
  if (stat?.isDirectory() !== true) return false
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o022) === 0)
}

/** Throws below a file, on every Node: from 22 on, `throwIfNoEntry: false` would say that nothing is there. */
function isStateDirectory(dir: string): boolean {
  try {
    return fs.statSync(dir).isDirectory()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}
