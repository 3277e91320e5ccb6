import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultDeniedPatterns } from '../../packages/clada/src/policy/secret-files.ts'
import { commitOnly } from '../../packages/clada/src/policy/commands/git-rules.ts'
import { judgeCommand, commandRules } from '../../packages/clada/src/policy/commands/judge-command.ts'

/** By rule: lines that it lets pass, and lines that it refuses. */
const cases = fs
  .readFileSync(path.join(import.meta.dirname, 'rules.cases.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((part) => {
    const [name = '', ...lines] = part.split('\n')
    const marked = (mark: string): string[] =>
      lines.flatMap((line) => (line.startsWith(`${mark} `) ? [line.slice(2)] : []))
    return { name, passes: marked('+'), refused: marked('-') }
  })

describe.each(cases)('$name', ({ name, passes, refused }) => {
  it.each(passes)('passes: %s', (line) => {
    expect(judgeCommand(line, { deniedPatterns: defaultDeniedPatterns, root: '/p' })).toMatchObject({
      verdict: 'allow',
      listed: { rule: { name } },
    })
  })

  it.each(refused)('refuses: %s', (line) => {
    const decision = judgeCommand(line, { deniedPatterns: defaultDeniedPatterns, root: '/p' })
    // Commands that change the repository can be approved.
    if (decision.verdict === 'ask') expect(line).toMatch(/^git (?:branch|stash) ?/)
    else
      expect(decision).toMatchObject({
        verdict: 'deny',
        reason: expect.stringMatching(/./),
        advice: expect.stringMatching(/./),
      })
  })
})

it('has lines of both kinds for every rule', () => {
  const tried = cases.filter(({ passes, refused }) => passes.length > 0 && refused.length > 0)
  expect(tried.map(({ name }) => name).toSorted()).toEqual(commandRules.map(({ name }) => name).toSorted())
})

it('shows examples that pass', () => {
  const passes = new Set(cases.flatMap((one) => one.passes))
  for (const { examples } of commandRules) expect(passes).toEqual(new Set([...passes, ...examples]))
})

it('has no rule twice', () => {
  const names = commandRules.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})

describe('the command line that is run', () => {
  const blocked = { deniedPatterns: ['.env', '!.env.example'], root: '/p' }
  const run = (line: string): object => {
    const decision = judgeCommand(line, blocked)
    if (decision.verdict !== 'allow') return decision
    const { call, excluded } = decision.listed
    return { options: call.options, operands: call.operands.map(({ text }) => text), excluded }
  }

  it.each([
    ['git status --porcelain', ['--porcelain']],
    ['git status -u --porcelain=v2', ['-u', '--porcelain=v2']],
  ])('gives an option without its value where it needs none: %s', (line, options) =>
    expect(run(line)).toMatchObject({ options: expect.arrayContaining(options) }),
  )

  it('refuses a value for an option that takes none', () =>
    expect(run('git diff --no-color=1')).toMatchObject({ verdict: 'deny', reason: '--no-color takes no value' }))

  it('has the values of its options in their order', () => {
    const decision = judgeCommand('grep -rA3 -e one --include=*.ts -e two .', blocked)
    if (decision.verdict !== 'allow') throw new Error('refused')
    const { call } = decision.listed
    expect(call.operands).toEqual([{ text: '.', as: 'content' }])
    expect(['-A', '-e', '--include', '-r', '-x'].map((flag) => call.valuesOf(flag))).toEqual([
      ['3'],
      ['one', 'two'],
      ['*.ts'],
      [],
      [],
    ])
  })

  it('leaves blocked files out after the operands of git', () => {
    const excluded = ['.git', '.clada', 'clada.yml', '.env']
      .flatMap((name) => [`**/${name}`, `**/${name}/**`])
      .map((name) => `:(top,exclude,glob,icase)${name}`)
    expect(run('git diff HEAD')).toEqual({ options: [], operands: ['HEAD'], excluded })
    expect(run('git log -n 5')).toEqual({ options: ['-n5'], operands: [], excluded: [] })
  })

  it('has the depth of find before its conditions', () => {
    expect(run('find src -name x -maxdepth 2')).toEqual({
      options: [],
      operands: ['src', '-maxdepth', '2', '-name', 'x'],
      excluded: [],
    })
  })

  it.each([
    ['grep foo -', /^'-'/],
    ['grep -nAx foo a.txt', /^grep -A: 'x' is not a number$/],
    ['npm test *.ts', /^\* in '\*\.ts' is not expanded/],
    ['npm test a?.ts', /^\? in 'a\?\.ts' is not expanded/],
  ])('is refused with a reason: %s', (line, reason) => {
    expect(run(line)).toMatchObject({ verdict: 'deny', reason: expect.stringMatching(reason) })
  })

  it('is refused with three examples', () => {
    expect(run('ls --nope')).toMatchObject({ advice: 'Write it like: ls | ls -la | ls -l src' })
    expect(run('grep -n x a.ts test/*.js')).toMatchObject({
      advice: expect.stringContaining('the actions files_read, grep and glob'),
    })
  })

  it('is asked about where no rule knows it', () => {
    expect(run('npm test a.ts')).toEqual({
      verdict: 'ask',
      cd: undefined,
      words: ['npm', 'test', 'a.ts'],
      typed: 'npm test a.ts',
    })
  })

  it.each([
    ['main..', 'main^{commit}..HEAD^{commit}'],
    ['..main', 'HEAD^{commit}..main^{commit}'],
    ['a...b', 'a^{commit}...b^{commit}'],
    ['^a', '^a^{commit}'],
    ['^a..b', undefined],
    ['a:b', undefined],
  ])('takes commits only: %s', (revision, commits) => {
    expect(commitOnly(revision)).toBe(commits)
  })
})
