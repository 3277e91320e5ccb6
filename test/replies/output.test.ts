import { describe, expect, test } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { withoutMarks } from '@clada/reply/regions/regions.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { nativeNames, writes } from '../syntax/samples.ts'

const diff = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+2'
const fence = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`
const runs = (text: string): readonly string[] => findBlocks(new Source(text)).blocks.map(({ syntax }) => syntax)

describe('a diff after a command is meant', () => {
  test.each([
    ['that shows nothing of it', `${fence('bash', '$ git checkout -b fix')}\n${fence('diff', diff)}`],
    [
      'and a request to apply it',
      `${fence('', '$ git diff')}\nNothing yet. Apply this patch:\n\n${fence('diff', diff)}`,
    ],
    ['without a prompt', `See what you have:\n\n${fence('bash', 'git diff')}\nThen:\n\n${fence('diff', diff)}`],
    ['of another program', `${fence('', '$ npm test')}\n${fence('diff', diff)}`],
    ['with output of its own', `${fence('', '$ git diff\n(nothing)')}\n${fence('diff', diff)}`],
    ['two fences above', `${fence('', '$ git diff')}\n${fence('', 'nothing')}\n${fence('diff', diff)}`],
    ['a paragraph above', `${fence('', '$ git diff')}\nOne.\n\nTwo.\n\nThree.\n\n${fence('diff', diff)}`],
    ['that takes it', `${fence('sh', '$ git apply fix.patch')}\n${fence('diff', diff)}`],
  ])('%s', (_, text) => {
    expect(runs(text)).toEqual(['udiff'])
  })
})

test.each(nativeNames)('a block of %s in the fence after a command of git runs', (syntax) => {
  const block = writes(syntax, '/p/a.txt', 'x\ny')
  expect(runs(`${fence('', '$ git diff')}\n${fence('', block.trimEnd())}`)).toEqual([syntax])
  expect(runs(`$ git diff\n\n${fence('', block.trimEnd())}`)).toEqual([syntax])
})

test('a heading of an answer alone hides nothing above it', () => {
  const block = writes('csl', 'a.txt', 'x')
  expect(runs(`${block}\n► **ANSWER**\n\nDone.\n`)).toEqual(['csl'])
})

describe('a diff below a sentence in another language', () => {
  test.each([
    'Die Ausgabe von `git diff` ist:',
    '`git show` zeigt:',
    'Voici la sortie de `git show` :',
    'La salida de `git diff`:',
    'A saída de `git diff`:',
    'Вывод `git diff`:',
    '`git diff` 的输出：',
    '`git diff` の出力：',
    '`git diff` 출력:',
  ])('is output if the sentence says so: %s', (sentence) => {
    expect(runs(`${sentence}\n\n${fence('diff', diff)}`)).toEqual([])
  })

  test.each(['Wende diesen Patch mit `git apply` an:', '请用 `git apply` 应用：', 'Hier ist der Patch:', '修改如下：'])(
    'is meant otherwise: %s',
    (sentence) => {
      expect(runs(`${sentence}\n\n${fence('diff', diff)}`)).toEqual(['udiff'])
    },
  )
})

describe('an edit with markers that no reader takes is no whole file', () => {
  const markers = '<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE'
  test.each([
    ['in small letters', markers.toLowerCase()],
    ['with a capital', markers.replace('SEARCH', 'Search').replace('REPLACE', 'Replace')],
    ['escaped twice', markers.replaceAll('<', '&amp;lt;').replaceAll('>', '&amp;gt;')],
    ['of a merge', markers.replace('SEARCH', 'original').replace('REPLACE', 'updated')],
  ])('%s', (_, text) => {
    const { blocks, notExecuted } = findBlocks(new Source(`src/a.ts\n${fence('ts', text)}`))
    expect(blocks).toEqual([])
    expect(notExecuted).toMatchObject([{ path: 'src/a.ts', reason: 'unreadable' }])
  })
})

test('the marks around a line are taken off, and a long run of them costs nothing', () => {
  expect(withoutMarks('**`git diff`**:')).toBe('git diff')
  for (const mark of [':', '*', '`', ' ']) {
    const long = `${mark.repeat(100_000)}x`
    expect(withoutMarks(long)).toBe(long)
  }
})
