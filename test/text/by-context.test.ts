import { describe, expect, test } from 'vitest'
import { editTolerantly, type Tolerance } from '@clada/reply/text/edit-text.ts'
import { findOnlyReading } from '@clada/reply/text/undamage-edit.ts'

const tolerant: Tolerance = { matching: 'tolerant', readings: 'allowed', damage: [] }

const edited = (file: string, old: string, fresh: string) => {
  const done = editTolerantly(file, old, fresh, 1, tolerant)
  return done.kind === 'done' ? done.text : done.kind
}

const file = 'alpha(1)\nbeta(2)\n\ngamma(3)\ndelta(4)\nepsilon(5)\n'

describe('an edit by context', () => {
  test('changes its line where a line of context differs, which stays as the file has it', () => {
    expect(edited(file, 'alpha(1)\nbetter(2)\n\ngamma(3)\ndelta(4)', 'alpha(1)\nbetter(2)\n\nGAMMA(3)\ndelta(4)')).toBe(
      file.replace('gamma', 'GAMMA'),
    )
  })

  test.each([
    ['whitespace after the line to be changed', file.replace('gamma(3)', 'gamma(3) ')],
    ['the line to be changed deeper', file.replace('gamma(3)', '  gamma(3)')],
    ['another number in it', file.replace('gamma(3)', 'gamma(4)')],
  ])('is refused with %s', (_, there) => {
    expect(
      edited(there, 'alpha(1)\nbetter(2)\n\ngamma(3)\ndelta(4)', 'alpha(1)\nbetter(2)\n\nGAMMA(3)\ndelta(4)'),
    ).toBe('absent')
  })

  test('changes a line that is nowhere else where the only line next to it differs', () => {
    const old = 'alpha(1)\nbetter(2)\n\ngamma(3)\ndelta(4)'
    expect(edited(file, old, old.replace('alpha', 'ALPHA'))).toBe(file.replace('alpha', 'ALPHA'))
  })

  test('is found by several short lines that are nowhere else', () => {
    const there = '21441\n21445\n22235\n22236\n22769\n22770\n'
    expect(edited(there, '21441\n\n21445\n22235\n22236', '21441\n\n21445\n22237\n22236')).toBe(
      there.replace('22235', '22237'),
    )
  })

  test('adds lines where one long line is nowhere else', () => {
    const there = '}\n\n/*\n * Binds to a Unix domain socket.\n */\n}\n\n/*\n */\n'
    const old = '  return 2\n}\n\n/*\n * Binds to a Unix domain socket.\n */'
    expect(edited(there, old, old.replace('\n/*', '\ncall()\n/*'))).toBe(there.replace('\n/*', '\ncall()\n/*'))
  })

  test('lists the places it may be meant for by lines with content', () => {
    const there = `first()\n\n${file}\n${file}`
    const old = '\nalpha(1)\nbetter(2)\n\ngamma(3)\ndelta(4)\nepsilon(5)'
    const done = editTolerantly(there, old, old.replace('gamma', 'GAMMA'), 1, tolerant)
    const lines = 'spans' in done ? done.spans.map(({ start }) => there.slice(start).split('\n')[0]) : []
    expect(lines).toEqual(['alpha(1)', 'alpha(1)'])
  })

  test('is refused where only a line that differs shows what was done to the quotes of the new one', () => {
    const old = 'better(\u2018x\u2019)\nbeta(2)\n\ngamma(3)\ndelta(4)'
    expect(edited(file, old, old.replace('gamma(3)', 'gamma(3)\nnew(\u2018y\u2019)'))).toBe('unclear')
  })

  test('reads new lines like the lines of context that are there', () => {
    const there = file.replace('beta(2)', "beta('2')")
    const old = 'better(1)\nbeta(\u20182\u2019)\n\ngamma(3)\ndelta(4)'
    expect(edited(there, old, old.replace('gamma(3)', 'gamma(3)\nnew(\u2018y\u2019)'))).toBe(
      there.replace('gamma(3)', "gamma(3)\nnew('y')"),
    )
  })

  test('is refused where the new lines are there already', () => {
    const there = 'a(1)\nbeta(2)\n\nnewLine(7)\n\nbeta(2)\n\ngamma(3)\ndelta(4)\n'
    expect(
      edited(there, 'x(1)\nbeta(2)\n\ngamma(3)\ndelta(4)', 'x(1)\nbeta(2)\n\nnewLine(7)\n\ngamma(3)\ndelta(4)'),
    ).toBe('absent')
  })

  test('does not take another empty line for the one that goes', () => {
    const there = 'alpha(1)\n\nbeta(2)\nsomething(7)\ngamma(3)\ndelta(4)\nepsilon(5)\n'
    const old = 'alpha(1)\nbeta(2)\n\ngamma(3)\ndelta(4)\nepsilon(5)'
    expect(edited(there, old, old.replace('\n\n', '\n'))).toBe('absent')
  })

  // Lists of the same names: the one that is meant is gone, and another one is like it.
  const lists = [
    ['one', 'core', 'text', 'state', 'report', 'config'],
    ['two', 'core', 'git', 'config'],
    ['three', 'text'],
  ]
  const listed = (chosen: readonly (readonly string[])[]): string =>
    chosen.map(([name, ...rest]) => `${name}: [\n${rest.map((one) => `  '${one}',\n`).join('')}],\n`).join('')

  test('is refused where nothing that is there belongs to one place only', () => {
    const old = listed([['gone', 'core', 'text', 'state', 'report', 'process']])
    const fresh = old.replace("'text',", "'text',\n  'added',")
    const all = listed([...lists, ['four', 'state', 'report']])
    expect(edited(all, old, fresh)).toBe('absent')
    // One such line is not enough for lines that are added elsewhere in the place.
    const named = (text: string): string => text.replace("'core'", "'only-here'")
    expect(edited(named(all), named(old), named(fresh))).toBe('absent')
    const twice = (text: string): string => named(text).replace("'report'", "'nor-there'")
    expect(edited(twice(all), twice(old), twice(fresh))).toBe(twice(all).replace("'text',", "'text',\n  'added',"))
  })

  test('is refused where lines that it changes between others are apart there', () => {
    const there = 'alpha(1)\nbeta(2)\nsame()\nsame()\ngamma(3)\ndelta(4)\nepsilon(5)\n'
    const old = 'better(0)\nalpha(1)\nbeta(2)\nsame()\ngamma(3)\ndelta(4)\nepsilon(5)'
    expect(edited(there, old, old.replace('beta', 'BETA').replace('gamma', 'new(9)\ngamma'))).toBe('absent')
  })

  test('is refused where very many places have the lines', () => {
    const old = 'alpha(1)\nbetter(2)\n\ngamma(3)\ndelta(4)'
    expect(edited(file.repeat(60), old, old.replace('gamma', 'GAMMA'))).toBe('absent')
  })

  test('is refused where two places have the lines, whichever has more of them', () => {
    const old = 'alpha(1)\n\nbeta(2)\n\ngamma(3)\ndelta(4)\nepsilon(5)'
    expect(edited(`${file}${file}`, old, old.replace('delta', 'DELTA'))).toBe('count')
  })
})

describe('an edit whose lines are shifted', () => {
  const shift = (fresh: string): unknown => {
    const done = editTolerantly('if a {\n  one()\n  two()\n}\n', 'one()\ntwo()', fresh, 1, tolerant)
    return done.kind === 'done' && done.shifted?.added
  }

  test.each(['one(`\nx\n`)', 'one("""\nx\n""")', 'cat <<EOF\nx\nEOF'])(
    'names the lines of the string in %j',
    (fresh) => {
      expect(shift(fresh)).toEqual(fresh.split('\n').map((given, nth) => ({ line: nth + 1, given })))
    },
  )

  const nested = 'a: [\n    {\n      b: {\n        c: 1,\n      },\n    },\n  ],\n'
  test.each([
    [
      'whose new lines are indented like the file, and only its old ones are not',
      nested,
      '{\n  b: {\n    c: 1,\n  },\n},',
      '    {\n      b: {\n        c: 2,\n      },\n    },',
      nested.replace('1', '2'),
    ],
    [
      'whose new lines have the indentation of the file by chance',
      'def f():\n    one()\n    two()\n',
      'one()\ntwo()',
      'if a:\n    one()\n    two()',
      'def f():\n    if a:\n        one()\n        two()\n',
    ],
    [
      'with the marks of a diff before every line',
      'x {\n\tone()\n\ttwo()\n}\n',
      '+\tone()\n+\ttwo()',
      '+\tone()\n+\tthree()',
      'x {\n\tone()\n\tthree()\n}\n',
    ],
  ])('%s', (_, text, old, fresh, after) => {
    const done = editTolerantly(text, old, fresh, 1, tolerant)
    expect(done.kind === 'done' ? done.text : done).toBe(after)
  })

  test('with a dash for two hyphens, and quotes that may be meant, is refused', () => {
    const [old, fresh] = ['run `\u2014now` or\nlater', 'run `\u2014now` or\n\u201csoon\u201d']
    expect(editTolerantly('run `--now` or\nlater\nor never\n', old, fresh, 1, tolerant).kind).not.toBe('done')
  })

  test('with tabs that only lines which differ and new lines have is refused', () => {
    const text = 'one(1)\ntwo(2)\nif (a) {\n  three(3)\n}\nfour(4)\n'
    const old = 'one(1)\ntwo(2)\nif (a) {\n\tother(3)\n}\nfour(4)'
    expect(editTolerantly(text, old, old.replace('two(2)', 'two(2)\nfor (;;)\n\tx()'), 1, tolerant).kind).toBe(
      'unclear',
    )
  })

  test('with letters that only look like those of the file is refused', () => {
    const text = '.f {\n  color: #ff06cd;\n  font-weight: bold;\n  font-style: normal;\n}\n'
    const old = '.f {\n  color: #ff06cd;\n  font-weight: bold;\n  font-style: norm\u0430l;'
    const done = editTolerantly(text, old, old.replace('{\n', '{\n  content: r\u0430w;\n'), 1, tolerant)
    expect(done.kind).not.toBe('done')
  })

  test('does not name a string that ends on its line', () => {
    expect(shift('one(`x`)\ntwo("""x""")')).toBeUndefined()
  })
})

describe('an edit by indentation', () => {
  test('keeps the spaces at the ends of new lines where the old ones have none', () => {
    expect(edited('  one\n  two\n', 'one\ntwo', 'one  \ntwo')).toBe('  one  \n  two\n')
  })

  test('is not applied to lines of which only one is indented otherwise', () => {
    const there = 'if (a) {\n  b()\n  }\n\n}\n'
    const old = 'if (a) {\n  b()\n}'
    expect(edited(there, old, 'if (a) {\n  b()\n  }\n\n}')).toBe('unclear')
  })
})

describe('an edit through curled quotes', () => {
  test.each([
    [
      'others of the new line too',
      "say('a')\n",
      'say(\u2018a\u2019)',
      'say(\u2018b\u2019, \u201cc\u201d)',
      'say(\'b\', "c")\n',
    ],
    [
      'not a dash of the file',
      'say("a")\n\u2013\n',
      'say(\u201ca\u201d)',
      'say(\u201cb\u201d, \u2013 x)',
      'say("b", \u2013 x)\n\u2013\n',
    ],
  ])('straightens %s', (_, there, old, fresh, after) => {
    expect(edited(there, old, fresh)).toBe(after)
  })

  test('finds parts of lines before lines of which some differ', () => {
    const there = 'x = call("one",\n  "two",\n  "three",\n  "four", "five")\n'
    const old = 'call(\u201cone\u201d,\n  \u201ctwo\u201d,\n  \u201cthree\u201d,\n  \u201cfour\u201d'
    expect(editTolerantly(there, old, old.replace('two', '2'), 1, tolerant)).toMatchObject({
      text: there.replace('two', '2'),
      level: 'characters',
    })
  })

  test('undoes something, or is no other reading', () => {
    const edit = { wanted: ['\u201ca\u201d'], replacement: '\u201cb\u201d' }
    const asWritten = (wanted: readonly string[]) => (wanted[0] === edit.wanted[0] ? [0] : [])
    expect(findOnlyReading(edit, '\u201ca\u201d', [], asWritten)).toBeUndefined()
  })
})
