import { checkDocument, type CheckedBlock, type CheckedDocument } from '../check.ts'
import { printable } from '../report/printable.ts'
import type { Command } from './command.ts'
import { readInputs } from './input.ts'
import { cladaOptions } from './options.ts'
import { print } from './print.ts'

export const command: Command = async ({ flags, words }) => {
  const inputs = await readInputs(words)
  const checked = inputs.map(({ name, text }) => ({ name, ...checkDocument(text, cladaOptions(flags)) }))
  if (flags.quiet === undefined) {
    if (flags.json !== undefined) print(JSON.stringify(checked.length === 1 ? checked[0] : checked, null, 2))
    else for (const document of checked) print(listed(document, checked.length > 1))
  }
  return checked.every((document) => document.valid) ? 0 : 1
}

function listed(document: CheckedDocument & { name: string }, several: boolean): string {
  const lines = several ? [`--- ${document.name}`] : []
  for (const block of document.blocks) lines.push(...blockLines(block))
  const bad = document.blocks.filter((block) => block.problems.length > 0).length
  lines.push(
    document.blocks.length === 0 ? 'No blocks found.' : `${document.blocks.length} found, ${bad} with problems.`,
  )
  return printable(lines.join('\n'))
}

function blockLines({ syntax, id, action, target, startLine, endLine, problems }: CheckedBlock): string[] {
  const lines = endLine === null ? `line ${startLine}` : `lines ${startLine}-${endLine}`
  const what = [action, target].filter((word) => word !== '').join(' ')
  return [
    `${problems.length === 0 ? '✓' : '✗'} ${lines}  ${syntax} ${id}  ${what}`.trimEnd(),
    ...problems.flatMap(({ line, column, message, hint, code }) => [
      `    ${line === undefined ? '' : `line ${line}${column === undefined ? '' : `, column ${column}`}: `}${message} [${code}]`,
      ...(hint === undefined ? [] : [`    → ${hint}`]),
    ]),
  ]
}
