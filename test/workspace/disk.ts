import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { PathJudge } from '../../packages/clada/src/core/effects.ts'
import { ProblemError } from '../../packages/clada/src/core/problem.ts'
import { makePathJudge, pathPolicyOf } from '../../packages/clada/src/policy/paths.ts'
import { nativeCalls } from '../../packages/clada/src/workspace/native.ts'
import { DiskTree } from '../../packages/clada/src/workspace/disk-tree.ts'
import type { Location } from '../../packages/clada/src/workspace/walk.ts'
import { openWorkspace, type OpenWorkspace } from '../../packages/clada/src/workspace/open.ts'
import { Scratch } from '../../packages/clada/src/workspace/scratch.ts'
import { settingsFor } from '../support/settings.ts'

const judgeFor = (root: string): PathJudge => makePathJudge(pathPolicyOf(settingsFor(root)))

/** A workspace on the disk, as one run has it. */
export function workspaceIn(root: string): OpenWorkspace {
  const workspace = openWorkspace(settingsFor(path.resolve(root)), judgeFor(path.resolve(root)), 'disk')
  onTestFinished(() => workspace.close())
  return workspace
}

/** The layer below, for what no action can be made to do. */
export function diskIn(root: string, scratch = new Scratch(root), native = nativeCalls): DiskTree {
  const disk = new DiskTree(scratch, undefined, native)
  onTestFinished(async () => {
    await disk.finish()
    await scratch.finish()
  })
  return disk
}

export function locationIn(root: string, relative: string): Location {
  const absolute = path.join(root, relative)
  return { root, parts: relative.split('/'), absolute, given: absolute }
}

/** The problem a piece of work stops with. */
export async function stopOf(work: () => unknown): Promise<ProblemError['problem'] | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
}

/** The files and directories that this process holds open. */
export const openBelow = (root: string): string[] =>
  (fs.existsSync('/proc/self/fd') ? fs.readdirSync('/proc/self/fd') : [])
    .map((fd) => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return ''
      }
    })
    .filter((file) => file.startsWith(root))

/** Temporary files anywhere below a directory. */
export const leftovers = (root: string): string[] =>
  fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.clada-[^/]*\.tmp$/.test(name))

/** What a machine or its user may not allow; a test that needs it is skipped with the reason. */
export function canMount(): boolean {
  try {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-mount-'))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir], { stdio: 'ignore' })
      execFileSync('umount', [dir], { stdio: 'ignore' })
      return true
    } finally {
      fs.rmdirSync(dir)
    }
  } catch {
    return false
  }
}

/** A small disk at a directory, gone after the test. */
export function mountAt(dir: string, options: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir])
  onTestFinished(() => {
    execFileSync('umount', ['-l', dir])
  })
}
