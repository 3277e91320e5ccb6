import { describe, expect, it } from 'vitest'
import { type ActionResult, type CladaOptions, createClada, defineAction, ok } from '../../packages/clada/src/index.ts'
import type { Outcome } from '../../packages/clada/src/core/action.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const block = (id: string, action: string, params: Readonly<Record<string, string>> = {}): string =>
  [`#!SHAM [@three-char-SHA-256: ${id}]`, `action = "${action}"`]
    .concat(Object.entries(params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`))
    .concat(`#!END_SHAM_${id}`, '')
    .join('\n')
const write = (id: string, path: string): string => block(id, 'file_write', { path, content: 'x' })

/** Its files, and what the next execution says: it would find the project locked by one that has not ended. */
async function afterwards(root: string): Promise<unknown> {
  const { success } = await createClada({ repoPath: root, relativePaths: true, lockTimeout: 0 }).execute(
    write('end', 'next.txt'),
  )
  return success && Object.keys(filesIn(root))
}

describe('a listener that fails', () => {
  const reply =
    write('one', 'a.txt') +
    block('two', 'exec', { lang: 'javascript', code: 'console.log(1)' }) +
    block('tri', 'file_write', { path: 'b.txt' }) +
    '<<<<<<< SEARCH\nno file\n=======\nfor this\n>>>>>>> REPLACE\n'
  const names = ['onOutput', 'onProgram', 'onAction', 'onUnreadable', 'onNotExecuted', 'onChanges'] as const
  const ways: Readonly<Record<string, () => unknown>> = {
    throws: () => {
      throw new Error('no listener')
    },
    rejects: () => Promise.reject(new Error('no listener')),
    'throws nothing': () => {
      // oxlint-disable-next-line no-throw-literal
      throw undefined
    },
  }
  const cases = names.flatMap((name) => Object.keys(ways).map((how) => [name, how] as const))
  it.each(cases)('%s that %s is named in the result, and ends no program', async (name, how) => {
    const root = scratchDir()
    const clada = createClada({ repoPath: root, relativePaths: true, exec: 'unsandboxed', git: 'off' })
    const heard: unknown[] = []
    const listener = (...given: unknown[]): unknown => {
      heard.push(given)
      return ways[how]?.()
    }
    const result = await clada.execute(reply, { [name]: listener })
    expect(heard).not.toHaveLength(0)
    expect(result).toMatchObject({
      success: false,
      fatalCode: 'internal_error',
      fatalError: expect.stringMatching(new RegExp(`^${name} failed: `)),
    })
    expect(await afterwards(root)).toContain('next.txt')
  })
})

describe('code of the caller that never ends', () => {
  const never = <T>(): Promise<T> => new Promise(() => undefined)
  const proposal = 'Create `new.txt`:\n\n```\ntext\n```\n'
  const wait = defineAction({
    name: 'wait_forever',
    description: 'Waits.',
    effect: 'write',
    params: {},
    returns: {},
    examples: [],
    run: () => never<Outcome>(),
  })
  async function* begun(): AsyncIterable<string> {
    yield write('one', 'a.txt')
    await never()
  }
  const asking: CladaOptions = { ask: () => never() }

  it.each<[string, CladaOptions, string | (() => AsyncIterable<string>)]>([
    ['a question about a command', asking, block('run', 'run', { command: 'npm test' })],
    ['a question about a proposal', asking, proposal],
    ['an action', { actions: [wait] }, block('own', 'wait_forever')],
    ['a stream', {}, begun],
  ])('%s ends with the signal, and with the time', async (_, options, reply) => {
    for (const by of ['signal', 'time']) {
      const root = scratchDir()
      const stop = new AbortController()
      const clada = createClada({
        ...options,
        repoPath: root,
        relativePaths: true,
        git: 'off',
        totalTimeout: by === 'time' ? 0.2 : undefined,
      })
      const how = { signal: stop.signal }
      const running = typeof reply === 'string' ? clada.execute(reply, how) : clada.executeStream(reply(), how)
      if (by === 'signal') setTimeout(() => stop.abort(new Error('enough')), 100)
      const result = await running
      expect(result.success, by).toBe(false)
      expect(result.fatalCode, by).not.toBe('internal_error')
      expect(await afterwards(root), by).toContain('next.txt')
    }
  })
})

describe('an action that returns no result', () => {
  const itself: Record<string, unknown> = {}
  itself['itself'] = itself
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 5],
    ['an empty object', {}],
    ['an object that contains itself', ok(itself)],
    ['a number of 64 bits', ok({ n: 1n })],
  ])('%s ends only that action, and can be reported', async (_, returned) => {
    const root = scratchDir()
    const odd = defineAction({
      name: 'odd_result',
      description: 'Returns something else.',
      effect: 'write',
      params: {},
      returns: {},
      examples: [],
      run: async () => Object.assign(JSON.parse('null') ?? returned),
    })
    const clada = createClada({ repoPath: root, relativePaths: true, git: 'off', actions: [odd] })
    const result = await clada.execute(block('odd', 'odd_result') + write('aft', 'after.txt'))
    expect(result.results.map(({ success }: ActionResult) => success)).toEqual([false, true])
    expect(result.results[0]?.error).toMatch(/^odd_result: /)
    expect(await clada.report(result, { for: 'program' })).toContain('odd_result')
  })
})

it.each([undefined, null, 5, Buffer.from('text'), ['text'], { text: 'text' }])(
  'a reply that is no text is refused by name: %j',
  async (reply) => {
    const root = scratchDir()
    const clada = createClada({ repoPath: root })
    for (const one of [clada, clada.session()]) {
      const given: Parameters<typeof one.execute> = JSON.parse('[]')
      Reflect.set(given, 0, reply)
      const { success, fatalCode, fatalError } = await one.execute(...given)
      expect({ success, fatalCode }).toEqual({ success: false, fatalCode: 'invalid_parameter' })
      expect(fatalError).toMatch(/^The reply must be a text; it is /)
      const { result } = await one.preview(...given)
      expect(result).toMatchObject({ success: false, fatalError })
    }
  },
)
