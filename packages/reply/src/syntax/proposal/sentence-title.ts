import { findMentionedFiles, isHeading, withLinkTargets } from '../foreign/name.ts'
import { exampleWords, readOrder } from '../foreign/translations.ts'
import { isFile, isOfLines, LONG, type Title } from './title.ts'

/*
 * Sentences that tell to change something in a file. Openings such as "Sure!" do not matter: the last sentence of a line
 * decides.
 *
 *   title   = [ label ( ":" | "–" ) ] telling
 *   telling = [ lead ] ( order | [ open ] in-file [ "," ] [ lead ] order | file ( ":" | "–" ) order | state | shown | changes )
 *   order   = [ "let's" | "you need to" | "I've" | … ] ( "change" | "changed" | … )
 *   state   = thing [ "in" file ] ( "should look like this" | "becomes" | "needs to be updated" | … )
 *
 * Headings and items of lists are titles, and need no stop. What is in none of these tables only explains.
 */

/** `above` finds the file that is spoken of above a sentence that names none. */
export function readSentenceTitle(given: string, above?: () => string | undefined): Title | undefined {
  const line = withLinkTargets(given)
  const isTitle = isHeading(line) || ITEM.test(line)
  if (line.length > LONG || !(isTitle || /[:.：。]\W*$/.test(line))) return undefined
  const [path = above?.(), ...others] = new Set(findMentionedFiles(line))
  if (path === undefined || others.length > 0 || !isFile(path)) return undefined
  const [sentence = ''] = line
    .replace(path, FILE)
    .replace(/`[^`\n]*`/g, (code) => (code.includes(FILE) ? code : CODE))
    .split(/[.!?]\s+(?=[\p{Lu}*_`§¶])|[。！？]\s*(?=\S)/u)
    .slice(-1)
  const words = sentence
    .replace(/[*`"“”[\]()]|\b_|_\b/g, ' ')
    .replace(/’/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,.:;])/g, '')
    .trim()
  const [label = ''] = (isTitle && LABEL.exec(words)) || []
  const order = isOfLines(words) || exampleWords.test(words) ? undefined : readOrder(words)
  if (order !== undefined) return { path, said: order === 'made' ? 'whole' : 'told' }
  const isTold = tables().some((table) => table.test(words.slice(label.length)))
  const isOffered = MAYBE.test(words.replace(PURPOSE, '')) || NO_CHANGE.test(label)
  return isTold && !isOffered && !isOfLines(words) ? { path, said: 'told' } : undefined
}

const [FILE, CODE] = ['§', '¶']

/** What a heading calls its section: "Backend: Update `a.ts`", "2. Login – change `a.ts`". */
const LABEL = /^[^§¶:]{1,40}?(?::| [–—-]) /
const NO_CHANGE =
  /\b(?:options?|alternatives?|approach(?:es)?|ideas?|suggestions?|problems?|issues?|mistakes?|causes?|errors?|bugs?|reasons?|risks?|why|how|what|warnings?|avoid|don't|not|never|testing|usage|question)\b/i
/** An item of a list. It needs no stop at its end. */
const ITEM = /^\s*(?:[-*+•]|\d+[.)])\s/

/** Made when they are needed. */
const tables = (): readonly RegExp[] => (known ??= tablesOf())
let known: readonly RegExp[] | undefined

function tablesOf(): RegExp[] {
  const change =
    'update|change|modify|replace|rewrite|edit|fix|adjust|refactor|add|insert|append|extend|correct|adapt|put|paste|place|make(?! sure\\b)|apply|wrap|rename|simplify|convert|improve|patch|overwrite|swap|use (?=(?:this|the following|the (?:updated|new|fixed|corrected))\\b)'
  const changed =
    'updated|changed|modified|replaced|rewrote|rewritten|edited|fixed|adjusted|refactored|added|inserted|appended|extended|corrected|adapted|wrapped|renamed|simplified|converted|improved|patched'
  const changing =
    'updating|changing|modifying|replacing|rewriting|editing|fixing|adjusting|refactoring|adding|inserting|appending|extending|correcting|adapting'
  // "Change detection in `a.ts` works like this" names a thing.
  const notThing =
    '(?!\\s+(?:of|logic|detection|mode|handling|operations?|requests?|events?|buttons?|queries|permissions?)\\b)'
  const finite =
    '\\b(?:causes|triggers|makes|breaks|leads|gives|means|results|is|are|was|were|has|does|works|fails|happens|requires|needs|involves|looks|shows|prints|returns|throws)\\b'
  const leads =
    '(?:[^\\w§¶]|\\d|(?:step|first|firstly|second|secondly|third|next|then|now|finally|lastly|also|additionally|and|but|so|please|just|simply|instead)\\b|(?:to|for|after|with|since|because|as)\\b[^,:§]{1,80},)*'
  const who =
    "(?:(?:let's|let me|(?:make|be) sure to|remember to|don't forget to|start(?:ing)? (?:by|with)|you(?:'ll)?(?: (?:will|also|now|then|just|only|need to|have to|must|should))+|(?:i|we)(?:'(?:ll|ve|m|re))?(?: (?:will|have|need to|should|must|also|just|only|now|then))*|need to)\\s+)?"
  const order = `${who}(?:also |just |simply )?(?:${change}|${changed})\\b${notThing}`
  const place =
    '(?:(?:in|inside|within|into|to|at|near|below|above|under|from) (?:(?:your|the|our) )?(?:(?:very )?(?:top|bottom|end|start|beginning|head) of )?(?:(?:your|the|our|file) ){0,2})'
  const inFile = `${place}§(?: file)?(?:,?\\s+(?:in|inside|within|at|near|below|above|under|right)\\s[^,:;§]{1,60},)?\\s*,?\\s*`
  const word = '(?!(?:of|from|by|that|which|output|result|response|example|error|and|if)\\b)[\\w-]+\\s+'
  const thing =
    '(?:function|method|class|component|hook|handler|route|rule|section|imports?|constant|const|variable|interface|type|enum|struct|constructor|selector|block|body|definition|declaration|implementation|query|test|config|configuration|object|array|code|file|signature|module|schema|model|script|version|property|field|key|decorator|middleware|reducer|state|style)'
  const named = `(?:${word}){0,4}(?:(?:implementation|definition|version|code|body|signature) (?:of|for) (?:${word}){0,3})?(?:(?:${thing} )?¶(?: ${thing})?|${thing})(?:\\s+(?:in|inside|of|from|at|within) (?:(?:your|the) )?(?:file )?§(?: file)?)?`
  const whole = '(?:(?:the|your|our|updated|new|final|complete|full|corrected|fixed|whole|entire) )*§(?: file)?'
  const must = '(?:should|must|needs? to|has to|have to)(?: (?:now|then|also|instead))?'
  const likeThis = '(?: like)?(?: (?:this|that|so|the following|as follows|like this))?(?: (?:now|instead))?\\W*$'
  const state = `(?:${must} (?:be|become|look|read)|(?:now |then )?becomes?)${likeThis}|(?:has been|have been|${must} be) (?:${changed})\\b|(?:is|was|gets|are|were) (?:${changed}) (?:to|with|as follows|like this)\\b`
  return [
    `${leads}${order}`,
    `${leads}(?:${changing})\\b(?!.*${finite})`,
    `${leads}(?:${inFile})${leads}${order}`,
    `${leads}(?:${place})?§(?: file)?\\s*(?::|[–—-])\\s*${leads}${order}`,
    `${leads}${whole} (?:changes|updates|modifications|edits)\\W*$`,
    `${leads}${who}(?:open|go to|navigate to|head (?:over )?to|find|locate|edit|return to)\\b[^:;]{0,120}?(?:\\band|\\bthen|,)\\s+(?:then )?(?:${change})\\b${notThing}`,
    `${leads}(?:${inFile}${leads})?(?:${named}|${whole})\\s+(?:${state})`,
    `${leads}(?:${whole}|${named})\\s+(?:also |now |only )*needs (?:this|the following|one|an?)\\b`,
    `${leads}here(?:'s| is| are)(?: the| an?| your| my| our)? (?:(?:fully|slightly|newly|complete|full) )?(?:updated|new|modified|fixed|corrected|revised|improved|refactored|changed)\\b`,
    `${leads}here(?:'s| is) (?:how|what) [^:]{1,80} ${must} (?:look|be|become|read)\\b`,
    `${leads}here(?:'s| is) how to (?:${change})\\b`,
    `${leads}(?:here(?:'s| is| are) )?(?:(?:the|my|your|only|main|other|required|necessary|needed|following|corresponding|first|second|last|next) )*(?:changes?|updates?|edits?|fix(?:es)?|modifications?|additions?)(?: (?:is|are|goes))?(?: (?:needed|required|made|necessary))? (?:to|in|for|at) (?:(?:your|the|file) )*§(?: file)?(?: (?:is|are)(?: (?:this|as follows|the following))?)?\\W*$`,
  ].map((pattern) => new RegExp(`^${pattern}`, 'i'))
}

/** What is only possible. */
const MAYBE =
  /\b(?:could|can|might|may|would|if(?! (?:statement|block|condition|clause|branch))|unless|in case|examples?|e\.g|instance|sample|alternatively|optional(?:ly)?|(?:an?|another|one|other) option|like this one|such as|consider|try|perhaps|maybe|something like|similar(?:ly)?|along the lines|when(?:ever)? you|you (?:want|prefer|like|wish))\b|\byou'd\b|\bwe'd\b/i

/** "so that you can …" says what a change is for. */
const PURPOSE = /\bso (?:that )?(?:you|it|we|they|users?) (?:can|could)\b/i

/** Whether a line only says what is there: a sentence of English before a colon, without any word of a change. */
export const isExplanation = (line: string): boolean =>
  line.length <= LONG && /:\W*$/.test(line) && ENGLISH.test(line) && !OF_CHANGE.test(line)

const ENGLISH = /\b(?:the|is|are|was|were|has|have|how|where|which|that|these|those)\b/i
const OF_CHANGE =
  /\b(?:updat|chang|modif|replac|add|creat|fix|implement|new|edit|rewr|refactor|here|follow|final|correct|improv|remov|delet|insert|append|extend|need|should|must|will|shall|ma[dk]|set|writ|wrap|renam|mov|extract|put|us[ei]|do\b|let|complet|full|entire|whole|result|version|solution|adjust|adapt|enhanc|revis|convert|simplif|patch|appl|step|first|then|next|now|i['’]|we\b|you)/i
