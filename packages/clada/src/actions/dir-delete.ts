import { defineAction, ok, path } from '../core/action.ts'

export const dirDelete = defineAction({
  name: 'dir_delete',
  description: 'Delete a directory, only when it is empty.',
  effect: 'write',
  params: { path: path('Directory to delete.') },
  hints: { idempotent: true },
  returns: { path: 'string' },
  examples: [
    {
      title: 'refuses a directory with files',
      before: { 'a/b.txt': 'x' },
      params: { path: 'a' },
      code: 'invalid_parameter',
    },
    { title: 'fails when it does not exist', params: { path: 'a' }, code: 'file_not_found' },
  ],
  async run({ path }, { files }) {
    await files.removeDir(path)
    return ok({ path: path.given })
  },
})
