import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { fromPosix } from '../../packages/clada/src/commands/reading/posix-pattern.ts'
import { judgeCommand } from '../../packages/clada/src/policy/commands/judge-command.ts'
import { findProgram, systemPath } from '../../packages/clada/src/process/programs.ts'
import { needs } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'

const files = {
  'a.txt': 'one\ntwo\n\n\nthree four\n',
  'b.txt': 'one\n2\n\n\nthree four\nfive\n',
  'src/c.ts': 'export const a = 1\n// TODO (later) a+b\n',
  'src/deep/d.ts': 'todo\n',
  'src/deep/.hidden': 'x\n',
  'empty.txt': '',
  'long.txt': Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join(''),
  'no-end.txt': 'last line without a break',
  'umlaut.txt': 'grün\ttab\n',
  'crlf.txt': 'one\r\ntwo\r\n',
  'spaced.txt': 'ONE\n  two\n\nthree   four \n',
  'code.php': '<?php\n$user = f($user);\nfunction f($x) {\n  return $x ^ 2; // a|b *c\n}\n',
  'old/same.txt': 'same\n',
  'old/gone.txt': 'gone\n',
  'old/in/x.txt': 'x\n',
  'new/same.txt': 'same\n',
  'new/added.txt': 'added\n',
  'new/in/x.txt': 'y\n',
}

/** Commands that print what the program prints, and end as it does. */
const commands = String.raw`
cat a.txt b.txt
cat -bs a.txt
cat -A data.bin
cat -A umlaut.txt crlf.txt
cat -b no-end.txt a.txt
cat -bA a.txt
cat missing.txt
cat src
head long.txt
head -n 3 a.txt b.txt
head -n -25 long.txt
head -n 0 a.txt
head -c 5 a.txt
head -c -5 a.txt
head -q -n 1 a.txt b.txt
head -v -n 1 a.txt
head -n -1 no-end.txt
tail -n 3 long.txt
tail -n +28 long.txt
tail -n 0 long.txt
tail -c 4 no-end.txt
tail -c +4 a.txt
tail -2 a.txt b.txt
tail -n 1 no-end.txt
tail -n 100 a.txt
wc a.txt
wc -l a.txt
wc -lw a.txt b.txt long.txt
wc -m umlaut.txt
wc -L umlaut.txt a.txt
wc missing.txt a.txt
wc src a.txt
wc -c data.bin
ls
ls -a src/deep
ls -A src/deep
ls -1 src a.txt
ls -R src
ls -p
ls -F src
ls -d src
ls -l
ls -la src
ls -lh
ls -lR src
ls -lt
ls -Sr
tree src
tree -a -L 1
tree -d .
tree -F -I deep src
tree -if --noreport src
tree -P '*.ts' src
stat -c '%s %n %F' a.txt src
stat -c '%a %A %h %u %U %g %G %i %d %D %f %b %B %o %Y %t %T' a.txt src
stat -c '%10s|%-10s|%04a' a.txt
stat -t a.txt
realpath a.txt
realpath -e src/deep
realpath missing.txt
realpath -e missing.txt
realpath -m missing/x
realpath missing/x
diff a.txt b.txt
diff a.txt a.txt
diff -q a.txt b.txt
diff -s a.txt a.txt
diff a.txt no-end.txt
diff -b a.txt spaced.txt
diff -i a.txt spaced.txt
diff -B a.txt spaced.txt
diff -iwB a.txt spaced.txt
diff old new
diff -r old new
diff -rq old new
diff -rN old new
diff -rs old new
diff a.txt old
diff a.txt data.bin
diff a.txt missing.txt
diff a.txt crlf.txt
diff --strip-trailing-cr a.txt crlf.txt
diff empty.txt a.txt
xxd a.txt
xxd -l 20 -s 4 long.txt
xxd -p -c 8 long.txt
xxd -g 1 umlaut.txt
xxd -b a.txt
xxd -i a.txt
xxd -u data.bin
xxd empty.txt
file -b --mime-type a.txt empty.txt
file a.txt empty.txt umlaut.txt crlf.txt no-end.txt src data.bin
file -b --mime-encoding umlaut.txt a.txt
file -bi umlaut.txt a.txt
find
find . -name '*.ts'
find src -type l
find . -maxdepth 1 -type f -empty
find src -name deep -prune -o -type f -print
find src -name deep -prune -o -type f
find . -not -path './src/*' -iname 'A*'
find . \( -name a.txt -o -name b.txt \) -size -1k
find . -name '[!ab]*.txt'
find . -name '[^ab]*.txt'
find . -name '[]a]*' -o -name '[a-c-]*' -o -name '[a'
find . -iname '[A-B].TXT'
find . -name '?.*x?'
find . -name '[ab].txt'
find . -empty
find . -size +20c -size -30c
find . -mindepth 2 -maxdepth 2
find . -newer b.txt -name a.txt
find . -mtime +100
find . -mmin -5 -type f -name 'l*'
find src/ -name c.ts
find . -name .
find . -print -name a.txt
find . -type f,d -name '*e*'
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
grep -B1 -n two a.txt b.txt
grep -C1 -n 2 long.txt
grep -m 2 line long.txt
grep -F 'a+b' src/c.ts
grep '(later)' src/c.ts
grep -E '(one|two)' a.txt
grep 'one\|two' a.txt
grep 't[[:alpha:]]o' a.txt
grep -e one -e five b.txt
grep -h one a.txt b.txt
grep nothing a.txt
grep '$user' code.php
grep -n 'f($x) {' code.php
grep -E 'f\(\$x\) {' code.php
grep 'x ^ 2' code.php
grep '*c' code.php
grep 'a|b' code.php
grep '\<f' code.php
grep 'l\{1\}i' long.txt
grep -E '1{2}' long.txt
grep '\(.\)\1' a.txt
grep 'one$' crlf.txt
grep one crlf.txt
grep -c '' a.txt
grep -n '^$' a.txt
grep one data.bin
grep -r one
grep -rn one .
grep -rl one src a.txt
grep -rL one old
grep -rc one old
grep -rh todo src
grep -r --include='*.ts' todo .
grep -r --include='*.ts' --include='*.php' f .
grep -r --exclude='*.ts' todo .
grep -r --exclude-dir=deep todo .
grep -rn -A1 same old new
grep -rv same old new
grep one src
grep one missing.txt
grep -s one missing.txt
grep -q one a.txt
grep one a.txt missing.txt
grep -i 'GRÜN' umlaut.txt
`
  .trim()
  .split('\n')

const run = async (root: string, command: string): Promise<{ output: string; code: number }> => {
  const { results } = await new Clada({ repoPath: root, git: 'off' }).perform('run', { command })
  const { output, exit_code } = Object(results[0]?.data)
  return { output, code: exit_code }
}

/** Undefined if it is not installed. */
function runProgram(root: string, command: string): { output: string; code: number | null } | undefined {
  const decision = judgeCommand(command, { deniedPatterns: [], root })
  if (decision.verdict !== 'allow') throw new Error(`${command}: ${JSON.stringify(decision)}`)
  const { rule, call } = decision.listed
  const file = findProgram(rule.name, systemPath)
  const args = [...call.options, ...call.operands.map(({ text }) => text)]
  const env = { LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' }
  const end = file && spawnSync(file, args, { cwd: root, argv0: rule.name, encoding: 'utf8', env })
  return end ? { output: end.stderr + end.stdout, code: end.status } : undefined
}

/** These print in the order of the directory. */
const sorted = (command: string, text: string): string =>
  /^(?:find|grep -r)/.test(command) ? text.split('\n').sort().join('\n') : text

describe.skipIf(process.platform !== 'linux')('commands that only read', () => {
  it('print what the programs print', async () => {
    const root = scratchDir(files)
    fs.writeFileSync(path.join(root, 'data.bin'), Buffer.from([0, 1, 2, 255, 111, 110, 101, 10]))
    fs.symlinkSync('a.txt', path.join(root, 'src/link'))
    fs.chmodSync(path.join(root, 'src/c.ts'), 0o755)
    fs.utimesSync(path.join(root, 'b.txt'), 1_600_000_000, 1_600_000_000)
    const differing: object[] = []
    for (const command of commands) {
      const program = runProgram(root, command)
      const own = await run(root, command)
      const isSame =
        program === undefined ||
        (sorted(command, own.output) === sorted(command, program.output) && own.code === program.code)
      if (!isSame) differing.push({ command, own, program })
    }
    expect(differing).toEqual([])
  })
})

it('prints a tree as JSON', async () => {
  const root = scratchDir({ 'src/a.ts': '', 'src/deep/b.ts': '' })
  const { output } = await run(root, 'tree -J src')
  const deep = { type: 'directory', name: 'deep', contents: [{ type: 'file', name: 'b.ts' }] }
  const src = { type: 'directory', name: 'src', contents: [{ type: 'file', name: 'a.ts' }, deep] }
  expect(JSON.parse(output)).toEqual([src, { type: 'report', directories: 2, files: 2 }])
})

it('shows differences with three lines around them, or as many as asked for', async () => {
  const text = (line: string): string => `1\n2\n3\n4\n5\n${line}\n7\n`
  const root = scratchDir({ 'a.txt': text('6'), 'b.txt': text('six') })
  const change = '-6\n+six\n 7\n'
  const head = '--- a.txt\n+++ b.txt\n'
  expect(await run(root, 'diff -u a.txt b.txt')).toEqual({
    output: `${head}@@ -3,5 +3,5 @@\n 3\n 4\n 5\n${change}`,
    code: 1,
  })
  expect(await run(root, 'diff -U 1 a.txt b.txt')).toEqual({ output: `${head}@@ -5,3 +5,3 @@\n 5\n${change}`, code: 1 })
})

describe('what is blocked', () => {
  const secrets = { 'a.txt': 'secret\n', '.env': 'secret\n', '.env.example': 'secret\n', 'b/.ENV.local': 'secret\n' }

  it.each(['tree -a', 'ls -aR', 'find .', 'grep -rn secret .', 'grep -rl secret', 'grep -rL nothing .'])(
    'is not shown by %s',
    async (command) => {
      const root = scratchDir({ ...secrets, '.git/config': 'secret\n', 'b/.git/secret': 'secret\n' })
      const { output } = await run(root, command)
      expect(output).toContain('a.txt')
      expect(output).toContain('.env.example')
      expect(output).not.toMatch(/\.git|\.env$|\.env[^.]|ENV/)
    },
  )

  it('is left out of a comparison of directories', async () => {
    const root = scratchDir({ 'one/.env': 'secret 1', 'two/.env': 'secret 2', 'one/a': '1\n', 'two/a': '1\n' })
    expect(await run(root, 'diff -r one two')).toEqual({ output: '', code: 0 })
  })

  it.each(['cat .env', 'head -n 1 .env', 'diff a.txt .env', 'grep KEY .env', 'wc .env', 'xxd .env', 'file .env'])(
    'is refused: %s',
    async (command) => {
      const clada = new Clada({ repoPath: scratchDir({ 'a.txt': '', '.env': 'KEY=CANARY\n' }), git: 'off' })
      const result = await clada.perform('run', { command })
      expect(result).toMatchObject({ success: false, results: [{ code: 'path_denied' }] })
      expect(JSON.stringify(result.results)).not.toContain('CANARY')
    },
  )
})

it('finds the files of a group and of a preview as they would be', async () => {
  const root = scratchDir({ 'a.txt': 'before\n', 'gone.txt': 'before\n' })
  const text = [
    '<---TASKS atomic="true"--->',
    '<---WRITE file="a.txt"--->\nafter\n<---END--->',
    '<---WRITE file="d/new.txt"--->\nafter\n<---END--->',
    ...['rm gone.txt', 'cat a.txt', 'ls -1', 'find . -type f', 'grep -rc after .', 'wc -l d/new.txt'].map(
      (command) => `<---RUN--->\n${command}\n<---END--->`,
    ),
    '<---END--->',
  ].join('\n')
  const clada = new Clada({ repoPath: root, git: 'off' })
  const outputs = [
    '',
    '',
    '',
    'after',
    'a.txt\nd\n',
    './a.txt\n./d/new.txt\n',
    './a.txt:1\n./d/new.txt:1\n',
    '0 d/new.txt\n',
  ]
  const { result } = await clada.preview(text)
  expect(result.results.map(({ data }) => Object(data).output ?? '')).toEqual(outputs)
  expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('before\n')
  const { results } = await clada.execute(text)
  expect(results.map(({ data }) => Object(data).output ?? '')).toEqual(outputs)
})

describe('large files', () => {
  needs('posix')

  it('are read from where it matters, and not into memory', async () => {
    const root = scratchDir()
    const file = path.join(root, 'large.log')
    fs.writeFileSync(file, 'first\n')
    fs.truncateSync(file, 300 * 1024 * 1024)
    fs.appendFileSync(file, '\nlast\n')
    expect(await run(root, 'head -n 1 large.log')).toEqual({ output: 'first\n', code: 0 })
    expect(await run(root, 'tail -n 1 large.log')).toEqual({ output: 'last\n', code: 0 })
    expect(await run(root, 'wc -l large.log')).toEqual({ output: '3 large.log\n', code: 0 })
  })
})

describe('patterns that an expression would try in all ways', () => {
  const name = 'a'.repeat(240)
  const stars = '*a'.repeat(120)
  const many = 20_000

  it.each([
    [`find . -name '${stars}b'`, { output: '', code: 0 }],
    [`find . -name '${stars}*'`, { output: `./${name}\n`, code: 0 }],
    [`find . -ipath '${stars}b'`, { output: '', code: 0 }],
    [`find . -name '${'['.repeat(many)}'`, { output: '', code: 0 }],
    [`tree --noreport -P '${stars}b'`, { output: '.\n', code: 0 }],
    [`grep -r --include='${stars}b' x .`, { output: '', code: 1 }],
    [`grep --include='${stars}b' x ${name}`, { output: '', code: 1 }],
    [`grep '${'[:'.repeat(many)}' ${name}`, { output: '', code: 1 }],
    [`grep -E 'a${'{'.repeat(many)}' ${name}`, { output: '', code: 1 }],
  ])('are done in a moment: %#', async (command, wanted) => {
    expect(await run(scratchDir({ [name]: 'x\n' }), command)).toEqual(wanted)
  })
})

it('reads patterns of POSIX', () => {
  expect(fromPosix('a\\(b\\)\\{2\\}+', false)).toBe('a(b){2}\\+')
  expect(fromPosix('*a|b?', false)).toBe('\\*a\\|b\\?')
  expect(fromPosix('(a|b)+', true)).toBe('(a|b)+')
  expect(fromPosix('[\\[x]\\<y\\>', true)).toBe('[\\\\\\[x]\\b{start}y\\b{end}')
  expect(fromPosix('[]a]', false)).toBe('[\\]a]')
  expect(fromPosix('\\(*a\\)\\|*b*', false)).toBe('(\\*a)|\\*b*')
  expect(fromPosix('a{ b{2}', true)).toBe('a\\{ b{2}')
  expect(fromPosix('$a^b$', false)).toBe('\\$a\\^b$')
})
