import type { ApprovalRequest } from '../core/commands.ts'
import type { ActionResult, FileChange, ParseError } from '../core/result.ts'
import type { BlockChoice, ReviewedFile, ReviewPlace } from '../core/review.ts'
import type { ExecutedAction, HistoryEntry } from '../engine/history-run.ts'

/** Messages between the server and the page. Types only: both sides are compiled against them. */

/** The predicted result of a block. */
export type BlockState =
  /** The reply is long, and its effects are being computed. */
  | 'checking'
  | 'ready'
  /** It will work, and its new text is not quite what the model wrote: clada repaired it. */
  | 'repaired'
  /** It will work. The reply has a part of the file, and clada put it in its place there. */
  | 'part'
  /** It will start a program that is not approved yet, or replace a file by what seems to be a part of it. */
  | 'approval'
  /** It depends on a program that a plan does not run. */
  | 'unknown'
  /** A rule forbids it. */
  | 'refused'
  | 'fails'
  /** It cannot be read, or what it says makes no action. */
  | 'broken'
  /** It is valid, but something else prevents it from running. */
  | 'skipped'
  /** The user does not want it. */
  | 'left'

export interface PlanBlock {
  /** Its place in the plan. */
  readonly key: number
  /** Its number in reports; missing where there is nothing to run. */
  readonly task?: string | undefined
  readonly id: string
  readonly syntax: string
  /** Shown before it is applied: the reply does not ask for it in a format for edits. */
  readonly proposed?: true | undefined
  readonly action: string
  readonly target: string
  /** It runs a command or code. */
  readonly isProgram: boolean
  readonly startLine: number
  readonly endLine: number | null
  readonly group?: { readonly line: number; readonly atomic: boolean } | undefined
  readonly state: BlockState
  /** The first line of what is wrong. */
  readonly why?: string | undefined
  readonly rule?: string | undefined
  /** The command line that it would run. */
  readonly runs?: string | undefined
  readonly warnings: number
  readonly files: readonly TouchedFile[]
  /** What the user has changed about it, in a few words. */
  readonly decided?: string | undefined
  readonly outcome?: BlockOutcome | undefined
}

export interface TouchedFile {
  readonly path: string
  /** The path before, if the file is moved. */
  readonly from?: string | undefined
  readonly change: FileChange['change']
  readonly added: number
  readonly removed: number
}

export interface BlockOutcome {
  readonly success: boolean
  /** Nothing of it was applied, because the user said so. */
  readonly left?: true | undefined
  readonly why?: string | undefined
  readonly warnings: number
}

export interface ReplyPlan {
  /** Increases with every new plan. */
  readonly revision: number
  readonly reply: number
  /** Only read so far: the effects follow with the next revision. */
  readonly isChecking: boolean
  /** Where the text came from: a file's name, or empty. */
  readonly name: string
  readonly bytes: number
  /** Whether its text is not the one that came in. */
  readonly edited: boolean
  readonly blocks: readonly PlanBlock[]
  /** Every file that would be touched, all blocks together. */
  readonly files: readonly TouchedFile[]
  readonly warnings: readonly string[]
  /** Why nothing of it can be applied. */
  readonly fatal?: string | undefined
}

/** Everything about one block that the list does not show. */
export interface BlockDetail {
  readonly key: number
  /** Of the plan that it is from. */
  readonly revision: number
  readonly reply: number
  /** The block as it is in the document. */
  readonly raw: string
  /** What the model wrote around it, without other blocks. */
  readonly prose: Prose
  /** What it changes, with the parts that can be taken or left out. */
  readonly files: readonly ReviewedFile[]
  /** Where an edit could go that has no place of its own. */
  readonly places: readonly ReviewPlace[]
  /** How many hunks fit that another one keeps back. */
  readonly fitting: number
  /** Its parameters as text, with those that the user edited. */
  readonly params: Readonly<Record<string, string>>
  /** What the user decided about it. */
  readonly choice: BlockChoice
  readonly problems: readonly Pick<ParseError, 'line' | 'column' | 'message' | 'code' | 'hint'>[]
  readonly warnings: readonly string[]
  readonly note?: string | undefined
  readonly explanation?: string | undefined
  /** Its result, or the predicted one. */
  readonly result?: ResultFacts | undefined
  /** What the person can do about a failure. */
  readonly advice?: string | undefined
  /** What it has to show. */
  readonly output?: string | undefined
}

/** What the page shows of a result. */
export interface ResultFacts {
  readonly success: boolean
  readonly error: string | undefined
  readonly code: ActionResult['code'] | undefined
  readonly details: ActionResult['details'] | undefined
}

export interface Prose {
  readonly above: string
  /** Only of the last block. */
  readonly below: string
}

/** One of the replies that were opened here. */
export interface ReplyEntry {
  readonly id: number
  readonly name: string
  /** Its first line with words in it. */
  readonly title: string
  readonly opened: string
  readonly blocks: number
  readonly done: number
  readonly failed: number
}

/** The state that is sent to every tab. Large data is fetched when it is shown. */
export interface PageState {
  readonly root: string
  /** Another one after `clada ui` was started again. */
  readonly session: string
  /** The plan's revision; null when there is no document. */
  readonly plan: number | null
  /** Newest first; the one that is shown is among them. */
  readonly replies: readonly ReplyEntry[]
  readonly running: Running | null
  /** Messages about the last run as a whole: why it failed, and warnings. */
  readonly remarks: readonly string[]
  readonly questions: readonly Question[]
  /** The file that may be followed, where there is one. */
  readonly follow: { readonly file: string; readonly on: boolean } | null
  /** Increases when the history changes. */
  readonly history: number
  /** Increases when the working set changes. */
  readonly context: number
}

export interface Running {
  readonly what: 'document' | 'undo' | 'redo' | 'back' | 'forward'
  readonly done: number
  readonly total: number
  /** Those of a document that were chosen; null for all that are left. */
  readonly tasks: readonly string[] | null
  /** What has come of them so far, for tabs that were opened in the meantime. */
  readonly results: readonly Omit<ResultEvent, 'revision'>[]
}

export interface Question extends ApprovalRequest {
  readonly id: number
  /** Whether this page's own run asks, or another process. */
  readonly from: 'page' | 'other'
}

/** Sent to tabs after each action. */
export interface ResultEvent {
  readonly revision: number
  readonly task: string
  readonly outcome: BlockOutcome
}

export interface OutputEvent {
  readonly task: string
  readonly text: string
}

export interface TimelineData {
  readonly entries: readonly HistoryEntry[]
  /** What the loops were about, by the id of their conversation. */
  readonly loops: Readonly<Record<string, LoopEntry>>
  /** Files that others changed since the last execution. */
  readonly since: readonly TouchedFile[]
}

export interface LoopEntry {
  readonly number: number
  readonly task: string
  /** Why it ended; missing while it runs, and when it was killed. */
  readonly ended?: string | undefined
}

export interface ExecutionView {
  readonly entry: HistoryEntry
  readonly actions: readonly ExecutedAction[]
  readonly changes: readonly FileChange[]
  readonly meanwhile: readonly FileChange[]
}

export interface PageUndoRequest {
  readonly number?: number
  /** Only this action of it. */
  readonly action?: number
  readonly force?: boolean
}

/** What a prompt can be made of. */
export interface PromptFacts {
  /** Relative to the root. */
  readonly files: readonly string[]
  /** About how many tokens each of them has. */
  readonly tokens: readonly number[]
  /** How many are not listed. */
  readonly moreFiles: number
  readonly actions: readonly { readonly name: string; readonly description: string; readonly everyday: boolean }[]
  readonly syntaxes: readonly string[]
  readonly context: readonly WorkingSetEntry[]
}

/** A file, or one structure of it, in the working set. */
export interface WorkingSetEntry {
  readonly path: string
  readonly tokens?: number | undefined
  /** Why it cannot be read. */
  readonly problem?: string | undefined
}

/** The working set after a change. */
export interface ContextChange {
  readonly entries: readonly WorkingSetEntry[]
  /** Files that were not added, each with the reason. */
  readonly leftOut: readonly string[]
}

export interface StructureRow {
  /** As the working set names it: `file@@Class@@method`. */
  readonly path: string
  readonly label: string
  readonly kind: string
  readonly lines: number
  readonly depth: number
}

export interface PagePromptRequest {
  readonly syntax: string
  readonly include: 'everyday' | 'all'
  /** Only these; null for those that `include` says. */
  readonly actions: readonly string[] | null
  readonly show: 'text' | 'numbered' | 'outline' | 'none'
  /** What the model is to do; empty for nothing. */
  readonly task: string
}

export interface PromptText {
  readonly text: string
  readonly tokens: number
  /** Without the files. */
  readonly promptTokens: number
  readonly files: readonly { readonly path: string; readonly tokens: number }[]
  readonly refused: readonly { readonly path: string; readonly error: string }[]
}

/** What the server says when it does not do what it was asked. */
export interface RefusedReply {
  readonly error: string
}
