import { splitLines } from '@clada/reply/text/lines.ts'
import { attempt, replacedWarning } from './common.ts'
import { defineAction, fail, ok, path, text } from '../core/action.ts'
import { withFinalNewline } from './file-write.ts'

export const fileCreate = defineAction({
  name: 'file_create',
  description: 'Write a new file. Makes parent directories; fails if the file exists.',
  effect: 'write',
  params: {
    path: path('File to create.'),
    content: text('The whole content, exactly.'),
  },
  hints: { adds: true, idempotent: true },
  returns: { path: 'string', bytesWritten: 'integer' },
  examples: [
    {
      title: 'creates',
      params: { path: 'a.txt', content: 'hello' },
      after: { 'a.txt': 'hello' },
      data: { bytesWritten: 5 },
    },
    {
      title: 'refuses an existing file',
      before: { 'a.txt': 'old' },
      params: { path: 'a.txt', content: 'new' },
      code: 'file_exists',
    },
  ],
  async run({ path, content }, { files, repair, finalNewline }) {
    const whole = withFinalNewline(content, finalNewline)
    if (repair.rules === 'search-replace') {
      const file = await attempt(() => files.read(path))
      if (!('ok' in file)) {
        if (file.text.trim() !== '') return fail({ kind: 'search-empty', path: path.given, end: lastLines(file.text) })

        await files.save(file, whole)
        return ok({ path: path.given, bytesWritten: Buffer.byteLength(whole) })
      }
    }
    const { bytes, replaced } = await files.write(path, whole, repair.rules === 'codex' ? {} : { ifExists: 'refuse' })
    return ok({ path: path.given, bytesWritten: bytes }, replaced === undefined ? [] : [replacedWarning(path.given)])
  },
})

/** The last lines of a text, enough to find its end by. */
function lastLines(text: string): string {
  return splitLines(text.trimEnd()).slice(-3).join('\n')
}
