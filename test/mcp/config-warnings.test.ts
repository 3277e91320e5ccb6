import { expect, it } from 'vitest'
import { scratchDir } from '../support/scratch.ts'
import { connected } from './client.ts'

it('every answer holds what the config file asks for and does not get', async () => {
  const root = scratchDir({ 'a.txt': 'a\n', 'clada.yml': 'exec: unsandboxed\n' })
  const { call } = await connected(root)
  const warning =
    'clada.yml:1: ignored exec.mode: "unsandboxed" (this project is not trusted); using exec.mode: "sandbox". Run clada trust to allow it.'
  const document = '<---WRITE file="b.txt"--->\nb\n<---END--->\n'
  const told = [
    await call('file_read', { path: 'a.txt' }),
    await call('file_read', { path: 'none.txt' }),
    await call('execute', { document }),
    await call('execute', {}),
    await call('execute', { document, dry_run: true }),
  ]
  for (const { values, text } of told) {
    expect(values['warnings']).toEqual([warning])
    expect(text).toContain(warning)
  }
})
