import type { Block } from '../core/block.ts'
import type { Source } from '../core/source.ts'
import { parseFence } from '../regions/fences.ts'

/**
 * Whether the reply makes a change depend on an answer: by the line above it, or by the paragraph below. A model wrote
 * "Diff summary for main.cpp", and below it "if you'd like me to apply these changes now". A polite closing is no condition.
 */
export function isConditional(source: Source, { startLine, endLine }: Pick<Block, 'startLine' | 'endLine'>): boolean {
  const above = textLine(source, startLine, -1)
  const below = textLine(source, endLine ?? source.lineCount, 1)
  return (above !== undefined && ABOVE.test(above)) || (below !== undefined && BELOW.test(below))
}

/** The nearest line with text that is no fence; undefined where another fence is between. */
function textLine(source: Source, from: number, step: 1 | -1): string | undefined {
  let fences = 0
  for (let line = from + step; line >= 1 && line <= source.lineCount; line += step) {
    const text = source.line(line).trim()
    if (text === '') continue
    if (parseFence(text) === undefined) return text
    if (++fences > 1) return undefined
  }
  return undefined
}

const ANSWER = '(?:if|once|after) you (?:agree|approve|confirm)'
const ABOVE = new RegExp(`\\b(?:${ANSWER}|with your (?:approval|permission|consent)|diff summary)\\b`, 'i')
const THIS = '(?:this|these|it|them|the (?:changes?|diffs?|patch|edits?))'
const DO = `(?:apply|make|implement) ${THIS}`
const BELOW = new RegExp(
  `\\b(?:shall|should) I (?:${DO}|go ahead|proceed)\\b|\\b(?:do you want|would you like|if you(?:['’]d| would)? (?:like|want)) me to (?:${DO}|go ahead|proceed)\\b|\\b${ANSWER}\\b[^.]*\\bapply\\b`,
  'i',
)
