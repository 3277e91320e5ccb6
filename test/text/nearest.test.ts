import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findAppliedText, findNearestPlaces } from '@clada/reply/text/nearest.ts'
import { LIMITS } from '@clada/reply/text/nearest-survey.ts'

const STORE = `import { a } from './a'

export class Store {
\tconstructor(private db: Db) {}

\tasync load(id: string) {
\t\tconst row = await this.db.find(id)
\t\tif (!row) throw new Error("not found: " + id)
\t\treturn row
\t}

\tasync save(item: Item) {
\t\tawait this.db.put(item.id, item)
\t\tthis.emit('saved', item)
\t}

\tasync processOrder(order) {
\t\treturn this.save(order)
\t}
}
`

const find = async (content: string, wanted: string) => {
  const work = { steps: 0, windows: 0 }
  const places = await findNearestPlaces(content, wanted, { work })
  expect(work.steps).toBeLessThanOrEqual(LIMITS.steps)
  expect(work.windows).toBeLessThanOrEqual(LIMITS.windows)
  return places
}

describe('nearestPlaces', () => {
  test.each([
    {
      name: 'indentation',
      wanted: 'async load(id: string) {\n  const row = await this.db.find(id)',
      lines: [6, 7],
      why: /indentation/,
    },
    {
      name: 'trailing blanks',
      wanted: '\t\tawait this.db.put(item.id, item)  \n\t\tthis.emit',
      lines: [13, 14],
      why: /trailing/,
    },
    {
      name: 'a typo in one of three lines',
      wanted: '\tasync save(item: Item) {\n\t\tawait this.db.putt(item.id, item)\n\t\tthis.emit(',
      lines: [12, 14],
    },
    { name: 'a typo in a name', wanted: 'proccessOrder', lines: [17, 17] },
    { name: 'a renamed call', wanted: 'this.database.put(item.id, item)', lines: [13, 13] },
    { name: 'curly quotes', wanted: 'throw new Error(“not found: ” + id)', lines: [8, 8], why: /typographic/ },
    { name: 'a blank line missing', wanted: '\t}\n\tasync save(item: Item) {', lines: [10, 12], why: /blank lines/ },
    {
      name: 'lines changed in the middle',
      wanted:
        '\tasync load(id: string) {\n\t\tconst row = cache.lookup(id)\n\t\tlog(row)\n\t\tif (!row) throw new Error("not found: " + id)\n\t\treturn row\n\t}',
      lines: [6, 10],
    },
    {
      name: 'line numbers',
      wanted: '12: \tasync save(item: Item) {\n13: \t\tawait this.db.put(item.id, item)',
      lines: [12, 13],
      why: /line numbers/,
    },
    {
      name: 'diff marks',
      wanted: '-\tasync save(item: Item) {\n-\t\tawait this.db.put(item.id, item)',
      lines: [12, 13],
      why: /diff marks/,
    },
    { name: 'newlines at the end', wanted: '\t\treturn row\n\t}\n\n\n', lines: [9, 10], why: /final newline/ },
    {
      name: 'an escaped line break',
      wanted: '\tasync save(item: Item) {\\n\\t\\tawait this.db.put(item.id, item)',
      lines: [12, 13],
      why: /written out/,
    },
    { name: 'escaped quotes', wanted: 'throw new Error(\\"not found: \\" + id)', lines: [8, 8], why: /written out/ },
    {
      name: 'one line for three',
      wanted: "async save(item: Item) { await this.db.put(item.id, item) this.emit('saved', itm)",
      lines: [12, 14],
    },
    { name: 'two lines for one', wanted: "import { a }\nfrom './aa'", lines: [1, 1] },
    {
      name: 'lines left out',
      wanted: '\tasync load(id: string) {\n\t\t// ...\n\t}',
      lines: [6, 8],
      why: /leaves lines out/,
    },
    { name: 'CRLF in a file with LF', wanted: '\t\treturn row\r\n\t}', lines: [9, 10], why: /CRLF/ },
    { name: 'case', wanted: 'Async Load(id: String)', lines: [6, 6], why: /case/ },
  ] satisfies { name: string; wanted: string; lines: number[]; why?: RegExp }[])(
    '$name',
    async ({ wanted, lines, ...rest }) => {
      const [first] = await find(STORE, wanted)
      expect([first?.line, first?.endLine]).toEqual(lines)
      if ('why' in rest && rest.why !== undefined) expect(first?.why).toMatch(rest.why)
      else expect(first?.why).toBeUndefined()
    },
  )

  test.each([
    { name: 'nothing alike', content: STORE, wanted: 'a text about penguins' },
    { name: 'nothing asked', content: STORE, wanted: '' },
    { name: 'only blanks asked', content: STORE, wanted: ' \n\t' },
    { name: 'an empty file', content: '', wanted: 'a' },
    { name: 'too short to be like anything', content: STORE, wanted: 'x' },
  ])('none: $name', async ({ content, wanted }) => {
    expect(await find(content, wanted)).toEqual([])
  })

  test('the whole of a place', async () => {
    expect(await find('one\ntwo three four\nfive\n', 'two thre four')).toEqual([
      { line: 2, endLine: 2, similarity: 0.92, diff: '-two thre four\n+two three four', text: 'two three four' },
    ])
  })

  test('lines that all differ a little', async () => {
    const [place] = await find('x\nconst row = find(id)\nif (!row) throw\n', 'constt row = find(id)\nif (!rov) throw')
    expect(place).toMatchObject({ line: 2, endLine: 3, similarity: 0.94 })
  })

  test('text that differs in spaces only, however many', async () => {
    const [place] = await find('a(   1,   2,   3,   4   )\n', 'a(1,2,3,4)')
    expect(place).toMatchObject({ line: 1, similarity: 0.9 })
  })

  test('the place that has most of the lines, rather than lines that are like them', async () => {
    const step = (number: number, what: string): string[] => [
      `'error: bad${what}'`,
      `# ${number}. detect ${what}`,
      'cat',
    ]
    const content = [...step(20, 'Date1'), ...step(21, 'Time1'), ...step(22, 'Date2')]
    const places = await find(content.with(4, 'somethingElse()').join('\n'), step(21, 'Time1').join('\n'))
    expect(places[0]).toMatchObject({ line: 4, endLine: 6, text: "'error: badTime1'\nsomethingElse()\ncat" })
  })

  test('the line that is in the place of the last one', async () => {
    const [place] = await find('first line\nsecond line\n\nanother\n', 'first line\nsecond line\n\ndone')
    expect(place).toMatchObject({ line: 1, endLine: 4, text: 'first line\nsecond line\n\nanother' })
  })

  test('all places that are equally near, whole', async () => {
    const places = await find('if a:\n  call(1)\n\nif b:\n  call(1)\n', 'if c:\n  call(1)')
    expect(places.map(({ text, tied }) => [text, tied])).toEqual([
      ['if a:\n  call(1)', undefined],
      ['if b:\n  call(1)', true],
    ])
  })

  test('three at most, the nearest first, none twice', async () => {
    const content = [
      'alpha beta gamma',
      'x',
      'alpha beta gamme',
      'y',
      'alpha betta gammo',
      'z',
      'alpha bet gam',
      '',
    ].join('\n')
    const places = await find(content, 'alpha beta gammi')
    expect(places).toHaveLength(3)
    expect(new Set(places.map(({ line }) => line)).size).toBe(3)
    expect(places.map(({ similarity }) => similarity)).toEqual(
      places.map(({ similarity }) => similarity).toSorted((a, b) => b - a),
    )
  })

  test('a diff of twelve lines at most', async () => {
    const content = Array.from({ length: 60 }, (_, index) => `the line with number ${index}`).join('\n')
    const [first] = await find(content, content.replaceAll('number', 'nummer'))
    expect(first?.diff.split('\n')).toHaveLength(12)
    expect(first?.diff).toContain('lines left out')
  })

  test('in a file on one line', async () => {
    const content = `${'var a=1;'.repeat(5000)}function compute(total){return total*2}${'var b=2;'.repeat(5000)}`
    const [first] = await find(content, 'function compute(totals){return')
    expect(first).toMatchObject({ line: 1, endLine: 1 })
    expect(first?.diff).toContain('function compute(total){return total*2}')
    expect(first?.diff.length).toBeLessThan(400)
  })

  test('in a CRLF file', async () => {
    const [first] = await find(
      STORE.replaceAll('\n', '\r\n'),
      '\tasync save(item: Item) {\n\t\tawait this.db.putt(item.id, item)',
    )
    expect(first).toMatchObject({
      line: 12,
      endLine: 13,
      diff: ' \tasync save(item: Item) {\n-\t\tawait this.db.putt(item.id, item)\n+\t\tawait this.db.put(item.id, item)',
    })
  })

  const word = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: 3, maxLength: 9 })
  const distinctLine = fc.array(word, { minLength: 3, maxLength: 8 }).map((words) => words.join(' '))
  const file = fc.uniqueArray(distinctLine, { minLength: 12, maxLength: 60 })

  test('text with one changed line is found first', async () => {
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.nat(),
        fc.integer({ min: 1, max: 6 }),
        fc.nat(),
        word,
        async (lines, from, height, which, insert) => {
          const start = from % (lines.length - height)
          const wanted = lines.slice(start, start + height)
          const at = which % height
          const line = wanted[at] ?? ''
          wanted[at] = `${line.slice(0, 5)}${insert}${line.slice(5)}`
          const [first] = await find(lines.join('\n'), wanted.join('\n'))
          expect(first).toMatchObject({ line: start + 1, endLine: start + height })
        },
      ),
    )
  })

  test('text that differs in blanks only is found exactly', async () => {
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.nat(),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom('\t', '  ', '      '),
        async (lines, from, height, indent) => {
          const start = from % (lines.length - height)
          const wanted = lines.slice(start, start + height).map((line) => `${indent}${line} `)
          const [first] = await find(lines.join('\r\n'), wanted.join('\n'))
          expect(first).toMatchObject({ line: start + 1, endLine: start + height })
          expect(first?.why).toMatch(/indentation|trailing|blanks/)
        },
      ),
    )
  })

  test('never throws, never does more than it may', async () => {
    const rough = fc.string({
      unit: fc.constantFrom(
        'a',
        'b',
        ' ',
        '\t',
        '\n',
        '\r\n',
        '\r',
        '“',
        '\\n',
        '"',
        '12: ',
        '+',
        '...',
        '\ud800',
        '😀',
      ),
    })
    await fc.assert(
      fc.asyncProperty(rough, rough, async (content, wanted) => {
        for (const place of await find(content, wanted)) {
          expect(place.line).toBeGreaterThanOrEqual(1)
          expect(place.endLine).toBeGreaterThanOrEqual(place.line)
          expect(place.endLine).toBeLessThanOrEqual(content.split(/\r\n|\n|\r/).length)
          expect(place.similarity).toBeGreaterThan(0)
          expect(place.similarity).toBeLessThan(1)
        }
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    { name: 'one line of a million letters', content: 'ab'.repeat(500_000), wanted: `${'ab'.repeat(50_000)}c` },
    {
      name: 'very many equal lines',
      content: 'hello world\n'.repeat(100_000),
      wanted: 'hello world\nhello world\nhallo welt',
    },
    { name: 'only newlines', content: '\n'.repeat(1_000_000), wanted: 'hello\nworld' },
    {
      name: 'a needle that is mostly blank',
      content: 'x y '.repeat(100_000),
      wanted: `${' '.repeat(200_000)}x${'\n'.repeat(200_000)}z foo`,
    },
    { name: 'a needle longer than the file', content: 'foo bar\n', wanted: 'foo baz\n'.repeat(20_000) },
  ])('bounded: $name', async ({ content, wanted }) => {
    await find(content, wanted)
  })

  test('a line is whole unless it is very long, and then a part of it that can be copied', async () => {
    const line = `- \`isGreaterThan\` ${'returns true if it is greater; '.repeat(12)}end`
    const [place] = await find(`one\n${line}\ntwo\n`, '- `isGreaterThan` is true')
    expect(place?.text).toBe(line)
    const long = `${'a'.repeat(3000)}${line}${'b'.repeat(3000)}`
    const [part] = await find(`one\n${long}\ntwo\n`, '- `isGreaterThan` is true')
    expect(long).toContain(part?.text)
    expect(part?.text?.length).toBeLessThan(1000)
  })
})

describe('alreadyApplied', () => {
  test.each([
    { name: 'on its line', content: 'a\nb\nconst x = 1\n', newText: 'const x = 1', line: 3 },
    { name: 'whatever the line ends', content: 'a\r\nfoo()\r\nbar()\r\n', newText: 'foo()\nbar()\n', line: 2 },
    { name: 'but for a final newline', content: 'a\nfoo()', newText: 'foo()\n', line: 2 },
    { name: 'not there', content: 'a\nb', newText: 'const x', line: undefined },
    { name: 'empty', content: 'a', newText: '', line: undefined },
    { name: 'blank', content: '     \n     ', newText: '     ', line: undefined },
    { name: 'too short', content: 'a = b', newText: 'a =', line: undefined },
  ])('$name', ({ content, newText, line }) => {
    expect(findAppliedText(content, newText)).toBe(line)
  })
})
