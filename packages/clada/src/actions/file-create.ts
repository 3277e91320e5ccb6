import { replacedWarning } from './common.ts'
import { defineAction, ok, path, text } from '../core/action.ts'
import { endedBy } from './file-write.ts'

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
    const whole = endedBy(content, finalNewline)
    const { bytes, replaced } = await files.write(path, whole, repair.rules === 'codex' ? {} : { ifExists: 'refuse' })
    return ok({ path: path.given, bytesWritten: bytes }, replaced === undefined ? [] : [replacedWarning(path.given)])
  },
})
