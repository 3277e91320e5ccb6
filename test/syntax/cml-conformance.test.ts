import { explainDiagnostic } from '../../packages/clada/src/report/explain-diagnostic.ts'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Block } from '@clada/reply/core/block.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { readCml } from './cml-read.ts'

type Answer = { ok: true; value?: object | null } | { ok: false; error: string | { type: string; message: string } }

interface Common {
  suite: string
  name: string
  given?: string
  expected: Answer & { expected?: number; found?: number }
  not_binding?: string
}
type Edit = { path: string; replace: string; count: number } & (
  | { mode: 'exact'; search: string }
  | { mode: 'range'; searchStart: string; searchEnd: string }
)
type ParseCase = Common & { kind: 'cml-parse'; input: string }
type EditCase = Common & { kind: 'edit-execute'; input: Edit }
type WriteCase = Common & { kind: 'write-execute'; input: { path: string; content: string; append?: boolean } }

const file = new URL('../conformance/cml.json', import.meta.url)
const { cases }: { cases: (ParseCase | EditCase | WriteCase)[] } = JSON.parse(readFileSync(file, 'utf8'))

/** `/etc` is on the list of the system; Windows has no such list, and it is only outside. */
const systemFiles = process.platform === 'win32' ? 'path_escape' : 'path_denied'

/** Cases that we answer differently, and why. */
const deviations: Record<string, { because: string; answer: object }> = {
  'Range replacement with count': {
    because: 'With count there are exactly that many passages; here are three, and two were announced.',
    answer: { ok: false, error: 'match_count_mismatch', expected: 2, found: 3 },
  },
  'Range incomplete - missing end': {
    because: 'A passage without its end is no passage: the count differs, and no code of its own is needed.',
    answer: { ok: false, error: 'match_count_mismatch', expected: 1, found: 0 },
  },
  'Path escape attempt': {
    because: 'What is denied is denied before anyone asks where it lies.',
    answer: { ok: false, error: systemFiles },
  },
  'Example 6: Absolute path blocked': {
    because: 'Absolute paths are allowed inside the roots; this one is refused because /etc is denied.',
    answer: { ok: false, error: systemFiles },
  },
  'Example 9: Target is directory': {
    because: 'Nothing is wrong with the permissions; the parameter names a directory.',
    answer: { ok: false, error: 'invalid_parameter' },
  },
}

/** Cases that bind nobody, and what we answer all the same. */
const notBinding: Record<string, { because: string; answer: object }> = {
  'CDATA escaping': {
    because: 'In CDATA `]]&gt;` stands for `]]>`.',
    answer: {
      ok: true,
      value: { mode: 'exact', path: 'data.xml', search: 'text with ]]> inside', replace: 'new ]]> text', count: 1 },
    },
  },
  'Example 12: CDATA with escaped ]]>': {
    because: 'In CDATA `]]&gt;` stands for `]]>`.',
    answer: { ok: true, value: { path: 'file.txt', content: 'text with ]]> inside' } },
  },
  'Example 13: Multiple CDATA sections': {
    because: 'Sections are joined; the second would be lost.',
    answer: { ok: true, value: { path: 'file.txt', content: 'part1part2' } },
  },
}

const expectedOf = ({ name, expected }: Common): object => (deviations[name] ?? notBinding[name])?.answer ?? expected
const ofKind = <K extends (typeof cases)[number]['kind']>(kind: K) =>
  cases.filter((c): c is Extract<(typeof cases)[number], { kind: K }> => c.kind === kind)

test('the whole suite is there, and every deviation is named', () => {
  expect(
    ['cml-parse', 'edit-execute', 'write-execute'].map((kind) => cases.filter((c) => c.kind === kind).length),
  ).toEqual([38, 24, 11])
  expect(cases.filter((c) => c.not_binding !== undefined).map((c) => c.name)).toEqual(Object.keys(notBinding))
  const names = cases.map((c) => c.name)
  for (const name of Object.keys(deviations)) expect(names).toContain(name)
})

describe('parsing', () => {
  test.each(ofKind('cml-parse').map((c) => [c.name, c] as const))('%s', (_, c) => {
    const blocks = readCml(c.input)
    expect(blocks).toHaveLength(1)
    expect(blocks.map((block) => answerOf(block))).toEqual([withoutDefault(expectedOf(c))])
  })

  /** A block in the words of the earlier parser. It gave edits a code, writes a code and a message. */
  function answerOf({ label, action, params, diagnostics: [diagnostic] }: Block): object {
    if (diagnostic !== undefined) {
      const { code, message } = explainDiagnostic(diagnostic, null)
      return { ok: false, error: label === 'edit' ? code : { type: code, message } }
    }
    const { path, content, old_text, old_text_beginning, old_text_end, new_text, count } = params
    if (label === 'write')
      return { ok: true, value: { path, content, ...(action === 'file_append' && { append: true }) } }
    const common = { path, replace: new_text, count: Number(count) }
    return action === 'file_edit'
      ? { ok: true, value: { mode: 'exact', search: old_text, ...common } }
      : { ok: true, value: { mode: 'range', searchStart: old_text_beginning, searchEnd: old_text_end, ...common } }
  }

  /** `append: false` and no `append` are one action here. */
  const withoutDefault = (answer: object): object =>
    JSON.parse(
      JSON.stringify(answer, (key, value: unknown) => (key === 'append' && value === false ? undefined : value)),
    )
})

describe('executing', () => {
  test.each(ofKind('edit-execute').map((c) => [c.name, c] as const))('%s', async (_, c) => {
    const { path, replace, count } = c.input
    const common = { path, new_text: replace, count: String(count) }
    const { input } = c
    const [action, params] =
      input.mode === 'exact'
        ? ['file_edit', { ...common, old_text: input.search }]
        : [
            'file_replace_text_range',
            { ...common, old_text_beginning: input.searchStart, old_text_end: input.searchEnd },
          ]
    await compare(c, action, params)
  })

  const needsUser = (c: Common) => c.given?.includes('mode 0555') === true && (process.getuid?.() ?? 0) === 0
  test.each(ofKind('write-execute').map((c) => [c.name, c] as const))('%s', async (_, c) => {
    // Nothing is forbidden to root.
    if (needsUser(c)) return
    const { path, content, append } = c.input
    if (append === true) await compare(c, 'file_append', { path, content, new_line: 'true' })
    else await compare(c, 'file_write', { path, content })
  })

  async function compare(c: EditCase | WriteCase, action: string, params: Record<string, string>): Promise<void> {
    const dir = scratchDir()
    const given = c.given ?? ''
    fill(
      dir,
      Object.fromEntries(
        told(given, /(?:Given: |`\/app\/)(\S+?)`? (?:exists with content|contains) (".*")$/gm, 'first'),
      ),
    )
    if (/is (?:a )?symlink/.test(given)) symlinkSync('/etc/secret', path.join(dir, c.input.path))
    if (given.includes('is a directory')) mkdirSync(path.join(dir, c.input.path))
    if (given.includes('mode 0555')) mkdirSync(path.join(dir, 'readonly'), { mode: 0o555 })

    const { results, parseErrors, fatalError } = await new Clada({ repoPath: dir, gitCommit: false }).perform(
      action,
      params,
    )
    expect({ parseErrors, fatalError, count: results.length }).toEqual({ parseErrors: [], count: 1 })
    const [result] = results
    const { expected, found } = { expected: undefined, found: undefined, ...result?.details }
    const answer = result?.success
      ? { ok: true }
      : { ok: false, error: result?.code, ...(expected !== undefined && { expected, found }) }
    expect(answer).toEqual(comparable(expectedOf(c)))

    const after = result?.success
      ? told(given, /(?:Then: |Postcondition: `\/app\/)(\S+?)`? contains (".*")$/gm, 'last')
      : []
    for (const [name, content] of after) expect(readFileSync(path.join(dir, name), 'utf8')).toBe(content)
    if (result?.success && c.kind === 'write-execute' && after.length === 0) {
      expect(readFileSync(path.join(dir, c.input.path), 'utf8')).toBe(c.input.content)
    }
    if (existsSync(path.join(dir, 'readonly'))) chmodSync(path.join(dir, 'readonly'), 0o755)
  }

  /** Files and texts that a case tells of in words. */
  function told(given: string, pattern: RegExp, which: 'first' | 'last'): [string, string][] {
    const lines = given.split('\n').filter((line) => /Then|Post/.test(line) === (which === 'last'))
    return [...lines.join('\n').matchAll(pattern)].map(([, name = '', text = '""']) => {
      const content: string = JSON.parse(text)
      return [name, content]
    })
  }

  /** Messages of executors are not compared: ours begin with the action and name the rule. */
  function comparable(answer: object): object {
    const { ok, error, expected, found }: { ok?: boolean; error?: unknown; expected?: number; found?: number } = answer
    if (ok) return { ok }
    const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : error
    return { ok, error: type, ...(expected !== undefined && { expected, found }) }
  }
})
