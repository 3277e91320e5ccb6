import fs from 'node:fs'
import { convertDocument } from '../../engine/convert.ts'
import { targetNames } from '@clada/reply/syntax/table.ts'
import { spellOut } from '../../report/words.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../flags.ts'
import { print, readInputs } from '../streams.ts'
import { cladaOptions } from '../options.ts'

/** The document goes to standard output and is read by programs; everything about it goes to stderr. */
export const command: Command = {
  name: 'convert',
  group: 'everyday',
  usage: 'clada convert --to SYNTAX [FILE…|-]',
  summary: 'write the blocks in another syntax',
  about:
    "Writes the blocks of a document in one of clada's own syntaxes. What that syntax cannot say exactly is left out\nand listed on stderr.",
  documents: true,
  flags: ['to', 'root', 'no-config', 'syntax', 'csl-delimiters', 'strict', 'help'],
  examples: [
    ['clada convert --to cml reply.md', 'write it in CML'],
    ['clada convert --to sham < changes.diff', 'what a diff means to clada'],
  ],
  run: async ({ flags, words }) => {
    const to = targetNames.find((target) => target === flags.to?.[0])
    if (to === undefined) throw new UsageError(`convert needs a syntax to write: --to ${targetNames.join('|')}.`)
    const options = await cladaOptions(flags)
    const inputs = await readInputs(words)
    const converted = inputs.map(({ name, text }) => ({ name, ...convertDocument(text, to, options) }))
    const texts = converted.map(({ text }) => text).filter((text) => text !== '')
    if (texts.length > 0) print(texts.join('\n\n'))
    for (const { name, text, refused, warnings } of converted) {
      const place = inputs.length > 1 ? `${name}: ` : ''
      if (text === '' && refused.length === 0) tellLine(`${place}no blocks found, so there is nothing to convert`)
      for (const { line, message } of refused) tellLine(`${place}line ${line}: not converted: ${message}`)
      for (const warning of warnings) tellLine(`${place}warning: ${warning}`)
    }
    return converted.every(({ refused }) => refused.length === 0) ? 0 : 1
  },
}

function tellLine(message: string): void {
  fs.writeSync(2, `${spellOut(`clada: ${message}`)}\n`)
}
