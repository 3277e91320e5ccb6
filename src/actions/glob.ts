import { defineAction, fail, ok, path, text } from '../core/action.ts'
import { bounded, withTimeLimit } from '../core/time-limit.ts'
import { neverMatches, patternBelow } from './pattern-below.ts'
import { pathsOutput } from './list-output.ts'

export const glob = defineAction({
  name: 'glob',
  aliases: [],
  description:
    'List the files below a directory whose path matches a glob. Goes into node_modules only when the glob names it.',
  effect: 'read',
  access: ['llm'],
  primary: 'pattern',
  display: 'always',
  output: pathsOutput,
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
    // A pattern becomes an expression, and one with many stars can try them against each other for ever.
    const found = withTimeLimit(mostMs, () =>
      bounded(() => {
        const matches = picomatch(below, { dot: true })
        return names.filter((name) => matches(name))
      }),
    )
    const base = base_path.given.replace(/[\\/]+$/, '')
    return ok(found.map((file) => (base === '.' || base === '' ? file : `${base}/${file}`)))
  },
})

const mostMs = 3000
