import type { ActionSpec } from '../core/action.ts'
import { toolsOf } from './json-schema.ts'
import { actionMarkdown } from './markdown.ts'
import { actionTable, type TableOptions } from './table.ts'
import { actionYaml } from './yaml.ts'

export type DescribeFormat = 'table' | 'yaml' | 'json' | 'md'

/** The actions as text; each format ends with a line break. `options` are for the table. */
export function describeActions(
  specs: readonly ActionSpec[],
  format: DescribeFormat,
  options: TableOptions = {},
): string {
  switch (format) {
    case 'table':
      return actionTable(specs, options)
    case 'yaml':
      return actionYaml(specs)
    case 'json':
      return `${JSON.stringify(toolsOf(specs), null, 2)}\n`
    case 'md':
      return actionMarkdown(specs)
  }
}
