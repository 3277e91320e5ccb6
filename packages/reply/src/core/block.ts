import type { DamageKind, Diagnostic, TextRange } from './diagnostic.ts'

/** What a syntax finds in a text. Nothing here is checked against the actions: that is `actions/decode.ts`. */

/** A diagnostic in words, with the code that reports have for it. */
export interface ExplainedDiagnostic extends TextRange {
  readonly code: string
  /** The block it costs, or null when no block could be made out. */
  readonly blockId: string | null
  /** The line it is on; empty past the end of the text. */
  readonly content: string
  /** Five lines around it. */
  readonly context: string
  readonly message: string
  /** What to write instead, where that can be said. */
  readonly hint?: string | undefined
  readonly syntax?: string | undefined
  readonly raw?: string | undefined
}

/** One block as the model wrote it: a name and raw texts. */
export interface Block<Found = Diagnostic> {
  /** Its name in `syntax/table.ts`. */
  readonly syntax: string
  /** The id of a SHAM block; the task number in the other syntaxes. */
  readonly id: string
  /** The action as the block spells it; empty when it names none. */
  readonly action: string
  /** Raw texts by name, without `action`. No prototype, so that `__proto__` is a name like any other. */
  readonly params: Readonly<Record<string, string>>
  /** Replaces `params` where the caller has values instead of texts. */
  readonly values?: Readonly<Record<string, unknown>>
  readonly startLine: number
  /** Null when the block was not closed. */
  readonly endLine: number | null
  /** A block with any of them is reported and never run. */
  readonly diagnostics: readonly Found[]
  /** The block as text, for error reports. */
  readonly raw: string
  /** Set on operations in a group whose first failure skips the rest. */
  readonly group?: BlockGroup
  readonly warnings?: readonly string[]
  /** Why the model makes the change, in its own words. */
  readonly explanation?: string
  /** Its path may begin with the name of the root, which is then left out unless something of that name is in the root. */
  readonly rootNameMayLead?: true
  /** Its path may begin with `a/` or `b/`, as in a diff, which is then left out unless there is such a directory. */
  readonly sideMayLead?: true
  /** What the syntax itself calls the operation, for reports. */
  readonly label?: string
  /** Damage that its markers and its texts show: the texts must not be taken literally. */
  readonly damage?: readonly DamageKind[]
  /**
   * Lines of its diff have a damaged mark or none, so that a space of their indentation may be a mark: it fits only where
   * the file has exactly this indentation.
   */
  readonly uncertainMarks?: true
  /** A proposal: shown to the user before it is applied. */
  readonly proposed?: true
  /**
   * Its text may be declarations of a file and not all of it. `unplaced`: it is no whole file, and listed for this reason if it
   * has no place. `mayShow`: no words tell to change the file, so that a text with little of it is a listing.
   */
  readonly part?: { readonly unplaced?: FragmentReason; readonly mayShow?: true }
}

/** Whether a block can run as it is written. */
export const isComplete = ({ diagnostics, endLine }: Pick<Block<unknown>, 'diagnostics' | 'endLine'>): boolean =>
  diagnostics.length === 0 && endLine !== null

export interface BlockGroup {
  /** The same object for all members. */
  readonly line: number
  readonly atomic: boolean
}

/** The blocks of one text. */
export interface Document<Found = Diagnostic> {
  /** In order of appearance. */
  readonly blocks: readonly Block<Found>[]
  /** Those that belong to no block, in line order. */
  readonly diagnostics: readonly Found[]
  /** What was seen and not repaired. */
  readonly warnings: readonly string[]
  /** What looks like an edit or an action and does not run, in line order. */
  readonly notExecuted: readonly SkippedBlock<Found>[]
  /** Groups without members: valid, and nothing to do. */
  readonly emptyGroups?: readonly EmptyGroup[]
}

export interface EmptyGroup {
  syntax: string
  line: number
}

/** What a result lists as not executed. */
export interface NotExecuted {
  line: number
  /** The last line of it. */
  endLine: number
  /** A noun: `SHAM block`. */
  what: string
  path?: string
  reason: NotExecutedReason
  /** The lines of the file that it is most like, where it has no place. */
  nearest?: [first: number, last: number]
  /** Its first line is indented by one space more than the text around it, as reports show a block that a file quotes. */
  sign?: 'one-space'
}

/**
 * `unreadable`: it was meant, as far as known, and no block could be made of it; `no-place`: it is a part of a file, and
 * where it belongs is not sure. Then the run fails. The others were not meant.
 */
export type NotExecutedReason = 'quoted' | 'thought' | 'listing' | 'example' | 'unreadable' | 'no-place'

export type FragmentReason = Extract<NotExecutedReason, 'listing' | 'example' | 'no-place'>

/** Whether an edit that was meant is missing. */
export const isEditMissing = ({ reason }: Pick<NotExecuted, 'reason'>): boolean =>
  reason === 'unreadable' || reason === 'no-place'

/** What a text has that does not run, where it was found. */
export interface SkippedBlock<Found = Diagnostic> extends Readonly<NotExecuted> {
  /** The block, where one could be read. */
  readonly block?: Block<Found>
}
