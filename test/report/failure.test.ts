import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../packages/clada/src/core/problem.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { explain } from '../../packages/clada/src/report/explain.ts'
import { reasonOf, sentenceOf, userText } from '../../packages/clada/src/report/failure.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { oneLine } from '../../packages/clada/src/report/words.ts'
import { scratchDir } from '../support/scratch.ts'

type Kind = Problem['kind']

/** A problem of each kind, with the same text wherever a path, a content, a command or an output has one. */
const problems: { readonly [K in Kind]: (text: string) => Problem & { kind: K } } = {
  os: (path) => ({ kind: 'os', code: 'ENOTEMPTY', op: 'rmdir', path }),
  'source-missing': (path) => ({ kind: 'source-missing', path }),
  'action-failed': (message) => ({ kind: 'action-failed', message }),
  'not-cells': (path) => ({ kind: 'not-cells', path }),
  'not-regular': (path) => ({ kind: 'not-regular', path, type: 'directory', op: 'open' }),
  'not-text': (path) => ({ kind: 'not-text', path, reason: 'binary', byte: 1, line: 1 }),
  'too-large': (path) => ({ kind: 'too-large', path, size: 2, limit: 1 }),
  'changed-meanwhile': (path) => ({ kind: 'changed-meanwhile', path, saved: path }),
  'hash-differs': (path) => ({ kind: 'hash-differs', path, expected: path, actual: path }),
  path: (path) => ({ kind: 'path', rule: 'path_denied', path, reason: 'it is blocked' }),
  denied: (action) => ({ kind: 'denied', rule: 'llm', action, reason: `Action '${action}' is not allowed` }),
  'review-needed': (path) => ({ kind: 'review-needed', path, refused: false }),
  'left-out': (text) => ({ kind: 'left-out', path: text, reason: text }),
  'review-outdated': (path) => ({ kind: 'review-outdated', path }),
  'not-encoded': (path) => ({ kind: 'not-encoded', path, encoding: 'gbk' }),
  'not-encodable': (path) => ({ kind: 'not-encodable', path, encoding: 'gbk', characters: [path] }),
  'search-empty': (path) => ({ kind: 'search-empty', path, end: path }),
  'empty-text': (param) => ({ kind: 'empty-text', param }),
  'text-absent': (text) => ({ kind: 'text-absent', param: 'old_text', path: text, nearest: [nearby(text)] }),
  'already-applied': (path) => ({ kind: 'already-applied', path, line: 3, endLine: 9 }),
  'text-ambiguous': (text) => ({
    kind: 'text-ambiguous',
    param: 'old_text',
    path: text,
    count: 2,
    places: [{ line: 1, text }],
  }),
  'count-differs': (text) => ({
    kind: 'count-differs',
    path: text,
    params: ['old_text'],
    expected: 2,
    found: 1,
    places: [{ line: 1, text }],
    nearest: [],
  }),
  'hunk-failed': (text) => ({
    kind: 'hunk-failed',
    path: text,
    hunk: 1,
    total: 1,
    lines: `-${text}`,
    reason: 'absent',
    found: 0,
    places: [],
    nearest: [nearby(text)],
    verdicts: [{ hunk: 1, verdict: 'absent' }],
  }),
  elision: (text) => ({
    kind: 'elision',
    path: text,
    param: 'new_text',
    elision: { line: text, at: 1, why: 'only-new' },
    replaced: text,
  }),
  'lines-invalid': (spec) => ({ kind: 'lines-invalid', spec, reason: 'form' }),
  'lines-outside': (spec) => ({ kind: 'lines-outside', spec, lineCount: 1, asked: 'read' }),
  'lines-differ': (text) => ({ kind: 'lines-differ', path: text, lines: '4', expected: text, actual: text }),
  'no-paths': () => ({ kind: 'no-paths' }),
  'files-failed': (path) => ({
    kind: 'files-failed',
    doing: 'change',
    failures: [{ path, problem: { kind: 'too-large', path, size: 2, limit: 1 } }],
    done: [],
  }),
  'edits-failed': (path) => ({
    kind: 'edits-failed',
    path,
    total: 2,
    failures: [{ edit: 1, problem: { kind: 'empty-text', param: path } }],
  }),
  'bad-param': (message) => ({ kind: 'bad-param', param: 'lines', message }),
  structure: (message) => ({
    kind: 'structure',
    code: 'TARGET_NOT_FOUND',
    message,
    details: { suggestions: [message] },
  }),
  'search-failed': (message) => ({ kind: 'search-failed', message }),
  'command-refused': (reason) => ({ kind: 'command-refused', reason, advice: reason }),
  'approval-needed': (command) => ({
    kind: 'approval-needed',
    approved: [],
    command,
    changed: false,
    network: false,
    refused: true,
  }),
  'command-failed': () => ({ kind: 'command-failed', how: { exit: 1 } }),
  'command-late': (command) => ({
    kind: 'command-late',
    ms: 1000,
    offline: { for: 'command', approval: { command, network: false } },
  }),
  'exec-refused': (reason) => ({ kind: 'exec-refused', reason, advice: reason }),
  'program-missing': (program) => ({ kind: 'program-missing', program }),
  'version-missing': (lang) => ({ kind: 'version-missing', lang, version: '3', found: '2' }),
  'cwd-missing': (path) => ({ kind: 'cwd-missing', path }),
  'half-landed': (path) => ({ kind: 'half-landed', paths: [path] }),
  locked: (lock) => ({ kind: 'locked', lock, waitedMs: 1 }),
  'not-a-lock': (path) => ({ kind: 'not-a-lock', path }),
  'record-unwritten': (message) => ({ kind: 'record-unwritten', code: 'EIO', message }),
  git: (reason) => ({ kind: 'git', reason }),
  'context-broken': (file) => ({ kind: 'context-broken', file, reason: 'it is not JSON' }),
  'step-refused': (text) => ({
    kind: 'step-refused',
    reason: 'Files changed.',
    code: 'skipped',
    conflicts: [{ path: text, reason: text }],
  }),
  'too-complex': () => ({ kind: 'too-complex', over: 'time', ms: 2000 }),
  stopped: (reason) => ({ kind: 'stopped', reason }),
  'edit-missing': (path) => ({
    kind: 'edit-missing',
    edit: { line: 3, endLine: 4, what: 'udiff block', path, reason: 'unreadable' },
  }),
  'proposal-waits': (path) => ({ kind: 'proposal-waits', path, line: 3 }),
  bug: (message) => ({ kind: 'bug', message, stack: message }),
}

const nearby = (diff: string) => ({ line: 1, endLine: 1, similarity: 0.5, diff })

const all = Object.values(problems)

/** Each failure as every report words it, one line each. */
const words = all.flatMap((make) => {
  const failed = { ...explain(make('x'), 'run'), params: {} }
  const [line = ''] = failed.error.split('\n')
  return [line, sentenceOf(failed), reasonOf(failed), userText(failed).split('\n')[0] ?? '']
})
const systemWords = [
  'ENOENT: no such file or directory',
  'EACCES: permission denied',
  'File not found: Permission denied',
]

describe('a failure', () => {
  it('reports its own kind, whatever words of other failures are in its paths, contents and outputs', () => {
    const text = fc.array(fc.constantFrom(...words, ...systemWords), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.constantFrom(...all), text, (make, said) => {
        const hostile = said.join(' ')
        const [plain, poisoned] = [explain(make(mark), 'run'), explain(make(hostile), 'run')]
        const { kind } = make('')
        expect([poisoned.code, poisoned.failure.kind]).toEqual([plain.code, kind])
        // The sentences differ in that text alone.
        const swapped = (sentence: string): string => sentence.replaceAll(mark, () => hostile)
        expect(poisoned.error).toBe(swapped(plain.error))
        for (const wording of [sentenceOf, userText]) expect(wording(poisoned)).toBe(swapped(wording(plain)))
        const params = { path: 'a.txt' }
        expect(reasonOf({ ...poisoned, params })).toBe(oneLine(swapped(reasonOf({ ...plain, params }))))
      }),
      { numRuns: 2000 },
    )
  })

  it('is no permission denied because the patch that does not fit contains these words', async () => {
    for (const said of [...systemWords, 'The user refused', 'exec: git_operation_failed']) {
      const dir = scratchDir({ 'a.txt': 'one\n' })
      const result = await new Clada({ repoPath: dir }).perform('file_patch', {
        path: 'a.txt',
        patch: `@@\n-${said}\n+two`,
      })
      const [, line] = formatReport(result, 'llm').split('\n')
      expect(line).toBe('do ❌ file_patch a.txt - hunk 1 of 1 not found in file')
      expect(formatReport(result, 'pretty').split('\n')[1]).toBe('    hunk 1 of 1 not found in file')
    }
  })

  it('is a missing file, whatever its name', async () => {
    const result = await new Clada({ repoPath: scratchDir() }).perform('file_read', { path: 'permission denied' })
    expect(formatReport(result, 'llm')).toContain('do ❌ file_read permission denied - File not found\n')
  })

  it('quotes on the one line that a list has for it', () => {
    const reason = (problem: Problem, path = '/p/other'): string =>
      reasonOf({ ...explain(problem, 'run'), params: { path } })
    expect(reason({ ...problems['approval-needed']('sh -c "a\nb"'), refused: false })).toBe(
      '\'sh -c "a⏎b"\' is not approved',
    )
    expect(reason(problems.path('/p/.env'), '/p/.env')).toBe('Path not allowed: it is blocked')
    expect(reason(problems.path('/p/.env'))).toBe("Path not allowed '/p/.env': it is blocked")
    expect(reason(problems['lines-differ']('/p/a'))).toBe('Line 4 is not what was expected')
    expect(reason(problems['hunk-failed']('one\ntwo'))).toBe('hunk 1 of 1 not found in file')
    expect(reason(problems['search-failed']('regex parse error:\n  (\n  ^'))).toBe('regex parse error:')
    expect(reason(problems.os('/p/a'), '/p/a')).toBe('directory not empty, rmdir')
    expect(reasonOf({ params: {} })).toBe('Unknown error')
  })

  it('is addressed to the user without the action, without codes, and sends nobody to themselves', () => {
    const lines = (problem: Problem): string => {
      const result = { seq: 1, blockId: 'do', action: 'run', params: {}, success: false, ...explain(problem, 'run') }
      return formatReport({ ...none, results: [result] }, 'pretty')
        .split('\n')
        .slice(1, -1)
        .join('\n')
    }
    expect(lines({ ...problems.os('b.txt'), code: 'ENOENT', op: 'open' })).toBe(
      "    There is no file 'b.txt'\n    → Check the path.",
    )
    expect(lines(problems.path('.env'))).toBe(
      "    Path not allowed '.env': it is blocked\n    → It is blocked for models.",
    )
    expect(lines(problems['approval-needed']('npm test'))).toBe("    You refused 'npm test'")
    expect(lines({ ...problems['approval-needed']('npm test'), refused: false })).toBe(
      '    \'npm test\' is not approved\n    → To approve it: clada approve "npm test".',
    )
    expect(lines(problems['program-missing']('ruby'))).toBe('    ruby not found in PATH\n    → Install ruby.')
    expect(lines(problems.structure('a.ts has no such class'))).toBe('    a.ts has no such class')
    for (const make of all) expect(lines(make('x'))).not.toMatch(/\bask the user\b/i)
  })
})

/** Unlike every word of a failure. */
const mark = '‹text›'

const none = { success: false, totalBlocks: 1, executedActions: 1, parseErrors: [] }

describe('why a program failed, in one line', () => {
  it.each([
    [
      'the error of gcc, not a note below it',
      'a.c:1:1: error: C++ style comments are not allowed\n    1 | // x\n      | ^\na.c:1:1: note: (reported only once)\n',
      'a.c:1:1: error: C++ style comments are not allowed',
    ],
    [
      'the reason of npm, not where its log is',
      'npm error code EAI_AGAIN\nnpm error request to https://registry.example.org failed\nnpm error A complete log of this run can be found in: /l\n',
      'npm error request to https://registry.example.org failed',
    ],
    ['the last line of Python', 'Traceback:\n  x\nValueError: no\n', 'ValueError: no'],
    [
      'what Node threw, not its version',
      "    throw e\n    ^\n\nTypeError [X]: bad\n    at y {\n  code: 'X'\n}\n\nNode.js v20.20.2\n",
      'TypeError [X]: bad',
    ],
    [
      'what Java threw, not a frame',
      'Exception in thread "main" java.lang.NullPointerException: it is null\n\tat app.A.b(A.java:25)\n\tat T.main(T.java:15)\n',
      'Exception in thread "main" java.lang.NullPointerException: it is null',
    ],
    [
      'the first error of a C compiler, not the mark below a line',
      'a.cpp:75:1: error: no type\n   75 | vector<int> f()\n      | ^~~~~~\na.cpp:80:1: error: other\n   80 | x\n      | ^\n',
      'a.cpp:75:1: error: no type',
    ],
    [
      'the first error of Java, not their number',
      "A.java:3: error: ';' expected\n  int a\n       ^\nA.java:9: error: other\n  b\n  ^\n2 errors\n",
      "A.java:3: error: ';' expected",
    ],
    [
      'the first error of Rust, not what cargo makes of it',
      'error[E0425]: cannot find value `a`\n --> src/lib.rs:2:5\n\nFor more information about this error, try `rustc --explain E0425`.\nerror: could not compile `a` (lib) due to 1 previous error\n',
      'error[E0425]: cannot find value `a`',
    ],
    [
      'what make started, not that it failed',
      'sh: x: not found\nmake: *** [Makefile:2: all] Error 127\n',
      'sh: x: not found',
    ],
    ['the last line, where it says no more', 'Node.js v20.20.2\n', 'Node.js v20.20.2'],
  ])('%s', (_, stderr, said) => {
    expect(reasonOf({ code: 'exec_failed', data: { stderr }, params: {}, error: 'x' })).toBe(said)
  })
})
