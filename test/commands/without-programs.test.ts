import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { lookAround } from '../../packages/clada/src/commands/look-around.ts'
import { fromPosix, ripgrepArgs } from '../../packages/clada/src/commands/run-command.ts'
import { defaultDeniedPatterns } from '../../packages/clada/src/policy/secret-files.ts'
import { judgeCommand, type Listed } from '../../packages/clada/src/policy/commands/judge-command.ts'
import { findProgram, systemPath } from '../../packages/clada/src/process/programs.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { rgPath } from '@vscode/ripgrep'

const files = {
  'a.txt': 'one\ntwo\n\n\nthree four\n',
  'b.txt': 'one\n2\n\n\nthree four\nfive\n',
  'src/c.ts': 'export const a = 1\n// TODO (later) a+b\n',
  'src/deep/d.ts': 'todo\n',
  'src/deep/.hidden': 'x\n',
  'empty.txt': '',
  'long.txt': Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join(''),
  'no-end.txt': 'last line without a break',
  'umlaut.txt': 'grün\n',
}

/** Commands of which our own version prints the same as the program. */
const same = `
cat a.txt b.txt
cat -bs a.txt
cat -A a.txt
head long.txt
head -n 3 a.txt b.txt
head -n -25 long.txt
head -c 5 a.txt
head -q -n 1 a.txt b.txt
tail -n 3 long.txt
tail -n +28 long.txt
tail -c 4 no-end.txt
tail -2 a.txt b.txt
wc a.txt
wc -l a.txt
wc -lw a.txt b.txt long.txt
wc -m umlaut.txt
ls
ls -a src/deep
ls -1 src a.txt
ls -R src
ls -p
ls -d src
tree src
tree -a -L 1
tree -d .
tree -F -I deep src
tree -if --noreport src
stat -c '%s %n %F' a.txt src
realpath a.txt
diff a.txt b.txt
diff a.txt a.txt
diff -q a.txt b.txt
diff a.txt no-end.txt
xxd a.txt
xxd -l 20 -s 4 long.txt
xxd -p -c 8 long.txt
xxd -g 1 umlaut.txt
file -b --mime-type a.txt empty.txt
find . -name '*.ts'
find src -type d
find . -maxdepth 1 -type f -empty
find src -name deep -prune -o -type f -print
find . -not -path './src/*' -iname 'A*'
find . \\( -name a.txt -o -name b.txt \\) -size -1k
find . -name 'A*'
find . -name '[!ab]*.txt'
find . -name '[ab].txt'
find . -empty
find . -size +20c -size -30c
cat missing.txt
file -b --mime-encoding umlaut.txt a.txt
file -bi umlaut.txt a.txt
wc missing.txt a.txt
`
  .trim()
  .split('\n')

/** The same for ripgrep in the place of grep. */
const searched = `
grep one a.txt
grep -n one a.txt b.txt
grep -c one a.txt src/c.ts
grep -i todo src/c.ts src/deep/d.ts
grep -v one a.txt
grep -l one a.txt b.txt long.txt
grep -L one a.txt b.txt long.txt
grep -o 'l..e' long.txt
grep -w a src/c.ts
grep -x two a.txt
grep -A1 -n two a.txt
grep -m 2 line long.txt
grep -F 'a+b' src/c.ts
grep 'a+b' src/c.ts
grep '(later)' src/c.ts
grep -E '(one|two)' a.txt
grep 'one\\|two' a.txt
grep 't[[:alpha:]]o' a.txt
grep -e one -e five b.txt
grep -h one a.txt b.txt
grep 'li*ne 1$' long.txt
grep nothing a.txt
`
  .trim()
  .split('\n')

const project = scratchDir

function listedFor(command: string, root: string): Listed {
  const decision = judgeCommand(command, { deniedPatterns: defaultDeniedPatterns, root })
  if (decision.verdict !== 'allow') throw new Error(`${command}: ${JSON.stringify(decision)}`)
  return decision.listed
}

function real(listed: Listed, cwd: string): { output: string; exitCode: number | null } | undefined {
  const { name, dashes } = listed.rule
  const file = findProgram(name, systemPath)
  if (file === undefined) return undefined
  const words = listed.operands.map(({ text }) => text)
  const args = [...listed.options, ...(name === 'find' || dashes === 'single' ? [] : ['--']), ...words]
  const { stdout, stderr, status } = spawnSync(file, args, {
    cwd,
    argv0: name,
    encoding: 'utf8',
    env: { LANG: 'C.UTF-8' },
  })
  return { output: stderr + stdout, exitCode: status }
}

describe.skipIf(process.platform !== 'linux')('commands that look, without their programs', () => {
  it('print what the programs print', () => {
    const root = project(files)
    const found = same.map((command) => {
      const listed = listedFor(command, root)
      const wanted = real(listed, root)
      const words = listed.operands.map(({ text }) => text)
      const call = { options: listed.call.options, words, safePath: root, absolute: root, isHidden: () => false }
      const own = lookAround(listed.rule.name, call)
      // find prints in the order of the directory.
      const sorted = (text = ''): string => (listed.rule.name === 'find' ? text.split('\n').sort().join('\n') : text)
      return wanted === undefined
        ? { command }
        : {
            command,
            output: sorted(own?.output),
            exit: own?.exitCode,
            wanted: sorted(wanted.output),
            code: wanted.exitCode,
          }
    })
    const differing = found.filter(({ output, wanted, exit, code }) => output !== wanted || exit !== code)
    expect(differing).toEqual([])
  })

  it('ripgrep finds what grep finds', () => {
    const root = project(files)
    const differing = searched.flatMap((command) => {
      const listed = listedFor(command, root)
      const wanted = real(listed, root)
      const args = ripgrepArgs(
        listed.call,
        listed.options,
        listed.operands.map(({ text }) => text),
      )
      const { stdout, stderr, status } = spawnSync(rgPath, args, { cwd: root, encoding: 'utf8', env: {} })
      const same = stdout + stderr === wanted?.output && status === wanted.exitCode
      return same ? [] : [{ command, args, own: stdout + stderr, status, wanted }]
    })
    expect(differing).toEqual([])
  })
})

it('neither tree nor ls -R enters what is blocked', () => {
  const root = project({ 'a.txt': '', '.git/config': 'x', 'b/.env': 'S', 'b/c.txt': '' })
  const isHidden = (name: string): boolean => ['.git', '.env'].includes(name)
  const call = { words: ['.'], safePath: root, absolute: root, isHidden }
  expect(lookAround('tree', { ...call, options: ['-a'] })?.output).not.toMatch(/\.git|\.env/)
  expect(lookAround('ls', { ...call, options: ['-R', '-a'] })?.output).not.toMatch(/\.git|\.env/)
})

it('a recursive search leaves out what is blocked', () => {
  const root = project({ 'a.txt': 'secret\n' })
  fill(root, { '.env': 'secret\n', 'sub/.ENV.local': 'secret\n', '.git/x': 'secret\n' })
  const listed = listedFor('grep -rn secret .', root)
  const { stdout } = spawnSync(rgPath, ripgrepArgs(listed.call, listed.options, ['secret', '.']), { cwd: root })
  expect(stdout.toString()).toBe('./a.txt\u00001:secret\n')
})

it('a directory that is left out by its name is no file of that name', () => {
  const { call, options } = listedFor('grep -r --exclude-dir=build --exclude=out x .', project())
  const args = ripgrepArgs(call, options, ['x', '.'])
  expect(args).toEqual(expect.arrayContaining(['--iglob=!build/', '--iglob=!out']))
  expect(args).not.toContain('--iglob=!build')
})

it('differences have three lines around them, or as many as asked for', () => {
  const text = (line: string): string => `1\n2\n3\n4\n5\n${line}\n7\n`
  const root = project({ 'a.txt': text('6'), 'b.txt': text('six'), 'd/a.txt': '' })
  const diff = (words: readonly string[], ...options: string[]) =>
    lookAround('diff', { words, safePath: root, absolute: root, isHidden: () => false, options })?.output
  const change = '-6\n+six\n 7\n'
  const head = '--- a.txt\n+++ b.txt\n'
  expect(diff(['a.txt', 'b.txt'], '-u')).toBe(`${head}@@ -3,5 +3,5 @@\n 3\n 4\n 5\n${change}`)
  expect(diff(['a.txt', 'b.txt'], '-U', '1')).toBe(`${head}@@ -5,3 +5,3 @@\n 5\n${change}`)
  expect(diff(['a.txt', 'gone.txt'])).toBe('diff: gone.txt: No such file or directory\n')
  expect(() => diff(['a.txt', 'd'])).toThrow('EISDIR')
})

it('reads patterns of POSIX', () => {
  expect(fromPosix('a\\(b\\)\\{2\\}+', false)).toBe('a(b){2}\\+')
  expect(fromPosix('*a|b?', false)).toBe('\\*a\\|b\\?')
  expect(fromPosix('(a|b)+', true)).toBe('(a|b)+')
  expect(fromPosix('[\\[x]\\<y\\>', true)).toBe('[\\\\\\[x]\\by\\b')
  expect(fromPosix('[]a]', false)).toBe('[\\]a]')
  expect(fromPosix('\\(*a\\)\\|*b*', false)).toBe('(\\*a)|\\*b*')
})

it('says nothing of its own where only the program knows', () => {
  const root = project({ 'a.txt': 'x' })
  const call = { words: ['a.txt', 'a.txt'], safePath: root, absolute: root, isHidden: () => false }
  expect(lookAround('diff', { ...call, options: ['-w'] })).toBeUndefined()
  expect(lookAround('awk', { ...call, options: [] })).toBeUndefined()
  expect(fs.existsSync(path.join(root, 'a.txt'))).toBe(true)
})
