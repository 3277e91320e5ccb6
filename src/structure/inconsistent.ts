import { indentOf } from './indent.ts'
import type { Warning } from './problem.ts'
import type { Outline } from './structure.ts'

/** Says where indented content mixes tabs into blanks, or blanks into tabs, against what the file has. */
export function inconsistentIndent({ source }: Outline, lines: readonly string[], firstLine: number): Warning[] {
  const tabs = /^\t/m.test(source.text)
  const blanks = /^ {2}/m.test(source.text)
  if (tabs === blanks) return []
  const odd = tabs ? /^\t* {2}/ : /\t/
  const at = lines.findIndex((line) => line.trim() !== '' && odd.test(indentOf(line)) && !source.text.includes(line))
  const line = lines[at]
  if (line === undefined) return []
  const actual_indent = indentOf(line)
  const expected_indent = tabs ? 'tabs' : 'spaces'
  return [
    {
      type: 'INDENTATION_INCONSISTENT',
      message: `Line ${firstLine + at} is indented with ${JSON.stringify(actual_indent)}, while the file uses ${expected_indent}.`,
      details: { expected_indent, actual_indent, line: firstLine + at },
    },
  ]
}
