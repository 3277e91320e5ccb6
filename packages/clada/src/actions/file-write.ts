import { defineAction, fail, ok, type Failed, path, text } from '../core/action.ts'
import type { Files, PathArg } from '../core/files.ts'
import { dominantEol, splitLines, toEol } from '@clada/reply/text/lines.ts'
import { attempt, expectHash } from './common.ts'
import { elisionProblem } from './replace-occurrences.ts'
import { mayElide } from '@clada/reply/text/elision-words.ts'

export const fileWrite = defineAction({
  name: 'file_write',
  aliases: ['write_file'],
  title: 'Write a file',
  description: 'Write a whole file. Makes parent directories; replaces the file if it exists.',
  effect: 'write',
  file: 'replaced',
  past: (target, { data }) => {
    const { created, lines_before: before, lines_now: now } = data ?? {}
    const lost = before === undefined ? '' : `, ${now} of ${before} lines are left`
    return `${created === true ? 'created' : 'wrote'} ${target}${lost}`
  },
  everyday: true,
  params: {
    path: path('File to write.'),
    content: text('The whole content, exactly.'),
    expect_hash: expectHash,
  },
  hints: { idempotent: true },
  returns: {
    path: 'string',
    bytesWritten: 'integer',
    'created?': 'boolean: true when there was no such file',
    'lines_before?': 'integer: when the file lost more than two thirds of over 50 lines',
    'lines_now?': 'integer: with lines_before',
  },
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
  async run({ path, content, expect_hash }, { files, finalNewline }) {
    const whole = await expandContent(files, path, content)
    if ('ok' in whole) return whole
    const written = withFinalNewline(whole.content, finalNewline)
    const { bytes, replaced } = await files.write(path, written, { expectHash: expect_hash })
    const created = replaced === undefined ? { created: true } : {}
    const before = replaced && Buffer.from(replaced.buffer, replaced.byteOffset, replaced.byteLength)
    if (before === undefined) return ok({ path: path.given, bytesWritten: bytes, ...created })
    const lost = lostLines(before, written)
    const endings = [...lostLineEndings(before, written), ...lostFinalNewline(before, written)]
    return ok({ path: path.given, bytesWritten: bytes, ...lost.data }, [...whole.kept, ...endings, ...lost.warnings])
  },
})

/** A model that leaves lines out means those of the file that is there. */
async function expandContent(
  files: Files,
  path: PathArg,
  content: string,
): Promise<{ readonly content: string; readonly kept: readonly string[] } | Failed> {
  const file = mayElide(content) ? await attempt(() => files.read(path)) : undefined
  // What cannot be read cannot be what was left out.
  if (file === undefined || 'ok' in file) return { content, kept: [] }
  const { resolveElisions } = await import('@clada/reply/text/elision.ts')
  const found = resolveElisions(splitLines(file.text), content.split(/\r?\n/), path.given, file.text, 'file')
  if (found.kind === 'none') return { content, kept: [] }
  if (found.kind === 'undetermined') return fail(elisionProblem(path, ['content'], { ...found, replaced: undefined }))
  const text = found.fresh.join('\n')
  return { content: dominantEol(file.text) === '\r\n' ? toEol(text, '\r\n') : text, kept: found.kept }
}

/** The text of a whole file, with a line break at its end where the user wants one. */
export function withFinalNewline(content: string, finalNewline: 'exact' | 'add'): string {
  if (finalNewline === 'exact' || content === '' || content.endsWith('\n')) return content
  return content + dominantEol(content)
}

/** The line break before a closing marker is not part of the content, which is easily forgotten. */
function lostFinalNewline(before: Buffer, content: string): string[] {
  if (content === '' || content.endsWith('\n') || before.at(-1) !== 0x0a) return []
  return ['the file ended with a line break and now does not; leave an empty line at the end of the content to keep it']
}

/** A file that becomes much smaller was perhaps meant to be edited. */
function lostLines(
  before: Buffer,
  content: string,
): { data: { lines_before?: number; lines_now?: number }; warnings: string[] } {
  const [had = 0, has = 0] = [before.toString('utf8'), content].map((all) => splitLines(all.replace(/\n$/, '')).length)
  if (had <= 50 || has * 3 >= had) return { data: {}, warnings: [] }
  const warning = `the file had ${had} lines and now has ${has}; if the other lines should stay, clada undo restores them`
  return { data: { lines_before: had, lines_now: has }, warnings: [warning] }
}

/** A whole file is written as given, so its line endings may change; which may not be intended. */
function lostLineEndings(before: Buffer, content: string): string[] {
  if (content.includes('\r') || dominantEol(before.toString('latin1')) !== '\r\n') return []
  return ['the file had CRLF line endings and now has LF; use an edit to keep them']
}
