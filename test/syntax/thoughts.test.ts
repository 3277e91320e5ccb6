import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Document } from '@clada/reply/core/block.ts'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { BlockStream } from '@clada/reply/syntax/stream-blocks.ts'
import { spliced } from './corpus.ts'
import { blockNames, writes } from './samples.ts'

const find = (text: string): Document => findBlocks(new Source(text))
const lineCountOf = (text: string): number => text.split('\n').length - 1
const linesSaid = ({ notExecuted }: Document): unknown[] => notExecuted.map(({ line, reason }) => [line, reason])

describe.each(blockNames)('a draft in the thoughts of a model, in %s', (syntax) => {
  const draft = writes(syntax, '/p/draft.txt', 'draft\nlonger')
  const meant = writes(syntax, '/p/meant.txt', 'meant\nlonger')
  const [alone] = find(meant).blocks

  it.each([
    ['in its tags', `<think>\nMaybe:\n\n${draft}\nNo.\n</think>\n`],
    ['in other tags', `\n  <thinking>\n${draft}\n  </thinking>\n`],
    ['with text in the same lines', `<think>Maybe:\n\n${draft}\nNo.</think>\n`],
    ['whose beginning another program wrote', `Maybe:\n\n${draft}\nNo.\n</think>\n`],
    ['with CRLF', `<think>\r\n\r\n${draft}\r\nNo.</think>\r\n`],
    ['that was given up half way', `<think>\n${draft.slice(0, -12)}\n\nNo.\n</think>\n`],
    ['in tags with attributes', `<thinking budget="low">\n${draft}\n</thinking>\n`],
    ['in tags of other models', `<reasoning>\n${draft}\n</reasoning>\n<scratchpad>\n${draft}\n</scratchpad>\n`],
    ['in other marks', `[THINK]\n${draft}\n[/THINK]\n<|channel|>analysis<|message|>Or\n${draft}\n<|end|>\n`],
    [
      'in tags with a suffix',
      `<thinking-content-7bbeb8e1441453ad999a0bbba8a46d4b>\n\n${draft}\n\n</thinking-content-7bbeb8e1441453ad999a0bbba8a46d4b>\n`,
    ],
    [
      'in tags with other suffixes',
      `<think-1>\n${draft}\n</think-1>\n<reasoning_a.2 n="1">\n${draft}\n</reasoning_a.2>\n`,
    ],
    ['in tags of what is internal', `<internal_thought>\n${draft}\n</internal_thought>\n`],
    ['as a program prints them', `Thinking...\n${draft}\n...done thinking.\n\n`],
    ['below words in italics', `*Thinking:*\n\n${draft}\n*Answer:*\n\n`],
    ['below a heading', `--------------\n► **THINKING**\n\n${draft}\n\n------------\n► **ANSWER**\n\n`],
    ['below a plain heading', `► THINKING\n${draft}\n► ANSWER\n`],
    ['below headings of other words', `▶ **Reasoning:**\n${draft}\n▶ **Final answer:**\n`],
    ['below a heading, with tags in it', `► **THINKING**\n<think>\n</think>\n${draft}\n► **ANSWER**\n`],
    ['below a heading of Markdown', `## Thinking\n\n${draft}\n\n## Answer\n\n`],
    ['below headings of Markdown with other words', `### 🤔 **Thought process:**\n${draft}\n# Final answer\n`],
    ['below a heading of Markdown, with tags in it', `# Reasoning\n<think>\n</think>\n${draft}\n# Response\n`],
    ['below a line in bold', `**Thinking**\n\n${draft}\n\n**Final answer**\n\n`],
    ['below a line in bold with a colon', `**Reasoning:**\n${draft}\n**Answer:**\n`],
    ['in tags, with a heading for a draft of the answer', `<think>\n## Answer\n${draft}\n</think>\n`],
    [
      'folded by Open WebUI',
      `<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n${draft}\n</details>\n`,
    ],
    ['folded with a summary', `<details>\n<summary>Thought for 12 seconds</summary>\n\n${draft}\n\n</details>\n`],
    ['folded with a picture', `<details open><summary>💭 Thinking…</summary>\n${draft}\n</details>\n`],
    ['folded, with tags in it', `<details>\n<summary>Reasoning</summary>\n<think>\n</think>\n${draft}\n</details>\n`],
    ['in the middle', `Let me see.\n\n<think>\n${draft}\n</think>\n`],
    ['shown in a fence that has no end of it', `\`\`\`xml\n<thinking>\n\`\`\`\n<think>\n${draft}\n</think>\n`],
    ['twice', `<think>\n${draft}\n</think>\nLet me see.\n<think>\n${draft}\n</think>\n`],
  ])('is not meant: %s', (_, thoughts) => {
    const { blocks, diagnostics, notExecuted } = find(`${thoughts}Here it is:\n\n${meant}`)
    const lines = lineCountOf(thoughts) + 2
    expect(blocks).toEqual([
      {
        ...alone,
        startLine: (alone?.startLine ?? 0) + lines,
        endLine: (alone?.endLine ?? 0) + lines,
        raw: blocks[0]?.raw,
      },
    ])
    expect(blocks[0]?.params).toEqual(alone?.params)
    expect(diagnostics).toEqual([])
    expect(notExecuted.length).toBeGreaterThan(0)
    for (const { reason } of notExecuted) expect(reason).toBe('thought')
  })

  it('is not meant when nothing follows', () => {
    const found = find(`<think>\n${draft}\n</think>\nDone.\n`)
    expect(found).toMatchObject({ blocks: [], diagnostics: [], warnings: [] })
    expect(linesSaid(found)).toEqual([[(alone?.startLine ?? 0) + 1, 'thought']])
    expect(found.notExecuted[0]).toMatchObject({ path: find(draft).blocks[0]?.params['path'] })
  })

  it.each(['<think>', '<thinking-content-7bbe>', '► **THINKING**'])(
    'is not meant when the reply was cut off in %s',
    (mark) => {
      const found = find(`\n${mark}\n${draft}\nAnd`)
      expect(found).toMatchObject({ blocks: [], diagnostics: [], warnings: [] })
      expect(linesSaid(found)).toEqual([[(alone?.startLine ?? 0) + 2, 'thought']])
    },
  )

  it('is content when the marks are in a block', () => {
    const about = writes(syntax, '/p/about.txt', '<think>\nx\n</think>')
    const { blocks, notExecuted } = find(`${about}\n${meant}`)
    expect(blocks.map(({ params }) => params)).toEqual([find(about).blocks[0]?.params, alone?.params])
    expect(JSON.stringify(blocks[0]?.params)).toContain('</think>')
    expect(notExecuted).toEqual([])
  })

  it('is not meant where a thought begins in the middle and never ends', () => {
    const before = `${meant}\nWait.\n`
    const { blocks, notExecuted } = find(`${before}<think>\nMaybe:\n\n${draft}`)
    expect(blocks.map(({ params }) => params)).toEqual([alone?.params])
    expect(notExecuted.map(({ reason }) => reason)).toEqual(['thought'])
    expect(notExecuted[0]?.line).toBe((alone?.startLine ?? 0) + lineCountOf(before) + 3)
  })

  it.each([
    ['a mark inside a sentence', `The tag <think> opens it.\n\n`],
    ['a mark that a fence shows', `It opens with\n\n\`\`\`\n<think>\n\`\`\`\n\n`],
    ['an element without content', `<think/>\n`],
    ['a section about thinking that no answer follows', `## Thinking\n\nIt is simple.\n\n`],
    ['a heading for the answer alone', `## Answer\n\n`],
    ['a comment in a fence', `\`\`\`py\n# Thinking\n\`\`\`\n\n## Answer\n\n`],
  ])('is meant after %s', (_, before) => {
    const { blocks, notExecuted } = find(before + meant)
    expect(blocks.map(({ params }) => params)).toEqual([alone?.params])
    expect(notExecuted).toEqual([])
  })
})

describe('a thought without a draft', () => {
  it('is not worth a word, whatever stands behind it', () => {
    fc.assert(
      fc.property(spliced, (text) => {
        fc.pre(!/think/.test(text))
        const [plain, thought] = [find(`       \n     \n        \n${text}`), find(`<think>\nWell.\n</think>\n${text}`)]
        expect(thought).toEqual(plain)
      }),
    )
  })
})

describe('a text that is still coming', () => {
  const draft = writes('sham', '/p/draft.txt', 'draft')
  const meant = writes('sham', '/p/meant.txt', 'meant')
  const stream = new BlockStream({})
  const paths = ({ blocks }: Document): unknown[] => blocks.map(({ params }) => params['path'])

  it('gives no draft, and what is meant as soon as it is there', () => {
    expect(paths(stream.push(`<think>\n${draft}\n`))).toEqual([])
    expect(paths(stream.push(`No.\n</think>\n${meant}`))).toEqual(['/p/meant.txt'])
    expect(paths(stream.push(`Wait.\n<think>\n${draft}\n`))).toEqual([])
    expect(paths(stream.push(`Yes.\n</think>\n${meant}`))).toEqual(['/p/meant.txt'])
    const rest = stream.end()
    expect(rest).toMatchObject({ blocks: [], diagnostics: [], warnings: [] })
    expect(linesSaid(rest)).toEqual([
      [2, 'thought'],
      [2 * lineCountOf(draft) + 7, 'thought'],
    ])
  })

  it('gives the same, however it comes', () => {
    const text = `<think>\n${draft}\nNo.\n</think>\nSo:\n${meant}\n<think>\n${draft}\n</think>\n${meant}bye\n`
    const whole = find(text)
    expect(paths(whole)).toEqual(['/p/meant.txt', '/p/meant.txt'])
    fc.assert(
      fc.property(fc.array(fc.nat({ max: text.length }), { maxLength: 6 }), (cuts) => {
        const ends = [...cuts.toSorted((a, b) => a - b), text.length]
        const coming = new BlockStream({})
        const blocks = ends.flatMap((end, at) => coming.push(text.slice(ends[at - 1] ?? 0, end)).blocks)
        const rest = coming.end()
        expect({ ...rest, blocks: [...blocks, ...rest.blocks] }).toEqual(whole)
      }),
    )
  })
})
