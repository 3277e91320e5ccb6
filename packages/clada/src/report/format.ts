import { escapeJson } from '@clada/reply/text/spell-out.ts'
import type { ExecutionResult } from '../core/result.ts'
import { entryLines, reportEntries } from './entries.ts'
import { formatLlm } from './llm.ts'
import type { ReportOptions } from './parts.ts'
import { prettyFormat } from './pretty.ts'
import { textFormat } from './text.ts'
import { capText } from './words.ts'
import { xmlFormat } from './xml.ts'

export const reportFormats = ['text', 'json', 'xml', 'llm', 'pretty'] as const
/** As they can be asked for. */
export const formatChoices = [...reportFormats, 'auto'] as const
export type ReportFormat = (typeof reportFormats)[number]

/** Formats whose lines can be shown while the run goes on. The others are put together at its end. */
export const lineFormats = { text: textFormat, xml: xmlFormat, pretty: prettyFormat } as const

/** A result as text for a person, a program or a model. */
export function formatReport(result: ExecutionResult, format: ReportFormat, options: ReportOptions = {}): string {
  switch (format) {
    case 'json':
      return escapeJson(JSON.stringify(withDetail(result, options.errorDetail), null, 2))
    case 'llm':
      return formatLlm(result, options)
    case 'text':
    case 'xml':
    case 'pretty': {
      const { style, closing } = lineFormats[format](options, result.root)
      const lines = reportEntries(result).flatMap((entry) => entryLines(entry, style))
      const report = [...lines, ...closing(result)].join('\n')
      return options.budget === undefined ? report : capText(report, options.budget)
    }
  }
}

/** Leaves out of a result what was not asked for. */
export function withDetail(result: ExecutionResult, detail: ReportOptions['errorDetail'] = 'full'): ExecutionResult {
  if (detail === 'debug') return result
  return {
    ...result,
    results: result.results.map((one) => {
      const { details, failure: _parts, outlines: _rows, hits: _hits, paths: _paths, ...rest } = one
      if (detail === 'minimal' || details === undefined) return rest
      const { stack: _, ...shown } = details
      return { ...rest, details: shown }
    }),
  }
}
