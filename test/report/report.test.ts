import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ActionResult, Clada, type ExecutionResult } from '../../packages/clada/src/index.ts'
import { explain } from '../../packages/clada/src/report/explain.ts'
import { pageAdvice } from '../../packages/clada/src/report/failure.ts'
import { reminderOf } from '../../packages/clada/src/report/parts.ts'
import { prettyErrors, prettySummary } from '../../packages/clada/src/report/pretty.ts'
import { capText, spellOut, spellOutCommand } from '../../packages/clada/src/report/words.ts'
import { repairLines } from '../../packages/clada/src/report/repair.ts'
import { failureView } from '../../packages/clada/src/actions/program-output.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { renderSmallDiff } from '@clada/reply/text/shown-diff.ts'
import { scratchDir } from '../support/scratch.ts'

const none: ExecutionResult = { success: true, totalBlocks: 0, executedActions: 0, results: [], parseErrors: [] }

describe('reports', () => {
  it('cut long output in the middle, at characters and rather at lines', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 600 }),
        fc.integer({ min: 140, max: 300 }),
        (text, limit) => {
          const cut = capText(text, limit)
          if (text.length <= limit) expect(cut).toBe(text)
          else {
            const [head = '', tail = ''] = cut.split(/\n\[output truncated\] lines \d+-\d+ of \d+ not shown; [^\n]*\n/)
            expect(cut.length).toBeLessThanOrEqual(limit)
            expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
            if (text.isWellFormed()) expect(cut.isWellFormed()).toBe(true)
          }
        },
      ),
    )
  })

  it('let no control character through', () => {
    expect(spellOut('a\u001b]52;c;x\u0007b\rc\r\nd\te\u202e')).toBe('a\\x1b]52;c;x\\x07b\\x0dc\r\nd\te\\u202e')
  })

  it('show what a file holds, whole up to the limit and marked above it', async () => {
    const dir = scratchDir({ 'big.txt': 'line of text\n'.repeat(10_000), 'esc.txt': '\u001b[2Jcleared' })
    const clada = new Clada({ repoPath: dir })
    const big = await clada.perform('file_read', { path: 'big.txt' })
    for (const format of ['llm', 'text', 'xml'] as const) {
      const report = formatReport(big, format)
      expect(report).toContain('[output truncated]')
      expect(report.length).toBeLessThan(format === 'llm' ? 24_100 : 200_000)
    }
    expect(formatReport(big, 'llm', { budget: 4000 }).length).toBeLessThanOrEqual(4000)
    const escape = await clada.perform('file_read', { path: 'esc.txt' })
    for (const format of ['llm', 'text', 'xml', 'pretty'] as const)
      expect(formatReport(escape, format)).not.toContain('\u001b')
  })

  it('tell more or less about a failure, as asked', async () => {
    const dir = scratchDir({ 'a.txt': 'one two three\n' })
    const result = await new Clada({ repoPath: dir }).perform('file_edit', {
      path: 'a.txt',
      old_text: 'one too three',
      new_text: 'x',
    })
    expect(formatReport(result, 'pretty', { errorDetail: 'minimal' })).not.toContain('nearest')
    for (const format of ['text', 'xml', 'llm'] as const) {
      expect(formatReport(result, format)).toContain('nearest: line 1')
      expect(formatReport(result, format, { errorDetail: 'full' })).toBe(formatReport(result, format))
      expect(formatReport(result, format, { errorDetail: 'minimal' })).not.toContain('nearest')
    }
    expect(JSON.parse(formatReport(result, 'json', { errorDetail: 'minimal' })).results[0]).not.toHaveProperty(
      'details',
    )
  })

  it('say that there was nothing to do', () => {
    expect(formatReport(none, 'llm')).toContain('No blocks found')
    expect(formatReport(none, 'text')).toContain('#!SHAM [@three-char-SHA-256: abc]')
    expect(formatReport(none, 'text').split('\n').length).toBeLessThanOrEqual(5)
    expect(formatReport(none, 'pretty')).toBe(
      'No edits or commands found: the reply is only prose. If the model should change files, paste the text of clada prompt into the chat first.',
    )
    expect(formatReport({ ...none, contentKind: 'nothing' }, 'pretty')).toMatch(/^The reply is empty\. /)
    expect(formatReport({ ...none, contentKind: 'nothing' }, 'llm')).not.toContain('SHAM')
    expect(formatReport({ ...none, contentKind: 'code' }, 'pretty')).toContain('names no file')
    expect(formatReport({ ...none, contentKind: 'code' }, 'llm')).toContain('names no file')
    const example = { line: 3, endLine: 5, what: 'code', path: 'a.ts', reason: 'example' } as const
    for (const format of ['pretty', 'llm'] as const) {
      const listed = formatReport({ ...none, contentKind: 'code', notExecuted: [example] }, format)
      expect(listed).not.toContain('names no file')
      expect(listed).not.toContain('#!SHAM')
    }
    expect(formatReport(none, 'xml')).toBe('<result blocks="0" tasks="0" succeeded="0" failed="0"/>')
  })

  it('tell what was ignored also where the action failed: it may be why', async () => {
    const dir = scratchDir({ 'a.txt': 'x x\n' })
    const params = { path: 'a.txt', old_text: 'x', new_text: 'y', cout: '2' }
    const result = await new Clada({ repoPath: dir }).perform('file_edit', params)
    expect(formatReport(result, 'llm').split('\n').slice(1, 4)).toEqual([
      'do ❌ file_edit a.txt - expected 1 occurrences but found 2',
      "    ⚠️  parameter 'cout' is not known and was ignored; did you mean 'count'?",
      '=== END ===',
    ])
  })

  it('name the code where nothing else is said about a failure', async () => {
    const result = await new Clada({ repoPath: scratchDir() }).perform('file_read', { path: 'a.txt' })
    expect(formatReport(result, 'llm', { errorDetail: 'minimal' })).toContain(
      'do ❌ file_read a.txt - File not found [file_not_found]\n',
    )
    const broken = await new Clada({ repoPath: scratchDir() }).perform('file_read', {})
    expect(formatReport(broken, 'llm', { errorDetail: 'minimal' })).toContain(
      'do ❌ file_read  ERROR: Missing required parameter: path (line 1) [invalid_parameter]\n',
    )
  })

  it('tell which of several files were changed: whoever repeats all of it changes those twice', async () => {
    const dir = scratchDir({ 'a.txt': 'v1\n', 'b.txt': 'none\n', 'd/x': '' })
    const result = await new Clada({ repoPath: dir }).perform('files_replace_all_text', {
      paths: 'a.txt\nb.txt\nd\ngone.txt',
      old_text: 'v1',
      new_text: 'v10',
    })
    const report = formatReport(result, 'llm')
    expect(report).toContain('do ⚠️  files_replace_all_text (4 files) - Changed 1 of 3 files (1 failed)\n')
    expect(report).toContain('→ a.txt is changed already. Repeat the action only for those that failed.')
  })

  it('name the reason where all files fail alike, and count them where they do not', async () => {
    const clada = new Clada({ repoPath: scratchDir({ 'd/x': '' }), relativePaths: true })
    const line = async (paths: string): Promise<string | undefined> =>
      formatReport(await clada.perform('files_read', { paths }), 'llm').split('\n')[1]
    expect(await line('a.txt\nb.txt')).toBe('do ❌ files_read (2 files) - File not found')
    expect(await line('a.txt\nd')).toBe('do ❌ files_read (2 files) - Failed to read 2 file(s):')
  })

  it('give no advice on what needs none, and no line where none is known', () => {
    const example = { line: 3, endLine: 5, what: 'SHAM block', reason: 'example' } as const
    const failed = { blockId: 'abc', errorType: 'syntax', message: 'No end', code: 'X' } as const
    const result = { ...none, parseErrors: [failed], notExecuted: [example] }
    for (const format of ['llm', 'text', 'pretty', 'xml'] as const)
      expect(formatReport(result, format)).not.toContain('undefined')
    expect(formatReport(result, 'text').split('\n')).toContain('[line 1] ERROR: abc - No end [X]')
  })

  it('indent structures by their depth', async () => {
    const dir = scratchDir({ 'a.ts': 'class A {\n  f() {\n    class B {\n      g() {}\n    }\n  }\n}\n' })
    const result = await new Clada({ repoPath: dir }).perform('list_structures', { path: 'a.ts', depth: '4' })
    expect(/:\n([^]*?)\n=== END/.exec(formatReport(result, 'llm').split('OUTPUTS')[1] ?? '')?.[1]).toBe(
      '1-7 class A\n  2-6 f()\n    3-5 class B\n      4 g()',
    )
  })

  it('do not call a file empty of which other lines were asked for', async () => {
    const dir = scratchDir({ 'a.txt': 'one\n' })
    const result = await new Clada({ repoPath: dir }).perform('file_read_numbered', { path: 'a.txt', lines: '7-9' })
    const report = formatReport(result, 'llm')
    expect(report).not.toContain('[empty file]')
    expect(report).toContain('→ Ask for lines from 1 to 2.')
  })

  it('spend no more than 10 kB on the repair of an action, and 30 kB on all of them', async () => {
    const line = `here ${'long '.repeat(38)}`
    const dir = scratchDir({ 'a.txt': `${line}\n`.repeat(60) })
    const one = (id: number): string =>
      [
        `#!SHAM [@three-char-SHA-256: r${id}]`,
        'action = "file_edit"',
        `path = "${dir}/a.txt"`,
        'old_text = "here"',
        'new_text = "x"',
        `#!END_SHAM_r${id}`,
        '',
      ].join('\n')
    const repairs = async (count: number): Promise<string> => {
      const text = Array.from({ length: count }, (_, index) => one(index + 10)).join('')
      const report = formatReport(await new Clada({ repoPath: dir }).execute(text), 'llm')
      return report.slice(report.indexOf('=== REPAIR ==='))
    }
    const single = await repairs(1)
    expect(single.length).toBeLessThan(10_000 + 200)
    const many = await repairs(40)
    expect(many.length).toBeLessThan(30 * 1024 + 200)
    expect(many).toMatch(/\n\d+ more failed; repair these first\.\n=== END ===$/)
  })

  it('list places up to a bound, and say how many there are', async () => {
    const dir = scratchDir({ 'b.txt': 'x\n'.repeat(60) })
    const edit = { path: 'b.txt', old_text: 'x', new_text: 'y' }
    const { results } = await new Clada({ repoPath: dir }).perform('file_replace_text', edit)
    expect(results[0]?.details).toMatchObject({ found: 60, places: { length: 50 } })
    expect(results[0]?.error).toBe('file_replace_text: old_text appears 60 times, must appear exactly once')
  })

  it('count one as one', async () => {
    const dir = scratchDir({ 'one.txt': 'x' })
    const clada = new Clada({ repoPath: dir })
    const read = formatReport(await clada.perform('files_read', { paths: 'one.txt' }), 'llm')
    expect(read).toContain('✅ files_read (1 file)\n')
    expect(read).toContain('[do] files_read:\n=== START FILE: one.txt ===\nx\n')
    expect(formatReport(await clada.perform('ls', { path: '.' }), 'llm')).toContain('one.txt  1 byte\n')
    expect(renderSmallDiff('a\nb\nc\nd', 'A\nb\nc\nd', 4)).toBe('-a\n+A\n b\n… 2 lines left out')
    expect(renderSmallDiff('a\nb\nc', 'A\nb\nc', 3)).toMatch(/… 1 line left out$/)
  })

  it('have no word for what is not there', async () => {
    const broken = { blockId: 'abc', errorType: 'syntax', message: 'it is broken', line: 3 } as const
    expect(prettyErrors([broken], {})[0]).toBe('✗ block abc')
    const clada = new Clada({ repoPath: scratchDir({ 'a.txt': 'x\n', 'b.txt': 'x\n' }), git: 'off' })
    const unknown = await clada.perform('no_such_action', {})
    for (const format of ['text', 'pretty', 'llm', 'xml'] as const)
      expect(formatReport(unknown, format)).not.toContain('undefined')
    const done = await clada.perform('files_replace_all_text', { paths: '.', old_text: 'x', new_text: 'y' })
    expect(formatReport(done, 'text')).toContain('(2 files)')
    expect(prettySummary(done)).toBe('1 done')
    expect(formatReport({ ...none, success: false, fatalError: 'no root' }, 'text')).toBe('[task-1] FATAL: no root')
  })

  it('say what to do next, to the model and to the user', async () => {
    const clada = new Clada({ repoPath: scratchDir({ 'a.txt': 'the new words are here\n' }), git: 'off' })
    const edit = { path: 'a.txt', old_text: 'quite another line', new_text: 'the new words are here' }
    const { results } = await clada.perform('file_edit', edit)
    expect(results[0]?.details?.advice).toBe(
      'The new text is already in the file, on line 1. If that was this edit, nothing is left to do.',
    )
    expect(pageAdvice({ details: { advice: 'x' } })).toBe('Copy the report: it tells the model how to correct this.')
    expect(pageAdvice({})).toBeUndefined()
    expect(explain({ kind: 'command-late', ms: 5000, most: 60_000 }, 'run').details?.advice).toBe(
      'Everything it started was stopped. The limit was the timeout of the block, in seconds; up to 60 are allowed.',
    )
    expect(explain({ kind: 'command-late', ms: 5000 }, 'run').details?.advice).toContain("The limit is the user's")
    expect(reminderOf({}).at(-1)).toContain('Run `clada prompt` for')
    expect(reminderOf({ taught: 'csl' }).at(-1)).toContain('Run `clada prompt --syntax csl` for')
  })

  it.each([
    ['ls -l', 'ls -l'],
    ['a\r\nb', 'a\\r\\nb'],
    ['us\u200ber', 'us\\u200ber  (not ASCII: U+200B)'],
  ])('show the command %j as it is', (command, shown) => {
    expect(spellOutCommand(command)).toBe(shown)
  })

  it('name the failures of a long run again for a person, who has scrolled past them', () => {
    const one = (seq: number): ActionResult => ({
      seq,
      blockId: `b${seq}`,
      action: 'file_write',
      params: { path: `${seq}.txt` },
      success: seq % 10 !== 0,
      ...(seq % 10 === 0 ? { error: 'file_write: it failed', code: 'io_error' as const } : {}),
    })
    const of = (count: number): string[] => {
      const results = Array.from({ length: count }, (_, at) => one(at + 1))
      const result = { success: false, totalBlocks: count, executedActions: count, results, parseErrors: [] }
      return formatReport(result, 'pretty').trimEnd().split('\n').slice(-4)
    }
    expect(of(20).slice(-2)).toEqual(['    file_write: it failed', '18 done, 2 failed'])
    expect(of(21)).toEqual([
      '',
      '✗ file_write 10.txt (block b10): file_write: it failed',
      '✗ file_write 20.txt (block b20): file_write: it failed',
      '19 done, 2 failed',
    ])
  })

  it('tell who sees no diff which lines an inexact edit replaced', () => {
    const warnings = ['it was shifted\n[indentation]; replaced line 2']
    const action = { seq: 1, blockId: '1', action: 'file_patch', params: { path: 'a' }, success: true, warnings }
    const result = { success: true, totalBlocks: 1, executedActions: 1, results: [action], parseErrors: [] }
    expect(formatReport(result, 'pretty')).toBe('✓ file_patch a\n    ! it was shifted\n1 done')
    for (const format of ['llm', 'text', 'xml'] as const)
      expect(formatReport(result, format)).toContain('it was shifted [indentation]; replaced line 2')
  })

  it('have no section without content, and name files relative to the project below the results', async () => {
    const root = scratchDir({ 'a.txt': 'x\n' })
    const clada = new Clada({ repoPath: root, git: 'off' })
    const written = formatReport(await clada.perform('file_write', { path: `${root}/b.txt`, content: 'x' }), 'llm')
    expect(written).not.toContain('=== OUTPUTS ===')
    const missing = formatReport(await clada.perform('file_read', { path: `${root}/no.txt` }), 'llm')
    const [results = '', repair = ''] = missing.split('=== REPAIR ===')
    expect(results).toContain(`${root}/no.txt`)
    expect(repair).toContain("\nThere is no file 'no.txt' [file_not_found]\n")
    expect(repair).not.toContain(root)
  })

  it('say that a program wrote nothing', async () => {
    const clada = new Clada({ repoPath: scratchDir(), git: 'off', exec: 'unsandboxed' })
    const silent = await clada.perform('exec', { lang: 'bash', code: 'true' })
    for (const format of ['llm', 'text', 'xml'] as const) expect(formatReport(silent, format)).toContain('(no output)')
  })

  it('name the file of the hits of grep once, also with lines around them, and leave its output as it is', async () => {
    const files = { 'src/a.js': 'a()\nb()\nc()\n', 'src/b.js': 'b()\n', 'src/c.bin': 'b()\0' }
    const root = scratchDir(files)
    const clada = new Clada({ repoPath: root, git: 'off', evidence: 'lines' })
    const outputs = async (command: string): Promise<(string | undefined)[]> => {
      const result = await clada.perform('run', { command })
      const report = formatReport(result, 'llm')
      const { results = [] }: ExecutionResult = JSON.parse(formatReport(result, 'json'))
      expect(results[0]).not.toHaveProperty('hits')
      return [/\[[^\]]+\] run .*:\n([^]*?)\n=== END/.exec(report)?.[1], JSON.stringify(results[0]?.data)]
    }
    expect(await outputs('grep -rn --include=*.js b src')).toEqual([
      'src/a.js\n  2: b()\nsrc/b.js\n  1: b()',
      JSON.stringify({ output: 'src/a.js:2:b()\nsrc/b.js:1:b()\n', exit_code: 0 }),
    ])
    expect(await outputs(`grep -n -A1 b ${root}/src/a.js src/b.js`)).toEqual([
      'src/a.js\n  2: b()\n  3- c()\nsrc/b.js\n  1: b()',
      JSON.stringify({ output: `${root}/src/a.js:2:b()\n${root}/src/a.js-3-c()\n--\nsrc/b.js:1:b()\n`, exit_code: 0 }),
    ])
    // What is more than hits is shown as it was printed.
    for (const [command, shown] of [
      ['grep -n b src/a.js', '2:b()'],
      ['grep -rc --include=*.js b src', 'src/a.js:1\nsrc/b.js:1'],
      ['grep -r b src', 'src/a.js:b()\nsrc/b.js:b()\ngrep: src/c.bin: binary file matches'],
    ] as const)
      expect((await outputs(command))[0], command).toBe(shown)
  })

  it('show another place than the nearest only if it is close, and the edit was not made yet', () => {
    const near = (line: number, similarity: number) => ({ line, endLine: line, similarity, diff: `-a\n+${line}` })
    const result = { seq: 1, blockId: 'a', action: 'file_edit', params: {}, success: false, error: 'no' }
    const shown = (details: object): string[] =>
      repairLines({ ...result, details }).filter((line) => line.startsWith('near'))
    expect(shown({ nearest: [near(1, 0.7), near(2, 0.7)] })).toHaveLength(1)
    expect(shown({ nearest: [near(1, 0.9), near(2, 0.85), near(3, 0.8)] })).toHaveLength(2)
    expect(shown({ nearest: [near(1, 0.9), near(2, 0.85)], already_applied_at_line: 4 })).toHaveLength(1)
  })

  it('show no passing test as part of the first failure', () => {
    const passing = (from: number): string[] => Array.from({ length: 30 }, (_, at) => `ok ${from + at} - fine`)
    const failing = ['not ok 31 - adds', '  ---', "  error: 'Expected 3, got 4'", '  ...']
    const said = ['TAP version 13', ...passing(1), ...failing, ...passing(32), '1..61', '# fail 1'].join('\n')
    const view = failureView(said, 1, { room: 50_000 })
    const text = typeof view === 'string' ? view : view.text
    const first = text.slice(text.indexOf('first failure:'), text.indexOf('end of the output:'))
    expect(first).toContain('Expected 3, got 4')
    expect(first).not.toMatch(/^\s*ok \d/m)
  })

  it('escape what would be markup', async () => {
    const dir = scratchDir()
    const result = await new Clada({ repoPath: dir }).perform('file_read', { path: '<b>&"x".txt' })
    expect(formatReport(result, 'xml')).toMatch(/<error type="[a-z_]+">[^<>"]*&lt;b&gt;&amp;&quot;x&quot;\.txt/)
  })

  const write = (file: string): string => `<---WRITE file="${file}"--->\nx\n<---END--->\n`
  const stray = '<---END--->\n'

  it.each([
    ['the first', stray, '[task-1] FATAL'],
    ['after two tasks', `${write('a')}${write('b')}${stray}`, '[task-3] FATAL'],
    ['after a group', `<---TASKS--->\n${write('a')}${write('b')}<---END--->\n${stray}`, '[task-2] FATAL'],
    ['between tasks', `${write('a')}${stray}${write('b')}`, '[task-2] FATAL'],
  ])('give what is fatal a number of its own: %s', async (_, text, expected) => {
    const result = await new Clada({ repoPath: scratchDir(), git: 'off' }).execute(text)
    expect(formatReport(result, 'text')).toContain(expected)
  })

  it('count a group as one task before what is fatal', () => {
    const done = (seq: number, task: string): ExecutionResult['results'][number] => ({
      seq,
      blockId: task,
      action: 'file_read',
      params: {},
      success: true,
      task,
    })
    const results = [done(1, '1'), done(2, '2.1'), done(3, '2.2')]
    const report = formatReport({ ...none, results, success: false, fatalError: 'cut off' }, 'text')
    expect(report).toContain('[task-3] FATAL: cut off')
  })
})
