import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { Clada, type CladaOptions, type ExecuteOptions, type ExecutionResult } from '../../packages/clada/src/index.ts'
import { formatReport, reportFormats } from '../../packages/clada/src/report/format.ts'
import { clada } from '../support/cli.ts'
import { scratchDir } from '../support/scratch.ts'
import { killAt, makeWork, startClada } from './kill.ts'
import { type Call, documentOf, undoIn } from './world.ts'

const append = (content: string, name = 'a.txt'): Call => ['file_append', { path: name, content }]
const textOf = (root: string): string => fs.readFileSync(path.join(root, 'a.txt'), 'utf8')

function run(
  root: string,
  calls: readonly Call[],
  options: CladaOptions = { alreadyDone: 'skip' },
  how: ExecuteOptions = {},
): Promise<ExecutionResult> {
  return new Clada({ repoPath: root, git: 'off', ...options }).execute(documentOf(root, calls), how)
}

const skipped = ({ results }: ExecutionResult): boolean[] =>
  results.map(({ details }) => details?.already_done !== undefined)

describe('blocks that already ran', () => {
  it('do not run again, and the rest of a grown document is', async () => {
    const root = scratchDir({ 'a.txt': '' })
    await run(root, [append('1')])
    const second = await run(root, [append('1'), append('2')])
    expect(second).toMatchObject({ success: true, totalBlocks: 2, executedActions: 1 })
    expect(second.results[0]).toMatchObject({
      success: true,
      details: { already_done: { execution: 1, action: 1, time: expect.stringMatching(/^\d{4}-/) } },
      warnings: [expect.stringMatching(/^already applied by action 1 of execution 1 \(/)],
    })
    // What was skipped the last time is still known to be done.
    expect(skipped(await run(root, [append('1'), append('2'), append('3')]))).toEqual([true, true, false])
    expect(textOf(root)).toBe('123')
  })

  it('run again after another document, after an undo, and after a failure', async () => {
    const root = scratchDir({ 'a.txt': '' })
    await run(root, [append('1')])
    await run(root, [append('2')])
    expect(skipped(await run(root, [append('1')]))).toEqual([false])
    expect(textOf(root)).toBe('121')
    await undoIn(root, 'off')
    expect(skipped(await run(root, [append('1')]))).toEqual([false])
    const replace: Call = ['file_replace_text', { path: 'a.txt', old_text: 'x', new_text: 'y' }]
    await run(root, [replace, append('x')])
    expect(skipped(await run(root, [replace, append('x')]))).toEqual([false, true])
    expect(textOf(root)).toBe('121y')
  })

  it('run again when only their action was undone', async () => {
    const root = scratchDir({ 'a.txt': '', 'b.txt': '' })
    await run(root, [append('1'), append('2', 'b.txt')])
    await undoIn(root, 'off', { number: 1, action: 2 })
    expect(skipped(await run(root, [append('1'), append('2', 'b.txt')]))).toEqual([true, false])
    expect(fs.readFileSync(path.join(root, 'b.txt'), 'utf8')).toBe('2')
  })

  it('count: what is there twice was wanted twice', async () => {
    const root = scratchDir({ 'a.txt': '' })
    await run(root, [append('1')])
    expect(skipped(await run(root, [append('1'), append('1')]))).toEqual([true, false])
    expect(textOf(root)).toBe('11')
  })

  it('are known whatever came between, to whoever keeps track of them', async () => {
    const root = scratchDir({ 'a.txt': '' })
    const gone = new Set<string>()
    const keepingTrack = { again: (block: string) => [...gone].some((text) => block.includes(text)) }
    await run(root, [append('one')])
    await run(root, [append('two')])
    const calls = [append('one'), append('two')]
    expect(skipped(await run(root, calls, { alreadyDone: 'skip' }, keepingTrack))).toEqual([true, true])
    gone.add('one')
    expect(skipped(await run(root, calls, { alreadyDone: 'skip' }, keepingTrack))).toEqual([false, true])
    expect(textOf(root)).toBe('onetwoone')
  })

  it('go on where an atomic document can', async () => {
    const root = scratchDir({ 'a.txt': '' })
    await run(root, [append('1')])
    const result = await run(root, [append('1'), append('2')], { alreadyDone: 'skip', atomic: true })
    expect([skipped(result), result.success, textOf(root)]).toEqual([[true, false], true, '12'])
  })

  it('are marked in every report', async () => {
    const root = scratchDir({ 'a.txt': '' })
    await run(root, [append('1')])
    const result = await run(root, [append('1')])
    for (const format of reportFormats)
      expect(formatReport(result, format)).toContain('already applied by action 1 of execution 1')
    expect(formatReport(result, 'pretty')).toMatch(/\n0 done, 1 already applied \(--again applies it again\)$/)
    expect(formatReport(result, 'json')).toContain('"already_done"')
  })
})

describe('a document that is sent again to go on where it stopped', () => {
  const resume: CladaOptions = { alreadyDone: 'resume' }
  const edit: Call = ['file_replace_text', { path: 'a.txt', old_text: 'price', new_text: 'price * quantity' }]
  const failing: Call = ['file_read', { path: 'missing.txt' }]

  it('does not apply an edit twice whose old text is a part of its new text', async () => {
    const root = scratchDir({ 'a.txt': 'price' })
    expect((await run(root, [edit, failing], resume)).success).toBe(false)
    fs.writeFileSync(path.join(root, 'missing.txt'), 'here now')
    const again = await run(root, [edit, failing], resume)
    expect([skipped(again), again.success, textOf(root)]).toEqual([[true, false], true, 'price * quantity'])
    // What was skipped is still known to be applied the next time.
    expect(skipped(await run(root, [edit, failing], resume))).toEqual([true, false])
    expect(textOf(root)).toBe('price * quantity')
  })

  it('reads and runs commands again, which changed nothing', async () => {
    const root = scratchDir({ 'a.txt': 'one' })
    const read: Call = ['file_read', { path: 'a.txt' }]
    await run(root, [read], resume)
    expect(skipped(await run(root, [read], resume))).toEqual([false])
  })

  it('runs a program again although it made files, and does not move a file twice', async () => {
    const root = scratchDir({ 'a.txt': 'price', 'old.txt': '' })
    const build: Call = ['exec', { lang: 'bash', code: 'cp a.txt built.txt' }]
    const move: Call = ['run', { command: 'mv old.txt new.txt' }]
    const unsandboxed: CladaOptions = { ...resume, exec: 'unsandboxed' }
    expect((await run(root, [move, build], unsandboxed)).success).toBe(true)
    const again = await run(root, [edit, move, build], unsandboxed)
    expect([skipped(again), again.success]).toEqual([[false, true, false], true])
    expect(fs.readFileSync(path.join(root, 'built.txt'), 'utf8')).toBe('price * quantity')
    expect(skipped(await run(root, [build], unsandboxed))).toEqual([false])
  })

  it('applies an edit again that was undone, or whose file was restored or changed by others', async () => {
    const root = scratchDir({ 'a.txt': 'price' })
    await run(root, [edit], resume)
    await undoIn(root, 'off')
    expect(skipped(await run(root, [edit], resume))).toEqual([false])
    fs.writeFileSync(path.join(root, 'a.txt'), 'price')
    expect(skipped(await run(root, [edit], resume))).toEqual([false])
    expect(textOf(root)).toBe('price * quantity')
    fs.writeFileSync(path.join(root, 'a.txt'), 'total = price')
    expect(skipped(await run(root, [edit], resume))).toEqual([false])
    expect(textOf(root)).toBe('total = price * quantity')
  })

  it('knows an edit also after another block of the same file ran before it', async () => {
    const root = scratchDir({ 'a.txt': 'price' })
    const first: Call = ['file_replace_text', { path: 'a.txt', old_text: 'total', new_text: 'sum' }]
    await run(root, [first, edit], resume)
    const corrected: Call = ['file_append', { path: 'a.txt', content: ' // sum' }]
    expect(skipped(await run(root, [corrected, edit], resume))).toEqual([false, true])
    expect(textOf(root)).toBe('price * quantity // sum')
  })

  it('shows in clada diff what clada run would do', () => {
    const root = scratchDir({ 'a.txt': 'price' })
    const input = documentOf(root, [edit])
    const stdout = (...args: string[]): string => clada([...args, '--no-git'], { cwd: root, input }).stdout
    expect(stdout('diff')).toContain('+price * quantity')
    expect(stdout('run')).toContain('✅')
    expect(stdout('diff')).not.toContain('+price')
    expect(stdout('run')).toContain('already applied by action 1 of execution 1')
    expect(textOf(root)).toBe('price * quantity')
    expect(stdout('run', '--again')).not.toContain('already applied')
    expect(textOf(root)).toBe('price * quantity * quantity')
  })
})

it('after a crash, what is known to be done is not repeated', async () => {
  const work = makeWork(10, 60)
  const root = scratchDir(work.files)
  const child = startClada(inject('cli'), root, work.calls, '--no-git')
  await killAt(child, root, 0.5, 40_000)
  const history = await new Clada({ repoPath: root, git: 'off' }).history()
  expect(history[0]?.done).toBeGreaterThan(0)
  const result = await run(root, work.calls)
  expect(skipped(result).filter((one) => one).length).toBe(history[0]?.done)
  for (const name of Object.keys(work.files))
    expect(fs.readFileSync(path.join(root, name), 'utf8')).not.toContain(' old-')
})

describe('a document that just ran', () => {
  const before = /^the same reply already ran as execution 1 \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\)$/

  it('runs with a warning, or without one', async () => {
    const root = scratchDir({ 'a.txt': '' })
    expect((await run(root, [append('1')], {})).warnings).toBeUndefined()
    expect((await run(root, [append('1')], {})).warnings).toEqual([expect.stringMatching(before)])
    expect((await run(root, [append('1')], { alreadyDone: 'run' })).warnings).toBeUndefined()
    expect((await run(root, [append('2')], {})).warnings).toBeUndefined()
    expect(textOf(root)).toBe('1112')
  })

  it('is noticed too when nothing of it works any more, and not when it only reads', async () => {
    const root = scratchDir({ 'a.txt': 'x' })
    const replace: Call = ['file_replace_text', { path: 'a.txt', old_text: 'x', new_text: 'y' }]
    await run(root, [replace], {})
    expect((await run(root, [replace], {})).warnings).toEqual([expect.stringMatching(before)])
    await undoIn(root, 'off')
    expect((await run(root, [replace], {})).warnings).toBeUndefined()
    const read: Call = ['file_read', { path: 'a.txt' }]
    await run(root, [read], {})
    expect((await run(root, [read], {})).warnings).toBeUndefined()
  })

  it('is no call of the user', async () => {
    const root = scratchDir({ 'a.txt': '' })
    const user = new Clada({ repoPath: root, git: 'off' })
    for (const content of ['1', '1']) {
      const { warnings } = await user.perform('file_append', { path: 'a.txt', content })
      expect(warnings).toBeUndefined()
    }
  })

  it('is told on the command line if its files changed since, unless --again says that it is meant', () => {
    const root = scratchDir({ 'a.txt': '' })
    const input = documentOf(root, [append('1')])
    const warning = (...args: string[]): boolean => {
      fs.appendFileSync(path.join(root, 'a.txt'), '-')
      return clada(['--no-git', ...args], { cwd: root, input }).stdout.includes('the same reply already ran')
    }
    expect([warning(), warning(), warning('--again')]).toEqual([false, true, false])
    expect(textOf(root)).toBe('-1-1-1')
  })
})
