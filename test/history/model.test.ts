import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { figure, many } from './endurance.ts'
import { documentOf, git, repository } from './world.ts'

/**
 * Random sequences of executions, the user's own edits and commits, undo, redo, back, forward and squash, beside a
 * model in memory that says what the files must be after each step.
 */
const names = ['a.txt', 'b.txt', 'dir/c.txt'] as const
type Files = ReadonlyMap<string, string>

interface Touched {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

interface Done {
  readonly number: number
  readonly paths: readonly Touched[]
  undone: boolean
  undo: readonly Touched[]
  undoOrder: number
}

interface Commit {
  readonly files: Files
  readonly ai: boolean
}

/** The branch before and after a squash. */
interface Squashed {
  readonly before: Branch
  readonly after: Branch
  undone: boolean
  undoOrder: number
}

interface Branch {
  /** By its name in git: commits made in one second may be the same one. */
  readonly head: string
  readonly commits: readonly Commit[]
}

class Model {
  files = new Map<string, string>()
  commits: Commit[] = []
  readonly squashes: Squashed[] = []
  readonly executions: Done[] = []
  order = 0
  /** Where `back` has led, and what waits at each commit above. */
  at: number | undefined
  saved = new Map<number, Files>()

  get head(): Files {
    return this.commits.at(-1)?.files ?? new Map()
  }

  commit(files: Files, ai: boolean): void {
    if (!same(files, this.head)) this.commits.push({ files: new Map(files), ai })
  }
}

const same = (a: Files, b: Files): boolean => a.size === b.size && [...a].every(([name, text]) => b.get(name) === text)

function put(files: Map<string, string>, name: string, text: string | undefined): void {
  if (text === undefined) files.delete(name)
  else files.set(name, text)
}

interface Real {
  readonly root: string
  readonly clada: Clada
  steps: number
}

function filesOf(root: string): Map<string, string> {
  return new Map(
    names.flatMap((name) => {
      const file = path.join(root, name)
      return fs.existsSync(file) ? [[name, fs.readFileSync(file, 'utf8')] as const] : []
    }),
  )
}

abstract class Step implements fc.AsyncCommand<Model, Real> {
  check(_model: Readonly<Model>): boolean {
    return true
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.act(model, real)
    real.steps++
    expect(Object.fromEntries(filesOf(real.root))).toEqual(Object.fromEntries(model.files))
  }

  protected abstract act(model: Model, real: Real): Promise<void>
}

type Change = readonly [name: string, text: string | undefined]

class Execute extends Step {
  readonly changes: readonly Change[]

  constructor(changes: readonly Change[]) {
    super()
    this.changes = changes
  }

  async act(model: Model, { clada, root }: Real): Promise<void> {
    const calls = this.changes.map(([name, content]) =>
      content === undefined
        ? (['file_delete', { path: name }] as const)
        : (['file_write', { path: name, content }] as const),
    )
    const result = await clada.execute(documentOf(root, calls))
    if (model.at !== undefined) {
      // Only a change asks whether it may be made.
      const changing = this.changes.some(([name, text]) => text !== undefined || model.files.has(name))
      expect(result.fatalCode).toBe(changing ? 'git_operation_failed' : undefined)
      return
    }
    const before = new Map(model.files)
    const touched = new Set<string>()
    for (const [name, text] of this.changes) {
      if (text === undefined && !model.files.has(name)) continue
      touched.add(name)
      put(model.files, name, text)
    }
    if (touched.size === 0) return
    model.commit(before, false)
    model.commit(model.files, true)
    const paths = [...touched].map((name) => ({ path: name, before: before.get(name), after: model.files.get(name) }))
    // What was made and deleted again has never been.
    const real = paths.filter(({ before, after }) => before !== undefined || after !== undefined)
    if (real.length > 0) model.executions.push({ number: 0, paths: real, undone: false, undo: [], undoOrder: 0 })
  }

  toString(): string {
    return `execute(${JSON.stringify(this.changes)})`
  }
}

class Edit extends Step {
  readonly change: Change

  constructor(change: Change) {
    super()
    this.change = change
  }

  override check(model: Readonly<Model>): boolean {
    return model.at === undefined
  }

  async act(model: Model, { root }: Real): Promise<void> {
    const [name, text] = this.change
    put(model.files, name, text)
    const file = path.join(root, name)
    if (text === undefined) fs.rmSync(file, { force: true })
    else {
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, text)
    }
  }

  toString(): string {
    return `edit(${JSON.stringify(this.change)})`
  }
}

class UserCommit extends Step {
  override check(model: Readonly<Model>): boolean {
    return model.at === undefined
  }

  async act(model: Model, { root }: Real): Promise<void> {
    git(root, 'add', '-A', '--', ...names.filter((name) => model.files.has(name) || model.head.has(name)))
    if (!same(model.files, model.head)) git(root, 'commit', '-q', '-m', 'mine')
    model.commit(model.files, false)
  }

  toString(): string {
    return 'commit'
  }
}

/** Applies what an undo or redo restores; undefined when it must refuse. */
function turned(model: Model, paths: readonly Touched[]): Touched[] | undefined {
  const restored: Touched[] = []
  for (const { path: name, before, after } of paths) {
    const now = model.files.get(name)
    if (now === after) restored.push({ path: name, before: now, after: before })
    else if (now !== before) return undefined
  }
  return restored
}

function apply(model: Model, restored: readonly Touched[]): void {
  const head = new Map(model.head)
  for (const { path: name, after } of restored) {
    put(model.files, name, after)
    put(head, name, after)
  }
  model.commit(head, true)
}

class Undo extends Step {
  async act(model: Model, { clada }: Real): Promise<void> {
    const result = await clada.undo()
    const last = model.executions.findLast(({ undone }) => !undone)
    const restored = model.at !== undefined || last === undefined ? undefined : turned(model, last.paths)
    expect(result.success).toBe(restored !== undefined)
    if (restored === undefined || last === undefined) return
    apply(model, restored)
    last.undone = true
    last.undo = restored
    last.undoOrder = ++model.order
  }

  toString(): string {
    return 'undo'
  }
}

class Redo extends Step {
  async act(model: Model, { clada, root }: Real): Promise<void> {
    const head = headOf(root)
    const result = await clada.redo()
    const [squash] = model.squashes.filter(({ undone }) => undone).sort((a, b) => b.undoOrder - a.undoOrder)
    if (squash !== undefined && model.executions.every((one) => !one.undone || one.undoOrder < squash.undoOrder))
      return moveBranch(model, squash, { ...result, head })
    const [last] = model.executions.filter(({ undone }) => undone).sort((a, b) => b.undoOrder - a.undoOrder)
    const restored = model.at !== undefined || last === undefined ? undefined : turned(model, last.undo)
    expect(result.success).toBe(restored !== undefined)
    if (restored === undefined || last === undefined) return
    apply(model, restored)
    last.undone = false
  }

  toString(): string {
    return 'redo'
  }
}

class Back extends Step {
  async act(model: Model, { clada }: Real): Promise<void> {
    const result = await clada.back()
    const at = model.at ?? model.commits.length - 1
    expect(result.success).toBe(at > 0)
    if (at === 0) return
    if (model.at === undefined && !same(model.files, model.head)) model.saved.set(at, new Map(model.files))
    model.at = at - 1
    model.files = new Map(model.commits[at - 1]?.files)
  }

  toString(): string {
    return 'back'
  }
}

class Forward extends Step {
  async act(model: Model, { clada }: Real): Promise<void> {
    const result = await clada.forward()
    expect(result.success).toBe(model.at !== undefined)
    if (model.at === undefined) return
    const at = model.at + 1
    model.files = new Map(model.saved.get(at) ?? model.commits[at]?.files)
    model.saved.delete(at)
    model.at = at === model.commits.length - 1 ? undefined : at
  }

  toString(): string {
    return 'forward'
  }
}

const headOf = (root: string): string => git(root, 'rev-parse', 'HEAD').trim()

class Squash extends Step {
  async act(model: Model, { clada, root }: Real): Promise<void> {
    const head = headOf(root)
    const result = await clada.squash({ contiguous: true })
    expect(result.success).toBe(model.at === undefined)
    if (model.at !== undefined) return
    let from = model.commits.length
    while (model.commits[from - 1]?.ai) from--
    const count = model.commits.length - from
    expect(result.runs.map(({ commits }) => commits.length)).toEqual(count > 1 ? [count] : [])
    if (count < 2) return
    const before = { head, commits: [...model.commits] }
    // Together they may change nothing.
    const isEmpty = same(model.commits[from - 1]?.files ?? new Map(), model.head)
    model.commits.splice(from, isEmpty ? count : count - 1)
    const after = { head: headOf(root), commits: [...model.commits] }
    model.squashes.push({ before, after, undone: false, undoOrder: 0 })
  }

  toString(): string {
    return 'squash'
  }
}

/** Undo or redo of a squash: only where the branch is as it was left, or there already. */
function moveBranch(
  model: Model,
  squash: Squashed,
  { success, head }: { readonly success: boolean; readonly head: string },
): void {
  const [from, to] = squash.undone ? [squash.before, squash.after] : [squash.after, squash.before]
  expect(success).toBe(model.at === undefined && [from.head, to.head].includes(head))
  if (!success) return
  model.commits = [...to.commits]
  squash.undone = !squash.undone
  squash.undoOrder = ++model.order
}

class UndoSquash extends Step {
  override check({ squashes }: Readonly<Model>): boolean {
    return squashes.at(-1)?.undone === false
  }

  async act(model: Model, { clada, root }: Real): Promise<void> {
    const head = headOf(root)
    const number = (await clada.history()).findLast(({ kind }) => kind === 'squash')?.number
    const last = model.squashes.at(-1)
    if (last !== undefined) moveBranch(model, last, { ...(await clada.undo({ number })), head })
  }

  toString(): string {
    return 'undo of the squash'
  }
}

const change = fc.tuple(fc.constantFrom(...names), fc.option(fc.constantFrom('1\n', '2\n', '3\n'), { nil: undefined }))

const commands = fc.commands(
  [
    fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => new Execute(changes)),
    fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => new Execute(changes)),
    change.map((one) => new Edit(one)),
    fc.constant(new UserCommit()),
    fc.constant(new Undo()),
    fc.constant(new Undo()),
    fc.constant(new Redo()),
    fc.constant(new Back()),
    fc.constant(new Forward()),
    fc.constant(new Squash()),
    fc.constant(new UndoSquash()),
  ],
  { maxCommands: many ? 25 : 12, size: many ? 'max' : '=' },
)

test('whatever happens in whatever order, the files are what they must be', { timeout: 3_600_000 }, async () => {
  const runs = many ? 200 : 6
  let steps = 0
  await fc.assert(
    fc.asyncProperty(commands, async (list) => {
      const files = { 'a.txt': 'first\n', 'dir/c.txt': 'first\n' }
      const root = repository({ ...files, '.gitignore': '.clada/\n' })
      const model = new Model()
      model.files = new Map(Object.entries(files))
      model.commits.push({ files: new Map(model.files), ai: false })
      const real = { root, clada: new Clada({ repoPath: root }), steps: 0 }
      await fc.asyncModelRun(() => ({ model, real }), list)
      steps += real.steps
      expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
    }),
    { numRuns: runs },
  )
  figure('model', { sequences: runs, steps })
})
