import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { clada } from '../support/cli.ts'
import { skipWithout } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

function run(document: string, before: Record<string, string> = {}, ...flags: string[]) {
  const root = scratchDir(before)
  const ran = clada(['run', '-', '--no-git', ...flags], { cwd: root, input: document })
  return { ...ran, root, files: filesIn(root) }
}

describe('seed 004', () => {
  it('paths of Windows are normalised, then judged', () => {
    const { files, status } = run('<write path="src\\app.js"><![CDATA[x]]></write>\n')
    expect([status, files]).toEqual([0, { 'src/app.js': 'x' }])
    const refused = run(
      '<write path=".git\\config"><![CDATA[x]]></write>\n<write path="a\\..\\..\\b"><![CDATA[x]]></write>\n',
    )
    expect(refused.files).toEqual({})
    expect(refused.stdout).toContain('path_denied')
    expect(refused.stdout).toContain('path_escape')
  })

  it.each(['gone.js', 'path/to/file.js', 'your-project/a.js', 'file.ext', 'example/filename.ts'])(
    'the first error aborts its block, whatever its path looks like: %s',
    (name) => {
      const document = `<tasks>
<edit path="${name}"><search><![CDATA[a]]></search><replace><![CDATA[b]]></replace></edit>
<write path="after.txt"><![CDATA[x]]></write>
</tasks>
<tasks>
<write path="other.txt"><![CDATA[y]]></write>
</tasks>
`
      const { files, status, stdout } = run(document)
      expect([status, files]).toEqual([1, { 'other.txt': 'y' }])
      expect(stdout).toContain('[task-1] Error: file_not_found')
      expect(stdout).toContain('[task-2] Skipped')
      expect(stdout).toContain('[task-3] Success')
      expect(stdout).toContain('<result blocks="2" tasks="3" succeeded="1" failed="1" skipped="1">')
    },
  )

  it('approvals store the command as typed', () => {
    const root = scratchDir()
    clada(['approve', 'npm   test  -- "a b"'], { cwd: root })
    const stored = JSON.parse(fs.readFileSync(path.join(root, '.clada/allowed-commands.json'), 'utf8'))
    expect(stored.commands).toEqual(['npm   test  -- "a b"'])
    expect(Object.keys(stored.added)).toEqual(stored.commands)
  })

  it('the line of a task never comes after the output of a later one', (context) => {
    skipWithout(context, 'posix')
    const document = `<write path="a.txt"><![CDATA[one]]></write>
<run><![CDATA[cat a.txt]]></run>
<write path="b.txt"><![CDATA[two]]></write>
<run><![CDATA[cat b.txt]]></run>
`
    const { stdout } = run(document)
    const numbers = [...stdout.matchAll(/^\[task-(\d+)/gm)].map(([, number]) => Number(number))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(stdout).toContain('[task-2:exec] one')
    expect(stdout).toContain('[task-4:exec] two')
  })

  it('an unknown element in a versioned block is skipped, an unknown version aborts', () => {
    const { files, stdout } = run(
      '<tasks version="1.1"><later/><write path="a"><![CDATA[x]]></write></tasks>\n<tasks version="9.9"><write path="b"><![CDATA[x]]></write></tasks>\n',
    )
    expect(files).toEqual({ a: 'x' })
    expect(stdout).toContain('Unknown version: 9.9')
  })

  it('prints the output of a command that times out once', (context) => {
    skipWithout(context, 'sandbox')
    const stdout = stoppedBy('--timeout', '1', '8', '30')
    expect(stdout.match(/^\[task-1:exec\] one$/gm)).toHaveLength(1)
    expect(stdout).toContain('[task-1] Error: exec_timeout')
  })

  it('gives a command that --total-timeout stopped the code exec_timeout', (context) => {
    skipWithout(context, 'sandbox')
    const stdout = stoppedBy('--total-timeout', '2', '8', '30')
    expect(stdout).toContain('[task-1] Error: exec_timeout')
    expect(stdout).toMatch(/<error type="exec_timeout">Command stopped after it had begun: the \d+ s time limit/)
    expect(stdout.match(/^\[task-1:exec\] one$/gm)).toHaveLength(1)
  })

  it('does not repeat the code of an error in its message', () => {
    const root = scratchDir({ 'a.txt': 'x' })
    execFileSync('git', ['init', '-q'], { cwd: root })
    fs.writeFileSync(path.join(root, '.git/index.lock'), '')
    const document = '<write path="b.txt"><![CDATA[x]]></write>\n'
    const { stdout } = clada(['run', '-', '--git', 'commit'], { cwd: root, input: document })
    expect(stdout).toMatch(/<error type="git_operation_failed">'[^']*index\.lock' exists/)
    expect(stdout).toMatch(/Error: git_operation_failed in b\.txt \('/)
  })

  it('takes a byte order mark before the first block for no damage', () => {
    const content = 'a\u200db \u{1f469}\u200d\u{1f4bb}'
    const { files, status } = run(`\ufeff<write path="z.txt"><![CDATA[${content}]]></write>\n`)
    expect([status, files]).toEqual([0, { 'z.txt': content }])
  })
})

/** With the first limit that lets the command begin: on a busy machine a short one may be over before. */
function stoppedBy(flag: string, ...limits: readonly string[]): string {
  for (const limit of limits) {
    const { stdout } = runApproved('sh -c "echo one; sleep 60"', flag, limit)
    if (stdout.includes('[task-1:exec] one')) return stdout
  }
  throw new Error('the command never began')
}

function runApproved(command: string, ...flags: string[]) {
  const root = scratchDir()
  clada(['approve', command], { cwd: root })
  return clada(['run', '-', '--no-git', ...flags], { cwd: root, input: `<run><![CDATA[${command}]]></run>\n` })
}
