import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { isAlive, ownOwner } from '../../packages/clada/src/state/own-files.ts'

it('a process that is there is alive, and one that began at another time is not the same', () => {
  expect(isAlive(ownOwner())).toBe(true)
  expect(isAlive({ ...ownOwner(), host: 'elsewhere', pid: 2 ** 22 + 1 })).toBe(true)
  expect(isAlive({ ...ownOwner(), pid: 2 ** 22 + 1 })).toBe(false)
  if (fs.existsSync('/proc/self/stat')) expect(isAlive({ ...ownOwner(), started: '1' })).toBe(false)
  // Where the kernel does not say when: one that began before this process had its number earlier.
  expect(isAlive({ ...ownOwner(), started: '', time: new Date(performance.timeOrigin - 1).toISOString() })).toBe(false)
  expect(isAlive({ ...ownOwner(), started: '' })).toBe(true)
})

it.skipIf(!fs.existsSync('/proc/self/stat'))('a killed process is gone, also where nobody buries it', async () => {
  // What sh starts in the background ends, and sleep, which takes the place of sh, never asks for it.
  const parent = spawn('sh', ['-c', "sh -c 'echo $$' & exec sleep 60"], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [pid] = (await once(parent.stdout, 'data')).map(Number)
  const state = () => fs.readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /, '')[0]
  await expect.poll(state).toBe('Z')
  expect(isAlive({ ...ownOwner(), pid: pid ?? 0, started: '' })).toBe(false)
})
