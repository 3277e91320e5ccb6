import {
  type Argument,
  type CommandReading,
  type CommandRule,
  type OperandKind,
  type Option,
  type ParsedCommand,
  refuseCall,
  refuseGlob,
  type Value,
} from './rule.ts'
import type { Word } from './words.ts'

/** Reads the words after a command's name by its rule, and writes the options again, one per word. */
export function readOptions(rule: CommandRule, words: readonly Word[]): CommandReading {
  const options: string[] = []
  const given = new Map<string, string[]>()
  const operands: Word[] = []
  let beforeDashes: number | undefined
  const waiting = [...words]
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    if (beforeDashes !== undefined || !word.text.startsWith('-')) {
      operands.push(word)
      continue
    }
    if (word.text === '--') {
      beforeDashes = operands.length
      continue
    }
    if (word.text === '-')
      return refuseCall("'-' is not supported, because commands get no standard input; name a file")
    const read = optionIn(rule, word.text, waiting)
    if (!read.ok) return read
    options.push(...read.options)
    for (const [name, ...values] of read.given) given.set(name, [...(given.get(name) ?? []), ...values])
  }
  const has = (...flags: readonly string[]): boolean => flags.some((name) => given.has(name))
  return placeOperands(rule, operands, { options, beforeDashes, has, valuesOf: (flag) => given.get(flag) ?? [] })
}

/** `given`: each option with its value. */
type OptionsReading = { ok: true; options: string[]; given: GivenOption[] } | { ok: false; reason: string }
type GivenOption = readonly [flag: string, ...values: string[]]

function optionIn(rule: CommandRule, word: string, waiting: Word[]): OptionsReading {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1
  const name = equals === -1 ? word : word.slice(0, equals)
  const inline = equals === -1 ? undefined : word.slice(equals + 1)
  const whole = find(rule, name)
  if (whole !== undefined) return readValue(rule, whole, inline, waiting)
  if (rule.dashNumber !== undefined && /^-\d+$/.test(word)) {
    const meant = find(rule, rule.dashNumber)
    if (meant !== undefined) return readValue(rule, meant, word.slice(1), waiting)
  }
  if (word.startsWith('--') || rule.dashes === 'single' || word.length < 3) return refuseOption(rule, word)
  return bundle(rule, word, waiting)
}

/** `-la` and `-n5`: every letter must be on the list, and the first that takes a value takes the rest. */
function bundle(rule: CommandRule, word: string, waiting: Word[]): OptionsReading {
  const options: string[] = []
  const given: GivenOption[] = []
  for (let at = 1; at < word.length; at++) {
    const option = find(rule, `-${word[at]}`)
    if (option === undefined) return refuseOption(rule, word)
    const rest = word.slice(at + 1)
    const takes = option.value !== undefined && !option.maybe
    const read = readValue(rule, option, takes && rest !== '' ? rest : undefined, waiting)
    if (!read.ok) return read
    options.push(...read.options)
    given.push(...read.given)
    if (takes) break
  }
  return { ok: true, options, given }
}

function readValue(rule: CommandRule, option: Option, inline: string | undefined, waiting: Word[]): OptionsReading {
  const { flag, value, maybe } = option
  if (value === undefined) {
    if (inline !== undefined) return { ok: false, reason: `${flag} takes no value` }
    return { ok: true, options: [flag], given: [[flag]] }
  }
  if (maybe && inline === undefined) return { ok: true, options: [flag], given: [[flag]] }
  const text = inline ?? waiting.shift()?.text
  if (text === undefined) return { ok: false, reason: `${flag} needs a value` }
  const wrong = valueProblem(value, text)
  if (wrong !== undefined) return { ok: false, reason: `${rule.name} ${flag}: ${wrong}` }
  // A long option keeps its value in the same word, and so does one that may do without; git insists on it for -U.
  const together = flag.startsWith('--') || maybe || rule.name.startsWith('git ')
  const joined = flag.startsWith('--') ? `${flag}=${text}` : `${flag}${text}`
  return { ok: true, options: together ? [joined] : [flag, text], given: [[flag, text]] }
}

function valueProblem(value: Value, text: string): string | undefined {
  switch (value.type) {
    case 'number': {
      const [, sign = '', digits] = /^([+-]?)(\d+)$/.exec(text) ?? []
      if (digits === undefined || (sign !== '' && !value.signs?.includes(sign))) return `'${text}' is not a number`
      return Number(digits) > value.max ? `${text} is more than ${value.max}` : undefined
    }
    case 'text':
      return value.pattern === undefined || value.pattern.test(text) ? undefined : `'${text}' is not ${value.what}`
    case 'one-of':
      return value.values.includes(text) ? undefined : `'${text}' is not one of ${value.values.join(', ')}`
  }
}

const find = (rule: CommandRule, name: string): Option | undefined =>
  rule.options.find((option) => option.flag === name || option.also?.includes(name))

function refuseOption(rule: CommandRule, word: string): { ok: false; reason: string } {
  const known = rule.options.map(({ flag }) => flag).join(' ')
  return { ok: false, reason: `${rule.name} may not be given ${word}; allowed: ${known === '' ? 'no options' : known}` }
}

function placeOperands(
  rule: CommandRule,
  words: readonly Word[],
  read: Omit<ParsedCommand, 'operands'>,
): CommandReading {
  const { min, max, otherwise } = rule.operands
  const kinds = kindsOf(rule, read)
  const given = words.length === 0 && otherwise !== undefined ? [{ text: otherwise, glob: undefined }] : words
  if (given.length < min) {
    return refuseCall(
      min === 1 ? `${rule.name} needs a file: there is no standard input` : `${rule.name} needs ${min} operands`,
    )
  }
  if (given.length > max) return refuseCall(`${rule.name} takes ${max === 0 ? 'no operand' : `at most ${max}`}`)
  const operands: Argument[] = []
  for (const [index, { text, glob }] of given.entries()) {
    const as = kinds[index] ?? kinds.at(-1) ?? 'text'
    if (as !== 'text' && (glob === '*' || glob === '?')) {
      return refuseGlob({ text, glob })
    }
    operands.push({ text, as })
  }
  return { ok: true, call: { ...read, operands } }
}

/** With `-e` the pattern of grep is no operand. */
function kindsOf(rule: CommandRule, { has }: Pick<ParsedCommand, 'has'>): readonly OperandKind[] {
  return rule.name === 'grep' && has('-e') ? rule.operands.kinds.slice(1) : rule.operands.kinds
}
