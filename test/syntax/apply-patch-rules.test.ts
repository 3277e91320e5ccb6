import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

interface Scenario {
  readonly before: Record<string, string>
  /** The lines between the markers of a patch, or a whole text. */
  readonly patch: string
  /** All files then; nothing where they stay as they are. */
  readonly after?: Record<string, string>
  readonly success?: false
  readonly warning?: string
}

const newline = 'the file had no newline at its end and has one now, as Codex writes it'

const patch = (...lines: readonly string[]): string => `*** Begin Patch\n${lines.join('\n')}\n*** End Patch\n`

/** What Codex does with a patch, case by case. */
const scenarios: Readonly<Record<string, Scenario>> = {
  'adds a file': { before: {}, patch: patch('*** Add File: a/b.md', '+one'), after: { 'a/b.md': 'one\n' } },
  'adds, deletes and updates': {
    before: { d: 'x\n', m: '1\n2\n' },
    patch: patch('*** Add File: n', '+n', '*** Delete File: d', '*** Update File: m', '@@', '-2', '+two'),
    after: { n: 'n\n', m: '1\ntwo\n' },
  },
  'applies several hunks': {
    before: { m: '1\n2\n3\n4\n' },
    patch: patch('*** Update File: m', '@@', '-2', '+two', '@@', '-4', '+four'),
    after: { m: '1\ntwo\n3\nfour\n' },
  },
  'moves to a new directory': {
    before: { 'old/n': 'a\n', 'old/o': 'o\n' },
    patch: patch('*** Update File: old/n', '*** Move to: new/dir/n', '@@', '-a', '+b'),
    after: { 'new/dir/n': 'b\n', 'old/o': 'o\n' },
  },
  'moves over a file': {
    before: { 'old/n': 'a\n', 'new/n': 'there\n' },
    patch: patch('*** Update File: old/n', '*** Move to: new/n', '@@', '-a', '+b'),
    after: { 'new/n': 'b\n' },
    warning: "'new/n' already existed and was replaced; clada undo restores it",
  },
  'adds over a file': {
    before: { f: 'old\n' },
    patch: patch('*** Add File: f', '+new'),
    after: { f: 'new\n' },
    warning: "'f' already existed and was replaced; clada undo restores it",
  },
  'appends lines without context': {
    before: { f: '1\n2\n' },
    patch: patch('*** Update File: f', '@@', '+3', '+4'),
    after: { f: '1\n2\n3\n4\n' },
  },
  'appends them to a line without a newline': {
    before: { f: '1\n2' },
    patch: patch('*** Update File: f', '@@', '-1', '+one', '@@', '+3'),
    after: { f: 'one\n2\n3\n' },
    warning: newline,
  },
  'ends a file with a newline': {
    before: { f: 'no newline' },
    patch: patch('*** Update File: f', '@@', '-no newline', '+one', '+two'),
    after: { f: 'one\ntwo\n' },
    warning: newline,
  },
  'takes an indented header': {
    before: { f: 'old\n' },
    patch: patch('  *** Update File: f', '@@', '-old', '+new'),
    after: { f: 'new\n' },
  },
  'takes an indented header after a new file': {
    before: { f: 'old\n' },
    patch: patch('*** Add File: g', '+g', '  *** Update File: f', '@@', '-old', '+new'),
    after: { f: 'new\n', g: 'g\n' },
  },
  'takes a padded beginning': {
    before: { f: 'one\n' },
    patch: ' *** Begin Patch\n*** Update File: f\n@@\n-one\n+two\n*** End Patch \n',
    after: { f: 'two\n' },
  },
  'takes a padded end': {
    before: { f: 'one\n' },
    patch: '*** Begin Patch \n*** Update File: f\n@@\n-one\n+two\n *** End Patch\n',
    after: { f: 'two\n' },
  },
  'reads other letters': {
    before: { f: 'naïve café ✅\n' },
    patch: patch('*** Update File: f', '@@', '-naïve café ✅', '+naïve 茶'),
    after: { f: 'naïve 茶\n' },
  },
  'deletes a file': { before: { k: 'k\n', o: 'o\n' }, patch: patch('*** Delete File: o'), after: { k: 'k\n' } },
  'only deletes lines': {
    before: { f: '1\n2\n3\n' },
    patch: patch('*** Update File: f', '@@', ' 1', '-2', ' 3'),
    after: { f: '1\n3\n' },
  },
  'changes the end of a file': {
    before: { f: 'x\ny\nx\n' },
    patch: patch('*** Update File: f', '@@', '-x', '+z', '*** End of File'),
    after: { f: 'x\ny\nz\n' },
  },
  'keeps a CR inside of a line': {
    before: { f: 'a\rb\nc\n' },
    patch: patch('*** Update File: f', '@@', ' a\rb', '-c', '+d\re'),
    after: { f: 'a\rb\nd\re\n' },
  },
  'keeps CRLF': {
    before: { f: '1\r\n2\r\n3\r\n' },
    patch: patch('*** Update File: f', '@@', ' 1', '-2', '+two', ' 3'),
    after: { f: '1\r\ntwo\r\n3\r\n' },
  },
  'keeps mixed line ends, where a CR alone is one': {
    before: { f: '1\r\n2\r3\n4\r\n' },
    patch: patch('*** Update File: f', '@@', ' 1', ' 2', '-3', '+three', ' 4'),
    after: { f: '1\r\n2\rthree\r\n4\r\n' },
  },
  'takes the later of two places after an earlier hunk': {
    before: { f: 'x\na\nx\nb\n' },
    patch: patch('*** Update File: f', '@@', '-a', '+A', '@@', '-x', '+X'),
    after: { f: 'x\nA\nX\nb\n' },
  },
  'keeps what succeeded before a failure': {
    before: {},
    patch: patch('*** Add File: a', '+a', '*** Update File: missing', '@@', '-x', '+y'),
    after: { a: 'a\n' },
    success: false,
  },
  'refuses an empty patch': { before: { f: 'f\n' }, patch: '*** Begin Patch\n*** End Patch\n', success: false },
  'refuses context that is not there': {
    before: { f: 'f\n' },
    patch: patch('*** Update File: f', '@@', '-g', '+h'),
    success: false,
  },
  'refuses to delete what is not there': { before: { f: 'f\n' }, patch: patch('*** Delete File: g'), success: false },
  'refuses an update without hunks': { before: { f: 'f\n' }, patch: patch('*** Update File: f'), success: false },
  'refuses to update what is not there': {
    before: { f: 'f\n' },
    patch: patch('*** Update File: g', '@@', '-a', '+b'),
    success: false,
  },
  'refuses to delete a directory': { before: { 'd/f': 'f\n' }, patch: patch('*** Delete File: d'), success: false },
  'refuses a header that it does not know': {
    before: { f: 'f\n' },
    patch: patch('*** Frobnicate File: f'),
    success: false,
  },
}

describe('a patch, as Codex takes it', () => {
  it.each(Object.entries(scenarios))(
    '%s',
    async (_, { before, patch: text, after = before, success = true, warning }) => {
      const root = scratchDir(before)
      const clada = new Clada({ repoPath: root, gitCommit: false })
      const result = await clada.execute(text)
      expect(filesIn(root)).toEqual(after)
      expect(result.success).toBe(success)
      const warnings = result.results.flatMap((one) => one.warnings ?? [])
      expect(warnings.filter((one) => /already existed|newline/.test(one))).toEqual(
        warning === undefined ? [] : [warning],
      )
      if (warning === undefined) return
      expect((await clada.undo()).success).toBe(true)
      expect(filesIn(root)).toEqual(before)
    },
  )
})
