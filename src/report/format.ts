import type { ExecutionResult } from '../core/result.ts'
import { formatLlm } from './llm.ts'
import type { ReportOptions } from './parts.ts'
import { formatPretty } from './pretty.ts'
import { formatText } from './text.ts'
import { formatXml } from './xml.ts'

export const reportFormats = ['text', 'json', 'xml', 'llm', 'pretty'] as const
export type ReportFormat = (typeof reportFormats)[number]

/** A result as text for a person, a program or a model. */
export function formatReport(result: ExecutionResult, format: ReportFormat, options: ReportOptions = {}): string {
  switch (format) {
    case 'json':
      return JSON.stringify(withDetail(result, options.errorDetail), null, 2)
    case 'text':
      return formatText(result, options)
    case 'xml':
      return formatXml(result, options)
    case 'llm':
      return formatLlm(result, options)
    case 'pretty':
      return formatPretty(result, options)
  }
}

/** Leaves out of a result what was not asked for. */
export function withDetail(result: ExecutionResult, detail: ReportOptions['errorDetail'] = 'full'): ExecutionResult {
  if (detail === 'debug') return result
  return {
    ...result,
    results: result.results.map((one) => {
      const { details, failure: _parts, ...rest } = one
      if (detail === 'minimal' || details === undefined) return rest
      const { stack: _, ...shown } = details
      return { ...rest, details: shown }
    }),
  }
}
