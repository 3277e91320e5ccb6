import fs from 'node:fs'
import path from 'node:path'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { type EncodingName, encodingNames } from '../../packages/clada/src/core/encodings.ts'
import { scratchDir } from '../support/scratch.ts'

/** A letter that each encoding has and that is not the same byte in UTF-8. */
const letters: Partial<Record<EncodingName, string>> = {
  'windows-1251': 'Ж',
  'windows-1253': 'Ω',
  'windows-1255': 'א',
  'windows-1256': 'ع',
  'iso-8859-5': 'Ж',
  'iso-8859-6': 'ع',
  'iso-8859-7': 'Ω',
  'iso-8859-8': 'א',
  'koi8-r': 'Ж',
  'koi8-u': 'Ж',
  shift_jis: '日本語',
  'euc-jp': '日本語',
  gbk: '中文',
  gb18030: '中文😀',
  big5: '中文',
  'euc-kr': '한국어',
  'utf-8': 'é😀',
  'utf-16le': 'é😀',
  'utf-16be': 'é😀',
}

const project = (encoding: EncodingName, text: string, options: CladaOptions = {}) => {
  const root = scratchDir({})
  const file = path.join(root, 'a.py')
  fs.writeFileSync(file, iconv.encode(text, encoding, { addBOM: false }))
  const clada = new Clada({
    repoPath: root,
    gitCommit: false,
    relativePaths: true,
    encoding: { '*.py': encoding },
    ...options,
  })
  return { root, file, clada }
}

const actions: readonly (readonly [
  name: string,
  params: (letter: string) => Record<string, string>,
  expected: (text: string, letter: string) => string,
])[] = [
  ['file_write', (x) => ({ content: `# ${x}\n` }), (_, x) => `# ${x}\n`],
  ['file_append', (x) => ({ content: `# ${x}!\n` }), (text, x) => `${text}# ${x}!\n`],
  ['file_replace_text', (x) => ({ old_text: 'two', new_text: `${x}2` }), (text, x) => text.replace('two', `${x}2`)],
  [
    'file_replace_all_text',
    (x) => ({ old_text: x, new_text: `${x}${x}` }),
    (text, x) => text.replaceAll(x, `${x}${x}`),
  ],
  ['file_edit', (x) => ({ old_text: `# ${x} one`, new_text: `# ${x} 1` }), (text) => text.replace('one', '1')],
  [
    'file_replace_text_range',
    (x) => ({ old_text_beginning: '# two', old_text_end: 'three', new_text: `# ${x}` }),
    (text, x) => text.replace('# two\n# three', `# ${x}`),
  ],
  ['file_replace_lines', (x) => ({ lines: '2', new_content: `# ${x}` }), (text, x) => text.replace('# two', `# ${x}`)],
  ['file_delete_lines', () => ({ lines: '2' }), (text) => text.replace('# two\n', '')],
  [
    'file_insert_lines',
    (x) => ({ after: '1', content: `# ${x}` }),
    (text, x) => text.replace('# two', `# ${x}\n# two`),
  ],
  ['file_uncomment_lines', () => ({ lines: '2' }), (text) => text.replace('# two', 'two')],
  ['file_patch', (x) => ({ patch: `@@\n # ${x} one\n-# two\n+# ${x}` }), (text, x) => text.replace('# two', `# ${x}`)],
  [
    'replace_structure',
    (x) => ({ target: 'f', content: `def f():\n    return '${x}2'` }),
    (text, x) => text.replace('return 1', `return '${x}2'`),
  ],
]

describe.each(encodingNames)('a file that is declared as %s', (encoding) => {
  const letter = letters[encoding] ?? (encoding.startsWith('iso-8859') || encoding.startsWith('windows') ? 'ä' : 'é')
  const char = iconv.decode(iconv.encode(letter, encoding, { addBOM: false }), encoding) === letter ? letter : 'e'
  const text = `# ${char} one\n# two\n# three\n\n\ndef f():\n    return 1\n`

  it.each(actions)('is written back in it by %s, and undone byte for byte', async (name, params, expected) => {
    const { file, clada } = project(encoding, text)
    const before = fs.readFileSync(file)
    const { results } = await clada.perform(name, { path: 'a.py', ...params(char) })
    expect(results[0]?.error).toBeUndefined()
    expect(fs.readFileSync(file)).toEqual(iconv.encode(expected(text, char), encoding, { addBOM: false }))
    await clada.undo()
    expect(fs.readFileSync(file)).toEqual(before)
  })
})

describe('declarations', () => {
  const latin = Buffer.from('caf\xe9 one\n', 'latin1')
  const edit = { path: 'a.txt', old_text: 'one', new_text: 'tw\xf6' }

  it.each([
    ['.editorconfig', '[*.txt]\ncharset = latin1\n'],
    ['.editorconfig', 'root = true\n[*]\ncharset = utf-8\n[{a,b}.txt]\ncharset = latin1\n'],
    ['.gitattributes', '*.txt text working-tree-encoding=ISO-8859-1\n'],
  ])('%s is followed', async (name, content) => {
    const root = scratchDir({ [name]: content })
    fs.writeFileSync(path.join(root, 'a.txt'), latin)
    const { results } = await new Clada({ repoPath: root, gitCommit: false, relativePaths: true }).perform(
      'file_replace_text',
      edit,
    )
    expect(results[0]?.error).toBeUndefined()
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'latin1')).toBe('caf\xe9 tw\xf6\n')
  })

  it.each([
    ['*', 'a.txt', true],
    ['*.txt', 'sub/a.txt', true],
    ['/*.txt', 'sub/a.txt', false],
    ['sub/*.txt', 'sub/a.txt', true],
    ['sub/**', 'sub/deep/a.txt', true],
    ['**/deep/*.txt', 'sub/deep/a.txt', true],
    ['*.{md,txt}', 'a.txt', true],
    ['{a,{b,c}}.{txt,x}', 'c.txt', true],
    ['a{1..3}.txt', 'a2.txt', true],
    ['a{1..3}.txt', 'a4.txt', false],
    ['[ab].txt', 'a.txt', true],
    ['[!a].txt', 'a.txt', false],
    ['?.txt', 'a.txt', true],
    ['{single}.txt', '{single}.txt', true],
  ])('[%s] is about %s: %s', async (glob, name, isMeant) => {
    const root = scratchDir({ '.editorconfig': `[${glob}]\ncharset = latin1\n` })
    fs.mkdirSync(path.join(root, path.dirname(name)), { recursive: true })
    fs.writeFileSync(path.join(root, name), latin)
    const clada = new Clada({ repoPath: root, gitCommit: false, relativePaths: true })
    const { results } = await clada.perform('file_replace_text', { ...edit, path: name })
    expect(results[0]?.success).toBe(isMeant)
  })

  it.each([
    '*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b',
    '(a+)+b',
    '@(a+)+b',
    '*(*(*(a)))b',
    '{1..999999999}',
    '{a,b}'.repeat(40),
    '{'.repeat(5000),
    'a'.repeat(70_000),
    '**/'.repeat(1000),
    '[z-a]',
    '[',
    ']',
    '\\',
  ])('a glob that would take for ever, or is none, takes no time: %s', async (glob) => {
    const name = `${'a'.repeat(200)}.txt`
    for (const [file, content] of [
      ['.editorconfig', `[${glob}]\ncharset = latin1\n`.repeat(10)],
      ['.gitattributes', `${glob} working-tree-encoding=latin1\n`],
    ] as const) {
      const root = scratchDir({ [file]: content })
      const clada = new Clada({ repoPath: root, gitCommit: false, relativePaths: true })
      const { results } = await clada.perform('file_write', { path: name, content: 'x\n' })
      expect(results[0]?.error).toBeUndefined()
    }
  })

  it.each(['utf16le', 'utf-16be'] as const)('a byte order mark declares %s, and stays', async (encoding) => {
    const root = scratchDir({})
    const file = path.join(root, 'a.txt')
    fs.writeFileSync(file, iconv.encode('one\r\nthree\r\n', encoding, { addBOM: true }))
    const clada = new Clada({ repoPath: root, gitCommit: false, relativePaths: true })
    await clada.perform('file_replace_text', edit)
    expect(fs.readFileSync(file)).toEqual(iconv.encode('tw\xf6\r\nthree\r\n', encoding, { addBOM: true }))
    await clada.perform('file_write', { path: 'a.txt', content: 'new\n' })
    expect(fs.readFileSync(file)).toEqual(iconv.encode('new\n', encoding, { addBOM: true }))
  })

  it('an undeclared encoding is refused, with the line that declares it', async () => {
    const root = scratchDir({})
    fs.writeFileSync(path.join(root, 'a.txt'), latin)
    const { results } = await new Clada({ repoPath: root, gitCommit: false, relativePaths: true }).perform(
      'file_replace_text',
      edit,
    )
    expect(results[0]?.code).toBe('not_utf8')
    expect(results[0]?.details?.advice).toContain("encoding: {'a.txt': windows-1252}")
    expect(fs.readFileSync(path.join(root, 'a.txt'))).toEqual(latin)
  })

  it('characters that the encoding does not have are named, and nothing is written', async () => {
    const { file, clada } = project('windows-1252', 'one\n')
    const { results } = await clada.perform('file_replace_text', { path: 'a.py', old_text: 'one', new_text: '日x' })
    expect(results[0]?.error).toContain('日 (U+65E5)')
    expect(fs.readFileSync(file, 'latin1')).toBe('one\n')
  })

  it('bytes that the declared encoding does not have are refused', async () => {
    const { file, clada } = project('windows-1252', 'one\n')
    fs.writeFileSync(file, Buffer.from([0x6f, 0x81, 0x0a]))
    const { results } = await clada.perform('file_replace_text', { path: 'a.py', old_text: 'o', new_text: 'x' })
    expect(results[0]?.error).toContain('is declared as windows-1252')
    expect(fs.readFileSync(file)).toEqual(Buffer.from([0x6f, 0x81, 0x0a]))
  })

  it('a reply that edits .editorconfig does not change an encoding within itself', async () => {
    const root = scratchDir({ '.editorconfig': '[*.txt]\ncharset = latin1\n' })
    fs.writeFileSync(path.join(root, 'a.txt'), latin)
    const reply = [
      '<---WRITE file=".editorconfig"--->\n[*.txt]\ncharset = utf-16le\n<---END--->',
      '<---SEARCH file="a.txt"--->\none\n<---REPLACE--->\ntw\xf6\n<---END--->',
    ].join('\n')
    const result = await new Clada({ repoPath: root, gitCommit: false }).execute(reply)
    expect(result.success).toBe(true)
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'latin1')).toBe('caf\xe9 tw\xf6\n')
  })

  it('new files follow charset and end_of_line, and have no byte order mark', async () => {
    const root = scratchDir({
      '.editorconfig': '[*.txt]\ncharset = latin1\nend_of_line = crlf\n[*.md]\ncharset = utf-8-bom\n',
    })
    const clada = new Clada({ repoPath: root, gitCommit: false, relativePaths: true })
    await clada.perform('file_write', { path: 'n.txt', content: '\xe9\nb\n' })
    await clada.perform('file_write', { path: 'n.md', content: '\xe9\n' })
    expect(fs.readFileSync(path.join(root, 'n.txt'), 'latin1')).toBe('\xe9\r\nb\r\n')
    expect(fs.readFileSync(path.join(root, 'n.md'))).toEqual(Buffer.from('\xe9\n'))
  })

  it.each(['constructor', '__proto__'])(
    'new files are as ever where %s is declared, which is no value',
    async (name) => {
      const root = scratchDir({
        '.editorconfig': `[*.txt]\nend_of_line = ${name}\n[*.md]\ncharset = ${name}\n`,
        'd/.gitattributes': `* working-tree-encoding=${name}\n`,
      })
      const clada = new Clada({ repoPath: root, gitCommit: false, relativePaths: true })
      for (const file of ['n.txt', 'n.md', 'd/n']) {
        await clada.perform('file_write', { path: file, content: '\xe9\nb\n' })
        expect(fs.readFileSync(path.join(root, file), 'utf8')).toBe('\xe9\nb\n')
      }
    },
  )

  it('a login in a file in UTF-16 is found', async () => {
    const root = scratchDir({})
    fs.writeFileSync(
      path.join(root, '.npmrc'),
      iconv.encode('//registry.example/:_authToken=abc\n', 'utf16le', { addBOM: true }),
    )
    const { results } = await new Clada({ repoPath: root, gitCommit: false, relativePaths: true }).perform(
      'file_read',
      { path: '.npmrc' },
    )
    expect(results[0]?.code).toBe('path_denied')
  })
})
