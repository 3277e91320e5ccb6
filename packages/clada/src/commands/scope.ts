import path from 'node:path'
import { withSlashes } from '../core/paths.ts'
import type { Ask, CommandSettings } from '../core/commands.ts'
import type { Files, PathArg, Pathed } from '../core/files.ts'
import { ProblemError } from '../core/problem.ts'
import type { Settings } from '../core/settings.ts'
import type { Argument } from '../policy/commands/rule.ts'

/** What one action has to go by when it starts a program. */
export interface CommandScope {
  readonly settings: Settings
  readonly commands: CommandSettings
  readonly files: Files
  /**
   * `staged`: programs work on layers only, so that their changes land with the rest or not at all. `show`: nothing is
   * run. `tried`: nothing lands, and programs that can do no harm on layers are run to see what they change.
   */
  readonly effect: 'land' | 'staged' | 'tried' | 'show'
  readonly ask: Ask | undefined
  readonly signal: AbortSignal | undefined
  readonly onOutput: ((chunk: Buffer) => void) | undefined
  /** What the block that asks could say instead. */
  readonly coverage?: 'all actions' | 'own operations'
}

/** A directory that was checked, and a path to it that no swapped link can lead elsewhere. */
export interface CheckedDirectory {
  readonly absolute: string
  readonly safePath: string
  /** Below the root; empty for the root itself. */
  readonly relative: string
}

/** Commands of the list are quick, or not for here. */
export const listedCommandMs = 5000

export const rootArg = (root: string): PathArg => ({ given: '.', absolute: root })

/** @throws ProblemError when the directory is not there or may not be used. */
export async function checkDirectory(
  dir: PathArg,
  effect: 'looks',
  { files, settings }: CommandScope,
): Promise<CheckedDirectory> {
  try {
    const { cwd, absolute } = await files.outside(dir, effect)
    return { absolute, safePath: cwd, relative: withSlashes(path.relative(settings.root, absolute)) }
  } catch (error) {
    if (error instanceof ProblemError && error.problem.kind === 'os' && /^(ENOENT|ENOTDIR)$/.test(error.problem.code)) {
      throw new ProblemError({ kind: 'cwd-missing', path: dir.given })
    }
    throw error
  }
}

/** An operand that is a path, with what is there. */
export interface PathOperand extends PathArg {
  readonly found: Pathed | undefined
}

/**
 * Checks a path operand like the path of an action.
 *
 * @throws ProblemError
 */
export async function checkOperand(
  { text, as }: Argument,
  cwd: string,
  { files }: Pick<CommandScope, 'files'>,
): Promise<PathOperand> {
  const arg: PathArg = { given: text, absolute: path.resolve(cwd, text) }
  const found = await files.look(arg, as === 'content' ? 'read' : 'list')
  if (found?.type === 'symlink') throw linkOperandError(text)
  if (found?.type === 'other')
    throw new ProblemError({ kind: 'not-regular', path: text, type: 'special file', op: 'open' })
  return { ...arg, found }
}

export const linkOperandError = (given: string): ProblemError =>
  new ProblemError({
    kind: 'path',
    rule: 'symlink_not_allowed',
    path: given,
    reason: 'it is a symbolic link',
    advice: 'Use the path of the real file.',
  })
