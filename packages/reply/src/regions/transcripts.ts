import { type Document, isComplete } from '../core/block.ts'
import { rangeFinder, type Source } from '../core/source.ts'
import type { QuotedPassages } from './outputs.ts'
import { Regions } from './regions.ts'

/** The line that says who speaks, as exports of chats and the templates of models have it. */
const people = 'Human|User'
const models = 'Assistant|AI'
const turn = (who: string): string =>
  `(?:#{1,6} )?(?:\\*\\*|__)?(?:${who})(?:\\*\\*|__)?:(?:\\*\\*|__)?(?=\\s|$)|#{1,6} (?:\\*\\*|__)?(?:${who})(?:\\*\\*|__)?[ \\t]*\\r?$` +
  `|<\\|(?:im_start\\|>|start_header_id\\|>)?(?:${who.toLowerCase()})(?:\\|>|<\\|end_header_id\\|>)?[ \\t]*\\r?$`
const speaker = new RegExp(`^[ \\t]*(?:(${turn(people)})|(?:${turn(models)}))`, 'gm')
const person = new RegExp(`^[ \\t]*(?:${turn(people)})`, 'm')
const model = new RegExp(`^[ \\t]*(?:${turn(models)})`, 'm')

/** Whether it is worth looking. `extent`: in a part of a text, the other speaker may follow. */
export const mayHoldTranscript = ({ text }: Source, extent: 'whole' | 'part'): boolean =>
  extent === 'whole' ? person.test(text) && model.test(text) : person.test(text) || model.test(text)

/**
 * A conversation of a person and a model, outside blocks and fences: from the first line that names a speaker to the end of the text,
 * since nothing tells where the last turn ends. A model that goes on as if the user had spoken writes one, too. Where a text
 * begins with the name of the model, that turn is the reply.
 */
export function transcriptsIn(source: Source, { blocks }: Document): QuotedPassages {
  const regions = Regions.of(source)
  const blockAt = rangeFinder(blocks.filter(isComplete), ({ startLine, endLine }) => ({
    first: startLine,
    last: endLine ?? startLine,
  }))
  const beginning = source.lineAt(Math.max(0, source.text.search(/\S/)))
  const heard = { person: false, model: false }
  let open: number | undefined
  for (const { index, 1: asPerson } of source.text.matchAll(speaker)) {
    const line = source.lineAt(index)
    if (blockAt(line) !== undefined || regions.fenceAround(line) !== undefined) continue
    heard[asPerson === undefined ? 'model' : 'person'] = true
    if (line > beginning || asPerson !== undefined) open ??= line
  }
  const isConversation = open !== undefined && heard.person && heard.model
  return { closed: isConversation && open !== undefined ? [{ first: open, last: source.lineCount }] : [], open }
}
