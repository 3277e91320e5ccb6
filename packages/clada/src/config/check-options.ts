import { describeValue } from '../core/describe-value.ts'
import { encodingNames } from '../core/encodings.ts'
import { SettingsError } from '../core/settings.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { findClosestName } from '@clada/reply/text/closest-name.ts'
import { choices } from './choices.ts'

export interface OptionKind {
  /** Follows "must be". */
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
}

const text: OptionKind = { expected: 'a text', accepts: (value) => typeof value === 'string' }
const flag: OptionKind = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' }
const amount: OptionKind = {
  expected: 'a number that is not negative',
  accepts: (value) => typeof value === 'number' && value >= 0,
}
const callback: OptionKind = { expected: 'a function', accepts: (value) => typeof value === 'function' }
const list: OptionKind = { expected: 'a list', accepts: Array.isArray }
const group: OptionKind = { expected: 'an object', accepts: isRecord }

const among = (values: readonly string[]): OptionKind => ({
  expected: `one of ${values.join(', ')}`,
  accepts: (value) => typeof value === 'string' && values.includes(value),
})

const eachOf = (item: OptionKind): OptionKind => ({
  expected: `a list, each entry ${item.expected}`,
  accepts: (value) => Array.isArray(value) && value.every(item.accepts),
})

const recordOf = (item: OptionKind): OptionKind => ({
  expected: `an object, each value ${item.expected}`,
  accepts: (value) => isRecord(value) && Object.values(value).every((one) => one === undefined || item.accepts(one)),
})

/**
 * Programs in JavaScript can pass anything. Without this `exec: false` runs code and `allowEscape: 'no'` allows every path,
 * because the rest of the program looks for the values of the types alone.
 */
export const optionKinds = {
  repoPath: text,
  startedIn: text,
  gitCommit: flag,
  git: among(choices['git.mode']),
  gitAuthor: text,
  commitMessageFormat: text,
  commitTrailers: eachOf(text),
  gitHooks: among(choices['git.hooks']),
  undoCommits: among(choices['undo.commits']),
  replyFiles: eachOf(text),
  lockFile: text,
  lockTimeout: amount,
  onLockWait: callback,
  conversation: group,
  session: text,
  allowedRoots: eachOf(text),
  deniedPatterns: eachOf(text),
  partOf: text,
  actions: eachOf(group),
  allowedActions: eachOf(text),
  relativePaths: flag,
  symlinks: among(['refuse', 'inside']),
  allowEscape: flag,
  atomic: flag,
  alreadyDone: among(['warn', 'skip', 'resume', 'run']),
  syntaxes: eachOf(text),
  ownSyntaxes: eachOf(group),
  controlCharacters: among(['keep', 'refuse']),
  strict: flag,
  matching: among(choices.matching),
  patches: among(choices.patches),
  proposals: among(choices.proposals),
  evidence: among(['none', 'lines', 'diff']),
  syntaxCheck: among(['off', 'auto', 'lasting']),
  finalNewline: among(choices.final_newline),
  encoding: recordOf(among(encodingNames)),
  cslDelimiters: recordOf(text),
  reserved: eachOf(text),
  limits: recordOf(amount),
  totalTimeout: amount,
  exec: among(choices['exec.mode']),
  execGit: among(['safe', 'full']),
  approve: eachOf(text),
  network: eachOf(text),
  commandEnv: eachOf(text),
  trustApprovals: flag,
  maxOutput: amount,
  // What is in it is checked with the hooks of the config.
  hooks: recordOf(list),
  vars: recordOf(text),
  ask: callback,
} satisfies Readonly<Record<string, OptionKind>>

/** Undefined counts as missing. @throws SettingsError for an option that does not exist, and for a wrong value */
export function checkOptions(given: object, all: Readonly<Record<string, OptionKind>>): void {
  if (!isRecord(given)) throw new SettingsError(`The options must be an object; they are ${describeValue(given)}.`)
  const kinds = new Map(Object.entries(all))
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const kind = kinds.get(name)
    if (kind === undefined) {
      // The flag and the key of the config have this name.
      const close = name === 'root' ? 'repoPath' : findClosestName(name, [...kinds.keys()])
      throw new SettingsError(`Unknown option '${name}'.${close === undefined ? '' : ` Did you mean ${close}?`}`)
    }
    if (!kind.accepts(value))
      throw new SettingsError(`The option ${name} must be ${kind.expected}; it is ${shownValue(value)}.`)
  }
}

const shownValue = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : typeof value === 'number' ? String(value) : describeValue(value)
