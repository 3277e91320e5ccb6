import os from 'node:os'
import path from 'node:path'
import {
  canonical,
  type CladaOptions,
  defaultInputFile,
  isThere,
  projectFileName,
  readingOf,
} from '../config/settings.ts'
import type { ConfigParts } from '../config/to-options.ts'
import type { ExecutionResult } from '../core/result.ts'
import { type ReportFormat, reportFormats } from '../report/format.ts'
import type { ReportOptions } from '../report/parts.ts'
import { userFile } from '../state/user-state.ts'
import { defaultSyntax, type SyntaxName, syntaxNamed, syntaxNames, syntaxOf as rowOf } from '../syntax/table.ts'
import type { Loaded } from '../config/load.ts'
import { type FlagValues, notAmong, numberOf, UsageError } from './flags.ts'
import { isTerminal } from './streams.ts'
import { visible } from '../report/words.ts'

/** What flags and config files say about a run: flags first, then the project's file, then the user's. */
export async function cladaOptions(flags: FlagValues): Promise<CladaOptions> {
  const warnings = await configWarnings(flags)
  if (!warned.has(flags) && flags.quiet === undefined) {
    for (const warning of warnings) process.stderr.write(`clada: ${warning}\n`)
    await reportProjectAround(flags)
  }
  warned.add(flags)
  return optionsFor(flags)
}

/** Values of config files that are ignored. Reports for programs contain them: those do not read stderr. */
export const configWarnings = async (flags: FlagValues): Promise<readonly string[]> =>
  (await loadedFor(flags))?.warnings ?? []

/** Says on stderr that there is a project around this one, where --root does not say which is meant. */
export async function reportProjectAround(flags: FlagValues): Promise<void> {
  if (flags.root !== undefined || flags.quiet !== undefined) return
  if ((await loadedFor(flags))?.root !== undefined) return
  const around = projectAround()
  if (around !== undefined) process.stderr.write(`clada: ${visible(around)}\n`)
}

/** The same without warnings about ignored values, for commands that show them themselves. */
export async function optionsFor(flags: FlagValues): Promise<CladaOptions> {
  const own = flagOptions(flags)
  const loaded = await loadedFor(flags)
  // clada watch runs what is in it, so no document may write it, and no commit contains it.
  const input = loaded?.listener.inputFile ?? defaultInputFile
  const reserved = [path.resolve(own.repoPath ?? loaded?.options.repoPath ?? '.', input)]
  const below = loaded?.options
  if (below === undefined) return { ...ofFrontDoors, ...own, reserved }
  return {
    ...ofFrontDoors,
    ...below,
    ...own,
    reserved,
    allowedRoots: [...(below.allowedRoots ?? []), ...(own.allowedRoots ?? [])],
    approve: [...(below.approve ?? []), ...(own.approve ?? [])],
    network: [...(below.network ?? []), ...(own.network ?? [])],
    limits: { ...below.limits, ...own.limits },
  }
}

/** Defaults of the command line that the library does not have: people and models read what it reports. */
const ofFrontDoors = { matching: 'tolerant', evidence: 'diff', syntaxCheck: 'auto' } as const

/** For a process that lives on: loading parsers pays there. */
export const lasting = (options: CladaOptions): CladaOptions =>
  options.syntaxCheck === 'off' ? options : { ...options, syntaxCheck: 'lasting' }

export interface Configured {
  readonly options: CladaOptions
  /** The effective values of the config files, as they are nested there. Flags are not in it. */
  readonly config: Omit<ConfigParts, 'options'>
}

/** The same with everything else that config files say. @throws SettingsError, UsageError */
export async function configured(flags: FlagValues): Promise<Configured> {
  const options = await cladaOptions(flags)
  const below = await loadedFor(flags)
  return { options, config: below ?? (await import('../config/to-options.ts')).defaultParts() }
}

/** Flags with the reports that config files ask for, where no flag says otherwise. */
export async function withConfig(flags: FlagValues): Promise<FlagValues> {
  const below = await loadedFor(flags)
  if (below === undefined) return flags
  const { report, merged } = below
  // Two flags say the same thing: either of them wins over both.
  const isGiven = report.format === 'auto' || flags.format !== undefined || flags.json !== undefined
  return {
    ...(isGiven ? {} : report.format === 'json' ? { json: [''] } : { format: [report.format] }),
    ...(report.budget === null ? {} : { budget: [String(report.budget)] }),
    ...(merged['report.error_detail'].from === 'default' ? {} : { 'error-detail': [report.error_detail] }),
    ...(report.color === 'never' ? { 'no-color': [''] } : {}),
    ...flags,
  }
}

/** The config files, which flags override. */
type Below = Loaded & ConfigParts

/** Whose warnings were printed. */
const warned = new WeakSet<FlagValues>()
const known = new WeakMap<FlagValues, Promise<Below | undefined>>()

/** Undefined where there is no config file: then two looks at the disk are all it costs. */
export function loadedFor(flags: FlagValues): Promise<Below | undefined> {
  const found = known.get(flags)
  if (found !== undefined) return found
  const loading = load(flags)
  known.set(flags, loading)
  return loading
}

async function load(flags: FlagValues): Promise<Below | undefined> {
  if (flags['no-config'] !== undefined) return undefined
  const [root] = flags.root ?? []
  if (!isThere(userFile()) && !isThere(path.join(root ?? '', projectFileName))) return undefined
  const { configFiles } = await import('../config/to-options.ts')
  return configFiles(root)
}

/** What the flags alone say. Only what is said is there: it wins over config files. */
function flagOptions(flags: FlagValues): CladaOptions {
  const [root] = flags.root ?? []
  const timeout = numberOf(flags, 'timeout')
  const totalTimeout = numberOf(flags, 'total-timeout')
  const maxOutput = numberOf(flags, 'max-output')
  return {
    ...(root === undefined ? {} : { repoPath: root }),
    allowedRoots: flags.allow ?? [],
    allowEscape: flags['allow-escape'] !== undefined,
    atomic: flags.atomic !== undefined,
    gitCommit: flags['no-git'] === undefined,
    ...historyOptions(flags),
    strict: flags.strict !== undefined,
    ...editingOf(flags),
    ...(flags.again === undefined ? {} : { alreadyDone: 'run' as const }),
    ...(flags.syntax === undefined ? {} : { syntaxes: flags.syntax.map(syntaxOf) }),
    ...cslDelimiters(flags),
    ...(flags.exec === undefined ? {} : { exec: execOf(flags) }),
    approve: [...(flags.approve ?? []), ...(flags['approve-network'] ?? [])],
    network: flags['approve-network'] ?? [],
    trustApprovals: flags['trust-approvals'] !== undefined,
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(timeout === undefined ? {} : { limits: { actionMs: timeout * 1000 } }),
    ...(totalTimeout === undefined ? {} : { totalTimeout }),
  }
}

function editingOf({
  matching,
  patches,
  proposals,
  'final-newline': newline,
}: FlagValues): Pick<CladaOptions, 'matching' | 'patches' | 'proposals' | 'finalNewline'> {
  const review = (['ask', 'apply', 'off'] as const).find((mode) => mode === proposals?.[0])
  return {
    ...(review === undefined ? {} : { proposals: review }),
    ...(newline?.[0] === undefined ? {} : { finalNewline: newline[0] === 'add' ? 'add' : 'exact' }),
    ...(matching?.[0] === undefined ? {} : { matching: matching[0] === 'exact' ? 'exact' : 'tolerant' }),
    ...(patches?.[0] === undefined ? {} : { patches: patches[0] === 'good' ? 'good' : 'whole' }),
  }
}

function historyOptions(flags: FlagValues): Pick<CladaOptions, 'git' | 'gitAuthor' | 'lockFile' | 'lockTimeout'> {
  const [git] = flags.git ?? []
  const [gitAuthor] = flags['git-author'] ?? []
  const [lockFile] = flags['lock-file'] ?? []
  const lockTimeout = numberOf(flags, 'lock-timeout')
  return {
    ...(git === 'commit' || git === 'shadow' || git === 'off' ? { git } : {}),
    ...(gitAuthor === undefined ? {} : { gitAuthor }),
    ...(lockFile === undefined ? {} : { lockFile }),
    ...(lockTimeout === undefined ? {} : { lockTimeout }),
  }
}

/** Refused here already, because a wrong call is not a failed run. */
function cslDelimiters(flags: FlagValues): Pick<CladaOptions, 'cslDelimiters'> {
  const [start, end] = flags['csl-delimiters'] ?? []
  if (start === undefined || end === undefined) return {}
  const options = { cslDelimiters: { start, end } }
  readingOf(options)
  return options
}

function execOf(flags: FlagValues): 'sandbox' | 'unsandboxed' | 'off' {
  const [mode] = flags.exec ?? []
  return mode === 'unsandboxed' || mode === 'off' ? mode : 'sandbox'
}

function syntaxOf(name: string): SyntaxName {
  const found = syntaxNamed(name)
  if (found === undefined) throw notAmong('syntax', name, syntaxNames)
  return found
}

/** Whether a person reads the report. */
export function isPretty(flags: FlagValues): boolean {
  const [asked = 'auto'] = flags.json === undefined ? (flags.format ?? []) : ['json']
  return asked === 'pretty' || (asked === 'auto' && isTerminal(1))
}

/** The format for a result: as asked for, else the one for its reader. */
export function reportFormat(flags: FlagValues): (result: ExecutionResult) => ReportFormat {
  const [asked = 'auto'] = flags.json === undefined ? (flags.format ?? []) : ['json']
  const fixed = reportFormats.find((format) => format === asked)
  if (fixed !== undefined) return () => fixed
  if (asked !== 'auto') throw new UsageError(`--format ${asked} is for clada tools.`)
  return isTerminal(1) ? () => 'pretty' : formatFor
}

/** As the syntax of the document is answered. */
export const formatFor = ({ results, parseErrors }: ExecutionResult): ReportFormat =>
  rowOf(results[0]?.syntax ?? parseErrors[0]?.syntax ?? defaultSyntax).report ?? 'text'

export function reportOptions(flags: FlagValues): ReportOptions {
  const budget = numberOf(flags, 'budget')
  const outputLimit = numberOf(flags, 'max-output')
  const [detail] = flags['error-detail'] ?? []
  return {
    color: useColor(flags),
    budget: budget === undefined ? undefined : budget * 4,
    outputLimit,
    programs: outputMode(flags) === 'silent' ? 'hide' : 'show',
    errorDetail: detail === 'minimal' || detail === 'full' || detail === 'debug' ? detail : undefined,
  }
}

export function outputMode(flags: FlagValues): 'stream' | 'buffer' | 'silent' {
  const [mode] = flags['output-mode'] ?? []
  return mode === 'buffer' || mode === 'silent' ? mode : 'stream'
}

/** Whether the output of programs is shown as it comes: only for a person who sees it there, and then not again. */
export function streams(flags: FlagValues): boolean {
  return outputMode(flags) === 'stream' && flags.quiet === undefined && isTerminal(2) && isTerminal(1)
}

/** Whether it is written to stdout as it comes, for a program that reads there. */
export const streamsToPipe = (flags: FlagValues): boolean =>
  outputMode(flags) === 'stream' &&
  flags.quiet === undefined &&
  flags.json === undefined &&
  flags.format?.[0] !== 'json' &&
  !isTerminal(1)

export function useColor(flags: FlagValues): boolean {
  if (flags['no-color'] !== undefined || process.env['NO_COLOR']) return false
  return Boolean(process.env['FORCE_COLOR']) || isTerminal(1)
}

/** Each of these makes a directory a project. */
const marks = [projectFileName, '.git', '.clada']

/** What clada makes by itself at the first write tells nothing about what was meant. */
const meant = [projectFileName, '.git']

/**
 * One line about the project around the working directory, where there is one. The root is the working directory by
 * contract; a user in a subdirectory of their project may not expect that.
 */
export function projectAround(): string | undefined {
  const cwd = process.cwd()
  if (meant.some((name) => isThere(path.join(cwd, name)))) return undefined
  const { root } = path.parse(cwd)
  const home = canonical(os.homedir())
  for (let dir = cwd; dir !== root && dir !== home; dir = path.dirname(dir)) {
    const above = path.dirname(dir)
    // These are no project by accident either.
    if (above === root || above === home) return undefined
    const mark = marks.find((name) => isThere(path.join(above, name)))
    if (mark !== undefined) return noteFor(path.relative(cwd, above).split(path.sep).join('/'), mark)
  }
  return undefined
}

const noteFor = (around: string, mark: string): string =>
  `working on this directory alone; the project around it is ${around} (it has ${mark}). --root ${around} works on that; a clada.yml here (clada init) ends this note.`
