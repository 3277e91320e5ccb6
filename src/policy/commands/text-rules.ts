import { type CommandRule, contents, flag, flags, number } from './rule.ts'

const lines = 10_000_000
const bytes = 10 * 1024 * 1024

/** Commands that show the content of files they are given. */
export const textRules: readonly CommandRule[] = [
  {
    name: 'cat',
    by: 'process',
    options: [flag('-n', '--number'), ...flags('-A -b -s')],
    operands: contents(1),
    hits: ['cat a.txt', 'cat -n src/a.txt b.txt', "cat 'a b.txt'", 'cat -- -n', 'cat -bs a.txt'],
    misses: ['cat', 'cat -', 'cat -v a.txt', 'cat --show-all a.txt', 'cat src/*.txt', 'cat --num a.txt'],
  },
  {
    name: 'head',
    by: 'process',
    options: [
      { flag: '-n', also: ['--lines'], value: { type: 'number', max: lines, signs: '+-' } },
      { flag: '-c', also: ['--bytes'], value: { type: 'number', max: bytes, signs: '-' } },
      ...flags('-q -v'),
    ],
    dashNumber: '-n',
    operands: contents(1),
    hits: [
      'head a.txt',
      'head -n 5 a.txt',
      'head -5 a.txt',
      'head -n5 a.txt',
      'head --lines=5 a.txt',
      'head -c 100 a.txt',
    ],
    misses: ['head', 'head -c 99999999999 a.txt', 'head -z a.txt', 'head -n 5k a.txt', 'head --li=5 a.txt'],
  },
  {
    name: 'tail',
    by: 'process',
    options: [
      { flag: '-n', also: ['--lines'], value: { type: 'number', max: lines, signs: '+' } },
      { flag: '-c', also: ['--bytes'], value: { type: 'number', max: bytes, signs: '+' } },
      ...flags('-q'),
    ],
    dashNumber: '-n',
    operands: contents(1),
    hits: ['tail a.txt', 'tail -n 5 a.txt', 'tail -20 a.txt', 'tail -n +5 a.txt', 'tail -qn5 a.txt b.txt'],
    misses: [
      'tail -f a.txt',
      'tail -F a.txt',
      'tail -fn5 a.txt',
      'tail -5f a.txt',
      'tail --fol a.txt',
      'tail --pid=1 a.txt',
    ],
  },
  {
    name: 'wc',
    by: 'process',
    options: [
      flag('-l', '--lines'),
      flag('-w', '--words'),
      flag('-c', '--bytes'),
      flag('-m', '--chars'),
      ...flags('-L'),
    ],
    operands: contents(1),
    hits: ['wc a.txt', 'wc -l a.txt b.txt', 'wc -lw a.txt', 'wc --lines a.txt'],
    misses: ['wc', 'wc --files0-from=x', 'wc --files0-from x', 'wc -l src/*.ts'],
  },
  {
    name: 'file',
    by: 'process',
    options: flags('-b -i -h --mime-type --mime-encoding --brief --mime'),
    operands: contents(1),
    hits: ['file a.txt', 'file -b --mime-type a.txt', 'file -bi a.txt'],
    misses: [
      'file',
      'file -f x',
      'file --files-from x',
      'file -m x a',
      'file -M x a',
      'file -C',
      'file -z a',
      'file -Z a',
      'file -s a',
      'file -S a',
      'file -p a',
      'file -P x a',
      'file -e x a',
      'file -L a',
    ],
  },
  {
    name: 'xxd',
    by: 'process',
    dashes: 'single',
    options: [
      number('-l', bytes, '-len'),
      number('-s', bytes, '-seek'),
      number('-c', 256, '-cols'),
      number('-g', 64),
      ...flags('-u -p -b -i'),
    ],
    operands: contents(1, 1),
    hits: ['xxd a.bin', 'xxd -l 64 a.bin', 'xxd -s 16 -l 16 a.bin', 'xxd -p a.bin'],
    misses: ['xxd', 'xxd a b', 'xxd -r a', 'xxd -revert a', 'xxd -r a b', 'xxd -rp a', 'xxd -', 'xxd -l64 a.bin'],
  },
]
