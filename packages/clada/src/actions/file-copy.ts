import { defineAction, ok, path } from '../core/action.ts'

export const fileCopy = defineAction({
  name: 'file_copy',
  description: 'Copy a file. Makes parent directories; replaces the destination if it exists.',
  effect: 'write',
  primary: 'old_path',
  params: {
    old_path: path('File to copy.'),
    new_path: path('Where the copy goes, file name included.'),
  },
  hints: { idempotent: true },
  returns: { old_path: 'string', new_path: 'string', 'overwrote?': 'boolean: true when a file was there' },
  examples: [
    {
      title: 'copies',
      before: { 'a.txt': 'x' },
      params: { old_path: 'a.txt', new_path: 'b/c.txt' },
      after: { 'b/c.txt': 'x' },
    },
    {
      title: 'fails when the source does not exist',
      params: { old_path: 'a.txt', new_path: 'b.txt' },
      code: 'file_not_found',
    },
  ],
  async run({ old_path, new_path }, { files }) {
    const { overwrote } = await files.copy(old_path, new_path)
    return ok({ old_path: old_path.given, new_path: new_path.given, overwrote: overwrote || undefined })
  },
})
