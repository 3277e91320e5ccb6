import { describe, expect, it } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { Clada, type ExecutionResult } from '../../packages/clada/src/index.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { syntaxOf } from '@clada/reply/syntax/table.ts'
import { clada } from '../support/cli.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { type BlockName, blockNames, writes } from './samples.ts'
import { documentOf, throughStream } from './streamed.ts'

/** Small documents that every syntax must read the same way, however they arrive. `ROOT` is the project. */
function documentsOf(syntax: BlockName): Readonly<Record<string, string>> {
  const block = (name: BlockName, file: string): string =>
    writes(name, syntaxOf(name).paths === 'absolute' ? `ROOT/${file}` : file, 'one é\n😀 two')
  const own = block(syntax, 'a.txt')
  return {
    alone: own,
    'between prose': `Intro é😀:\n\n${own}\nOutro.\n`,
    twice: `${own}\n${block(syntax, 'b.txt')}`,
    'before a native block': `${own}\n${block('sham', 'n.txt')}`,
    'after a native block': `${block('sham', 'n.txt')}\n${own}`,
    'between native blocks': `${block('cml', 'm.txt')}\n${own}\n${block('replacer', 'n.txt')}`,
    'cut off': own.slice(0, -8),
    'inside a block': writes('sham', 'ROOT/a.md', own),
  }
}

/** The files that each document writes: a foreign block runs only where no native block is in the document. */
function executed(syntax: BlockName, name: string): string[] {
  const own = syntaxOf(syntax).kind === 'native' ? ['a.txt'] : []
  const files: Readonly<Record<string, readonly string[]>> = {
    alone: ['a.txt'],
    'between prose': ['a.txt'],
    twice: ['a.txt', 'b.txt'],
    'before a native block': [...own, 'n.txt'],
    'after a native block': [...own, 'n.txt'],
    'between native blocks': [...own, 'm.txt', 'n.txt'],
    'cut off': [],
    'inside a block': ['a.md'],
  }
  return [...(files[name] ?? [])]
}

describe.each(blockNames)('%s', (syntax) => {
  const documents = Object.entries(documentsOf(syntax))

  it('gives its own name to its blocks', () => {
    const { blocks } = findBlocks(new Source(documentsOf(syntax)['alone'] ?? ''))
    expect(blocks.map((block) => [block.syntax, block.diagnostics])).toEqual([[syntax, []]])
  })

  it.each(documents)('is read as a whole from any two pieces: %s', (_, text) => {
    const whole = documentOf(findBlocks(new Source(text)))
    for (let at = 0; at <= text.length; at++) {
      expect(documentOf(throughStream(text, [at])), `cut at ${at}`).toEqual(whole)
    }
    expect(
      documentOf(
        throughStream(
          text,
          Array.from(text, (_, at) => at),
        ),
      ),
    ).toEqual(whole)
  })

  it.each(documents)('does the same from a text and from a stream: %s', async (name, text) => {
    const ran = async (how: 'text' | 'stream') => {
      const root = scratchDir()
      const clada = new Clada({ repoPath: root, gitCommit: false })
      const filled = text.replaceAll('ROOT', root)
      return seenIn(root, await (how === 'text' ? clada.execute(filled) : clada.executeStream(inPieces(filled))))
    }
    const whole = await ran('text')
    expect(await ran('stream')).toEqual(whole)
    expect(Object.keys(whole.files)).toEqual(executed(syntax, name))
  })

  it('does the same from a file and from a pipe', () => {
    const text = documentsOf(syntax)['between prose'] ?? ''
    const ran = (how: 'file' | 'pipe') => {
      const cwd = scratchDir()
      const reply = scratchDir({ 'reply.md': text.replaceAll('ROOT', cwd) })
      const args = ['run', '--no-git', '--format', 'json', '--root', cwd]
      const input = how === 'pipe' ? { input: filesIn(reply)['reply.md'] ?? '' } : {}
      const { status, stdout } = clada(how === 'file' ? [...args, `${reply}/reply.md`] : args, { cwd, ...input })
      return { status, ...seenIn(cwd, JSON.parse(stdout)) }
    }
    const fromFile = ran('file')
    expect(ran('pipe')).toEqual(fromFile)
    expect(Object.keys(fromFile.files)).toEqual(executed(syntax, 'between prose'))
  })
})

/** The result of a run and the files it left, the same for every root. */
function seenIn(root: string, { results, parseErrors, warnings }: ExecutionResult) {
  const seen = results.map(({ action, syntax, success }) => ({ action, syntax, success }))
  const kept = JSON.stringify({ files: filesIn(root), results: seen, parseErrors, warnings })
  return JSON.parse(kept.replaceAll(root, 'ROOT'))
}

async function* inPieces(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7)
}
