import { defineAction, fail, ok, path, text } from '../core/action.ts'
import { namesMatching } from '../core/names-matching.ts'
import { pathsOutput } from './output.ts'
import type { PathArg } from '../core/files.ts'
import { isAbsolutePath, withSlashes, writtenPath } from '../core/paths.ts'

export const glob = defineAction({
  name: 'glob',
  title: 'Find files',
  description:
    'List the files below a directory whose path matches a glob. Goes into node_modules only when the glob names it.',
  effect: 'read',
  primary: 'pattern',
  display: 'always',
  output: pathsOutput,
  everyday: true,
  params: {
    pattern: text('Glob relative to base_path, such as `src/**/*.ts`.'),
    base_path: path('Directory to look in.'),
  },
  returns: ['string'],
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
    const named = below.includes('node_modules') || base_path.absolute.includes('node_modules')
    const names = await files.glob(
      base_path,
      () => true,
      (dir) => named || !/(^|\/)node_modules$/.test(dir),
    )
    const found = await namesMatching(names, below)
    const base = base_path.given.replace(/[\\/]+$/, '')
    return ok(found.map((file) => (base === '.' || base === '' ? file : `${base}/${file}`)))
  },
})

/** A glob as it reads from a directory: models that write whole paths everywhere write them here too. */
export function patternBelow(pattern: string, base: PathArg): string {
  // A backslash in a glob makes the next character an ordinary one, except where the glob is a path of Windows.
  const glob = isAbsolutePath(pattern) ? writtenPath(pattern) : pattern
  const beginnings = [base.given, withSlashes(base.absolute)].map((dir) => `${dir.replace(/\/+$/, '')}/`)
  const own = beginnings.find((beginning) => beginning !== './' && glob.startsWith(beginning))
  const below = own === undefined ? glob : glob.slice(own.length)
  return below.replace(/^(?:\.\/)+/, '')
}

/** Why nothing can match, where that is so whatever files there are. */
export function neverMatches(pattern: string): string | undefined {
  if (pattern.split('/').includes('..')) return 'it leads out of the directory; name another directory instead'
  return pattern.startsWith('/')
    ? 'it begins with / and is not below the directory; write it relative to that'
    : undefined
}
