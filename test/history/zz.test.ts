import fs from 'node:fs'
import { it } from 'vitest'
import { Clada } from '../../src/index.ts'
import { execute, repository } from './world.ts'
it('x', { timeout: 200000 }, async () => {
  for (let i = 0; i < 80; i++) {
    const root = repository({ 'a.txt': 'first\n', 'dir/c.txt': 'first\n', '.gitignore': '.clada/\n' })
    await execute(root, 'commit', [['file_write', { path: 'a.txt', content: '1\n' }]])
    fs.writeFileSync(root + '/a.txt', '2\n')
    const r = await new Clada({ repoPath: root }).back()
    if (!r.success) console.log(i, JSON.stringify(r), fs.readFileSync(root + '/a.txt', 'utf8'))
  }
})
