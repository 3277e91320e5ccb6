import type { Advice, PathRule } from './problem.ts'

/** One thing that a program did below the root, before it counts. Paths are relative to the root. */
export type Effect =
  | {
      readonly kind: 'file'
      readonly path: string
      readonly change: 'create' | 'modify'
      /** The new content, in a private place; it is moved from there. */
      readonly from: string
      readonly mode: number
    }
  | {
      readonly kind: 'link'
      readonly path: string
      readonly change: 'create' | 'modify'
      readonly target: string
    }
  /** Made, or given another mode. */
  | {
      readonly kind: 'directory'
      readonly path: string
      readonly change: 'create' | 'modify'
      readonly mode: number
    }
  | { readonly kind: 'gone'; readonly path: string; readonly type: 'directory' | 'other' }
  /** Same content, same mode, another time of the last change: builds go by it. */
  | { readonly kind: 'time'; readonly path: string; readonly mtime: Date }

/** Code of a model, or a command that the user approved: one that may do no more than code may, or one that may. */
export type WriterKind = 'code' | 'plain' | 'wide'

export interface NotKept {
  readonly path: string
  readonly reason: string
}

export interface Landed {
  readonly kept: readonly Effect[]
  readonly notKept: readonly NotKept[]
}

export interface ChangedFile {
  readonly path: string
  readonly change: 'create' | 'modify' | 'delete'
}

/** A path that an atomic group or a preview has otherwise than the disk. */
export interface Staged {
  readonly path: string
  readonly is: StagedState
}

export type StagedState =
  | { readonly type: 'absent' }
  | { readonly type: 'directory'; readonly mode: number }
  /** Without bytes it is blocked. */
  | { readonly type: 'file'; readonly mode: number; readonly bytes: Buffer | undefined }
  | { readonly type: 'link'; readonly target: string }

/** What the policy says about a path. */
export type PathDecision =
  | {
      readonly verdict: 'allow'
      /** The directory to walk from. */
      readonly root: string
      /** The components below it. */
      readonly parts: readonly string[]
      /** Why not, if the file contains a login, which its name does not tell. */
      readonly unlessLogin?: PathRefusal | undefined
    }
  | PathRefusal

export interface PathRefusal {
  readonly verdict: 'deny'
  readonly rule: PathRule
  readonly reason: string
  readonly advice?: Advice | undefined
}

/** Whether the name of a file blocks its content; `with-login`: if the content contains a login. */
export type Blocking = 'never' | 'always' | 'with-login'

export type Access = 'read' | 'write' | 'list'

/** What the workspace asks the policy. */
export interface PathJudge {
  path(given: string, absolute: string, access: Access): PathDecision
  /** For a file below the project. */
  blockingBelow(relative: string): Blocking
  /** For a file in any root. */
  blocking(absolute: string): Blocking
  /** Whether what a program made of a path may stay. Odd names are as they were found. */
  written(absolute: string, by: WriterKind): PathDecision
}
