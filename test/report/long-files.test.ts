import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { scratchDir } from '../support/scratch.ts'

/** 12 functions of 30 lines each. */
const functions = Array.from(
  { length: 12 },
  (_, at) => `def step_${at}(value):\n${`    value += ${at}  # one more step\n`.repeat(27)}    return value\n\n`,
).join('')
const module_ = `"""Steps."""\nimport os\n\n${functions}`
const files = { 'steps.py': module_, 'notes.txt': 'A line of notes without any structure.\n'.repeat(300) }

const open = (): Clada => new Clada({ repoPath: scratchDir(files), git: 'off', evidence: 'diff', relativePaths: true })

const rows = (from: number): string =>
  Array.from({ length: 12 - from }, (_, at) => from + at)
    .map((at) => `  ${4 + 30 * at}-${32 + 30 * at} def step_${at}(value)`)
    .join('\n')

it.each([
  ['file_read', { path: 'steps.py' }, 'file_read_numbered '],
  ['file_read_numbered', { path: 'steps.py' }, ''],
  ['files_read', { paths: 'steps.py' }, 'file_read_numbered '],
])('%s of a long file shows its beginning, what the rest declares, and how to read on', async (action, params, how) => {
  const report = formatReport(await open().perform(action, params), 'llm')
  const last = Number(/lines (\d+)-/.exec(report)?.[1]) - 1
  expect(last).toBeGreaterThan(10)
  const cut = `lines ${last + 1}-363 of 363 not shown, only what they declare; read on with ${how}lines="A-B,C-D"`
  expect(report).toContain(`(${action === 'files_read' ? 'steps.py: ' : ''}${cut})\n`)
  expect(report).toContain(`\n[output truncated] ${cut}:\n${rows(Math.floor((last - 3) / 30))}\n=== END FILE`)
  expect(report.length).toBeLessThan(3000)
})

it.each(['file_read', 'file_read_numbered'])(
  '%s of a long file leaves the license at its beginning out',
  async (action) => {
    const license = '# Permission is hereby granted, free of charge, to any person obtaining a copy\n'.repeat(40)
    const clada = new Clada({ repoPath: scratchDir({ 'a.py': license + module_ }), git: 'off', evidence: 'diff' })
    const report = formatReport(await clada.perform(action, { path: 'a.py' }), 'llm')
    expect(report).not.toContain('Permission')
    expect(report).toMatch(/a\.py ===\n\[lines 1-40: license\]\n(?: *41: )?"""Steps\."""\n/)
    expect(report).toContain('def step_0(value)')
  },
)

it('only structures of several lines are shown inside others', async () => {
  const method = '  run() {\n    return [\n      1,\n    ]\n  }\n'
  const classes = ['A', 'B', 'C'].map((name) => `class ${name} {\n  size = 1\n${method}}\n`).join('')
  const text = `${classes}// ${'x'.repeat(80)}\n`.padEnd(7000, `// ${'y'.repeat(80)}\n`)
  const clada = new Clada({
    repoPath: scratchDir({ 'a.ts': `${'\n'.repeat(500)}${text}` }),
    git: 'off',
    evidence: 'diff',
  })
  const report = formatReport(await clada.perform('file_read', { path: 'a.ts' }), 'llm')
  expect(report).toContain(
    '  501-508 class A\n    503-507 run()\n  509-516 class B\n    511-515 run()\n  517-524 class C\n    519-523 run()\n=== END FILE',
  )
})

it('cat of a long file shows the same, and the lines that sed names are all shown', async () => {
  const report = formatReport(await open().perform('run', { command: 'cat steps.py' }), 'llm')
  const [, last] =
    /lines (\d+)-363 of 363 not shown, only what they declare; read on with file_read_/.exec(report) ?? []
  expect(Number(last)).toBeGreaterThan(10)
  expect(report).toContain('\n  334-362 def step_11(value)\n')
  expect(report.length).toBeLessThan(3000)
  const all = formatReport(await open().perform('run', { command: 'sed -n 1,363p steps.py' }), 'llm')
  expect(all).not.toContain('[output truncated]')
})

it('lines that the reply names are all shown', async () => {
  const report = formatReport(await open().perform('file_read_numbered', { path: 'steps.py', lines: '1-363' }), 'llm')
  expect(report).not.toContain('[output truncated]')
  expect(report).toContain('363: \n=== END FILE')
})

it('a long text without declarations shows its beginning and its end', async () => {
  const report = formatReport(await open().perform('file_read', { path: 'notes.txt' }), 'llm')
  expect(report).toMatch(/\[output truncated\] lines \d+-\d+ of 300 not shown; read on with file_read_numbered lines="/)
  expect(report).toMatch(/structure\.\n\n=== END FILE: notes.txt ===/)
  expect(report.length).toBeLessThan(7000)
})

it('a report with more room shows more of a file', async () => {
  const report = formatReport(await open().perform('file_read', { path: 'steps.py' }), 'llm', { budget: 80_000 })
  expect(report).not.toContain('[output truncated]')
})

it('a program gets the whole file, and nothing else', async () => {
  const result = await open().perform('file_read', { path: 'steps.py' })
  const [{ data, ...rest }] = JSON.parse(formatReport(result, 'json')).results
  expect(data.content).toBe(module_)
  expect(rest).not.toHaveProperty('outlines')
})
