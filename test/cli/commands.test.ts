import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseAnswer } from '../../packages/clada/src/cli/ask.ts'
import { squashLines } from '../../packages/clada/src/cli/commands/squash.ts'
import { choosePort } from '../../packages/clada/src/cli/commands/ui.ts'
import type { SquashResult } from '../../packages/clada/src/timetravel/squash.ts'
import { parseArgs } from '../../packages/clada/src/cli/flags.ts'
import { LiveOutput, ProgressLine, openShownChanges } from '../../packages/clada/src/cli/live-output.ts'
import { withConfig } from '../../packages/clada/src/cli/options.ts'
import { undoLines } from '../../packages/clada/src/cli/print-step.ts'
import { called, written } from '../support/in-process.ts'
import { skipWithout } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

// Not the config of whoever runs the tests.
beforeEach(() => void vi.stubEnv('XDG_CONFIG_HOME', scratchDir()))
afterEach(() => void vi.unstubAllEnvs())

const write = (file: string, content: string): string => `<write path="${file}"><![CDATA[${content}]]></write>\n`

describe('a wrong call', () => {
  it.each<[args: string[], why: string]>([
    [
      ['prompt', 'csl'],
      "clada prompt takes no arguments (got 'csl'). To teach another syntax: clada prompt --syntax csl",
    ],
    [['approve'], 'approve needs one command in quotes: clada approve "npm test"'],
    [['approve', 'make', '--env', 'PATH'], 'clada sets PATH itself, so --env cannot pass it.'],
    [['approve', 'npm', 'test'], 'approve needs one command in quotes: clada approve "npm test"'],
    [['approvals', 'rm'], 'approvals takes no arguments, or: approvals remove "CMD"'],
    [['completion', 'tcsh'], 'completion needs a shell: clada completion bash|zsh|fish'],
    [['undo', '3', '--loop'], '--loop and --conversation undo several executions; leave out the number and --action.'],
    [['undo', '--conversation', '--action', '1'], '--loop and --conversation undo several executions'],
    [['config', 'git', 'exec'], 'config takes one key at most: clada config limits.file_bytes'],
    [['redo', '1', '2'], 'redo takes one number: clada redo N.'],
    [['--review'], '--review asks at a terminal, and there is none here.'],
  ])('%j is refused with what to write instead', async (args, why) => {
    expect(await called(args)).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(why) })
  })
})

interface Call {
  readonly name: string
  readonly files?: Readonly<Record<string, string>>
  /** Calls in the same project. */
  readonly before?: readonly (readonly string[])[]
  readonly args: readonly string[]
  readonly input?: string
  readonly terminals?: readonly (0 | 1 | 2)[]
  readonly status?: number
  readonly stdout?: unknown
  readonly stderr?: unknown
}

const ignored = { 'clada.yml': 'exec: unsandboxed\n' }
const warning = /^clada: clada\.yml:1: ignored exec\.mode: "unsandboxed" .*\n$/

const calls: readonly Call[] = [
  {
    name: 'check lists a block that is right without a note',
    args: ['check', '-'],
    input: write('a.txt', 'x'),
    stdout: '✓ line 1  cml 1  file_write a.txt\n1 found, 0 with problems.\n',
  },
  { name: 'approvals are listed', args: ['approvals'], stdout: 'Nothing is approved in this project.\n' },
  {
    name: 'approvals are listed by name too',
    before: [['approve', 'echo hi']],
    args: ['approvals', 'list'],
    stdout: 'echo hi  approved, whatever it runs\n',
  },
  {
    name: 'context print shows what there is, and fails when a file cannot be read',
    files: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    before: [
      ['context', 'add', 'a.txt', 'b.txt'],
      ['do', 'file_delete', 'path=b.txt', '--no-git'],
    ],
    args: ['context', 'print'],
    status: 1,
    stdout: '=== a.txt ===\na\n',
    stderr: expect.stringMatching(/^a\.txt {2}\d+ tokens\nrefused: b\.txt: .*\n1 file, \d+ tokens\n$/),
  },
  {
    name: 'diff says on stderr what would fail',
    args: ['diff', '-'],
    input: '<remove path="none.txt"/>\n',
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('none.txt'),
  },
  {
    name: 'diff --json says it on stdout only',
    args: ['diff', '-', '--json'],
    input: '<remove path="none.txt"/>\n',
    status: 1,
    stdout: expect.stringContaining('"none.txt"'),
  },
  {
    name: 'do reports an action',
    files: { 'a.txt': 'a\n' },
    args: ['do', 'file_read', 'path=a.txt', '--format', 'text'],
    stdout: expect.stringMatching(/^\[task-1\] SUCCESS: file_read - a\.txt\n(?:\[task-1:output\] .*\n){4}$/),
  },
  {
    name: 'do takes a parameter from stdin',
    args: ['do', 'file_write', 'path=a.txt', '--stdin', 'content', '--no-git'],
    input: 'one\ntwo\n',
    stdout: expect.stringContaining('do ✅ file_write a.txt\n=== END ===\n\n=== CHANGES ===\na.txt new (+2)\n'),
  },
  {
    name: 'do --json contains what is wrong with the config',
    files: ignored,
    args: ['do', 'ls', 'path=.', '--json'],
    stdout: expect.stringContaining('"clada.yml:1: ignored exec.mode: '),
    stderr: expect.stringMatching(warning),
  },
  {
    name: 'the report of a run has no warning that was printed already',
    files: ignored,
    args: ['run', '-', '--no-git', '--format', 'text'],
    input: write('a.txt', 'x'),
    stdout: '[task-1] SUCCESS: write - a.txt\n[task-1:changes] a.txt new (+1)\n',
    stderr: expect.stringMatching(warning),
  },
  { name: 'history of a new project', args: ['history'], stdout: 'Nothing was executed here yet.\n' },
  {
    name: 'history of one execution',
    before: [['do', 'file_write', 'path=a.txt', 'content=x', '--no-git']],
    args: ['history', '1'],
    stdout: expect.stringContaining('+x'),
  },
  {
    name: 'outline of a file without structures',
    files: { 'a.ts': '' },
    args: ['outline', 'a.ts'],
    stdout: '[no structures]\n',
  },
  {
    name: 'outline of a file that is not there',
    args: ['outline', 'a.ts'],
    status: 1,
    stdout: '[task-1] ERROR: list_structures - a.ts - list_structures: FILE_NOT_FOUND: a.ts does not exist.\n',
  },
  {
    name: 'prompt that is longer than its budget',
    args: ['prompt', '--budget', '10'],
    stdout: expect.stringContaining('clada'),
    stderr: expect.stringContaining(
      ' tokens, over the budget of 10; the prompt cannot be made shorter; left out to fit: ',
    ),
  },
  {
    name: 'prompt --files lists the files on stderr',
    files: { 'a.txt': 'a\n' },
    before: [['context', 'add', 'a.txt']],
    args: ['prompt', '--files'],
    stdout: expect.stringContaining('\n=== a.txt ===\na\n'),
    stderr: expect.stringMatching(/^a\.txt {2}\d+ tokens\n1 file, \d+ tokens\nclada: \d+ tokens\n$/),
  },
  { name: 'tools', args: ['tools', 'ls', '--format', 'md'], stdout: expect.stringContaining('ls') },
  {
    name: 'trust shows what the config asks for, and needs a terminal to ask',
    files: ignored,
    args: ['trust'],
    status: 1,
    stdout: 'clada.yml asks for more than you allow:\n  line 1: exec.mode: unsandboxed\n',
    stderr: 'clada: there is no terminal to ask on; say what you allow in your own config file, or by flags.\n',
  },
  {
    name: 'redo of the last undo',
    before: [['do', 'file_write', 'path=a.txt', 'content=x', '--no-git'], ['undo']],
    args: ['redo'],
    stdout: expect.stringMatching(/^Redone: execution 1, .*\n {2}.*a\.txt\n$/),
  },
  {
    name: 'diff tells a person which blocks would fail, and where they are',
    terminals: [2],
    files: { 'reply.md': '<remove path="none.txt"/>\n' },
    args: ['diff', '{root}/reply.md', '--no-color'],
    status: 1,
    stderr: expect.stringMatching(
      /^! file_delete none\.txt: .*\n✗ file_delete none\.txt would fail \(block 1, line 1 of .*reply\.md\)\n[^]*\n1 of 1 block would fail\.\n$/,
    ),
  },
  {
    name: 'approve tells what is not there yet',
    args: ['approve', 'nosuchprogram x', '--reads', 'nothing.txt', '--env', 'NOT_SET_HERE'],
    stdout: expect.stringMatching(
      /^Approved in .*\n.*\n! nosuchprogram is not installed\n! nothing\.txt does not exist\n! NOT_SET_HERE is not set in this environment\n$/,
    ),
  },
  ...['git init sub', 'git clone x', 'git worktree add x', 'git submodule add x'].map((line) => ({
    name: `approve refuses ${line}, which could never be kept`,
    args: ['approve', line],
    status: 2,
    stderr: expect.stringMatching(/^clada: '.*' cannot be approved: git .* is about another repository, and nothing/),
  })),
  {
    name: 'approve takes git init for the project itself',
    args: ['approve', 'git init -b main .'],
    stdout: expect.stringMatching(/^Approved in .*: git init -b main \./),
  },
  {
    name: 'approve of a listed command says that its paths are checked',
    args: ['approve', 'rm -rf /'],
    stdout: 'rm needs no approval: it is on the list, and its paths are checked when it runs.\n',
  },
  {
    name: 'approvals remove names what it removed',
    before: [['approve', 'npm test']],
    args: ['approvals', 'remove', 'npm test'],
    stdout: 'No longer approved: npm test\n',
  },
  {
    name: 'trust says that there is nothing to trust',
    args: ['trust'],
    stdout: 'Nothing here asks for trust: no clada.yml, no AGENTS.md, no list of approved commands.\n',
  },
  {
    name: 'config on a terminal counts a long list, and names what is ignored',
    files: ignored,
    terminals: [1],
    args: ['config', '--no-color'],
    stdout: expect.stringMatching(
      /^version +1 {2}\(default\)\n[^]*\ndenied_patterns +\d+ values: clada config denied_patterns {2}\(default\)\n[^]*! unsandboxed of clada\.yml:1 is ignored; see clada trust\n/,
    ),
  },
  {
    name: 'config of one key tells on stderr that the value of the project is ignored',
    files: ignored,
    args: ['config', 'exec.mode'],
    stdout: 'sandbox\n',
    stderr: expect.stringMatching(/clada: unsandboxed of clada\.yml:1 is ignored; see clada trust\n$/),
  },
  {
    name: 'run --copy prints the report where there is no clipboard',
    files: { 'reply.md': '<remove path="none.txt"/>\n' },
    args: ['{root}/reply.md', '--copy', '--no-git', '--format', 'pretty'],
    status: 1,
    stdout: expect.stringMatching(
      /^✗ file_delete none\.txt\n[^]*\n0 done, 1 failed\n=== CLADA RESULTS ===\n1 ❌ file_delete/,
    ),
    stderr: expect.stringMatching(/^clada: .*clipboard/i),
  },
  {
    name: 'completion in zsh takes two texts for the delimiters of CSL, and one elsewhere',
    args: ['completion', 'zsh'],
    stdout: expect.stringMatching(
      /'\*--root\[.*\]:directory:_files -\/' \\\n[^]*'\*--csl-delimiters\[.*\]:text::text:' \\\n/,
    ),
  },
  {
    name: 'squash without a repository',
    args: ['squash'],
    status: 1,
    stdout: expect.stringContaining('there is no git repository here'),
  },
]

describe('a command, called in this process:', () => {
  for (const { name, files = {}, before = [], args, input = '', terminals = [], ...expected } of calls)
    it(name, async () => {
      const root = scratchDir(files)
      for (const one of before) await called([...one, '--root', root])
      const given = args.map((word) => word.replace('{root}', root))
      const ran = await called([...given, '--root', root], { input, terminals })
      expect(ran).toEqual({ status: 0, stdout: '', stderr: '', ...expected })
    })
})

describe('Ctrl-C', () => {
  it('ends a run of several files, also those that have not begun', async () => {
    const root = scratchDir({ 'a.md': write('a.txt', 'a'), 'b.md': write('b.txt', 'b') })
    const press = vi.spyOn(process, 'once').mockImplementationOnce((_, listener) => {
      listener()
      return process
    })
    onTestFinished(() => press.mockRestore())
    const { status, stdout } = await called(['run', `${root}/a.md`, `${root}/b.md`, '--no-git', '--root', root])
    expect(status).toBe(130)
    expect(stdout.match(/the user stopped the run/g)).toHaveLength(2)
    expect(Object.keys(filesIn(root))).toEqual(['a.md', 'b.md'])
  })
})

describe('clada doctor', () => {
  it('names the user of the sandbox, the missing repository, and the tests that are not approved', async (context) => {
    skipWithout(context, 'sandbox')
    const root = scratchDir({ 'package.json': '{"scripts":{"test":"true"}}' })
    const { stdout } = await called(['doctor', '--json', '--exec', 'off', '--root', root])
    const user = os.userInfo().uid === 0 ? 'as root, without its privileges' : 'as an ordinary user'
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining([
        { name: 'sandbox', ok: true, found: expect.stringMatching(new RegExp(`, ${user}$`)) },
        expect.objectContaining({ name: 'project', found: `${root} (--root)` }),
        { name: 'repository', ok: true, found: "none; checkpoints are saved in a repository of clada's own" },
        expect.objectContaining({ name: 'approvals', found: 'no command is approved; not approved: npm test' }),
      ]),
    )
  })
})

describe('the output of a program, as it arrives', () => {
  it('is shown line by line, and in pieces where no line ends', () => {
    const shown: string[] = []
    const output = new LiveOutput((line) => shown.push(line))
    const add = (text: string): string[] => {
      output.add('1', Buffer.from(text))
      return shown.splice(0)
    }
    expect(add('one\ntw')).toEqual(['[task-1:exec] one'])
    expect(add(`o\n${'x'.repeat(4096)}`)).toEqual(['[task-1:exec] two'])
    expect(add('y')).toEqual([`[task-1:exec] ${'x'.repeat(4096)}y`])
  })

  it.each([10, 100, 1000])(
    'is shown up to a limit of %i, the beginning as it arrives and the end at its end',
    (limit) => {
      const shown: string[] = []
      const output = new LiveOutput((line) => shown.push(line.replace('[task-1:exec] ', '')), { limit })
      const all = Array.from({ length: 1000 }, (_, at) => `line ${at + 1}`)
      for (const line of all) output.add('1', Buffer.from(`${line}\n`))
      const head = shown.splice(0)
      output.end()
      const [mark = '', ...tail] = shown
      const [, first, last] = /^\[output truncated\] lines (\d+)-(\d+) of 1000 not shown/.exec(mark) ?? []
      expect([...head, ...all.slice(Number(first) - 1, Number(last)), ...tail]).toEqual(all)
      expect([...head, ...tail].join('\n').length).toBeLessThanOrEqual(limit)
    },
  )
})

it.each(['diff', 'run'])('%s with a root that is nowhere is a wrong call', async (command) => {
  const root = path.join(scratchDir(), 'nowhere')
  const stderr = `clada: The root '${root}' is not a directory.\n`
  expect(await called([command, '--root', root])).toEqual({ status: 2, stdout: '', stderr })
})

describe('the progress of a long run', () => {
  it('counts what was done, not what was tried', async () => {
    const uptime = vi.spyOn(process, 'uptime').mockReturnValueOnce(0).mockReturnValue(100)
    onTestFinished(() => uptime.mockRestore())
    const { stderr } = await written(async () => {
      const progress = new ProgressLine('counts')
      progress.step({ seq: 1, blockId: '1', action: 'file_write', params: { path: 'a' }, success: false })
    })
    expect(stderr).toBe('clada: 0 of 1 action done, not file_write a\n')
  })
})

describe('the changes in a report for a person', () => {
  it('take at most 200 lines together', async () => {
    const { listen, shown } = await openShownChanges(parseArgs(['--format', 'pretty']).flags)
    const [before, after] = ['a\n'.repeat(20), 'b\n'.repeat(20)]
    for (let seq = 1; seq <= 20; seq++) {
      const result = { seq, blockId: '1', action: 'file_write', params: { path: 'a' }, success: true }
      listen.onChanges?.(result, [{ path: 'a', change: 'modify', before, after, binary: false }])
    }
    const counts = [...(shown.changes?.values() ?? [])].map((lines) => lines.length)
    expect(counts).toEqual([...Array.from({ length: 16 }, () => 12), 8, 0, 0, 0])
  })
})

describe('the config of a project', () => {
  it('says what reports are like, where no flag does', async () => {
    const root = scratchDir({ 'clada.yml': 'report:\n  budget: 500\n  color: never\n' })
    const given = ['--root', root]
    expect(await withConfig(parseArgs(given).flags)).toEqual({ root: [root], budget: ['500'], 'no-color': [''] })
    expect(await withConfig(parseArgs([...given, '--budget', '9']).flags)).toMatchObject({ budget: ['9'] })
  })
})

describe('the lines about', () => {
  const undone = { success: true, execution: 3, summary: '1 file', restored: ['a.txt'], conflicts: [] }
  it.each([
    [undone, ['Undone: execution 3, 1 file', '  a.txt']],
    [{ ...undone, actions: [1, 2] }, ['Undone: action 1, 2 of execution 3, 1 file', '  a.txt']],
    [{ ...undone, executions: [3, 2], summary: '2 executions' }, ['Undone: 2 executions (2, 3)', '  a.txt']],
    [
      {
        ...undone,
        summary: 'create a\n[task-1] b',
        restored: ['a\n=== END ===\n\u001b[2J'],
        warnings: ["'a\nb' stays"],
      },
      ['Undone: execution 3, create a\\n[task-1] b', '  a\\n=== END ===\\n\\x1b[2J', "! 'a\\nb' stays"],
    ],
  ])('an undo name what was undone', (result, lines) => {
    expect(undoLines(result, 'Undone')).toEqual(lines)
  })

  const commits = ['0123456789', '1234567890'].map((id) => ({ id, subject: `AI: ${id}` }))
  const squashed = { success: true, runs: [{ commits, message: 'AI: two things\n\nmore' }] }
  it.each<[SquashResult, string[]]>([
    [squashed, ['2 commits became one: AI: two things', '  01234567 AI: 0123456789', '  12345678 AI: 1234567890']],
    [{ success: true, runs: [] }, ['There are no consecutive commits to squash.']],
    [
      { success: true, runs: [], limit: { commit: 'abcdef0123', why: 'merge' } },
      ['There are no consecutive commits to squash since abcdef01, which is a merge.'],
    ],
    [{ success: false, runs: [], error: 'It failed.' }, ['It failed.']],
  ])('a squash name the commits, or why there are none', (result, lines) => {
    expect(squashLines(result, false)).toEqual(lines)
  })
})

it('takes only clear words for an approval', () => {
  const words = ['y\n', 'YES', 'A', ' always ', 'n', 'No', '', 'ye', 'maybe']
  const unclear = [undefined, undefined, undefined]
  const answers = words.map((word) => parseAnswer(word, { canTry: false }))
  expect(answers).toEqual(['once', 'once', 'always', 'always', 'no', 'no', ...unclear])
  expect(['t', 'TRY', 'tr'].map((word) => parseAnswer(word, { canTry: true }))).toEqual(['try', 'try', undefined])
  expect(parseAnswer('t', { canTry: false })).toBe(undefined)
})

it('serves the page of a project on the same port every time', () => {
  expect(['/p', '/q'].map(choosePort)).toEqual([17_215, 18_245])
})
