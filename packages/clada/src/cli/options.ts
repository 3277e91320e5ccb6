import { withoutUndefined } from '@clada/reply/core/optional.ts'
import path from 'node:path'
import { projectFileName } from '../core/reserved-names.ts'
import { withSlashes } from '../core/paths.ts'
import { type ProjectAround, projectAround } from '../state/project-root.ts'
import { choices } from '../config/choices.ts'
import { type CladaOptions, defaultInputFile, pathExists, readingOptions, rootOf } from '../config/settings.ts'
import type { Config } from '../config/nested-config.ts'
import type { ExecutionResult } from '../core/result.ts'
import { type ReportFormat, reportFormats } from '../report/format.ts'
import type { ReportOptions } from '../report/parts.ts'
import { userFile } from '../state/user-state.ts'
import {
  defaultSyntax,
  type SyntaxName,
  findSyntaxName,
  syntaxNames,
  syntaxOf as rowOf,
} from '@clada/reply/syntax/table.ts'
import type { Loaded } from '../config/load.ts'
import type { OnLockWait } from '../core/settings.ts'
import { findFlagValue, flags, type FlagValues, notAmongError, readNumber, UsageError } from './flags.ts'
import { columnsOf, isTerminal, say } from './streams.ts'
import { withColor, type Paint, withoutColor } from '../report/pretty.ts'
import { spellOutCommand } from '../report/words.ts'

/** What flags and config files say about a run: flags first, then the project's file, then the user's. */
export async function cladaOptions(given: FlagValues): Promise<CladaOptions> {
  const warnings = await configWarnings(given)
  if (!warned.has(given) && given.quiet === undefined) {
    for (const warning of warnings) say(`clada: ${warning}`, 2)
    await sayProject(given)
  }
  warned.add(given)
  const options = await optionsFor(given)
  // A wrong root is a wrong call, also where the run itself would report it.
  rootOf(options.repoPath)
  return given.quiet === undefined ? { ...options, onLockWait: tellLockWait } : options
}

const tellLockWait: OnLockWait = (holder) => {
  const who = holder === undefined ? '' : `: ${spellOutCommand(holder.command)} (process ${holder.pid})`
  say(`clada: waiting for another execution to finish${who}`, 2)
}

/** Values of config files that are ignored. Reports for programs contain them: those do not read stderr. */
export const configWarnings = async (given: FlagValues): Promise<readonly string[]> =>
  (await loadConfigFiles(given))?.warnings ?? []

/** Says on stderr which project this is, where it is not the working directory and neither a flag nor a file names it. */
export async function sayProject(given: FlagValues): Promise<void> {
  if (given.quiet !== undefined) return
  const line = projectLine(await findProjectAround(given))
  if (line !== undefined) say(`clada: ${spellOutCommand(line)}`, 2)
}

/** The project around the working directory. Undefined where a flag or a file names another one. */
export async function findProjectAround(given: FlagValues): Promise<ProjectAround | undefined> {
  const around = projectFor(given)
  const named = (await loadConfigFiles(given))?.root
  return around === undefined || (named !== undefined && named !== around.root) ? undefined : around
}

/** An empty list of roots means the working directory, whatever is around it: a client that starts clada has chosen it. */
const projectFor = (given: FlagValues): ProjectAround | undefined =>
  given.root === undefined ? projectAround(process.cwd()) : undefined

/** Where a directory above is the project, if that may be used. */
const rootAround = (given: FlagValues): string | undefined => {
  const around = projectFor(given)
  return around?.refused === undefined ? around?.root : undefined
}

/** A file as the user types it, seen from the project: names are relative to the working directory, as for every program. */
export function resolveTypedPath(file: string, given: FlagValues, { repoPath }: CladaOptions): string {
  if (given.root !== undefined || repoPath === undefined || path.isAbsolute(file)) return file
  const here = withSlashes(path.relative(repoPath, process.cwd()))
  if (here === '' || here.startsWith('..')) return file
  return file.startsWith('.') ? path.posix.join(here, withSlashes(file)) : `${here}/${file}`
}

/** One line about the project around the working directory. */
export function projectLine(around: ProjectAround | undefined): string | undefined {
  if (around === undefined) return undefined
  const dir = withSlashes(path.relative(process.cwd(), around.root))
  return around.refused === undefined
    ? `the project is ${dir} (${around.root}), which has ${around.mark}; --root . uses only this directory.`
    : `using only this directory: ${dir} has ${around.mark}, but ${around.refused}. Use --root ${dir} if you trust that project.`
}

/** The same without warnings about ignored values, for commands that show them themselves. */
export async function optionsFor(given: FlagValues): Promise<CladaOptions> {
  const own = await readFlagOptions(given)
  const loaded = await loadConfigFiles(given)
  const { options: below = {}, config } = loaded ?? {}
  // clada watch runs what is in it, so no document may write it, and no commit contains it.
  const input = config?.listener.input_file ?? defaultInputFile
  const repoPath = own.repoPath ?? below.repoPath ?? rootAround(given)
  return {
    ...cliDefaults,
    ...below,
    ...own,
    repoPath,
    startedIn: process.cwd(),
    reserved: [path.resolve(repoPath ?? '.', input)],
    allowedRoots: [...(below.allowedRoots ?? []), ...(own.allowedRoots ?? [])],
    approve: [...(below.approve ?? []), ...(own.approve ?? []), ...(own.network ?? [])],
    network: [...(below.network ?? []), ...(own.network ?? [])],
    limits: { ...below.limits, ...own.limits },
  }
}

/** Defaults of the command line that the library does not have: people and models read what it reports. */
const cliDefaults = {
  matching: 'tolerant',
  evidence: 'diff',
  syntaxCheck: 'auto',
  controlCharacters: 'refuse',
  relativePaths: true,
  alreadyDone: 'resume',
} as const

/** For a process that lives on: loading parsers pays there. */
export const forLongProcess = (options: CladaOptions): CladaOptions =>
  options.syntaxCheck === 'off' ? options : { ...options, syntaxCheck: 'lasting' }

export interface Configured {
  readonly options: CladaOptions
  /** The effective values of the config files. Flags are not in it. */
  readonly config: Config
}

/** The same with everything else that config files say. @throws SettingsError, UsageError */
export async function loadConfigured(given: FlagValues): Promise<Configured> {
  const options = await cladaOptions(given)
  const loaded = await loadConfigFiles(given)
  if (loaded !== undefined) return { options, config: loaded.config }
  const { configOf, merge } = await import('../config/merge.ts')
  return { options, config: configOf(merge()) }
}

/** Flags with the reports that config files ask for, where no flag says otherwise. */
export async function withConfig(given: FlagValues): Promise<FlagValues> {
  const { merged } = (await loadConfigFiles(given)) ?? {}
  if (merged === undefined) return given
  const more = flags.flatMap(({ name, key, sets }) => {
    if (!key?.startsWith('report.') || findFlagValue(key, undefined, given) !== undefined) return []
    const { value, from } = merged[key]
    if (from === 'default' || (sets === undefined ? value === null : value !== sets)) return []
    return [[name, [sets === undefined ? String(value) : '']]]
  })
  return { ...Object.fromEntries(more), ...given }
}

/** Whose warnings were printed. */
const warned = new WeakSet<FlagValues>()
const known = new WeakMap<FlagValues, Promise<Loaded | undefined>>()

/** Undefined where there is no config file: then two looks at the disk are all it costs. */
export function loadConfigFiles(given: FlagValues): Promise<Loaded | undefined> {
  const found = known.get(given)
  if (found !== undefined) return found
  const loading = loadFor(given)
  known.set(given, loading)
  return loading
}

/** Flags that mean what a front end has loaded itself. */
export function withLoaded(given: FlagValues, loaded: Loaded): FlagValues {
  known.set(given, Promise.resolve(loaded))
  return given
}

async function loadFor(given: FlagValues): Promise<Loaded | undefined> {
  if (given['no-config'] !== undefined) return undefined
  const [root] = given.root ?? []
  const around = rootAround(given)
  if (!pathExists(userFile()) && !pathExists(path.join(root ?? around ?? '', projectFileName))) return undefined
  const { loadConfig } = await import('../config/load.ts')
  return loadConfig(root, around)
}

/** What the flags alone say. Only what is said is there: it wins over config files. */
async function readFlagOptions(given: FlagValues): Promise<CladaOptions> {
  const [root] = given.root ?? []
  const [lockFile] = given['lock-file'] ?? []
  const lockTimeout = readNumber(given, 'lock-timeout')
  const [session] = given.session ?? []
  return withoutUndefined({
    repoPath: root,
    allowEscape: given['allow-escape'] !== undefined,
    atomic: given.atomic !== undefined,
    gitCommit: given['no-git'] === undefined,
    strict: given.strict !== undefined,
    trustApprovals: given['trust-approvals'] !== undefined,
    lockFile,
    session,
    lockTimeout,
    alreadyDone: given.again === undefined ? undefined : 'run',
    ...cslDelimiters(given),
    ...(await keyOptions(given)),
  })
}

/** The options of flags that override a config key: as the key has them. */
async function keyOptions(given: FlagValues): Promise<CladaOptions> {
  const values = flags.flatMap(({ name, key, value, repeat, sets }) => {
    const words = given[name]
    if (words === undefined || key === undefined || key === 'root' || sets !== undefined) return []
    const isNumber = value === 'SECONDS' || value === 'BYTES' || value === 'TOKENS'
    const read = key === 'syntaxes' ? words.map(readSyntaxName) : repeat ? words : words[0]
    return [[key, isNumber ? readNumber(given, name) : read] as const]
  })
  // Most runs have no such flag, and need no table of keys.
  return values.length === 0 ? {} : (await import('../config/merge.ts')).optionsOf(values)
}

/** Refused here already, because a wrong call is not a failed run. */
function cslDelimiters(given: FlagValues): Pick<CladaOptions, 'cslDelimiters'> {
  const [start, end] = given['csl-delimiters'] ?? []
  if (start === undefined || end === undefined) return {}
  const options = { cslDelimiters: { start, end } }
  readingOptions(options)
  return options
}

function readSyntaxName(name: string): SyntaxName {
  const found = findSyntaxName(name)
  if (found === undefined) throw notAmongError('syntax', name, syntaxNames)
  return found
}

/** Whether a person reads the report. */
export function isPretty(given: FlagValues): boolean {
  const [asked = 'auto'] = given.json === undefined ? (given.format ?? []) : ['json']
  return asked === 'pretty' || (asked === 'auto' && isTerminal(1))
}

/** The format for a document of a syntax: as asked for, else the one for its reader. */
export function reportFormat(given: FlagValues): (syntax: string | undefined) => ReportFormat {
  const [asked = 'auto'] = given.json === undefined ? (given.format ?? []) : ['json']
  const fixed = reportFormats.find((format) => format === asked)
  if (fixed !== undefined) return () => fixed
  if (asked !== 'auto') throw new UsageError(`--format ${asked} is for clada tools.`)
  return isTerminal(1) ? () => 'pretty' : formatOfSyntax
}

const formatOfSyntax = (syntax: string = defaultSyntax): ReportFormat => rowOf(syntax).report ?? 'text'

/** The syntax of the document that a result is about. */
export const resultSyntax = ({ results, parseErrors, emptyGroups }: ExecutionResult): string | undefined =>
  results[0]?.syntax ?? parseErrors[0]?.syntax ?? emptyGroups?.[0]?.syntax

/** As the syntax of the document is answered. */
export const resultFormat = (result: ExecutionResult): ReportFormat => formatOfSyntax(resultSyntax(result))

export function reportOptions(given: FlagValues): ReportOptions {
  const budget = readNumber(given, 'budget')
  const outputLimit = readNumber(given, 'max-output')
  const [detail] = given['error-detail'] ?? []
  return {
    color: useColor(given),
    columns: columnsOf(1),
    budget: budget === undefined ? undefined : budget * 4,
    outputLimit,
    programs: outputMode(given) === 'silent' ? 'hide' : 'show',
    errorDetail: choices['report.error_detail'].find((level) => level === detail),
  }
}

export function outputMode(given: FlagValues): 'stream' | 'buffer' | 'silent' {
  const [mode] = given['output-mode'] ?? []
  return mode === 'buffer' || mode === 'silent' ? mode : 'stream'
}

/** Where the output of programs goes as it arrives. */
export function programStream(given: FlagValues): 'stdout' | 'stderr' | 'none' {
  if (outputMode(given) !== 'stream') return 'none'
  if (!isTerminal(1)) return 'stdout'
  return isTerminal(2) ? 'stderr' : 'none'
}

export function useColor(given: FlagValues, stream: 1 | 2 = 1): boolean {
  if (given['no-color'] !== undefined || process.env['NO_COLOR']) return false
  return Boolean(process.env['FORCE_COLOR']) || isTerminal(stream)
}

export const paintFor = (given: FlagValues, stream: 1 | 2 = 1): Paint =>
  useColor(given, stream) ? withColor : withoutColor
