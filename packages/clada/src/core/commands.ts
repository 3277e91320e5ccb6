import type { ChangedFile } from './effects.ts'
import type { PathArg } from './files.ts'
import type { MissingPart, Proposal } from '@clada/reply/core/proposal.ts'
import type { ValueOf } from './shape.ts'

export interface RunRequest {
  readonly command: string
  readonly dir: PathArg | undefined
}

/** What is left of a program besides its output. */
const programShape = {
  'exit_code?': 'integer',
  'changed?': [{ path: 'string', change: 'create|modify|delete' }],
  'not_kept?': [{ path: 'string', reason: 'string' }],
  'would_run?': 'string: in a preview',
} as const

export const runShape = {
  'output?': 'string',
  ...programShape,
  'as?': 'string: the action that the command was run as',
  'result?': 'any: the data of that action',
} as const
export type RunData = ValueOf<typeof runShape>

export const execShape = {
  'stdout?': 'string',
  'stderr?': 'string',
  ...programShape,
  'lang?': 'string: in a preview',
} as const
export type ExecData = ValueOf<typeof execShape>

export interface ExecRequest {
  readonly code: string
  readonly lang: ExecLanguage
  readonly version: string | undefined
  readonly cwd: PathArg | undefined
  /** Seconds; never more than the user allows. */
  readonly timeout: number | undefined
  /** Whether its output is shown, while it runs and in the report. */
  readonly returnOutput: boolean
}

export const execLanguages = ['python', 'javascript', 'bash', 'ruby'] as const
export type ExecLanguage = (typeof execLanguages)[number]

/** What a person is asked before a command that is not on the list runs. Nothing has run by then, unless they tried it. */
export interface ApprovalRequest {
  readonly root: string
  /** The line that would be approved, as it was typed. */
  readonly command: string
  /**
   * `network` is a question of its own, put after the command was approved. `tried`: it ran in the sandbox because the user
   * wanted to try it, and the question is whether it is approved and its changes stay. `proposal`: a change that a reply
   * proposes, with its path in `command`.
   */
  readonly about: 'command' | 'network' | 'tried' | 'proposal'
  /** With `proposal`: what is proposed; a command if a call of another tool would start a program. */
  readonly proposed?: Proposal['kind'] | 'command'
  /** With `proposal`: what would change. */
  readonly diff?: string
  /** With `proposal`: what it lacks of the file that it would replace. The question says so. */
  readonly lacks?: MissingPart
  /** With `tried`: how it went. */
  readonly tried?: TrialRun
  /** Whether `try` is an answer: it then runs on a layer, in the sandbox, without network, and the question comes again. */
  readonly canTry: boolean
  /** The program that would be started; undefined when there is none of that name. */
  readonly program: string | undefined
  /** With an approval that gives more than `exec` has: the files that `always` is bound to, in words. */
  readonly bound?: string
  /** Whether it would run without a sandbox. */
  readonly unsandboxed: boolean
  /** Whether it was approved before, when files that could decide what it runs had another content. */
  readonly changed: boolean
  /** Whether it may change the repository itself. */
  readonly repository: boolean
}

/** A run in the sandbox that a person is asked about. Long lists and texts are cut for the question only. */
export interface TrialRun {
  /** Null when it ran out of time or was killed. */
  readonly exitCode: number | null
  readonly changed: readonly ChangedFile[]
  /** How many changed files are not listed. */
  readonly more: number
  /** The end of its output. */
  readonly output: string
}

/** `always` also saves the approval for later runs. `try` counts only where it is offered. */
export type ApprovalAnswer = 'once' | 'always' | 'no' | 'try'
/** Undefined when there is no answer. */
export type Ask = (request: ApprovalRequest) => Promise<ApprovalAnswer | undefined>

/** What the user said about programs, complete. */
export interface CommandSettings {
  readonly exec: 'sandbox' | 'unsandboxed' | 'off'
  /** Commands that are approved for this run. */
  readonly approve: readonly string[]
  /** Those of them that may use the network. */
  readonly network: readonly string[]
  /** Names of variables that approved commands and hooks see, besides those that they always see. */
  readonly env: readonly string[]
  /** Takes the project's own list of approved commands as it is, for this run. */
  readonly trustApprovals: boolean
  readonly outputBytes: number
  /** Whether programs may read the objects of repositories that track blocked files. */
  readonly execGit: 'safe' | 'full'
}

export const defaultCommandSettings: CommandSettings = {
  exec: 'sandbox',
  approve: [],
  network: [],
  env: [],
  trustApprovals: false,
  outputBytes: 10 * 1024 * 1024,
  execGit: 'safe',
}
