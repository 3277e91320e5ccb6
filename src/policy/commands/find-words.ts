import type { Argument, Call, ClosedName, Reading } from './rule.ts'
import type { Word } from './words.ts'

/**
 * find has a language of its own: start points, then an expression. Only tests and `-print` are in it here; whatever
 * runs, writes or deletes is not.
 *
 *   find [start…] [-maxdepth N] [-mindepth N] expression
 */
export function readFind(words: readonly Word[]): Reading {
  const starts: Argument[] = []
  const depth: Argument[] = []
  const expression: Argument[] = []
  let prints = false
  const waiting = [...words]
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    const { text } = word
    const begun = expression.length > 0 || depth.length > 0
    if (!begun && !/^[-(!]/.test(text)) {
      if (word.glob === '*' || word.glob === '?')
        return no(`${word.glob} in '${text}' is not expanded; there is no shell`)
      starts.push({ text, as: 'name' })
      continue
    }
    if (plain.has(text)) {
      expression.push({ text, as: 'option' })
      if (text === '-print' || text === '-print0') prints = true
      continue
    }
    const test = tests[text]
    if (test === undefined)
      return no(`find may not be given ${text}; allowed: ${[...Object.keys(tests), ...plain].join(' ')}`)
    const value = waiting.shift()
    if (value === undefined) return no(`${text} needs a value`)
    if (test !== 'name' && !test.test(value.text)) return no(`find ${text}: '${value.text}' is not understood`)
    const into = text === '-maxdepth' || text === '-mindepth' ? depth : expression
    into.push({ text, as: 'option' }, { text: value.text, as: test === 'name' ? 'name' : 'option' })
  }
  if (starts.length === 0) starts.push({ text: '.', as: 'name' })
  const wanted: Argument[] = expression.length === 0 ? [] : [option('('), ...expression, option(')')]
  const operands = [...starts, ...depth, option(closedMark), ...wanted, ...(prints ? [] : [option('-print')])]
  return { ok: true, call: { options: [], operands, beforeDashes: undefined, has: () => false } }
}

const no = (reason: string): Reading & { ok: false } => ({ ok: false, reason })
const option = (text: string): Argument => ({ text, as: 'option' })

/** Marks where the blocked names are left out; see `closeFind`. */
const closedMark = '\0closed'

const anything = /^/
const tests: Readonly<Record<string, RegExp | 'name'>> = {
  '-name': anything,
  '-iname': anything,
  '-path': anything,
  '-ipath': anything,
  '-type': /^[fdlpsbc](,[fdlpsbc])*$/,
  '-maxdepth': /^\d{1,4}$/,
  '-mindepth': /^\d{1,4}$/,
  '-size': /^[+-]?\d{1,12}[cwbkMG]?$/,
  '-mtime': /^[+-]?\d{1,6}$/,
  '-mmin': /^[+-]?\d{1,9}$/,
  '-newer': 'name',
}
const plain = new Set(['-not', '!', '-o', '-or', '-a', '-and', '(', ')', '-print', '-print0', '-empty', '-prune'])

/** Directories and files whose names are closed are not entered and not shown. */
export function closeFind(call: Call, closed: readonly ClosedName[]): Argument[] {
  let expression: string[] = []
  for (const { pattern, opens } of closed.filter(({ from }) => from === undefined)) {
    const test = pattern.includes('/') ? ['-ipath', `*/${pattern}`] : ['-iname', pattern]
    if (!opens) expression = expression.length === 0 ? test : [...expression, '-o', ...test]
    else if (expression.length > 0) expression = ['(', ...expression, ')', '!', ...test]
  }
  const pruned = expression.length === 0 ? [] : ['(', ...expression, ')', '-prune', '-o'].map(option)
  return call.operands.flatMap((argument) => (argument.text === closedMark ? pruned : [argument]))
}
