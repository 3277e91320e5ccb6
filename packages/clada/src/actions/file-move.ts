import { defineAction, ok, path } from '../core/action.ts'

export const fileMove = defineAction({
  name: 'file_move',
  aliases: ['move_file'],
  title: 'Move a file',
  description: 'Move or rename a file. Makes parent directories; replaces the destination if it exists.',
  effect: 'write',
  file: 'moved',
  primary: 'old_path',
  past: (target, { params }) => `moved ${target} to ${String(params['new_path'])}`,
  everyday: true,
  params: {
    old_path: path('File to move.'),
    new_path: path('Where it goes, file name included.'),
  },
  hints: { idempotent: true },
  returns: { old_path: 'string', new_path: 'string', 'overwrote?': 'boolean: true when a file was there' },
  examples: [
    {
      title: 'moves into a new directory',
      before: { 'a.txt': 'x' },
      params: { old_path: 'a.txt', new_path: 'b/c.txt' },
      after: { 'a.txt': null, 'b/c.txt': 'x' },
    },
    {
      title: 'reports that it replaced a file',
      before: { 'a.txt': 'x', 'b.txt': 'y' },
      params: { old_path: 'a.txt', new_path: 'b.txt' },
      after: { 'a.txt': null, 'b.txt': 'x' },
      data: { overwrote: true },
    },
    {
      title: 'fails when the source does not exist',
      params: { old_path: 'a.txt', new_path: 'b.txt' },
      code: 'file_not_found',
    },
  ],
  async run({ old_path, new_path }, { files }) {
    const { overwrote } = await files.move(old_path, new_path)
    return ok({ old_path: old_path.given, new_path: new_path.given, overwrote: overwrote || undefined })
  },
})
