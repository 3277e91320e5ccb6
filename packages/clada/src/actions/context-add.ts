import nodePath from 'node:path'
import { formatCount } from '@clada/reply/core/words.ts'
import { type ActionContext, defineAction, fail, ok, path } from '../core/action.ts'
import type { PathArg } from '../core/files.ts'
import { ProblemError } from '../core/problem.ts'
import { attempt } from './common.ts'
import { namesMatching } from '../core/names-matching.ts'
import { neverMatches } from './glob.ts'
import { measureFile, type Measured } from './structure-in-path.ts'
import { globIn, pathSetOf } from './path-set.ts'
import { namesBelow } from './project-map.ts'

export const contextAdd = defineAction({
  name: 'context_add',
  description:
    'Add files to the working set, which is kept from one reply to the next; `clada context print` shows its files as one text.',
  effect: 'meta',
  access: ['llm', 'user'],
  params: {
    path: path(
      'File to keep in view. A directory or glob means the files below it that git does not ignore. `file:1-20` keeps these lines, `file@@Class@@method` one structure.',
    ),
  },
  hints: { idempotent: true },
  returns: {
    path: 'string',
    size: 'integer: bytes',
    tokens: 'integer',
    added: 'boolean: false when it was there already',
    'files?': ['string'],
  },
  examples: [
    { title: 'adds a file', before: { 'a.txt': 'hello\n' }, params: { path: 'a.txt' }, data: { size: 6, added: true } },
    {
      title: 'adds one section of a file',
      before: { 'doc.md': '# A\n\n## One\n\n1\n\n## Two\n\n2\n' },
      params: { path: 'doc.md@@Two' },
      data: { size: 10, added: true },
    },
    {
      title: 'adds the files of a directory that are not ignored',
      before: { '.gitignore': 'src/gen\n', 'src/a.ts': 'a\n', 'src/in/b.ts': 'b\n', 'src/gen/c.ts': 'c\n' },
      params: { path: 'src' },
      data: { size: 4, added: true, files: ['ROOT/src/a.ts', 'ROOT/src/in/b.ts'] },
    },
    {
      title: 'adds the files that a glob matches',
      before: { 'src/a.ts': 'a\n', 'src/a.md': 'a\n', 'src/in/b.ts': 'b\n' },
      params: { path: 'src/*.ts' },
      data: { size: 2, added: true, files: ['ROOT/src/a.ts'] },
    },
    {
      title: 'fails when a glob matches nothing',
      before: { 'src/a.ts': 'a\n' },
      params: { path: 'src/*.py' },
      code: 'invalid_parameter',
    },
    {
      title: 'adds lines of a file',
      before: { 'a.txt': 'one\ntwo\nthree\n' },
      params: { path: 'a.txt:2-3' },
      data: { size: 9, added: true },
    },
    {
      title: 'adds nothing twice',
      before: {
        'a.txt': 'hello\n',
        '.clada/context.json': '{"version":1,"entries":[{"path":"a.txt","added":"2026-01-01T00:00:00.000Z"}]}',
      },
      params: { path: 'a.txt' },
      data: { size: 6, added: false },
    },
    { title: 'fails when it does not exist', params: { path: 'a.txt' }, code: 'file_not_found' },
    { title: 'blocks secrets', before: { '.env': 'KEY=1' }, params: { path: '.env' }, code: 'path_denied' },
  ],
  async run({ path }, context) {
    const below = await filesToAdd(context, path)
    const measured: Measured[] = []
    const warnings: string[] = []
    if (below === undefined) measured.push(await measureFile(context, path))
    for (const file of below ?? []) {
      const found = await attempt(() => measureFile(context, file))
      // Blocked files and binaries.
      if ('ok' in found) warnings.push(`left out ${file.given}: ${context.explain(found.problem)}`)
      else measured.push(found)
    }
    if (below?.length === 0 && globIn(path) !== undefined)
      return fail({ kind: 'bad-param', param: 'path', message: nothingMatches })
    if (measured.length === 0) return fail({ kind: 'bad-param', param: 'path', message: nothingFound })
    const set = await context.workingSet()
    let fresh: readonly string[] = []
    await set.change((entries) => {
      fresh = measured.flatMap(({ path: one }) => (entries.some((entry) => entry.path === one) ? [] : [one]))
      const time = new Date().toISOString()
      return fresh.length === 0 ? entries : [...entries, ...fresh.map((one) => ({ path: one, added: time }))]
    })
    const sum = (key: 'size' | 'tokens'): number => measured.reduce((total, one) => total + one[key], 0)
    const files = below?.flatMap(({ given, absolute }) => (fresh.includes(absolute) ? [given] : []))
    return ok({ path: path.given, size: sum('size'), tokens: sum('tokens'), added: fresh.length > 0, files }, warnings)
  },
})

const nothingMatches = 'no file matches it; files that git ignores do not count'
const nothingFound = 'no file is there that can be read and that git does not ignore'

/** More would be no working set: a model could not take them in. */
const mostFiles = 1000

/** The files that a directory or glob stands for; undefined for the path of one file. */
async function filesToAdd(context: ActionContext, path: PathArg): Promise<PathArg[] | undefined> {
  const set = await pathSetOf(context.files, path)
  if (set === undefined) return undefined
  const { base, pattern } = set
  const never = pattern === undefined ? undefined : neverMatches(pattern)
  if (never !== undefined) throw new ProblemError({ kind: 'bad-param', param: 'path', message: never })
  const names = await attempt(() => namesBelow(base, context))
  if ('ok' in names) {
    // A glob below a directory that is missing matches nothing.
    if (pattern !== undefined && names.problem.kind === 'os' && names.problem.code === 'ENOENT') return []
    throw new ProblemError(names.problem)
  }
  const matching = pattern === undefined ? names : await namesMatching(names, pattern)
  if (matching.length > mostFiles)
    throw new ProblemError({
      kind: 'bad-param',
      param: 'path',
      message: `it stands for ${formatCount(matching.length, 'file')}, more than ${mostFiles}; name a smaller part`,
    })
  const prefix = base.given.replace(/^\.?\/*$|[\\/]+$/, '')
  return matching.map((name) => ({
    given: prefix === '' ? name : `${prefix}/${name}`,
    absolute: nodePath.join(base.absolute, name),
  }))
}
