import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { findRepository } from '../../packages/clada/src/git/find-repository.ts'
import { IsolatedGit } from '../../packages/clada/src/git/isolated-git.ts'
import { packObjects } from '../../packages/clada/src/git/objects.ts'
import { headOf } from '../../packages/clada/src/git/repository.ts'
import { scratchDir } from '../support/scratch.ts'

it('many loose objects become a pack, unless one of them is damaged, and no hook of the repository runs', async () => {
  const top = scratchDir()
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: top, encoding: 'utf8', stdio: 'pipe' })
  git('init', '-q')
  fs.mkdirSync(path.join(top, '.git/hooks'), { recursive: true })
  fs.writeFileSync(path.join(top, '.git/hooks/pre-auto-gc'), '#!/bin/sh\ntouch ran\n', { mode: 0o755 })
  const repository = await findRepository(top)
  if (repository === undefined) throw new Error('git has made no repository')
  const isolated = IsolatedGit.open(repository, await headOf(repository), path.join(top, 'isolated'))
  // All in the directory by which the number of objects is estimated.
  const bodies = Array.from({ length: 5000 }, (_, at) => Buffer.from(`text ${at}\n`)).filter((body) =>
    createHash('sha1').update(`blob ${body.length}\0`).update(body).digest('hex').startsWith('17'),
  )
  const files = (count: number): string[] => {
    const ids = bodies
      .slice(0, count)
      .map((input) => execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: top, input }).toString().trim())
    return ids.map((id) => path.join(top, '.git/objects/17', id.slice(2)))
  }
  files(7)
  await packObjects(isolated)
  expect(git('count-objects')).toMatch(/^7 objects/)
  const [first = ''] = files(8)
  const whole = fs.readFileSync(first)
  fs.chmodSync(first, 0o600)
  fs.writeFileSync(first, '')
  await packObjects(isolated)
  expect(git('count-objects')).toMatch(/^8 objects/)
  fs.writeFileSync(first, whole)
  await packObjects(isolated)
  expect(git('count-objects')).toMatch(/^0 objects/)
  expect(git('count-objects', '-v')).toContain('in-pack: 8')
  expect(git('cat-file', '-p', `17${path.basename(first)}`)).toBe(bodies[0]?.toString())
  isolated.close()
  expect(fs.readdirSync(top)).toEqual(['.git'])
})
