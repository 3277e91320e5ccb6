import { defineAction, ok, path } from '../core/action.ts'

export const fileDelete = defineAction({
  name: 'file_delete',
  aliases: ['delete_file'],
  description: 'Delete a file.',
  effect: 'write',
  access: ['llm'],
  primary: 'path',
  display: 'never',
  everyday: true,
  params: { path: path('File to delete.') },
  hints: { idempotent: true },
  returns: { path: 'string' },
  examples: [
    {
      title: 'deletes',
      before: { 'a.txt': 'x', 'b.txt': 'y' },
      params: { path: 'a.txt' },
      after: { 'a.txt': null },
    },
    { title: 'says when there is none', params: { path: 'a.txt' }, code: 'file_not_found' },
    {
      title: 'leaves directories to dir_delete',
      before: { 'src/a.txt': '' },
      params: { path: 'src' },
      code: 'invalid_parameter',
    },
  ],
  async run({ path }, { files }) {
    await files.remove(path)
    return ok({ path: path.given })
  },
})
