import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { called } from '../support/in-process.ts'
import { scratchDir } from '../support/scratch.ts'
import { allExplained } from './read-alone.ts'

/** A repair is for markers. What a block gives as a value is in the file as written, or the block is refused. */

const sham = (value: string, header = '#!SHAM [@three-char-SHA-256: abc]'): string =>
  `${header}\naction = "file_write"\npath = "/p/a"\ncontent = ${value}\n#!END_SHAM_abc\n`

interface Read {
  readonly values: readonly Readonly<Record<string, string>>[]
  readonly refused: readonly string[]
}

function read(text: string, options = {}): Read {
  const { blocks, diagnostics, notExecuted } = findBlocks(new Source(text), options)
  return {
    values: blocks.filter((block) => block.diagnostics.length === 0).map(({ params }) => ({ ...params })),
    refused: [
      ...allExplained({ blocks, diagnostics }).map(({ code }) => code),
      ...notExecuted.map(({ reason }) => reason),
    ],
  }
}

/** What a chat program does to the header, which is then repaired. */
const headers = [
  ['no damage', '#!SHAM [@three-char-SHA-256: abc]'],
  ['a no-break space', '#!SHAM\xa0[@three-char-SHA-256: abc]'],
  ['an invisible character', '\u200b#!SHAM [@three-char-SHA-256: abc]'],
  ['a backslash', '\\#!SHAM [@three-char-SHA-256: abc]'],
] as const

describe('a quoted value of SHAM is a JSON string', () => {
  const escapes = ['\\.', '\\(x\\)', '\\_', '\\*', '\\[', '\\d', '\\s+', '\\$', '\\-', "r'\\.py'"]
  const cases = escapes.flatMap((text) => headers.map(([damage, header]) => [text, damage, header] as const))

  test.each(cases)('%s is refused below a header with %s', (text, _, header) => {
    for (const value of [`"a${text}b"`, `"${text}"`, `\u201c${text}\u201d`, `"say \\"${text}\\""`]) {
      const { values, refused } = read(sham(value, header))
      expect(values, value).toEqual([])
      expect(refused, value).toHaveLength(1)
    }
  })

  test('a tab in it is an error for programs, and a tab at front doors', () => {
    const value = '"\tif (x) {\treturn \\"y\\" }"'
    expect(read(sham(value))).toEqual({ values: [], refused: ['INVALID_VALUE'] })
    const { values, refused } = read(sham(value), { controlCharacters: 'refuse' })
    expect(refused).toEqual([])
    expect(values.map(({ content }) => content)).toEqual(['\tif (x) {\treturn "y" }'])
  })

  test('a tab after a backslash is an error at front doors too', () => {
    for (const value of ['"a\\\tb"', '"\ta\\\tb"', '"\ta\\.b"', '"\ta" b'])
      expect(read(sham(value), { controlCharacters: 'refuse' }).values, value).toEqual([])
  })

  test.each([
    ['an entity', 'a &lt; b'],
    ['a curly quote', 'it\u2019s'],
    ['an invisible character', 'a\u200bb'],
    ['a no-break space', 'a\xa0b'],
    ['a dash', 'a\u2014b'],
    ['an escaped backslash before a mark', 'a\\\\_b'],
  ])('%s in it is written as it is, or the block is refused', (_, text) => {
    for (const [damage, header] of headers) {
      const { values, refused } = read(sham(`"${text}"`, header))
      if (refused.length === 0) expect(values, damage).toEqual([{ path: '/p/a', content: JSON.parse(`"${text}"`) }])
      else expect(values, damage).toEqual([])
    }
    expect(read(sham(`"${text}"`)).refused).toEqual([])
  })
})

describe('the value of an attribute', () => {
  const csl = (attribute: string): string => `<---WRITE ${attribute}--->\nx\n<---END--->\n`
  const cml = (attribute: string): string => `<write ${attribute}><![CDATA[x]]></write>\n`
  const html = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const damaged = [
    ['an invisible character', (text: string) => `\u200b${text}`],
    ['no-break spaces', (text: string) => text.replace(' ', '\xa0')],
    ['entities', html],
    ['curly quotes', (text: string) => text.replace('="', '=\u201c').replace(/"(?=[>-])/, '\u201d')],
  ] as const
  const names = ['a\\_b.py', 'a\\*b', 'a&amp;b', 'a\u2019b', 'a\u200bb', 'a\xa0b', 'a\u2013b.txt']

  test.each(damaged.flatMap(([damage, by]) => names.map((name) => [damage, name, by] as const)))(
    'is as it was below %s: %s',
    (_, name, by) => {
      for (const [write, key] of [
        [csl, 'file'],
        [cml, 'path'],
      ] as const) {
        const clean = write(`${key}="${name}"`)
        const [given] = read(clean).values
        expect(given).toMatchObject({ content: 'x' })
        const { values, refused } = read(by(clean))
        if (refused.length === 0) expect(values).toEqual([given])
        else expect(values).toEqual([])
      }
    },
  )

  test.each([
    ['a quote after a backslash', String.raw`file="a\"b"`, 'a"b'],
    ['the other quote', `file='a"b'`, 'a"b'],
    ['two backslashes', String.raw`file="a\\b"`, String.raw`a\b`],
  ])('keeps %s through an invisible character before the marker', (_, attribute, name) => {
    expect(read(`\u200b${csl(attribute)}`)).toMatchObject({ values: [{ path: name }], refused: [] })
  })
})

describe('the path of a patch', () => {
  const names = ['src/my\\_file.py', 'src/\\*x.py', 'a\u200bb.py', 'a\xa0b.py', 'a&lt;b.py']
  const damages = [
    ['nothing', (text: string) => text],
    ['backslashes', (text: string) => text.replaceAll('***', '\\*\\*\\*')],
    ['no-break spaces', (text: string) => text.replaceAll('*** ', '***\xa0')],
  ] as const

  test.each(names.flatMap((name) => damages.map(([damage, by]) => [name, damage, by] as const)))(
    '%j is as it was, with %s in the markers',
    (name, _, by) => {
      const added = `${by('*** Begin Patch\n*** Add File: ')}${name}\n+x\n${by('*** End Patch')}\n`
      const moved = `${by('*** Begin Patch\n*** Update File: ')}a.py\n${by('*** Move to: ')}${name}\n@@\n-x\n+y\n${by('*** End Patch')}\n`
      for (const [patch, param] of [
        [added, 'path'],
        [moved, 'new_path'],
      ] as const) {
        const { values, refused } = read(patch)
        if (refused.length === 0) expect(values).toMatchObject([{ [param]: name }])
        else expect(values).toEqual([])
      }
    },
  )
})

describe('a call in JSON', () => {
  const call = (text: string): string => `{"command":"create","path":"a.sh","file_text":"${text}"}\n`

  test.each(['a\\.b', 'a\\_b', 'one \\\ntwo', 'one \\\r\ntwo', 'a\\\tb', '\\x41'])(
    'with an escape that JSON lacks is refused: %j',
    (text) => {
      for (const reply of [call(text), `\`\`\`json\n${call(text)}\`\`\`\n`]) {
        const { values, refused } = read(reply)
        expect(values).toEqual([])
        expect(refused).toHaveLength(1)
      }
    },
  )

  test('keeps a line break that was not escaped', () => {
    expect(read(call('a\nb\tc')).values).toMatchObject([{ content: 'a\nb\tc' }])
  })
})

describe('an escape that makes a control character', () => {
  const values = ['\\bfoo\\b', 'a\\fb', '\\u001b[31m', '\\u0000', '\\u007f', '\\u0085']

  test.each(values)('%s is refused by the command line', async (text) => {
    const root = scratchDir()
    const reply = sham(`"${text}"`).replace('/p/a', `${root}/a`)
    const { status, stdout } = await called(['run', '--no-git', '--root', root], { input: reply })
    expect(status).toBe(1)
    expect(fs.existsSync(path.join(root, 'a'))).toBe(false)
    expect(stdout).toContain(`content = <<'EOT_SHAM_abc'\n${text}\nEOT_SHAM_abc`)
  })

  test.each(values)('%s is a JSON string for the library', async (text) => {
    const root = scratchDir()
    const reply = sham(`"${text}"`).replace('/p/a', `${root}/a`)
    expect((await new Clada({ repoPath: root, gitCommit: false }).execute(reply)).success).toBe(true)
    expect(fs.readFileSync(path.join(root, 'a'), 'utf8')).toBe(JSON.parse(`"${text}"`))
  })

  test.each(values)('%s in a call of another tool is refused by the command line', async (text) => {
    const root = scratchDir()
    const call = `{"command":"create","path":"a","file_text":"${text}"}\n`
    const { status, stdout } = await called(['run', '--no-git', '--root', root], { input: call })
    expect(status).toBe(1)
    expect(stdout).toContain('control character')
    expect(fs.existsSync(path.join(root, 'a'))).toBe(false)
  })

  test('tab, line feed and carriage return are text', async () => {
    const root = scratchDir()
    const reply = sham('"a\\tb\\r\\n"').replace('/p/a', `${root}/a`)
    const { status } = await called(['run', '--no-git', '--root', root], { input: reply })
    expect(status).toBe(0)
    expect(fs.readFileSync(path.join(root, 'a'), 'utf8')).toBe('a\tb\r\n')
  })
})

describe('the corrected block has a heredoc', () => {
  const corrected = async (value: string): Promise<string> => {
    const root = scratchDir()
    const reply = sham(value).replace('/p/a', `${root}/a`)
    const { status, stdout } = await called(['run', '--no-git', '--root', root], { input: reply })
    expect(status).toBe(1)
    expect(fs.readdirSync(root).filter((name) => name !== '.clada')).toEqual([])
    return /ready to be sent again[^\n]*\n```\n([^]*?)\n```/.exec(stdout)?.[1]?.replace(root, '/p') ?? 'none'
  }
  const block = (text: string): string =>
    `#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "/p/a"\ncontent = <<'EOT_SHAM_abc'\n${text}\nEOT_SHAM_abc\n#!END_SHAM_abc`

  test.each([
    ['\\.', String.raw`"B = re.compile(r'\.py')"`, String.raw`B = re.compile(r'\.py')`],
    ['\\(', String.raw`"foo\(bar\)"`, String.raw`foo\(bar\)`],
    ['\\_ and \\*', String.raw`"a\_b \*c\*"`, String.raw`a\_b \*c\*`],
    ['\\d', String.raw`"\d+"`, String.raw`\d+`],
    ['\\b', String.raw`"\bfoo\b"`, String.raw`\bfoo\b`],
    ['quotes beside it', String.raw`"re.compile(\"\.py\")"`, String.raw`re.compile("\.py")`],
    ['a last line break', String.raw`"import re\nB = r'\.py'\n"`, `import re\nB = r'\\.py'\n`],
    ['a Windows path', String.raw`"C:\users\new"`, String.raw`C:\users\new`],
  ])('%s', async (_, value, text) => {
    expect(await corrected(value)).toBe(block(text))
  })

  test('except where it has two readings', async () => {
    expect(await corrected(String.raw`"r'\d\n'"`)).toBe('none')
    expect(await corrected(String.raw`"'\\' + r'\d'"`)).toBe('none')
  })
})

test('a block with escaped markers and an escaped value says that it was damaged', () => {
  const escaped = sham('"a\\_b"', '\\#!SHAM \\[@three-char-SHA-256: abc\\]').replace('file_write', 'file\\_write')
  const [block] = findBlocks(new Source(escaped)).blocks
  expect(block?.diagnostics.map(({ code, data }) => ({ code, data }))).toEqual([
    { code: 'damaged', data: { damage: ['escapes'], params: ['content'] } },
  ])
})
