import {
  type Argument,
  type CommandRule,
  contents,
  flagOption,
  flagOptions,
  numberOption,
  type CommandReading,
  refuseCall,
  refuseGlob,
  textOption,
} from './rule.ts'
import type { Word } from './words.ts'

const lines = 10_000_000

/** Commands that look into many files. What is blocked is left out of what they find by themselves. */
export const searchRules: readonly CommandRule[] = [
  {
    name: 'grep',
    examples: ['grep foo a.txt', 'grep -rn foo .', 'grep -rn "foo bar" src'],
    options: [
      flagOption('-n', '--line-number'),
      flagOption('-i', '--ignore-case'),
      flagOption('-v', '--invert-match'),
      flagOption('-w', '--word-regexp'),
      flagOption('-x', '--line-regexp'),
      flagOption('-c', '--count'),
      flagOption('-l', '--files-with-matches'),
      flagOption('-L', '--files-without-match'),
      flagOption('-o', '--only-matching'),
      flagOption('-E', '--extended-regexp'),
      flagOption('-F', '--fixed-strings'),
      flagOption('-r', '--recursive'),
      ...flagOptions('-H -h -s -q'),
      textOption('-e', 'a pattern'),
      numberOption('-A', lines, '--after-context'),
      numberOption('-B', lines, '--before-context'),
      numberOption('-C', lines, '--context'),
      numberOption('-m', lines, '--max-count'),
      textOption('--include', 'a glob', /^[^/]+$/),
      textOption('--exclude', 'a glob', /^[^/]+$/),
      textOption('--exclude-dir', 'a glob', /^[^/]+\/?$/),
    ],
    dashNumber: '-C',
    operands: { min: 1, max: 200, kinds: ['text', 'content'] },
    answers: [1],
    forbids: ({ operands, has }) =>
      has('-r') || operands.some(({ as }) => as === 'content')
        ? undefined
        : 'grep needs a file, or -r: there is no standard input',
  },
  {
    name: 'find',
    examples: ['find', 'find .', "find src -name '*.ts'"],
    options: [],
    operands: { min: 0, max: 500, kinds: ['name'] },
    read: readFind,
  },
  {
    name: 'diff',
    examples: ['diff a.txt b.txt', 'diff -u a.txt b.txt', 'diff -r src nested'],
    options: [
      flagOption('-q', '--brief'),
      flagOption('-u', '--unified'),
      flagOption('-w', '--ignore-all-space'),
      flagOption('-b', '--ignore-space-change'),
      flagOption('-B', '--ignore-blank-lines'),
      flagOption('-i', '--ignore-case'),
      flagOption('-r', '--recursive'),
      flagOption('-N', '--new-file'),
      ...flagOptions('-s -a --strip-trailing-cr'),
      numberOption('-U', 100_000),
    ],
    operands: contents(2, 2),
    answers: [1],
  },
]

/**
 * find has a language of its own: start points, then an expression. Only tests and `-print` are in it here; whatever
 * runs, writes or deletes is not.
 *
 *   find [start…] [-maxdepth N] [-mindepth N] expression
 */
function readFind(words: readonly Word[]): CommandReading {
  const starts: Argument[] = []
  const depth: Argument[] = []
  const expression: Argument[] = []
  const waiting = [...words]
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    const { text } = word
    const begun = expression.length > 0 || depth.length > 0
    if (!begun && !/^[-(!]/.test(text)) {
      if (word.glob === '*' || word.glob === '?') return refuseGlob(word)
      starts.push({ text, as: 'name' })
      continue
    }
    if (plain.has(text)) {
      expression.push({ text, as: 'option' })
      continue
    }
    const test = tests[text]
    if (test === undefined)
      return refuseCall(`find may not be given ${text}; allowed: ${[...Object.keys(tests), ...plain].join(' ')}`)
    const value = waiting.shift()
    if (value === undefined) return refuseCall(`${text} needs a value`)
    if (test !== 'name' && !test.test(value.text)) return refuseCall(`find ${text}: '${value.text}' is not understood`)
    const into = text === '-maxdepth' || text === '-mindepth' ? depth : expression
    into.push({ text, as: 'option' }, { text: value.text, as: test === 'name' ? 'name' : 'option' })
  }
  if (starts.length === 0) starts.push({ text: '.', as: 'name' })
  const operands = [...starts, ...depth, ...expression]
  return { ok: true, call: { options: [], operands, beforeDashes: undefined, has: () => false, valuesOf: () => [] } }
}

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
