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
    const where = quotingAt(command.slice(0, match.index))
    const listed = typeof fact !== 'string' && where === 'none'
    if (listed) words = fact
    const plain = typeof fact === 'string' ? isPlain(fact) : fact.every(isPlain)
    if (!plain && readAgain.test(command)) return { ok: false, error: readAgainMessage(name) }
    script += plain ? textOf(fact, listed ? ' ' : ',') : listed ? '"$@"' : referenceTo(variableFor(name, fact), where)
  }
  return { ok: true, script: script + command.slice(last), words }
}

/** What means itself to a shell, in quotes and out of them. Most facts are so, and the command stays readable. */
const isPlain = (text: string): boolean => /^[\w.,/:@%+=-]*$/.test(text)

const textOf = (fact: string | readonly string[], between: string): string =>
  typeof fact === 'string' ? fact : fact.join(between)

function referenceTo(name: string, where: Quoting): string {
  const variable = `\${${name}}`
  return where === 'double' ? variable : where === 'single' ? `'"${variable}"'` : `"${variable}"`
}

/** `modifiedFiles` as `CLADA_MODIFIED_FILES`, one a line; with `_LINE` behind it all in one line. */
export const variableFor = (name: string, fact: Facts[string] = ''): string =>
  `CLADA_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}${typeof fact === 'string' ? '' : '_LINE'}`

/** Commands that read an argument as code once more: there no quoting of ours would hold. */
const readAgain = /(?:^|\s)-\w*[ce](?=\s|$|['"=])|\beval\b|\bssh\b|--(?:eval|exec|command)\b/

const readAgainMessage = (name: string): string =>
  `\${${name}} holds characters that would be read as code by what this command starts. Read "$${variableFor(name)}" there instead.`

type Quoting = 'none' | 'single' | 'double'

function quotingAt(before: string): Quoting {
  let where: Quoting = 'none'
  for (let at = 0; at < before.length; at++) {
    const char = before[at]
    if (char === '\\' && where !== 'single') at++
    else if (char === "'" && where !== 'double') where = where === 'single' ? 'none' : 'single'
    else if (char === '"' && where !== 'single') where = where === 'double' ? 'none' : 'double'
  }
  return where
}
