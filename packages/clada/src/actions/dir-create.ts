import { defineAction, ok, path } from '../core/action.ts'

export const dirCreate = defineAction({
  name: 'dir_create',
  description: 'Make a directory and its parents. An existing directory is not changed.',
  effect: 'write',
  params: { path: path('Directory to make.') },
  hints: { adds: true, idempotent: true },
  returns: { path: 'string' },
  examples: [
    { title: 'makes missing parents too', params: { path: 'a/b/c' }, data: { path: 'ROOT/a/b/c' } },
    { title: 'refuses to replace a file', before: { a: 'x' }, params: { path: 'a' }, code: 'file_exists' },
  ],
  async run({ path }, { files }) {
    await files.makeDir(path)
    return ok({ path: path.given })
  },
})
