import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { calls, type Edit, editOf, syntaxes, written } from '../damage/edit.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const file = `import { tax } from './tax'

export function total(items) {
  let sum = 0
  for (const item of items) sum += item.price * 2
  return tax(sum)
}

/* Amounts are in cents.
 * They are never negative,
 * and never fractions,
 * whatever the currency is,
 * and never large. */

export const currency = 'EUR'
export const zero = 0
`
const edited = file.replace('price * 2', 'price * item.count')

function editOfFile(after: string): Edit {
  const edit = editOf('lib/cart.js', file, after)
  if (edit === undefined) throw new Error('not an edit')
  return edit
}
const edit = editOfFile(edited)

/** Every syntax that can write an edit by text, by name. */
const forms: Readonly<Record<string, (path: string) => string>> = Object.fromEntries([
  ...syntaxes.map((syntax) => [syntax, (path: string) => written(syntax, { path, hunks: edit.hunks })] as const),
  ...Object.entries(calls).map(([name, call]) => [name, (path: string) => call({ path, hunks: edit.hunks })] as const),
])

const open = (root: string, matching: 'tolerant' | 'exact' = 'tolerant'): Clada =>
  new Clada({ repoPath: root, gitCommit: false, relativePaths: true, matching })

/** The text between the fences below the words. */
const correctedIn = (report: string): string | undefined =>
  /ready to be sent again[^\n]*\n(`{3,})\n([\s\S]*?)\n\1(?:\n|$)/.exec(report)?.[2]

const shifted = (hunk: { readonly old: readonly string[]; readonly fresh: readonly string[] }) => {
  const deeper = (line: string): string => (line === '' ? '' : `  ${line}`)
  return { old: hunk.old.map(deeper), fresh: hunk.fresh.map(deeper) }
}

const names = Object.keys(forms)
const form = (name: string, path = 'lib/cart.js'): string => forms[name]?.(path) ?? ''

describe('an edit that may not be applied as it was written', () => {
  it.each(names)('is in the report as it was meant, and succeeds when it is sent again: %s', async (name) => {
    const root = scratchDir({ 'lib/cart.js': file.replace('price * 2', 'price * 21') })
    const result = await open(root).execute(form(name))
    expect(result.success).toBe(false)
    const corrected = correctedIn(formatReport(result, 'llm')) ?? ''
    for (const format of ['text', 'xml'] as const) expect(correctedIn(formatReport(result, format))).toBe(corrected)
    // A report that is pasted as a whole does nothing.
    for (const format of ['llm', 'text', 'xml'] as const)
      expect(await open(root).execute(formatReport(result, format))).toMatchObject({ executedActions: 0 })
    const again = await open(root, 'exact').execute(corrected)
    expect(again.results.map(({ success, warnings = [] }) => ({ success, warnings }))).toEqual([
      { success: true, warnings: [] },
    ])
    expect(filesIn(root)['lib/cart.js']).toBe(edited)
  })

  it.each(names)('for another path than the one of the file is in the report with that: %s', async (name) => {
    const root = scratchDir({ 'lib/cart.js': file, 'lib/other/cart.js': 'nothing of it\n' })
    const result = await open(root).execute(form(name, 'lib/carts.js'))
    const again = await open(root, 'exact').execute(correctedIn(formatReport(result, 'llm')) ?? '')
    expect(again.success).toBe(true)
    expect(filesIn(root)['lib/cart.js']).toBe(edited)
  })

  it.each(syntaxes.slice(0, 4))('with exact matching is in the report with the lines of the file: %s', async (name) => {
    const indented = file.replace(/^(?=.)/gm, '    ')
    const root = scratchDir({ 'lib/cart.js': indented })
    const result = await open(root, 'exact').execute(form(name))
    expect(result.success).toBe(false)
    const again = await open(root, 'exact').execute(correctedIn(formatReport(result, 'llm')) ?? '')
    expect(again.success).toBe(true)
    expect(filesIn(root)['lib/cart.js']).toBe(edited.replace(/^(?=.)/gm, '    '))
  })

  it('with several hunks has all of them, except one that is already there', async () => {
    const two = editOfFile(edited.replace('EUR', 'USD'))
    const there = file.replace('price * 2', 'price * 21')
    const root = scratchDir({ 'lib/cart.js': there })
    for (const syntax of ['apply-patch', 'udiff'] as const) {
      const result = await open(root).execute(written(syntax, two))
      const report = formatReport(result, 'llm')
      const again = await open(root).execute(correctedIn(report) ?? '')
      expect(again.success).toBe(true)
      expect(filesIn(root)['lib/cart.js']).toBe(edited.replace('EUR', 'USD'))
      await open(root).execute(
        `#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "lib/cart.js"\ncontent = ${JSON.stringify(there)}\n#!END_SHAM_abc\n`,
      )
    }
  })

  it('with several hunks has those that fit only loosely as the file has them', async () => {
    const two = editOfFile(edited.replace('EUR', 'USD'))
    const indented = { ...two, hunks: two.hunks.map((hunk) => ({ ...hunk, ...shifted(hunk) })) }
    for (const syntax of ['search-replace', 'apply-patch', 'udiff'] as const) {
      const root = scratchDir({ 'lib/cart.js': file.replace('price * 2', 'price * 21') })
      const result = await open(root).execute(written(syntax, indented))
      const again = await open(root).execute(correctedIn(formatReport(result, 'llm')) ?? '')
      expect(again.results.map(({ success, warnings = [] }) => ({ success, warnings }))).toEqual([
        { success: true, warnings: [] },
      ])
      expect(filesIn(root)['lib/cart.js']).toBe(edited.replace('EUR', 'USD'))
    }
  })

  it.each(['tolerant', 'exact', 'strict'] as const)(
    'of several in one block is there with the others: %s',
    async (how) => {
      const indented = file.replaceAll('  ', '\t')
      const there = how === 'tolerant' ? file.replace('price * 2', 'price * 21') : indented
      const root = scratchDir({ 'lib/cart.js': there })
      const edits = [
        ['2', 'item.count'].map(
          (count) => `  for (const item of items) sum += item.price * ${count}\n  return tax(sum)`,
        ),
        ['export const zero = 0', ''],
        ["'EUR'", "'USD'"],
      ].map(([old, fresh]) => `<<<<<<< SEARCH\n${old}\n=======\n${fresh === '' ? '' : `${fresh}\n`}>>>>>>> REPLACE\n`)
      const text = `#!SHAM [@three-char-SHA-256: abc]\naction = "file_edit"\npath = "lib/cart.js"\nedits = <<'EOT_SHAM_abc'\n${edits.join('')}EOT_SHAM_abc\n#!END_SHAM_abc\n`
      const clada = new Clada({
        repoPath: root,
        gitCommit: false,
        relativePaths: true,
        matching: how === 'tolerant' ? how : 'exact',
        strict: how === 'strict',
      })
      const result = await clada.execute(text)
      expect(result.success).toBe(false)
      expect(filesIn(root)['lib/cart.js']).toBe(there)
      const again = await clada.execute(correctedIn(formatReport(result, 'llm')) ?? '')
      expect(again.results.map(({ success, warnings = [] }) => ({ success, warnings }))).toEqual([
        { success: true, warnings: [] },
      ])
      const wanted = edited.replace('EUR', 'USD').replace('export const zero = 0\n', '')
      expect(filesIn(root)['lib/cart.js']).toBe(how === 'tolerant' ? wanted : wanted.replaceAll('  ', '\t'))
    },
  )

  it('whose every line has entities is in the report without them', async () => {
    const lines = [1, 2, 3, 4, 5].map((number) => `const less${number} = (x) => x < ${number}`)
    const html = (all: readonly string[]): string[] =>
      all.map((line) => line.replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
    for (const syntax of syntaxes) {
      const root = scratchDir({ 'a.js': `${lines.with(2, 'const less3 = isLess').join('\n')}\n` })
      const hunk = { start: 0, old: html(lines), fresh: html(lines.with(2, 'const less3 = (x) => x <= 3')) }
      const result = await open(root).execute(written(syntax, { path: 'a.js', hunks: [hunk] }))
      await open(root, 'exact').execute(correctedIn(formatReport(result, 'llm')) ?? '')
      expect(filesIn(root)['a.js'], syntax).toBe(`${lines.with(2, 'const less3 = (x) => x <= 3').join('\n')}\n`)
    }
  })

  it.each(['replacer', 'search-replace'])('has the path as it was read: %s', async (name) => {
    const root = scratchDir({ 'lib/cart.js': file.replace('price * 2', 'price * 21') })
    const lead = name === 'replacer' ? path.basename(root) : 'a'
    const result = await open(root).execute(form(name, `${lead}/lib/cart.js`))
    const again = await open(root, 'exact').execute(correctedIn(formatReport(result, 'llm')) ?? '')
    expect(again.results).toMatchObject([{ success: true, params: { path: 'lib/cart.js' } }])
    expect(again.results[0]?.warnings).toBeUndefined()
  })

  it('changes the text and not a path that contains it', async () => {
    const name = 'const total = add(1, 2)'
    const root = scratchDir({ [name]: 'let x = 1\nconst total = add(1, 3)\nlet y = 2\n' })
    const params = { path: name, old_text: name, new_text: 'const total = 3' }
    const lines = Object.entries({ action: 'file_edit', ...params }).map(([key, text]) => `${key} = "${text}"`)
    const text = ['#!SHAM [@three-char-SHA-256: abc]', ...lines, '#!END_SHAM_abc', ''].join('\n')
    const result = await open(root).execute(text)
    const again = await open(root, 'exact').execute(correctedIn(formatReport(result, 'llm')) ?? '')
    expect(again.success).toBe(true)
    expect(filesIn(root)).toEqual({ [name]: 'let x = 1\nconst total = 3\nlet y = 2\n' })
  })

  it('keeps an empty line that it does not name', async () => {
    const there = file.replace('  return tax(sum)', '\n  return tax(sum, 2)')
    const root = scratchDir({ 'lib/cart.js': there })
    const { hunks } = editOfFile(file.replace('return tax(sum)', 'return sum'))
    const result = await open(root).execute(written('sham', { path: 'lib/cart.js', hunks }))
    await open(root).execute(correctedIn(formatReport(result, 'llm')) ?? '')
    expect(filesIn(root)['lib/cart.js']).toBe(there.replace('tax(sum, 2)', 'sum'))
  })

  it.each([
    ['the place is gone', file.replace(/export function[^]*?\n}\n/, '')],
    ['two places are alike', `${file.replace('* 2', '* 21')}\n${file.replace('* 2', '* 22')}`],
    [
      'lines of context and lines that go are mixed',
      file.replace(/ {2}let sum[^]*?tax\(sum\)/, '  return items.reduce(sumOf, 0)'),
    ],
  ])('is not guessed where %s', async (_, text) => {
    for (const name of names) {
      const result = await open(scratchDir({ 'lib/cart.js': text })).execute(form(name))
      expect(result.success).toBe(false)
      expect(correctedIn(formatReport(result, 'llm')), name).toBeUndefined()
    }
  })

  it('is not guessed where only lines are there that are in many places', async () => {
    const one = (name: string): string => `test('${name}', () => {\n  expect(() =>\n    ${name}(1)\n  ).toThrow()\n})\n`
    const root = scratchDir({ 'a.js': `${one('getCount')}${one('addUser')}` })
    const result = await open(root).execute(
      `<---SEARCH file="a.js"--->\n${one('setCount')}<---REPLACE--->\n${one('setCount').replace('(1)', '(2)')}<---END--->\n`,
    )
    expect(result.success).toBe(false)
    expect(correctedIn(formatReport(result, 'llm'))).toBeUndefined()
  })

  it('is said to be applied where it would change nothing', async () => {
    const root = scratchDir({ 'a.txt': '21441\n21445\n22235\n6128\n22770\n22777\n' })
    const result = await open(root).execute(
      '<---SEARCH file="a.txt"--->\n21441\n\n21445\n22235\n22236\n22770\n22777\n<---REPLACE--->\n21441\n\n21445\n22235\n6128\n22770\n22777\n<---END--->\n',
    )
    expect(formatReport(result, 'llm')).toContain('already in the file')
    expect(correctedIn(formatReport(result, 'llm'))).toBeUndefined()
  })

  it.each(syntaxes)('is said to be applied rather than to be like several places: %s', async (syntax) => {
    const part = (name: string, line: string): string =>
      `check${name}() {\n  return null\n}\n${line}\n  if (x === this) throw itself()\n  set${name}()\n`
    const texts = ['merge(x) {', 'size = 0'].map(
      (line) => part('Scope', line) + ['A', 'B'].map((name) => part(name, 'merge(x) {')).join(''),
    )
    const scope = editOf('a.js', texts[0] ?? '', texts[1] ?? '')
    const root = scratchDir({ 'a.js': texts[1] ?? '' })
    const result = await open(root).execute(written(syntax, { path: 'a.js', hunks: scope?.hunks ?? [] }))
    expect(result.success).toBe(false)
    expect(formatReport(result, 'llm')).toContain('already in the file')
  })

  it('never loses the rest of a line of which it names a part', async () => {
    const root = scratchDir({ 'a.js': 'const x = price(1, 2) + rest\n' })
    const result = await open(root).execute(
      '<---SEARCH file="a.js"--->\nprice(1, 3)\n<---REPLACE--->\ncost(1, 3)\n<---END--->\n',
    )
    expect(correctedIn(formatReport(result, 'llm'))).toBeUndefined()
  })
})

describe('a name that is misspelled', () => {
  it.each([
    ['action', 'action = "file_replce_text"\npath = "a.txt"\nold_text = "one"\nnew_text = "two"'],
    ['parameter', 'action = "file_replace_text"\npath = "a.txt"\nold_txt = "one"\nnew_text = "two"'],
  ])('is corrected in the report: %s', async (_, lines) => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const result = await open(root).execute(`#!SHAM [@three-char-SHA-256: abc]\n${lines}\n#!END_SHAM_abc\n`)
    expect(result.success).toBe(false)
    expect(await open(root).execute(correctedIn(formatReport(result, 'llm')) ?? '')).toMatchObject({ success: true })
    expect(filesIn(root)['a.txt']).toBe('two\n')
  })
})
