import { capitalize } from '@clada/reply/core/words.ts'
import type { Elision, NearPlace, Place } from '@clada/reply/core/place.ts'
import type { NotExecuted } from '@clada/reply/core/block.ts'
import type { Code, StructureCode } from '@clada/reply/core/codes.ts'
import type { MissingPart } from '@clada/reply/core/proposal.ts'

/** Why an execution was stopped before its end. */
export interface StopCause {
  readonly by: 'time-limit' | 'caller'
  readonly reason: string
}

/**
 * Everything that can go wrong, as facts. `report/explain.ts` alone turns a problem into prose.
 * A handler returns one; the workspace, which is called from everywhere, throws it inside a `ProblemError`.
 */
export type Problem =
  /** The operating system refused. `meant`: existing files that the path may mean. `held`: another program has it open. */
  | ({
      kind: 'os'
      code: string
      op: string
      path: string
      dest?: string
      message?: string
      meant?: readonly string[]
      held?: boolean
    } & Resendable)
  | { kind: 'source-missing'; path: string }
  | { kind: 'not-regular'; path: string; type: string; op: string }
  /** `described`: type and size of a binary file. */
  /** A text for a notebook that does not begin with the header of a cell. */
  | { kind: 'not-cells'; path: string }
  | {
      kind: 'not-text'
      path: string
      reason: 'binary' | 'utf8'
      byte: number
      line: number
      described?: string
      image?: { type: string; bytes: Uint8Array }
    }
  | { kind: 'too-large'; path: string; size: number; limit: number }
  | { kind: 'changed-meanwhile'; path: string; saved?: string }
  | { kind: 'hash-differs'; path: string; expected: string; actual: string }
  /** The path itself is refused, whatever is there. */
  | { kind: 'path'; rule: PathRule; path: string; reason: string; advice?: Advice }
  | { kind: 'denied'; rule: string; action: string; reason: string }
  /** An action of the program that uses clada says in its own words why it failed. */
  | { kind: 'action-failed'; message: string; advice?: string | undefined }
  | { kind: 'empty-text'; param: string }
  | ({ kind: 'text-absent'; param: string; path: string; after?: string } & Absence)
  /** The new text is there, and the old one only as a part of it. */
  | { kind: 'already-applied'; path: string; line: number; endLine: number }
  | { kind: 'text-ambiguous'; param: string; path: string; count: number; after?: string; places: Place[] }
  | ({
      kind: 'count-differs'
      path: string
      /** What is looked for: one text, or the two that a passage begins and ends with. */
      params: readonly string[]
      /** The one that is not there, where nothing was found. */
      missing?: string
      expected: number | 'all'
      found: number
      places: Place[]
    } & Absence)
  /** One hunk of a patch cannot be applied, so none is. */
  | ({
      kind: 'hunk-failed'
      path: string
      /** From 1. */
      hunk: number
      total: number
      /** Its first lines, with their marks. */
      lines: string
      reason: 'absent' | 'ambiguous' | 'unclear' | 'overlap' | 'no-context'
      found: number
      places: Place[]
      nearest: NearPlace[]
      applied?: number
      /** The hunk it overlaps. */
      other?: number
      /** Every hunk in order, with what became or would become of it. */
      verdicts: HunkVerdict[]
    } & Resendable)
  /** Its bytes are not in the encoding that it is declared to have. */
  | { kind: 'not-encoded'; path: string; encoding: string }
  /** A text that the file's encoding cannot express. */
  | { kind: 'not-encodable'; path: string; encoding: string; characters: readonly string[] }
  /** A search-replace block without old text, for a file that has text. */
  | { kind: 'search-empty'; path: string; /** Its last lines. */ end: string }
  /** Some of several replacements cannot be made, so none is. */
  | ({
      kind: 'edits-failed'
      path: string
      total: number
      failures: readonly { edit: number; problem: Problem }[]
    } & Resendable)
  /** A line that replaces others would be written, and it is not certain which. */
  | ({ kind: 'elision'; path: string; param: string; elision: Elision; replaced?: string } & Partial<Absence>)
  /** A proposal without the user's consent. */
  | { kind: 'review-needed'; path: string; refused: boolean; lacks?: MissingPart }
  /** The user reviewed it and does not want it. */
  | { kind: 'left-out'; path: string; reason?: string | undefined }
  /** It would not do what the user has reviewed. */
  | { kind: 'review-outdated'; path: string }
  | { kind: 'lines-invalid'; spec: string; reason: 'form' | 'order' }
  | { kind: 'lines-outside'; spec: string; lineCount: number; asked: 'read' | 'write' | 'insert' }
  | { kind: 'lines-differ'; path: string; lines: string; expected: string; actual: string }
  | { kind: 'no-paths' }
  | { kind: 'files-failed'; doing: 'read' | 'change'; failures: { path: string; problem: Problem }[]; done: string[] }
  | { kind: 'bad-param'; param: string; message: string }
  /** An operation on structures was refused. */
  | { kind: 'structure'; code: StructureCode; message: string; details: StructureFacts }
  | { kind: 'search-failed'; message: string }
  /** The command is not one that may be run. */
  | { kind: 'command-refused'; reason: string; advice: string }
  | {
      kind: 'approval-needed'
      command: string
      /** What is approved, by the words to use. */
      approved: readonly string[]
      /** The project, where a command line would take another one. */
      root?: string | undefined
      changed: boolean
      /** Whether it is of no use without the network. */
      network: boolean
      refused: boolean
    }
  | {
      kind: 'command-failed'
      how: { exit: number } | { signal: string } | { crowd: true } | { wrote: 'too much' } | { stopped: StopCause }
      offline?: Offline | undefined
      withheld?: WithheldVariables | undefined
    }
  | {
      kind: 'command-late'
      ms: number
      /** The user's limit, where the block itself asked for less. */
      most?: number | undefined
      /** By which the user can give it more time. */
      approval?: ApprovalFacts | undefined
      offline?: Offline | undefined
    }
  /** No program may be started at all. */
  | { kind: 'exec-refused'; reason: string; advice: Advice }
  | { kind: 'program-missing'; program: string; advice?: string }
  | { kind: 'version-missing'; lang: string; version: string; found?: string }
  | { kind: 'cwd-missing'; path: string }
  /** A group could not be applied, and could not be reverted completely either. */
  | { kind: 'half-landed'; paths: string[] }
  /** Another execution holds the lock. Without a holder: the lock does not say who. */
  | { kind: 'locked'; lock: string; holder?: LockHolder; waitedMs: number }
  /** The file named as the lock is not one. */
  | { kind: 'not-a-lock'; path: string }
  /** What was done is done, and could not be written down. */
  | { kind: 'record-unwritten'; code: string; message: string }
  /** Git cannot do what it must before or after an execution. */
  | { kind: 'git'; reason: string; advice?: string }
  /** The list of the working set is there, and cannot be understood. */
  | { kind: 'context-broken'; file: string; reason: string }
  /** An undo, step or squash did nothing. */
  | { kind: 'step-refused'; reason: string; code: Code; conflicts: { path: string; reason: string }[] }
  /** A text took too long to work on, is nested too deeply, or becomes too large. */
  | { kind: 'too-complex'; over: 'time'; ms: number }
  | { kind: 'too-complex'; over: 'depth' | 'size' }
  | { kind: 'stopped'; reason: string }
  /** A command waits, because an edit before it was not executed. */
  | { kind: 'edit-missing'; edit: NotExecuted }
  /** A command comes after a proposal that nobody has answered. */
  | { kind: 'proposal-waits'; path: string; line: number }
  | { kind: 'bug'; message: string; stack?: string }

/** What to do next. Where a model must ask its user, the user is addressed directly; empty: nothing to say to them. */
export type Advice = string | { readonly model: string; readonly user: string }

export const adviseAskingUser = (to: string): Advice => ({
  model: `Ask the user to ${to}.`,
  user: `${capitalize(to)}.`,
})

export interface LockHolder {
  readonly pid: number
  readonly command: string
  readonly since: string
  /** Its machine, when it is another one. */
  readonly host?: string
}

/** About a file that a watcher reads, or that clada writes its results to. */
/** Of a path in a git directory, whatever that is called. */
export const gitReason = 'it belongs to git'

export const reservedReason = 'it is reserved for clada (watched or result file)'

export type PathRule = 'path_escape' | 'path_denied' | 'symlink_not_allowed' | 'invalid_parameter'

export interface HunkVerdict {
  hunk: number
  verdict:
    | 'applied'
    /** It fits, and the user took a part of the hunks that do. */
    | 'reviewed'
    | 'fits'
    | 'absent'
    | 'ambiguous'
    | 'unclear'
    | 'overlap'
    | 'no-context'
    | 'already-applied'
  /** Where it is or would be, from 1. */
  line?: number
  /** Where the file has lines most like it, for one that is not the first that fails. */
  nearest?: NearPlace
  /** The places that an ambiguous one fits. */
  places?: Place[]
}

/** An action that could not be done as written. */
export interface Resendable {
  /** The parameters with which it would be what was probably meant. */
  resend?: Readonly<Record<string, string>>
}

/** What a model needs to know about a text that is not there. */
export interface Absence extends Resendable {
  nearest: NearPlace[]
  /** The line where the new text already is. */
  applied?: number
  emptyFile?: true
  /** The places where it is, all before the text that it must follow. */
  tooEarly?: Place[]
}

/** A structure as errors show it. Its `path` joined by line breaks is a target that finds it. */
export interface StructureMatch {
  readonly path: string[]
  readonly kind: string
  readonly lines: [number, number]
}

/** The facts of a refused operation on structures, by the names of seed 003. */
export interface StructureFacts {
  state?: 'FILE_UNCHANGED'
  path?: string
  searched_path?: string
  /** The part of the target that was found. */
  parent_found?: StructureMatch | null
  /** Structures or paths that were perhaps meant. */
  suggestions?: (string | StructureMatch)[]
  matches?: (StructureMatch | { line_range_inclusive: [number, number] })[]
  structure_lines?: [number, number]
  structure_matched?: string
  nearest?: NearPlace[]
  /** The line where the new text already is. */
  already_applied_at_line?: number
  /** Lines outside the structure that have the text. */
  elsewhere?: number[]
  occurrences?: number
  lines?: number[]
  expected?: number | string
  found?: number | string
  file_size?: number
  content_size?: number
  limit?: number
  operation?: string
  source?: string
  destination?: string
  file?: string
  supported?: string[]
  parse_errors?: { line: number; column: number; message: string }[]
}

/**
 * Carries a Problem across layers that cannot return one. `engine/action-runner.ts` turns it into a result; callers may catch
 * specific kinds.
 */
export class ProblemError extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.kind)
    this.name = 'ProblemError'
    this.problem = problem
    keepStack(problem, this.stack)
  }
}

const stacks = new WeakMap<Problem, string>()

/** Remembers where a problem was noticed first, for `--error-detail debug`. */
export function keepStack(problem: Problem, stack = new Error(problem.kind).stack): void {
  if (stack !== undefined && !stacks.has(problem)) stacks.set(problem, stack)
}

export const stackOf = (problem: Problem): string | undefined => stacks.get(problem)

/** An approval as it can be given again, with what it grants. */
export interface ApprovalFacts {
  readonly command: string
  readonly network: boolean
  readonly reads?: readonly string[] | undefined
  readonly env?: readonly string[] | undefined
  readonly timeoutMs?: number | undefined
  /** The project, where a command line would take another one. */
  readonly root?: string | undefined
}

/** Variables of the user's environment that a program did not get. */
export interface WithheldVariables {
  readonly names: readonly string[]
  /** How many more there are. */
  readonly more: number
  /** By which the user can pass them; undefined for code, which gets none. */
  readonly approval?: ApprovalFacts | undefined
}

/** A program that failed and probably needs the network, which is blocked for it. */
export type Offline = { for: 'command'; approval: ApprovalFacts } | { for: 'code' } | { for: 'hook' }
