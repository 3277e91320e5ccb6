import fs from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeBounds } from '../../packages/clada/src/commands/bounds.ts'
import { interpreterFor, tryInterpreter, versionOf } from '../../packages/clada/src/commands/interpreters.ts'
import { settingsOf } from '../../packages/clada/src/config/settings.ts'
import { skipWithout } from '../support/needs.ts'
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

it('JavaScript runs in the Node that clada runs in where there is no other, and Python is missing by its name', async () => {
  vi.stubEnv('PATH', scratchDir())
  onTestFinished(() => void vi.unstubAllEnvs())
  const settings = settingsOf({ repoPath: scratchDir() })
  const found = (lang: 'javascript' | 'python') =>
    interpreterFor(lang, undefined, { absolute: settings.root }, { settings })
  expect(await found('javascript')).toMatchObject({ ok: true, file: process.execPath })
  expect(await found('python')).toEqual({ ok: false, problem: { kind: 'program-missing', program: 'python3' } })
})

it('further roots are readable inside, except those with the sockets and secrets of others', () => {
  const [repoPath, other] = [scratchDir(), scratchDir({ 'lib/a': '', '.env': '' })]
  const settings = settingsOf({ repoPath, allowedRoots: [other, '/', '/tmp', '/run', '/etc'] })
  const what = { file: '/usr/bin/true', caches: 'none', by: 'code', network: false, memoryBytes: 1 } as const
  const { readable, hidden } = makeBounds(what, { blocked: [], repositories: [], doors: [] }, { settings })
  expect(readable).toContain(other)
  expect(readable.filter((dir) => ['/', '/tmp', '/run', '/etc'].includes(dir))).toEqual([])
  expect(hidden).toEqual([{ path: path.join(other, '.env'), type: 'file' }])
})

it('an interpreter is tried as code runs (needs a sandbox)', async (context) => {
  skipWithout(context, 'sandbox')
  const version = process.versions.node
  const tried = await tryInterpreter('javascript', settingsOf({ repoPath: scratchDir() }), 'sandbox')
  expect(tried).toMatchObject({ state: 'works', version, where: 'sandbox' })
})
