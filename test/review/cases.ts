import type { BlockChoice, CladaOptions } from '../../packages/clada/src/index.ts'

/** Hunks to leave out, by their number among those of the block, with the reason or ''. */
export interface Decision extends Omit<BlockChoice, 'leave' | 'shown'> {
  readonly leave?: Readonly<Record<number, string>>
}

interface Case {
  readonly name: string
  readonly before: Readonly<Record<string, string>>
  readonly reply: string
  /** By task number. */
  readonly decisions?: Readonly<Record<string, Decision>>
  readonly options?: CladaOptions
  readonly after: Readonly<Record<string, string>>
  /** What every format of the report says. */
  readonly says?: readonly string[]
  readonly saysNot?: readonly string[]
  readonly success?: boolean
}

export const write = (path: string, content: string): string => `<write path="${path}"><![CDATA[${content}]]></write>\n`
export const edit = (path: string, old: string, fresh: string): string =>
  `<edit path="${path}"><search><![CDATA[${old}]]></search><replace><![CDATA[${fresh}]]></replace></edit>\n`
export const patch = (path: string, hunk: string): string =>
  `\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@\n${hunk}\n\`\`\`\n`
const group = (attributes: string, ...tasks: readonly string[]): string =>
  `<tasks version="1.0"${attributes}>\n${tasks.join('')}</tasks>\n`

export const ten = '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n'

export const cases: readonly Case[] = [
  {
    name: 'applies everything that is not decided',
    before: { 'a.txt': ten },
    reply: edit('a.txt', '2', 'two') + write('b.txt', 'b\n'),
    after: { 'a.txt': ten.replace('2', 'two'), 'b.txt': 'b\n' },
    saysNot: ['left out', 'by the user'],
  },
  {
    name: 'leaves out a hunk of an edit, with the reason',
    before: { 'a.txt': ten },
    reply: edit('a.txt', '2\n3\n4', 'two\n3\nfour'),
    decisions: { 1: { leave: { 1: 'four is for later' } } },
    after: { 'a.txt': ten.replace('2', 'two') },
    says: ['a.txt', '-4', '+four', 'four is for later'],
    saysNot: ['+two'],
  },
  {
    name: 'leaves out hunks of a whole file that is written',
    before: { 'a.txt': ten },
    reply: write('a.txt', ten.replace('1\n', 'one\n').replace('5', 'five').replace('9', 'nine')),
    decisions: { 1: { leave: { 0: '', 2: '' } } },
    after: { 'a.txt': ten.replace('5', 'five') },
    says: ['-1', '+one', '+nine'],
  },
  {
    name: 'leaves out a new file',
    before: { 'a.txt': 'a\n' },
    reply: write('b.txt', 'b\n') + edit('a.txt', 'a', 'A'),
    decisions: { 1: { leave: { 0: 'no b' } } },
    after: { 'a.txt': 'A\n' },
    says: ['eft out by the user: no b'],
  },
  {
    name: 'leaves out a block',
    before: { 'a.txt': 'a\n' },
    reply: edit('a.txt', 'a', 'A') + write('b.txt', 'b\n'),
    decisions: { 1: { leaveOut: true, reason: 'not now' } },
    after: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    says: ['eft out by the user: not now'],
  },
  {
    name: 'goes on in a group after a block that was left out',
    before: { 'a.txt': 'a\n' },
    reply: group('', edit('a.txt', 'a', 'A'), write('b.txt', 'b\n')),
    decisions: { 1: { leaveOut: true } },
    after: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
  },
  {
    name: 'lands the rest of an atomic group together',
    before: { 'a.txt': ten, 'c.txt': 'c\n' },
    reply: group(
      ' atomic="true"',
      edit('a.txt', '2\n3\n4', 'two\n3\nfour'),
      write('b.txt', 'b\n'),
      edit('c.txt', 'c', 'C'),
    ),
    decisions: { 1: { leave: { 0: '' } }, 3: { leaveOut: true } },
    after: { 'a.txt': ten.replace('4', 'four'), 'b.txt': 'b\n', 'c.txt': 'c\n' },
  },
  {
    name: 'changes nothing of an atomic document with a failure',
    before: { 'a.txt': ten },
    reply: edit('a.txt', '2\n3\n4', 'two\n3\nfour') + edit('a.txt', 'absent', 'x'),
    decisions: { 1: { leave: { 0: '' } } },
    options: { atomic: true },
    after: { 'a.txt': ten },
    success: false,
  },
  {
    name: 'fails a later block that needs what was left out',
    before: { 'a.txt': ten },
    reply: edit('a.txt', '2', 'two') + edit('a.txt', 'two', 'TWO'),
    decisions: { 1: { leaveOut: true } },
    after: { 'a.txt': ten },
    success: false,
  },
  {
    name: 'has two blocks on one file, with hunks of each left out',
    before: { 'a.txt': ten },
    reply: edit('a.txt', '2\n3\n4', 'two\n3\nfour') + edit('a.txt', '6\n7\n8', 'six\n7\neight'),
    decisions: { 1: { leave: { 0: '' } }, 2: { leave: { 1: '' } } },
    after: { 'a.txt': ten.replace('4', 'four').replace('6', 'six') },
  },
  {
    name: 'takes hunks of a file with CRLF as they are',
    before: { 'a.txt': '1\r\n2\r\n3\r\n' },
    reply: edit('a.txt', '1\n2\n3', 'one\n2\nthree'),
    decisions: { 1: { leave: { 0: '' } } },
    after: { 'a.txt': '1\r\n2\r\nthree\r\n' },
  },
  {
    name: 'keeps the missing line break at the end of a file',
    before: { 'a.txt': '1\n2\n3' },
    reply: edit('a.txt', '1\n2\n3', 'one\n2\nthree\nfour'),
    decisions: { 1: { leave: { 1: '' } } },
    after: { 'a.txt': 'one\n2\n3' },
  },
  {
    name: 'keeps a byte order mark',
    before: { 'a.txt': '\ufeff1\n2\n3\n' },
    reply: edit('a.txt', '1\n2\n3', 'one\n2\nthree'),
    decisions: { 1: { leave: { 1: '' } } },
    after: { 'a.txt': '\ufeffone\n2\n3\n' },
  },
  {
    name: 'fills an empty file',
    before: { 'a.txt': '' },
    reply: write('a.txt', 'a\n'),
    decisions: { 1: {} },
    after: { 'a.txt': 'a\n' },
  },
  {
    name: 'leaves a file that would be deleted',
    before: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    reply: '*** Begin Patch\n*** Delete File: a.txt\n*** Update File: b.txt\n@@\n-b\n+B\n*** End Patch\n',
    decisions: { 1: { leave: { 0: 'still in use' } } },
    after: { 'a.txt': 'a\n', 'b.txt': 'B\n' },
    says: ['still in use'],
  },
  {
    name: 'moves a file without one of its hunks',
    before: { 'a.txt': ten },
    reply:
      '*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n 1\n-2\n+two\n 3\n@@\n 7\n-8\n+eight\n 9\n*** End Patch\n',
    decisions: { 1: { leave: { 2: '' } } },
    after: { 'b.txt': ten.replace('2', 'two') },
    says: ['+eight'],
  },
  {
    name: 'edits a file and leaves it where it is',
    before: { 'a.txt': ten },
    reply:
      '*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n 1\n-2\n+two\n 3\n@@\n 7\n-8\n+eight\n 9\n*** End Patch\n',
    decisions: { 1: { leave: { 0: 'the name stays', 1: '' } } },
    after: { 'a.txt': ten.replace('8', 'eight') },
    says: ['a.txt → b.txt', 'the name stays'],
  },
  {
    name: 'takes hunks of a unified diff',
    before: { 'a.txt': ten },
    reply:
      '```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n@@ -7,3 +7,3 @@\n 7\n-8\n+eight\n 9\n```\n',
    decisions: { 1: { leave: { 0: '' } } },
    after: { 'a.txt': ten.replace('8', 'eight') },
  },
  {
    name: 'takes hunks of a whole file in a code fence',
    before: { 'a.txt': ten },
    reply: `Here:\n\n**a.txt**\n\`\`\`\n${ten.replace('2', 'two').replace('8', 'eight')}\`\`\`\n`,
    decisions: { 1: { leave: { 1: '' } } },
    after: { 'a.txt': ten.replace('2', 'two') },
  },
  {
    name: 'applies the new text of the user',
    before: { 'a.txt': ten },
    reply: edit('a.txt', '2', 'two'),
    decisions: { 1: { params: { new_text: 'zwei' } } },
    after: { 'a.txt': ten.replace('2', 'zwei') },
    says: ['-two', '+zwei'],
  },
  {
    name: 'applies the text of the user for a file',
    before: { 'a.txt': ten },
    reply: edit('a.txt', '2', 'two'),
    decisions: { 1: { texts: { 'a.txt': ten.replace('2', 'zwei').replace('9\n', '') } } },
    after: { 'a.txt': ten.replace('2', 'zwei').replace('9\n', '') },
    says: ['-two', '+zwei', '-9'],
  },
  {
    name: 'gives the text of the user the line breaks of the file',
    before: { 'a.txt': '1\r\n2\r\n' },
    reply: edit('a.txt', '2', 'two'),
    decisions: { 1: { texts: { 'a.txt': '1\nzwei\n' } } },
    after: { 'a.txt': '1\r\nzwei\r\n' },
  },
  {
    name: 'takes an edit of the user that takes everything back as left out',
    before: { 'a.txt': ten },
    reply: edit('a.txt', '2', 'two'),
    decisions: { 1: { texts: { 'a.txt': ten } } },
    after: { 'a.txt': ten },
  },
  {
    name: 'uses the place that the user chose for a text that is not there',
    before: { 'a.ts': 'function f() {\n    start()\n    work(1)\n    stop()\n}\n' },
    reply: edit('a.ts', 'begin()\nwork(2)\nend()', 'begin()\nwork(3)\nend()'),
    decisions: { 1: { place: { line: 2, endLine: 4 } } },
    after: { 'a.ts': 'function f() {\n    start()\n    work(3)\n    stop()\n}\n' },
  },
  {
    name: 'replaces all lines of a place of another height',
    before: { 'a.txt': 'one\n  two\n  three\nfour\n' },
    reply: edit('a.txt', 'zwei\ndrei\nvier und mehr', 'all\nnew'),
    decisions: { 1: { place: { line: 2, endLine: 3 } } },
    after: { 'a.txt': 'one\n  all\n  new\nfour\n' },
  },
  {
    name: 'uses one of two places',
    before: { 'a.txt': 'x = 1\ny = 2\nx = 1\n' },
    reply: edit('a.txt', 'x = 1', 'x = 3'),
    decisions: { 1: { place: { line: 3, endLine: 3 } } },
    after: { 'a.txt': 'x = 1\ny = 2\nx = 3\n' },
  },
  {
    name: 'uses a place for a hunk of a patch',
    before: { 'a.txt': 'alpha\nbeta\ngamma\ndelta\nalpha\nbeta\ngamma\n' },
    reply: '```diff\n--- a/a.txt\n+++ b/a.txt\n@@\n-alpha\n-beeta\n+ALPHA\n+BETA\n gamma\n@@\n-delta\n+DELTA\n```\n',
    decisions: { 1: { place: { line: 5, endLine: 7, hunk: 1 } } },
    after: { 'a.txt': 'alpha\nbeta\ngamma\nDELTA\nALPHA\nBETA\ngamma\n' },
  },
  {
    name: 'uses a place and the text of the user',
    before: { 'a.txt': 'x = 1\ny = 2\nx = 1\n' },
    reply: edit('a.txt', 'x = 1', 'x = 3'),
    decisions: { 1: { place: { line: 3, endLine: 3 }, params: { new_text: 'x = 4' } } },
    after: { 'a.txt': 'x = 1\ny = 2\nx = 4\n' },
    says: ['-x = 3', '+x = 4'],
  },
  {
    name: 'lands the rest of an atomic document',
    before: { 'a.txt': ten, 'b.txt': 'b\n' },
    reply: edit('a.txt', '2\n3\n4', 'two\n3\nfour') + edit('b.txt', 'b', 'B') + write('c.txt', 'c\n'),
    decisions: { 1: { leave: { 0: '' } }, 2: { leaveOut: true } },
    options: { atomic: true },
    after: { 'a.txt': ten.replace('4', 'four'), 'b.txt': 'b\n', 'c.txt': 'c\n' },
  },
  {
    name: 'edits a file under the name that an earlier block gave it',
    before: { 'a.txt': ten },
    reply: '<run><![CDATA[mv a.txt b.txt]]></run>\n' + edit('b.txt', '2\n3\n4', 'two\n3\nfour'),
    decisions: { 2: { leave: { 1: '' } } },
    after: { 'b.txt': ten.replace('2', 'two') },
  },
  {
    name: 'fails an edit of a file whose move was left out',
    before: { 'a.txt': ten },
    reply: '<run><![CDATA[mv a.txt b.txt]]></run>\n' + edit('b.txt', '2', 'two'),
    decisions: { 1: { leaveOut: true } },
    after: { 'a.txt': ten },
    success: false,
  },
  {
    name: 'edits a part of a file that an earlier block made',
    before: {},
    reply: write('d/a.txt', ten) + edit('d/a.txt', '2\n3\n4', 'two\n3\nfour'),
    decisions: { 2: { leave: { 0: '' } } },
    after: { 'd/a.txt': ten.replace('4', 'four') },
  },
  {
    name: 'leaves out one of two hunks with the same lines',
    before: { 'a.txt': 'x\n1\nx\n2\nx\n' },
    reply: write('a.txt', 'y\n1\ny\n2\ny\n'),
    decisions: { 1: { leave: { 1: 'only this one' } } },
    after: { 'a.txt': 'y\n1\nx\n2\ny\n' },
    says: ['only this one'],
  },
  {
    name: 'takes hunks of a structure',
    before: { 'a.ts': 'function f() {\n  one()\n  two()\n  three()\n}\n' },
    reply: `#!SHAM [@three-char-SHA-256: abc]
action = "replace_structure"
path = "a.ts"
target = "f"
content = <<'EOT_SHAM_abc'
function f() {
  uno()
  two()
  tres()
}
EOT_SHAM_abc
#!END_SHAM_abc
`,
    decisions: { 1: { leave: { 0: '' } } },
    after: { 'a.ts': 'function f() {\n  one()\n  two()\n  tres()\n}\n' },
  },
  {
    name: 'takes a file that displaces another whole or not at all',
    before: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    reply: '<run><![CDATA[mv a.txt b.txt]]></run>\n' + write('c.txt', 'c\n'),
    decisions: { 1: { leave: { 0: '' } } },
    after: { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' },
  },
  {
    name: 'leaves out one of several files',
    before: { 'a.txt': 'x\n', 'b.txt': 'x\n', 'c.txt': 'x\n' },
    reply: `#!SHAM [@three-char-SHA-256: abc]
action = "files_replace_all_text"
paths = <<'EOT_SHAM_abc'
a.txt
b.txt
c.txt
EOT_SHAM_abc
old_text = "x"
new_text = "y"
#!END_SHAM_abc
`,
    decisions: { 1: { leave: { 1: '' } } },
    after: { 'a.txt': 'y\n', 'b.txt': 'x\n', 'c.txt': 'y\n' },
    says: ['b.txt'],
  },
]
