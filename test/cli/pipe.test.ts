import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { clada } from '../support/cli.ts'
import { needs } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'

needs('sandbox')

const csl = (code: string): string => `<---EXEC lang="bash"--->\n${code}\n<---END--->\n`
const sham = (code: string): string =>
  `#!SHAM [@three-char-SHA-256: abc]\naction = "exec"\nlang = "bash"\ncode = "${code}"\n#!END_SHAM_abc\n`

it.each([
  [
    'the report does not repeat it',
    csl,
    ['[task-1:exec] second\n[task-1] SUCCESS: EXEC - bash\n', '[task-1:exec]   create made.txt\n'],
  ],
  [
    'the report for a model does not repeat it either',
    sham,
    ['[task-1:exec] second\n=== CLADA RESULTS ===\n', '[abc] exec bash:\n'],
  ],
])('gets each line of a program while it runs, and %s', async (_, document, expected) => {
  const dir = scratchDir()
  const code = 'echo first; while [ ! -e go ]; do sleep 0.05; done; echo second; echo made > made.txt'
  const child = spawn(process.execPath, [inject('cli'), '--no-git', '--exec', 'unsandboxed'], { cwd: dir })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  let shown = ''
  child.stdout.on('data', (chunk) => {
    shown += String(chunk)
    // The program waits for this file, so its first line was here before its end.
    if (shown.includes('[task-1:exec] first\n')) fs.writeFileSync(path.join(dir, 'go'), '')
  })
  child.stdin.end(document(code))
  expect(await ended).toBe(0)
  for (const part of expected) expect(shown).toContain(part)
  expect(shown.match(/first/g)).toHaveLength(1)
})

it.each([
  ['a program that fails is shown again to a model', 'echo first; exit 3', ['[task-1:exec] first\n', '\nfirst\n']],
  [
    'long output is cut, and the report shows the end',
    'seq 1 20000',
    ['[task-1:exec] [output truncated] The report shows more of it.\n=== CLADA RESULTS', '\n20000\n'],
  ],
])('%s', (_, code, expected) => {
  const { stdout } = clada(['--no-git', '--exec', 'unsandboxed'], { cwd: scratchDir(), input: sham(code) })
  for (const part of expected) expect(stdout).toContain(part)
})
