import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block } from '@clada/reply/core/block.ts'
import { Source } from '@clada/reply/core/source.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { CountingSource } from './counting-source.ts'
import { type Format, readers, readForeign, runnable } from './foreign-read.ts'
import { rendered } from './foreign-render.ts'
import { explained } from './read-alone.ts'

const formats = Object.keys(readers).filter((name): name is Format => Object.hasOwn(readers, name))

/** What means something in one of the formats, so that the odd corners are reached often. */
const piece = fc.constantFrom(
  'src/a.ts',
  '`b.ts`:',
  '```',
  '```diff',
  '~~~',
  '````',
  '<<<<<<< SEARCH',
  '<<<<< SEARCH',
  '=======',
  '=====',
  '>>>>>>> REPLACE',
  '>>>>> REPLACE',
  '*** Begin Patch',
  ' *** Begin Patch',
  '*** End Patch',
  '*** Update File: a',
  '*** Add File: b',
  '*** Delete File: c',
  '*** Move to: d',
  '*** End of File',
  'diff --git a/x b/x',
  'diff --git a/x b/y',
  'index 1..2 100644',
  'rename from x',
  'rename to y',
  'new file mode 100644',
  'deleted file mode 100644',
  'GIT binary patch',
  '--- a/x',
  '+++ b/x',
  '--- /dev/null',
  '+++ /dev/null',
  '--- "a/\\303"',
  '@@ -1 +1 @@',
  '@@ -1,2 +1,2 @@',
  '@@',
  '@@ class A',
  '\\ No newline at end of file',
  '-- ',
  '-old',
  '+new',
  ' same',
  'unmarked',
  '',
  ' ',
  '\uFEFF',
)
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('\n')),
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('\r\n')),
)

describe.each(formats)('%s', (format) => {
  test('any text is read without throwing, forward, and every position is in it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const source = new Source(text)
        const { blocks, diagnostics } = readForeign(format, source)
        expect(diagnostics).toEqual([])
        expect(blocks.map(({ id }) => id)).toEqual(blocks.map((_, index) => String(index + 1)))
        let behind = 0
        for (const block of blocks) {
          expect(block.startLine).toBeGreaterThanOrEqual(behind)
          if (block.endLine === null) expect(explained(block).map(({ code }) => code)).toContain('truncated')
          else expect(block.endLine).toBeGreaterThanOrEqual(block.startLine)
          expect(block.endLine ?? 0).toBeLessThanOrEqual(source.lineCount)
          behind = block.endLine ?? block.startLine
          for (const { line, column, length, content, blockId } of explained(block)) {
            expect(line).toBeLessThanOrEqual(source.lineCount)
            expect(column - 1 + length).toBeLessThanOrEqual(content.length)
            expect(blockId).toBe(block.id)
          }
          if (block.diagnostics.length > 0) continue
          for (const value of Object.values(block.params)) expect(typeof value).toBe('string')
          expect(['file_patch', 'file_create', 'file_delete', 'file_copy']).toContain(block.action)
        }
      }),
      { numRuns: 3000 },
    )
  })

  const words = fc.array(fc.stringMatching(/^[a-z (){}=]{0,12}$/), { minLength: 1, maxLength: 25 })
  const unique = words.map((rows) => rows.map((row, at) => `${at} ${row}`.trimEnd()))
  const edit = fc.tuple(
    unique,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom('drop', 'put', 'change')), { maxLength: 4 }),
  )

  test('an edit comes back exactly', async () => {
    const root = scratchDir()
    const clada = new Clada({ repoPath: root, gitCommit: false })
    await fc.assert(
      fc.asyncProperty(edit, fc.constantFrom('\n', '\r\n'), async ([lines, changes], eol) => {
        const rows = [...lines]
        for (const [index, [where, what]] of changes.entries()) {
          const at = where % rows.length || 0
          if (what === 'put') rows.splice(at, 0, `new ${index}`)
          else if (rows.length > 1) rows.splice(at, 1, ...(what === 'change' ? [`new ${index}`] : []))
        }
        const text = (all: readonly string[]) => all.map((row) => row + eol).join('')
        const document = rendered(format, 'src/f.txt', text(lines), text(rows))
        const [block, ...others] = readForeign(format, document).blocks
        expect(others).toEqual([])
        if (block === undefined) {
          expect(rows).toEqual(lines)
          return
        }
        expect(block).toMatchObject({ action: 'file_patch', diagnostics: [] })
        await clada.perform('file_write', { path: 'src/f.txt', content: text(lines) })
        const { results } = await clada.perform(block.action, { ...block.params })
        expect(results).toMatchObject([{ success: true }])
        expect(filesIn(root)).toEqual({ 'src/f.txt': text(rows) })
      }),
      { numRuns: 40 },
    )
  })

  const folder = new URL(`./${format}/`, import.meta.url)
  const documents = readdirSync(folder)
    .filter((name) => name.endsWith('.txt') && !name.startsWith('err-'))
    .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const)

  test.each(documents)('%s, cut anywhere, yields nothing that the whole has not', (_, text) => {
    const whole = runnable(format, text)
    for (let cut = 0; cut < text.length; cut++) {
      for (const block of runnable(format, text.slice(0, cut))) {
        const known = whole.some((other) => isSame(block, other) || isBeginning(block, other, text))
        expect(known, `${cut}: ${JSON.stringify(block.params)}`).toBe(true)
      }
    }
  })
})

const isSame = (a: Block, b: Block): boolean =>
  a.action === b.action && JSON.stringify(a.params) === JSON.stringify(b.params)

/**
 * What nobody can tell: the first blocks of a run, and the first lines of a diff without a fence whose counts are
 * reached, are complete in themselves when the text ends with the line break behind them.
 */
function isBeginning(part: Block, whole: Block, text: string): boolean {
  if (part.action !== whole.action || part.params['path'] !== whole.params['path']) return false
  const { patch = '' } = part.params
  if (part.syntax === 'search-replace') return `${whole.params['patch']}`.startsWith(`${patch}\n@@`)
  if (part.syntax === 'apply-patch' || /^ *(?:```|~~~)/m.test(text)) return false
  return part.action === 'file_patch'
    ? `${whole.params['patch']}`.startsWith(`${patch}\n`)
    : part.params['content'] === `${whole.params['content']}\n`
}

describe('cost is linear', () => {
  const repeat = (unit: string) => (n: number) => unit.repeat(n)
  const documents: Record<string, (n: number) => string> = {
    'blocks of one file': (n) => `a.ts\n${'<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n'.repeat(n)}`,
    'blocks of files': repeat('a/b.ts\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\nprose\n'),
    heads: repeat('<<<<<<< SEARCH\n'),
    'heads of all sizes': (n) => Array.from({ length: n }, (_, at) => `${'<'.repeat(5 + (at % 5))} SEARCH\n`).join(''),
    'tails of another size': repeat('<<<<<<< SEARCH\na\n=======\nb\n>>>>> REPLACE\n'),
    tails: repeat('>>>>>>> REPLACE\n'),
    dividers: (n) => `<<<<<<< SEARCH\n${'=======\n'.repeat(n)}`,
    patches: repeat('*** Begin Patch\n*** Delete File: x\n*** End Patch\n'),
    'patches without end': repeat('*** Begin Patch\n*** Delete File: x\n'),
    'patches ever deeper': (n) =>
      Array.from({ length: n }, (_, at) => `${' '.repeat(at % 50)}*** Begin Patch\n`).join(''),
    'ends of patches': repeat('*** End Patch\n'),
    diffs: repeat('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n'),
    'diffs in fences': repeat('```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n'),
    'open fences': repeat('```diff\n'),
    'open fences with diffs': repeat('```diff\n--- a/x\n+++ b/x\n@@\n-a\n'),
    'diffs without names': repeat('```diff\n- a\n+ b\n```\n'),
    'names without hunks': repeat('--- a/x\n+++ b/x\n'),
    'headers of git': repeat('diff --git a/x b/x\nindex 1..2\n'),
    'blank lines in a hunk': (n) => `--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n${'\n'.repeat(n)}+b\n`,
    'fences above headers': repeat('```\ndiff --git a/x b/x\nindex 1\n'),
  }

  test.each(Object.entries(documents))('%s', (_, make) => {
    for (const format of formats) {
      const cost = (n: number) => {
        const source = new CountingSource(make(n))
        readForeign(format, source)
        return { asked: source.asked / n, characters: source.characters / n }
      }
      const small = cost(300)
      const large = cost(2400)
      // A quadratic cost would be eight times as much.
      expect(large.asked).toBeLessThan(small.asked * 1.5 + 1)
      expect(large.characters).toBeLessThan(small.characters * 1.5 + 1)
    }
  })
})
