import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cladaCall } from '../support/cli.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const program = 'require("fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)'
const exec = `#!SHAM [@three-char-SHA-256: abc]\naction = "exec"\nlang = "javascript"\ncode = ${JSON.stringify(program)}\n#!END_SHAM_abc\n`
const after =
  '#!SHAM [@three-char-SHA-256: xyz]\naction = "file_write"\npath = "after.txt"\ncontent = "x"\n#!END_SHAM_xyz\n'

/** The commands that run programs, each with one that never ends. It writes its process id. */
const commands: Readonly<Record<string, readonly string[]>> = {
  run: ['run', '--exec', 'unsandboxed', 'reply.md'],
  do: ['do', '--exec', 'unsandboxed', 'exec', 'lang=javascript', `code=${program}`],
  loop: ['loop', 'task', '--', process.execPath, '-e', program],
}

const isRunning = (pid: number): boolean => {
  try {
    return !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe.skipIf(process.platform !== 'linux')('a signal', () => {
  const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
  const cases = Object.keys(commands).flatMap((name) =>
    (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => [name, signal] as const),
  )
  it.each(cases)('ends clada %s by %s, with the programs that it started', async (name, signal) => {
    const root = scratchDir({ 'reply.md': exec + after })
    const state = scratchDir()
    const env = { PATH: process.env['PATH'], HOME: state, XDG_STATE_HOME: state, CLADA_CODE_CACHE: 'off' }
    const child = spawn(...cladaCall(...(commands[name] ?? [])), { cwd: root, env, stdio: 'ignore' })
    const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
    onTestFinished(() => void child.kill('SIGKILL'))
    const file = path.join(root, 'pid')
    await expect.poll(() => fs.existsSync(file) && fs.readFileSync(file, 'utf8'), { timeout: 60_000 }).toMatch(/^\d+$/)
    const pid = Number(fs.readFileSync(file, 'utf8'))
    onTestFinished(() => {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL')
    })
    child.kill(signal)
    expect(await ended).toBe(signals[signal])
    expect(isRunning(pid)).toBe(false)
    expect(Object.keys(filesIn(root))).not.toContain('after.txt')
  })
})
