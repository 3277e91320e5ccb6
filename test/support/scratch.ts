import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { withSlashes } from '../../packages/clada/src/core/paths.ts'
import { hasCode } from '../../packages/clada/src/core/errors.ts'
import { findState, makeState } from '../../packages/clada/src/state/project-state.ts'

/**
 * An empty directory that is gone after the test, with what clada keeps about it elsewhere: a new project is compared with all
 * that are known, and thousands of tests made each of the last ones wait. Its path holds no link, and on Windows slashes as
 * results have them.
 */
export function scratchDir(files: Readonly<Record<string, string>> = {}): string {
  const dir = withSlashes(fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-test-'))))
  onTestFinished(async () => {
    const state = findState(dir)
    await remove(dir)
    if (state !== undefined) await remove(state)
  })
  fill(dir, files)
  return dir
}

/** What clada keeps about a project, where no clone can bring it. A name in the project that is not there if it keeps nothing. */
export const inState = (root: string, ...names: string[]): string =>
  path.join(findState(fs.realpathSync(root)) ?? path.join(root, '.no-state'), ...names)

/** The same with files in it, and made if it is not there. */
export function fillState(root: string, files: Readonly<Record<string, string>> = {}): string {
  const { dir } = makeState(fs.realpathSync(root))
  fill(dir, files)
  return dir
}

/**
 * A program that is just ending may still put something there, and the retries of `rmSync` do not look for what came
 * in between.
 */
export async function remove(dir: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return fs.rmSync(dir, { recursive: true, force: true })
    } catch (error) {
      if (tries === 100) throw error
      // What a test made read-only, to users who are not the superuser.
      if (error instanceof Error && 'path' in error && hasCode(error, 'EACCES'))
        fs.chmodSync(path.dirname(String(error.path)), 0o755)
      else await setTimeout(50)
    }
  }
}

export function fill(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(dir, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, content)
  }
}

/** Every file below a directory with its text; clada's own corner left out. */
export function filesIn(dir: string): Record<string, string> {
  const found: Record<string, string> = {}
  // By hand: a recursive readdir enters links on some versions of Node.
  const look = (below: string): void => {
    for (const entry of fs.readdirSync(path.join(dir, below), { withFileTypes: true })) {
      const name = `${below}${entry.name}`
      if (entry.isDirectory() && name !== '.clada') look(`${name}/`)
      else if (entry.isFile()) found[name] = fs.readFileSync(path.join(dir, name), 'utf8')
    }
  }
  look('')
  return found
}
