import { defineAction, ok, path } from '../core/action.ts'
import { orImage, readShape } from './common.ts'
import { outlinesOf } from './long-file-outlines.ts'
import { structureInPath, singleMatch, readNarrowed } from './structure-in-path.ts'
import { fileOutput } from './file-output.ts'

export const fileRead = defineAction({
  name: 'file_read',
  aliases: ['read_file'],
  title: 'Read a file',
  description: 'Read a file.',
  effect: 'read',
  display: 'always',
  output: fileOutput(),
  everyday: true,
  within: 'file_read_numbered',
  params: { path: path('File to read; `file@@Class@@method` reads one structure of it.') },
  returns: readShape,
  examples: [
    { title: 'reads', before: { 'a.txt': 'hello\n' }, params: { path: 'a.txt' }, data: { content: 'hello\n' } },
    { title: 'fails when it does not exist', params: { path: 'a.txt' }, code: 'file_not_found' },
    {
      title: 'reads one section',
      before: { 'doc.md': '# A\n\n## One\n\n1\n\n## Two\n\n2\n' },
      params: { path: 'doc.md@@Two' },
      data: { content: '## Two\n\n2\n' },
    },
    { title: 'blocks secrets', before: { '.env': 'KEY=1' }, params: { path: '.env' }, code: 'path_denied' },
  ],
  async run({ path }, context) {
    const inside = await structureInPath(context, path)
    if (inside !== undefined) {
      const found = await readNarrowed(context, inside)
      if (!found.ok) return found
      const whole = await context.files.read(inside.path)
      const { text = '', lines } = singleMatch(found.data) ?? {}
      return ok({ path: path.given, content: text, lines, hash: whole.hash() })
    }
    return orImage(path.given, async () => {
      const { text, hash } = await context.files.read(path)
      const outlines = await outlinesOf([{ path, text }], context)
      return { ...ok({ path: path.given, content: text, hash: hash() }), outlines }
    })
  },
})
