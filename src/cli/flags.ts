import { targetNames } from '../core/block.ts'
import { reportFormats } from '../report/format.ts'
import { closestName } from '../text/closest-name.ts'

/** How `clada tools` lists them. */
export const toolFormats = ['table', 'yaml', 'json', 'md'] as const

/** A flag of the command line. Help, parsing and completion are derived from this list. */
export interface Flag {
  readonly name: string
  /** What its value is called in help; flags without one are switches. */
  readonly value?: string
  readonly values?: readonly string[]
  /** Set when it takes two values, one behind the other. */
  readonly two?: true
  readonly repeat?: true
  readonly help: string
}

export const flags = [
  { name: 'root', value: 'DIR', help: 'the project; default: the working directory' },
  { name: 'no-config', help: 'look at no config file, neither the project’s nor your own' },
  { name: 'allow', value: 'DIR', repeat: true, help: 'another directory that may be touched (repeatable)' },
  { name: 'allow-escape', help: 'lift the roots; the denied patterns still hold' },
  {
    name: 'syntax',
    value: 'NAME',
    repeat: true,
    help: 'look for this syntax only (repeatable); with prompt: the syntax to teach',
  },
  {
    name: 'csl-delimiters',
    value: 'START END',
    two: true,
    help: 'what CSL markers begin and end with; default <--- --->',
  },
  { name: 'to', value: 'SYNTAX', values: targetNames, help: 'with convert: the syntax to write' },
  {
    name: 'format',
    value: 'NAME',
    values: [...reportFormats, 'auto', ...toolFormats.filter((format) => format !== 'json')],
    help: 'how the report reads; auto: pretty on a terminal, else as the syntax of the document likes it; with tools: how they are listed',
  },
  { name: 'json', help: 'the same as --format json' },
  {
    name: 'error-detail',
    value: 'LEVEL',
    values: ['minimal', 'full', 'debug'],
    help: 'how much is said about failures; default full',
  },
  { name: 'budget', value: 'TOKENS', help: 'longest report, prompt or text to paste, in tokens of four characters' },
  { name: 'max-output', value: 'BYTES', help: 'output kept and shown of one action; default: 10m kept, 50k shown' },
  {
    name: 'output-mode',
    value: 'MODE',
    values: ['stream', 'buffer', 'silent'],
    help: 'output of programs: as it comes, in the report, or not at all',
  },
  { name: 'exec', value: 'MODE', values: ['sandbox', 'unsandboxed', 'off'], help: 'how code is run; default: sandbox' },
  { name: 'approve', value: 'CMD', repeat: true, help: 'approve a command for this run (repeatable)' },
  { name: 'trust-approvals', help: "take the project's list of approved commands as it is, for this run" },
  { name: 'network', help: 'with approve: let the command use the network' },
  { name: 'atomic', help: 'carry the document out whole or not at all' },
  {
    name: 'again',
    help: 'with watch: run blocks again that were already carried out; with run: say nothing when the same document was carried out before',
  },
  { name: 'strict', help: 'repair nothing that a chat program damaged' },
  { name: 'no-git', help: 'save no checkpoints in git; undo works all the same' },
  {
    name: 'git',
    value: 'MODE',
    values: ['commit', 'shadow', 'off'],
    help: 'where executions are saved: on the branch, under refs/clada, or not in git; default commit',
  },
  { name: 'git-author', value: 'AUTHOR', help: "whose commits they are, as 'Name <mail>'; default clada" },
  { name: 'lock-file', value: 'FILE', help: 'keeps two executions apart; default .clada/lock' },
  { name: 'lock-timeout', value: 'SECONDS', help: 'how long to wait for another execution; default 10' },
  {
    name: 'force',
    help: 'with undo and redo: merge with what changed since; with squash: also what was pushed, or another branch or a tag holds',
  },
  { name: 'auto', help: 'with squash: the unbroken run of AI: commits that ends here (the default)' },
  { name: 'messages', help: 'with squash: every run of AI: commits, each by itself' },
  { name: 'hours', value: 'N', help: 'with squash: commits no older than that' },
  { name: 'days', value: 'N', help: 'with squash: commits no older than that' },
  { name: 'containing', value: 'TEXT', help: 'with squash: commits whose message holds TEXT; an empty one takes all' },
  { name: 'contiguous', help: 'with squash: only the run that ends here' },
  { name: 'message', value: 'TEXT', help: 'with squash: the message of the new commit' },
  {
    name: 'dry-run',
    help: 'with squash: only show what would become one commit; with run and diff: show what would change, as clada diff does',
  },
  { name: 'action', value: 'N', help: 'with undo: only this action of the execution' },
  { name: 'timeout', value: 'SECONDS', help: 'for one search or command; default 30' },
  { name: 'total-timeout', value: 'SECONDS', help: 'for the whole document; the rest is skipped' },
  {
    name: 'copy',
    help: 'with prompt and context print: put it on the clipboard instead of stdout; with watch: put the answers on the clipboard',
  },
  { name: 'osc52', help: 'copy, and ask the terminal to copy too, which may be on another machine' },
  { name: 'numbered', help: 'with context print: with line numbers' },
  { name: 'outline', help: 'with context print: only the headers of classes, functions, sections' },
  {
    name: 'all',
    help: 'with prompt: every action, not only those for every day; with outline: locals, loops and conditions too',
  },
  { name: 'files', help: 'with prompt: the files of clada context behind it' },
  { name: 'clipboard', help: 'with watch: take copied replies, and put the answers on the clipboard' },
  { name: 'stdin', value: 'PARAM', help: 'with do: take this parameter from standard input' },
  { name: 'port', value: 'N', help: 'with ui: where to listen; default: the same for a project every time' },
  { name: 'no-open', help: 'with ui: print the address and open no browser' },
  { name: 'quiet', help: 'no report, only the exit code' },
  { name: 'no-color', help: 'no colours' },
  { name: 'help', help: 'show help' },
  { name: 'version', help: 'show the version' },
] as const satisfies readonly Flag[]

export type FlagName = (typeof flags)[number]['name']
export type FlagValues = { readonly [name in FlagName]?: string[] }

export type ParsedArgs = { readonly flags: FlagValues; readonly words: readonly string[] }

/** A wrong call. The message says how to put it right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
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
    const [, spelled = '', inline] = /^--?([^=]*)(?:=([\s\S]*))?$/.exec(arg) ?? []
    const flag = known(arg.startsWith('--') ? spelled : (short[spelled] ?? spelled), arg)
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
    if (flag.values !== undefined && !flag.values.includes(value ?? '')) {
      const close = closestName(value ?? '', flag.values)
      const meant = close === undefined ? '' : ` Did you mean ${close}?`
      throw new UsageError(`--${flag.name} is one of ${flag.values.join(', ')}; '${value}' is none of them.${meant}`)
    }
    const list = (values[flag.name] ??= [])
    if (list.length > 0 && !flag.repeat && flag.value !== undefined)
      throw new UsageError(`--${flag.name} is given twice.`)
    list.push(value ?? '', ...(second === undefined ? [] : [second]))
  }
  // Said once, so that nobody has to look for both.
  if (values.format?.[0] === 'json') values.json ??= ['']
  return { flags: values, words }
}

function known(name: string, arg: string): Flag & { name: FlagName } {
  const flag = flags.find((one) => one.name === name)
  if (flag !== undefined) return flag
  const close = closestName(
    name,
    flags.map((one) => one.name),
  )
  throw new UsageError(
    `Unknown flag ${arg}.${close === undefined ? ' See clada --help.' : ` Did you mean --${close}?`}`,
  )
}

/** A number of seconds or the like, with the flag's name in the complaint. */
export function numberOf(values: FlagValues, name: FlagName): number | undefined {
  const text = values[name]?.[0]
  if (text === undefined) return undefined
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*(s|ms|k|kb|m|mb)?$/i.exec(text) ?? []
  if (digits === undefined) throw new UsageError(`--${name} needs a number; '${text}' is none.`)
  const factors: Record<string, number> = { ms: 0.001, k: 1024, kb: 1024, m: 1024 * 1024, mb: 1024 * 1024 }
  return Number(digits) * (factors[unit.toLowerCase()] ?? 1)
}
