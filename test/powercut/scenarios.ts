import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Clada } from '../../packages/clada/src/index.ts'
import type { Call, Mode } from '../history/world.ts'
import { type Disk, disksOf, type Model } from './disks.ts'
import { readTree, record, writeTree } from './recorder.ts'
import { commandOf } from '../support/cli.ts'
import { inState } from '../support/scratch.ts'

/** One command that is recorded, and how its loss would show. */
export interface Scenario {
  readonly name: string
  readonly mode: Mode | 'git'
  /** Brings the project to the state before the command. */
  readonly prepare?: (world: World) => Promise<unknown>
  /** Arguments of clada, with a document for its input, or a command of git. */
  readonly command: (root: string) => {
    readonly args: readonly string[]
    readonly calls?: readonly Call[]
    /** A script that runs clada and gets its path, the project and the document. */
    readonly script?: string
  }
  readonly kind: 'run' | 'undo' | 'back' | 'forward' | 'squash' | 'undo of a squash' | 'commit' | 'stash'
  /** Files get the contents of others on the way, which a cut may leave for undo. */
  readonly passesOn?: true
}

interface World {
  readonly root: string
  readonly clada: Clada
  git(...args: string[]): string
  run(...calls: Call[]): Promise<unknown>
}

const write = (name: string, content: string): Call => ['file_write', { path: name, content }]
const large = 'large line\n'.repeat(40_000)
const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c/d.txt': 'd\n', 'large.txt': large }
const many = Array.from({ length: 30 }, (_, at): Call =>
  write(at % 3 === 0 ? `n${at}.txt` : `c/m${at}.txt`, `text ${at}\n`),
)
const some: readonly Call[] = [
  ['file_create', { path: 'new/x.txt', content: 'x\n' }],
  ['file_move', { old_path: 'b.txt', new_path: 'moved/b.txt' }],
  ['file_delete', { path: 'c/d.txt' }],
  ['file_delete', { path: 'large.txt' }],
]
/** Files that get their content from other files of the same group. */
const passedOn: readonly Call[] = [
  ['file_move', { old_path: 'b.txt', new_path: 'moved.txt' }],
  ['file_append', { path: 'moved.txt', content: 'appended\n' }],
  ['file_move', { old_path: 'large.txt', new_path: 'c/large.txt' }],
  ['file_append', { path: 'c/large.txt', content: 'appended\n' }],
  ['file_copy', { old_path: 'a.txt', new_path: 'copy.txt' }],
  ['file_append', { path: 'copy.txt', content: 'appended\n' }],
  ['file_move', { old_path: 'c/d.txt', new_path: 'a.txt' }],
  ['file_append', { path: 'a.txt', content: 'appended\n' }],
  ['file_write', { path: 'c/d.txt', content: 'new\n' }],
]
const edit: readonly Call[] = [['file_replace_text', { path: 'a.txt', old_text: 'earlier', new_text: 'now' }]]
const flags = (mode: Mode | 'git'): string[] => ['--git', mode === 'git' ? 'off' : mode]
const run = (name: string, mode: Mode, calls: readonly Call[], ...more: string[]): Scenario => ({
  name,
  mode,
  kind: 'run',
  command: () => ({ args: ['run', '-', ...flags(mode), ...more], calls }),
})

const input = 'clada_input.md'

/** Saves a document into the file that the listener watches, as editors do, and waits for the results in it. */
const listening = `
const fs = require('node:fs')
const [root, document, ...command] = process.argv.slice(1)
const file = root + '/${input}'
const child = require('node:child_process').spawn(command[0], [...command.slice(1), 'watch', '--root', root], { stdio: 'ignore' })
const begun = Date.now()
let saved = false
const look = () => {
  const text = fs.readFileSync(file, 'utf8')
  if (Date.now() - begun > 60000) process.exit(1)
  if (saved && text.length > document.length + 10) return child.kill('SIGINT')
  if (!saved && Date.now() - begun > 2000) {
    fs.writeFileSync(file + '~', 'notes\\n' + document, { flush: true })
    fs.renameSync(file + '~', file)
    saved = true
  }
  setTimeout(look, 50)
}
child.on('exit', () => process.exit(saved ? 0 : 1))
look()
`

const modes: readonly Mode[] = ['off', 'shadow', 'commit']

async function twice({ run }: World): Promise<void> {
  await run(write('a.txt', '1\n'))
  await run(write('a.txt', '2\n'))
}

/** The number of the squash, after an older execution and these two. */
const squashed = 4

/** What is staged, uncommitted and new, with line endings that git would not restore. */
async function atWork({ root, git }: World): Promise<void> {
  fs.writeFileSync(path.join(root, '.git/info/attributes'), '*.txt text eol=crlf\n')
  fs.writeFileSync(path.join(root, 'b.txt'), 'staged\r\n')
  git('add', 'b.txt')
  fs.writeFileSync(path.join(root, 'b.txt'), 'staged\r\nand\nmixed\r\n')
  fs.writeFileSync(path.join(root, 'a.txt'), 'uncommitted\n')
  fs.writeFileSync(path.join(root, 'untracked.txt'), 'untracked\n')
}

/** Not programs with effects: their writes go to a layer, which a trace of calls does not show. The images try those. */
export const scenarios: readonly Scenario[] = [
  ...modes.map((mode) => run('single edit', mode, edit)),
  ...modes.map((mode) => run('many edits', mode, many)),
  ...modes.map((mode) => run('create, move, delete', mode, some)),
  ...modes.map((mode) => run('atomic', mode, [...edit, ...some], '--atomic')),
  ...modes.map((mode): Scenario => ({ ...run('atomic, passed on', mode, passedOn, '--atomic'), passesOn: true })),
  run('large file', 'off', [write('large.txt', 'small\n')]),
  ...modes.map((mode): Scenario => ({
    name: 'undo',
    mode,
    kind: 'undo',
    prepare: ({ run }) => run(...edit, ...some),
    command: () => ({ args: ['undo', ...flags(mode)] }),
  })),
  ...modes.map((mode): Scenario => ({
    name: 'redo',
    mode,
    kind: 'undo',
    prepare: async ({ run, clada }) => {
      await run(...edit, ...some)
      await clada.undo()
    },
    command: () => ({ args: ['redo', ...flags(mode)] }),
  })),
  {
    name: 'results of watch',
    mode: 'commit',
    kind: 'run',
    prepare: async ({ root, git }) => {
      fs.writeFileSync(path.join(root, input), 'notes\n')
      git('add', '-A')
      git('commit', '-qm', 'notes')
    },
    command: () => ({ args: [], calls: edit, script: listening }),
  },
  {
    name: 'squash',
    mode: 'commit',
    kind: 'squash',
    prepare: twice,
    command: () => ({ args: ['squash', '--auto'] }),
  },
  {
    name: 'undo of a squash',
    mode: 'commit',
    kind: 'undo of a squash',
    prepare: async (world) => {
      await twice(world)
      await world.clada.squash({ contiguous: true })
    },
    command: () => ({ args: ['undo', String(squashed)] }),
  },
  { name: 'back', mode: 'commit', kind: 'back', prepare: atWork, command: () => ({ args: ['back'] }) },
  {
    name: 'second step back',
    mode: 'commit',
    kind: 'back',
    prepare: async (world) => {
      await world.clada.back()
      await atWork(world)
    },
    command: () => ({ args: ['back'] }),
  },
  {
    name: 'forward',
    mode: 'commit',
    kind: 'forward',
    prepare: async (world) => {
      await atWork(world)
      await world.clada.back()
    },
    command: () => ({ args: ['forward'] }),
  },
  {
    name: 'forward after a checkout',
    mode: 'commit',
    kind: 'forward',
    prepare: async (world) => {
      await atWork(world)
      await world.clada.back()
      world.git('checkout', '-q', 'main')
    },
    command: () => ({ args: ['forward'] }),
  },
]

/** What git does on its own, for comparison. */
export const plainGit: readonly Scenario[] = [
  {
    name: 'git commit -am',
    mode: 'git',
    kind: 'commit',
    prepare: async ({ root }) => fs.writeFileSync(path.join(root, 'a.txt'), 'uncommitted\n'),
    command: () => ({ args: ['git', 'commit', '-qam', 'x'] }),
  },
  {
    name: 'git stash -u',
    mode: 'git',
    kind: 'stash',
    prepare: async ({ root }) => {
      fs.writeFileSync(path.join(root, 'a.txt'), 'uncommitted\n')
      fs.writeFileSync(path.join(root, 'untracked.txt'), 'untracked\n')
    },
    command: () => ({ args: ['git', 'stash', '-q', '-u'] }),
  },
]

export interface Outcome {
  readonly disks: number
  readonly losses: readonly string[]
}

/** Records a scenario once, and tries the disks that each model allows. */
export async function trial(
  scenario: Scenario,
  base: string,
  cli: string,
  models: readonly Model[],
  sample: { readonly most?: number; readonly seed?: number },
) {
  const dir = path.join(base, 'disk')
  const world = await prepared(scenario, dir)
  const { root } = world
  const before = readTree(dir)
  const filesBefore = projectFiles(root)
  const placeBefore = placeOf(world)
  const { args, calls, script } = scenario.command(root)
  const document = documentOf(root, calls ?? [])
  const command =
    script !== undefined
      ? [process.execPath, '-e', script, root, document, ...commandOf(cli)]
      : scenario.mode === 'git'
        ? args
        : [...commandOf(cli), ...args, '--root', root]
  const { ops, status, stdout } = record(dir, before, command, { cwd: root, env: envFor(dir), input: document })
  if (status !== 0) throw new Error(`${scenario.name} (${scenario.mode}): exit ${status}: ${stdout.slice(0, 500)}`)
  const known = { filesBefore, placeBefore, filesAfter: projectFiles(root), placeAfter: placeOf(world) }
  const found = new Map<Model, Outcome>()
  for (const model of models) {
    const losses: string[] = []
    let disks = 0
    for (const disk of disksOf(model, before, ops, sample)) {
      disks++
      writeTree(dir, disk.tree)
      letMachineStart(root)
      const loss = await lossOn(disk, scenario, world, known)
        .then(async (lost) => lost ?? (scenario.mode === 'git' ? undefined : leftoverOn(world)))
        .catch((error: unknown) => `threw: ${String(error).slice(0, 200)}`)
      if (loss !== undefined) losses.push(`${disk.what}${disk.after ? ' (after success)' : ''}: ${loss}`)
    }
    found.set(model, { disks, losses })
  }
  return { ops: ops.length, found }
}

const envFor = (dir: string): NodeJS.ProcessEnv => ({
  ...process.env,
  XDG_STATE_HOME: path.join(dir, 'state'),
  HOME: path.join(dir, 'home'),
  CLADA_CODE_CACHE: 'off',
  NO_COLOR: '1',
  GIT_AUTHOR_NAME: 'u',
  GIT_AUTHOR_EMAIL: 'u@example.com',
  GIT_COMMITTER_NAME: 'u',
  GIT_COMMITTER_EMAIL: 'u@example.com',
})

async function prepared(scenario: Scenario, dir: string): Promise<World> {
  fs.rmSync(dir, { recursive: true, force: true })
  const root = path.join(dir, 'project')
  for (const [name, text] of Object.entries({ ...files, '../home/x': '' })) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    fs.writeFileSync(path.join(root, name), text)
  }
  process.env['XDG_STATE_HOME'] = path.join(dir, 'state')
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', env: envFor(dir), stdio: ['ignore', 'pipe', 'pipe'] })
  const clada = new Clada({ repoPath: root, git: scenario.mode === 'git' ? 'off' : scenario.mode })
  const world: World = { root, clada, git, run: (...calls) => clada.execute(documentOf(root, calls)) }
  // The history is in the git directory then, and the cut takes of it what was not synced.
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'first')
  fs.writeFileSync(path.join(root, 'b.txt'), 'b\nmore\n')
  git('commit', '-qam', 'second')
  // An older execution, which must not be undone in the place of the recorded one.
  if (scenario.mode !== 'git') await world.run(write('a.txt', 'earlier\n'))
  await scenario.prepare?.(world)
  return world
}

/** The calls as blocks. Outside of the test runner, so without what the other tests use. */
const documentOf = (root: string, calls: readonly Call[]): string =>
  calls
    .map(([action, params]) => {
      const lines = Object.entries(params).map(([name, value]) => {
        const text = name === 'path' || name.endsWith('_path') ? path.join(root, value) : value
        return text.includes('\n')
          ? `${name} = <<'EOT_SHAM_blk'\n${text}EOT_SHAM_blk`
          : `${name} = ${JSON.stringify(text)}`
      })
      return ['#!SHAM [@three-char-SHA-256: blk]', `action = "${action}"`, ...lines, '#!END_SHAM_blk', ''].join('\n')
    })
    .join('\n')

/** After the cut the machine starts again: whatever a run has noted about itself is from before that. */
function letMachineStart(root: string): void {
  const dir = inState(root, 'running')
  if (!fs.existsSync(dir)) return
  for (const name of fs.readdirSync(dir)) {
    const file = path.join(dir, name)
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/"time":"[^"]*"/, `"time":"${long.toISOString()}"`))
  }
}

const long = new Date(Date.now() - os.uptime() * 1000 - 3_600_000)

type Files = Readonly<Record<string, string>>

/** Without what clada and git keep, and without files that are swept at the next start. */
function projectFiles(root: string): Files {
  const found: Record<string, string> = {}
  for (const entry of fs.readdirSync(root, { recursive: true, withFileTypes: true })) {
    const name = path.relative(root, path.join(entry.parentPath, entry.name))
    if (!entry.isFile() || /^\.(git|clada)(\/|$)|\.clada-.*\.tmp$/.test(name)) continue
    // The results are at the top of this one; the user's text stays in any case.
    const text = fs.readFileSync(path.join(root, name), 'latin1')
    if (!name.includes(input)) found[name] = text
    else if (name === input && text.includes('notes\n')) found[name] = 'notes'
  }
  return found
}

const isSame = (one: Files, other: Files): boolean =>
  Object.keys({ ...one, ...other }).every((name) => one[name] === other[name])

function headOf({ git, root }: World): string {
  return fs.existsSync(path.join(root, '.git')) ? git('rev-parse', 'HEAD').trim() : ''
}

interface Known {
  readonly filesBefore: Files
  readonly placeBefore: Place
  readonly filesAfter: Files
  readonly placeAfter: Place
}

/** Where HEAD is, and what is staged. */
interface Place {
  readonly head: string
  readonly branch: string
  readonly staged: string
}

const placeOf = (world: World): Place => ({
  head: headOf(world),
  branch: world.git('rev-parse', '--symbolic-full-name', 'HEAD'),
  staged: world.git('diff', '--cached'),
})

const isAt = (world: World, place: Place): boolean => JSON.stringify(placeOf(world)) === JSON.stringify(place)

const isBack = async (clada: Clada): Promise<boolean> =>
  (await clada.history()).some(({ kind, undone }) => kind === 'back' && !undone)

/** Temporary names that are still there after the next execution has begun and ended. */
async function leftoverOn({ root, clada, run }: World): Promise<string | undefined> {
  while (await isBack(clada)) if (!(await clada.forward()).success) break
  await run(write('later.txt', 'later\n'))
  const left = fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(^|\/)\.clada-[^/]*\.tmp$|\.(new|own|lock)$/.test(name))
  return left.length === 0 ? undefined : `left behind: ${left.join(', ')}`
}

/** What is lost on a disk; undefined when nothing is. */
async function lossOn(
  disk: Disk,
  scenario: Scenario,
  world: World,
  { filesBefore, placeBefore, filesAfter, placeAfter }: Known,
): Promise<string | undefined> {
  const { root, clada, git } = world
  const found = projectFiles(root)
  const whole = new Set([undefined, ...Object.values(filesBefore), ...Object.values(filesAfter)])
  const torn = Object.keys({ ...found, ...filesBefore, ...filesAfter }).filter((name) =>
    scenario.passesOn ? !whole.has(found[name]) : ![filesBefore[name], filesAfter[name]].includes(found[name]),
  )
  if (torn.length > 0) return `neither old nor new: ${torn.join(', ')}`
  const hasGit = scenario.mode !== 'off'
  if (disk.after && scenario.kind !== 'stash' && !isSame(found, filesAfter)) return 'the change is gone'
  if (hasGit) {
    const broken = failureOf(() => git('fsck', '--strict', '--no-dangling')) ?? failureOf(() => git('status'))
    if (broken !== undefined) return `git: ${broken}`
    if (
      disk.after &&
      ['commit', 'squash'].includes(scenario.kind === 'run' ? scenario.mode : scenario.kind) &&
      headOf(world) !== placeAfter.head
    )
      return 'the commit is gone'
  }
  const dirty = !isSame(found, filesBefore)
  switch (scenario.kind) {
    case 'run': {
      const result = await clada.undo(dirty ? {} : { number: 2 })
      if (dirty && !(result.success && result.execution === 2))
        return `undo: ${result.error ?? `execution ${result.execution}`} ${JSON.stringify(result.conflicts)}`
      break
    }
    case 'undo': {
      const of = scenario.name === 'undo' ? await clada.redo() : await clada.undo({ number: 2 })
      // An interrupted one is taken back itself.
      const result = of.success || !dirty ? of : await clada.undo()
      if (dirty && !result.success) return `${scenario.name}: ${result.error}`
      break
    }
    case 'back': {
      if (!dirty && isAt(world, placeBefore)) break
      const result = await clada.forward()
      if (!result.success && dirty) return `forward: ${result.error}`
      if (!isAt(world, placeBefore)) return `HEAD or the index is not restored`
      break
    }
    case 'forward': {
      const result = disk.after ? undefined : await clada.forward()
      // It may have been done, without its record.
      const isDone = result?.success !== false || (result.error?.includes('newest commit') ?? false)
      if (!isDone || !isSame(projectFiles(root), filesAfter)) return `forward: ${result?.error}`
      return isAt(world, placeAfter) ? undefined : `HEAD or the index is not restored`
    }
    case 'stash': {
      if (isSame(found, filesBefore)) return undefined
      const failed = failureOf(() => git('stash', 'pop', '-q'))
      if (failed !== undefined) return `git stash pop: ${failed}`
      break
    }
    case 'squash': {
      if (isAt(world, placeBefore)) return undefined
      const result = await clada.undo({ number: squashed })
      return isAt(world, placeBefore) ? undefined : `undo: ${result.error}`
    }
    case 'undo of a squash': {
      const result = disk.after ? undefined : await clada.undo({ number: squashed })
      return isAt(world, placeAfter) ? undefined : `undo: ${result?.error}`
    }
    case 'commit':
      return undefined
  }
  const now = projectFiles(root)
  if (isSame(now, filesBefore)) return undefined
  const lost = Object.keys({ ...now, ...filesBefore }).filter((name) => now[name] !== filesBefore[name])
  return `not restored: ${lost.join(', ')}`
}

function failureOf(work: () => string): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return String(error instanceof Error && 'stderr' in error ? error.stderr : error)
      .trim()
      .slice(0, 150)
  }
}
