import path from 'node:path'
import { type KeyName, keyNames } from '../../config/keys.ts'
import { groups } from '../../config/nested-config.ts'
import type { Loaded } from '../../config/load.ts'
import { projectFileName } from '../../core/reserved-names.ts'
import { type Effective, merge, type ConfigSource } from '../../config/merge.ts'
import { yamlOf } from '../../config/sample.ts'
import { didYouMean } from '@clada/reply/text/closest-name.ts'
import type { Command } from '../command.ts'
import { editing, findFlagValue, type FlagValues, limits, programs, running, saving, UsageError } from '../flags.ts'
import { loadConfigFiles, paintFor, sayProject } from '../options.ts'
import { isTerminal, print, printJson, say } from '../streams.ts'
import type { Paint } from '../../report/pretty.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { spellOutCommand } from '../../report/words.ts'

/** The effective value of each key and its source. */
export const command: Command = {
  name: 'config',
  group: 'set-up',
  usage: 'clada config [KEY]',
  summary: 'show the effective settings and where they come from',
  about:
    'Shows the effective value of each key, from flags, the clada.yml of the project, your own ~/.config/clada/config.yml\nor the defaults, and the values of the project that are ignored because you do not trust it.',
  words: 'keys',
  documents: true,
  flags: [...running, ...programs, ...editing, ...saving, ...limits, 'no-color', 'help'],
  examples: [
    ['clada config', 'everything'],
    ['clada config limits', 'some keys'],
    ['clada config exec --json', 'one, for a program'],
  ],
  run: async ({ flags, words }) => {
    const names = namesFor(words)
    const loaded = await loadConfigFiles(flags)
    await sayProject(flags)
    const merged = loaded?.merged ?? merge()
    const rows = names.map((name) => keyRow(name, merged[name], loaded, flags))
    if (flags.json !== undefined) {
      const values = Object.fromEntries(rows.map(({ name, ...row }) => [name, row]))
      printJson(values)
    } else if (rows.length === 1 && words[0] === rows[0]?.name) {
      print(rows.map(shownValue).join('\n'))
      // A pipe gets the value alone.
      for (const dropped of rows.flatMap(droppedValue)) say(`clada: ${dropped}`, 2)
    } else print(tableOf(rows, paintFor(flags)))
    return 0
  },
}

function namesFor(words: readonly string[]): readonly KeyName[] {
  const [wanted] = words
  if (wanted === undefined) return keyNames
  if (words.length > 1) throw new UsageError('config takes one key at most: clada config limits.file_bytes')
  const found = keyNames.filter((name) => name === wanted || name.startsWith(`${wanted}.`))
  if (found.length > 0) return found
  const meant = didYouMean(wanted, [...keyNames, ...Object.keys(groups)], ' See clada config.')
  throw new UsageError(`There is no key '${spellOutCommand(wanted)}'.${meant}`)
}

interface KeyRow {
  readonly name: KeyName
  readonly value: unknown
  readonly from: 'flag' | ConfigSource | 'default'
  readonly flag?: string
  readonly file?: string
  readonly line?: number
  readonly refused?: { readonly value: unknown; readonly file: string; readonly line: number }
}

function keyRow(name: KeyName, effective: Effective, loaded: Loaded | undefined, flags: FlagValues): KeyRow {
  const { value, from, at, refused } = effective
  // The command line has no settings of an editor.
  const fileOf = (by: ConfigSource): string => (by === 'project' || by === 'user' ? (loaded?.[by]?.file ?? '') : '')
  // Here --json sets the format of this output, not that of reports.
  const { json: _, ...others } = flags
  const said = findFlagValue(name, value, others)
  const dropped =
    refused === undefined ? {} : { refused: { value: refused.value, file: fileOf(refused.by), line: refused.at.line } }
  if (said !== undefined) return { name, value: said.value, from: 'flag', flag: said.flag, ...dropped }
  if (from === 'default') return { name, value, from, ...dropped }
  return { name, value, from, file: fileOf(from), line: at?.line ?? 1, ...dropped }
}

const shownValue = ({ name, value, from }: KeyRow): string =>
  spellOutCommand(from === 'flag' ? String(value) : yamlOf(name, value))

function tableOf(rows: readonly KeyRow[], paint: Paint): string {
  const width = Math.max(...rows.map(({ name }) => name.length))
  return rows
    .flatMap((row) => {
      const ink = row.from === 'default' ? paint.dim : (text: string): string => text
      const line = ink(`${row.name.padEnd(width)}  ${briefValue(row)}  (${valueSource(row)})`)
      return [line, ...droppedValue(row).map((dropped) => paint.yellow(`${' '.repeat(width)}  ! ${dropped}`))]
    })
    .join('\n')
}

/** A long list on a terminal would hide all other keys. */
function briefValue(row: KeyRow): string {
  const { name, value } = row
  return isTerminal(1) && Array.isArray(value) && value.length > longList
    ? `${formatCount(value.length, 'value')}: clada config ${name}`
    : shownValue(row)
}

const longList = 20

const droppedValue = ({ name, refused }: KeyRow): string[] =>
  refused === undefined
    ? []
    : [
        `${spellOutCommand(yamlOf(name, refused.value))} of ${shownFile(refused.file)}:${refused.line} is ignored; see clada trust`,
      ]

function valueSource({ from, flag, file = '', line }: KeyRow): string {
  if (from === 'flag') return `--${flag}`
  return from === 'default' ? from : `${shownFile(file)}:${line}`
}

/** Programs get the whole path. */
const shownFile = (file: string): string =>
  spellOutCommand(path.basename(file) === projectFileName ? projectFileName : file)
