import { defaulting, defineAction, paths, rare, text } from '../core/action.ts'
import { extractNumberedLines } from '../text/lines.ts'
import { readSeveral } from './read-several.ts'
import { fileOutput } from './output.ts'

export const filesReadNumbered = defineAction({
  name: 'files_read_numbered',
  aliases: [],
  description: 'Read several files with line numbers into one text. Each comes after a line `=== path ===`.',
  effect: 'read',
  access: ['llm'],
  primary: 'paths',
  display: 'always',
  output: fileOutput('numbered'),
  params: {
    paths: paths('Files to read, one per line.'),
    delimiter: rare(defaulting(text('Text between number and line.'), ': ')),
  },
  returns: { paths: 'list of string', content: 'string' },
  examples: [
    {
      title: 'numbers each file from 1',
      before: { 'a.txt': 'A\nAA', 'b.txt': 'B' },
      params: { paths: 'a.txt\nb.txt', delimiter: ' ' },
      data: { content: '=== ROOT/a.txt ===\n1 A\n2 AA\n\n=== ROOT/b.txt ===\n1 B' },
    },
  ],
  run: ({ paths, delimiter }, { files }) =>
    readSeveral(files, paths, (text) => extractNumberedLines(text, undefined, delimiter).result),
})
