import { syntaxNames, type SyntaxName } from '../core/block.ts'
import type { ExecutionResult } from '../core/result.ts'
import { formatFor, type ReportFormat, reportFormats } from '../report/format.ts'
import type { ReportOptions } from '../report/options.ts'
import type { CladaOptions } from '../settings.ts'
import { closestName } from '../text/closest-name.ts'
import { type FlagValues, numberOf, UsageError } from './flags.ts'
import { isTerminal } from './terminal.ts'

/** What the flags say about a run. */
export function cladaOptions(flags: FlagValues): CladaOptions {
  const [root] = flags.root ?? []
  const timeout = numberOf(flags, 'timeout')
  return {
    ...(root === undefined ? {} : { repoPath: root }),
    allowedRoots: flags.allow ?? [],
    allowEscape: flags['allow-escape'] !== undefined,
    atomic: flags.atomic !== undefined,
    gitCommit: flags['no-git'] === undefined,
    strict: flags.strict !== undefined,
    ...(flags.syntax === undefined ? {} : { syntaxes: flags.syntax.map(syntaxOf) }),
    ...(timeout === undefined ? {} : { limits: { actionMs: timeout * 1000 } }),
  }
}

function syntaxOf(name: string): SyntaxName {
  const lower = name.toLowerCase()
  const found = syntaxNames.find((syntax) => syntax === (lower === 'nesl' ? 'sham' : lower))
  if (found !== undefined) return found
  const close = closestName(name, syntaxNames)
  const meant = close === undefined ? '' : ` Did you mean ${close}?`
  throw new UsageError(`--syntax is one of ${syntaxNames.join(', ')}; '${name}' is none of them.${meant}`)
}

/** The format for a result: as asked for, else for whoever reads it. */
export function reportFormat(flags: FlagValues): (result: ExecutionResult) => ReportFormat {
  const [asked = 'auto'] = flags.json === undefined ? (flags.format ?? []) : ['json']
  const fixed = reportFormats.find((format) => format === asked)
  if (fixed !== undefined) return () => fixed
  if (asked !== 'auto') throw new UsageError(`--format ${asked} is for clada tools.`)
  return isTerminal(1) ? () => 'pretty' : formatFor
}

export function reportOptions(flags: FlagValues): ReportOptions {
  const budget = numberOf(flags, 'budget')
  const outputLimit = numberOf(flags, 'max-output')
  const [detail] = flags['error-detail'] ?? []
  return {
    color: useColor(flags),
    budget: budget === undefined ? undefined : budget * 4,
    outputLimit,
    errorDetail: detail === 'minimal' || detail === 'full' || detail === 'debug' ? detail : undefined,
  }
}

export function useColor(flags: FlagValues): boolean {
  if (flags['no-color'] !== undefined || process.env['NO_COLOR']) return false
  return Boolean(process.env['FORCE_COLOR']) || isTerminal(1)
}
