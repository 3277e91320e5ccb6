import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions, type FileChange } from '../../packages/clada/src/index.ts'
import { chooseSandbox } from '../../packages/clada/src/process/sandbox.ts'
import { skipWithout } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'

const exec = chooseSandbox().ok ? 'sandbox' : 'unsandboxed'

/** What each action is said to have changed: `path: before > after`, by its number. */
async function told(dir: string, text: string, options: CladaOptions = {}): Promise<Record<number, string[]>> {
  const changes: Record<number, string[]> = {}
  const heard: string[] = []
  await new Clada({ repoPath: dir, gitCommit: false, relativePaths: true, exec, ...options }).execute(text, {
    onChanges: ({ seq }, some) => {
      heard.push(`changes ${seq}`)
      changes[seq] = some.map(shown)
    },
    onAction: ({ seq }) => void heard.push(`action ${seq}`),
  })
  // Each right before its action.
  for (const seq of Object.keys(changes)) expect(heard.join()).toContain(`changes ${seq},action ${seq}`)
  return changes
}

const shown = ({ path, before, after, binary }: FileChange): string =>
  `${path}: ${binary ? 'binary' : `${JSON.stringify(before)} > ${JSON.stringify(after)}`}`

const block = (action: string, params: Record<string, string>): string =>
  [
    '#!SHAM [@three-char-SHA-256: abc]',
    ...Object.entries({ action, ...params }).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    '#!END_SHAM_abc',
    '',
  ].join('\n')

describe('what an action did to files is told', () => {
  it('as it is in the file, not as the block has it', async () => {
    const dir = scratchDir({
      'a.py': 'def f():\n    if x:\n        one()\n',
      'b.txt': 'x y x\n',
      'c.txt': 'c\r\nd\r\n',
    })
    const lenient = 'a.py\n```\n<<<<<<< SEARCH\nif x:\n    one()\n=======\nif x:\n    two()\n>>>>>>> REPLACE\n```\n'
    expect(await told(dir, lenient)).toEqual({
      1: ['a.py: "def f():\\n    if x:\\n        one()\\n" > "def f():\\n    if x:\\n        two()\\n"'],
    })
    const blocks =
      block('file_replace_all_text', { path: 'b.txt', old_text: 'x', new_text: 'z' }) +
      block('file_replace_text', { path: 'c.txt', old_text: 'c\n', new_text: 'e\n' }) +
      block('file_read', { path: 'c.txt' }) +
      block('file_edit', { path: 'c.txt', old_text: 'nowhere', new_text: 'f' })
    expect(await told(dir, blocks)).toEqual({
      1: ['b.txt: "x y x\\n" > "z y z\\n"'],
      2: ['c.txt: "c\\r\\nd\\r\\n" > "e\\r\\nd\\r\\n"'],
    })
  })

  it('for files that come, go and move, each action by itself', async () => {
    const dir = scratchDir({ 'a.txt': 'a', 'b.txt': 'b', 'data.bin': '\0\u0001' })
    const text =
      block('file_write', { path: 'new/n.txt', content: 'n' }) +
      block('file_move', { old_path: 'a.txt', new_path: 'b.txt' }) +
      block('file_edit', { path: 'b.txt', old_text: 'a', new_text: 'A' }) +
      block('file_copy', { old_path: 'b.txt', new_path: 'c.txt' }) +
      block('file_delete', { path: 'b.txt' }) +
      block('file_delete', { path: 'data.bin' }) +
      block('file_write', { path: 'c.txt', content: 'A' }) +
      block('run', { command: 'mv c.txt d.txt' })
    expect(await told(dir, text)).toEqual({
      1: ['new/n.txt: null > "n"'],
      2: ['a.txt: "a" > null', 'b.txt: "b" > "a"'],
      3: ['b.txt: "a" > "A"'],
      4: ['c.txt: null > "A"'],
      5: ['b.txt: "A" > null'],
      6: ['data.bin: binary'],
      8: ['c.txt: "A" > null', 'd.txt: null > "A"'],
    })
  })

  it('for structures and for programs', async (context) => {
    skipWithout(context, 'bash')
    const dir = scratchDir({ 'a.ts': 'function f() {}\n\nfunction g() {}\n', 'b.ts': 'const h = 1\n', 'c.txt': 'c\n' })
    const text =
      block('move_structure_to_file_end', { source_path: 'a.ts', source_target: 'f', dest_path: 'b.ts' }) +
      block('exec', { lang: 'bash', code: 'echo more >> c.txt; echo new > d.txt; exit 3' })
    expect(await told(dir, text)).toEqual({
      1: [
        'a.ts: "function f() {}\\n\\nfunction g() {}\\n" > "function g() {}\\n"',
        'b.ts: "const h = 1\\n" > "const h = 1\\n\\nfunction f() {}\\n"',
      ],
      2: ['c.txt: "c\\n" > "c\\nmore\\n"', 'd.txt: null > "new\\n"'],
    })
  })

  it('for documents and groups that land whole', async () => {
    const dir = scratchDir({ 'a.txt': 'a' })
    const text =
      block('file_edit', { path: 'a.txt', old_text: 'a', new_text: 'b' }) +
      block('file_edit', { path: 'a.txt', old_text: 'b', new_text: 'c' })
    const each = { 1: ['a.txt: "a" > "b"'], 2: ['a.txt: "b" > "c"'] }
    expect(await told(dir, text, { atomic: true })).toEqual(each)
    fs.writeFileSync(path.join(dir, 'a.txt'), 'a')
    const edit = (from: string, to: string): string =>
      `<edit path="a.txt"><search><![CDATA[${from}]]></search><replace><![CDATA[${to}]]></replace></edit>\n`
    const group = `<tasks version="1.0" atomic="true">\n${edit('a', 'b')}${edit('b', 'c')}</tasks>\n`
    expect(await told(dir, group)).toEqual(each)
  })

  it('but not where a file is very large', async () => {
    const dir = scratchDir({ 'large.txt': `${'x'.repeat(1 << 20)}\nend\n`, 'small.txt': 's' })
    const text =
      block('file_edit', { path: 'large.txt', old_text: 'end', new_text: 'END' }) +
      block('file_move', { old_path: 'large.txt', new_path: 'larger.txt' }) +
      block('file_edit', { path: 'small.txt', old_text: 's', new_text: 'S' })
    expect(await told(dir, text)).toEqual({ 3: ['small.txt: "s" > "S"'] })
  })
})
