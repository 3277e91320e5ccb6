import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { scratchDir } from '../support/scratch.ts'
import { needs, skipWithout } from '../support/needs.ts'

const reply = (dir: string, command: string): string => `#!SHAM [@three-char-SHA-256: run]
action = "run"
command = "${command}"
#!END_SHAM_run

#!SHAM [@three-char-SHA-256: aft]
action = "file_write"
path = "${dir}/after.txt"
content = "after"
#!END_SHAM_aft
`

/** A person at a terminal, who presses keys when the question comes. */
async function asked(
  keys: string,
  command = 'node --version',
): Promise<{ code: number | null; shown: string; dir: string }> {
  const dir = scratchDir()
  const state = scratchDir()
  fs.writeFileSync(path.join(dir, 'reply.md'), reply(dir, command))
  fs.writeFileSync(path.join(dir, 'make.sh'), 'echo made > made.txt')
  const onTerminal = path.join(import.meta.dirname, '../support/on_terminal.py')
  const own = [process.execPath, inject('cli'), 'reply.md', '--no-git']
  const { CI: _, ...env } = process.env
  const child = spawn('python3', [onTerminal, '80', ...own], {
    cwd: dir,
    env: { ...env, TERM: 'xterm', NO_COLOR: '1', XDG_STATE_HOME: state },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  let shown = ''
  child.stdout.on('data', (chunk) => (shown += String(chunk)))
  await expect.poll(() => shown, { interval: 20 }).toContain('then Enter: ')
  child.stdin.write(`${JSON.stringify({ send: keys })}\n`)
  return { code: await ended, shown, dir }
}

describe('the question at a terminal', () => {
  needs('python3')

  it('is ended by Ctrl-C, and nothing more is carried out', async () => {
    const { code, shown, dir } = await asked('\u0003')
    expect(code).toBe(130)
    expect(shown).toContain('the user stopped the run')
    expect(fs.existsSync(path.join(dir, 'after.txt'))).toBe(false)
  })

  it('is answered by a line, and the rest goes on', async () => {
    const { code, shown, dir } = await asked('y\r')
    expect(code).toBe(0)
    expect(shown).toContain(process.version)
    expect(fs.existsSync(path.join(dir, 'after.txt'))).toBe(true)
  })

  it.for([
    ['y', true],
    ['n', false],
  ] as const)(
    'lists what a command changed when it was tried, and %s decides whether that stays',
    async ([key, stays], context) => {
      skipWithout(context, 'sandbox')
      const { shown, dir } = await asked(`${key}\r`, 'sh make.sh')
      expect(shown).toMatch(/without network: exit 0, 1 file changed\.\s+\+ made\.txt\s+Keep the result\? y \(once\)/)
      expect(fs.existsSync(path.join(dir, 'made.txt'))).toBe(stays)
    },
  )
})
