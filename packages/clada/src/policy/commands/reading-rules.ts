import { type CommandRule, contents, flagOption, flagOptions, names, numberOption, textOption } from './rule.ts'

const lines = 10_000_000
const bytes = 10 * 1024 * 1024

/** Commands that show the content of files they are given. */
export const textRules: readonly CommandRule[] = [
  {
    name: 'cat',
    examples: ['cat a.txt', 'cat -n src/a.txt b.txt', "cat 'a b.txt'"],
    options: [flagOption('-n', '--number'), ...flagOptions('-A -b -s')],
    operands: contents(1),
  },
  {
    name: 'head',
    examples: ['head a.txt', 'head -n 5 a.txt', 'head -5 a.txt'],
    options: [
      { flag: '-n', also: ['--lines'], value: { type: 'number', max: lines, signs: '+-' } },
      { flag: '-c', also: ['--bytes'], value: { type: 'number', max: bytes, signs: '-' } },
      ...flagOptions('-q -v'),
    ],
    dashNumber: '-n',
    operands: contents(1),
  },
  {
    name: 'tail',
    examples: ['tail a.txt', 'tail -n 5 a.txt', 'tail -20 a.txt'],
    options: [
      { flag: '-n', also: ['--lines'], value: { type: 'number', max: lines, signs: '+' } },
      { flag: '-c', also: ['--bytes'], value: { type: 'number', max: bytes, signs: '+' } },
      ...flagOptions('-q'),
    ],
    dashNumber: '-n',
    operands: contents(1),
  },
  {
    name: 'wc',
    examples: ['wc a.txt', 'wc -l a.txt b.txt', 'wc -lw a.txt'],
    options: [
      flagOption('-l', '--lines'),
      flagOption('-w', '--words'),
      flagOption('-c', '--bytes'),
      flagOption('-m', '--chars'),
      ...flagOptions('-L'),
    ],
    operands: contents(1),
  },
  {
    name: 'file',
    examples: ['file a.txt', 'file -b --mime-type a.txt', 'file -bi a.txt'],
    options: flagOptions('-b -i -h --mime-type --mime-encoding --brief --mime'),
    operands: contents(1),
  },
  {
    name: 'xxd',
    examples: ['xxd a.bin', 'xxd -l 64 a.bin', 'xxd -s 16 -l 16 a.bin'],
    dashes: 'single',
    options: [
      numberOption('-l', bytes, '-len'),
      numberOption('-s', bytes, '-seek'),
      numberOption('-c', 256, '-cols'),
      numberOption('-g', 64),
      ...flagOptions('-u -p -b -i'),
    ],
    operands: contents(1, 1),
  },
]

/** Commands that show names, places and sizes. */
export const listingRules: readonly CommandRule[] = [
  {
    name: 'ls',
    examples: ['ls', 'ls -la', 'ls -l src'],
    options: [
      flagOption('-a', '--all'),
      flagOption('-A', '--almost-all'),
      flagOption('-R', '--recursive'),
      ...flagOptions('-l -1 -h -t -S -r -d -F -p -q'),
    ],
    operands: names(0, '.'),
  },
  {
    name: 'pwd',
    examples: ['pwd', 'pwd -P'],
    options: flagOptions('-P'),
    operands: { min: 0, max: 0, kinds: [] },
  },
  {
    name: 'tree',
    examples: ['tree', 'tree -L 2', "tree -I 'node_modules|dist' src"],
    options: [
      ...flagOptions('-a -d -F -i -f -J --noreport'),
      numberOption('-L', 1000),
      textOption('-I', 'a pattern', /^[^\0]{1,500}$/),
      textOption('-P', 'a pattern', /^[^\0]{1,500}$/),
    ],
    operands: names(0, '.'),
  },
  {
    name: 'stat',
    examples: ['stat a.txt', 'stat -c %s a.txt', "stat --format='%s %n' a.txt"],
    options: [
      {
        flag: '-c',
        also: ['--format'],
        value: {
          type: 'text',
          what: 'a format without backslashes, and with widths of three digits at most',
          pattern: /^(?:%(?![-0]*\d{4})|[^\\%])*$/,
        },
      },
      flagOption('-t', '--terse'),
    ],
    operands: names(1),
  },
  {
    name: 'realpath',
    examples: ['realpath a.txt', 'realpath -m src/x', 'realpath -es a.txt'],
    options: flagOptions('-e -m -s'),
    operands: names(1),
  },
]
