import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildCommandLine } from '../../scripts/command-line.mjs'
import { buildPage } from '../../scripts/ui.mjs'

/** Builds the command line once for all tests that start it, inside the project so that it finds its dependencies. */
export default async function setup(project: TestProject): Promise<() => void> {
  const dir = fs.mkdtempSync(path.join(import.meta.dirname, '../../node_modules/.clada-test-'))
  const dist = path.join(dir, 'dist')
  // A command line that cannot be built fails the tests that start it, and no others.
  await buildCommandLine(dist).catch(() => undefined)
  await buildPage(path.join(dist, 'ui')).catch(() => undefined)
  fs.writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ version: '0.0.0-test' }))
  project.provide('cli', path.join(dist, 'cli.cjs'))
  // Not the state directory of whoever runs the tests.
  const state = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-tests-state-'))
  project.provide('state', state)
  const repository = newRepository()
  project.provide('repository', repository)
  return () => {
    for (const made of [dir, state, repository]) fs.rmSync(made, { recursive: true, force: true })
  }
}

/** Copying files is many times as fast as starting git. */
function newRepository(): string {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-tests-git-'))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' })
  git('-c', 'init.defaultBranch=main', 'init', '-q')
  git('config', 'user.name', 'User')
  git('config', 'user.email', 'user@example.com')
  fs.rmSync(path.join(root, '.git', 'hooks'), { recursive: true, force: true })
  return root
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The built command line. */
    cli: string
    /** The state directory of all tests that have none of their own. */
    state: string
    /** A repository without a commit, to copy. */
    repository: string
  }
}
