import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { runLimitedGit } from '../../packages/clada/src/process/limited-git.ts'
import { idOfObject } from '../../packages/clada/src/process/loose-object.ts'
import { WriteBudget } from '../../packages/clada/src/process/write-limits.ts'
import { scratchDir } from '../support/scratch.ts'

describe('git on data that a program left', () => {
  it.skipIf(process.platform !== 'linux')('has a limit of memory', async () => {
    const env = { PATH: '/usr/bin:/bin', HOME: scratchDir() }
    const args = ['-c', 'alias.limit=!ulimit -d', 'limit']
    const end = await runLimitedGit({ args, env, timeoutMs: 10_000, outputBytes: 1000 })
    expect(end).toMatchObject({ exitCode: 0, stdout: `${4 * 1024 ** 2}\n` })
  })
})

describe('a loose object', () => {
  const content = Buffer.concat([Buffer.from('blob 1048576\0'), Buffer.alloc(1 << 20)])
  const make = (): string => {
    const file = path.join(scratchDir(), 'object')
    fs.writeFileSync(file, deflateSync(content))
    return file
  }
  const name = `objects/00/${'0'.repeat(38)}`
  const id = createHash('sha1').update(content).digest('hex')

  it.each([
    ['is read as a whole', content.length, id],
    ['is not read where it says more than a command may write', content.length - 1, ''],
  ])('%s', async (_, bytes, found) => {
    expect(await idOfObject(make(), name, new WriteBudget({ bytes, entries: 1 }))).toBe(found)
  })

  it('shares the limit with those before it', async () => {
    const budget = new WriteBudget({ bytes: 2 * content.length, entries: 1 })
    const found: string[] = []
    for (const file of [make(), make(), make()]) found.push(await idOfObject(file, name, budget))
    expect(found).toEqual([id, id, ''])
  })
})
