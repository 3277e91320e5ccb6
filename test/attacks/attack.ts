import fs from 'node:fs'
import path from 'node:path'
import { scenarios } from './scenarios.ts'
import type { Grant } from '../../packages/clada/src/approvals/approvals.ts'

/**
 * An attack as data. `refused`: an error and no effect. `contained`: it may run, but reaches nothing and tells nothing.
 * `warned`: it may succeed, but the report warns about the file.
 */
export interface Attack {
  readonly id: string
  readonly kind: 'path' | 'run' | 'approve' | 'action' | 'plant'
  readonly description: string
  readonly expected: 'refused' | 'contained' | 'warned'
  readonly why: string
  readonly op?: 'read' | 'write'
  readonly path?: string
  readonly data?: string
  readonly command?: string
  readonly cwd?: string
  /** Commands that the user approved, and the shell lines that prepare the project before. */
  readonly approved?: readonly string[]
  readonly before?: string
  /** What the approvals give beyond the command itself. */
  readonly grant?: Grant
  /** Shell lines that prepare the project. */
  readonly setup?: string
  /** A home directory of its own, in which `before` puts bait. */
  readonly home?: true
  /** The clada that runs is a dependency of the project. */
  readonly installed?: true
  /** The document is only looked at. */
  readonly preview?: true
  /** Whatever it changes must be named in the report, and be as it was after `clada undo`. */
  readonly reported?: boolean
  readonly action?: { readonly type: string; readonly [field: string]: unknown }
  /** The reply itself, in place of one that is made from `action`. */
  readonly reply?: string
  /** Options of the command line. */
  readonly options?: readonly string[]
  /** clada commits, so git's own data changes; nothing else in the repository may. */
  readonly commits?: true | undefined
  /** Shell lines of the user during the attack, such as a watcher, which is ready when it has printed something. */
  readonly during?: string
  /** Shell lines of the user afterwards; what they start counts as an effect. `clada` is the program. */
  readonly afterwards?: string
}

/** Whether only the command line can carry it out. */
export const needsCommandLine = ({ options, commits, during, afterwards, installed }: Attack): boolean =>
  [options, commits, during, afterwards, installed].some((one) => one !== undefined)

const read = (name: string): Attack[] => {
  const text = fs.readFileSync(path.join(import.meta.dirname, name), 'utf8')
  return (JSON.parse(text) as { attacks: Attack[] }).attacks
}

/** Those that came with the contract, and our own. */
export const attacks: readonly Attack[] = [
  ...read('attacks.json'),
  ...read('more-attacks.json'),
  ...read('approval-attacks.json'),
  ...read('wide-attacks.json'),
  ...read('attacks-2.json'),
  ...read('siblings.json'),
  ...read('limits-attacks.json'),
  ...scenarios,
]
