import { promptNames, syntaxNames, targetNames } from '@clada/reply/syntax/table.ts'
import { choices } from '../config/choices.ts'
import { formatChoices } from '../report/format.ts'
import type { KeyName } from '../config/keys.ts'
import { didYouMean } from '@clada/reply/text/closest-name.ts'

/** How `clada tools` lists them. */
export const toolFormats = ['table', 'yaml', 'json', 'md'] as const

/** A flag of the command line. Help, parsing, completion and the options of a run are derived from this list. */
export interface Flag {
  readonly name: string
  /** The name of its value in help; flags without one are switches. */
  readonly value?: string
  /** The only values it takes; those of its key where that has a few. */
  readonly values?: readonly string[]
  /** The config key that it overrides. */
  readonly key?: KeyName
  /** The value that a switch gives to that key. */
  readonly sets?: string
  /** Set when it takes two values, one after the other. */
  readonly two?: true
  readonly repeat?: true
  readonly help: string
  /** For commands to which it means something else. */
  readonly for?: Readonly<Record<string, { readonly help: string; readonly values?: readonly string[] }>>
}

/** What other folders list is a getter: to load the readers of all syntaxes is half of the time of a small command. */
const rows = [
  {
    name: 'root',
    key: 'root',
    value: 'DIR',
    help: 'the project; default: the nearest directory upwards with clada.yml or .git',
  },
  { name: 'no-config', help: "read no config file, neither the project's nor your own" },
  {
    name: 'allow',
    key: 'allowed_roots',
    value: 'DIR',
    repeat: true,
    help: 'another directory that may be read and changed (repeatable)',
  },
  { name: 'allow-escape', help: 'allow paths outside the roots; denied patterns still apply' },
  {
    name: 'syntax',
    key: 'syntaxes',
    value: 'NAME',
    get values() {
      return syntaxNames
    },
    repeat: true,
    help: 'look for this syntax only (repeatable)',
    for: {
      prompt: {
        help: 'the syntax to teach',
        get values() {
          return promptNames
        },
      },
    },
  },
  {
    name: 'csl-delimiters',
    value: 'START END',
    two: true,
    help: 'the characters around CSL markers; default <--- --->',
  },
  {
    name: 'to',
    value: 'SYNTAX',
    get values() {
      return targetNames
    },
    help: 'the syntax to write',
  },
  {
    name: 'format',
    key: 'report.format',
    value: 'NAME',
    get values() {
      return formatChoices
    },
    help: 'format of the report; auto: pretty on a terminal, else the one that suits the syntax of the document',
    for: { tools: { help: 'format of the list', values: toolFormats } },
  },
  { name: 'json', key: 'report.format', sets: 'json', help: 'the same as --format json' },
  { name: 'error-detail', key: 'report.error_detail', help: 'how much is reported about failures; default full' },
  {
    name: 'budget',
    key: 'report.budget',
    value: 'TOKENS',
    help: 'longest report, prompt or text to paste, in tokens of four characters',
  },
  {
    name: 'max-output',
    key: 'limits.output',
    value: 'BYTES',
    help: 'output kept and shown of one action; default: 10m kept, 50k shown',
  },
  {
    name: 'output-mode',
    value: 'MODE',
    values: ['stream', 'buffer', 'silent'],
    help: 'output of programs: while they run, in the report, or not at all',
  },
  { name: 'exec', key: 'exec.mode', help: 'how code is run; default: sandbox' },
  {
    name: 'approve',
    key: 'commands.approve',
    value: 'CMD',
    repeat: true,
    help: 'approve a command for this run (repeatable)',
  },
  { name: 'history', help: 'sign the history of this project, for example after it was moved' },
  { name: 'trust-approvals', help: "accept the project's list of approved commands for this run" },
  {
    name: 'approve-network',
    key: 'commands.network',
    value: 'CMD',
    repeat: true,
    help: 'approve a command for this run, and let it use the network (repeatable)',
  },
  { name: 'network', help: 'let the command use the network' },
  { name: 'args', help: 'with any further arguments, as if the command ended in *' },
  {
    name: 'reads',
    value: 'FILE',
    repeat: true,
    help: 'let the command read this denied file of the project (repeatable)',
  },
  {
    name: 'env',
    value: 'NAME',
    repeat: true,
    help: 'let the command see this variable of your environment (repeatable)',
  },
  { name: 'atomic', help: 'apply the whole document or nothing' },
  {
    name: 'again',
    help: 'also run blocks that already ran',
    for: { run: { help: 'apply blocks again that the last execution applied' } },
  },
  { name: 'review', help: 'look at each change and decide: apply it, leave it out, or edit it' },
  { name: 'strict', help: 'read everything as written: repair nothing, and match edits exactly' },
  {
    name: 'matching',
    key: 'matching',
    help: 'how edits find their place when the old text is not there as written; default tolerant',
  },
  { name: 'patches', key: 'patches', help: 'apply a patch only whole, or the hunks that fit; default whole' },
  {
    name: 'proposals',
    key: 'proposals',
    help: 'whole files in a reply, and other changes that need a yes: ask, apply them, or do not look for them; default ask',
  },
  {
    name: 'final-newline',
    key: 'final_newline',
    help: 'how files that are written whole end: as given, or always with a line break; default exact',
  },
  { name: 'no-git', key: 'git.mode', sets: 'off', help: 'save no checkpoints in git; undo still works' },
  {
    name: 'git',
    key: 'git.mode',
    help: 'where executions are saved: on the branch, under refs/clada, or not in git; default commit',
  },
  {
    name: 'git-author',
    key: 'git.author',
    value: 'AUTHOR',
    help: "author of the commits, as 'Name <mail>' or a name; default clada",
  },
  {
    name: 'lock-file',
    value: 'FILE',
    help: 'prevents two executions from running at the same time, instead of the lock of the repository',
  },
  { name: 'lock-timeout', value: 'SECONDS', help: 'how long to wait for an execution that holds the lock; default 10' },
  {
    name: 'force',
    help: 'merge with later changes instead of refusing',
    for: { squash: { help: 'also commits that were pushed, or that another branch or a tag contains' } },
  },
  { name: 'auto', help: 'the consecutive commits of clada up to the current one (the default)' },
  { name: 'messages', help: 'each series of consecutive commits of clada' },
  { name: 'hours', value: 'N', help: 'only commits of the last N hours' },
  { name: 'days', value: 'N', help: 'only commits of the last N days' },
  { name: 'containing', value: 'TEXT', help: 'commits whose message contains TEXT; an empty one matches all' },
  { name: 'contiguous', help: 'only the consecutive commits up to the current one' },
  { name: 'message', value: 'TEXT', help: 'the message of the new commit' },
  {
    name: 'with-programs',
    help: 'run code and plain approved commands for the preview too, on a layer that is thrown away',
  },
  {
    name: 'dry-run',
    help: 'show what would change, as clada diff does',
    for: { squash: { help: 'only show what would become one commit' } },
  },
  { name: 'conversation', help: 'all executions of the last MCP conversation, loop or session: all of them or none' },
  { name: 'loop', help: 'all executions of the last loop: all of them or none' },
  { name: 'action', value: 'N', help: 'only this action of the execution' },
  {
    name: 'timeout',
    key: 'limits.timeout',
    value: 'SECONDS',
    help: 'the time limit of one search or command; default 30',
    for: { approve: { help: 'a longer time limit than other commands have, such as 5m' } },
  },
  {
    name: 'total-timeout',
    key: 'limits.total_timeout',
    value: 'SECONDS',
    help: 'the time limit of the whole document; the rest is skipped',
  },
  {
    name: 'copy',
    help: 'copy it to the clipboard instead of printing it',
    for: {
      run: { help: 'also put the report for the model on the clipboard' },
      watch: { help: 'put the reports for the model on the clipboard' },
      context: { help: 'with print: copy it to the clipboard instead of printing it' },
    },
  },
  { name: 'osc52', help: 'copy, and ask the terminal to copy too, which may be on another machine' },
  { name: 'session', value: 'NAME', help: 'a working set of its own for this conversation; a new one is empty' },
  { name: 'numbered', help: 'with print: add line numbers' },
  { name: 'outline', help: 'with print: only the headers of classes, functions, sections' },
  {
    name: 'all',
    help: 'every action, not only the everyday ones',
    for: {
      outline: { help: 'locals, loops and conditions too' },
      history: { help: 'all executions, those of a conversation one by one' },
    },
  },
  { name: 'files', help: 'append the files of clada context' },
  {
    name: 'rules',
    value: 'MODE',
    values: ['all', 'none'],
    help: 'the rules of the project and its AGENTS.md; default all',
  },
  { name: 'task', value: 'TEXT', help: 'append this task and a map of the project' },
  { name: 'skill', help: 'print a SKILL.md instead, for agents that have a shell and load skills' },
  { name: 'clipboard', help: 'run copied replies, and put the reports on the clipboard' },
  { name: 'stdin', value: 'PARAM', help: 'read this parameter from standard input' },
  { name: 'port', value: 'N', help: 'where to listen; default: the same for a project every time' },
  {
    name: 'host',
    value: 'NAME',
    help: 'listen on this name or address too (containers, WSL); browsers from there need a code that is printed',
  },
  {
    name: 'tools',
    value: 'NAMES',
    repeat: true,
    help: 'the tools that are offered besides execute: all, or names with commas between them (repeatable)',
  },
  { name: 'http', help: 'listen over HTTP, on this machine only, instead of standard input; a port may follow' },
  { name: 'until', value: 'CMD', help: 'the command that succeeds when the task is done; approved for this loop' },
  {
    name: 'api',
    value: 'URL',
    help: 'a server that speaks the chat completions protocol, such as http://127.0.0.1:11434/v1',
  },
  { name: 'model', value: 'NAME', help: 'the model to ask for, with --api' },
  { name: 'api-key-env', value: 'NAME', help: 'the environment variable that has the key, with --api' },
  { name: 'rounds', value: 'N', help: 'the maximum number of replies; default 20' },
  { name: 'time', value: 'TIME', help: 'the time limit, such as 30m' },
  { name: 'tokens', value: 'N', help: 'the maximum number of tokens, sent and received' },
  { name: 'window', value: 'N', help: 'the tokens that fit into one conversation of the model; default 32000' },
  { name: 'unattended', help: 'ask nothing: a command that needs approval is refused, and the report says so' },
  { name: 'one-commit', help: 'squash the commits of the loop into one at the end' },
  { name: 'resume', value: 'N', help: 'continue this loop' },
  { name: 'replay', value: 'N', help: 'apply the replies of this loop again, without the model' },
  { name: 'no-open', help: 'print the address and open no browser' },
  { name: 'browser', help: 'serve the page of clada ui as well, for the browser extension' },
  { name: 'quiet', help: 'no report, only the exit code' },
  { name: 'no-color', key: 'report.color', sets: 'never', help: 'no colours' },
  { name: 'help', help: 'show help' },
  { name: 'version', help: 'show the version' },
] as const satisfies readonly Flag[]

export type FlagName = (typeof rows)[number]['name']

const chosen: Readonly<Record<string, readonly string[] | undefined>> = choices

export const flags: readonly (Flag & { readonly name: FlagName })[] = rows.map((row: Flag & { name: FlagName }) => {
  const values = row.key === undefined || row.sets !== undefined ? undefined : chosen[row.key]
  return values === undefined ? row : { value: 'MODE', ...row, values }
})

/** Flags that several commands share. */
export const reading = ['root', 'no-config', 'allow', 'allow-escape', 'syntax', 'csl-delimiters'] as const
export const reporting = ['error-detail', 'budget', 'max-output'] as const
export const running = [...reading, 'format', 'json', ...reporting] as const
export const approving = ['exec', 'approve', 'approve-network', 'trust-approvals'] as const
export const programs = [...approving, 'output-mode'] as const
export const editing = ['strict', 'matching', 'patches', 'proposals', 'final-newline'] as const
export const saving = ['no-git', 'git', 'git-author', 'lock-file', 'lock-timeout'] as const
export const limits = ['timeout', 'total-timeout'] as const
export const general = ['quiet', 'no-color', 'help'] as const

/** The headings under which a long help lists flags; what is under none of them comes first. */
export const flagGroups: readonly (readonly [heading: string, names: readonly FlagName[]])[] = [
  ['Reading the reply', ['syntax', 'csl-delimiters', 'strict', 'proposals']],
  ['Edits', ['matching', 'patches', 'final-newline']],
  ['Programs', [...programs, 'timeout', 'total-timeout', 'max-output']],
  ['Report', ['format', 'json', 'copy', 'osc52', 'error-detail', 'budget', 'quiet', 'no-color']],
  ['Project', ['root', 'no-config', 'allow', 'allow-escape']],
  ['Git and the lock', saving],
]

export type FlagValues = { readonly [name in FlagName]?: string[] }

export type ParsedArgs = { readonly flags: FlagValues; readonly words: readonly string[] }

/** A wrong call. The message says how to correct it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** The file that was to be read and is not there. */
  readonly missing: string | undefined

  constructor(message: string, { missing }: { readonly missing?: string } = {}) {
    super(message)
    this.missing = missing
  }
}

const short: Record<string, FlagName> = { h: 'help', V: 'version', v: 'version', q: 'quiet' }

/** @throws UsageError */
export function parseArgs(args: readonly string[]): ParsedArgs {
  const values: { [name in FlagName]?: string[] } = {}
  const words: string[] = []
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? ''
    if (arg === '--') {
      words.push(...args.slice(index + 1))
      break
    }
    if (!arg.startsWith('-') || arg === '-') {
      words.push(arg)
      continue
    }
    const equals = arg.indexOf('=')
    const spelled = arg.slice(arg.startsWith('--') ? 2 : 1, equals === -1 ? undefined : equals)
    const inline = equals === -1 ? undefined : arg.slice(equals + 1)
    const flag = findFlag(arg.startsWith('--') ? spelled : (short[spelled] ?? spelled), arg)
    let value = inline
    if (flag.value === undefined && inline !== undefined) throw new UsageError(`--${flag.name} takes no value.`)
    if (flag.value !== undefined && value === undefined) {
      value = args[++index]
      if (value === undefined) throw new UsageError(`--${flag.name} needs a value: --${flag.name} ${flag.value}.`)
    }
    const second = flag.two ? args[++index] : undefined
    if (flag.two && second === undefined) {
      throw new UsageError(`--${flag.name} needs two values: --${flag.name} ${flag.value}.`)
    }
    // Names of syntaxes have other spellings, which `options.ts` knows.
    if (flag.name !== 'syntax') checkValue(flag, value ?? '')
    const list = (values[flag.name] ??= [])
    if (list.length > 0 && !flag.repeat && flag.value !== undefined)
      throw new UsageError(`--${flag.name} is given twice.`)
    list.push(value ?? '', ...(second === undefined ? [] : [second]))
  }
  // So that commands look for one of them only.
  if (values.format?.[0] === 'json') values.json ??= ['']
  return { flags: values, words }
}

function findFlag(name: string, arg: string): (typeof flags)[number] {
  const flag = flags.find((one) => one.name === name)
  if (flag !== undefined) return flag
  const meant = didYouMean(
    `--${name}`,
    flags.map((one) => `--${one.name}`),
    ' See clada --help.',
  )
  throw new UsageError(`Unknown flag ${arg}.${meant}`)
}

function checkValue({ name, values, for: others = {} }: Flag, value: string): void {
  const all = values && [...new Set([...values, ...Object.values(others).flatMap((other) => other.values ?? [])])]
  if (all === undefined || all.includes(value)) return
  throw notAmongError(name, value, all)
}

export function notAmongError(name: string, value: string, values: readonly string[]): UsageError {
  return new UsageError(`--${name} must be one of ${values.join(', ')}, not '${value}'.${didYouMean(value, values)}`)
}

/** The value of a flag as a number; units of time and size are allowed. @throws UsageError */
export function readNumber(values: FlagValues, name: FlagName): number | undefined {
  const text = values[name]?.[0]
  if (text === undefined) return undefined
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? []
  const isTime = name === 'time' || name.endsWith('timeout')
  const factor = (isTime ? times : sizes)[unit.toLowerCase()]
  if (digits === undefined || factor === undefined) {
    const number = text.startsWith('-') ? 'a positive number' : 'a number'
    throw new UsageError(
      `--${name} must be ${number}${isTime ? ' of seconds, or a time such as 5m' : ''}, not '${text}'.`,
    )
  }
  return Number(digits) * factor
}

const times: Readonly<Record<string, number>> = { '': 1, s: 1, ms: 0.001, m: 60, min: 60, h: 3600 }
const sizes: Readonly<Record<string, number>> = { '': 1, k: 1024, kb: 1024, m: 1024 * 1024, mb: 1024 * 1024 }

/** The value that a flag gives to a config key, as it was written; undefined when no flag is about it. */
export function findFlagValue(
  key: KeyName,
  below: unknown,
  values: FlagValues,
): { readonly flag: FlagName; readonly value: unknown } | undefined {
  const flag = flags.find((one) => one.key === key && values[one.name] !== undefined)
  if (flag === undefined) return undefined
  const given = values[flag.name] ?? []
  if (flag.sets !== undefined) return { flag: flag.name, value: flag.sets }
  if (key === 'syntaxes') return { flag: flag.name, value: given }
  // Lists are extended by their flags.
  return { flag: flag.name, value: Array.isArray(below) ? [...below, ...given] : given[0] }
}
