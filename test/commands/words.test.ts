import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { approvalLine, approvalLineOf, covers } from '../../packages/clada/src/approvals/approval-line.ts'
import { platformOf } from '../../packages/clada/src/core/platform.ts'
import { splitCommand } from '../../packages/clada/src/policy/commands/words.ts'

const words = (command: string): string[] | string => {
  const split = splitCommand(command)
  return split.ok ? split.line.words.map(({ text }) => text) : split.reason
}

describe('words', () => {
  const plain: readonly (readonly [string, string[]])[] = [
    ['a b  c', ['a', 'b', 'c']],
    ['  a\t b \n', ['a', 'b']],
    [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
    [`a b'c'"d"e`, ['a', 'bcde']],
    [`a "" ''`, ['a', '', '']],
    [String.raw`a b\ c \( \; \\`, ['a', 'b c', '(', ';', '\\']],
    [String.raw`a "b\"c\\d\n"`, ['a', 'b"c\\d\\n']],
    [`a 'it'\\''s'`, ['a', "it's"]],
    ['a \\\n b', ['a', 'b']],
    ['grep "x$" a', ['grep', 'x$', 'a']],
    ['git show stash@{0} HEAD~1 main^', ['git', 'show', 'stash@{0}', 'HEAD~1', 'main^']],
    ['a b#c', ['a', 'b#c']],
    ["a '$HOME' '`x`' '|' ';'", ['a', '$HOME', '`x`', '|', ';']],
    ['a größe', ['a', 'größe']],
  ]
  for (const [command, expected] of plain) it(JSON.stringify(command), () => expect(words(command)).toEqual(expected))

  it('a backslash in a path separates on Windows only', () => {
    const split = (on: NodeJS.Platform) => {
      const found = splitCommand(String.raw`cat src\a.ts sub\.env b\ c \(`, platformOf(on))
      return found.ok ? found.line.words.map(({ text }) => text) : found.reason
    }
    expect(split('win32')).toEqual(['cat', 'src\\a.ts', 'sub\\.env', 'b c', '('])
    expect(split('linux')).toEqual(['cat', 'srca.ts', 'sub.env', 'b c', '('])
  })

  it('understands a leading cd', () => {
    const split = splitCommand("cd 'a b' && ls -l")
    expect(split).toMatchObject({ ok: true, line: { cd: { text: 'a b' }, words: [{ text: 'ls' }, { text: '-l' }] } })
  })
})

describe('what a shell would do is refused by name', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['a | b', /^\| is/],
    ['a || b', /^\|\| is/],
    ['a && b', /^&& is/],
    ['a;b', /^; is/],
    ['a & b', /^& is/],
    ['a > b', /^> is/],
    ['a >> b', /^>> is/],
    ['a 2>&1', /^>& is/],
    ['a < b', /^< is/],
    ['a << b', /^<< is/],
    ['a <(b)', /^<\( is/],
    ['a (b)', /^\( is/],
    ['a\nb', /^a line break/],
    ['a $(b)', /^\$\(…\)/],
    ['a `b`', /^`…`/],
    ['a $B', /^\$B…/],
    ['a "${B}"', /^\$\{…\}/],
    ['a "x $(b)"', /^\$\(…\)/],
    ["a $'\\n'", /^\$'…'/],
    ['a {b,c}', /^\{b,c\} is not expanded/],
    ['a {1..3}', /^\{1\.\.3\}/],
    ['a ~/b', /^~ is not expanded/],
    ['# a', /^# begins a comment/],
    ['A=1 b', /^A=… is an assignment/],
    ['cd a', /no effect on later/],
    ['cd a && cd b && c', /^&& is/],
    ['', /empty/],
    ['  ', /empty/],
    ["a 'b", /not closed/],
    ['a "b', /not closed/],
    ['a \\', /ends in a backslash/],
    ["'ls' a", /quoted or escaped/],
    ['l\\s a', /quoted or escaped/],
    ['a\rb', /U\+000D/],
    ['a\u0000b', /U\+0000/],
    ['a \u200bb', /U\+200B/],
    ['a \u202eb', /U\+202E/],
    ['a \u001b[2K', /U\+001B/],
    ['a \u{e0041}', /U\+E0041/],
  ]
  for (const [command, reason] of refused) it(JSON.stringify(command), () => expect(words(command)).toMatch(reason))
})

describe('the line that is approved', () => {
  it('comes back as the same words, whatever they hold', () => {
    const word = fc.string({ minLength: 1, unit: fc.constantFrom(...'ab \'"\\$`|;&<>(){}*?[]~#=!/.-\t') })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (rest) => {
        const all = ['npm', ...rest]
        expect(approvalLineOf(approvalLine(all, '').line)).toMatchObject({ words: all })
      }),
    )
  })

  it('holds the directory', () => {
    expect(approvalLine(['npm', 'test'], 'a b').line).toBe("cd 'a b' && npm test")
    expect(approvalLineOf('cd ./src/ && npm  test')).toMatchObject({ line: 'cd src && npm test' })
  })

  it('knows a star at the end, and no other', () => {
    expect(approvalLineOf('pytest *')).toMatchObject({ line: 'pytest *', words: ['pytest'], args: true })
    expect(approvalLineOf("find '*'")).toMatchObject({ line: "find '*'", words: ['find', '*'], args: false })
    expect(approvalLineOf('a * b')).toMatchObject({ args: false })
  })

  it.each([
    'npx *',
    'env *',
    'sh *',
    'bash -c *',
    '/usr/bin/sudo *',
    'npm exec *',
    'uv run *',
    'timeout *',
    'env A=1 *',
    'env -u A B=2 *',
    'timeout 5 *',
    'timeout -s KILL 5m *',
    'nice -n 10 *',
    'stdbuf -o0 *',
    'npx --yes *',
    'npx -y -- *',
    'sudo -u bob *',
    'script -c *',
    'parallel *',
    'docker run *',
    'sh -e -c *',
  ])('takes no star that would stand for any program: %s', (line) => {
    expect(approvalLineOf(line)).toMatchObject({ reason: expect.stringContaining('every program') })
  })

  it.each(['npx vitest *', 'npx -y vitest *', 'env A=1 npm test *', 'timeout 5 pytest *', 'bash run.sh *', 'nicer *'])(
    'takes a star after the program that is started: %s',
    (line) => {
      expect(approvalLineOf(line)).toMatchObject({ args: true })
    },
  )

  it.each([
    ['npm test *', 'npm test', true],
    ['npm test *', 'npm test -- -t x', true],
    ['npm test *', 'npm run', false],
    ['npm test *', 'npm testing', false],
    ['npm test *', 'cd sub && npm test', false],
    ['cd sub && npm test *', 'cd sub && npm test x', true],
    ['npm test', 'npm test x', false],
    ['npm test x', 'npm test', false],
    ['pytest *', './pytest a', false],
    ["pytest '*'", 'pytest a', false],
  ])('%s covers %s: %s', (approved, asked, expected) => {
    const [one, other] = [approvalLineOf(approved), approvalLineOf(asked)]
    if ('reason' in one || 'reason' in other) throw new Error('not a line')
    expect(covers(one, other)).toBe(expected)
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        splitCommand(text)
      }),
    )
  })
})
