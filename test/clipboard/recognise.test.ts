import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Recogniser, secondCopyMs, type Copy } from '../../src/watch/clipboard/recognise.ts'
import { tokenInstruction } from '../../src/watch/token.ts'
import conformance from '../conformance/listener.json' with { type: 'json' }

const token = '0123456789abcdefghjk'
const block = (id: string, path = '/tmp/a.txt'): string =>
  `#!nesl [@three-char-SHA-256: ${id}]\naction = "read_file"\npath = "${path}"\n#!end_${id}`
const reply = `Here you are.\n\n${block('abc')}\n\nDone.`

const recogniser = (): Recogniser => new Recogniser({ token: () => token, secondCopy: true })
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

describe('unless a second copy is said to be enough', () => {
  it('a reply waits for a key, or the token', () => {
    const one = new Recogniser({ token: () => token })
    one.begin('')
    expect(
      verdicts(
        [
          { text: reply, at: 0, owner: 'browser' },
          { text: reply, at: 500, owner: 'browser' },
          { text: `${reply}\nmore`, at: 900, owner: 'browser' },
        ],
        one,
      ),
    ).toEqual(['wait', 'wait', 'wait'])
    expect(one.accept(1000)).toMatchObject({ kind: 'run', how: 'accepted' })
    expect(verdicts([{ text: `clada:${token}\n${block('def')}`, at: 9000 }], one)).toEqual(['token'])
  })
})

describe('what earlier clipboard watchers did', () => {
  /** Theirs ran the shorter of two copies that share an end marker; ours wants the first copy to be in the second. */
  const deviations: Readonly<Record<string, string>> = {
    simplest: 'an end marker alone is no block',
    simple_works: 'the first copy has no block, so nothing is confirmed by the second',
    target_copied_first: 'the second text does not contain the first, only a block of the same id',
    target_copied_second_fast: 'the second text is shorter than the first and other',
    near_timeout_boundary: 'the second text does not contain the first, only a block of the same id',
    valid_target_content_separated_by_empty_clipboard_1: 'the third text does not contain the first',
    valid_target_content_separated_by_empty_clipboard_2: 'the fourth text does not contain the first',
    valid_complex: 'the last text does not contain the first',
  }
  const cases = conformance.cases.flatMap((one) =>
    'copies' in one && one.copies !== undefined ? [{ ...one, copies: one.copies }] : [],
  )

  it('has its cases', () => {
    expect(cases).toHaveLength(15)
    expect(Object.keys(deviations).filter((name) => !cases.some((one) => one.name === name))).toEqual([])
  })

  it.each(cases)('$name', ({ name, copies, expected }) => {
    let at = 0
    const seen = copies.map((copy) => {
      const text = { text: copy.content, at }
      at += ('delay_ms' in copy ? copy.delay_ms : undefined) ?? 0
      return text
    })
    const runs = verdicts(seen).includes('copied-twice')
    expect(runs, deviations[name]).toBe(expected !== null && deviations[name] === undefined)
  })

  it('runs all of them once the first copy is in the second', () => {
    for (const { copies } of cases.filter(({ name }) => /^(target|near|valid)/.test(name))) {
      const [first] = copies
      const text = first?.content ?? ''
      expect(
        verdicts([
          { text, at: 0 },
          { text: `${text}\nlalala`, at: 1600 },
        ]),
      ).toEqual(['wait', 'copied-twice'])
    }
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

  it('runs when a longer one that contains it follows, and it is the first that runs', () => {
    const one = started()
    one.saw({ text: block('abc'), at: 0 })
    const whole = `${block('xyz', '/tmp/other.txt')}\n\n${block('abc')}\n`
    expect(one.saw({ text: whole, at: 900 })).toEqual({ kind: 'run', text: block('abc'), how: 'copied-twice' })
  })

  it('is the same with other line breaks', () => {
    expect(
      verdicts([
        { text: reply, at: 0 },
        { text: `${reply.replaceAll('\n', '\r\n')}\r\n`, at: 500 },
      ]),
    ).toEqual(['wait', 'copied-twice'])
  })

  it('is not confirmed by a shorter one', () => {
    expect(
      verdicts([
        { text: reply, at: 0 },
        { text: block('abc'), at: 500 },
      ]),
    ).toEqual(['wait', 'wait'])
  })

  it.each([
    [secondCopyMs, 'copied-twice'],
    [secondCopyMs + 1, 'wait'],
  ])('a second copy after %i ms: %s', (at, verdict) => {
    const copies = [reply, 'something else', reply].map((text, index) => ({ text, at: (at / 2) * index }))
    expect(verdicts(copies)).toEqual(['wait', 'ignore', verdict])
  })

  it('that is still there is no copy', () => {
    expect(verdicts([0, 400, 800].map((at) => ({ text: reply, at })))).toEqual(['wait', 'ignore', 'ignore'])
  })

  it('is copied again when the same program says so', () => {
    const owner = 'browser'
    expect(verdicts([0, 400].map((at) => ({ text: reply, at, owner })))).toEqual(['wait', 'copied-twice'])
  })

  it('is not copied again when a clipboard manager takes it over', () => {
    const managed = (at: number): Copy[] => [
      { text: reply, at, owner: 'browser' },
      { text: reply, at: at + 250, owner: 'manager' },
    ]
    expect(verdicts(managed(0))).toEqual(['wait', 'ignore'])
    expect(verdicts([0, 60].map((at) => ({ text: reply, at, owner: '' })))).toEqual(['wait', 'ignore'])
  })

  it('never counts when it was there at the start', () => {
    const text = `clada:${token}\n${reply}`
    expect(verdicts([{ text, at: 0 }], started(text))).toEqual(['ignore'])
    expect(verdicts([{ text, at: 0, owner: 'manager' }], started(text))).toEqual(['ignore'])
  })

  it('never counts when it is an answer of our own', () => {
    const one = started()
    const answer = `=== CLADA RESULTS ===\nclada:${token}\n${reply}\n`
    one.wrote(answer)
    expect(verdicts([{ text: answer.replaceAll('\n', '\r\n'), at: 0, owner: 'x' }], one)).toEqual(['ignore'])
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
        { text: prompt, at: 0, owner: 'x' },
        { text: prompt, at: 500, owner: 'x' },
      ]),
    ).toEqual(['ignore', 'ignore'])
    const rendered = prompt.replaceAll('`', '').replace('directly followed', 'directly\nfollowed')
    expect(verdicts([{ text: rendered, at: 0 }])).toEqual(['ignore'])
  })

  it('that was run just now and is copied once more only takes the answer away', () => {
    const text = `clada:${token}\n${reply}`
    const copies = [0, 400, 3000].map((at) => ({ text, at, owner: 'browser' }))
    expect(verdicts(copies)).toEqual(['token', 'echo', 'token'])
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
  const copies = fc.array(
    fc.record({
      text: fc.constantFrom(...texts),
      wait: fc.integer({ min: 0, max: 2500 }),
      owner: fc.constantFrom(undefined, 'a', 'b'),
    }),
    { maxLength: 12 },
  )

  it('runs only what was copied before, within the time, and never what was there at the start alone', () => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), copies, (atStart, steps) => {
        const one = started(atStart)
        const seen: Copy[] = []
        let at = 0
        for (const { text, wait, owner } of steps) {
          at += wait
          const verdict = one.saw({ text, at, owner })
          if (verdict.kind === 'run') {
            expect(verdict.how).toBe('copied-twice')
            expect(text).toContain(verdict.text)
            expect(seen.some((copy) => copy.text === verdict.text && at - copy.at <= secondCopyMs)).toBe(true)
          }
          seen.push({ text, at, owner })
        }
      }),
    )
  })
})
