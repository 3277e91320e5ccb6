import { defineAction, ok, path, text } from '../core/action.ts'
import type { PathArg } from '../core/files.ts'
import { elisionIn } from '../text/elision.ts'
import { dominantEol } from '../text/line-endings.ts'
import { expectHash } from './common-params.ts'

export const fileWrite = defineAction({
  name: 'file_write',
  aliases: ['write_file'],
  description: 'Write a whole file. Makes parent directories; replaces the file if it exists.',
  effect: 'write',
  access: ['llm'],
  primary: 'path',
  display: 'never',
  past: (target, { data }) =>
    `${typeof data === 'object' && data !== null && 'created' in data ? 'created' : 'wrote'} ${target}`,
  everyday: true,
  params: {
    path: path('File to write.'),
    content: text('The whole content, exactly.'),
    expect_hash: expectHash,
  },
  hints: { idempotent: true },
  returns: { path: 'string', bytesWritten: 'integer', 'created?': 'true when there was no such file' },
  examples: [
    {
      title: 'makes the file and its directories',
      params: { path: 'src/new/a.txt', content: 'hello\n' },
      after: { 'src/new/a.txt': 'hello\n' },
      data: { bytesWritten: 6 },
    },
    {
      title: 'replaces what was there',
      before: { 'a.txt': 'old' },
      params: { path: 'a.txt', content: 'new' },
      after: { 'a.txt': 'new' },
    },
    {
      title: 'will not write over a directory',
      before: { 'src/a.txt': '' },
      params: { path: 'src', content: 'x' },
      code: 'invalid_parameter',
    },
  ],
  async run({ path, content, expect_hash }, { files }) {
    const { bytes, replaced } = await files.write(path, content, { expectHash: expect_hash })
    const created = replaced === undefined ? { created: true } : {}
    const before = replaced && Buffer.from(replaced.buffer, replaced.byteOffset, replaced.byteLength)
    const warnings =
      before === undefined ? [] : [...lostLineEndings(before, content), ...lostLines(before, content, path)]
    return ok({ path: path.given, bytesWritten: bytes, ...created }, warnings)
  },
})

/** A model that leaves lines out means them to stay, but a whole file is written as given. */
function lostLines(before: Buffer, content: string, path: PathArg): string[] {
  const elision = elisionIn(content.split('\n'), path.given)
  if (elision === undefined || before.includes(elision)) return []
  return [`'${elision}' is in the file now, and whatever it stands for is not; write the whole file, or edit it`]
}

/** A whole file is written as given, so its line endings may change; whoever wrote LF out of habit should know. */
function lostLineEndings(before: Buffer, content: string): string[] {
  if (content.includes('\r') || dominantEol(before.toString('latin1')) !== '\r\n') return []
  return ['the file had CRLF line endings and now has LF; use an edit to keep them']
}
