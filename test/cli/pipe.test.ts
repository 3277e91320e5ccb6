import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clada, cladaCall } from '../support/cli.ts'
import { needs } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'

needs('sandbox')

const csl = (code: string): string => `<---EXEC lang="bash"--->\n${code}\n<---END--->\n`
const cml = (code: string): string => `<exec lang="bash"><![CDATA[${code}]]></exec>\n`
const cmlWrite = '<write path="a.txt"><![CDATA[x]]></write>\n'
const cslWrite = (file: string): string => `<---WRITE file="${file}"--->\nx\n<---END--->\n`
const sham = (code: string, more = ''): string =>
  `#!SHAM [@three-char-SHA-256: abc]\naction = "exec"\nlang = "bash"\ncode = "${code}"\n${more}#!END_SHAM_abc\n`
const run = (input: string, ...flags: string[]): string =>
  clada(['--no-git', '--exec', 'unsandboxed', ...flags], { cwd: scratchDir(), input }).stdout

/** Runs a document and returns its output, after `go` was made as soon as the output has a text. */
async function runUntil(text: string, input: string): Promise<string> {
  const dir = scratchDir()
  const child = spawn(...cladaCall('--no-git', '--exec', 'unsandboxed'), { cwd: dir })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  let shown = ''
  child.stdout.on('data', (chunk) => {
    shown += String(chunk)
    // The program waits for this file, so the text was here before its end.
    if (shown.includes(text)) fs.writeFileSync(path.join(dir, 'go'), '')
  })
  child.stdin.end(input)
  expect(await ended).toBe(0)
  return shown
}

const waiting = 'while [ ! -e go ]; do sleep 0.05; done'

describe('a pipe', () => {
  it('gets each line of a program while it runs, and the report does not repeat it', async () => {
    const code = `echo first; ${waiting}; echo second; echo made > made.txt`
    const shown = await runUntil('[task-1:exec] first\n', csl(code))
    expect(shown).toContain('[task-1:exec] second\n[task-1] SUCCESS: EXEC - bash\n')
    expect(shown).toContain('[task-1:exec]   create made.txt\n')
    expect(shown.match(/first/g)).toHaveLength(1)
  })

  it.each([
    ['text', cslWrite('a.txt') + csl(waiting), '[task-1] SUCCESS: WRITE - a.txt\n'],
    ['xml', cmlWrite + cml(waiting), '[task-1] Success: '],
  ])('gets the line of an action as soon as it is done: %s', async (_, document, expected) => {
    expect(await runUntil(expected, document)).toContain(expected)
  })

  it.each([
    ['text', `${cslWrite('a.txt')}${csl('echo hi')}${cslWrite('b.txt')}${csl('echo ho')}`],
    ['text in a group', `<---TASKS--->\n${cslWrite('a.txt')}${csl('echo hi')}<---END--->\n${csl('echo ho')}`],
    ['xml', cmlWrite + cml('echo hi') + cml('echo ho')],
    ['xml with an unknown element', `${cmlWrite}<read></read>\n${cml('echo hi')}`],
  ])('gets no output of a program before the lines of earlier tasks: %s', (_, document) => {
    const numbers = [...run(document).matchAll(/^\[task-(\d+(?:\.\d+)?)/gm)].map(([, number]) => Number(number))
    expect(numbers.length).toBeGreaterThan(2)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  })

  it.each(['text', 'xml', 'llm', 'json'])('gets nothing of a program whose output is not wanted: %s', (format) => {
    const shown = run(sham('printf sec; echo ret', 'return_output = "false"\n'), '--format', format)
    expect(shown).toMatch(/success|✅/i)
    expect(shown).not.toContain('secret')
  })

  it.each([
    ['text', csl('seq 10000 99999')],
    ['xml', cml('seq 10000 99999')],
    ['llm', sham('seq 10000 99999')],
  ])('gets no more of a program than --max-output: %s', (_, document) => {
    const shown = run(document, '--max-output', '400')
    expect(shown.match(/^(?:\[task-1:exec\] )?\d{5}$/gm)?.length).toBeLessThanOrEqual(400 / 6)
    expect(shown).toMatch(/10000$/m)
    expect(shown).toMatch(/99999$/m)
    expect(shown).toContain('[output truncated]')
  })

  it.each([
    ['succeeds', 'echo first; echo second'],
    ['fails', 'echo first; echo second; exit 3'],
  ])('shows a model the output of a program once, under its block: it %s', (_, code) => {
    const shown = run(sham(code))
    expect(shown.match(/^first$/gm)).toHaveLength(1)
    expect(shown).not.toContain('[task-1:exec]')
    expect(shown.indexOf('=== CLADA RESULTS')).toBe(0)
  })

  it('gets no line twice of a group that fails as a whole, and none that says it was done', () => {
    const group = `<---TASKS atomic="true"--->\n${cslWrite('a.txt')}<---READ file="nowhere"--->\n<---END--->\n`
    const shown = run(group)
    expect(shown.match(/^\[task-1\.1\] /gm)).toHaveLength(1)
    expect(shown).toMatch(/^\[task-1\.1\] SKIP/m)
  })
})
