import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Bounds, Program } from '../../packages/clada/src/process/bounds.ts'
import { bareEnvironment } from '../../packages/clada/src/process/environment.ts'
import { type ProcessCall, type ProcessEnd, runProcess } from '../../packages/clada/src/process/run-process.ts'
import { chooseSandbox } from '../../packages/clada/src/process/sandbox.ts'

/** Ways not to end, and to leave others behind. `late`: it is stopped at its limit. Otherwise it ends with 0. */
const cases: Readonly<Record<string, { code: string; late?: true; stdout?: string; timeoutMs?: number }>> = {
  'ignores the polite signals': { code: 'trap "" TERM INT HUP; sleep 600', late: true },
  'answers the polite signal with a new child': {
    code: 'trap "setsid sleep 600 & sleep 600" TERM; sleep 600',
    late: true,
  },
  'stops itself': { code: 'kill -STOP $$', late: true },
  'closes its output and stays': { code: 'exec >&- 2>&-; sleep 600', late: true },
  'writes for ever': { code: 'yes', late: true },
  'answers the polite signal with a flood': { code: 'trap yes TERM; sleep 600', late: true },
  'has no time at all': { code: 'setsid sleep 600 & sleep 600', late: true, timeoutMs: 0 },
  'has almost no time': { code: 'setsid sleep 600 & sleep 600', late: true, timeoutMs: 4 },
  'leaves a child that holds the pipe': { code: 'sleep 600 & echo hi', stdout: 'hi\n' },
  'leaves a child that fills the pipe': { code: 'yes >&2 & echo hi', stdout: 'hi\n' },
  'leaves a child in a group of its own': { code: 'set -m; sleep 600 & echo hi', stdout: 'hi\n' },
  'leaves a grandchild in a session of its own': {
    code: '(setsid bash -c "sleep 600 & sleep 600" &); echo hi',
    stdout: 'hi\n',
  },
  'leaves a child without the environment': { code: 'env -i /usr/bin/setsid /bin/sleep 600 & echo hi', stdout: 'hi\n' },
  'leaves a child that has stopped itself': { code: "setsid bash -c 'kill -STOP $$' & echo hi", stdout: 'hi\n' },
  'leaves a child that ignores the polite signals': {
    code: 'setsid bash -c \'trap "" TERM; sleep 600\' & echo hi',
    stdout: 'hi\n',
  },
  'starts hundreds of short children': { code: 'for i in {1..400}; do (:) & done; wait; echo hi', stdout: 'hi\n' },
}

const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-scopes-')))
const bounds: Bounds = {
  root: dir,
  home: os.homedir(),
  readable: [],
  hidden: [],
  caches: [],
  fixed: [],
  blocked: [],
  absent: [],
  network: false,
  limits: { memoryBytes: 2 ** 32, fileBytes: 2 ** 30, processes: 4000 },
}
const bash = (code: string): Program => ({ file: '/bin/bash', args: ['-c', code], cwd: dir, env: bareEnvironment })
const limits = { timeoutMs: 20_000, outputBytes: 100_000 }

/** Where it works tells whose it is, inside a sandbox too. */
function survivors(): string[] {
  return fs.readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && fs.readlinkSync(`/proc/${pid}/cwd`) === dir
    } catch {
      return false
    }
  })
}

const choice = chooseSandbox()
const scopes: Readonly<Record<string, (code: string, more: Partial<ProcessCall>) => Promise<ProcessEnd>>> = {
  ...(choice.ok && {
    'in a namespace': (code, more) => runProcess({ ...choice.sandbox.wrap(bash(code), bounds), ...limits, ...more }),
  }),
  marked: (code, more) => runProcess({ ...bash(code), scope: 'marked', ...limits, ...more }),
}

afterAll(() => fs.rmSync(dir, { recursive: true, force: true }))

for (const [scope, run] of Object.entries(scopes)) {
  describe.skipIf(process.platform !== 'linux')(`a program ${scope}`, () => {
    // So that the sandbox is in memory, and a short limit is over while the program runs and not before.
    beforeAll(() => run('true', {}).then(() => undefined))

    for (const [name, { code, late, stdout, timeoutMs }] of Object.entries(cases)) {
      it(`${name}, and nothing is left`, async () => {
        const end = await run(code, timeoutMs === undefined && !late ? {} : { timeoutMs: timeoutMs ?? 300 })
        expect(survivors()).toEqual([])
        expect(end).toMatchObject(
          late
            ? { ended: 'timeout', exitCode: null, allEnded: true }
            : { ended: 'itself', exitCode: 0, allEnded: true },
        )
        if (stdout !== undefined) expect(end.stdout).toBe(stdout)
      })
    }

    it('becomes a crowd, and nothing is left', async () => {
      const end = await run('for i in {1..300}; do sleep 600 & done; wait', { processes: 100 })
      expect(survivors()).toEqual([])
      expect(end).toMatchObject({ ended: 'too-many-processes', exitCode: null, allEnded: true })
    })
  })
}
