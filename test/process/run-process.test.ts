import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { bareEnvironment } from '../../packages/clada/src/process/environment.ts'
import { type ProcessCall, runProcess } from '../../packages/clada/src/process/run-process.ts'

const bash = (code: string, more: Partial<ProcessCall> = {}): ReturnType<typeof runProcess> =>
  runProcess({
    file: '/bin/bash',
    args: ['-c', code],
    cwd: '/',
    env: bareEnvironment,
    timeoutMs: 5000,
    outputBytes: 1_000_000,
    scope: 'marked',
    ...more,
  })

describe.skipIf(process.platform === 'win32')('a process', () => {
  it('gives both streams, apart and in order', async () => {
    // It goes on only when it has been heard: what comes on two pipes at once has no order.
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-heard-'))
    const heard = (chunk: Buffer): void => fs.writeFileSync(path.join(dir, chunk.toString().trim()), '')
    const until = (name: string): string => `until [ -e ${dir}/${name} ]; do sleep 0.01; done`
    const end = await bash(`echo a; ${until('a')}; echo b >&2; ${until('b')}; echo c`, { onOutput: heard })
    fs.rmSync(dir, { recursive: true })
    expect(end).toMatchObject({ stdout: 'a\nc\n', stderr: 'b\n', output: 'a\nb\nc\n', exitCode: 0, ended: 'itself' })
  })

  it('has no standard input, no terminal and only the environment it was given', async () => {
    const end = await bash('read x; echo "[$x]"; tty; env | grep -v -E "^(PWD|SHLVL|_)=" | sort', {
      env: { PATH: '/bin', ONE: '1' },
    })
    expect(end.output).toBe('[]\nnot a tty\nONE=1\nPATH=/bin\n')
  })

  it('says that it cannot be started', async () => {
    const missing = await bash('', { file: '/no/such/program' })
    expect(missing).toMatchObject({ ended: 'unstarted', exitCode: null, error: expect.stringContaining('ENOENT') })
    const tooLong = await bash('x'.repeat(10_000_000))
    expect(tooLong).toMatchObject({ ended: 'unstarted', exitCode: null, error: expect.stringContaining('E2BIG') })
  })

  it('is stopped at its limit, with what it said until then', async () => {
    const end = await bash('echo begun; sleep 600', { timeoutMs: 2000 })
    expect(end).toMatchObject({ stdout: 'begun\n', ended: 'timeout', exitCode: null })
  })

  it('is stopped from outside', async () => {
    const stop = new AbortController()
    const end = await bash('echo begun; sleep 600', { signal: stop.signal, onOutput: () => stop.abort() })
    expect(end).toMatchObject({ stdout: 'begun\n', ended: 'stopped', exitCode: null })
  })

  it('does not outlive a stop that came before it', async () => {
    expect(await bash('sleep 600', { signal: AbortSignal.abort() })).toMatchObject({ ended: 'stopped' })
  })

  it('is heard as it goes', async () => {
    const heard: string[] = []
    await bash('echo a; sleep 0.1; echo b', { onOutput: (chunk) => heard.push(chunk.toString()) })
    expect(heard.join('')).toBe('a\nb\n')
  })
})
