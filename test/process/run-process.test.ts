import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { bareEnvironment } from '../../src/process/environment.ts'
import { type ProcessCall, runProcess } from '../../src/process/run-process.ts'

const bash = (code: string, more: Partial<ProcessCall> = {}): ReturnType<typeof runProcess> =>
  runProcess({
    file: '/bin/bash',
    args: ['-c', code],
    cwd: '/',
    env: bareEnvironment,
    timeoutMs: 5000,
    outputBytes: 1_000_000,
    family: 'marked',
    ...more,
  })

const running = (mark: string): number => {
  try {
    return Number(execFileSync('pgrep', ['-fc', mark], { encoding: 'utf8' }))
  } catch {
    return 0
  }
}

describe('a process', () => {
  it('gives both streams, apart and in order', async () => {
    const end = await bash('echo a; sleep 0.4; echo b >&2; sleep 0.4; echo c')
    expect(end).toMatchObject({ stdout: 'a\nc\n', stderr: 'b\n', output: 'a\nb\nc\n', exitCode: 0, ended: 'itself' })
  })

  it('has no standard input, no terminal and only the environment it was given', async () => {
    const end = await bash('read x; echo "[$x]"; tty; env | grep -v -E "^(PWD|SHLVL|_|CLADA_RUN)=" | sort', {
      env: { PATH: '/bin', ONE: '1' },
    })
    expect(end.output).toBe('[]\nnot a tty\nONE=1\nPATH=/bin\n')
  })

  it('says that it cannot be started', async () => {
    const end = await bash('', { file: '/no/such/program' })
    expect(end).toMatchObject({ ended: 'unstarted', exitCode: null, error: expect.stringContaining('ENOENT') })
  })

  it('is stopped at its limit, with what it said until then', async () => {
    const begun = performance.now()
    const end = await bash('trap "" TERM; echo begun; sleep 58.1', { timeoutMs: 200 })
    expect(end).toMatchObject({ stdout: 'begun\n', ended: 'timeout' })
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(running('sleep 58.1')).toBe(0)
  })

  it('takes those along that left its group', async () => {
    await bash('setsid sleep 58.2 >/dev/null 2>&1 & setsid setsid sleep 58.2 & sleep 58.2', { timeoutMs: 200 })
    expect(running('sleep 58.2')).toBe(0)
  })

  it('does not wait for a child in the background, and does not leave it', async () => {
    const begun = performance.now()
    const end = await bash('setsid sleep 58.3 & echo hi')
    expect(end).toMatchObject({ stdout: 'hi\n', exitCode: 0, ended: 'itself' })
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(running('sleep 58.3')).toBe(0)
  })

  it('is stopped from outside', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 100)
    expect(await bash('sleep 58.4', { signal: stop.signal })).toMatchObject({ ended: 'stopped' })
    expect(running('sleep 58.4')).toBe(0)
  })

  it('is heard as it goes', async () => {
    const heard: string[] = []
    await bash('echo a; sleep 0.1; echo b', { onOutput: (chunk) => heard.push(chunk.toString()) })
    expect(heard.join('')).toBe('a\nb\n')
  })
})
