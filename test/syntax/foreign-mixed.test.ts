import { describe, expect, test } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const searchReplace = 'a.txt\n```\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n```\n'
const applyPatch = '*** Begin Patch\n*** Update File: b.txt\n@@\n-two\n+2\n*** End Patch\n'
const udiff = '```diff\n--- a/c.txt\n+++ b/c.txt\n@@ -1 +1 @@\n-three\n+3\n```\n'
const sham = '#!SHAM [@three-char-SHA-256: abc]\naction = "ls"\npath = "/tmp"\n#!END_SHAM_abc\n'

const found = (text: string) => findBlocks(new Source(text))
const runs = (text: string) => found(text).blocks.filter((block) => block.diagnostics.length === 0)

describe('formats of other tools', () => {
  test('all three in one text, in order', async () => {
    const root = scratchDir({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' })
    const text = [udiff, searchReplace, applyPatch].join('\nprose\n\n')
    const { success, results } = await new Clada({ repoPath: root, gitCommit: false }).execute(text)
    expect(success).toBe(true)
    expect(results.map(({ syntax, action, label }) => [syntax, action, label])).toEqual([
      ['udiff', 'file_patch', 'diff'],
      ['search-replace', 'file_patch', 'SEARCH/REPLACE'],
      ['apply-patch', 'file_patch', 'Update File'],
    ])
    expect(filesIn(root)).toEqual({ 'a.txt': '1\n', 'b.txt': '2\n', 'c.txt': '3\n' })
  })

  test.each([
    ['a diff that names no file', '```diff\n--- original\n+++ modified\n@@ -1 +1 @@\n-b\n+c\na.txt\n```\n'],
    ['a diff that is none', '```diff\n-->\na.txt\n```\n'],
    ['a patch', `${applyPatch.replace('*** End Patch\n', ' a.txt\n*** End Patch\n')}\`\`\`\n`],
  ])('a line inside of %s names no file of what follows', (_, before) => {
    const after = '<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n'
    const { blocks } = found(before + after)
    const last = blocks.at(-1)
    expect(last).toMatchObject({ syntax: 'search-replace', params: {} })
    expect(last?.startLine).toBe(before.split('\n').length)
  })

  test('a/ in front of a name is left out where there is no such directory', async () => {
    const edit = (path: string) => searchReplace.replace('a.txt', path)
    const patch = applyPatch.replace('b.txt', 'b/b.txt')
    const run = async (text: string, files: Record<string, string>) => {
      const root = scratchDir(files)
      const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(text)
      return { files: filesIn(root), told: results.map(({ error, warnings }) => error ?? warnings?.join()) }
    }
    expect(await run(`${edit('a/a.txt')}\n${patch}`, { 'a.txt': 'one\n', 'b.txt': 'two\n' })).toEqual({
      files: { 'a.txt': '1\n', 'b.txt': '2\n' },
      told: [
        "'a/a.txt' starts with a/, as in a diff, and was read as 'a.txt'",
        "'b/b.txt' starts with b/, as in a diff, and was read as 'b.txt'",
      ],
    })
    expect(await run(edit('a/a.txt'), { 'a/b.txt': '', 'a.txt': 'one\n' })).toEqual({
      files: { 'a/b.txt': '', 'a.txt': 'one\n' },
      told: ["ENOENT: no such file or directory, open 'a/a.txt'"],
    })
    const added = 'b/new.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n'
    expect(await run(added, {})).toEqual({ files: { 'b/new.txt': 'x\n' }, told: [undefined] })
  })

  test('beside blocks of our own they are proposals', () => {
    const { blocks, notExecuted } = found([searchReplace, sham, udiff].join('\n'))
    expect(blocks.map(({ syntax, proposed }) => [syntax, proposed])).toEqual([
      ['search-replace', true],
      ['sham', undefined],
      ['udiff', true],
    ])
    expect(notExecuted).toEqual([])
  })

  test('what lies inside one of them is its content', () => {
    const content = [udiff, applyPatch, sham].join('')
    const text = `a.md\n<<<<<<< SEARCH\nx\n=======\n${content}>>>>>>> REPLACE\n`
    const rows = content.split('\n').slice(0, -1)
    expect(runs(text)).toMatchObject([
      {
        syntax: 'search-replace',
        params: { path: 'a.md', patch: `@@!\n-x\n${rows.map((row) => `+${row}`).join('\n')}` },
      },
    ])
  })

  test('what lies inside an unfinished one is not executed', () => {
    for (const content of [
      udiff,
      applyPatch,
      searchReplace.replaceAll('<<<<<<<', '<<<<<').replaceAll('>>>>>>>', '>>>>>'),
    ]) {
      expect(runs(`a.md\n<<<<<<< SEARCH\nx\n=======\n${content}`)).toEqual([])
    }
    const indented = (text: string) => text.replace(/^/gm, ' ')
    for (const content of [udiff, searchReplace]) {
      expect(runs(`*** Begin Patch\n*** Update File: x\n@@\n${indented(content)}`)).toEqual([])
    }
    for (const content of [applyPatch, searchReplace]) {
      expect(runs(`--- a/x\n+++ b/x\n@@ -1,99 +1,98 @@\n-x\n${indented(content)}`)).toEqual([])
    }
  })

  test('a block of our own inside an unfinished one is found', () => {
    expect(runs(`a.md\n<<<<<<< SEARCH\nx\n=======\n${sham}`).map(({ syntax }) => syntax)).toEqual(['sham'])
  })

  test('a text of all three, cut anywhere, runs only what is whole', () => {
    const text = [udiff, searchReplace, applyPatch].join('\nprose\n\n')
    const whole = runs(text).map(({ params }) => JSON.stringify(params))
    for (let cut = 0; cut < text.length; cut++) {
      const part = runs(text.slice(0, cut)).map(({ params }) => JSON.stringify(params))
      expect(part, String(cut)).toEqual(whole.slice(0, part.length))
    }
  })

  test('one file fails and keeps its text, the others are changed', async () => {
    const before = { 'a.txt': 'one\n', 'b.txt': 'two\ntwo\n', 'c.txt': 'three\n' }
    const root = scratchDir(before)
    const patch =
      '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Update File: b.txt\n@@\n-two\n+2\n*** Delete File: c.txt\n*** End Patch\n'
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(patch)
    expect(results.map(({ success, code }) => [success, code])).toEqual([
      [true, undefined],
      [false, 'match_count_mismatch'],
      [true, undefined],
    ])
    expect(filesIn(root)).toEqual({ 'a.txt': '1\n', 'b.txt': 'two\ntwo\n' })
  })
})
