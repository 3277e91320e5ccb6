import { spellOut } from '../report/words.ts'

/**
 * Inserts values into a hook's command. Variables are the user's own text and become part of the command. Facts of a run
 * are not trusted: a model chose the names of files. They are passed as environment variables, and the command gets a
 * reference, quoted for its position. Even if the position were misjudged, the value would not be read as a command.
 */
export function substitute(command: string, vars: PlaceholderValues, facts: Facts): Substituted {
  const missing = unknownNames(command, vars, facts)
  if (missing.length > 0) return { ok: false, error: missing.map((name) => `Variable not found: ${name}`).join('; ') }
  const whole = command.replace(reference, (text, escape: string, name: string) =>
    escape === '' && !Object.hasOwn(facts, name) ? (vars[name] ?? text) : text,
  )
  // Variables may contain references to facts, and unknown references.
  const hidden = unknownNames(whole, {}, facts)
  if (hidden.length > 0) return { ok: false, error: hidden.map((name) => `Variable not found: ${name}`).join('; ') }
  return withFacts(whole, facts)
}

export type PlaceholderValues = Readonly<Record<string, string>>

/** A list becomes separate arguments where its reference is a word of its own. */
export type Facts = Readonly<Record<string, string | readonly string[]>>

export type Substituted =
  | {
      readonly ok: true
      readonly script: string
      readonly words: readonly string[] | undefined
      /** Whether all facts were inserted as they are, so that any shell may read the script. */
      readonly plain: boolean
    }
  | { readonly ok: false; readonly error: string }

/** `\${` is left to the shell, as is everything else that is not a plain name. */
const reference = /(\\?)\$\{([A-Za-z_]\w*)\}/g

/** The names in a command that are neither variables nor facts. */
export function unknownNames(command: string, vars: PlaceholderValues, facts: Facts): string[] {
  return [...command.matchAll(reference)].flatMap(([, escape, name = '']) =>
    escape === '' && !Object.hasOwn(vars, name) && !Object.hasOwn(facts, name) ? [name] : [],
  )
}

function withFacts(command: string, facts: Facts): Substituted {
  let script = ''
  let words: readonly string[] | undefined
  let allPlain = true
  let last = 0
  for (const match of command.matchAll(reference)) {
    const [whole, escape, name = ''] = match
    script += command.slice(last, match.index)
    last = match.index + whole.length
    const fact = facts[name]
    if (escape !== '' || fact === undefined) {
      script += whole.slice(escape?.length ?? 0)
      continue
    }
    const place = placeAt(command.slice(0, match.index), command.slice(last))
    const where = place.quoting
    const listed = typeof fact !== 'string' && where === 'none'
    if (listed) words = fact
    const plain = typeof fact === 'string' ? isShellSafe(fact) : fact.every(isShellSafe)
    if (!plain && (place.kind === 'code' || readAgain.test(command)))
      return { ok: false, error: readAgainMessage(name, fact) }
    allPlain &&= plain
    script += plain ? factText(fact, listed ? ' ' : ',') : listed ? '"$@"' : referenceTo(variableFor(name, fact), where)
  }
  return { ok: true, script: script + command.slice(last), words, plain: allPlain }
}

/** Characters without special meaning in shells and most languages, quoted or not. Such facts are inserted directly, which keeps the command readable. */
const isShellSafe = (text: string): boolean => /^[\w.,/:@+=-]*$/.test(text)

const factText = (fact: string | readonly string[], between: string): string =>
  typeof fact === 'string' ? fact : fact.join(between)

function referenceTo(name: string, where: Quoting): string {
  const variable = `\${${name}}`
  return where === 'double' ? variable : where === 'single' ? `'"${variable}"'` : `"${variable}"`
}

/** `modifiedFiles` as `CLADA_MODIFIED_FILES`, one per line; `CLADA_MODIFIED_FILES_LINE` has all in one line. */
export const variableFor = (name: string, fact: Facts[string] = ''): string =>
  `CLADA_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}${typeof fact === 'string' ? '' : '_LINE'}`

/**
 * Commands that interpret an argument as code, so that quoting does not protect it: Perl runs a file name that ends in
 * `|`, make expands arguments with `=`, and shells evaluate subscripts.
 */
const readAgain = new RegExp(
  [
    /(?:^|\s)-\w*[ce](?=\s|$|['"=])/,
    /--(?:eval|exec|command|print)\b/,
    /\b(?:node|bun|deno|ruby)\s+-\w*p\b|\bphp\s+-r\b|\bprintf\s+-v\b|(?:\[|\btest)\s+-v\b|\[\[/,
    /(?:^|[\s;|&(/])(?:eval|ssh|scp|rsync|perl|make|gmake|watch|parallel|trap|alias|let|declare|typeset|export|readonly|local|unset|read)(?=\s|$)/,
    /\|\s*(?:\S*\/)?(?:(?:ba|da|z|k)?sh|node|python3?|ruby|php|bc|psql|sqlite3|mysql)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

function readAgainMessage(name: string, fact: Facts[string]): string {
  const odd = typeof fact === 'string' ? fact : (fact.find((one) => !isShellSafe(one)) ?? '')
  const shown = spellOut(odd.length > 100 ? `${odd.slice(0, 100)}…` : odd)
  return `\${${name}} contains characters that this command would interpret as code: ${shown}. Use "$${variableFor(name)}" there instead, or make the reference a separate word.`
}

type Quoting = 'none' | 'single' | 'double'

interface FactPlace {
  readonly quoting: Quoting
  /** `code` where a program may read it as part of code: in a larger word, or in a nested command. */
  readonly kind: 'data' | 'code'
}

/** Programs that only print their arguments. */
const prints = /^\s*(?:(?:then|do|else|!|\{)\s+)*(?:echo|printf|:)\s/

function placeAt(before: string, after: string): FactPlace {
  let quoting: Quoting = 'none'
  let word = 0
  let start = 0
  for (let at = 0; at < before.length; at++) {
    const char = before[at] ?? ''
    if (char === '\\' && quoting !== 'single') at++
    else if (char === "'" && quoting !== 'double') quoting = quoting === 'single' ? 'none' : 'single'
    else if (char === '"' && quoting !== 'single') quoting = quoting === 'double' ? 'none' : 'double'
    else if (quoting === 'none' && char === '#' && word === at) at = `${before}\n`.indexOf('\n', at) - 1
    else if (quoting === 'none' && /[\s;|&]/.test(char)) {
      word = at + 1
      if (!/[ \t]/.test(char)) start = at + 1
    }
  }
  const quote = { none: '', single: "'", double: '"' }[quoting]
  const alone =
    before.slice(word) === quote && after.startsWith(quote) && /^(?:[\s;|&]|$)/.test(after.slice(quote.length))
  // Nested commands and here-documents are interpreted more than once.
  const nested = /\$[('"]|`|<</.test(before)
  return { quoting, kind: !nested && (alone || prints.test(before.slice(start))) ? 'data' : 'code' }
}
