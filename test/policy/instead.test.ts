import { expect, it } from 'vitest'
import { judgeCommand } from '../../packages/clada/src/policy/commands/judge-command.ts'

/** A line that only a shell could run, and the beginning of what does the same. */
const lines: readonly (readonly [line: string, instead: string])[] = [
  ['npm test 2>&1 | tail -20', 'Run it alone: npm test. Its whole output'],
  ['cd app && npm test 2>&1 | tail -n 20', 'Run it alone: npm test. '],
  ['npm test > /dev/null', 'Run it alone: npm test. '],
  ['git log --oneline | head -5', 'Run it alone: git log --oneline. '],
  ['grep -rn "a b" src | head -20', 'Run it alone: grep -rn "a b" src. '],
  ['cat src/a.ts | head -50', 'Use file_read_numbered with path="/p/src/a.ts" lines="1-50".'],
  ['cat src/a.ts | tail -5', 'Run it alone: tail -n 5 src/a.ts.'],
  ["cat src/a.ts | grep 'foo bar'", 'Use grep with pattern="foo bar" path="/p/src/a.ts".'],
  ['find . -name "*.ts" | xargs grep -l foo', 'Use grep with pattern="foo" path="/p" include="*.ts".'],
  ['find src -name "*.ts" | grep test', 'Use glob with pattern="**/*.ts" base_path="/p/src".'],
  ['git log --oneline | sort | uniq -c', 'Commands run without a shell. exec with lang="bash"'],
  ['cat src/a.ts | grep foo | sort', 'Commands run without a shell. exec with lang="bash"'],
  ['npm run build && npm test', 'Commands run without a shell. Send one block for each: npm run build, then npm test.'],
  ['ls -la; cat a.txt', 'Commands run without a shell. Send one block for each: ls -la, then cat a.txt.'],
  ['npm test || true', 'Commands run without a shell. exec with lang="bash"'],
  ['echo "hello there" >> notes.txt', 'Use file_append with path="/p/notes.txt" content="hello there".'],
  ["echo 'x' > a.txt", 'Use file_write with path="/p/a.txt" content="x".'],
  ['cat a.txt > b.txt', 'Use file_copy with old_path="/p/a.txt" new_path="/p/b.txt".'],
  ['sort a.txt > b.txt', 'Commands run without a shell. Write files with file_write'],
  ['ls src/*.ts', 'Use glob with pattern="*.ts" base_path="/p/src".'],
  ['cd lib && cat a.ts | head -3', 'Use file_read_numbered with path="/p/lib/a.ts" lines="1-3".'],
  ['ls *.ts', 'Use glob with pattern="*.ts" base_path="/p".'],
  ['cat src/**/x*.ts', 'Use glob with pattern="**/x*.ts" base_path="/p/src". Then files_read with the paths it lists.'],
  ['grep -n foo src/*.ts', 'Use grep with pattern="foo" path="/p/src" include="*.ts".'],
  ['wc -l src/*.ts', 'Commands run without a shell. exec with lang="bash"'],
  // What is not understood keeps the general advice.
  ['rm src/*.ts', 'Name each file. '],
  ['echo $(date) | tail -1', 'Write the value itself'],
  ['cat <<EOF', 'Commands run without a shell. Write one plain command'],
  ["echo 'a | b' |", 'Commands run without a shell. exec with'],
]

it.each(lines)('%s', (line, instead) => {
  const root = process.platform === 'win32' ? 'C:/p' : '/p'
  const decision = judgeCommand(line, { deniedPatterns: [], root })
  const advice = expect.stringMatching(startOf(instead.replaceAll('"/p', `"${root}`)))
  expect(decision).toMatchObject({ verdict: 'deny', advice })
})

const startOf = (text: string): RegExp => new RegExp(`^${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`)

it.each([
  ['ls src/*.ts', "Run instead: find src -maxdepth 1 -name '*.ts'"],
  ['cat src/**/x*.ts', "Run instead: find src -name 'x*.ts'"],
  ['grep -n foo src/*.ts', "Run instead: grep -rn 'foo' src --include='*.ts'"],
  ['cat src/a.ts | head -50', 'Run instead: head -n 50 src/a.ts'],
  ['cd lib && cat a.ts | head -3', 'Run instead: head -n 3 a.ts Its directory is dir="lib".'],
  ['cat a.txt > b.txt', 'Run instead: cp a.txt b.txt'],
  ["echo 'x' > a.txt", 'Commands run without a shell. Write the file as a block.'],
  ['cat src/*.txt | head', 'Commands run without a shell. exec with lang="bash"'],
  ['npm test | tail', 'Run it alone: npm test. '],
])('%s, where a block can only run commands', (line, instead) => {
  const decision = judgeCommand(line, { deniedPatterns: [], root: '/p' }, 'own operations')
  expect(decision).toMatchObject({ verdict: 'deny', advice: expect.stringMatching(startOf(instead)) })
  const [, command] = /^Run instead: (.*?)(?: Its directory.*)?$/.exec(instead) ?? []
  if (command !== undefined) expect(judgeCommand(command, { deniedPatterns: [], root: '/p' }).verdict).toBe('allow')
})
