import { defineAction, ok, path } from '../core/action.ts'

export const fileRead = defineAction({
  name: 'file_read',
  aliases: ['read_file'],
  description: 'Read a file.',
  effect: 'read',
  access: ['llm'],
  primary: 'path',
  display: 'always',
  params: { path: path('File to read.') },
  returns: { path: 'string', content: 'string', hash: 'string, for expect_hash' },
  examples: [
    { title: 'reads', before: { 'a.txt': 'hello\n' }, params: { path: 'a.txt' }, data: { content: 'hello\n' } },
    { title: 'says when there is none', params: { path: 'a.txt' }, code: 'file_not_found' },
    { title: 'keeps secrets closed', before: { '.env': 'KEY=1' }, params: { path: '.env' }, code: 'path_denied' },
  ],
  async run({ path }, { files }) {
    const { text, hash } = await files.read(path)
    return ok({ path: path.given, content: text, hash: hash() })
  },
})
