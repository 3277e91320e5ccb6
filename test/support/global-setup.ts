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
  return () => {
    for (const made of [dir, state]) fs.rmSync(made, { recursive: true, force: true })
  }
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The built command line. */
    cli: string
    /** The state directory of all tests that have none of their own. */
    state: string
  }
}
