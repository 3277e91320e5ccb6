import fs from 'node:fs'
import path from 'node:path'
import { Stop } from '../core/problem.ts'
import type { Inspect } from '../core/recorder.ts'
import type { HistorySettings } from '../core/settings.ts'
import { ownDir } from '../state/own-files.ts'
import { ownOwner } from '../state/owner.ts'
import { readBack } from '../git/back-state.ts'
import type { Checkpoints } from '../git/checkpoints.ts'
import { Journal } from '../journal/journal.ts'
import { lockExecutions } from '../journal/lock.ts'
import {
  dirOf,
  type ExecutionRecord,
  isHalfMade,
  numbersIn,
  pendingFile,
  recordFile,
  isolatedDir,
  sweepIsolated,
} from '../journal/record.ts'

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
  /** It came to an end in the middle, and could not be taken back whole. */
  readonly ended?: 'interrupted'
}

/** An execution that has begun. */
export interface Open {
  readonly stateDir: string
  readonly history: string
  readonly number: number
  readonly journal: Journal
  readonly checkpoints: Checkpoints | undefined
  readonly release: () => void
}

/**
 * Begins an execution: the lock, what earlier ones have left, its journal, the state before it. Or nothing is begun;
 * what was found to be told on the way counts all the same.
 */
export async function openExecution(
  stateDir: string,
  options: HistoryOptions,
  tell: (lines: readonly string[]) => void,
): Promise<Open> {
  const { root, settings, kind } = options
  const history = ownDir(stateDir, 'history')
  const release = await lockExecutions(settings, stateDir)
  try {
    refuseWhileBack(stateDir)
    sweepIsolated(stateDir)
    const number = (await lastTidied(history, options, tell)) + 1
    let journal: Journal | undefined
    try {
      journal = new Journal(history, number, root, { execution: number, kind, ...ownOwner() })
      const place = { stateDir, history, number, journal, release }
      return { ...place, checkpoints: await openedCheckpoints(place, options, tell).catch(withWayOut) }
    } catch (error) {
      journal?.close()
      fs.rmSync(dirOf(history, number), { recursive: true, force: true })
      throw error
    }
  } catch (error) {
    release()
    throw error
  }
}

/** Where git cannot save anything, an execution may still do without. */
function withWayOut(error: unknown): never {
  if (!(error instanceof Stop) || error.problem.kind !== 'git') throw error
  const { advice = 'Put it right.' } = error.problem
  throw new Stop({ ...error.problem, advice: `${advice} Or run with --no-git.` })
}

function refuseWhileBack(stateDir: string): void {
  if (readBack(stateDir) === undefined) return
  throw new Stop({
    kind: 'git',
    reason: 'the project went to an older commit with clada back and has not returned',
    advice: 'Go to the newest one with clada forward first.',
  })
}

/** Writes down what died, forgets what is very old, and answers with the last number. */
async function lastTidied(
  history: string,
  { root, settings, closed, inspect }: HistoryOptions,
  tell: (lines: readonly string[]) => void,
): Promise<number> {
  const numbers = numbersIn(history)
  const last = numbers.at(-1)
  if (last === undefined) return 0
  const names = fs.readdirSync(dirOf(history, last))
  const isLeft = (name: string): boolean => name === pendingFile || name === isolatedDir || isHalfMade(name)
  if (!names.includes(recordFile) || names.some(isLeft)) {
    const { recover } = await import('./recover.ts')
    const place = { root, stateDir: path.dirname(history), settings, closed }
    tell(await recover(history, last, place, inspect))
  }
  for (const old of numbers.slice(0, -keptExecutions)) fs.rmSync(dirOf(history, old), { recursive: true, force: true })
  return last
}

/** Older ones are forgotten, and can then no longer be undone. */
const keptExecutions = 1000

async function openedCheckpoints(
  { stateDir, history, number, journal }: Pick<Open, 'stateDir' | 'history' | 'number' | 'journal'>,
  { root, allowedRoots, settings, closed, kind }: HistoryOptions,
  tell: (lines: readonly string[]) => void,
): Promise<Checkpoints | undefined> {
  if (settings.git === 'off') return undefined
  const { openCheckpoints } = await import('../git/checkpoints.ts')
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
  tell(await checkpoints.before())
  journal.noteNow({ mode: checkpoints.mode })
  return checkpoints
}
