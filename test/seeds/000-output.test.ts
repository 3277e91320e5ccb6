import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/compat/index.ts'
import { clada, cladaCall } from '../support/cli.ts'
import { skipWithout } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'

const numbers = Array.from({ length: 5000 }, (_, at) => `${at + 1}\n`).join('')

describe('seeds 000 and 004: output of programs', () => {
  it('of exec is in OUTPUTS once, under its block id, unless return_output is false', (context) => {
    skipWithout(context, 'bash')
    const root = scratchDir()
    const exec = (id: string, code: string, more = ''): string =>
      `#!SHAM [@three-char-SHA-256: ${id}]\naction = "exec"\nlang = "bash"\ncode = "${code}"\n${more}#!END_SHAM_${id}\n`
    const input = exec('ab1', 'echo shown') + exec('ab2', 'echo hid; echo den >&2', 'return_output = "false"\n')
    const { status, stdout } = clada(['run', '-', '--no-git', '--exec', 'unsandboxed'], { cwd: root, input })
    expect(status).toBe(0)
    expect(stdout.split('\n').filter((line) => line === 'shown')).toHaveLength(1)
    expect(stdout).toMatch(/\[ab1\] exec bash:\nstdout:\nshown\n/)
    expect(stdout).not.toMatch(/^(?:hid|den)$/m)
  })

  it.each([
    ['<run><![CDATA[cat big]]></run>\n', 'CML'],
    ['<---RUN--->\ncat big\n<---END--->\n', 'CSL'],
  ])('is cut at --max-output, with a mark: %s', (input) => {
    const root = scratchDir({ big: numbers })
    const { stdout } = clada(['run', '-', '--no-git', '--max-output', '200'], { cwd: root, input })
    expect(stdout).toContain('[output truncated')
    expect(stdout).toContain('[task-1:exec] 1\n')
    expect(stdout.length).toBeLessThan(3000)
  })

  it('is not shown with --output-mode silent', () => {
    const root = scratchDir({ big: 'secret line\n' })
    const { stdout } = clada(['run', '-', '--no-git', '--output-mode', 'silent'], {
      cwd: root,
      input: '<run><![CDATA[cat big]]></run>\n',
    })
    expect(stdout).not.toContain('secret line')
  })
})

describe('seed 000: results', () => {
  it.each(['text', 'xml', 'pretty'])('stream in order, off a terminal too: %s', async (format) => {
    const root = scratchDir()
    const write = (id: string) =>
      `#!SHAM [@three-char-SHA-256: ${id}]\naction = "file_write"\npath = "${id}.txt"\ncontent = "x"\n#!END_SHAM_${id}\n`
    const [program, args] = cladaCall('run', '-', '--no-git', '--format', format)
    const child = spawn(program, args, { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const lineWith = async (name: string): Promise<string> => {
      for (;;) {
        const { value, done } = await lines.next()
        if (done === true || value.includes(name)) return value ?? ''
      }
    }
    // The second block is sent only after the result of the first was read.
    for (const id of ['ab1', 'ab2', 'ab3']) {
      child.stdin.write(write(id))
      expect(await lineWith(`${id}.txt`)).toContain(`${id}.txt`)
    }
    child.stdin.end()
    await once(child, 'close')
    expect(child.exitCode).toBe(0)
  })
})

describe('seed 000: git_squash', () => {
  it('finds the commits of clada under any commit_message_format', async () => {
    const root = scratchDir()
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    git('init', '-q')
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'start')
    const own = new Clada({ repoPath: root, commitMessageFormat: 'chore: {operation_summary} [bot]' })
    for (const content of ['1', '2', '3']) await own.perform('file_write', { path: 'a.txt', content })
    const { runs } = await own.squash({ dryRun: true })
    expect(runs.map(({ commits }) => commits.length)).toEqual([3])
  })
})
