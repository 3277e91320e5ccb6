import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { findChangedPlaces, SyntaxCheck } from '../../packages/clada/src/engine/evidence.ts'
import { scratchDir } from '../support/scratch.ts'

/** The section of a report that says where files changed. */
const changesIn = (report: string): string => /=== CHANGES ===\n([^]*?)\n=== END ===/.exec(report)?.[1] ?? ''

async function changes(
  files: Record<string, string>,
  action: string,
  params: Record<string, string>,
  evidence: 'none' | 'lines' | 'diff' = 'lines',
): Promise<string> {
  const root = scratchDir(files)
  const clada = new Clada({ repoPath: root, git: 'off', evidence, matching: 'tolerant' })
  return changesIn(formatReport(await clada.perform(action, params), 'llm'))
}

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('')

describe('where files changed', () => {
  it('is said with the lines as they were, and how many came and went', async () => {
    const files = { 'src/cart.ts': lines(1, 40) }
    const edit = { path: 'src/cart.ts', old_text: lines(21, 25), new_text: 'one\n' }
    expect(await changes(files, 'file_edit', edit)).toBe('src/cart.ts:21-25 (+1 −5)')
    const added = { path: 'src/cart.ts', after: '3', content: 'a\nb' }
    expect(await changes(files, 'file_insert_lines', added)).toBe('src/cart.ts:4-5 (+2)')
    expect(await changes(files, 'file_delete_lines', { path: 'src/cart.ts', lines: '7' })).toBe('src/cart.ts:7 (−1)')
  })

  it('has the number of places, and of very many only the first', async () => {
    const text = Array.from({ length: 9 }, (_, at) => `x\nline ${at}\n`).join('')
    const edit = { path: 'a.txt', old_text: 'x', new_text: 'y', count: 'all' }
    expect(await changes({ 'a.txt': text }, 'file_edit', edit)).toBe('a.txt:1,3,5,7,9,11,… (+9 −9) in 9 places')
  })

  it('tells new, deleted and moved files', async () => {
    const one = { 'a.txt': 'one\n', 'b.bin': '\0\0' }
    expect(await changes(one, 'file_write', { path: 'n.txt', content: 'x\ny\n' })).toBe('n.txt new (+2)')
    expect(await changes(one, 'file_delete', { path: 'a.txt' })).toBe('a.txt deleted (−1)')
    expect(await changes(one, 'file_move', { old_path: 'a.txt', new_path: 'd/c.txt' })).toBe('a.txt → d/c.txt')
    expect(await changes(one, 'file_delete', { path: 'b.bin' })).toBe('b.bin deleted, 2 bytes, binary')
    expect(await changes(one, 'file_write', { path: 'a.txt', content: 'one\n' })).toBe('')
  })

  it('names the level of an edit that is not exact', async () => {
    const edit = { path: 'a.txt', old_text: 'one\ntwo', new_text: 'one\n2' }
    expect(await changes({ 'a.txt': '    one\n    two\n' }, 'file_edit', edit)).toBe(
      'a.txt:2 (+1 −1), matched by indentation',
    )
  })

  it('shows a change of up to six lines whole, with its blank lines', async () => {
    const files = { 'a.txt': 'a\n\nb\n' }
    const edit = { path: 'a.txt', lines: '1-3', new_content: 'c\n\nd' }
    expect(await changes(files, 'file_replace_lines', edit, 'diff')).toBe(
      'a.txt:1,3 (+2 −2) in 2 places\n  -a\n  +c\n  -b\n  +d',
    )
  })

  it('shows a long line where it differs from the one that it replaces', async () => {
    const dots = '.'.repeat(300)
    const edit = { path: 'a.txt', old_text: 'size = 2', new_text: 'size = 30' }
    expect(await changes({ 'a.txt': `${dots}size = 2${dots}\n` }, 'file_edit', edit, 'diff')).toBe(
      `a.txt:1 (+1 −1)\n  -…${'.'.repeat(18)}size = 2${'.'.repeat(74)}…\n  +…${'.'.repeat(18)}size = 30${'.'.repeat(73)}…`,
    )
  })

  it('of very many files is their number, and how many are in each directory', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`${at % 4 === 0 ? 'ci' : 'deploy/aws'}/job-${at}.yml`, 'a: 1\na: 1\n']),
    )
    const root = scratchDir({ ...files, 'b.txt': 'x\n' })
    const clada = new Clada({ repoPath: root, git: 'off', evidence: 'diff', relativePaths: true })
    const block = (id: string, params: Record<string, string>): string =>
      [
        `#!SHAM [@three-char-SHA-256: ${id}]`,
        ...Object.entries(params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
        `#!END_SHAM_${id}`,
        '',
      ].join('\n')
    const result = await clada.execute(
      block('abc', { action: 'files_replace_all_text', paths: 'ci\ndeploy', old_text: 'a', new_text: 'b' }) +
        block('abd', { action: 'file_edit', path: 'b.txt', old_text: 'x', new_text: 'y' }),
    )
    expect(changesIn(formatReport(result, 'llm'))).toBe(
      '400 files (+800 −800): ci/ (100), deploy/aws/ (300)\nb.txt:1 (+1 −1)\n  -x\n  +y',
    )
  })

  it('shows no blank line as a sample of a larger change', async () => {
    const write = { path: 'a.txt', content: `\n\nfirst\n${'\n'.repeat(9)}last\n` }
    const shown = await changes({ 'a.txt': 'x\n' }, 'file_write', write, 'diff')
    expect(
      shown
        .split('\n')
        .slice(1)
        .filter((line) => line.trim().length < 2),
    ).toEqual([])
    expect(shown).toContain('+first')
  })

  it('counts lines as git does where a block moved or lines repeat', async () => {
    const before = `${lines(1, 40)}}\n\n}\n`
    const after = `${lines(30, 40)}${lines(1, 29)}}\n\n}\n`
    const write = { path: 'a.txt', content: after }
    expect(await changes({ 'a.txt': before }, 'file_write', write)).toContain('(+11 −11)')
  })

  it('has at most three lines of the difference, and says so when there are more', async () => {
    const files = { 'a.txt': lines(1, 9) }
    const small = { path: 'a.txt', lines: '2', new_content: 'two' }
    expect(await changes(files, 'file_replace_lines', small, 'diff')).toBe('a.txt:2 (+1 −1)\n  -line 2\n  +two')
    const large = { path: 'a.txt', lines: '2-8', new_content: 'two\nthree' }
    expect(await changes(files, 'file_replace_lines', large, 'diff')).toBe(
      'a.txt:2-8 (+2 −7), 3 of these lines:\n  -line 2\n  -line 8\n  +two',
    )
    expect(await changes(files, 'file_replace_lines', small, 'none')).toBe('')
  })

  it('is nothing for actions of a group that was taken back', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const text =
      '<---TASKS atomic="true"--->\n<---WRITE file="b.txt"--->\nb\n<---END--->\n<---SEARCH file="a.txt"--->\ntwo\n<---REPLACE--->\n2\n<---END--->\n<---END--->'
    const result = await new Clada({ repoPath: root, git: 'off', evidence: 'diff' }).execute(text)
    expect(result.results.map((one) => one.changes)).toEqual([undefined, undefined])
  })

  it('is a diff, whatever the texts are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '', 'c'), { maxLength: 30 })
    fc.assert(
      fc.property(text, text, (old, now) => {
        const made: string[] = []
        let at = 0
        for (const { oldStart, oldEnd, newStart, newEnd } of findChangedPlaces(old, now)) {
          expect(oldEnd > oldStart || newEnd > newStart).toBe(true)
          made.push(...old.slice(at, oldStart), ...now.slice(newStart, newEnd))
          at = oldEnd
        }
        expect([...made, ...old.slice(at)]).toEqual(now)
      }),
    )
  })
})

describe('the evidence of a change', () => {
  it('shows cells of a notebook as they are read', async () => {
    const cell = {
      cell_type: 'code',
      id: 'b2',
      metadata: {},
      outputs: [],
      execution_count: 1,
      source: ['x = 1\n', 'x'],
    }
    const notebook = JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 })
    const clada = new Clada({ repoPath: scratchDir({ 'n.ipynb': notebook }), git: 'off', evidence: 'diff' })
    const result = await clada.perform('file_edit', { path: 'n.ipynb', old_text: 'x = 1', new_text: 'x = 2' })
    expect(result.results[0]?.changes).toEqual([
      { path: 'n.ipynb', change: 'modify', added: 1, removed: 1, lines: ['2'], diff: ['-x = 1', '+x = 2'] },
    ])
  })

  it('shows the same edit of many files once', async () => {
    const clada = new Clada({ repoPath: scratchDir({ 'a.txt': 'x\n', 'b.txt': 'x\n' }), git: 'off', evidence: 'diff' })
    const result = await clada.perform('files_replace_all_text', { paths: '.', old_text: 'x', new_text: 'y' })
    expect(result.results[0]?.changes).toMatchObject([{ diff: ['-x', '+y'] }, { path: 'b.txt', lines: ['1'] }])
    expect(result.results[0]?.changes?.[1]?.diff).toBeUndefined()
    const again = await clada.perform('files_replace_all_text', {
      paths: 'b.txt\na.txt',
      old_text: 'y',
      new_text: 'z',
    })
    expect(again.results[0]?.changes).toMatchObject([{ path: 'a.txt' }, { path: 'b.txt' }])
  })

  it.each([
    ['a.ts', 'b.ts'],
    ['b.ts', 'a.ts'],
  ])('names the files in order, whatever was written first (%s to %s)', async (from, to) => {
    const clada = new Clada({
      repoPath: scratchDir({ [from]: 'function f() {}\nlet x\n', [to]: 'let y\n' }),
      git: 'off',
      evidence: 'lines',
      atomic: true,
    })
    const move = { source_path: from, source_target: 'f', dest_path: to }
    const { results } = await clada.perform('move_structure_to_file_end', move)
    expect(results[0]?.changes?.map(({ path }) => path)).toEqual(['a.ts', 'b.ts'])
  })
})

describe('files whose syntax a run broke', () => {
  const run = async (
    files: Record<string, string>,
    name: string,
    content: string,
    syntaxCheck: 'auto' | 'lasting' = 'lasting',
  ): Promise<string[] | undefined> => {
    const clada = new Clada({ repoPath: scratchDir(files), git: 'off', syntaxCheck })
    const result = await clada.perform('file_write', { path: name, content })
    return result.warnings
  }

  it('are found among many, in their order', async () => {
    const check = new SyntaxCheck('/p', 'short')
    const state = (text: string) => ({ mode: 0o644, bytes: Buffer.from(text) })
    for (let at = 0; at < 70; at++) {
      const place = { root: '/p', parts: [`${at}.ts`], absolute: `/p/${at}.ts`, given: '' }
      check.addChanges([{ at: place, before: state('f()\n'), after: state(at % 66 === 2 ? 'f(\n' : `f(${at})\n`) }])
    }
    expect((await check.warnings()).map(({ file }) => file)).toEqual(['/p/2.ts', '/p/68.ts'])
  })

  it.each([
    ['a.ts', 'const a = 1\n', 'const a = (1\n', /^a\.ts:\d+:\d+ has a syntax error since this run: ./],
    ['a.ts', 'const f = () => 1\n', 'const f = () =&gt; 1\n', /; the line has &gt;, which the file had nowhere: /],
    ['b.ts', "const a = '&gt;'\n", "const a = ('&gt;'\n", /^b\.ts:(?!.*the line has)/],
    ['a.py', 'def f():\n    pass\n', 'def f(:\n    pass\n', /^a\.py:\d+:\d+ has a syntax error/],
    ['a.json', '{"a": 1}\n', '{"a": }\n', /^a\.json:1:7 has a syntax error since this run: Unexpected token/],
    ['b.json', '{\n"a": 1\n}\n', '{\n"a": 1,\n}\n', /^b\.json:3:1 has a syntax error/],
    ['c.json', '{\n"a": [1]\n}\n', '{\n"a": [1\n', /^c\.json:2:7 has a syntax error since this run: Expected ','/],
    ['tsconfig.json', '{"a": 1}\n', '{"a": }\n', /^tsconfig\.json:1:\d+ has a syntax error/],
  ])('are named with the place and the word of the parser (%s)', async (name, good, bad, warning) => {
    expect(await run({ [name]: good }, name, bad)).toEqual([expect.stringMatching(warning)])
    expect(await run({ [name]: good }, name, good)).toBeUndefined()
    // What was wrong before is not the diagnostic of this run.
    expect(await run({ [name]: bad }, name, `${bad}\n`)).toBeUndefined()
    expect(await run({}, name, bad)).toBeUndefined()
  })

  it('are checked by a process that ends at once too', async () => {
    expect(await run({ 'a.json': '{}\n' }, 'a.json', '{\n', 'auto')).toHaveLength(1)
    expect(await run({ 'a.ts': 'a()\n' }, 'a.ts', 'a(\n', 'auto')).toHaveLength(1)
    expect(await run({ 'a.py': 'a()\n' }, 'a.py', 'a(\n', 'auto')).toHaveLength(1)
  })

  it('may have comments where their name says so', async () => {
    const commented = '{ // as in\n"a": 1 }\n'
    for (const name of ['tsconfig.json', '.eslintrc.json', '.vscode/launch.json'])
      expect(await run({ [name]: '{"a": 1}\n' }, name, commented)).toBeUndefined()
  })

  it('are not named when a later action mends them', async () => {
    const root = scratchDir({ 'a.ts': 'const a = 1\n' })
    const clada = new Clada({ repoPath: root, git: 'off', syntaxCheck: 'lasting' })
    const edit = (old: string, fresh: string): string =>
      `<---SEARCH file="a.ts"--->\n${old}\n<---REPLACE--->\n${fresh}\n<---END--->\n`
    expect((await clada.execute(edit('1', '(1') + edit('(1', '(1)'))).warnings).toBeUndefined()
  })
})
