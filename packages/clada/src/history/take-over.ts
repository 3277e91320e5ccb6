import fs from 'node:fs'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { hasCode } from '../core/errors.ts'
import { ProblemError } from '../core/problem.ts'
import { stateName } from '../core/reserved-names.ts'
import { type HistorySettings, SettingsError } from '../core/settings.ts'
import { nearestRepository } from '../git/find-repository.ts'
import { moveKept } from '../git/kept.ts'
import { inRepository } from '../git/repository.ts'
import { forgetOldState, isOldStateOurs, oldBackName, oldStateDir, oldStateNames } from '../state/old-state.ts'
import { readStats, renameFile, syncFileNow } from '../state/own-files.ts'
import {
  adoptState,
  broughtWarning,
  findState,
  foreignStates,
  makeState,
  setStateAside,
  type Signer,
  signerFor,
  signerOf,
} from '../state/project-state.ts'
import { lockProject } from '../store/lock.ts'
import { copySigned } from '../store/log.ts'
import { dirOf, journalFile, numbersIn } from '../store/record.ts'
import { readDisplaced } from '../workspace/scratch.ts'

/**
 * Moves the history that an earlier version kept in `.clada/` to where it is kept now, and signs it. Only if this user made
 * it, and git has brought nothing into it since. The caller holds the lock. Returns what the user should know.
 */
export async function takeOverOldState(root: string, stateDir: string): Promise<string[]> {
  return [...(await takeOverFrom(oldStateDir(root), root, stateDir)), ...(await takeOverSteps(root, stateDir))]
}

async function takeOverFrom(from: string | undefined, root: string, stateDir: string): Promise<string[]> {
  if (from === undefined || !isOldStateOurs(root) || fs.existsSync(path.join(stateDir, historyName))) return []
  const isBrought = findLinkIn(oldPlaces(from)) !== undefined || (await isTracked(root))
  return isBrought ? [broughtWarning(from)] : moveOldState(from, root, stateDir)
}

/** A step back was not in the log. */
async function takeOverSteps(root: string, stateDir: string): Promise<string[]> {
  if (readStats(path.join(stateDir, oldBackName)) === undefined) return []
  return (await import('./take-over-back.ts')).takeOverBack(root, stateDir)
}

/** Whether git tracks a part of it, which anyone who can push can change then. */
async function isTracked(root: string): Promise<boolean> {
  try {
    const repository = nearestRepository(root)
    if (repository === undefined) return false
    const names = oldStateNames.map((name) => path.join(root, stateName, name))
    const below = names.map((name) => path.relative(repository.top ?? root, name))
    const { out } = await inRepository(repository, [
      'ls-files',
      '-z',
      '--',
      ...below.map((name) => `:(top,literal)${name}`),
    ])
    return out.length > 0
  } catch (error) {
    if (error instanceof ProblemError) return true
    throw error
  }
}

/** What `moveOldState` moves or removes. */
const oldPlaces = (from: string): string[] =>
  [...oldStateNames, 'displaced', 'running'].map((name) => path.join(from, name))

/**
 * The first of these, or in them, that is neither a directory nor a regular file. clada makes none. Through one that somebody
 * brought, files elsewhere would be moved here, or removed with old contents.
 */
function findLinkIn(places: readonly string[]): string | undefined {
  const left = [...places]
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    const stat = readStats(file)
    if (stat === undefined || stat.isFile()) continue
    if (!stat.isDirectory()) return file
    for (const name of fs.readdirSync(file)) left.push(path.join(file, name))
  }
  return undefined
}

/** @throws SettingsError */
function refuseLinkIn(places: readonly string[]): void {
  const link = findLinkIn(places)
  if (link !== undefined)
    throw new SettingsError(
      `'${link}' is a link or a special file, so this history is not one that clada wrote. Remove it first.`,
    )
}

function moveOldState(from: string, root: string, stateDir: string): string[] {
  for (const name of oldStateNames) if (name !== historyName) moveInto(path.join(from, name), path.join(stateDir, name))
  settleDisplaced(path.join(from, 'displaced'), path.join(stateDir, 'conflicts'))
  const history = path.join(from, historyName)
  const fresh = path.join(stateDir, `${historyName}.new`)
  fs.rmSync(fresh, { recursive: true, force: true })
  const isWhole = (mark: string, json: Buffer): boolean => mark === digestOf(json)
  const unreadable = signedCopy(history, fresh, signerOf(stateDir), isWhole)
  for (const number of unreadable) moveInto(dirOf(history, number), dirOf(path.join(stateDir, 'unreadable'), number))
  if (fs.existsSync(fresh)) renameFile(fresh, path.join(stateDir, historyName))
  syncFileNow(stateDir)
  fs.rmSync(history, { recursive: true, force: true })
  fs.rmSync(path.join(from, 'running'), { recursive: true, force: true })
  forgetOldState(root)
  const moved = `the history of this project was moved from '${from}' to '${stateDir}', where no clone can bring one`
  if (unreadable.length === 0) return [moved]
  const [first, last] = [unreadable[0], unreadable.at(-1)]
  const which = first === last ? `Execution ${first} was` : `Executions ${first} to ${last} were`
  return [
    `${moved}. ${which} written in a form that is not read any more, and kept in '${path.join(stateDir, 'unreadable')}'`,
  ]
}

/** Of the files that were replaced those are kept that somebody has written into since. */
function settleDisplaced(from: string, conflicts: string): void {
  for (const name of fs.existsSync(from) ? fs.readdirSync(from) : [])
    if (readDisplaced(path.join(from, name))?.isSame === false)
      moveInto(path.join(from, name), path.join(conflicts, name))
  fs.rmSync(from, { recursive: true, force: true })
}

/** Signs the logs of all executions, in order. Returns the numbers of those that have no entry to sign. */
function signedCopy(
  from: string,
  to: string,
  signer: Signer,
  isWhole: (mark: string, json: Buffer) => boolean,
): number[] {
  const unreadable: number[] = []
  let previous = ''
  for (const number of numbersIn(from)) {
    fs.mkdirSync(dirOf(to, number), { recursive: true, mode: 0o700 })
    const [log, copy] = [from, to].map((history) => path.join(dirOf(history, number), journalFile))
    const mac = copySigned(log ?? '', copy ?? '', signer, { previous, isWhole })
    if (mac === undefined) {
      fs.rmdirSync(dirOf(to, number))
      unreadable.push(number)
    } else previous = mac
  }
  return unreadable
}

/** Also to another file system, and into a directory that is there. */
function moveInto(from: string, to: string): void {
  const stat = fs.lstatSync(from, { throwIfNoEntry: false })
  // A link is none of ours.
  if (stat === undefined || !(stat.isDirectory() || stat.isFile())) return
  fs.mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 })
  if (stat.isDirectory() && fs.existsSync(to)) {
    for (const name of fs.readdirSync(from)) moveInto(path.join(from, name), path.join(to, name))
    fs.rmSync(from, { recursive: true, force: true })
    return
  }
  try {
    renameFile(from, to)
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error
    fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
    fs.rmSync(from, { recursive: true, force: true })
  }
}

/** What `clada trust --history` did. */
export type AdoptionResult =
  | { readonly state: 'adopted'; readonly notes: readonly string[] }
  | { readonly state: 'counts already' | 'nothing to adopt' }

/** Signs a history that is not ours, and makes it the one of this project. What counted until now can be adopted in turn. */
export async function adoptHistory(root: string, settings: HistorySettings): Promise<AdoptionResult> {
  const release = await lockProject(settings, root)
  try {
    const old = oldStateDir(root)
    if (old !== undefined) {
      refuseLinkIn(oldPlaces(old))
      const own = findState(root)
      if (own !== undefined && numbersIn(path.join(own, historyName)).length > 0) await setAside(own, root)
      return { state: 'adopted', notes: moveOldState(old, root, makeState(root).dir) }
    }
    const [foreign] = foreignStates(root)
    const own = findState(root)
    if (foreign === undefined) return { state: own === undefined ? 'nothing to adopt' : 'counts already' }
    refuseLinkIn([foreign])
    signAnew(foreign, signerFor(root))
    if (own !== undefined) await setAside(own, root)
    await moveKept(root, foreign, adoptState(foreign, root))
    return { state: 'adopted', notes: [] }
  } finally {
    release()
  }
}

/** What counted until now can be adopted in turn. */
const setAside = (own: string, root: string): Promise<void> => moveKept(root, own, setStateAside(own))

function signAnew(foreign: string, signer: Signer): void {
  const history = path.join(foreign, historyName)
  const fresh = `${history}.new`
  fs.rmSync(fresh, { recursive: true, force: true })
  const unreadable = signedCopy(history, fresh, signer, () => true)
  for (const number of unreadable) moveInto(dirOf(history, number), dirOf(path.join(foreign, 'unreadable'), number))
  // Brought by somebody else, it must not name directories that are swept.
  fs.rmSync(path.join(foreign, 'running'), { recursive: true, force: true })
  fs.rmSync(history, { recursive: true, force: true })
  if (fs.existsSync(fresh)) renameFile(fresh, history)
}

const historyName = 'history'
