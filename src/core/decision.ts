import type { Writer } from './effects.ts'
import type { Advice, PathRule } from './problem.ts'

/** What the policy says about a path. */
export type PathDecision =
  | {
      readonly verdict: 'allow'
      /** The directory to walk from. */
      readonly root: string
      /** The components below it. */
      readonly parts: readonly string[]
    }
  | { readonly verdict: 'deny'; readonly rule: PathRule; readonly reason: string; readonly advice?: Advice }

export type Access = 'read' | 'write' | 'list'

/** What the workspace asks the policy. */
export interface PathJudge {
  path(given: string, absolute: string, access: Access): PathDecision
  /** Whether the content of a file below the project is closed. For searches, which see many files. */
  closedBelow(relative: string): boolean
  /** The same for a file in any root. */
  closed(absolute: string): boolean
  /** Whether what a program made of a path may stay. Odd names are as they were found. */
  written(absolute: string, by: Writer): PathDecision
}
