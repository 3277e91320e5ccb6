import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Reviewer, reviewWith } from '../../packages/clada/src/cli/review.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { watching } from '../listener/terminal.ts'
import { clada } from '../support/cli.ts'
import { lacks } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { typeAnswers, noTyping } from '../support/typing.ts'
import { edit, write } from './cases.ts'

interface Dialog {
  readonly name: string
  readonly before: Readonly<Record<string, string>>
  readonly reply: string
  /** One answer per question; the end of them is a person who leaves. */
  readonly typed: readonly string[]
  /** What an editor makes of the text that it gets. */
  readonly edits?: (text: string) => string
  readonly after: Readonly<Record<string, string>>
  readonly shows?: readonly string[]
  readonly says?: readonly string[]
}

const all = Array.from({ length: 20 }, (_, index) => `${String(index + 1).padStart(2, '0')}\n`).join('')
const three = all.replace('02', 'two').replace('04', 'four').replace('20', 'end')
const sham = (action: string, params: string): string =>
  `#!SHAM [@three-char-SHA-256: abc]\naction = "${action}"\n${params}\n#!END_SHAM_abc\n`
const run = (command: string): string => `<run><![CDATA[${command}]]></run>\n`

const dialogs: readonly Dialog[] = [
  {
    name: 'applies what gets a yes, and gives the model the reason of a no',
    before: { 'a.txt': all },
    reply: write('a.txt', three),
    typed: ['y', 'n', 'twenty is fine'],
    after: { 'a.txt': all.replace('02', 'two').replace('04', 'four') },
    shows: ['(1/1) file_write a.txt', '@@ -1,7 +1,7 @@', '-02', '+two', '(1/2) Apply this hunk [y,n,a,d,s,e,q,?]? '],
    says: ['left out by the user: a.txt:20 (twenty is fine)'],
  },
  {
    name: 'splits a hunk',
    before: { 'a.txt': all },
    reply: write('a.txt', three),
    typed: ['s', 'n', '', 'y', 'y'],
    after: { 'a.txt': all.replace('04', 'four').replace('20', 'end') },
    shows: ['(1/3) Apply this hunk [y,n,a,d,e,q,?]? '],
  },
  {
    name: 'takes all of a file, in later blocks too',
    before: { 'a.txt': all, 'b.txt': 'b\n' },
    reply: write('a.txt', three) + edit('a.txt', '06', 'six') + edit('b.txt', 'b', 'B'),
    typed: ['a', 'n', ''],
    after: { 'a.txt': three.replace('06', 'six'), 'b.txt': 'b\n' },
  },
  {
    name: 'takes the hunks that fit of a patch with one that does not',
    before: { 'a.txt': all },
    reply: '```diff\n--- a/a.txt\n+++ b/a.txt\n@@\n 01\n-02\n+two\n 03\n@@\n-nowhere\n+x\n@@\n 19\n-20\n+end\n```\n',
    typed: ['g', 'y', 'n', ''],
    after: { 'a.txt': all.replace('02', 'two') },
    shows: ['Take the hunks that fit [g,n,d,q,?]? ', '+two', '(2/2) Apply this hunk'],
    says: ['Hunks 1 and 3 fit on lines 1 and 19: applied, except what the user left out.'],
  },
  {
    name: 'asks for the place of one edit of several, when the others fit',
    before: { 'a.txt': `the first line of this file\n${all}` },
    reply:
      'a.txt\n```\n<<<<<<< SEARCH\n20\n=======\nend\n>>>>>>> REPLACE\n' +
      '<<<<<<< SEARCH\nthe first lime of this file\n=======\nstart\n>>>>>>> REPLACE\n```\n',
    typed: ['1', 'a'],
    after: { 'a.txt': `start\n${all.replace('20', 'end')}` },
    shows: ['1) line 1, 96% similar', 'Use which place [1,n,d,q,?]? '],
  },
  {
    name: 'goes on with the edits that fit, when none of the places is right for the other one',
    before: { 'a.txt': `the first line of this file\n${all}` },
    reply:
      'a.txt\n```\n<<<<<<< SEARCH\n20\n=======\nend\n>>>>>>> REPLACE\n' +
      '<<<<<<< SEARCH\nthe first lime of this file\n=======\nstart\n>>>>>>> REPLACE\n```\n',
    typed: ['n', 'y'],
    after: { 'a.txt': `the first line of this file\n${all.replace('20', 'end')}` },
  },
  {
    name: 'leaves out all of a file',
    before: { 'a.txt': all, 'b.txt': 'b\n' },
    reply: write('a.txt', three) + edit('b.txt', 'b', 'B'),
    typed: ['d', 'not this file', 'y'],
    after: { 'a.txt': all, 'b.txt': 'B\n' },
    says: ['Left out by the user: not this file'],
  },
  {
    name: 'keeps what was decided when the person quits',
    before: { 'a.txt': all, 'b.txt': 'b\n' },
    reply: write('a.txt', three) + edit('b.txt', 'b', 'B'),
    typed: ['y', 'q'],
    after: { 'a.txt': all.replace('02', 'two').replace('04', 'four'), 'b.txt': 'b\n' },
    says: ['the review ended before this change'],
  },
  {
    name: 'explains the keys to whoever types another one',
    before: { 'a.txt': all },
    reply: edit('a.txt', '02', 'two'),
    typed: ['what', 'y'],
    after: { 'a.txt': all.replace('02', 'two') },
    shows: ['y - apply this hunk', 'q - quit: leave out this hunk and everything after it'],
  },
  {
    name: 'applies a hunk as the person edits it',
    before: { 'a.txt': all },
    reply: write('a.txt', three),
    typed: ['e', 'y'],
    edits: (text) => text.replace('two', 'zwei').replace('four', '04'),
    after: { 'a.txt': all.replace('02', 'zwei').replace('20', 'end') },
    says: ['applied with changes by the user (a.txt):', '-two', '+zwei'],
  },
  {
    name: 'asks again when nothing was edited',
    before: { 'a.txt': all },
    reply: edit('a.txt', '02', 'two'),
    typed: ['e', 'n', ''],
    edits: (text) => text,
    after: { 'a.txt': all },
  },
  {
    name: 'offers the nearest places of an edit, shows the change there, and lets it be edited',
    before: { 'a.ts': 'function f() {\n  begin()\n  work(1)\n  end()\n}\n' },
    reply: edit('a.ts', 'beginn()\nworks(2)\nend(0)', 'beginn()\nworks(3)\nend(0)'),
    typed: ['?', '1', 'e'],
    edits: (text) => text.replace('works(3)', 'work(3)'),
    after: { 'a.ts': 'function f() {\n  begin()\n  work(3)\n  end()\n}\n' },
    shows: ['1) lines 2-4, ', 'Use which place [1,n,d,q,?]? ', '+  works(3)'],
    says: ['the user chose the place: lines 2-4', '+  work(3)'],
  },
  {
    name: 'leaves an edit without a place to the model',
    before: { 'a.txt': 'x = 1\nx = 1\n' },
    reply: edit('a.txt', 'x = 1', 'x = 2') + edit('a.txt', 'nowhere at all', 'z'),
    typed: ['n'],
    after: { 'a.txt': 'x = 1\nx = 1\n' },
    shows: ['1) line 1', '2) line 2', 'Use which place [1-2,n,d,q,?]? '],
    says: ['❌ file_edit a.txt - expected 1 occurrences but found 2'],
  },
  {
    name: 'asks about commands and moves',
    before: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    reply: run('ls') + run('mv a.txt c.txt') + run('rm b.txt'),
    typed: ['y', 'y', 'n', 'keep b'],
    after: { 'c.txt': 'a\n', 'b.txt': 'b\n' },
    shows: ['Run it [y,n,q,?]? ', 'a.txt → c.txt', 'b.txt, deleted, 1 line'],
    says: ['Left out by the user: keep b'],
  },
  {
    name: 'uses one of the structures that a name may mean',
    before: { 'a.ts': 'class A {\n  run() {\n    one()\n  }\n}\n\nclass B {\n  run() {\n    two()\n  }\n}\n' },
    reply: sham('replace_structure', 'path = "a.ts"\ntarget = "run"\ncontent = "run() {}"'),
    typed: ['2', 'y'],
    after: { 'a.ts': 'class A {\n  run() {\n    one()\n  }\n}\n\nclass B {\n  run() {}\n}\n' },
    shows: ['1) lines 2-4', '2) lines 8-10'],
    says: ['applied with changes by the user'],
  },
  {
    name: 'uses the structure that is most alike',
    before: { 'a.ts': 'export function total() {\n  return 1\n}\n' },
    reply: sham('delete_structure', 'path = "a.ts"\ntarget = "totals"'),
    typed: ['1', 'y'],
    after: { 'a.ts': '' },
  },
  {
    name: 'uses a place for the beginning and the end of a passage',
    before: { 'a.txt': 'begin\n1\nend\n2\nbegin\n3\nthe end.\n' },
    reply: sham(
      'file_replace_text_range',
      'path = "a.txt"\nold_text_beginning = "begin"\nold_text_end = "the ent."\nnew_text = "new"',
    ),
    typed: ['2', '1', 'y'],
    after: { 'a.txt': 'begin\n1\nend\n2\nnew\n' },
  },
  {
    name: 'uses the lines where the expected text is',
    before: { 'a.txt': 'one\ntwo\nthree\n' },
    reply: sham('file_replace_lines', 'path = "a.txt"\nlines = "1"\nexpect = "two"\nnew_content = "TWO"'),
    typed: ['1', 'y'],
    after: { 'a.txt': 'one\nTWO\nthree\n' },
  },
  {
    name: 'begins again with the reply as the person edits it',
    before: { 'a.txt': all, 'b.txt': 'b\n' },
    reply: edit('a.txt', '02', 'two') + edit('b.txt', 'b', 'B'),
    typed: ['y', 'E', 'y', 'y'],
    edits: (text) => text.replace('[B]', '[BEE]'),
    after: { 'a.txt': all.replace('02', 'two'), 'b.txt': 'BEE\n' },
    shows: ['The review begins again with your text.'],
    says: ['BEE'],
  },
  {
    name: 'applies nothing when the person leaves',
    before: { 'a.txt': all, 'b.txt': 'b\n' },
    reply: edit('a.txt', '02', 'two') + edit('b.txt', 'b', 'B'),
    typed: ['y'],
    after: { 'a.txt': all, 'b.txt': 'b\n' },
  },
  {
    name: 'applies nothing when the person leaves instead of giving a reason',
    before: { 'a.txt': all, 'b.txt': 'b\n' },
    reply: edit('a.txt', '02', 'two') + edit('b.txt', 'b', 'B'),
    typed: ['y', 'n'],
    after: { 'a.txt': all, 'b.txt': 'b\n' },
    shows: ['Reason, for the model (Enter for none): '],
  },
  {
    name: 'shows what would drive the terminal by its code',
    before: { 'a.txt': 'a\n' },
    reply: write('a.txt', '\u001b[2J\u200bhidden\n'),
    typed: ['y'],
    after: { 'a.txt': '\u001b[2J\u200bhidden\n' },
    shows: ['+\\x1b[2J\\u200bhidden'],
  },
]

/** A person who types prepared answers. */
function scripted({ typed, edits = (text) => text }: Dialog): {
  reviewer: Reviewer
  shown: () => string
  left: () => number
} {
  const answers = [...typed]
  let shown = ''
  const reviewer: Reviewer = {
    tell: (lines) => void (shown += `${lines.join('\n')}\n`),
    ask: (question) => {
      shown += question
      return Promise.resolve(answers.shift())
    },
    edit: (text) => Promise.resolve({ text: edits(text) }),
  }
  return { reviewer, shown: () => shown, left: () => answers.length }
}

describe('a review on a terminal', () => {
  for (const dialog of dialogs) {
    const { name, before, reply, after, shows = [], says = [] } = dialog
    it(name, async () => {
      const root = scratchDir(before)
      const own = new Clada({ repoPath: root, gitCommit: false, matching: 'tolerant', relativePaths: true })
      const { reviewer, shown, left } = scripted(dialog)
      const review = await reviewWith(reviewer, { clada: own, text: reply, color: false, editable: true })
      expect(filesIn(root)).toEqual(before)
      for (const part of shows) expect(shown()).toContain(part)
      expect(left()).toBe(0)
      const result = review && (await own.execute(review.text, { review: review.choices }))
      expect(result?.fatalError).toBeUndefined()
      expect(filesIn(root)).toEqual(after)
      for (const part of says) expect(result && formatReport(result, 'llm')).toContain(part)
    })
  }

  it.skipIf(noTyping !== undefined)('is clada --review, with the editor of the user', async () => {
    const dir = scratchDir({
      'p/a.txt': all,
      'reply.md': write('a.txt', three),
      'edit.sh': '#!/bin/sh\nsed -i s/end/ende/ "$1"\n',
    })
    fs.chmodSync(path.join(dir, 'edit.sh'), 0o755)
    const { status, output } = await typeAnswers(['--review', '../reply.md', '--no-git'], ['n', 'later', 'e'], {
      cwd: path.join(dir, 'p'),
      env: { XDG_STATE_HOME: `${dir}/.state`, EDITOR: `${dir}/edit.sh`, VISUAL: '' },
    })
    expect(output).toContain('left out by the user: a.txt:2 (later)')
    expect(output).toContain('applied with changes by the user (a.txt):')
    expect(fs.readFileSync(path.join(dir, 'p/a.txt'), 'utf8')).toBe(all.replace('20', 'ende'))
    expect(status).toBe(0)
  })

  it('says off a terminal that it needs one', () => {
    const cwd = scratchDir({ 'a.txt': all })
    for (const args of [['--review'], ['watch', '--review']]) {
      const { status, stderr } = clada(args, { cwd, input: edit('a.txt', '02', 'two') })
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining('--review asks at a terminal, and there is none here'),
      ])
    }
    expect(filesIn(cwd)['a.txt']).toBe(all)
  })

  it.skipIf(lacks('python3'))('is clada watch --review', async () => {
    const watch = await watching({ args: ['--review'], dir: scratchDir({ 'a.txt': all }) })
    fs.appendFileSync(watch.file, write('a.txt', three))
    await watch.sees('(1/2) Apply this hunk')
    watch.send('y\n')
    await watch.sees('(2/2) Apply this hunk')
    watch.send('n\n')
    await watch.sees('Reason, for the model')
    watch.send('twenty is fine\n')
    await watch.sees('1 done')
    expect(fs.readFileSync(path.join(watch.dir, 'a.txt'), 'utf8')).toBe(all.replace('02', 'two').replace('04', 'four'))
    await expect
      .poll(() => fs.readFileSync(watch.file, 'utf8'))
      .toContain('left out by the user: a.txt:20 (twenty is fine)')
    watch.send('q')
    expect(await watch.ended()).toBe(0)
  })
})
