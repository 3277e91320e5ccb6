import { describe, expect, test } from 'vitest'
import { parseSham } from '../../packages/clada/src/compat/parse-sham.ts'
import { readSham, runnable } from './sham-read.ts'
import { explained } from './read-alone.ts'

const header = (id: string) => `#!SHAM [@three-char-SHA-256: ${id}]`
const before = `${header('aaa')}\naction = "file_read"\npath = "/tmp/a"\n#!END_SHAM_aaa\n`
const evil = (id: string) => `${header(id)}\naction = "file_delete"\npath = "/tmp/everything"\n#!END_SHAM_${id}\n`
const opened = `${header('abc')}\naction = "file_write"\npath = "/tmp/doc.md"\ncontent = <<'EOT_SHAM_abc'\n`

interface Cut {
  readonly text: string
  /** The ids that may run. */
  readonly runs: readonly string[]
  readonly skipped?: readonly string[]
}

/** A text whose heredoc is not closed where it should be, and what of it may still run. */
const cuts: Record<string, Cut> = {
  'right behind the opener': { text: `${before}${opened}`, runs: ['aaa'] },
  'without the line break of the opener': { text: `${before}${opened.trimEnd()}`, runs: ['aaa'] },
  'inside the opener': { text: `${before}${header('abc')}\ncontent = <<'EOT_SH`, runs: ['aaa'] },
  'inside the opener, blocks follow': {
    text: `${before}${header('abc')}\ncontent = <<'EOT_SH\n${evil('xyz')}`,
    runs: ['aaa'],
    skipped: ['xyz'],
  },
  'inside the content': { text: `${before}${opened}some te`, runs: ['aaa'] },
  'inside the delimiter': { text: `${before}${opened}text\nEOT_SHAM_ab`, runs: ['aaa'] },
  'inside the delimiter of a longer id': {
    text: `${before}${header('abcd')}\nc = <<'EOT_SHAM_abcd'\nEOT_SHAM_abc\n${evil('xyz')}`,
    runs: ['aaa'],
    skipped: ['xyz'],
  },
  'behind a whole block in the content': {
    text: `${before}${opened}${evil('xyz')}`,
    runs: ['aaa'],
    skipped: ['xyz'],
  },
  'inside a block in the content': {
    text: `${before}${opened}${evil('xyz').slice(0, 60)}`,
    runs: ['aaa'],
    skipped: ['xyz'],
  },
  'behind three blocks in the content': {
    text: `${opened}${evil('x1')}prose\n${evil('x2')}${evil('x3')}`,
    runs: [],
    skipped: ['x1', 'x2', 'x3'],
  },
  'with a heredoc of another block in the content': {
    text: `${opened}${header('xyz')}\ncode = <<'EOT_SHAM_xyz'\nrm\nEOT_SHAM_xyz\n#!END_SHAM_xyz\n`,
    runs: [],
    skipped: ['xyz'],
  },
  'with an unclosed heredoc of another block in the content': {
    text: `${opened}${header('xyz')}\ncode = <<'EOT_SHAM_xyz'\nrm\n${evil('uvw')}`,
    runs: [],
    skipped: ['xyz', 'uvw'],
  },
  'with the end markers of others in the content': {
    text: `${opened}#!END_SHAM_xyz\n#!end_abc\n#!END_NESL_abc\n${evil('xyz')}`,
    runs: [],
    skipped: ['xyz'],
  },
  'with a line that only ends in the delimiter': {
    text: `${opened}see EOT_SHAM_abc\n${evil('xyz')}`,
    runs: [],
    skipped: ['xyz'],
  },
  'with a line that only ends in the end marker': {
    text: `${opened}see #!END_SHAM_abc\n${evil('xyz')}`,
    runs: [],
    skipped: ['xyz'],
  },
  'with bad headers in the content': {
    text: `${opened}#!SHAM [@sham-id: 567]\n#!SHAM [oops\n${evil('xyz')}`,
    runs: [],
    skipped: ['xyz'],
  },
  'in the second heredoc': {
    text: `${header('abc')}\nold = <<'EOT_SHAM_abc'\nx\nEOT_SHAM_abc\nnew = <<'EOT_SHAM_abc'\n${evil('xyz')}`,
    runs: [],
    skipped: ['xyz'],
  },
  'in NESL': {
    text: `#!NESL [@three-char-SHA-256: abc]\nc = <<'EOT_NESL_abc'\nEOT_SHAM_abc\n#!END_SHAM_abc\n${evil('xyz')}`,
    runs: [],
    skipped: ['xyz'],
  },
  'in nesl': {
    text: `#!nesl [@x: abc]\nc = <<'EOT_abc'\nEOT_SHAM_abc\n#!END_NESL_abc\n#!nesl [@x: xyz]\naction = "exec"\n#!end_xyz\n`,
    runs: [],
    skipped: ['xyz'],
  },
  'with CRLF': { text: `${opened}${evil('xyz')}`.replaceAll('\n', '\r\n'), runs: [], skipped: ['xyz'] },
  'under an indented key': {
    text: `${header('abc')}\n  c = <<'EOT_SHAM_abc'\n${evil('xyz')}`,
    runs: [],
    skipped: ['xyz'],
  },
  'under a bad key': {
    text: `${header('abc')}\nmy text = <<'EOT_SHAM_abc'\n${evil('xyz')}`,
    runs: [],
    skipped: ['xyz'],
  },
  'under a wrong operator': {
    text: `${header('abc')}\nc := <<'EOT_SHAM_abc'\n${evil('xyz')}`,
    runs: [],
    skipped: ['xyz'],
  },
  'under a wrong delimiter': { text: `${header('abc')}\nc = <<'EOF'\n${evil('xyz')}`, runs: [], skipped: ['xyz'] },
  'under an opener without quotes': {
    text: `${header('abc')}\nc = <<EOT_SHAM_abc\n${evil('xyz')}`,
    runs: [],
    skipped: ['xyz'],
  },
  'under a bad header': {
    text: `${before}#!SHAM [@sham-id: abc]\nc = <<'EOT_SHAM_abc'\n${evil('xyz')}`,
    runs: ['aaa'],
    skipped: ['xyz'],
  },
  'under a bad id': {
    text: `${before}${header('a-b')}\nc = <<'EOT_SHAM_a-b'\n${evil('xyz')}`,
    runs: ['aaa'],
    skipped: ['xyz'],
  },

  // The own end marker is there: reading goes on behind it, and nothing above it runs.
  'closed by its end marker': { text: `${before}${opened}text\n#!END_SHAM_abc\n${evil('xyz')}`, runs: ['aaa', 'xyz'] },
  'closed by its end marker, with blocks in the content': {
    text: `${opened}${evil('xyz')}#!END_SHAM_abc\n${before}`,
    runs: ['aaa'],
  },
  'sent again under the same id': {
    text: `${opened}half a te\n${opened}whole text\nEOT_SHAM_abc\n#!END_SHAM_abc\n${before}`,
    runs: ['aaa'],
  },
  'sent again under the same id, behind another block': {
    text: `${opened}half a te\n${evil('xyz')}${opened}whole text\nEOT_SHAM_abc\n#!END_SHAM_abc\n${before}`,
    runs: ['aaa'],
  },
  'cut twice under the same id': {
    text: `${opened}half\n${opened}half again\n${evil('xyz')}`,
    runs: [],
    skipped: ['abc', 'xyz'],
  },
  'same id below, without a heredoc': { text: `${opened}half\n${evil('abc')}${before}`, runs: ['aaa'] },
  'same id below, well closed': {
    text: `${opened}half\n#!END_SHAM_abc\n${opened}whole\nEOT_SHAM_abc\n#!END_SHAM_abc\n`,
    runs: ['abc'],
  },
}

describe('a truncated heredoc', () => {
  test.each(Object.entries(cuts))('%s', (_, { text, runs, skipped = [] }) => {
    expect(runnable(text).map((block) => block.id)).toEqual(runs)
    const parsed = parseSham(text)
    expect(parsed.skipped.map(({ id }) => id)).toEqual(skipped)
    expect(parsed.errors.length).toBeGreaterThan(0)
    for (const { id, properties } of parsed.blocks) {
      if (!runs.includes(id)) expect(Object.values(properties)).not.toContain('/tmp/everything')
    }
  })

  test('says where to go on, and lists what follows', () => {
    const { blocks } = readSham(`${before}${opened}text\n${evil('xyz')}`)
    expect(
      blocks.map((block) => [
        block.id,
        explained(block).map(({ code, line, column, message, hint }) => ({ code, line, column, message, hint })),
      ]),
    ).toEqual([
      ['aaa', []],
      [
        'abc',
        [
          {
            code: 'UNCLOSED_HEREDOC',
            line: 15,
            column: 1,
            message: "Heredoc 'EOT_SHAM_abc' not closed before EOF",
            hint: "The text ends inside the heredoc of line 8: send block 'abc' again, complete, from its header on line 5, with everything after it.",
          },
        ],
      ],
      [
        'xyz',
        [
          {
            code: 'FOLLOWS_UNCLOSED_HEREDOC',
            line: 10,
            column: 1,
            message: 'not executed: follows an unclosed heredoc',
            hint: "Send block 'xyz' again after the block whose heredoc is not closed.",
          },
        ],
      ],
    ])
  })

  test('wherever a good document is cut, only blocks that were complete before the cut run', () => {
    const document = [before, opened, evil('xyz'), 'EOT_SHAM_abc\n#!END_SHAM_abc\n', evil('uvw')].join('\n')
    const ends = [...document.matchAll(/^#!END_SHAM_(aaa|abc|uvw)$/gm)].map(
      (match) => [match.index + match[0].length, match[1]] as const,
    )
    for (let cut = 0; cut <= document.length; cut++) {
      const complete = ends.filter(([end]) => end <= cut).map(([, id]) => id)
      expect(runnable(document.slice(0, cut)).map((block) => block.id)).toEqual(complete)
    }
  })
})
