import { expect, it } from 'vitest'
import { shortenWarnings } from '../../packages/clada/src/actions/compiler-warnings.ts'

/** What gcc writes about an unused variable. */
const gcc = (line: number): string[] => [
  `a.c:${line}:7: warning: unused variable ‘v${line}’ [-Wunused-variable]`,
  `${String(line).padStart(5)} |   int v${line};`,
  '      |       ^~',
]

it('the first of several warnings is whole, a few have one line, the others are counted', () => {
  const text = [
    'cc -Wall -c a.c',
    'a.c: In function ‘f’:',
    ...gcc(1),
    ...gcc(2),
    'a.c:1:5: note: ‘v1’ was declared here',
    '    1 |   int v1;',
    '      |       ^~',
    'In file included from a.c:3:',
    'a.c: In function ‘g’:',
    ...[3, 4, 5, 6, 7].flatMap(gcc),
    'a.c:9:1: error: expected declaration',
    '    9 | }',
    '      | ^',
    'make: *** [a.o] Error 1',
  ]
  expect(shortenWarnings(text.join('\n')).split('\n')).toEqual([
    'cc -Wall -c a.c',
    'a.c: In function ‘f’:',
    ...gcc(1),
    ...[2, 3, 4, 5].map((line) => gcc(line)[0]),
    '... 2 more warnings',
    'a.c:9:1: error: expected declaration',
    '    9 | }',
    '      | ^',
    'make: *** [a.o] Error 1',
  ])
})

it('a single one is as it was, and so is other text with the word', () => {
  const text = ['a.c: In function ‘f’:', ...gcc(1), 'ok', 'warned: no', 'x: warning', '  | warning: a', ''].join('\n')
  expect(shortenWarnings(text)).toBe(text)
})

it('those of rustc have their place in their line', () => {
  const rust = (name: string): string[] => [
    `warning: unused variable: \`${name}\``,
    ' --> src/lib.rs:2:9',
    '  |',
    `2 |     let ${name} = 1;`,
    `  |         ^ help: if this is intentional, prefix it with an underscore: \`_${name}\``,
    '  |',
    '  = note: `#[warn(unused_variables)]` on by default',
    '',
  ]
  const last = 'warning: `demo` (lib) generated 2 warnings (run `cargo fix --lib -p demo` to apply 1 suggestion)'
  expect(shortenWarnings(['   Compiling demo', ...rust('a'), ...rust('b'), last].join('\n')).split('\n')).toEqual([
    '   Compiling demo',
    ...rust('a'),
    'src/lib.rs:2:9: warning: unused variable: `b`',
    last,
  ])
})

it('those of javac have the line below the head, with a mark', () => {
  const java = (line: number): string[] => [
    `src/A.java:${line}: warning: [deprecation] stop() in Thread has been deprecated`,
    '    t.stop();',
    '     ^',
  ]
  expect(shortenWarnings([...java(3), ...java(5), '2 warnings'].join('\n')).split('\n')).toEqual([
    ...java(3),
    java(5)[0],
    '2 warnings',
  ])
})
