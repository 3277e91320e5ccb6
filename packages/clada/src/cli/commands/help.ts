import { wrapWords, capitalize } from '@clada/reply/core/words.ts'
import { wrapLine } from '../../report/width.ts'
import { didYouMean } from '@clada/reply/text/closest-name.ts'
import { type Command, commandGroups } from '../command.ts'
import { type Flag, flagGroups, flags, UsageError } from '../flags.ts'
import { columnsOf, print } from '../streams.ts'

export const command: Command = {
  name: 'help',
  group: 'set-up',
  usage: 'clada help [COMMAND]',
  summary: 'show the flags and examples of a command',
  flags: ['help'],
  words: 'commands',
  examples: [['clada help watch', 'everything about clada watch']],
  run: async ({ words: [name], all }) => {
    const commands = await all()
    const found = commands.find((one) => one.name === name)
    if (name !== undefined && found === undefined) {
      const names = commands.map((one) => one.name)
      throw new UsageError(`There is no command ${name}.${didYouMean(name, names)}`)
    }
    const width = Math.min(columnsOf(1) ?? usualWidth, usualWidth)
    print(found === undefined ? generalHelp(commands, width) : commandHelp(found, width))
    return 0
  },
}

/** Longer lines are hard to read. */
const usualWidth = 80

function generalHelp(commands: readonly Command[], width: number): string {
  const indent = indentBeside(commands.map(({ name }) => name))
  const groups = commandGroups.map((group) => [
    `${capitalize(group)}:`,
    ...inTwoColumns(
      commands.flatMap((one) => (one.group === group ? [[one.name, one.summary] as const] : [])),
      { indent, width },
    ),
    '',
  ])
  return [
    ...wrapLine(
      "Applies the edits and commands in a language model's reply to your project, reports what it did, and can undo it.",
      width,
    ),
    '',
    ...inTwoColumns(firstSteps, { indent: 27, width }),
    '',
    ...groups.flat(),
    ...wrapLine('Flags and examples of a command: clada help COMMAND', width),
  ].join('\n')
}

const firstSteps: readonly HelpRow[] = [
  ['clada reply.md', 'apply a saved reply'],
  ['clada diff reply.md', 'see what it would change first'],
  ['clada undo', 'take the last one back'],
]

export function commandHelp(command: Command, width = usualWidth): string {
  const { name, usage, summary, about, flags: names, examples } = command
  const shown: readonly Flag[] = names.flatMap((flag) => flags.filter((one) => one.name === flag))
  const rows = (list: readonly Flag[]): readonly HelpRow[] => list.map((flag) => flagRow(flag, name))
  const flagIndent = indentBeside(
    rows(shown).map(([left]) => left),
    widestFlag,
  )
  const groups = shown.length > fewFlags ? groupFlags(shown) : [{ heading: 'Flags', list: shown }]
  return [
    ...wrapLine(usage, width),
    '',
    ...wrapWords((about ?? `${capitalize(summary)}.`).split(/\s+/), width),
    ...groups.flatMap(({ heading, list }) => [
      '',
      `${heading}:`,
      ...inTwoColumns(rows(list), { indent: flagIndent, width }),
    ]),
    '',
    'Examples:',
    ...inTwoColumns(examples, {
      indent: indentBeside(
        examples.map(([line]) => line),
        widestExample,
      ),
      width,
    }),
  ].join('\n')
}

/** A list of this many is read at a glance. */
const fewFlags = 14
const widestFlag = 22
const widestExample = 40

function groupFlags(shown: readonly Flag[]): readonly { readonly heading: string; readonly list: readonly Flag[] }[] {
  const groups = flagGroups.map(([heading, names]) => ({
    heading,
    list: shown.filter((flag) => names.some((name) => name === flag.name)),
  }))
  const rest = shown.filter((flag) => !groups.some(({ list }) => list.includes(flag)))
  return [{ heading: 'Flags', list: rest }, ...groups].filter(({ list }) => list.length > 0)
}

function flagRow(flag: Flag, command: string): HelpRow {
  const { name, value, help, values } = { ...flag, ...flag.for?.[command] }
  const spelled = `--${name}${value === undefined ? '' : ` ${value}`}`
  return [spelled, `${help}${values === undefined ? '' : ` (${values.join(', ')})`}`]
}

type HelpRow = readonly [left: string, right: string]

/** Where the right column begins. Left sides wider than `widest` do not push it further. */
const indentBeside = (lefts: readonly string[], widest = usualWidth): number =>
  2 + Math.max(...lefts.map(({ length }) => length).filter((length) => length <= widest), 8) + 2

/** A left side that reaches into the right column has a line of its own; in a narrow terminal this column is further left. */
function inTwoColumns(
  rows: readonly HelpRow[],
  { indent: wanted, width }: { indent: number; width: number },
): string[] {
  const indent = width < usualWidth ? Math.min(wanted, Math.max(4, width - leastRight)) : wanted
  return rows.flatMap(([left, right]) => {
    const lines = wrapWords(right.split(' '), width - indent)
    const beside = 2 + left.length + 2 <= indent ? lines.shift() : undefined
    const head = beside === undefined ? `  ${left}` : `  ${left}`.padEnd(indent) + beside
    return [head, ...lines.map((line) => ' '.repeat(indent) + line)]
  })
}

/** Narrower columns of text are hard to read. */
const leastRight = 28
