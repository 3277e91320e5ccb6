import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scratchDir } from '../support/scratch.ts'
import { needs, skipWithout } from '../support/needs.ts'
import { cladaCommand } from '../support/cli.ts'

const reply = (dir: string, command: string): string => `#!SHAM [@three-char-SHA-256: run]
action = "run"
command = ${JSON.stringify(command)}
#!END_SHAM_run

#!SHAM [@three-char-SHA-256: aft]
action = "file_write"
path = "${dir}/after.txt"
content = "after"
#!END_SHAM_aft
`

/** A person at a terminal, who presses keys when the question comes. */
async function asked(
  keys: string | readonly string[],
  command = 'node --version',
  { dir, state } = { dir: scratchDir(), state: scratchDir() },
): Promise<{ code: number | null; shown: string; dir: string }> {
  fs.writeFileSync(path.join(dir, 'reply.md'), reply(dir, command))
  fs.writeFileSync(path.join(dir, 'make.sh'), '#!/bin/sh\necho made > made.txt', { mode: 0o755 })
  const onTerminal = path.join(import.meta.dirname, '../support/on_terminal.py')
  const own = [...cladaCommand(), 'reply.md', '--no-git']
  const { CI: _, ...env } = process.env
  const child = spawn('python3', [onTerminal, '80', ...own], {
    cwd: dir,
    env: { ...env, TERM: 'xterm', NO_COLOR: '1', XDG_STATE_HOME: state },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  let shown = ''
  child.stdout.on('data', (chunk) => (shown += String(chunk)))
  for (const [index, line] of [keys].flat().entries()) {
    await expect.poll(() => shown.split('then Enter: ').length, { interval: 20 }).toBe(index + 2)
    child.stdin.write(`${JSON.stringify({ send: line })}\n`)
  }
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

  it.each(['node --version', 'sh "make.sh"', './make.sh'])(
    'of %s is answered for always by a, also in later runs and after edits',
    async (command) => {
      const place = { dir: scratchDir(), state: scratchDir() }
      const first = await asked('a\r', command, place)
      expect(first.code).toBe(0)
      for (let time = 0; time < 2; time++) {
        fs.writeFileSync(path.join(place.dir, 'other.txt'), `edited ${time}`)
        const next = await asked([], command, place)
        expect(next.code, next.shown).toBe(0)
        expect(next.shown).not.toContain('then Enter')
      }
      const list = JSON.parse(fs.readFileSync(path.join(place.dir, '.clada/allowed-commands.json'), 'utf8'))
      expect(list.commands).toEqual([command])
    },
    60_000,
  )

  it.for([
    ['y', true],
    ['n', false],
  ] as const)(
    'runs nothing before the answer, tries a command by t, and %s decides whether its changes stay',
    async ([key, stays], context) => {
      skipWithout(context, 'sandbox')
      const { shown, dir } = await asked(['t\r', `${key}\r`], 'sh make.sh')
      expect(shown).toMatch(
        /whatever this runs, in the sandbox\.\s+Run it\? y \(once\), a \(always\), t \(try it first\) or n/,
      )
      expect(shown).toMatch(
        /exit\s+0,\s+1\s+file\s+changed\.\s+Nothing\s+is\s+kept\s+yet\.\s+\+ made\.txt\s+Approve it and keep this result\?/,
      )
      expect(fs.existsSync(path.join(dir, 'made.txt'))).toBe(stays)
    },
  )
})
