import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { damageLines, lineDamages, textDamages } from './damage.ts'
import { blocksOf, carriedOut, someOf, succeeded } from './world.ts'

/** The promise of `properties.test.ts` for syntaxes whose markers have no id, so that content must not look like them. */
interface Writing {
  readonly write: (path: string, content: string) => readonly (string | { content: string })[]
  readonly edit: (path: string, old: string, changed: string) => readonly (string | { content: string })[]
}

const syntaxes: Readonly<Record<string, Writing>> = {
  csl: {
    write: (path, content) => [`<---WRITE file="${path}"--->`, { content }, '<---END--->'],
    edit: (path, old, changed) => [
      `<---SEARCH file="${path}" count="1"--->`,
      { content: old },
      '<---REPLACE--->',
      { content: changed },
      '<---END--->',
    ],
  },
  replacer: {
    write: (path, content) => ['<<<FILE>>>', path, '<<<OVERWRITE>>>', { content }, '<<<END>>>'],
    edit: (path, old, changed) => [
      '<<<FILE>>>',
      path,
      '<<<SEARCH>>>',
      { content: old },
      '<<<REPLACE>>>',
      { content: changed },
      '<<<END>>>',
    ],
  },
  cml: {
    write: (path, content) => [`<write path="${path}"><![CDATA[`, { content }, ']]></write>'],
    edit: (path, old, changed) => [
      `<edit path="${path}">`,
      '<search><![CDATA[',
      { content: old },
      ']]></search>',
      '<replace><![CDATA[',
      { content: changed },
      ']]></replace>',
      '</edit>',
    ],
  },
  'search-replace': {
    write: (path, content) => [path, '<<<<<<< SEARCH', '=======', { content }, '>>>>>>> REPLACE'],
    edit: (path, old, changed) => [
      path,
      '<<<<<<< SEARCH',
      { content: old },
      '=======',
      { content: changed },
      '>>>>>>> REPLACE',
    ],
  },
  'apply-patch': {
    write: (path, content) => [
      '*** Begin Patch',
      `*** Add File: ${path}`,
      { content: marked('+', content) },
      '*** End Patch',
    ],
    edit: (path, old, changed) => [
      '*** Begin Patch',
      `*** Update File: ${path}`,
      '@@',
      { content: `${marked('-', old)}\n${marked('+', changed)}` },
      '*** End Patch',
    ],
  },
  udiff: {
    write: (path, content) => ['```diff', '--- /dev/null', `+++ b/${path}`, { content: marked('+', content) }, '```'],
    edit: (path, old, changed) => [
      '```diff',
      `--- a/${path}`,
      `+++ b/${path}`,
      '@@ ... @@',
      { content: `${marked('-', old)}\n${marked('+', changed)}` },
      '```',
    ],
  },
}

function marked(mark: string, text: string): string {
  return mark + text.replaceAll('\n', `\n${mark}`)
}

const foreign = ['search-replace', 'apply-patch', 'udiff']

const lines = [
  'word',
  '    two words',
  'if (a < b && c > d) say("x")',
  "it's 'quoted'",
  'a_b * c[0] # {1} \\. C:\\temp',
  '&lt;b&gt; &amp;',
  'a - b ... c',
  'no\xa0break',
  '\u201ccurly\u201d it\u2019s',
]

const block = fc.record({
  kind: fc.constantFrom('write', 'edit'),
  file: fc.uniqueArray(fc.constantFrom(...lines), { minLength: 2, maxLength: 6 }),
  content: fc.array(fc.constantFrom(...lines), { minLength: 1, maxLength: 4 }).map((some) => some.join('\n')),
  added: fc.constantFrom(...lines.slice(0, 7)),
})

function documentIn(
  { write, edit }: Writing,
  blocks: readonly (typeof block extends fc.Arbitrary<infer B> ? B : never)[],
) {
  const before: Record<string, string> = {}
  const text = ['Some words first.', '']
  const markers: number[][] = []
  blocks.forEach(({ kind, file, content, added }, i) => {
    const path = `f${i}.txt`
    if (kind === 'edit') before[path] = `${file.join('\n')}\n`
    const [old = ''] = file
    const own: number[] = []
    for (const part of kind === 'edit' ? edit(path, old, `${old}\n${added}`) : write(path, content)) {
      if (typeof part === 'string') own.push(text.push(part))
      else text.push(...part.content.split('\n'))
    }
    markers.push(own)
    text.push('', 'And then:')
  })
  return { text: `${text.join('\n')}\n`, markers, before }
}

const lineOf = (text: string, line: number): string => text.split('\n')[line - 1] ?? ''

for (const [syntax, writing] of Object.entries(syntaxes)) {
  const documents = fc.array(block, { minLength: 1, maxLength: 3 }).map((blocks) => documentIn(writing, blocks))

  describe(syntax, () => {
    test('clean, it is read', () => {
      const { text } = documentIn(writing, [{ kind: 'write', file: [], content: 'x', added: '' }])
      expect(blocksOf(text).map(({ diagnostics }) => diagnostics)).toEqual([[]])
    })

    // Behind `<![CDATA[` two blanks are content.
    const content = syntax === 'cml' ? ['hard-breaks'] : []
    // What leaves no trace in any marker cannot be told from what the model wrote.
    const leavesTrace = (name: string): boolean => {
      const { text, markers } = documentIn(writing, [{ kind: 'write', file: [], content: 'x', added: '' }])
      const damage = lineDamages[name] ?? String
      return markers.flat().some((line) => damage(lineOf(text, line)) !== lineOf(text, line))
    }
    test.each(Object.keys(lineDamages).filter((name) => !content.includes(name) && leavesTrace(name)))(
      '%s: the same or less',
      async (name) => {
        const damage = lineDamages[name] ?? String
        await fc.assert(
          fc.asyncProperty(documents, fc.constantFrom('all', 'markers'), async ({ text, markers, before }, where) => {
            const which = new Set(markers.flat())
            const damaged = damageLines(text, damage, (line) => where === 'all' || which.has(line))
            const done = await carriedOut(damaged, before)
            const good = succeeded(done)
            const clean = await carriedOut(text, before)
            expect([...succeeded(clean)]).toEqual(expect.arrayContaining([...good]))
            expect(done.files).toEqual((await someOf(text, good, before, clean)).files)
          }),
          { numRuns: 3 },
        )
      },
    )

    test.each(foreign.includes(syntax) ? Object.keys(lineDamages) : [])(
      '%s in content only: the same or nothing, where what is looked for shows it',
      async (name) => {
        const damage = lineDamages[name] ?? String
        await fc.assert(
          fc.asyncProperty(block, async (one) => {
            const { text, markers, before } = documentIn(writing, [{ ...one, kind: 'edit' }])
            const [old = ''] = one.file
            fc.pre(damage(old) !== old)
            const damaged = damageLines(text, damage, (line) => !markers.flat().includes(line))
            const { files } = await carriedOut(damaged, before)
            const clean = await carriedOut(text, before)
            const literal = { ...clean.files, ...(await carriedOut(damaged, before, 'strict')).files }
            const found = old !== '' && before['f0.txt']?.split('\n').includes(damage(old))
            expect([{}, clean.files, ...(found ? [literal] : [])]).toContainEqual(files)
          }),
          { numRuns: 3 },
        )
      },
    )

    // In CML what is indented is content: elements are, and nobody can tell it from a list.
    const indented = syntax === 'cml' ? ['in-a-list', 'indented-by-a-tab'] : []
    test.each(Object.keys(textDamages).filter((name) => !indented.includes(name)))('%s: the same', async (name) => {
      const damage = textDamages[name] ?? String
      await fc.assert(
        fc.asyncProperty(documents, async ({ text, before }) => {
          const clean = await carriedOut(text, before)
          expect(await carriedOut(damage(text), before)).toMatchObject({ files: clean.files })
        }),
        { numRuns: 3 },
      )
    })
  })
}
