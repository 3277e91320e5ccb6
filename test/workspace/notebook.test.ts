import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { emptyNotebook, notebookText, notebookWith } from '../../packages/clada/src/workspace/notebook.ts'
import { scratchDir } from '../support/scratch.ts'
import { block } from './blocks.ts'

/** As Jupyter writes it: one space a step, keys in order; and with a number that JSON.stringify would write otherwise. */
const jupyter = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title\\n",
    "\\n",
    "A \\"quoted\\" word."
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "a1b2",
   "metadata": {"scale": 1.0},
   "outputs": [
    {
     "data": {"text/plain": ["[\\"source\\": {]"]},
     "output_type": "execute_result"
    }
   ],
   "source": [
    "x = 1\\n",
    "print(x)"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {"name": "python3"}
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`
const shown = '# %% [markdown] intro\n# Title\n\nA "quoted" word.\n# %% [code] a1b2\nx = 1\nprint(x)\n'

it('shows cells, and what is not changed stays as it is', () => {
  expect(notebookText(jupyter)).toBe(shown)
  expect(notebookWith(jupyter, shown)).toBe(jupyter)
  expect(notebookWith(jupyter, shown.replaceAll('\n', '\r\n'))).toBe(jupyter)
})

it.each([
  ['a line in a cell', ['x = 1\n', 'x = 1\ny = 2\n'], ['    "x = 1\\n",\n', '    "x = 1\\n",\n    "y = 2\\n",\n']],
  ['a cell that becomes empty', ['x = 1\nprint(x)\n', ''], ['[\n    "x = 1\\n",\n    "print(x)"\n   ]', '[]']],
  ['a kind of cell', ['[markdown] intro\n', '[raw] intro\n'], undefined],
])('writes %s', (_, [from, to], json) => {
  const text = shown.replace(from ?? '', to ?? '')
  const written = notebookWith(jupyter, text) ?? ''
  if (json !== undefined) expect(written).toBe(jupyter.replace(json[0] ?? '', json[1] ?? ''))
  else expect(notebookText(written)).toBe(text)
})

it.each([
  ['a new cell', `${shown}# %% [code]\nx += 1\n`, [/^intro$/, /^a1b2$/, /^[0-9a-f]{8}$/]],
  ['one cell less', shown.slice(shown.indexOf('# %% [code]')), [/^a1b2$/]],
  [
    'another order',
    shown.slice(shown.indexOf('# %% [code]')) + shown.slice(0, shown.indexOf('# %% [code]')),
    undefined,
  ],
  ['none', '', []],
])('writes %s as Jupyter does', (_, text, ids) => {
  const written = notebookWith(jupyter, text) ?? ''
  const { cells } = JSON.parse(written)
  if (ids !== undefined) {
    expect(cells.map(({ id }: { id: string }) => id)).toEqual(ids.map((id) => expect.stringMatching(id)))
    // The number would be written otherwise by JSON.stringify, and the metadata has its own form.
    const plain = JSON.stringify(JSON.parse(written), null, 1)
    expect(JSON.stringify(JSON.parse(plain), null, 1)).toBe(plain)
  }
  expect(written.endsWith(jupyter.slice(jupyter.indexOf(' "metadata": {\n  "kernelspec"')))).toBe(true)
  expect(cells.find(({ id }: { id: string }) => id === 'a1b2')?.outputs ?? [{}]).toHaveLength(1)
})

it.each([
  ['not JSON', 'x'],
  ['another format', '{"nbformat": 3, "cells": []}'],
  ['a source that reads like a header', jupyter.replace('x = 1', '# %% [code]')],
  ['an id twice', jupyter.replace('a1b2', 'intro')],
])('leaves %s as it is', (_, json) => {
  expect(notebookText(json)).toBeUndefined()
})

it('reads notebooks on one line, with a byte order mark, without ids and with long strings', () => {
  const long = 'A'.repeat(3_000_000)
  const value = {
    nbformat: 4,
    nbformat_minor: 4,
    cells: [
      { cell_type: 'code', metadata: {}, outputs: [{ png: `${long}\\"` }], execution_count: null, source: 'a\nb' },
      { cell_type: 'markdown', metadata: {}, source: [] },
    ],
  }
  const json = JSON.stringify(value)
  expect(notebookText(json)).toBe('# %% [code] 1\na\nb\n# %% [markdown] 2\n\n')
  const written = notebookWith(json, '# %% [code] 1\na\nc\n# %% [raw]\nz\n') ?? ''
  expect(JSON.parse(written).cells).toEqual([
    { ...value.cells[0], source: 'a\nc' },
    { cell_type: 'raw', metadata: {}, source: ['z'] },
  ])
  expect(written).not.toContain('\n')
})

it('is how actions read, edit, write and undo a notebook', async () => {
  const root = scratchDir({ 'a.ipynb': jupyter })
  const read = (): string => fs.readFileSync(path.join(root, 'a.ipynb'), 'utf8')
  const clada = new Clada({ repoPath: root, git: 'off' })
  const seen = await clada.perform('file_read', { path: 'a.ipynb' })
  expect(formatReport(seen, 'llm')).toContain(`=== START FILE: a.ipynb ===\n${shown}`)
  const edit = { path: 'a.ipynb', old_text: 'print(x)', new_text: 'print(x + 1)' }
  expect((await clada.perform('file_replace_text', edit)).success).toBe(true)
  expect(read()).toBe(jupyter.replace('print(x)', 'print(x + 1)'))
  const broken = await clada.perform('file_write', { path: 'a.ipynb', content: shown })
  expect(broken.success).toBe(true)
  expect(read()).toBe(jupyter)
  const lines = { path: 'a.ipynb', lines: '1', new_content: 'no header' }
  expect((await clada.perform('file_replace_lines', lines)).results[0]?.error).toContain('header of a cell')
  expect((await clada.perform('file_write', { path: 'b.ipynb', content: '# %% [code]\n1\n' })).success).toBe(true)
  const created = fs.readFileSync(path.join(root, 'b.ipynb'), 'utf8')
  expect(created).toBe(notebookWith(emptyNotebook, '# %% [code]\n1\n'))
  expect(JSON.parse(created)).toMatchObject({ cells: [{ cell_type: 'code', source: ['1'] }], nbformat: 4 })
  // JSON is written as it is given.
  expect((await clada.perform('file_write', { path: 'a.ipynb', content: '{}' })).success).toBe(true)
  expect(read()).toBe('{}')
  expect((await clada.undo()).success).toBe(true)
  expect(read()).toBe(jupyter)
})

it.each([
  ['file_replace_text', { old_text: '"name": "python3"', new_text: '"name": "julia"' }],
  [
    'file_replace_text_range',
    { old_text_beginning: '{"name": ', old_text_end: '"python3"}', new_text: '{"name": "julia"}' },
  ],
  [
    'file_patch',
    { patch: '@@\n  "metadata": {\n-  "kernelspec": {"name": "python3"}\n+  "kernelspec": {"name": "julia"}\n  },\n' },
  ],
  [
    'file_patch',
    { patch: '@@\n-  "kernelspec": {"name": "python3"}\n+  "kernelspec": {"name": "julia"}\n', new_path: 'b.ipynb' },
  ],
])('applies %s to the JSON where that is what it was written for: %j', async (action, params) => {
  const root = scratchDir({ 'a.ipynb': jupyter })
  const result = await new Clada({ repoPath: root, git: 'off' }).perform(action, { path: 'a.ipynb', ...params })
  const after = path.join(root, 'new_path' in params ? params.new_path : 'a.ipynb')
  expect(result.results[0]?.error ?? '').toBe('')
  expect(fs.readFileSync(after, 'utf8')).toBe(jupyter.replace('python3', 'julia'))
})

it('has one line space for searching, looking and editing', async () => {
  const root = scratchDir({ 'a/b.ipynb': jupyter, 'a/old.ipynb': '{"print": 1}\n', 'c.py': 'print(x)\n' })
  const clada = new Clada({ repoPath: root, git: 'off' })
  const ask = async (action: string, params: Record<string, string>) =>
    (await clada.perform(action, params)).results[0]?.data
  const hits = [
    { file: `${root}/a/b.ipynb`, line_number: 7, line: 'print(x)' },
    { file: `${root}/a/old.ipynb`, line_number: 1, line: '{"print": 1}' },
    { file: `${root}/c.py`, line_number: 1, line: 'print(x)' },
  ]
  expect(await ask('grep', { pattern: 'print', path: root })).toEqual(hits)
  expect(await ask('grep', { pattern: 'print', path: root, include: 'a/*.ipynb' })).toEqual(hits.slice(0, 2))
  expect(await ask('grep', { pattern: 'print(', path: `${root}/a/b.ipynb` })).toEqual(hits.slice(0, 1))
  expect(await ask('list_structures', { path: `${root}/a/b.ipynb` })).toMatchObject({
    structures: [
      { header: '# %% [markdown] intro', lines: [1, 4] },
      { header: '# %% [code] a1b2', lines: [5, 7] },
    ],
  })
  await ask('file_replace_lines', { path: `${root}/a/b.ipynb`, lines: '7', new_content: 'print(x + 1)' })
  expect(await ask('read_structure', { path: `${root}/a/b.ipynb`, target: 'a1b2' })).toMatchObject({
    matches: [{ text: '# %% [code] a1b2\nx = 1\nprint(x + 1)\n', line_range_inclusive: [5, 7] }],
  })
  await ask('replace_structure', { path: `${root}/a/b.ipynb`, target: 'a1b2', content: 'x = 2\n' })
  expect(fs.readFileSync(path.join(root, 'a/b.ipynb'), 'utf8')).toBe(
    jupyter.replace('    "x = 1\\n",\n    "print(x)"\n', '    "x = 2"\n'),
  )
})

it('finds what an action of the same reply wrote into a notebook', async () => {
  const root = scratchDir({ 'b.ipynb': jupyter })
  const reply = [
    ['file_replace_lines', { path: 'b.ipynb', lines: '6', new_content: 'total = 1' }],
    ['grep', { pattern: 'total', path: '.' }],
  ] as const
  const text = reply.map(([action, params]) => block(action, params)).join('\n')
  const { results } = await new Clada({ repoPath: root, git: 'off', relativePaths: true, atomic: true }).execute(text)
  expect(results[1]?.data).toEqual([{ file: 'b.ipynb', line_number: 6, line: 'total = 1' }])
})

it('keeps the carriage returns of each cell, also of one that is edited', async () => {
  const cell = (id: string, source: string[]) => ({
    cell_type: 'code',
    execution_count: null,
    id,
    metadata: {},
    outputs: [],
    source,
  })
  const notebook = (...last: string[]) =>
    JSON.stringify(
      { cells: [cell('a', ['a\r\n', 'b']), cell('b', last)], metadata: {}, nbformat: 4, nbformat_minor: 5 },
      null,
      1,
    )
  const root = scratchDir({ 'n.ipynb': notebook('x\r\n', 'y') })
  const clada = new Clada({ repoPath: root, git: 'off' })
  const { success } = await clada.perform('file_replace_text', { path: 'n.ipynb', old_text: 'y', new_text: 'z\nw' })
  expect({ success, text: fs.readFileSync(path.join(root, 'n.ipynb'), 'utf8') }).toEqual({
    success: true,
    text: notebook('x\r\n', 'z\r\n', 'w'),
  })
})
