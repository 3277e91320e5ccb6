import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer, ApprovalRequest } from '../../packages/clada/src/core/commands.ts'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { clada } from '../support/cli.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { noTyping, typeAnswers } from '../support/typing.ts'

const reply = 'Two files.\n\n**a.txt**\n```\nnew\n```\n\n### `b/c.txt`\n\n```\nc\n```\n'
const before = { 'a.txt': 'old\n' }
const after = { 'a.txt': 'new\n', 'b/c.txt': 'c\n' }

const modify = 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n'
const create = 'diff --git a/b/c.txt b/b/c.txt\nnew file mode 100644\n--- /dev/null\n+++ b/b/c.txt\n@@ -0,0 +1 @@\n+c\n'
const proposals = [
  { line: 3, path: 'a.txt', kind: 'overwrite', diff: modify },
  { line: 8, path: 'b/c.txt', kind: 'create', diff: create },
]

async function executed(options: CladaOptions = {}, text = reply) {
  const root = scratchDir(before)
  const own = new Clada({ repoPath: root, gitCommit: false, ...options })
  const result = await own.execute(text)
  return { own, result, codes: result.results.map(({ code }) => code), files: filesIn(root) }
}

/** Answers one question after the other. */
function answering(...answers: readonly ApprovalAnswer[]) {
  const asked: ApprovalRequest[] = []
  return { asked, ask: (request: ApprovalRequest) => Promise.resolve(answers[asked.push(request) - 1]) }
}

describe('whole files of a reply', () => {
  it('wait where nobody can be asked', async () => {
    const { result, codes, files } = await executed()
    expect(result.success).toBe(false)
    expect(codes).toEqual(['review_required', 'review_required'])
    expect(result.proposals).toEqual(proposals)
    expect(result.results[0]).toMatchObject({ action: 'file_write', syntax: 'proposal', line: 3 })
    expect(result.results[0]?.error).toContain("needs the user's approval")
    expect(files).toEqual(before)
  })

  it('are written with apply, and can be undone', async () => {
    const { own, result, files } = await executed({ proposals: 'apply' })
    expect(result.success).toBe(true)
    expect(files).toEqual(after)
    expect((await own.undo()).success).toBe(true)
  })

  it('are not looked for with off', async () => {
    const { result, files } = await executed({ proposals: 'off' })
    expect(result).toMatchObject({ success: true, totalBlocks: 0 })
    expect(files).toEqual(before)
  })

  it('are written after a yes, each by itself', async () => {
    const { asked, ask } = answering('no', 'once')
    const { result, codes, files } = await executed({ ask })
    expect(asked.map(({ about, command, diff }) => [about, command, diff])).toEqual([
      ['proposal', 'a.txt', modify],
      ['proposal', 'b/c.txt', create],
    ])
    expect(codes).toEqual(['review_required', undefined])
    expect(result.results[0]?.error).toContain('refused')
    expect(files).toEqual({ ...before, 'b/c.txt': 'c\n' })
  })

  it('are all written after one yes to all', async () => {
    const { asked, ask } = answering('always')
    const { result, files } = await executed({ ask })
    expect(asked).toHaveLength(1)
    expect(result.success).toBe(true)
    expect(files).toEqual(after)
  })

  it('need no yes where the file is already like that', async () => {
    const { result } = await executed({}, 'a.txt\n```\nold\n```\n')
    expect(result.success).toBe(true)
    expect(result.proposals).toBeUndefined()
  })

  it('are written together or not at all where the document is atomic', async () => {
    const { files } = await executed({ atomic: true, ask: answering('once', 'no').ask })
    expect(files).toEqual(before)
    expect((await executed({ atomic: true, ask: answering('once', 'once').ask })).files).toEqual(after)
  })

  it('are checked like any other write', async () => {
    const { codes, files } = await executed({ proposals: 'apply' }, '../x.txt\n```\nx\n```\n\n.env\n```\nx\n```\n')
    expect(codes).toEqual(['path_escape', 'path_denied'])
    expect(files).toEqual(before)
  })

  it('are shown by a preview', async () => {
    const root = scratchDir(before)
    const preview = await new Clada({ repoPath: root, gitCommit: false }).preview(reply)
    expect(preview.diff).toBe(modify + create)
    expect(preview.result).toMatchObject({ success: true, proposals })
    expect(filesIn(root)).toEqual(before)
  })

  it('are shown and applied by the commands', () => {
    const cwd = scratchDir(before)
    const run = (...args: string[]) => clada([...args, '--no-config'], { cwd, input: reply })
    expect(run('check').stdout).toContain('file_write b/c.txt')
    const asked =
      '! a.txt is a proposal: it is applied only after a yes\n! b/c.txt is a proposal: it is applied only after a yes\n'
    expect(run('diff')).toMatchObject({ status: 0, stdout: modify + create, stderr: asked })
    expect(run('diff', '--proposals', 'apply')).toMatchObject({ status: 0, stdout: modify + create, stderr: '' })
    const waits = run('run', '--no-git')
    expect(waits.status).toBe(1)
    expect(waits.stdout).toContain('--proposals apply')
    expect(filesIn(cwd)).toEqual(before)
    expect(run('run', '--no-git', '--proposals', 'apply').status).toBe(0)
    expect(filesIn(cwd)).toEqual(after)
  })
})

describe('a proposal that is a part of the file', () => {
  const file = 'import a\n\ndef one():\n    return a\n\n\ndef two():\n    return 2\n'
  const root = (): string => scratchDir({ 'a.py': file })
  /** It has no place by itself: its first line is new. */
  const part = 'print(2)\n\n\ndef two():\n    return 3\n'
  const proposed = (text: string): string => `Update \`a.py\`:\n\n\`\`\`python\n${text}\`\`\`\n`

  it.each([
    ['beginning', part],
    ['end', 'import a\n\ndef one():\n    return a + 1\n'],
    ['beginning', 'print(2)\n\n\ndef two(by):\n    return 2\n'],
    ['most', 'def three():\n    return 3\n'],
    ['most', 'print(1)\n'],
  ])('is not written without a yes, also with apply: it lacks the %s', async (lacks, text) => {
    const dir = root()
    const result = await new Clada({ repoPath: dir, gitCommit: false, proposals: 'apply' }).execute(proposed(text))
    expect(result.results[0]).toMatchObject({ code: 'review_required' })
    expect(result.results[0]?.error).toContain('of the file')
    expect(result.proposals).toMatchObject([{ path: 'a.py', lacks }])
    expect(filesIn(dir)).toEqual({ 'a.py': file })
    const { asked, ask } = answering('once')
    const agreed = await new Clada({ repoPath: dir, gitCommit: false, proposals: 'apply', ask }).execute(proposed(text))
    expect(agreed.success).toBe(true)
    expect(asked).toMatchObject([{ lacks }])
    expect(filesIn(dir)).toEqual({ 'a.py': text })
  })

  it('is not written because an earlier one got a yes to all', async () => {
    const dir = root()
    const { asked, ask } = answering('always', 'no')
    const text = `**b.py**\n\`\`\`python\nb = 1\n\`\`\`\n\n${proposed(part)}`
    await new Clada({ repoPath: dir, gitCommit: false, ask }).execute(text)
    expect(asked.map(({ lacks }) => lacks)).toEqual([undefined, 'beginning'])
    expect(filesIn(dir)).toEqual({ 'a.py': file, 'b.py': 'b = 1\n' })
  })

  it('is shown with a warning', async () => {
    const own = new Clada({ repoPath: root(), gitCommit: false })
    const { result } = await own.preview(proposed(part))
    expect(result.results[0]?.warnings).toEqual(['it lacks the beginning of the file, which would be deleted'])
  })

  it('says once what it lacks, where it waits for a yes', async () => {
    const { results } = await new Clada({ repoPath: root(), gitCommit: false }).execute(proposed(part))
    const lacks = 'it lacks the beginning of the file, which would be deleted'
    expect(results).toMatchObject([{ error: expect.stringContaining(lacks) }])
    expect(results[0]?.warnings ?? []).toEqual([])
  })

  it('is not written by a review without a yes of its own', async () => {
    const dir = root()
    const { asked, ask } = answering('no')
    const own = new Clada({ repoPath: dir, gitCommit: false, proposals: 'apply', ask })
    const text = proposed(part)
    const [block] = (await own.review(text)).blocks
    const blocks = { '1': { shown: block?.shown ?? '' } }
    const result = await own.execute(text, { review: { blocks } })
    expect(result.results[0]).toMatchObject({ code: 'review_required' })
    expect(asked).toMatchObject([{ lacks: 'beginning' }])
    expect(filesIn(dir)).toEqual({ 'a.py': file })
  })

  it('is written by a review in which the user keeps the rest of the file', async () => {
    const dir = root()
    const own = new Clada({ repoPath: dir, gitCommit: false })
    const text = proposed(part)
    const [block] = (await own.review(text)).blocks
    const leave = (block?.files[0]?.hunks ?? []).slice(0, -1).map(({ id }) => ({ hunk: id }))
    const blocks = { '1': { shown: block?.shown ?? '', leave } }
    expect((await own.execute(text, { review: { blocks } })).success).toBe(true)
    expect(filesIn(dir)).toEqual({ 'a.py': file.replace('return 2', 'return 3') })
  })

  it.each([
    ['an empty fence', '**a.py**\n```python\n```\n'],
    ['a fence of blank lines', '**a.py**\n```python\n\n\n```\n'],
    ['an empty tag', '<file path="a.py">\n</file>\n'],
    ['an empty here-document', "```bash\ncat > a.py <<'EOF'\nEOF\n```\n"],
  ])('is never written where it is empty: %s', async (_, text) => {
    const dir = root()
    const { asked, ask } = answering('always')
    const own = new Clada({ repoPath: dir, gitCommit: false, proposals: 'apply', ask })
    for (const { results } of [(await own.preview(text)).result, await own.execute(text)])
      expect(results).toMatchObject([{ code: 'review_required', error: expect.stringContaining('it is empty') }])
    expect(asked).toEqual([])
    expect(filesIn(dir)).toEqual({ 'a.py': file })
  })

  it('is not written over a file that is no text', async () => {
    const dir = scratchDir({})
    fs.writeFileSync(path.join(dir, 'a.py'), Buffer.from([0, 1, 2, 255]))
    const { results } = await new Clada({ repoPath: dir, gitCommit: false, proposals: 'apply' }).execute(
      proposed('x\n'),
    )
    expect(results[0]?.success).toBe(false)
    expect(fs.readFileSync(path.join(dir, 'a.py'))).toHaveLength(4)
  })

  it.skipIf(noTyping)('is asked about at a terminal with the warning that diff prints', async () => {
    const cwd = root()
    fs.writeFileSync(path.join(cwd, 'reply.md'), proposed(part))
    const warning = 'it lacks the beginning of the file, which would be deleted'
    const diff = clada(['diff', '--no-config', 'reply.md'], { cwd })
    expect(diff.stderr).toContain(warning)
    const run = ['run', '--no-git', '--no-config', '--proposals', 'apply', 'reply.md']
    const { output } = await typeAnswers(run, ['n'], { cwd })
    expect(output).toMatch(new RegExp(`${warning}\\.\nApply it\\?`))
    expect(fs.readFileSync(path.join(cwd, 'a.py'), 'utf8')).toBe(file)
  })

  it.each([
    ['in other words', file.replace('import a', 'import b').replace('return 2', 'return 3')],
    ['shorter', 'import a\n\ndef two():\n    return 2\n'],
    ['all new', 'import b\n\n\ndef three():\n    return b\n\n\nprint(3)\nprint(4)\n'],
  ])('is written with apply where it may be the whole file: %s', async (_, text) => {
    const dir = root()
    await new Clada({ repoPath: dir, gitCommit: false, proposals: 'apply' }).execute(proposed(text))
    expect(filesIn(dir)).toEqual({ 'a.py': text })
  })
})

describe('a first comment that names the file', () => {
  const reply = '```ts\n// src/a.ts\nexport const a = 2\n```\n'

  it.each([
    ['is not written into a file without it', 'export const a = 1\n', 'export const a = 2\n'],
    ['stays in a file that has it', '// src/a.ts\nexport const a = 1\n', '// src/a.ts\nexport const a = 2\n'],
    ['is part of a new file', undefined, '// src/a.ts\nexport const a = 2\n'],
  ])('%s', async (_, was, becomes) => {
    const dir = scratchDir(was === undefined ? {} : { 'src/a.ts': was })
    await new Clada({ repoPath: dir, gitCommit: false, proposals: 'apply' }).execute(reply)
    expect(filesIn(dir)).toEqual({ 'src/a.ts': becomes })
  })
})
