import { plainReason } from '../core/os-words.ts'
import fs from 'node:fs'
import path from 'node:path'
import { ProblemError } from '../core/problem.ts'
import { takeLock } from '../store/lock.ts'
import { makePrivateDir, rootName, userStateDir } from '../state/user-state.ts'
import { makeProjectFiles } from '../state/project-files.ts'
import { Scratch } from '../workspace/scratch.ts'
import { putFile, sweepNewFiles } from '../state/own-files.ts'
import { excludeFromGit } from '../git/exclude-file.ts'
import { isTrackedByGit } from '../process/tracked-files.ts'
import { registerWatched } from '../state/watched-files.ts'
import type { ReplyMark } from './replies.ts'
import type { Fate, KnownFates } from './units.ts'
import { isInside } from '../core/paths.ts'
import { shellWord } from '../report/words.ts'

/** Why a file cannot be watched. */
export class ListenerError extends Error {
  override readonly name = 'ListenerError'
  readonly code: 'INVALID' | 'NOT_A_FILE' | 'ALREADY_WATCHING' | 'NOT_REGISTERED'

  constructor(code: ListenerError['code'], message: string) {
    super(`listener: ${message}`)
    this.code = code
  }
}

/** The files a listener works with, theirs and ours. */
export interface ListenerFiles {
  readonly file: string
  readonly created: boolean
  /** The rules of git that the new file was added to. */
  readonly excluded: string | undefined
  readonly output: OutputFile
  readonly ledger: Ledger
  readonly scratch: Scratch
  /** Lets another listener have the file. */
  release(): void
}

/** @throws ListenerError */
export async function takePlace(
  { root, allowedRoots }: { readonly root: string; readonly allowedRoots: readonly string[] },
  given: string,
  outputFile = inStateDir,
): Promise<ListenerFiles> {
  const file = realPlace(given, [root, ...allowedRoots])
  if (isTrackedByGit(file)) throw new ListenerError('INVALID', trackedReason(file))
  const scratch = new Scratch(root)
  const ledger = new Ledger(placeForNotes(root, scratch), root, file)
  const unlock = await lockFor(ledger.lock, file)
  let unregister: (() => void) | undefined
  const release = (): void => {
    unregister?.()
    unlock()
  }
  try {
    unregister = registerOrRefuse(file)
    scratch.sweep()
    sweepNewFiles(path.dirname(ledger.lock))
    const created = !fs.existsSync(file)
    if (created) fs.writeFileSync(file, explanation, { flag: 'wx' })
    const excluded = created ? excludeFromGit(file) : undefined
    const output = createOutput(
      outputFile === inStateDir ? path.join(makeProjectFiles(root), 'output.md') : path.resolve(root, outputFile),
      [root, ...allowedRoots],
    )
    return { file, created, excluded, output, ledger, scratch, release }
  } catch (error) {
    release()
    throw error
  }
}

/** A checkout or a pull would bring blocks into it, which would run. */
export const trackedReason = (file: string): string =>
  `'${file}' is tracked by git, so a checkout or pull could bring blocks that run. List it in .gitignore, and take it out of git: git rm --cached ${shellWord(file)}`

/** Other runs of this user must not write what this one runs: without that it does not start. @throws ListenerError */
function registerOrRefuse(file: string): () => void {
  try {
    return registerWatched(file)
  } catch (error) {
    throw new ListenerError(
      'NOT_REGISTERED',
      `'${file}' cannot be kept from other runs of clada: ${plainReason(error)}. Set XDG_STATE_HOME to a directory that can be written to.`,
    )
  }
}

/** Where that cannot be written to, it is with the state of the project. */
const inStateDir = '.clada/output.md'

/** The user's own directory where that can be, else with the state of the project. */
function placeForNotes(root: string, scratch: Scratch): string {
  const own = userStateDir(root)
  if (own === undefined) return path.join(scratch.stateDir(), 'watch')
  const dir = path.join(own, 'watch')
  try {
    makePrivateDir(dir)
    fs.accessSync(dir, fs.constants.W_OK)
    return dir
  } catch {
    return path.join(scratch.stateDir(), 'watch')
  }
}

const explanation = `Paste the whole reply of a model below this line and save. clada runs the
blocks in it and writes the results at the top. Blocks that already ran do not
run again, so new replies can go below old ones. A line /undo, /redo, /diff or
/history, saved by itself, does what it says. Nothing runs in a file that git tracks.

`

/** The user may name a link; but one that a project brought along must not lead out of it. */
function realPlace(given: string, roots: readonly string[]): string {
  const file = path.resolve(given)
  // With a trailing slash, only a directory exists.
  const dir = fs.existsSync(`${path.dirname(file)}/`) ? fs.realpathSync(path.dirname(file)) : undefined
  if (dir === undefined) throw new ListenerError('NOT_A_FILE', `the directory of '${given}' does not exist`)
  const there = fs.lstatSync(file, { throwIfNoEntry: false })
  if (there === undefined) return path.join(dir, path.basename(file))
  if (there.isSymbolicLink()) {
    const target = fs.existsSync(file) ? fs.realpathSync(file) : undefined
    const inside = roots.some((root) => target?.startsWith(root + path.sep))
    if (target === undefined || !inside || !fs.statSync(target).isFile())
      throw new ListenerError('NOT_A_FILE', `'${given}' is a symbolic link that does not lead to a file of the project`)
    return target
  }
  if (!there.isFile()) {
    const what = there.isDirectory() ? 'a directory' : 'not a regular file'
    throw new ListenerError('NOT_A_FILE', `'${given}' is ${what}. Name a file to watch: clada watch FILE`)
  }
  return path.join(dir, path.basename(file))
}

function createOutput(file: string, roots: readonly string[]): OutputFile {
  try {
    return outputFileAt(file, roots)
  } catch (error) {
    const why = plainReason(error)
    throw new ListenerError('NOT_A_FILE', `the output cannot be '${file}': ${why}`)
  }
}

async function lockFor(lock: string, file: string): Promise<() => void> {
  try {
    return await takeLock(lock, 0)
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.kind !== 'locked') throw error
    const { holder } = error.problem
    const who =
      holder === undefined ? 'another process' : `${holder.command} (process ${holder.pid}, since ${holder.since})`
    throw new ListenerError(
      'ALREADY_WATCHING',
      `'${file}' is already watched by ${who}. End it first, or watch another file.`,
    )
  }
}

/** What is remembered of a watched file from one start to the next. */
export interface Memory {
  readonly known: KnownFates
  /** Units that are running. Set at a start, they were interrupted. */
  readonly running: readonly string[]
  /** The replies of the version that was considered last, from top to bottom. */
  readonly replies: readonly ReplyMark[]
}

interface SavedLedger {
  readonly project: string
  readonly known: [string, Fate][]
  readonly running: string[]
  readonly replies: ReplyMark[]
}

/**
 * One file for each watched file, in a directory that no project can write to: a repository must not be able to say
 * that its own input file has been looked at.
 */
class Ledger {
  readonly #file: string
  /** The project directory. Another one that was made at the same path later has not been watched. */
  readonly #project: string
  /** Where a lock for the same file may be. */
  readonly lock: string

  constructor(dir: string, root: string, watched: string) {
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
    const name = rootName(`${root}\0${watched}`).slice(0, 32)
    this.#file = path.join(dir, `${name}.json`)
    const { ino, birthtimeNs } = fs.statSync(root, { bigint: true })
    this.#project = `${ino} ${birthtimeNs}`
    this.lock = path.join(dir, `${rootName(watched).slice(0, 32)}.lock`)
  }

  /** Undefined when this file was never watched. */
  read(): Memory | undefined {
    try {
      const {
        project,
        known,
        running,
        replies = [],
      }: Partial<SavedLedger> & Pick<SavedLedger, 'known' | 'running'> = JSON.parse(fs.readFileSync(this.#file, 'utf8'))
      return project === this.#project ? { known: new Map(known), running, replies } : undefined
    } catch {
      return undefined
    }
  }

  write({ known, running, replies }: Memory): void {
    putFile(this.#file, JSON.stringify({ project: this.#project, known: [...known], running, replies }))
  }
}

/** The file that whole reports go to, one in place of the other. */
export interface OutputFile {
  readonly path: string
  /** @throws Error with a reason that follows the name of the file. */
  write(report: string): void
}

/**
 * A project can contain links, and code can create them: inside the roots none is followed. Paths elsewhere were named
 * by the user, links included. A file that is not a report is never replaced.
 * @throws Error with a reason that follows the name of the file
 */
function outputFileAt(given: string, roots: readonly string[]): OutputFile {
  const named = path.dirname(given)
  if (roots.some((root) => isInside(named, root)) && hasLink(named)) throw new Error(linked)
  fs.mkdirSync(named, { recursive: true })
  const dir = fs.realpathSync(named)
  const file = path.join(dir, path.basename(given))
  checkIsOurs(file)
  return {
    path: file,
    write: (report) => {
      if (hasLink(dir)) throw new Error(linked)
      checkIsOurs(file)
      putFile(file, report)
    },
  }
}

const linked = 'its path contains a symbolic link'

/** Parts that do not exist yet are no links. */
function hasLink(dir: string): boolean {
  const there = fs.lstatSync(dir, { throwIfNoEntry: false })
  if (there === undefined) return hasLink(path.dirname(dir))
  return there.isSymbolicLink() || fs.realpathSync(dir) !== dir
}

function checkIsOurs(file: string): void {
  const there = fs.lstatSync(file, { throwIfNoEntry: false })
  if (there === undefined) return
  if (!there.isFile()) throw new Error('it is not a regular file')
  if (there.size > 0 && !beginOf(file).equals(reportBegins))
    throw new Error('it exists and is not a report of clada, so it is not replaced. Move it, or choose another file')
}

function beginOf(file: string): Buffer {
  // On Windows some are missing, which counts as 0.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const bytes = Buffer.alloc(reportBegins.length)
    return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, 0))
  } finally {
    fs.closeSync(fd)
  }
}

/** So much of the first line is there even in a report that was cut short. */
const reportBegins = Buffer.from('=== CLADA')
