import { Source } from '../core/source.ts'
import { type Language } from './language.ts'
import { languageFor } from './languages.ts'
import { withOutline } from './outline.ts'
import { oxcFaults } from './oxc.ts'
import type { Fault } from './structure.ts'

/** The first fault of a file that had none before; undefined where it had some, has none, or its language is not known. */
export async function brokenSyntax(path: string, before: string, after: string): Promise<Fault | undefined> {
  const language = languageFor(path, after)
  if (language === undefined || language.parser.kind !== 'tree-sitter') return undefined
  const [fault] = await faultsIn(path, after, language)
  if (fault === undefined) return undefined
  return (await faultsIn(path, before, language)).length === 0 ? fault : undefined
}

/** By the strictest judge of the language. A grammar is loaded only where there is no other one. */
async function faultsIn(path: string, text: string, language: Language): Promise<readonly Fault[]> {
  const { parser } = language
  const strict =
    parser.kind === 'tree-sitter' && parser.judge === 'oxc' ? await oxcFaults(path, new Source(text)) : undefined
  return strict ?? withOutline(text, language, async (outline) => outline.faults())
}
