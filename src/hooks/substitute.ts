import { printable } from '../report/printable.ts'

/**
 * Puts values into a hook's command. Variables are the user's own words and become part of the command. Facts of a run
 * are not: a model chose the names of files. They reach the shell in variables of its environment, and the command gets
 * a reference, quoted for the place it stands in. Were that place misjudged, the reference would still be one: what it
 * stands for is never read as a command.
 */
export function substitute(command: string, vars: Values, facts: Facts): Substituted {
  const missing = unknownNames(command, vars, facts)
  if (missing.length > 0) return { ok: false, error: missing.map((name) => `Variable not found: ${name}`).join('; ') }
  const whole = command.replace(reference, (text, escape: string, name: string) =>
    escape === '' && !Object.hasOwn(facts, name) ? (vars[name] ?? text) : text,
  )
  // Variables may hold references to facts, and references that are not there.
  const hidden = unknownNames(whole, {}, facts)
  if (hidden.length > 0) return { ok: false, error: hidden.map((name) => `Variable not found: ${name}`).join('; ') }
  return withFacts(whole, facts)
}

export type Values = Readonly<Record<string, string>>

/** A list is handed over as words of its own where it stands by itself. */
export type Facts = Readonly<Record<string, string | readonly string[]>>

export type Substituted =
  | { readonly ok: true; readonly script: string; readonly words: readonly string[] | undefined }
  | { readonly ok: false; readonly error: string }

/** `\${` is left to the shell, as is everything else that is not a plain name. */
const reference = /(\\?)\$\{([A-Za-z_]\w*)\}/g

/** The names in a command that neither the variables nor the facts have. */
export function unknownNames(command: string, vars: Values, facts: Facts): string[] {
  return [...command.matchAll(reference)].flatMap(([, escape, name = '']) =>
    escape === '' && !Object.hasOwn(vars, name) && !Object.hasOwn(facts, name) ? [name] : [],
  )
}

function withFacts(command: string, facts: Facts): Substituted {
  let script = ''
  let words: readonly string[] | undefined
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
    const plain = typeof fact === 'string' ? isPlain(fact) : fact.every(isPlain)
    if (!plain && (place.kind === 'code' || readAgain.test(command)))
      return { ok: false, error: readAgainMessage(name, fact) }
    script += plain ? textOf(fact, listed ? ' ' : ',') : listed ? '"$@"' : referenceTo(variableFor(name, fact), where)
  }
  return { ok: true, script: script + command.slice(last), words }
}

/** What means itself to a shell and to most other languages, in quotes and out of them. Most facts are so, and the command stays readable. */
const isPlain = (text: string): boolean => /^[\w.,/:@+=-]*$/.test(text)

const textOf = (fact: string | readonly string[], between: string): string =>
  typeof fact === 'string' ? fact : fact.join(between)

function referenceTo(name: string, where: Quoting): string {
  const variable = `\${${name}}`
  return where === 'double' ? variable : where === 'single' ? `'"${variable}"'` : `"${variable}"`
}

/** `modifiedFiles` as `CLADA_MODIFIED_FILES`, one a line; with `_LINE` behind it all in one line. */
export const variableFor = (name: string, fact: Facts[string] = ''): string =>
  `CLADA_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}${typeof fact === 'string' ? '' : '_LINE'}`

/**
 * Commands that read an argument as code once more, though it is a word of its own: there no quoting of ours would
 * hold. Perl runs a file name that ends in `|`, make expands what has a `=` in it, and shells look into subscripts.
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
  const odd = typeof fact === 'string' ? fact : (fact.find((one) => !isPlain(one)) ?? '')
  const shown = printable(odd.length > 100 ? `${odd.slice(0, 100)}…` : odd)
  return `\${${name}} holds characters that would be read as code by what this command starts: ${shown}. Read "$${variableFor(name)}" there instead, or let it stand as a word of its own.`
}

type Quoting = 'none' | 'single' | 'double'

interface FactPlace {
  readonly quoting: Quoting
  /** `code` where a program may take it for part of its code: in a larger word, or in a command within the command. */
  readonly kind: 'data' | 'code'
}

/** Programs that only print what they are given. */
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
    else if (quoting === 'none' && char === '#' && word === at) {
      const end = before.indexOf('\n', at)
      at = end < 0 ? before.length : end - 1
    } else if (quoting === 'none' && /[\s;|&]/.test(char)) {
      word = at + 1
      if (!/[ \t]/.test(char)) start = at + 1
    }
  }
  const quote = { none: '', single: "'", double: '"' }[quoting]
  const alone =
    before.slice(word) === quote && after.startsWith(quote) && /^(?:[\s;|&]|$)/.test(after.slice(quote.length))
  // What is within a command within the command, or in a text that is fed to one, goes through more hands.
  const nested = /\$[('"]|`|<</.test(before)
  return { quoting, kind: !nested && (alone || prints.test(before.slice(start))) ? 'data' : 'code' }
}
