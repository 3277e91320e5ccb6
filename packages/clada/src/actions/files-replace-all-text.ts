import nodePath from 'node:path'
import { count as countParam, defaulting, defineAction, fail, flag, ok, optional, paths, text } from '../core/action.ts'
import type { Files, PathArg, TextFile } from '../core/files.ts'
import { isAbsolutePath } from '../core/paths.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import { findOccurrences, replaceSpans, type Span } from '@clada/reply/text/edit.ts'
import { attempt } from './common.ts'
import { pathSetOf } from './path-set.ts'
import { damagedProblem } from './replace-occurrences.ts'

export const filesReplaceAllText = defineAction({
  name: 'files_replace_all_text',
  description:
    'Replace every occurrence of a text in several files. A directory or glob means the files below it that contain the text and that git does not ignore. Always exact.',
  effect: 'write',
  primary: 'paths',
  everyday: true,
  repairs: true,
  params: {
    paths: paths('Files, directories or globs, one per line.'),
    old_text: text('Text to find, copied exactly.'),
    new_text: text('Text to put in its place.'),
    word: defaulting(flag('Only whole words: `cart` is not found in `carton`.'), false),
    count: optional(countParam('How many occurrences there must be in all files together.')),
  },
  returns: { results: [{ path: 'string', replacements_made: 'integer', 'error?': 'string' }] },
  examples: [
    {
      title: 'changes each file',
      before: { 'a.txt': 'x', 'b.txt': 'x x', 'c.txt': 'none' },
      params: { paths: 'a.txt\nb.txt\nc.txt', old_text: 'x', new_text: 'y' },
      after: { 'a.txt': 'y', 'b.txt': 'y y' },
      data: { results: [{ replacements_made: 1 }, { replacements_made: 2 }, { replacements_made: 0 }] },
    },
    {
      title: 'renames a word in a directory',
      before: { 'src/a.js': 'cart(carton)\n', 'src/b/c.js': 'new cart\n', 'src/d.md': 'none\n', 'e.js': 'cart\n' },
      params: { paths: 'src', old_text: 'cart', new_text: 'basket', word: 'true', count: '2' },
      after: { 'src/a.js': 'basket(carton)\n', 'src/b/c.js': 'new basket\n' },
    },
    {
      title: 'takes globs',
      before: { 'src/a.js': 'x\n', 'src/b/c.js': 'x\n', 'src/d.md': 'x\n' },
      params: { paths: 'src/**/*.js', old_text: 'x', new_text: 'y' },
      after: { 'src/a.js': 'y\n', 'src/b/c.js': 'y\n' },
    },
    {
      title: 'changes nothing if the count differs',
      before: { 'a.txt': 'x', 'b.txt': 'x x' },
      params: { paths: '.', old_text: 'x', new_text: 'y', count: '2' },
      code: 'match_count_mismatch',
    },
    {
      title: 'a missing file does not stop the others',
      before: { 'a.txt': 'x' },
      params: { paths: 'gone.txt\na.txt', old_text: 'x', new_text: 'y' },
      after: { 'a.txt': 'y' },
      code: 'file_not_found',
    },
  ],
  async run({ paths: given, old_text, new_text, word, count }, context) {
    const { files, repair } = context
    if (given.length === 0) return fail({ kind: 'no-paths' })
    if (old_text === '') return fail({ kind: 'empty-text', param: 'old_text' })
    if (repair.damage.length > 0) return fail(damagedProblem('old_text', repair.damage))
    const found: SearchedFile[] = []
    for (const path of await filesNamed(files, given, old_text)) {
      const read = await attempt(() => files.read(path))
      if ('ok' in read) found.push({ path, problem: read.problem })
      else found.push({ path, file: read, spans: spansIn(read.text, old_text, word) })
    }
    const total = found.reduce((sum, one) => sum + ('spans' in one ? one.spans.length : 0), 0)
    if (count !== undefined && (count === 'all' ? total === 0 : total !== count))
      return fail({
        kind: 'count-differs',
        path: `${found.length} files`,
        params: ['old_text'],
        expected: count,
        found: total,
        places: [],
        nearest: [],
      })
    const results: { path: string; replacements_made: number; error?: string }[] = []
    const failures: { path: string; problem: Problem }[] = []
    for (const one of found) {
      const { path } = one
      const refused = 'problem' in one ? one : await replaceInFile(files, one, old_text, new_text)
      if (refused === undefined)
        results.push({ path: path.given, replacements_made: 'spans' in one ? one.spans.length : 0 })
      else {
        failures.push({ path: path.given, problem: refused.problem })
        results.push({ path: path.given, replacements_made: 0, error: context.explain(refused.problem) })
      }
    }
    const changed = results.filter((result) => result.replacements_made > 0).map((result) => result.path)
    if (failures.length > 0)
      return fail({ kind: 'files-failed', doing: 'change', failures, done: changed }, { results })
    return ok(
      { results },
      changed.length === 0 ? ['old_text does not occur in any of the files; nothing was changed'] : [],
    )
  },
})

interface MatchedFile {
  readonly path: PathArg
  readonly file: TextFile
  readonly spans: readonly Span[]
}

type SearchedFile = MatchedFile | { readonly path: PathArg; readonly problem: Problem }

async function replaceInFile(
  files: Files,
  { path, file, spans }: MatchedFile,
  old: string,
  fresh: string,
): Promise<{ readonly problem: Problem } | undefined> {
  if (spans.length === 0) return undefined
  return attempt(async () => {
    await files.save(file, replaceSpans(file.text, spans, old, fresh))
    await files.landed(path)
    return undefined
  })
}

function spansIn(text: string, old: string, word: boolean): Span[] {
  const spans = findOccurrences(text, old)
  if (!word) return spans
  const partOfWord = /[\p{L}\p{N}_$]/u
  return spans.filter(
    ({ start, end }) => !partOfWord.test(text.charAt(start - 1)) && !partOfWord.test(text.charAt(end)),
  )
}

/** The files that are named, and those below directories and globs that have the text. */
async function filesNamed(files: Files, given: readonly PathArg[], old: string): Promise<PathArg[]> {
  const named = new Map<string, PathArg>()
  for (const path of given) for (const one of await filesAt(files, path, old)) named.set(one.absolute, one)
  return [...named.values()]
}

async function filesAt(files: Files, path: PathArg, old: string): Promise<PathArg[]> {
  const set = await pathSetOf(files, path)
  // A path that is refused is reported as a file that cannot be changed.
  return set === undefined ? [path] : filesToSearch(files, set.base, set.pattern, old)
}

/** By the search, which leaves out what git ignores. */
async function filesToSearch(
  files: Files,
  base: PathArg,
  include: string | undefined,
  old: string,
): Promise<PathArg[]> {
  const [pattern = old] = old.split(/\r?\n/).toSorted((a, b) => b.length - a.length)
  const { hits, more } = await files.search({
    base,
    patterns: [pattern],
    include: include === undefined ? [] : [include],
    regex: false,
    ignoreCase: false,
    max: mostHits,
  })
  if (more)
    throw new ProblemError({
      kind: 'bad-param',
      param: 'paths',
      message: `there are more than ${mostHits} places; name fewer files`,
    })
  const found = [...new Set(hits.map(({ file }) => file))]
  const prefix = base.given.replace(/[\\/]+$/, '')
  return found.map((file) => {
    const below = file.startsWith(`${prefix}/`) && prefix !== '' ? file.slice(prefix.length + 1) : file
    return {
      given: file,
      absolute: isAbsolutePath(file) ? nodePath.normalize(file) : nodePath.join(base.absolute, below),
    }
  })
}

const mostHits = 100_000
