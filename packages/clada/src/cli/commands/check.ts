import { type ContentKind, contentKindOf } from '@clada/reply/syntax/content-kind.ts'
import { withoutBlocks } from '../../report/parts.ts'
import { checkDocument, type CheckedBlock, type CheckedDocument } from '../../engine/check.ts'
import { withWarnings } from '../../core/result.ts'
import { spellOut } from '../../report/words.ts'
import { correctedLines } from '../../report/repair.ts'
import type { Command } from '../command.ts'
import { general } from '../flags.ts'
import { print, printJson, readInputs } from '../streams.ts'
import { cladaOptions, configWarnings } from '../options.ts'

export const command: Command = {
  name: 'check',
  group: 'everyday',
  usage: 'clada check [FILE…|-]',
  summary: 'read and validate the blocks; run nothing',
  about: 'Lists every block with its place, its action and what is wrong with it. The disk is not read.',
  documents: true,
  flags: ['root', 'no-config', 'syntax', 'csl-delimiters', 'json', 'strict', ...general],
  examples: [['clada check reply.md', 'is this reply valid?']],
  run: async ({ flags, words }) => {
    const options = await cladaOptions(flags)
    const inputs = await readInputs(words)
    const checked = inputs.map(({ name, text }) => ({ name, ...checkDocument(text, options) }))
    if (flags.quiet === undefined) {
      if (flags.json !== undefined) {
        const unheard = await configWarnings(flags)
        const whole = checked.map((document) => withWarnings(document, unheard))
        printJson(whole.length === 1 ? whole[0] : whole)
      } else
        for (const [at, document] of checked.entries())
          print(
            describeDocument({ ...document, contentKind: contentKindOf(inputs[at]?.text ?? '') }, checked.length > 1),
          )
    }
    return checked.every((document) => document.valid) ? 0 : 1
  },
}

function describeDocument(
  document: CheckedDocument & { name: string; contentKind: ContentKind },
  several: boolean,
): string {
  const { blocks, warnings, name, contentKind } = document
  const bad = blocks.filter((block) => block.problems.length > 0).length
  const left = blocks.filter(({ note }) => note !== undefined).length
  return spellOut(
    [
      ...(several ? [`--- ${name}`] : []),
      ...blocks.flatMap(checkedBlockLines),
      ...warnings.map((warning) => `⚠ ${warning}`),
      blocks.length === 0
        ? withoutBlocks[contentKind]
        : `${blocks.length} found, ${bad} with problems${left === 0 ? '' : `, ${left} not executed`}.`,
      ...correctedLines({ parseErrors: blocks.map(({ corrected }) => (corrected === undefined ? {} : { corrected })) }),
    ].join('\n'),
  )
}

function checkedBlockLines(block: CheckedBlock): string[] {
  const { syntax, id, action, target, problems, note, proposed, warnings = [] } = block
  const mark = problems.length > 0 ? '✗' : note === undefined ? '✓' : '–'
  const what = [action, target].filter((word) => word !== '').join(' ')
  const open = block.endLine === null ? ', not closed' : ''
  return [
    `${mark} ${checkedLines(block)}${open}  ${syntax} ${id}  ${what}`.trimEnd(),
    ...problems.flatMap(({ line, column, message, hint, code }) => [
      `    ${line === undefined ? '' : `line ${line}${column === undefined ? '' : `, column ${column}`}: `}${message} [${code}]`,
      ...(hint === undefined ? [] : [`    → ${hint}`]),
    ]),
    ...(note === undefined ? [] : [`    ${note}`]),
    ...(proposed && problems.length === 0 ? ['    a proposal: shown before it is applied'] : []),
    ...warnings.map((warning) => `    ⚠ ${warning}`),
  ]
}

const checkedLines = ({ startLine, endLine }: CheckedBlock): string =>
  endLine === null || endLine === startLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`
