import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildCommandLine } from '../../scripts/command-line.mjs'
import { buildPage } from '../../scripts/ui.mjs'

/** Builds the command line once for all tests that start it, inside the project so that it finds its dependencies. */
export default async function setup(project: TestProject): Promise<() => void> {
  const memory = workInMemory()
  // Node reads these certificates at every start, which takes twice as long as everything else about it.
  delete process.env['NODE_EXTRA_CA_CERTS']
  const dir = fs.mkdtempSync(path.join(import.meta.dirname, '../../node_modules/.clada-test-'))
  const dist = path.join(dir, 'dist')
  const warnings = path.join(dir, 'warnings')
  // A command line that cannot be built fails the tests that start it, and no others.
  await buildCommandLine(dist).then(
    () => writeQuickStart(dist, { code: path.join(dir, 'code'), warnings }),
    (error: unknown) => console.error('The command line cannot be built:', error),
  )
  await buildPage(path.join(dist, 'ui')).catch((error: unknown) => console.error('The page cannot be built:', error))
  fs.writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ version: '0.0.0-test' }))
  project.provide('dist', dist)
  project.provide('cli', process.env['CLADA_TEST_BINARY'] ?? path.join(dist, 'quick.cjs'))
  // Not the state directory of whoever runs the tests.
  const state = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-tests-state-'))
  project.provide('state', state)
  const repository = newRepository()
  project.provide('repository', repository)
  project.provide('warnings', warnings)
  return () => {
    const warned = fs.existsSync(warnings) ? fs.readFileSync(warnings, 'utf8') : ''
    for (const made of [dir, state, repository, ...memory]) fs.rmSync(made, { recursive: true, force: true })
    if (warned === '') return
    process.exitCode = 1
    console.error(`Node warned, which users would see:\n${warned}`)
  }
}

/** A sixth of the processor time and most of the waiting goes into the disk, which the tests do not need. */
function workInMemory(): string[] {
  const enough = 4 * 1024 ** 3
  if (process.env['TMPDIR'] !== undefined) return []
  try {
    const { bavail, bsize } = fs.statfsSync('/dev/shm')
    if (bavail * bsize < enough) return []
    const dir = fs.mkdtempSync('/dev/shm/clada-tests-')
    // Some tests start programs as another user.
    fs.chmodSync(dir, 0o1777)
    process.env['TMPDIR'] = dir
    return [dir]
  } catch {
    return []
  }
}

/**
 * One place for the compiled code of all tests: the state directory of a test may be gone before a process ends. And one for
 * the warnings of Node, whoever starts it and whether or not they look at its stderr.
 */
function writeQuickStart(dist: string, to: { code: string; warnings: string }): void {
  fs.writeFileSync(
    path.join(dist, 'quick.cjs'),
    `process.env.CLADA_CODE_CACHE = ${JSON.stringify(to.code)}
process.on('warning', ({ stack }) => {
  const text = process.argv.slice(2).join(' ') + ': ' + stack + '\\n'
  try {
    require('node:fs').appendFileSync(${JSON.stringify(to.warnings)}, text)
  } catch {}
})
require('./cli.cjs')
delete process.env.CLADA_CODE_CACHE
`,
  )
}

/** Copying files is many times as fast as starting git. Without git it stays empty, and the tests that need one fail. */
function newRepository(): string {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-tests-git-'))
  if (spawnSync('git', ['--version'], { stdio: 'ignore' }).error !== undefined) return root
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' })
  git('-c', 'init.defaultBranch=main', 'init', '-q')
  git('config', 'user.name', 'User')
  git('config', 'user.email', 'user@example.com')
  const hooks = path.join(root, '.git', 'hooks')
  fs.rmSync(hooks, { recursive: true, force: true })
  fs.mkdirSync(hooks)
  return root
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The directory of the build. */
    dist: string
    /**
     * The command line to start: `quick.cjs` of the build, which keeps its compiled code for all tests and is otherwise
     * `cli.cjs`, or the single-file executable that `CLADA_TEST_BINARY` names.
     */
    cli: string
    /** Where warnings of Node are noted: at the end the tests fail because of them. */
    warnings: string
    /** The state directory of all tests that have none of their own. */
    state: string
    /** A repository without a commit, to copy. */
    repository: string
  }
}
