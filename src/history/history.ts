import path from 'node:path'
import fs from 'node:fs'
import { fingerprintOf } from '../core/hash.ts'
import { isOsError } from '../core/os-error.ts'
import { Stop } from '../core/problem.ts'
import type { SeenChanges, Inspect, Inspected, PathChange, Recorder } from '../core/recorder.ts'
import type { ActionResult } from '../core/result.ts'
import type { HistorySettings } from '../core/settings.ts'
import type { Checkpoints } from './checkpoints.ts'
import { Journal } from './journal.ts'
import { takeLock } from './lock.ts'
import { ownDir, putFile, readOwn } from '../state/own-files.ts'
import { ownOwner } from '../state/owner.ts'
import {
  type ActionRecord,
  dirOf,
  type ExecutionRecord,
  numbersIn,
  pendingFile,
  recordFile,
  roomDir,
  sweepRooms,
} from './record.ts'
import type { Snapshot } from './snapshot.ts'
import { summaryOf, targetOf } from './summary.ts'

/** What an execution is, for its record. */
export interface HistoryOptions {
  readonly root: string
  readonly settings: HistorySettings
  readonly kind: ExecutionRecord['kind']
  /** What an undo or redo turns out to be; known once it has begun. */
  readonly about?: () => About
  /** Directories besides the root that actions may write to. */
  readonly allowedRoots: readonly string[]
  /** Whether a path must stay out of every commit. Paths are relative to the root. */
  readonly closed: (relative: string) => boolean
  readonly inspect: Inspect
}

export interface About {
  /** Taking back an undo is a redo. */
  readonly kind?: ExecutionRecord['kind']
  readonly of?: number
  readonly ofActions?: readonly number[]
}

/** How an execution ended, for whoever reports it. */
export interface Ended {
  readonly record?: ExecutionRecord
  readonly commit?: string
  readonly warnings: readonly string[]
  readonly failure?: Stop
}

/**
 * One execution's history: nothing at all until its first change, then the lock, the checkpoint and the journal, and
 * at the end the record. Reads never come here.
 */
export class History implements Recorder {
  acting = 0
  /** What is to be told besides the results. */
  readonly warnings: string[] = []
  readonly #options: HistoryOptions
  readonly #blocks = new Map<number, string>()
  #left: ReadonlySet<string> = new Set()
  #beginning: Promise<void> | undefined
  #open: Open | undefined
  #explanations: string[] = []
  #snapshot: Snapshot | undefined
  #programs = 0

  constructor(options: HistoryOptions) {
    this.#options = options
  }

  begin(stateDir: string): Promise<void> {
    this.#beginning ??= this.#begin(stateDir).catch((error: unknown) => {
      // A full disk or a lost right is the action's to report, like any other.
      if (!isOsError(error)) throw error
      throw new Stop({ kind: 'os', code: error.code, op: 'write', path: stateDir, message: error.message })
    })
    return this.#beginning
  }

  change(changes: readonly PathChange[], act: () => void): void {
    if (this.#open === undefined) throw new Error('a change before the beginning')
    this.#open.journal.change(changes, act)
  }

  reverted(absolute: string): void {
    this.#open?.journal.reverted(absolute)
  }

  namesOf(file: { readonly dev: number; readonly ino: number }): number {
    return this.#open?.journal.namesOf(file) ?? 0
  }

  /** A line for whoever finds the journal without an end. */
  note(line: object): void {
    this.#open?.journal.note(line)
  }

  async beforeProgram(): Promise<void> {
    if (this.#open === undefined) return
    const { stateDir, history, number } = this.#open
    const { root, settings, closed } = this.#options
    this.#snapshot?.room.close()
    const dir = path.join(dirOf(history, number), roomDir, `snapshot-${this.#programs++}`)
    try {
      const { takeSnapshot } = await import('./snapshot.ts')
      this.#snapshot = await takeSnapshot({ root, stateDir, settings, closed, dir })
      this.#open.journal.noteNow({ program: this.acting, tree: this.#snapshot.tree })
    } catch (error) {
      if (!(error instanceof Stop)) throw error
      this.#snapshot = undefined
      this.#open.journal.noteNow({ program: this.acting })
      this.warnings.push('git cannot save the project before a program runs, so what it changes cannot be undone')
    }
  }

  async changedByProgram(absolutes: readonly string[], seen?: SeenChanges): Promise<ReadonlyMap<string, Inspected>> {
    if (this.#open === undefined) return new Map()
    const { noteProgram } = await import('./programs.ts')
    const { root } = this.#options
    const { states, warnings } = await noteProgram(absolutes, seen, {
      root,
      action: this.acting,
      journal: this.#open.journal,
      snapshot: this.#snapshot,
    })
    this.warnings.push(...warnings)
    return states
  }

  /** An action begins. */
  act(seq: number, raw: string, explanation?: string): void {
    this.acting = seq
    // What a user calls by hand is no block.
    if (raw !== '') this.#blocks.set(seq, fingerprintOf(Buffer.from(raw)))
    if (explanation !== undefined) this.#explanations.push(explanation)
  }

  /** An action is over: known to whoever finds this journal without an end. */
  acted({ seq, action, params, success }: ActionResult): void {
    const block = this.#blocks.get(seq)
    this.#open?.journal.note({ done: seq, action, target: targetOf(params), success, ...(block && { block }) })
  }

  /** The action of this very execution that took a text out of a file. */
  lostBy(absolute: string, text: string): { action: number } | undefined {
    const action = this.#open?.journal.lostBy(absolute, text.replaceAll('\r\n', '\n'))
    return action === undefined ? undefined : { action }
  }

  /** Absolute paths that actions of this execution have changed, as far as it has come. */
  changed(): string[] {
    return this.#open?.journal.changedByActions() ?? []
  }

  /** Tells a document from another. */
  get document(): string | undefined {
    return this.#blocks.size === 0 ? undefined : fingerprintOf(Buffer.from([...this.#blocks.values()].join()))
  }

  /** Whether anything was to be changed. */
  get begun(): boolean {
    return this.#beginning !== undefined
  }

  /** These paths are not committed: the user has something to settle in them. */
  leave(paths: readonly string[]): void {
    this.#left = new Set(paths)
  }

  async end(results: readonly ActionResult[]): Promise<Ended> {
    await this.#beginning?.catch(() => {})
    if (this.#open === undefined) return { warnings: this.warnings }
    const { history, number, journal, checkpoints, release } = this.#open
    this.#open = undefined
    try {
      const record = this.#closing(journal, () => this.#record(number, journal, results))
      // An undo that found everything as it was before has still happened.
      if (record.paths.length === 0 && record.of === undefined) {
        fs.rmSync(dirOf(history, number), { recursive: true, force: true })
        return { warnings: this.warnings }
      }
      const file = path.join(dirOf(history, number), recordFile)
      putFile(file, JSON.stringify(record))
      if (checkpoints === undefined) return { record, warnings: this.warnings }
      return await this.#checkpoint(checkpoints, record, file)
    } finally {
      checkpoints?.close()
      if (this.#programs > 0) fs.rmSync(path.join(dirOf(history, number), roomDir), { recursive: true, force: true })
      release()
    }
  }

  #closing<T>(journal: Journal, work: () => T): T {
    try {
      return work()
    } finally {
      journal.close()
    }
  }

  async #begin(stateDir: string): Promise<void> {
    const { root, settings, kind } = this.#options
    const history = ownDir(stateDir, 'history')
    const release = await takeLock(settings.lockFile ?? path.join(stateDir, 'lock'), settings.lockMs)
    try {
      if (readOwn(path.join(stateDir, 'back.json')) !== undefined)
        throw new Stop({
          kind: 'git',
          reason: 'the project is at an older commit since clada back',
          advice: 'Go to the newest one with clada forward first.',
        })
      sweepRooms(stateDir)
      const number = (await this.#tidy(history)) + 1
      const journal = new Journal(history, number, root, { execution: number, kind, ...ownOwner() })
      try {
        const checkpoints = await this.#checkpoints(stateDir, history, number, journal)
        this.#open = { stateDir, history, number, journal, checkpoints, release }
      } catch (error) {
        journal.close()
        fs.rmSync(dirOf(history, number), { recursive: true, force: true })
        throw error
      }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Writes down what died, forgets what is very old, and answers with the last number. */
  async #tidy(history: string): Promise<number> {
    const { root, inspect } = this.#options
    const numbers = numbersIn(history)
    const last = numbers.at(-1)
    if (last === undefined) return 0
    const there = (name: string): boolean => fs.existsSync(path.join(dirOf(history, last), name))
    if (!there(recordFile) || there(pendingFile) || there(roomDir)) {
      const { recover } = await import('./recover.ts')
      const { settings, closed } = this.#options
      const place = { root, stateDir: path.dirname(history), settings, closed }
      this.warnings.push(...(await recover(history, last, place, inspect)))
    }
    for (const old of numbers.slice(0, -keptExecutions))
      fs.rmSync(dirOf(history, old), { recursive: true, force: true })
    return last
  }

  async #checkpoints(
    stateDir: string,
    history: string,
    number: number,
    journal: Journal,
  ): Promise<Checkpoints | undefined> {
    const { root, allowedRoots, settings, closed, kind } = this.#options
    if (settings.git === 'off') return undefined
    const { openCheckpoints } = await import('./checkpoints.ts')
    const checkpoints = await openCheckpoints({
      root,
      allowedRoots,
      stateDir,
      settings,
      closed,
      saves: kind === 'run' ? 'everything' : 'own changes',
      dir: dirOf(history, number),
      number,
    })
    if (checkpoints === undefined) return undefined
    this.warnings.push(...(await checkpoints.before()))
    journal.noteNow({ mode: checkpoints.mode })
    return checkpoints
  }

  async #checkpoint(checkpoints: Checkpoints, record: ExecutionRecord, file: string): Promise<Ended> {
    const { inspect } = this.#options
    const saved = await checkpoints.after(record, this.#explanations, inspect, this.#left).catch(asGitStop)
    if (saved instanceof Stop) return { record, warnings: this.warnings, failure: saved }
    const { commits, warnings } = saved
    const whole: ExecutionRecord = { ...record, mode: checkpoints.mode, commits }
    putFile(file, JSON.stringify(whole))
    const commit = checkpoints.mode === 'commit' ? commits.after : undefined
    return { record: whole, warnings: [...this.warnings, ...warnings], ...(commit === undefined ? {} : { commit }) }
  }

  #record(number: number, journal: Journal, results: readonly ActionResult[]): ExecutionRecord {
    const { about, inspect } = this.#options
    const { kind = this.#options.kind, of, ofActions } = about?.() ?? {}
    const actions = results.map((result) => this.#action(result))
    const { document } = this
    const paths = journal.finish((absolute) => seenBy(inspect, absolute))
    return {
      version: 1,
      number,
      time: new Date().toISOString(),
      kind,
      ...(of === undefined ? {} : { of }),
      ...(ofActions === undefined ? {} : { ofActions }),
      ended: 'whole',
      mode: 'off',
      summary: summaryOf({ kind, of, ofActions, paths, explanations: this.#explanations }),
      ...(document === undefined ? {} : { document }),
      actions,
      paths,
    }
  }

  #action({ seq, action, params, success, error, details }: ActionResult): ActionRecord {
    const block = this.#blocks.get(seq)
    const [line] = error?.split('\n') ?? []
    return {
      seq,
      action,
      target: targetOf(params),
      success,
      ...(block === undefined ? {} : { block }),
      ...(details?.already_done === undefined ? {} : { already: details.already_done }),
      ...(line === undefined ? {} : { error: line.slice(0, 200) }),
    }
  }
}

/** Whatever keeps the repository from being written, git or the disk, is told as one thing: the commit is missing. */
function asGitStop(error: unknown): Stop {
  if (error instanceof Stop) return error
  if (!isOsError(error)) throw error
  return new Stop({ kind: 'git', reason: error.message })
}

/** A place that cannot be looked at any more, behind a link that came since, costs nobody the record. */
function seenBy(inspect: Inspect, absolute: string): Inspected {
  try {
    return inspect(absolute)
  } catch (error) {
    if (error instanceof Stop) return { type: 'other' }
    throw error
  }
}

interface Open {
  readonly stateDir: string
  readonly history: string
  readonly number: number
  readonly journal: Journal
  readonly checkpoints: Checkpoints | undefined
  readonly release: () => void
}

/** Older ones are forgotten, and can then no longer be undone. */
const keptExecutions = 1000
