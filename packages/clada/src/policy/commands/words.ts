import { type Platform, platform } from '../../core/platform.ts'
import { codePointName, findFirstHidden } from '@clada/reply/text/spell-out.ts'
/**
 * Splits a command line into words, as a shell would if it had no operators and expanded nothing.
 *
 *   line   := [ "cd" word "&&" ] word+
 *   word   := ( plain | "'" any* "'" | '"' any* '"' | "\" any )+
 *
 * Whatever a shell would do beyond that is refused by name, so that it does not seem to have happened.
 */
export interface CommandLine {
  /** From a leading `cd DIR &&`. */
  readonly cd: Word | undefined
  readonly words: readonly Word[]
  /** The words as they are written, without the leading `cd`. */
  readonly typed: string
}

export interface Word {
  readonly text: string
  /** Whether any part of it was quoted or escaped. */
  readonly quoted: boolean
  /** The first glob character that a shell would have expanded. */
  readonly glob: string | undefined
}

export type Split =
  | { readonly ok: true; readonly line: CommandLine }
  | { readonly ok: false; readonly reason: string; readonly advice: string }

export function splitCommand(command: string, on: Platform = platform): Split {
  const text = command.replace(/^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g, '')
  if (text === '') return refuseSplit('it is empty', 'Write the command to run.')
  // A person who is asked must see what they approve.
  const hidden = /\r(?=\n)/.test(text) ? { char: '\r' } : findFirstHidden(text)
  if (hidden !== undefined)
    return refuseSplit(
      `it contains the invisible character ${codePointName(hidden.char)}`,
      'Write it with visible characters only.',
    )
  const tokens = shellTokens(text, on)
  if (!Array.isArray(tokens)) return tokens
  return splitTokens(tokens, text)
}

const refuseSplit = (reason: string, advice: string): Split & { ok: false } => ({ ok: false, reason, advice })

const noOperators = 'Commands run without a shell. Write one plain command, and use one block for each.'

type ShellToken = Word | { readonly operator: '&&'; readonly end: number }

function shellTokens(text: string, on: Platform): ShellToken[] | (Split & { ok: false }) {
  const tokens: ShellToken[] = []
  let at = 0
  while (at < text.length) {
    const char = text[at] ?? ''
    if (char === ' ' || char === '\t') {
      at++
      continue
    }
    if (text.startsWith('\\\n', at)) {
      at += 2
      continue
    }
    if (text.startsWith('&&', at)) {
      at += 2
      tokens.push({ operator: '&&', end: at })
      continue
    }
    const read = shellWordAt(text, at, on)
    if (!('word' in read)) return read
    tokens.push(read.word)
    at = read.end
  }
  return tokens
}

function shellWordAt(text: string, start: number, on: Platform): { word: Word; end: number } | (Split & { ok: false }) {
  let value = ''
  let quoted = false
  let glob: string | undefined
  let at = start
  if (text[at] === '#') return refuseSplit('# begins a comment', noOperators)
  if (text[at] === '~') return refuseSplit('~ is not expanded', 'Write the path relative to the root.')
  for (; at < text.length; at++) {
    const char = text[at] ?? ''
    if (char === ' ' || char === '\t') break
    // On Windows people write paths with it.
    const separates = char === on.path.sep && /[\p{L}\p{N}._-]/u.test(text[at + 1] ?? '')
    if (char === '\\' && !separates) {
      const next = text[at + 1]
      if (next === undefined) return refuseSplit('it ends in a backslash', 'Leave the last backslash out.')
      // A line that goes on below is one line.
      if (next !== '\n') {
        value += next
        quoted = true
      }
      at++
      continue
    }
    if (char === "'" || char === '"') {
      const part = char === "'" ? singleQuoted(text, at) : doubleQuoted(text, at)
      if (!('value' in part)) return part
      value += part.value
      quoted = true
      at = part.end
      continue
    }
    const operator = operatorAt(text, at)
    if (operator === '&&') break
    if (operator !== undefined) return refuseSplit(`${operator.name} is a shell operator`, operator.advice)
    const brace = /^\{[^{}\s'"\\]*(?:,|\.\.)[^{}\s'"\\]*\}/.exec(text.slice(at, at + 200))
    if (brace !== null) return refuseSplit(`${brace[0]} is not expanded`, 'Write every word out.')
    if (/[*?[]/.test(char)) glob ??= char
    value += char
  }
  return { word: { text: value, quoted, glob }, end: at }
}

function singleQuoted(text: string, open: number): { value: string; end: number } | (Split & { ok: false }) {
  const close = text.indexOf("'", open + 1)
  if (close === -1) return refuseSplit("a ' is not closed", 'Close the quote.')
  return { value: text.slice(open + 1, close), end: close }
}

function doubleQuoted(text: string, open: number): { value: string; end: number } | (Split & { ok: false }) {
  let value = ''
  for (let at = open + 1; at < text.length; at++) {
    const char = text[at] ?? ''
    if (char === '"') return { value, end: at }
    if (char === '\\' && /["\\$`\n]/.test(text[at + 1] ?? '')) {
      at++
      if (text[at] !== '\n') value += text[at] ?? ''
      continue
    }
    const expansion = expansionAt(text, at)
    if (expansion !== undefined)
      return refuseSplit(`${expansion} is a shell expansion`, 'Use single quotes to mean it literally.')
    value += char
  }
  return refuseSplit('a " is not closed', 'Close the quote.')
}

function expansionAt(text: string, at: number): string | undefined {
  if (text[at] === '`') return '`…`'
  if (text[at] !== '$') return undefined
  const next = text[at + 1] ?? ''
  if (next === '(') return '$(…)'
  if (next === '{') return '${…}'
  return /[A-Za-z_0-9@*#?$!'"-]/.test(next) && !(next === '"' || next === "'") ? `$${next}…` : undefined
}

function operatorAt(text: string, at: number): '&&' | { name: string; advice: string } | undefined {
  const expansion = expansionAt(text, at)
  if (expansion !== undefined) return { name: expansion, advice: 'Write the value itself; nothing is expanded.' }
  if (text[at] === '$' && /['"]/.test(text[at + 1] ?? ''))
    return { name: "$'…'", advice: 'Write the characters themselves.' }
  const found = operators.find((operator) => text.startsWith(operator, at))
  if (found === undefined) return undefined
  if (found === '&&') return '&&'
  if (found === '\n') {
    return { name: 'a line break', advice: 'Write one command; use one block for each, or end lines with a backslash.' }
  }
  return { name: found, advice: adviseOnOperator(found) }
}

/** Longest first: `>>` is not `>` twice. */
const operators = [
  '<<<',
  '&>>',
  '<<-',
  '|&',
  '||',
  '&&',
  '&>',
  ';;',
  '>>',
  '<<',
  '<(',
  '>(',
  '>|',
  '<>',
  '>&',
  '<&',
  '|',
  '&',
  ';',
  '<',
  '>',
  '(',
  ')',
  '\n',
] as const

function adviseOnOperator(operator: string): string {
  if (operator.startsWith('>') || operator === '&>' || operator === '&>>') {
    return 'Commands run without a shell. Write files with file_write (WRITE), which checks and journals them.'
  }
  if (operator === '|' || operator === '|&')
    return 'Commands run without a shell. exec with lang="bash" has one, in the sandbox.'
  if (operator === '(' || operator === ')' || operator === ';') {
    return `Commands run without a shell. Quote it as \\${operator} where it is meant for the command itself.`
  }
  return noOperators
}

function splitTokens(tokens: readonly ShellToken[], text: string): Split {
  const [first, dir, and] = tokens
  const leads = first !== undefined && 'text' in first && first.text === 'cd' && dir !== undefined && 'text' in dir
  const after = leads && and !== undefined && 'operator' in and ? and.end : undefined
  const cd = after === undefined || dir === undefined || !('text' in dir) ? undefined : dir
  const rest = cd === undefined ? tokens : tokens.slice(3)
  const words: Word[] = []
  for (const token of rest) {
    if ('operator' in token)
      return refuseSplit('&& is a shell operator', `${noOperators} Only a leading cd DIR && is understood.`)
    words.push(token)
  }
  const [name] = words
  if (name === undefined) return refuseSplit('there is no command after cd DIR &&', 'Write the command after it.')
  if (name.text === 'cd') {
    return refuseSplit(
      'cd has no effect on later commands: each command starts in the project root',
      'Write cd DIR && COMMAND, or give dir.',
    )
  }
  if (name.quoted) return refuseSplit('the name of the command is quoted or escaped', 'Write the name plainly.')
  if (/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(name.text)) {
    return refuseSplit(`${name.text.split('=')[0]}=… is an assignment`, 'The environment cannot be set from here.')
  }
  if (name.glob !== undefined) return refuseSplit('the name of the command contains a glob', 'Write the name plainly.')
  if (cd?.glob !== undefined) return refuseSplit(`${cd.glob} is not expanded`, 'Write the directory out.')
  return { ok: true, line: { cd, words, typed: text.slice(after ?? 0).trim() } }
}
