import { type Document, isComplete } from '../core/block.ts'
import type { LineRange, Source } from '../core/source.ts'
import { Regions } from './regions.ts'

/**
 * Tags in which agents and transcripts hold what a tool has answered or who spoke, and pages what they quote or strike out. A diff in
 * `<tool_result>` was applied that an agent had only read. Not among them: `<output>`, `<result>` and `<answer>`, in which prompts
 * ask for the reply itself.
 */
const names = [
  '(?:\\w+:)?(?:tool|function|command|terminal|shell|bash|program)(?:_call)?[_-](?:results?|responses?|outputs?)',
  '(?:local-command-|bash-)?std(?:out|err)',
  'observations?',
  'system[_-](?:reminder|message)',
  '(?:conversation|chat|dialog(?:ue)?)(?:[_-](?:history|log|transcript))?|transcript|(?:user|human)(?:[_-](?:message|query|turn|input|request))?',
  'blockquote|del|strike',
].join('|')
const tag = new RegExp(`^(?:[ \\t]*<(${names})(?:\\s[^<>\\n]*)?>|.*?</(${names})[ \\t]*>[ \\t]*\\r?$)`, 'gim')
const sign = new RegExp(`</(?:${names})[ \\t]*>`, 'i')

/** Lines that are quoted. */
export interface QuotedPassages {
  readonly closed: readonly LineRange[]
  /** The line where one begins that does not end here. */
  readonly open: number | undefined
}

/** Whether it is worth looking: hardly any text has such a tag. `extent`: a part of a text may lack the end of it. */
export const mayHoldOutput = ({ text }: Source, extent: 'whole' | 'part'): boolean =>
  text.includes('<') && (extent === 'part' ? begins : sign).test(text)

const begins = new RegExp(`^[ \\t]*<(?:${names})[\\s>]`, 'im')

/** Where such a tag opens on a line of its own outside blocks and fences, up to its end. One that does not end is text. */
export function outputsIn(source: Source, { blocks }: Document): QuotedPassages {
  const closed: LineRange[] = []
  const regions = Regions.of(source)
  const sound = blocks.filter(isComplete)
  let open: { readonly line: number; readonly name: string; depth: number } | undefined
  let at = 0
  for (const { index, 1: begun, 2: ended } of source.text.matchAll(tag)) {
    const line = source.lineAt(index)
    const name = (begun ?? ended ?? '').toLowerCase()
    if (open === undefined) {
      while ((sound[at]?.endLine ?? Infinity) < line) at++
      const isContent = (sound[at]?.startLine ?? Infinity) < line || regions.fenceAround(line) !== undefined
      const isWhole = source.line(line).toLowerCase().includes(`</${name}`)
      if (begun !== undefined && !isContent && !isWhole) open = { line, name, depth: 1 }
      continue
    }
    if (name !== open.name) continue
    open.depth += begun === undefined ? -1 : 1
    if (open.depth > 0) continue
    closed.push({ first: open.line, last: line })
    open = undefined
  }
  return { closed, open: open?.line }
}
