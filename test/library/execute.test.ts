import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ActionResult, Clada, createClada, executeFileOperation } from '../../packages/clada/src/index.ts'
import { checkDocument } from '../../packages/clada/src/engine/check.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const block = (id: string, lines: readonly string[]): string =>
  [`#!SHAM [@three-char-SHA-256: ${id}]`, ...lines, `#!END_SHAM_${id}`, ''].join('\n')
const write = (id: string, file: string, content: string): string =>
  block(id, ['action = "file_write"', `path = ${JSON.stringify(file)}`, `content = ${JSON.stringify(content)}`])

describe('execute', () => {
  it('answers for a text without blocks', async () => {
    const root = scratchDir()
    const result = await createClada({ repoPath: root }).execute('just prose')
    expect(result).toEqual({
      success: true,
      totalBlocks: 0,
      executedActions: 0,
      results: [],
      parseErrors: [],
      contentKind: 'prose',
      root,
    })
  })

  it('tells of each action in order, once its files are on the disk', async () => {
    const dir = scratchDir()
    const names = Array.from({ length: 40 }, (_, i) => `${dir}/${i}.txt`)
    const seen: number[] = []
    const onAction = ({ seq, params }: ActionResult): void => {
      expect(fs.readFileSync(String(params['path']), 'utf8')).toBe(`text ${seq}`)
      seen.push(seq)
    }
    const text = names.map((name, i) => write('abc', name, `text ${i + 1}`)).join('\n')
    const { success } = await new Clada({ repoPath: dir }).execute(text, { onAction })
    expect(success).toBe(true)
    expect(seen).toEqual(names.map((_, i) => i + 1))
  })

  it('skips what is left when it is aborted', async () => {
    const dir = scratchDir()
    const stop = new AbortController()
    const text =
      write('one', `${dir}/1.txt`, '1') + write('two', `${dir}/2.txt`, '2') + write('tri', `${dir}/3.txt`, '3')
    const reading = block('rd1', ['action = "file_read"', `path = "${dir}/1.txt"`])
    const onAction = ({ seq }: ActionResult): void => {
      if (seq === 1) stop.abort(new Error('the user stopped the run'))
    }
    const { results, executedActions, success } = await new Clada({ repoPath: dir }).execute(reading + text, {
      onAction,
      signal: stop.signal,
    })
    expect(success).toBe(false)
    expect(executedActions).toBeLessThan(4)
    expect(results.at(-1)).toMatchObject({
      success: false,
      code: 'skipped',
      error: 'file_write: skipped: the user stopped the run',
    })
    expect(fs.existsSync(path.join(dir, '3.txt'))).toBe(false)
  })

  it('never throws: a root that is none is a fatal error', async () => {
    const result = await new Clada({ repoPath: '/no/such/directory' }).execute('x')
    expect(result).toMatchObject({ success: false, fatalCode: 'invalid_parameter' })
    expect(result.fatalError).toBe("The root '/no/such/directory' is not a directory.")
    const { fatalError } = await new Clada({ repoPath: 'no/such' }).execute('x')
    expect(fatalError).toBe("The root 'no/such' is not a directory.")
  })

  it('refuses a document that is too large, with its size and the limit', async () => {
    const dir = scratchDir()
    const text = write('abc', `${dir}/a.txt`, 'x'.repeat(2000))
    const result = await new Clada({ repoPath: dir, limits: { inputBytes: 1000 } }).execute(text)
    expect(result).toMatchObject({ success: false, fatalCode: 'input_too_large', results: [] })
    expect(result.fatalError).toContain('the limit is 1000')
    expect(filesIn(dir)).toEqual({})
  })

  it('refuses actions that are not on the list, and runs the others', async () => {
    const dir = scratchDir({ 'a.txt': 'x' })
    const text = block('rd1', ['action = "read_file"', `path = "${dir}/a.txt"`]) + write('wr1', `${dir}/b.txt`, 'x')
    const result = await new Clada({ repoPath: dir, allowedActions: ['file_read'] }).execute(text)
    expect(result.results).toMatchObject([
      { success: true },
      {
        success: false,
        code: 'action_not_allowed',
        error: "Action 'file_write' is not in allowed-actions list (file_read)",
      },
    ])
    expect(filesIn(dir)).toEqual({ 'a.txt': 'x' })
    const { valid, blocks } = checkDocument(text, { repoPath: dir, allowedActions: ['file_read'] })
    expect(valid).toBe(false)
    expect(blocks.map(({ id, problems }) => [id, ...problems.map(({ code }) => code)])).toEqual([
      ['rd1'],
      ['wr1', 'action_not_allowed'],
    ])
    // Blocks without an id have their number in the document, whatever their syntaxes are.
    const mixed = '<write path="a"><![CDATA[x]]></write>\n\n<---WRITE file="b"--->\nx\n<---END--->\n'
    expect(checkDocument(mixed, { repoPath: dir }).blocks.map(({ id }) => id)).toEqual(['1', '2'])
  })

  it('names an allowed action that does not exist, and those that a document can use', async () => {
    const { fatalError } = await new Clada({ repoPath: scratchDir(), allowedActions: ['file_raed'] }).execute('')
    expect(fatalError).toMatch(/^Invalid action in allowed-actions: 'file_raed'\. Valid actions: file_write, /)
    expect(fatalError).not.toMatch(/, (?:undo|git_squash)\b/)
  })

  it('carries a document out whole or not at all when it is atomic', async () => {
    const dir = scratchDir({ 'a.txt': 'old' })
    const failing = block('ed1', [
      'action = "file_edit"',
      `path = "${dir}/a.txt"`,
      'old_text = "none"',
      'new_text = "x"',
    ])
    const text = write('wr1', `${dir}/a.txt`, 'new') + write('wr2', `${dir}/sub/b.txt`, 'new') + failing
    const result = await new Clada({ repoPath: dir, atomic: true }).execute(text)
    expect(result.success).toBe(false)
    expect(result.results.map(({ success, code }) => [success, code])).toEqual([
      [false, 'skipped'],
      [false, 'skipped'],
      [false, 'match_count_mismatch'],
    ])
    expect(filesIn(dir)).toEqual({ 'a.txt': 'old' })
    expect(fs.existsSync(path.join(dir, 'sub'))).toBe(false)
    const good = await new Clada({ repoPath: dir, atomic: true }).execute(
      write('wr1', `${dir}/a.txt`, 'new') + write('wr2', `${dir}/sub/b.txt`, 'new'),
    )
    expect(good.success).toBe(true)
    expect(filesIn(dir)).toEqual({ 'a.txt': 'new', 'sub/b.txt': 'new' })
  })

  it('runs two blocks with the same id, and fails only the broken one', async () => {
    const dir = scratchDir()
    const broken = block('abc', ['action = "file_write"', 'path = unquoted'])
    const result = await new Clada({ repoPath: dir }).execute(broken + write('abc', `${dir}/a.txt`, 'x'))
    expect(result).toMatchObject({ totalBlocks: 2, executedActions: 1, parseErrors: [{ code: 'INVALID_VALUE' }] })
    expect(filesIn(dir)).toEqual({ 'a.txt': 'x' })
  })
})

describe('a text that is still coming', () => {
  it('has each block carried out as soon as it is complete', async () => {
    const dir = scratchDir()
    const text = `prose\n${write('one', `${dir}/1.txt`, 'first')}more prose\n${write('two', `${dir}/2.txt`, 'second')}`
    const middle = text.indexOf('more prose') + 4
    async function* slowly(): AsyncGenerator<string> {
      for (const char of text.slice(0, middle)) yield char
      expect(filesIn(dir)).toEqual({ '1.txt': 'first' })
      yield text.slice(middle)
    }
    const result = await new Clada({ repoPath: dir }).executeStream(slowly())
    expect(result).toMatchObject({ success: true, totalBlocks: 2, results: [{ line: 2 }, { line: 8 }] })
    expect(filesIn(dir)).toEqual({ '1.txt': 'first', '2.txt': 'second' })
  })

  it('gives the same results as the whole, wherever it is cut', async () => {
    const heredoc = block('doc', [
      'action = "file_write"',
      'path = "DIR/doc.md"',
      "content = <<'EOT_SHAM_doc'",
      '#!SHAM [@three-char-SHA-256: inn]',
      'action = "file_delete"',
      '#!END_SHAM_inn',
      'EOT_SHAM_doc',
    ])
    const broken = block('bad', ['action = "file_wirte"', 'path = x'])
    const template = `intro\n${heredoc}\n${broken}\n#!SHAM [@wrong: abc]\n${write('abc', 'DIR/a.txt', 'é漢😀')}`
    const whole = scratchDir()
    const expected = await new Clada({ repoPath: whole }).execute(template.replaceAll('DIR', whole))
    for (let size = 1; size < 60; size += 7) {
      const dir = scratchDir()
      const text = template.replaceAll('DIR', dir)
      async function* cut(): AsyncGenerator<string> {
        for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
      }
      const result = await new Clada({ repoPath: dir }).executeStream(cut())
      const shape = ({ results, parseErrors, totalBlocks }: typeof result): unknown => ({
        totalBlocks,
        results: results.map(({ blockId, success, line }) => ({ blockId, success, line })),
        parseErrors: parseErrors.map(({ code, line, column }) => ({ code, line, column })),
      })
      expect(shape(result)).toEqual(shape(expected))
      expect(filesIn(dir)).toEqual(filesIn(whole))
    }
  })
})

describe('executeFileOperation', () => {
  it('carries out one action and never throws', async () => {
    const dir = scratchDir()
    const metadata = { blockId: 'abc', startLine: 1, endLine: 3 }
    const parameters = { path: path.join(dir, 'a.txt'), content: 'x' }
    expect(await executeFileOperation({ action: 'file_write', parameters, metadata }, { repoPath: dir })).toMatchObject(
      {
        success: true,
        data: { bytesWritten: 1 },
      },
    )
    expect(await executeFileOperation({ action: 'no_such', parameters, metadata }, { repoPath: dir })).toEqual({
      success: false,
      error: 'Unknown action: no_such',
    })
  })
})
