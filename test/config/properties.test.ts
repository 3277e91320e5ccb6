import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { keyNames, type KeyName, keyOf } from '../../packages/clada/src/config/keys.ts'
import { configOf, type GivenKeys, merge, type MergedConfig, validate } from '../../packages/clada/src/config/merge.ts'
import type { ProjectFacts } from '../../packages/clada/src/config/narrowing.ts'
import { sampleFile, yamlOf } from '../../packages/clada/src/config/sample.ts'
import { configSchema } from '../../scripts/config-schema.ts'
import type { ConfigError } from '../../packages/clada/src/config/kinds.ts'
import { yamlTree } from '../../packages/clada/src/config/yaml-tree.ts'
import { makePathJudge, pathPolicyOf } from '../../packages/clada/src/policy/paths.ts'

/** As the program has them: by what the user closes. */
function factsFor(user?: GivenKeys): ProjectFacts {
  const file = user && { given: user, trusted: true, facts }
  const deniedPatterns = configOf(merge(file)).denied_patterns
  const judge = makePathJudge(pathPolicyOf({ root: '/p', allowedRoots: [], allowEscape: false, deniedPatterns }))
  return { dir: '/p', mayWrite: (name) => judge.path(name, path.resolve('/p', name), 'write').verdict === 'allow' }
}

const facts: ProjectFacts = { dir: '/p', mayWrite: () => false }

const read = (text: string): { given: GivenKeys; errors: number } => {
  const { tree, errors } = yamlTree(text)
  const { given, errors: wrong } = validate(tree)
  return { given, errors: errors.length + wrong.length }
}

describe('any text', () => {
  const pieces = fc.constantFrom(
    ...keyNames.flatMap((name) => name.split('.')),
    ': ',
    '\n',
    '\n  ',
    '- ',
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    "'",
    '&a ',
    '*a',
    '!x ',
    '|\n',
    '#',
    '\t',
    '---\n',
    '? ',
    '<<: *a',
    'off',
    '10m',
    'null',
    '\u0000',
    '\ufeff',
    '💥',
  )

  it('is read as a config without throwing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: pieces }), fc.string({ unit: 'binary' })), (text) => {
        const { tree, errors } = yamlTree(text)
        const { errors: wrong } = validate(tree)
        for (const { at, message } of [...errors, ...wrong]) {
          expect(at.line).toBeGreaterThan(0)
          expect(at.column).toBeGreaterThan(0)
          expect(message).not.toBe('')
          // eslint-disable-next-line no-control-regex -- they must not reach a terminal
          expect(message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]|\p{Default_Ignorable_Code_Point}/u)
        }
      }),
      { numRuns: 500 },
    )
  })
})

/** Values that each key could be given, more and less than the default. */
const values: { readonly [name in KeyName]: fc.Arbitrary<unknown> } = {
  version: fc.constant(1),
  syntaxes: fc.option(fc.subarray(['sham', 'csl', 'udiff'])),
  root: fc.constantFrom(null, '/p/sub', '/p', '/', '/p-evil', '/elsewhere', '/p/.git', '/p/d', '/p/x/y', '/p/.clada'),
  allowed_roots: fc.subarray(['/a', '/a/b', '/ab', '/p/x', '/', '/a/.git', '/p/.git', '/a/d', '/p/d']),
  denied_patterns: fc.array(
    fc.constantFrom('!.env', '.env', 'x', '!x', '*.key', '!*.key', '/etc', '!/etc', 'd/**', '!d/e', 'd/f'),
  ),
  allowed_actions: fc.option(fc.subarray(['file_read', 'file_write', 'exec', 'run'])),
  relative_paths: fc.boolean(),
  matching: fc.constantFrom('tolerant', 'exact'),
  patches: fc.constantFrom('whole', 'good'),
  proposals: fc.constantFrom('ask', 'apply', 'off'),
  final_newline: fc.constantFrom('exact', 'add'),
  encoding: fc.dictionary(fc.constantFrom('*.txt', 'src/**'), fc.constantFrom('windows-1252', 'utf-16le')),
  symlinks: fc.constantFrom('refuse', 'inside'),
  'git.mode': fc.constantFrom('commit', 'shadow', 'off'),
  'git.author': fc.option(fc.constant('A <a@b>')),
  'git.commit_message_format': fc.constantFrom('AI: {operation_summary}', '{operation_summary}!'),
  'git.trailers': fc.subarray(['Assisted-by: a model', 'Issue: 7']),
  'git.hooks': fc.constantFrom('off', 'run'),
  'undo.commits': fc.constantFrom('revert', 'drop'),
  'exec.mode': fc.constantFrom('sandbox', 'unsandboxed', 'off'),
  'exec.git': fc.constantFrom('safe', 'full'),
  'commands.approve': fc.subarray(['npm test', 'make']),
  'commands.network': fc.subarray(['npm test', 'make']),
  'commands.env': fc.subarray(['A', 'B']),
  'limits.input': fc.integer({ min: 1, max: 2 ** 40 }),
  'limits.file_bytes': fc.integer({ min: 1, max: 2 ** 40 }),
  'limits.history_bytes': fc.integer({ min: 1, max: 2 ** 40 }),
  'limits.timeout': fc.integer({ min: 1, max: 1000 }),
  'limits.total_timeout': fc.option(fc.integer({ min: 1, max: 1000 })),
  'limits.output': fc.integer({ min: 1, max: 2 ** 40 }),
  'listener.input_file': fc.constantFrom('in.md', 'a/in.md', '.git/config', '../x', '/etc/passwd'),
  'listener.output_file': fc.constantFrom('.clada/out.md', 'out.md', '.git/config', '../x', '/etc/passwd'),
  'listener.debounce_ms': fc.integer({ min: 15, max: 100 }),
  'clipboard.read': fc.boolean(),
  'clipboard.write': fc.boolean(),
  'clipboard.osc52': fc.boolean(),
  'hooks.before': fc.array(fc.record({ run: fc.constantFrom('a', 'b') }), { maxLength: 2 }),
  'hooks.after': fc.array(fc.record({ run: fc.constantFrom('a', 'b') }), { maxLength: 2 }),
  vars: fc.dictionary(fc.constantFrom('A', 'B'), fc.constantFrom('x', 'y')),
  'report.format': fc.constantFrom('text', 'auto'),
  'report.budget': fc.constantFrom(null, 100),
  'report.evidence': fc.constantFrom('none', 'lines'),
  'report.syntax_check': fc.constantFrom('auto', 'off'),
  'report.error_detail': fc.constantFrom('minimal', 'full'),
  'report.color': fc.constantFrom('auto', 'never'),
  notify: fc.constantFrom('auto', 'off'),
  'prompt.rules': fc.array(fc.constant('be kind'), { maxLength: 2 }),
}

const given = fc
  .record(values, { requiredKeys: [] })
  .map((some) =>
    Object.fromEntries(Object.entries(some).map(([name, value]) => [name, { value, at: { line: 1, column: 1 } }])),
  ) as fc.Arbitrary<GivenKeys>

const judgeOf = ({ root, allowed_roots, denied_patterns }: ReturnType<typeof configOf>) =>
  makePathJudge(
    pathPolicyOf({
      root: root ?? '/p',
      allowedRoots: allowed_roots,
      allowEscape: false,
      deniedPatterns: denied_patterns,
    }),
  )

/** Whether everything one config permits is permitted by another. Written from the meaning of the keys, not from the table. */
function permitsNoMore(narrow: MergedConfig, wide: MergedConfig): void {
  const [a, b] = [configOf(narrow), configOf(wide)]
  const rank = (order: readonly string[], value: string): number => order.indexOf(value)
  const within = (dir: string, open: readonly string[]): boolean =>
    open.some((one) => dir === one || dir.startsWith(one === '/' ? '/' : `${one}/`))
  expect(rank(['off', 'sandbox', 'unsandboxed'], a.exec.mode)).toBeLessThanOrEqual(
    rank(['off', 'sandbox', 'unsandboxed'], b.exec.mode),
  )
  expect(rank(['safe', 'full'], a.exec.git)).toBeLessThanOrEqual(rank(['safe', 'full'], b.exec.git))
  expect(rank(['refuse', 'inside'], a.symlinks)).toBeLessThanOrEqual(rank(['refuse', 'inside'], b.symlinks))
  expect(rank(['off', 'shadow', 'commit'], a.git.mode)).toBeLessThanOrEqual(
    rank(['off', 'shadow', 'commit'], b.git.mode),
  )
  expect(a.git.author).toEqual(b.git.author)
  for (const key of ['syntaxes', 'allowed_actions'] as const) {
    const open = b[key] as readonly string[] | null
    if (open !== null) expect((a[key] ?? ['everything']).filter((one) => !open.includes(one))).toEqual([])
  }
  expect(a.allowed_roots.filter((dir) => !within(dir, ['/p', ...b.allowed_roots]))).toEqual([])
  if (a.root !== b.root) expect(within(a.root ?? '', ['/p'])).toBe(true)
  expect(a.commands).toEqual(b.commands)
  expect(a.hooks).toEqual(b.hooks)
  expect(a.vars).toEqual(b.vars)
  for (const key of ['input', 'file_bytes', 'timeout', 'total_timeout', 'output'] as const) {
    expect(a.limits[key] ?? Infinity).toBeLessThanOrEqual(b.limits[key] ?? Infinity)
  }
  for (const key of ['read', 'write', 'osc52'] as const)
    expect(Number(a.clipboard[key])).toBeLessThanOrEqual(Number(b.clipboard[key]))
  for (const key of ['input_file', 'output_file'] as const) {
    if (a.listener[key] !== b.listener[key]) expect(a.listener[key]).toMatch(/^(in\.md|\.clada\/out\.md)$/)
  }
  const dirs = ['/p', '/a', '/a/b', '/', '/p/x']
  const names = ['.env', 'x', 'a.key', 'd/e', 'd/f', 'ok', '.env.example', '.git/config', 'x/y/z', '.clada/x']
  if (b.root === null) expect(opened('write', [a, b], dirs, names)).toEqual([])
}

/** The files that the first of two configs allows and the second does not. */
function opened(
  access: 'read' | 'write',
  [a, b]: readonly [ReturnType<typeof configOf>, ReturnType<typeof configOf>],
  dirs: readonly string[],
  names: readonly string[],
): string[] {
  const [strict, loose] = [judgeOf(a), judgeOf(b)]
  return dirs
    .flatMap((dir) => names.map((name) => path.join(dir, name)))
    .filter((file) => strict.path(file, file, access).verdict === 'allow')
    .filter((file) => loose.path(file, file, access).verdict !== 'allow')
}

describe('a project', () => {
  it('never permits more than its user, until it is trusted', () => {
    fc.assert(
      fc.property(given, given, (user, project) => {
        const own = { given: user, trusted: true, facts }
        permitsNoMore(merge(own, { given: project, trusted: false, facts: factsFor(user) }), merge(own))
      }),
      { numRuns: 600 },
    )
  })

  it('never opens what its user closes by moving the place that patterns begin at', () => {
    const parts = ['d', 'd/e', 'd/e/f', 'e/f', 'd/*', '**/f', 'e/**', '/p/d/e', '/p/d/e/f', '/p/x', '/a/d', '/p/**/f']
    const patterns = fc.array(fc.constantFrom(...parts.flatMap((part) => [part, `!${part}`])), { maxLength: 5 })
    const dirs = fc.constantFrom('/p/d', '/p/x', '/p/x/d', '/p/d/e', '/a/d', '/a')
    const at = { line: 1, column: 1 }
    fc.assert(
      fc.property(patterns, patterns, fc.array(dirs), fc.array(dirs), dirs, (closed, more, open, roots, root) => {
        const user = { denied_patterns: { value: closed, at }, allowed_roots: { value: open, at } }
        const project = {
          denied_patterns: { value: more, at },
          allowed_roots: { value: roots, at },
          root: { value: root, at },
        }
        const own = { given: user, trusted: true, facts }
        const merged = merge(own, { given: project, trusted: false, facts: factsFor(user) })
        const places = ['/p', '/p/x', '/p/d', '/a', '/a/d', '/p/x/d']
        const names = ['d', 'e', 'd/e', 'd/e/f', 'e/f', 'f', 'x/d/e/f', 'd/d/e/f']
        expect(opened('read', [configOf(merged), configOf(merge(own))], places, names)).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  it('that is trusted gets what it says, commands excepted', () => {
    fc.assert(
      fc.property(given, given, (user, project) => {
        const merged = merge({ given: user, trusted: true, facts }, { given: project, trusted: true, facts })
        for (const name of keyNames) {
          if (name === 'commands.approve') continue
          expect(merged[name].refused).toBeUndefined()
          if (project[name] !== undefined) expect(merged[name].from).toBe('project')
        }
      }),
    )
  })

  it('that says what its user says changes nothing', () => {
    fc.assert(
      fc.property(given, (user) => {
        const own = { given: user, trusted: true, facts }
        permitsNoMore(merge(own, { given: user, trusted: false, facts: factsFor(user) }), merge(own))
      }),
    )
  })
})

describe('what is derived from the table', () => {
  it('has a value to try for every key', () => {
    expect(Object.keys(values).toSorted()).toEqual(keyNames.toSorted())
  })

  it('the file of clada init says nothing, and with its # taken away says the defaults', () => {
    expect(read(sampleFile('x.json'))).toEqual({ given: { version: expect.anything() }, errors: 0 })
    const open = read(sampleFile('x.json').replace(/^#(?=\S|  \S)/gm, ''))
    expect(open.errors).toBe(0)
    expect(Object.keys(open.given).sort()).toEqual([...keyNames].sort())
    expect(configOf(merge({ given: open.given, trusted: true, facts }))).toEqual(configOf(merge()))
    expect(
      keyNames.filter((name) => merge(undefined, { given: open.given, trusted: false, facts })[name].refused),
    ).toEqual([])
  })

  it('has comments as long as fit, and lists as a person writes them', () => {
    const lines = sampleFile('x.json').split('\n').slice(8)
    for (const [at, line] of lines.entries()) {
      expect(line.length).toBeLessThanOrEqual(118)
      const [, word = ''] = /^# (\S+)/.exec(lines[at + 1] ?? '') ?? []
      const isOver = !line.startsWith('# ') || word === 'Example:' || word === ''
      expect(isOver || line.length + 1 + word.length > 118, line).toBe(true)
    }
    expect(yamlOf('syntaxes', ['sham', 'csl'])).toBe('[sham, csl]')
  })

  it('examples are right, and different from the defaults', () => {
    for (const name of keyNames) {
      const { example, default: initial } = keyOf(name)
      const [group = '', inner] = name.split('.')
      const { given, errors } = read(inner === undefined ? `${group}: ${example}` : `${group}:\n  ${inner}: ${example}`)
      expect(errors, name).toBe(0)
      if (name !== 'version') expect(given[name]?.value, name).not.toEqual(initial)
    }
  })

  it('values are written as they are read', () => {
    fc.assert(
      fc.property(fc.record(values), (all) => {
        for (const name of keyNames) {
          const [group = '', inner] = name.split('.')
          const text = yamlOf(name, all[name])
          const { given, errors } = read(inner === undefined ? `${group}: ${text}` : `${group}:\n  ${inner}: ${text}`)
          expect(errors, `${name}: ${text}`).toBe(0)
          expect(given[name]?.value, name).toEqual(all[name])
        }
      }),
      { numRuns: 50 },
    )
  })

  it('the schema has the same keys, and knows its own sample', () => {
    const { properties } = configSchema() as { properties: Record<string, { properties?: object; anyOf?: object[] }> }
    const sample = parse(sampleFile('x.json').replace(/^#(?=\S|  \S)/gm, '')) as Record<string, unknown>
    expect(Object.keys(properties).sort()).toEqual(Object.keys(sample).sort())
  })
})

describe('a hostile config', () => {
  const errorsIn = (text: string): readonly ConfigError[] => {
    const { tree, errors } = yamlTree(text)
    return [...errors, ...validate(tree).errors]
  }

  it.each([
    ['a: [1, 2}\n', 9],
    ['vars: {a: {b: [}]}}\n', 16],
    [`vars: ${'['.repeat(60)}${']'.repeat(60)}\n`, 57],
    [`vars: ${'{a: '.repeat(60)}${'}'.repeat(60)}\n`, 207],
    [`vars: [${`${'['.repeat(60)}${']'.repeat(60)}, `.repeat(2)}]\n`, 57],
  ])('has one mistake for one slip: %s', (text, column) => {
    expect(yamlTree(text).errors.map(({ at }) => at)).toEqual([{ line: 1, column }])
  })

  it('has no more mistakes than anybody reads, however many keys it has', () => {
    const keys = Array.from({ length: 1000 }, (_, index) => `k${index}: 1`)
    expect(errorsIn(keys.join('\n'))).toHaveLength(100)
    expect(errorsIn(`limits:\n${keys.map((key) => `  ${key}`).join('\n')}`)).toHaveLength(100)
  })

  it('is not followed into its depth', () => {
    for (const text of [`deny: ${'['.repeat(50_000)}`, '? '.repeat(50_000), '{'.repeat(50_000)])
      expect(errorsIn(text)[0]?.message).toBe('This is nested too deeply.')
  })
})
