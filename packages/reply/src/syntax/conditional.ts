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
  const isAsked = [above, below].some((text) => text !== undefined && TRANSLATED.test(text))
  return isAsked || (above !== undefined && ABOVE.test(above)) || (below !== undefined && BELOW.test(below))
}

/** The nearest line with text that is no fence; undefined where another fence is between. */
function textLine(source: Source, from: number, step: 1 | -1): string | undefined {
  let fences = 0
  for (let line = from + step; line >= 1 && line <= source.lineCount; line += step) {
    const text = source.line(line).trim()
    if (text === '') continue
    // No one writes a sentence that is longer.
    if (parseFence(text) === undefined) return text.length > LONG ? undefined : text
    if (++fences > 1) return undefined
  }
  return undefined
}

const LONG = 1000
const ANSWER = '(?:if|once|after) you (?:agree|approve|confirm)'
const THIS = '(?:this|these|it|them|the (?:following|changes?|diffs?|patch|edits?|code))'
const DO = `(?:apply|make|implement) ${THIS}`
const ASKED = `\\b(?:do you want|would you like|if you(?:['’]d| would)? (?:like|want)) me to (?:${DO}|go ahead|proceed)\\b`
const EDIT = '(?:edit|patch|diff|block|change|SEARCH/REPLACE block)'
/** What is above says that it is not to be applied, is shown for its form, was sent before, or is one of several. */
const ABOVE = new RegExp(
  [
    `\\b(?:${ANSWER}|with your (?:approval|permission|consent)|diff summary)\\b`,
    ASKED,
    `\\b(?:do not|don['’]t|never|should not|shouldn['’]t|must not) (?:apply|make|do) (?:any of )?${THIS}\\b`,
    String.raw`^\W*(?:(?:this|here)(?: is|['’]s) )?(?:the |an? )?(?:wrong|incorrect) (?:way|approach|solution|fix|patch|diff|edit)\b|\bwhat not to do\b`,
    `\\b(?:an?|the|each|every|such an?) ${EDIT} (?:(?:would |will |should )?looks? like|is written|has (?:this|the following) (?:form|format|shape))\\b`,
    `\\b(?:format|syntax|form|shape|structure) (?:of|for) (?:an?|the|each|every|such an?) ${EDIT}\\b`,
    String.raw`\byou (?:wrote|sent|said)\b|\b(?:your|my) (?:previous|last|earlier) (?:message|reply|response|answer) (?:contained|had|was|read|said)\b`,
    `\\balready (?:applied|made|did) ${THIS}\\b`,
    String.raw`^\W*the (?:reviewer|maintainer)s? (?:suggested|proposed)\W*$|\b(?:commit|pull request|PR) (?:that|which) (?:introduced|broke)\b`,
    String.raw`^\W*(?:and |but )?if (?:this|that|it) (?:still )?(?:fails|breaks|(?:does not|doesn['’]t) (?:work|help))\b`,
    String.raw`\b(?:one|another|an alternative) (?:option|alternative|approach|possibility) (?:would be|is|could be)\b`,
    String.raw`^\W*(?:option|alternative|variant) (?:[A-Z]|\d{1,2})\b`,
  ].join('|'),
  'i',
)
const BELOW = new RegExp(
  `\\b(?:shall|should) I (?:${DO}|go ahead|proceed)\\b|${ASKED}|\\b${ANSWER}\\b[^.]*\\bapply\\b`,
  'i',
)

/** The same in other languages: an answer that is waited for, and the question whether to apply this. */
const TRANSLATED = new RegExp(
  [
    '\\b(?:wenn|falls|sobald) (?:du|ihr|sie) (?:(?:damit )?einverstanden|zustimm|bestätig)',
    '\\bsoll ich (?:das|dies|es|die änderung(?:en)?|den patch)\\b[^.]{0,20}\\b(?:anwenden|umsetzen|übernehmen|einspielen)',
    "\\bsi (?:vous êtes|tu es) d['’]accord\\b",
    "\\b(?:voulez-vous|veux-tu|souhaitez-vous|souhaites-tu) que (?:je|j['’])\\s?(?:l['’]|les? |ces? |cette )?(?:\\w+ )?appli",
    '\\bsi (?:estás|está) de acuerdo\\b',
    '(?:quieres|quiere|deseas|desea) que (?:lo|la|los|las)? ?(?:apli[cq]|haga)',
    '\\bse (?:você )?(?:concordar|estiver de acordo)\\b',
    '\\b(?:quer|deseja) que eu (?:(?:o|a|os|as|isso) )?apli[cq]',
    "\\bse (?:sei|siete|è) d['’]accordo\\b",
    '\\bvuoi che (?:lo|la|li|le)? ?appli[ck]',
    'если (?:вы|ты) соглас',
    '(?:мне )?применить (?:эти|это|их|этот)[^.]{0,30}\\?',
    '(?:如果|若)[你您](?:同意|确认|批准)',
    '(?:是否|要不要|需要我|要我)[^。？]{0,8}(?:应用|執行|执行|修改)[^。？]{0,12}[?？吗]',
    '(?:同意|承認)(?:して)?(?:いただけ|頂け)',
    '適用(?:します|しましょう|してもよろしいです|してよろしいです)か',
    '동의하(?:시면|면)',
    '(?:적용|반영)(?:할까요|해도 될까요)',
  ].join('|'),
  'i',
)
