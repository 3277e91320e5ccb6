import type { Registry } from './action.ts'
import type { IgnoreRule } from '@clada/reply/text/ignore-rules.ts'
import type { EncodingName } from './encodings.ts'

/** The complete settings of a run, defaults included. */
export interface Settings {
  /** The project. Resolved once, links included. */
  readonly root: string
  /** Where the user is, if that is a directory below the root. */
  readonly startedIn?: string | undefined
  /** Further directories that may be touched. */
  readonly allowedRoots: readonly string[]
  readonly deniedPatterns: readonly string[]
  /** What the project keeps from models, besides those patterns. */
  readonly ignoreFiles?: readonly IgnoreFile[] | undefined
  /** The actions that there are. */
  readonly registry: Registry
  /** Null allows every action that a model may call. */
  readonly allowedActions: readonly string[] | null
  /** Whether SHAM blocks may name files relative to the root. */
  readonly relativePaths: boolean
  readonly symlinks: 'refuse' | 'inside'
  /** Lifts the roots, never the denied list. */
  readonly allowEscape: boolean
  /**
   * Files of the program that uses clada, and those that a live watcher of this user reads: no document and no program touches
   * them, no checkpoint has them. Absolute. Asked at every use, because a watcher may start during a run.
   */
  readonly reserved: () => readonly string[]
  /** The user's own config and state, by every name that leads there: no document reads or writes them. Absolute. */
  readonly userPlaces: readonly string[]
  /** What this process runs as clada: documents and code read it, and do not write it. Absolute. */
  readonly runningProgram?: readonly string[] | undefined
  readonly limits: Limits
  /** The name of the working set; undefined for the one of the project. */
  readonly session?: string | undefined
  /** The encodings of files that are not UTF-8, by glob. */
  readonly encoding?: Readonly<Record<string, EncodingName>> | undefined
}

/** A file such as `.aiignore`: nothing that its rules leave out is read or written for a model. */
export interface IgnoreFile {
  readonly name: string
  /** Where it is. Its rules are about what is below. */
  readonly dir: string
  readonly text: string
  /** With folded names. */
  readonly rules: readonly IgnoreRule[]
}

/** A mistake of the caller; the message says how to correct it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

export interface Limits {
  readonly inputBytes: number
  readonly fileBytes: number
  /** What the history of a project may take on the disk. */
  readonly historyBytes: number
  /** For one search or command, in milliseconds. */
  readonly actionMs: number
}

/** How executions are saved. */
/** Executions that belong together: those of one MCP client, or of one `clada loop`. */
export interface Conversation {
  readonly kind: 'mcp' | 'loop' | 'session'
  readonly id: string
}

/** Where the summary of an execution goes in the first line of its commit. */
export const summaryPlace = '{operation_summary}'

/** Called once, when an execution waits noticeably for another one. The holder is missing if the lock does not name it. */
export type OnLockWait = (holder: { readonly pid: number; readonly command: string } | undefined) => void

export interface HistorySettings {
  readonly git: 'commit' | 'shadow' | 'off'
  /** `Name <mail>`; null for clada itself. */
  readonly author: string | null
  /** Null for the one in clada's own directory. */
  readonly lockFile: string | null
  readonly lockMs: number
  readonly onLockWait?: OnLockWait | undefined
  readonly historyBytes?: number | undefined
  readonly conversation?: Conversation | undefined
  /** The first line of commits, with `summaryPlace` in it. */
  readonly messageFormat?: string | undefined
  /** Lines at the end of their messages. */
  readonly trailers?: readonly string[] | undefined
  /** `drop`: an undo takes the commits of its execution off the branch where nothing came after them. */
  readonly undoCommits?: 'revert' | 'drop' | undefined
  /** The files that the replies are in. What git does not track of them is left out of commits. */
  readonly replyFiles?: readonly string[] | undefined
}

/**
 * The glob that was meant by a denied pattern that is a regular expression; undefined for a glob. As a glob such a
 * pattern would match next to nothing, and the files would stay open.
 */
export function globMeantBy(pattern: string): string | undefined {
  if (!/\\[.\w]|^!?\^|\$$|\.\+|^!?\.\*.*\.\*$|\/\.\*$/.test(pattern)) return undefined
  const [, negated = '', body = ''] = /^(!?)\^?([\s\S]*?)\$?$/.exec(pattern) ?? []
  const glob = body
    .replace(/\\(.)/g, '$1')
    .replace(/\/\.[*+]$/, '/**')
    .replace(/\.[*+]/g, '*')
  return negated + (glob.startsWith('*') && glob.includes('/') ? glob.replace(/^\*+\/?/, '**/') : glob)
}

export const defaultLimits: Limits = {
  inputBytes: 50 * 1024 * 1024,
  fileBytes: 10 * 1024 * 1024,
  historyBytes: 1024 * 1024 * 1024,
  actionMs: 30_000,
}

/** A command of the user that runs before or after an execution. */
export interface Hook {
  /** For a shell. `${NAME}` is a variable or a fact of the run. */
  readonly run: string
  /** Seconds. Default: 30. */
  readonly timeout?: number
  /** Below the root. */
  readonly cwd?: string
  /** Its failure is only a warning. */
  readonly continueOnError?: boolean
  /** `unsandboxed` runs it with all rights of the user. */
  readonly exec?: 'sandbox' | 'unsandboxed'
  /** Whether it may use the network from inside the sandbox. */
  readonly network?: boolean
}

/** Hooks in the order in which they run. */
export interface Hooks {
  readonly before?: readonly Hook[]
  readonly after?: readonly Hook[]
}
