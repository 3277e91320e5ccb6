import { defineAction, fail, ok, path, text } from '../core/action.ts'

export const glob = defineAction({
  name: 'glob',
  aliases: [],
  description:
    'List the files below a directory whose path matches a glob. Goes into node_modules only when the glob names it.',
  effect: 'read',
  access: ['llm'],
  primary: 'pattern',
  display: 'always',
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
    // Loaded only here: most documents never list by pattern.
    const { default: picomatch } = await import('picomatch')
    const matches = picomatch(pattern.replace(/^\.\//, ''), { dot: true })
    const named = pattern.includes('node_modules') || base_path.absolute.includes('node_modules')
    const found = await files.glob(base_path, matches, (dir) => named || !/(^|\/)node_modules$/.test(dir))
    const base = base_path.given.replace(/[\\/]+$/, '')
    return ok(found.map((file) => (base === '.' || base === '' ? file : `${base}/${file}`)))
  },
})
