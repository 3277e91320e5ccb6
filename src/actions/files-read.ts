import { defineAction, paths } from '../core/action.ts'
import { readSeveral } from './read-several.ts'
import { fileOutput } from './output.ts'

export const filesRead = defineAction({
  name: 'files_read',
  aliases: ['read_files'],
  description: 'Read several files into one text. Each comes after a line `=== path ===`.',
  effect: 'read',
  access: ['llm'],
  primary: 'paths',
  display: 'always',
  output: fileOutput(),
  everyday: true,
  params: { paths: paths('Files to read, one per line.') },
  returns: { paths: 'list of string', content: 'string' },
  examples: [
    {
      title: 'puts a blank line between',
      before: { 'a.txt': 'A', 'b.txt': 'B' },
      params: { paths: 'a.txt\n\nb.txt' },
      data: { content: '=== ROOT/a.txt ===\nA\n\n=== ROOT/b.txt ===\nB' },
    },
    {
      title: 'names every file that cannot be read',
      before: { 'a.txt': 'A' },
      params: { paths: 'a.txt\ngone.txt' },
      code: 'file_not_found',
    },
  ],
  run: ({ paths }, { files }) => readSeveral(files, paths, (text) => text),
})
