import type { CheckpointOptions, Checkpoints } from '../git/checkpoints.ts'
import { ProblemError } from '../core/problem.ts'
import type { Journal } from '../store/journal.ts'
import { makeState } from '../state/project-state.ts'
import { lockFileOf, lockProject } from '../store/lock.ts'
import { dirOf, type ExecutionRecord, type FurtherRoot } from '../store/record.ts'

/** A root besides the first in which this execution writes, with the repository that is there. */
export interface OpenFurther {
  readonly noted: FurtherRoot
  readonly gitDir: string | undefined
  readonly checkpoints: Checkpoints | undefined
  /** Its lock, which no other entry holds. */
  readonly lockFile: string | undefined
  release(): void
}

/** The execution that enters it. */
interface Entering {
  readonly history: string
  readonly number: number
  readonly journal: Journal
  readonly checkpoints: Checkpoints | undefined
  readonly further: OpenFurther[]
}

interface FurtherOptions extends Pick<CheckpointOptions, 'root' | 'allowedRoots' | 'settings' | 'isBlocked'> {
  readonly kind: ExecutionRecord['kind']
}

/**
 * Makes ready to write in a directory outside the project: if it is in another repository, its state before is saved, as
 * that of the first one was. The execution stays one, with one log; that repository gets a commit and a note.
 */
export async function enterFurther(
  open: Entering,
  { root, dir }: { readonly root: string; readonly dir: string },
  options: FurtherOptions,
  warn: (lines: readonly string[]) => void,
): Promise<void> {
  const { further, history, number, journal } = open
  const repository = options.settings.git === 'off' ? undefined : await openRepository(dir)
  const opened = [open.checkpoints?.gitDir, ...further.map(({ gitDir }) => gitDir)]
  if (repository === undefined || opened.includes(repository.gitDir)) {
    if (!further.some(({ noted }) => noted.root === root)) noteFurther(open, { noted: { root } })
    return
  }
  const top = repository.top ?? dir
  const taken = [lockFileOf(options.root), ...further.map(({ lockFile }) => lockFile)]
  const lockFile = options.settings.lockFile === null ? lockFileOf(top) : undefined
  const isFree = lockFile !== undefined && !taken.includes(lockFile)
  const release = isFree ? await lockProject(options.settings, top) : (): void => {}
  try {
    const state = makeState(top)
    warn(state.notes)
    const { openCheckpoints } = await import('../git/checkpoints.ts')
    const begun = await openCheckpoints({
      root: options.root,
      allowedRoots: options.allowedRoots,
      stateDir: state.dir,
      settings: options.settings,
      isBlocked: options.isBlocked,
      saves: options.kind === 'run' ? 'everything' : 'own changes',
      dir: dirOf(history, number),
      number,
      elsewhere: dir,
    }).catch(withoutGitAdvice)
    warn((begun?.warnings ?? []).map((line) => `${top}: ${line}`))
    const { gitDir } = repository
    noteFurther(open, { noted: { root, top }, gitDir, checkpoints: begun?.checkpoints, lockFile, release })
  } catch (error) {
    release()
    throw error
  }
  await journal.sync()
}

/** For the recovery after a crash, and for the end. */
function noteFurther(
  { further, journal }: Entering,
  { noted, ...one }: Pick<OpenFurther, 'noted'> & Partial<OpenFurther>,
): void {
  journal.note({ further: noted })
  further.push({ gitDir: undefined, checkpoints: undefined, lockFile: undefined, release: () => {}, ...one, noted })
}

async function openRepository(dir: string) {
  const { nearestRepository } = await import('../git/find-repository.ts')
  return nearestRepository(dir)
}

export function closeFurther(further: readonly OpenFurther[]): void {
  for (const { checkpoints, release } of further) {
    checkpoints?.close()
    release()
  }
}

/** Adds the way to run without git. */
export function withoutGitAdvice(error: unknown): never {
  if (!(error instanceof ProblemError) || error.problem.kind !== 'git') throw error
  const { advice = 'Fix the problem above.' } = error.problem
  throw new ProblemError({ ...error.problem, advice: `${advice} Or run with --no-git.` })
}
