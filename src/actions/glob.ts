import { defineAction, fail, ok, path, text } from '../core/action.ts'
import { neverMatches, patternBelow } from './pattern-below.ts'
import { listOutput } from './output.ts'

export const glob = defineAction({
  name: 'glob',
  aliases: [],
  description:
    'List the files below a directory whose path matches a glob. Goes into node_modules only when the glob names it.',
  effect: 'read',
  access: ['llm'],
  primary: 'pattern',
  display: 'always',
  output: listOutput(),
  everyday: true,
  params: {
    pattern: text('Glob relative to base_path, such as `src/**/*.ts`.'),
    base_path: path('Directory to look in.'),
  },
  returns: { '[]': 'string' },
  examples: [
    {
      title: 'finds files at any depth, sorted',
      before: { 'b.ts': '', 'src/a.ts': '', 'src/c.js': '', 'node_modules/x/d.ts': '' },
      params: { pattern: '**/*.ts', base_path: '.' },
      data: ['ROOT/b.ts', 'ROOT/src/a.ts'],
    },
  ],
  async run({ pattern, base_path }, { files }) {
    if (pattern === '') return fail({ kind: 'empty-text', param: 'pattern' })
    const below = patternBelow(pattern, base_path)
    const never = neverMatches(below)
    if (never !== undefined) return fail({ kind: 'bad-param', param: 'pattern', message: never })
    // Loaded only here: most documents never list by pattern.
    const { default: picomatch } = await import('picomatch')
    const named = below.includes('node_modules') || base_path.absolute.includes('node_modules')
    const names = await files.glob(
      base_path,
      () => true,
      (dir) => named || !/(^|\/)node_modules$/.test(dir),
    )
    const found = await inTime(() => {
      const matches = picomatch(below, { dot: true })
      return names.filter((name) => matches(name))
    })
    if (found === undefined)
      return fail({
        kind: 'search-failed',
        message: `the pattern took longer than ${mostMs / 1000} s; use fewer stars`,
      })
    const base = base_path.given.replace(/[\\/]+$/, '')
    return ok(found.map((file) => (base === '.' || base === '' ? file : `${base}/${file}`)))
  },
})

const mostMs = 3000

/** A pattern becomes an expression, and one with many stars can try them against each other for ever. */
async function inTime<T>(work: () => T): Promise<T | undefined> {
  const { runInNewContext } = await import('node:vm')
  let done: T | undefined
  try {
    runInNewContext('work()', { work: () => (done = work()) }, { timeout: mostMs })
    return done
  } catch (error) {
    // It is an error of that other world, and no instance of one of ours.
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
}
