import { spawnSync } from 'node:child_process'
import { beforeEach, type TestContext } from 'vitest'
import { testPrograms } from '../../scripts/test-programs.mjs'
import { canLayer } from '../../packages/clada/src/process/overlay.ts'
import { chooseSandbox } from '../../packages/clada/src/process/sandbox.ts'

const known = [
  'sandbox',
  // Slashes only, names with any other byte, FIFOs.
  'posix',
  'bash',
  'python3',
  'pytest',
  'ruby',
  'make',
  'pgrep',
  'strace',
  'ssh-keygen',
  'Xvfb',
  'xclip',
  'xsel',
  'chromium',
] as const

export type Need = (typeof known)[number]

/** @throws where tests know no such program */
export function needOf(name: string): Need {
  const need = known.find((one) => one === name)
  if (need === undefined) throw new Error(`tests know no program '${name}'`)
  return need
}

const found = new Map<Need, boolean>()

/** Whether the machine lacks a program. Where CLADA_TEST_ALL is set nothing counts as missing, so that its tests fail. */
export function lacks(need: Need): boolean {
  if (process.env['CLADA_TEST_ALL'] !== undefined) return false
  const before = found.get(need)
  if (before !== undefined) return !before
  const isThere =
    need === 'posix'
      ? process.platform !== 'win32'
      : need === 'sandbox'
        ? chooseSandbox().ok
        : spawnSync('sh', ['-c', `command -v ${need}`]).status === 0
  found.set(need, isThere)
  return !isThere
}

/** Skips the test that runs, with a note that the summary of `npm test` counts, when a program is missing. */
export function skipWithout(context: Pick<TestContext, 'skip'>, ...needs: readonly Need[]): void {
  const missing = needs.find(lacks)
  if (missing === 'posix') context.skip('needs posix')
  if (missing !== undefined)
    context.skip(`needs ${missing} (${testPrograms[missing === 'sandbox' ? 'bwrap' : missing]})`)
}

/** Every test of this file or `describe` needs these programs. */
export function needs(...all: readonly Need[]): void {
  beforeEach((context) => skipWithout(context, ...all))
}

/** The same for programs that work on layers over a project: a sandbox, and a kernel that has them. */
export async function skipWithoutLayers(context: Pick<TestContext, 'skip'>): Promise<void> {
  skipWithout(context, 'sandbox')
  if (process.env['CLADA_TEST_ALL'] === undefined && !(await canLayer(import.meta.dirname)))
    context.skip('layers over a project do not work here')
}

export const needsLayers = (): void => beforeEach(skipWithoutLayers)
