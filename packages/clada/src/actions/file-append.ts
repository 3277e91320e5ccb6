import { defaulting, defineAction, fail, flag, ok, path, text } from '../core/action.ts'
import type { Files, PathArg, TextFile } from '../core/files.ts'
import { ProblemError } from '../core/problem.ts'
import { dominantEol, toEol } from '@clada/reply/text/lines.ts'
import { expectHash } from './common.ts'
import { findElisionProblem } from './replace-occurrences.ts'

export const fileAppend = defineAction({
  name: 'file_append',
  aliases: ['append_to_file'],
  description:
    'Add text at the end of a file. Creates the file if it is missing; puts nothing between unless `new_line` asks for it.',
  effect: 'write',
  past: (target) => `appended to ${target}`,
  params: {
    path: path('File to append to.'),
    content: text('Text to add.'),
    new_line: defaulting(
      flag('Begin on a line of its own: put a line break first if the file does not end in one.'),
      false,
    ),
    expect_hash: expectHash,
  },
  hints: { adds: true },
  returns: { path: 'string', bytesWritten: 'integer' },
  examples: [
    {
      title: 'adds at the end',
      before: { 'log.txt': 'one\n' },
      params: { path: 'log.txt', content: 'two\n' },
      after: { 'log.txt': 'one\ntwo\n' },
      data: { bytesWritten: 4 },
    },
    {
      title: 'creates a missing file',
      params: { path: 'logs/new.txt', content: 'first' },
      after: { 'logs/new.txt': 'first' },
    },
    {
      title: 'begins on a new line when asked',
      before: { 'log.txt': 'one' },
      params: { path: 'log.txt', content: 'two', new_line: 'true' },
      after: { 'log.txt': 'one\ntwo' },
    },
  ],
  async run({ path, content, new_line, expect_hash }, { files }) {
    const file = await readIfThere(files, path, expect_hash)
    if (file === undefined) {
      const { bytes } = await files.write(path, content)
      return ok({ path: path.given, bytesWritten: bytes })
    }
    const elision = await findElisionProblem(file, 'content', content)
    if (elision !== undefined) return fail(elision)
    const eol = dominantEol(file.text)
    const added = eol === '\r\n' ? toEol(content, eol) : content
    const between = new_line && file.text !== '' && !/[\r\n]$/.test(file.text) ? eol : ''
    await files.save(file, file.text + between + added)
    return ok({ path: path.given, bytesWritten: Buffer.byteLength(between + added) })
  },
})

async function readIfThere(files: Files, path: PathArg, expectHash: string | undefined): Promise<TextFile | undefined> {
  try {
    return await files.read(path, { expectHash })
  } catch (error) {
    const missing = error instanceof ProblemError && error.problem.kind === 'os' && error.problem.code === 'ENOENT'
    if (missing && expectHash === undefined) return undefined
    throw error
  }
}
