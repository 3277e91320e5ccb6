import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { birthOf } from '../../packages/clada/src/process/process-tree.ts'
import { openFollowedTree, parseProcessRows } from '../../packages/clada/src/process/marked.ts'
import { findProgram, systemPath, readProgramOutput } from '../../packages/clada/src/process/programs.ts'

/** How macOS finds what a program has started, tested with the ps of this machine. */
const ps = findProgram('ps', systemPath)
const list = (): string => (ps === undefined ? '' : readProgramOutput(ps, ['-A', '-o', 'pid=,ppid=,lstart='], 5000))

it('reads what ps prints on macOS', () => {
  expect(parseProcessRows('    1     0 Mon Nov 16 08:00:00 2026    \n  501     1 Mon Nov 16 08:00:01 2026\n')).toEqual([
    { pid: 1, parent: 0, born: 'Mon Nov 16 08:00:00 2026' },
    { pid: 501, parent: 1, born: 'Mon Nov 16 08:00:01 2026' },
  ])
})

it.skipIf(ps === undefined || process.platform === 'win32')('ends a child that made a session of its own', async () => {
  // A detached child is the leader of a new session.
  const code = `const { spawn } = require('child_process')
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
console.log(child.pid)
setInterval(() => {}, 1000)`
  const leader = spawn(process.execPath, ['-e', code], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const child = await new Promise<number>((told) => leader.stdout.once('data', (text) => told(Number(text))))
  const kin = openFollowedTree(leader.pid ?? 0, list)
  const ended = new Promise((over) => leader.once('exit', over))
  kin.stop()
  await ended
  expect(await kin.terminated()).toBe(true)
  expect(birthOf(child)).toBeUndefined()
})

it('leaves a stranger alone that got the number of one that ended', async () => {
  const lists = ['10 5 then\n', '10 1 later\n', '10 1 later\n']
  const kin = openFollowedTree(2 ** 30, () => (lists.shift() ?? '').replace('5', String(2 ** 30)))
  kin.stop()
  expect(await kin.terminated()).toBe(true)
})
