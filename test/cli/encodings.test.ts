import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { clada } from '../support/cli.ts'
import { scratchDir } from '../support/scratch.ts'

it('the program as it is built reads and writes a declared encoding', () => {
  const cwd = scratchDir({ '.editorconfig': '[*.txt]\ncharset = shift_jis\n[*.csv]\ncharset = latin1\n' })
  fs.writeFileSync(path.join(cwd, 'a.csv'), Buffer.from('caf\xe9 one\n', 'latin1'))
  const edit = ['do', 'file_replace_text', 'path=a.csv', 'old_text=one', 'new_text=tw\xf6', '--root', cwd]
  expect(clada(edit, { cwd }).status).toBe(0)
  expect(fs.readFileSync(path.join(cwd, 'a.csv'), 'latin1')).toBe('caf\xe9 tw\xf6\n')
  expect(clada(['do', 'file_write', 'path=n.txt', 'content=日本', '--root', cwd], { cwd }).status).toBe(0)
  expect(fs.readFileSync(path.join(cwd, 'n.txt'))).toEqual(Buffer.from([0x93, 0xfa, 0x96, 0x7b]))
})
