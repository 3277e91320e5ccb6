import { defineAction, fail, ok, optional, path, rare, text } from '../core/action.ts'

export const fileDelete = defineAction({
  name: 'file_delete',
  aliases: ['delete_file'],
  title: 'Delete a file',
  description: 'Delete a file.',
  effect: 'write',
  file: 'deleted',
  past: (target) => `removed ${target}`,
  everyday: true,
  params: {
    path: path('File to delete.'),
    expect: rare(
      optional(text('The current text of the file, trailing spaces aside. The action fails if the file differs.')),
    ),
  },
  hints: { idempotent: true },
  returns: { path: 'string' },
  examples: [
    {
      title: 'deletes',
      before: { 'a.txt': 'x', 'b.txt': 'y' },
      params: { path: 'a.txt' },
      after: { 'a.txt': null },
    },
    {
      title: 'keeps a file with other content',
      before: { 'a.txt': 'x\ny\n' },
      params: { path: 'a.txt', expect: 'x' },
      code: 'match_count_mismatch',
    },
    { title: 'fails when it does not exist', params: { path: 'a.txt' }, code: 'file_not_found' },
    {
      title: 'refuses a directory',
      before: { 'src/a.txt': '' },
      params: { path: 'src' },
      code: 'invalid_parameter',
    },
  ],
  async run({ path, expect }, { files }) {
    if (expect !== undefined) {
      const { text: actual } = await files.read(path)
      const lines = bareLines(actual)
      if (lines.join('\n') !== bareLines(expect).join('\n')) {
        const range = lines.length > 1 ? `1-${lines.length}` : '1'
        return fail({ kind: 'lines-differ', path: path.given, lines: range, expected: expect, actual })
      }
    }
    await files.remove(path)
    return ok({ path: path.given })
  },
})

/** The lines of a text, without the empty one after a final line break. */
function bareLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trimEnd())
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
