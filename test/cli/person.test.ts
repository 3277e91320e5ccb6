import { describe, expect, it } from 'vitest'
import { clada } from '../support/cli.ts'
import { scratchDir } from '../support/scratch.ts'
import { atTerminal, noTerminal } from '../support/terminal.ts'

const block = (id: string, lines: readonly string[]): string =>
  [`#!SHAM [@three-char-SHA-256: ${id}]`, ...lines, `#!END_SHAM_${id}`, ''].join('\n')
const edit = (id: string, file: string, old: string): string =>
  block(id, ['action = "file_edit"', `path = "${file}"`, `old_text = "${old}"`, 'new_text = "2"'])

describe.skipIf(noTerminal !== undefined)('what a person reads who types a command', () => {
  const cwd = (): string => scratchDir({ 'a.txt': 'one\ntwo\nthree\n' })
  const at = (dir: string, ...args: string[]): { status: number | null; output: string } =>
    atTerminal(args, '', { cwd: dir, env: { XDG_STATE_HOME: `${dir}-state` } })

  it('is what an action did', () => {
    expect(at(cwd(), 'do', 'file_edit', 'path=a.txt', 'old_text=two', 'new_text=2', '--no-git')).toEqual({
      status: 0,
      output: '✓ file_edit a.txt\n    @@ -1,3 +1,3 @@\n     one\n    -two\n    +2\n     three\n1 done\n',
    })
  })

  it('is what a reply did, and nothing that was taken back', () => {
    const dir = cwd()
    const reply = scratchDir({
      'reply.md': edit('ed1', `${dir}/a.txt`, 'two') + edit('ed2', `${dir}/a.txt`, 'nowhere'),
    })
    expect(at(dir, 'run', `${reply}/reply.md`, '--no-git', '--atomic').output).not.toContain('-two')
    const { status, output } = at(dir, 'run', `${reply}/reply.md`, '--no-git')
    expect(status).toBe(1)
    expect(output).toMatch(
      /✓ file_edit .*a\.txt\n {4}@@ -1,3 \+1,3 @@\n {5}one\n {4}-two\n {4}\+2\n {5}three\n✗ file_edit /,
    )
    expect(output).toMatch(/\n1 done, 1 failed\nThe report for the model: clada .*reply\.md --copy\n$/)
  })

  it('is why it failed and what to do, without what only a model needs', () => {
    const dir = cwd()
    const said: [args: string[], output: string][] = [
      [
        ['do', 'file_read', 'path=b.txt'],
        "✗ file_read b.txt\n    There is no file 'b.txt'\n    → Did you mean 'a.txt'?\n0 done, 1 failed\n",
      ],
      [
        ['do', 'dir_create'],
        '✗ dir_create\n    Missing required parameter: path\n    → dir_create needs path: Directory to make.\n0 done, 1 invalid\n',
      ],
      [['context', 'add', 'b.txt'], "✗ context_add b.txt\n    There is no file 'b.txt'\n    → Did you mean 'a.txt'?\n"],
      [['outline', 'b.ts'], '✗ list_structures b.ts\n    b.ts does not exist.\n'],
      [['back'], 'There is no git repository here. clada undo works without one.\n'],
      [['undo'], 'Nothing was executed here yet.\n'],
    ]
    for (const [args, output] of said) expect([args, at(dir, ...args)]).toEqual([args, { status: 1, output }])
    // Whoever reads a pipe gets the codes.
    expect(clada(['context', 'add', 'b.txt'], { cwd: dir }).stderr).toMatch(/^\[task-1\] ERROR: .*\[file_not_found\]\n/)
    expect(clada(['back'], { cwd: dir }).stdout).toContain('git_operation_failed')
  })

  it('is in a diff which blocks would fail, where they stand and why', () => {
    const dir = scratchDir({ 'a.txt': 'one\ntwo\nthree\n' })
    const reply = edit('ed1', `${dir}/a.txt`, 'two') + edit('ed2', `${dir}/a.txt`, 'nowhere') + block('bad', ['x'])
    const at2 = `${edit('ed1', '', '').split('\n').length}`
    const file = scratchDir({ 'reply.md': reply })
    const { status, output } = at(dir, 'diff', `${file}/reply.md`)
    expect(status).toBe(1)
    expect(output).toMatch(/^diff --git [^]*\n-two\n\+2\n three\n/)
    expect(output).toContain(`✗ file_edit ${dir}/a.txt would fail (block ed2, line ${at2} of ${file}/reply.md)\n`)
    expect(output).toMatch(
      /\n {4}expected 1 occurrences but found 0\n[^]*✗ block bad cannot be read, in .*reply\.md\n {4}line 1\d, /,
    )
    expect(output).toMatch(/\n2 of 3 blocks would fail; the diff shows the others\.\n$/)
    expect(output).not.toMatch(/SUCCESS|\[task/)
    const { stderr } = clada(['diff'], { cwd: dir, input: reply })
    expect(stderr).toMatch(/^\[task-2\] ERROR: file_edit [^]*\[task-3\] ERROR: /)
    expect(stderr).not.toContain('SUCCESS')
  })
})
