import { describe, expect, it } from 'vitest'
import { createClada, type OwnSyntax, parse } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

/** `@@@ put PATH` … `@@@`, and `@@@ drop PATH PATH` on a line. */
const at: OwnSyntax = {
  name: 'at-blocks',
  title: 'Blocks with three ats',
  opens: /^@@@ \w/g,
  teaching: 'Write `@@@ put PATH`, the lines of the file, and `@@@` on a line of its own.',
  read(lines, first) {
    const [, verb, ...paths] = (lines[first] ?? '').split(' ')
    if (verb === 'drop')
      return { last: first, calls: paths.map((path) => ({ action: 'file_delete', params: { path } })) }
    if (verb === 'crash') throw new Error('out of luck')
    if (verb === 'far') return { last: 1e9, calls: [] }
    if (verb !== 'put') return undefined
    const end = lines.indexOf('@@@', first)
    if (end === -1) return { last: lines.length - 1, calls: [], problem: '@@@ put has no @@@ below it' }
    const content = lines.slice(first + 1, end).join('\n')
    return { last: end, calls: [{ action: 'file_write', params: { path: paths[0] ?? '', content } }] }
  },
}

const project = (files: Readonly<Record<string, string>> = { 'a.txt': 'a', 'b.txt': 'b' }) => {
  const root = scratchDir(files)
  return { root, clada: createClada({ repoPath: root, git: 'off', ownSyntaxes: [at] }) }
}

describe('a syntax of the caller', () => {
  it('is read, run and reported like those of clada', async () => {
    const { root, clada } = project()
    const reply =
      'I will do that.\n\n@@@ put new/c.txt\none\n<---WRITE file="x"--->\n@@@ drop a.txt\n@@@\nAnd:\n@@@ drop a.txt b.txt\n'
    const preview = await clada.preview(reply)
    expect(preview.diffs.map(({ path, change }) => [path, change])).toEqual([
      ['a.txt', 'delete'],
      ['b.txt', 'delete'],
      ['new/c.txt', 'create'],
    ])
    const result = await clada.execute(reply)
    expect(result).toMatchObject({ success: true, totalBlocks: 3 })
    expect(result.results.map(({ syntax, action }) => [syntax, action])).toEqual([
      ['at-blocks', 'file_write'],
      ['at-blocks', 'file_delete'],
      ['at-blocks', 'file_delete'],
    ])
    expect(filesIn(root)).toEqual({ 'new/c.txt': 'one\n<---WRITE file="x"--->\n@@@ drop a.txt' })
    expect(await clada.report(result)).toContain('file_delete b.txt')
    expect((await clada.undo()).success).toBe(true)
    expect(filesIn(root)).toEqual({ 'a.txt': 'a', 'b.txt': 'b' })
  })

  it('stands beside the others, also in a stream, and alone with `syntaxes`', async () => {
    const { root, clada } = project()
    const parts = [
      '<---WRITE file="one.txt"--->\n1\n<---END--->\n@@@ put tw',
      'o.txt\n2\n',
      '@@@\n<---WRITE file="three.txt"--->\n3\n<---END--->\n',
    ]
    const result = await clada.executeStream(
      (async function* () {
        yield* parts
      })(),
    )
    expect(result).toMatchObject({ success: true, totalBlocks: 3 })
    expect(filesIn(root)).toMatchObject({ 'one.txt': '1', 'two.txt': '2', 'three.txt': '3' })
    const only = createClada({ repoPath: root, git: 'off', syntaxes: [], ownSyntaxes: [at] })
    expect((await only.execute('<---WRITE file="x.txt"--->\n1\n<---END--->\n@@@ put y.txt\n2\n@@@')).totalBlocks).toBe(
      1,
    )
    expect(Object.keys(filesIn(root))).not.toContain('x.txt')
  })

  it('is content inside a block of another, and prose where its reader takes nothing', async () => {
    const { root, clada } = project({})
    const result = await clada.execute(
      '@@@ note to self\n<---WRITE file="x.txt"--->\n@@@ put y.txt\n@@@\n<---END--->\n',
    )
    expect(result).toMatchObject({ success: true, totalBlocks: 1 })
    expect(filesIn(root)).toEqual({ 'x.txt': '@@@ put y.txt\n@@@' })
  })

  it.each([
    ['a problem that it reports', '@@@ put c.txt\nno end', '@@@ put has no @@@ below it'],
    ['an exception', '@@@ crash now', 'the reader of at-blocks failed: out of luck'],
    ['a line that is not there', '@@@ far away', 'the reader of at-blocks gave 1000000000 as its last line'],
  ])('fails the block for %s, and the rest runs', async (_, text, message) => {
    const { root, clada } = project({})
    const { parseErrors, success } = await clada.execute(`<---WRITE file="a"--->\na\n<---END--->\n${text}`)
    expect(success).toBe(false)
    expect(parseErrors).toMatchObject([{ message, line: 4 }])
    expect(filesIn(root)).toEqual({ a: 'a' })
  })

  it('obeys the rules that hold for every block', async () => {
    const { clada } = project()
    const { results } = await clada.execute('@@@ drop ../x .env a.txt')
    expect(results.map(({ code }) => code)).toEqual(['path_escape', 'path_denied', undefined])
    const strange: OwnSyntax = {
      ...at,
      name: 'strange',
      read: (_, first) => ({ last: first, calls: [{ action: 'no_such', params: JSON.parse('{"__proto__":"x"}') }] }),
    }
    const wrong = await createClada({ repoPath: scratchDir(), ownSyntaxes: [strange] }).execute('@@@ put x')
    expect(wrong).toMatchObject({ success: false, parseErrors: [{ action: 'no_such' }] })
  })

  it('is known where it was given, by one name', async () => {
    const { root } = project()
    expect((await createClada({ repoPath: root }).execute('@@@ drop a.txt')).totalBlocks).toBe(0)
    expect(parse('@@@ drop a.txt', { ownSyntaxes: [at] }).blocks).toMatchObject([
      { syntax: 'at-blocks', action: 'file_delete' },
    ])
    for (const name of ['csl', 'At', '', 'at-blocks']) {
      const { fatalError } = await createClada({ repoPath: root, ownSyntaxes: [{ ...at, name }] }).execute('x')
      expect(fatalError).toMatch(/Give|is no name/)
    }
  })

  it('is taught by prompts', async () => {
    const { clada } = project()
    expect((await clada.prompt()).text).toContain('## Blocks with three ats\n\nWrite `@@@ put PATH`')
  })
})

it('ends a reader that does not end', async () => {
  const endless: OwnSyntax = {
    name: 'endless',
    opens: /^loop$/,
    read: () => {
      for (;;);
    },
  }
  const clada = createClada({ repoPath: scratchDir(), git: 'off', ownSyntaxes: [endless], limits: { actionMs: 200 } })
  const fatalError =
    'input_too_large: the document could not be read (not within 0.2 s). Split it into several documents.'
  expect(await clada.execute('loop\n')).toMatchObject({ success: false, results: [], fatalError })
  expect(await clada.executeStream(streamOf('loop\n'))).toMatchObject({ success: false, results: [], fatalError })
  expect((await clada.preview('loop\n')).result).toMatchObject({ success: false, fatalError })
})

async function* streamOf(text: string): AsyncGenerator<string> {
  yield text
}
