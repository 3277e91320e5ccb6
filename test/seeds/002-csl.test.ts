import { describe, expect, it } from 'vitest'
import { clada } from '../support/cli.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

function run(document: string, before: Record<string, string> = {}, ...flags: string[]) {
  const root = scratchDir(before)
  return { ...clada(['run', '-', '--no-git', ...flags], { cwd: root, input: document }), files: filesIn(root) }
}

describe('seed 002', () => {
  it('the first WRITE writes path/to/file.txt', () => {
    const { status, stdout, files } = run('<---WRITE file="path/to/file.txt"--->\ncontent to write\n<---END--->\n')
    expect([status, files]).toEqual([0, { 'path/to/file.txt': 'content to write' }])
    expect(stdout).toContain('[task-1] SUCCESS: WRITE - path/to/file.txt')
  })

  it.each(['<---TASKS--->\n<---END--->\n', '<---TASKS version="2.0"--->\noperations...\n<---END--->\n'])(
    'TASKS may be empty or hold only text: %j',
    (document) => expect(run(document).status).toBe(0),
  )

  it.each([
    '- `<---WRITE--->`: Creates/overwrites files',
    '  - `<---SEARCH--->`: Edit operations with mandatory match validation.',
    '- **Shell commands**: `<---RUN--->` wrapping whitelisted shell commands',
    '`<---TASKS--->` groups operations.',
    '1. `<---RUN dir="x"--->` runs a command there.',
  ])('a marker in inline code in a sentence is no marker: %s', (line) => {
    const { status, stdout } = run(`${line}\n\n<---WRITE file="a"--->\nx\n<---END--->\n`)
    expect([status, stdout]).toEqual([0, expect.not.stringContaining('not executed')])
    expect(run(`${line}\n`).status).toBe(0)
  })

  it('a marker alone in backticks is named', () => {
    const { status, stdout } = run('`<---WRITE file="a"--->`\nx\n`<---END--->`\n')
    expect([status, stdout]).toEqual([1, expect.stringContaining('not executed')])
  })

  it('FATAL carries the number of its own task, and nothing runs', () => {
    const document = '<---WRITE file="a"--->\nx\n<---END--->\n<---WRIT file="b"--->\ny\n<---END--->\n'
    const { status, stdout, files } = run(document)
    expect([status, files]).toEqual([1, {}])
    expect(stdout).toContain('[task-2] FATAL: Line 4: Unknown operation: WRIT')
  })

  it('a TASKS block in which one operation is invalid is skipped whole, others run', () => {
    const document =
      '<---TASKS--->\n<---WRITE file="a"--->\nx\n<---END--->\n<---WRITE--->\ny\n<---END--->\n<---END--->\n<---WRITE file="b"--->\nz\n<---END--->\n'
    const { status, stdout, files } = run(document)
    expect([status, files]).toEqual([1, { b: 'z' }])
    expect(stdout).toContain("Missing required attribute 'file'")
    expect(stdout).toMatch(/^\[task-1\.\d\] SKIP/m)
  })

  it('count is the exact number of matches', () => {
    const edit = (count: string) =>
      run(`<---SEARCH file="a" count="${count}"--->\nx\n<---REPLACE--->\ny\n<---END--->\n`, { a: 'x\nx\n' })
    expect(edit('1').files).toEqual({ a: 'x\nx\n' })
    expect(edit('2').files).toEqual({ a: 'y\ny\n' })
    expect(edit('all').files).toEqual({ a: 'y\ny\n' })
    expect(edit('3').status).toBe(1)
  })

  it('delimiters can be chosen', () => {
    const { files } = run('[[WRITE file="a"]]\nx\n[[END]]\n', {}, '--csl-delimiters', '[[', ']]')
    expect(files).toEqual({ a: 'x' })
  })

  it('an operation without END is FATAL, with its task number', () => {
    const { stdout, files } = run('<---WRITE file="a"--->\nx\n<---END--->\n<---WRITE file="b"--->\ny\n')
    expect(files).toEqual({})
    expect(stdout).toMatch(/^\[task-1\] SKIP/m)
    expect(stdout).toMatch(/^\[task-2\] FATAL: Line 4: Unterminated WRITE operation/m)
  })

  it('a space in the marker is one FATAL, not another one for its END', () => {
    const { stdout } = run('<--- WRITE file="a"--->\nx\n<---END--->\n')
    expect(stdout.match(/FATAL/g)).toHaveLength(1)
    expect(stdout).toContain('[task-1] FATAL: Line 1: Malformed marker')
    expect(run('<---END--->\n').stdout).toContain('END marker without active operation')
  })

  it('only an empty TASKS is reported as text', () => {
    const { stdout } = run('<---TASKS--->\n<---END--->\n')
    expect(stdout).toBe('WARNING: line 1: the group has no tasks\n')
  })
})
