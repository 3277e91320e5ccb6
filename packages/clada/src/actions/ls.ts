import { defineAction, ok, path } from '../core/action.ts'
import { entriesOutput } from './output.ts'

export const ls = defineAction({
  name: 'ls',
  title: 'List a directory',
  description: 'List a directory, sorted by name.',
  effect: 'read',
  display: 'always',
  output: entriesOutput,
  params: { path: path('Directory to list.') },
  returns: [{ name: 'string', type: 'file|directory|symlink|other', size: 'integer', modified: 'string' }],
  examples: [
    {
      title: 'lists names, types and sizes',
      before: { 'd/b.txt': 'xyz', 'd/a/c.txt': '' },
      params: { path: 'd' },
      data: [
        { name: 'a', type: 'directory' },
        { name: 'b.txt', type: 'file', size: 3 },
      ],
    },
  ],
  run: async ({ path }, { files }) => {
    const entries = await files.list(path)
    return ok(entries.map(({ name, type, size, modified }) => ({ name, type, size, modified })))
  },
})
