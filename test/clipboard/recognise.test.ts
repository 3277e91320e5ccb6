import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Recogniser, type Copy } from '../../packages/clada/src/watch/clipboard/recognise.ts'
import { tokenInstruction } from '../../packages/clada/src/watch/token.ts'
import conformance from '../conformance/listener.json' with { type: 'json' }

const token = '0123456789abcdefghjk'
const block = (id: string, path = '/tmp/a.txt'): string =>
  `#!nesl [@three-char-SHA-256: ${id}]\naction = "read_file"\npath = "${path}"\n#!end_${id}`
const reply = `Here you are.\n\n${block('abc')}\n\nDone.`

const recogniser = (): Recogniser => new Recogniser({ token: () => token })
const started = (text = ''): Recogniser => {
  const one = recogniser()
  one.begin(text)
  return one
}
/** What becomes of each copy. */
const verdicts = (copies: readonly Copy[], one = started()): string[] =>
  copies.map((copy) => {
    const verdict = one.saw(copy)
    return verdict.kind === 'run' ? verdict.how : verdict.kind
  })

describe('what earlier clipboard watchers did', () => {
  const cases = conformance.cases.flatMap((one) =>
    'copies' in one && one.copies !== undefined ? [{ ...one, copies: one.copies }] : [],
  )

  it('has its cases', () => {
    expect(cases).toHaveLength(15)
  })

  // Theirs ran a text that was copied twice; a web page can do that after one click.
  it.each(cases)('$name does not run without the token or a key', ({ copies }) => {
    const one = started()
    const runs = copies.map(({ content }, at) => one.saw({ text: content, at: at * 300 })).map(({ kind }) => kind)
    expect(runs).not.toContain('run')
  })
})

describe('a copied text', () => {
  it('without blocks means nothing', () => {
    expect(
      verdicts([
        { text: 'hello', at: 0 },
        { text: '#!nesl [@x: abc]\naction = "exec"', at: 300 },
      ]),
    ).toEqual(['ignore', 'ignore'])
  })

  it('runs at once with the token', () => {
    expect(verdicts([{ text: `clada:${token}\n${reply}`, at: 0 }])).toEqual(['token'])
  })

  it('waits with the token of another session', () => {
    expect(verdicts([{ text: `clada:${token.replace('0', '1')}\n${reply}`, at: 0 }])).toEqual(['wait'])
  })

  it('waits again when it is copied a second time, whole or within a longer text', () => {
    const copies = [reply, 'prose', reply, `${reply}\nmore`].map((text, index) => ({ text, at: index * 400 }))
    expect(verdicts(copies)).toEqual(['wait', 'ignore', 'wait', 'wait'])
  })

  it('that is still there is no copy', () => {
    expect(verdicts([0, 400, 800].map((at) => ({ text: reply, at })))).toEqual(['wait', 'ignore', 'ignore'])
  })

  it('never counts when it was there at the start', () => {
    const text = `clada:${token}\n${reply}`
    expect(verdicts([{ text, at: 0 }], started(text))).toEqual(['ignore'])
  })

  it('never counts when it is an answer of our own', () => {
    const one = started()
    const answer = `=== CLADA RESULTS ===\nclada:${token}\n${reply}\n`
    one.wrote(answer)
    expect(verdicts([{ text: answer.replaceAll('\n', '\r\n'), at: 0 }], one)).toEqual(['ignore'])
    expect(
      verdicts(
        [
          { text: 'x', at: 1 },
          { text: answer, at: 3000 },
        ],
        one,
      ),
    ).toEqual(['ignore', 'ignore'])
  })

  it('never counts when it is a prompt, which is full of examples', () => {
    const prompt = `# How to write blocks\n${tokenInstruction(token)}\n\n${reply}`
    expect(
      verdicts([
        { text: prompt, at: 0 },
        { text: prompt, at: 500 },
      ]),
    ).toEqual(['ignore', 'ignore'])
    const rendered = prompt.replaceAll('`', '').replace('directly followed', 'directly\nfollowed')
    expect(verdicts([{ text: rendered, at: 0 }])).toEqual(['ignore'])
  })

  it('that was run just now and is copied once more only takes the answer away', () => {
    const text = `clada:${token}\n${reply}`
    const copies = [text, 'the answer', text, 'prose', text].map((copied, index) => ({ text: copied, at: index * 800 }))
    expect(verdicts(copies)).toEqual(['token', 'ignore', 'echo', 'ignore', 'token'])
  })

  it('is not forgotten when the clipboard is empty for a moment, nor copied anew by that', () => {
    const copies = [reply, '', reply].map((text, index) => ({ text, at: index * 400 }))
    expect(verdicts(copies)).toEqual(['wait', 'ignore', 'ignore'])
  })
})

describe('the key', () => {
  it('runs what is offered, however long ago', () => {
    const one = started()
    expect(one.offers).toBe(false)
    one.saw({ text: reply, at: 0 })
    expect(one.offers).toBe(true)
    expect(one.accept(60_000)).toEqual({ kind: 'run', text: reply, how: 'accepted' })
    expect(one.accept(60_001)).toEqual({ kind: 'ignore' })
  })

  it('runs nothing that is no longer on the clipboard', () => {
    const one = started()
    one.saw({ text: reply, at: 0 })
    one.saw({ text: 'something else', at: 5000 })
    expect(one.accept(5001)).toEqual({ kind: 'ignore' })
  })
})

describe('any sequence of copies', () => {
  const texts = [reply, block('abc'), block('xyz'), 'prose', '', `${reply}\n${block('xyz')}`]
  const copies = fc.array(fc.record({ text: fc.constantFrom(...texts), wait: fc.integer({ min: 0, max: 2500 }) }), {
    maxLength: 12,
  })

  it('runs nothing without the token or a key', () => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), copies, (atStart, steps) => {
        const one = started(atStart)
        let at = 0
        for (const { text, wait } of steps) expect(one.saw({ text, at: (at += wait) }).kind).not.toBe('run')
      }),
    )
  })
})
