import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { versionOf } from '../../src/commands/interpreters.ts'
import { scratchDir } from '../support/scratch.ts'

it('a program says its version, unless it only stands in for one that is not there', async () => {
  const dir = scratchDir({
    'python3.9': '#!/bin/sh\necho Python 3.9.1\n',
    'python2.7': '#!/bin/sh\necho "python2.7: command not found; it exists in 2.7.18" >&2\nexit 127\n',
  })
  for (const name of fs.readdirSync(dir)) fs.chmodSync(path.join(dir, name), 0o755)
  expect(await versionOf(path.join(dir, 'python3.9'), [])).toBe('3.9.1')
  expect(await versionOf(path.join(dir, 'python2.7'), [])).toBeUndefined()
})
