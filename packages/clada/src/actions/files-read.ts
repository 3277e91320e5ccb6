import {
  type ActionContext,
  defineAction,
  paths,
  fail,
  ok,
  type Outcome,
  defaulting,
  rare,
  text,
} from '../core/action.ts'
import { betweenFiles, filesOutput, filesShape, titleOf } from './file-output.ts'
import type { Files, PathArg } from '../core/files.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import { attempt } from './common.ts'
import { outlinesOf, type WholeFile } from './long-file-outlines.ts'
import { pathBelow, pathSetOf } from './path-set.ts'
import { extractNumberedLines } from '@clada/reply/text/lines.ts'

export const filesRead = defineAction({
  name: 'files_read',
  aliases: ['read_files'],
  title: 'Read several files',
  description: 'Read several files into one text. Each comes after a line `=== path ===`.',
  effect: 'read',
  primary: 'paths',
  display: 'always',
  output: filesOutput(),
  everyday: true,
  params: { paths: paths('Files or globs, one per line.') },
  returns: filesShape,
  examples: [
    {
      title: 'takes globs, without what git ignores',
      before: { '.gitignore': 'c.js\n', 'src/a.js': 'A', 'src/b/b.js': 'B', 'src/c.js': 'C', 'src/d.md': 'D' },
      params: { paths: 'src/**/*.js\nsrc/a.js' },
      data: { content: '=== ROOT/src/a.js ===\nA\n\n=== ROOT/src/b/b.js ===\nB' },
    },
    {
      title: 'puts a blank line between',
      before: { 'a.txt': 'A', 'b.txt': 'B' },
      params: { paths: 'a.txt\n\nb.txt' },
      data: { content: '=== ROOT/a.txt ===\nA\n\n=== ROOT/b.txt ===\nB' },
    },
    {
      title: 'names every file that cannot be read',
      before: { 'a.txt': 'A' },
      params: { paths: 'a.txt\ngone.txt' },
      code: 'file_not_found',
    },
  ],
  run: ({ paths }, context) => readSeveral(context, paths, (text) => text),
})

/** Several files as one text, each under its path. One that cannot be read fails the action, which says so and gives the others. */
export async function readSeveral(
  context: ActionContext,
  paths: readonly PathArg[],
  shown: (text: string) => string,
): Promise<Outcome<{ paths: string[]; lengths: number[]; content: string }>> {
  if (paths.length === 0) return fail({ kind: 'no-paths' })
  const { files } = context
  const read: WholeFile[] = []
  const lengths: number[] = []
  const texts: string[] = []
  const failures: { path: string; problem: Problem }[] = []
  for (const path of await filesMeant(files, paths)) {
    const file = await attempt(() => files.read(path))
    if ('ok' in file) failures.push({ path: path.given, problem: file.problem })
    else {
      read.push({ path, text: file.text })
      const text = shown(file.text)
      lengths.push(text.length)
      texts.push(`${titleOf(path.given)}${text}`)
    }
  }
  const done = read.map(({ path }) => path.given)
  const data = { paths: done, lengths, content: texts.join(betweenFiles) }
  const outlines = await outlinesOf(read, context)
  if (failures.length === 0) return { ...ok(data), outlines }
  // What could be read is useful anyway.
  const failed = fail({ kind: 'files-failed', doing: 'read', failures, done }, done.length > 0 ? data : undefined)
  return { ...failed, outlines }
}

/** A file that a glob matches is read where it is first named; a glob without any file stays, to be reported as missing. */
async function filesMeant(files: Files, paths: readonly PathArg[]): Promise<PathArg[]> {
  const meant: PathArg[] = []
  const matched = new Set<string>()
  for (const path of paths) {
    const set = await pathSetOf(files, path)
    const found = set?.pattern === undefined ? [] : await filesToRead(files, set.base, set.pattern)
    const isNew = ({ absolute }: PathArg): boolean =>
      !matched.has(absolute) && (found.length === 0 || !meant.some((one) => one.absolute === absolute))
    meant.push(...(found.length === 0 ? [path] : found).filter(isNew))
    for (const { absolute } of found) matched.add(absolute)
  }
  return meant
}

async function filesToRead(files: Files, base: PathArg, pattern: string): Promise<PathArg[]> {
  const names = await files.searched(base, { include: [pattern] })
  if (names.length > mostFiles)
    throw new ProblemError({
      kind: 'bad-param',
      param: 'paths',
      message: `${pattern} matches ${names.length} files, more than ${mostFiles}; name fewer`,
    })
  return names.map((name) => pathBelow(base, name))
}

/** More do not fit into any report. */
const mostFiles = 500

export const filesReadNumbered = defineAction({
  name: 'files_read_numbered',
  description: 'Read several files with line numbers into one text. Each comes after a line `=== path ===`.',
  effect: 'read',
  primary: 'paths',
  display: 'always',
  output: filesOutput('numbered'),
  params: {
    paths: paths('Files or globs, one per line.'),
    delimiter: rare(defaulting(text('Text between number and line.'), ': ')),
  },
  returns: filesShape,
  examples: [
    {
      title: 'numbers each file from 1',
      before: { 'a.txt': 'A\nAA', 'b.txt': 'B' },
      params: { paths: 'a.txt\nb.txt', delimiter: ' ' },
      data: { content: '=== ROOT/a.txt ===\n1 A\n2 AA\n\n=== ROOT/b.txt ===\n1 B' },
    },
  ],
  run: ({ paths, delimiter }, context) =>
    readSeveral(context, paths, (text) => extractNumberedLines(text, undefined, delimiter).result),
})
