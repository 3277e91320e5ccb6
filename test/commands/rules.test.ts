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
  const closed = { deniedPatterns: ['.env', '!.env.example'], root: '/p' }
  const run = (line: string): object => {
    const decision = judgeCommand(line, closed)
    if (decision.verdict !== 'allow') return decision
    const { options, operands, trailing } = decision.listed
    return { options, operands: operands.map(({ text }) => text), trailing }
  }
  const always = ['--color=never', '--devices=skip']
  const excluded = ['.git', '.clada', 'clada.yml', '.env']
  const toGrep = excluded.flatMap((name) => [`--exclude=${name}`, `--exclude-dir=${name}`])
  const toGit = excluded
    .flatMap((name) => [`**/${name}`, `**/${name}/**`])
    .map((name) => `:(top,exclude,glob,icase)${name}`)

  it.each([
    ['git status --porcelain', ['--porcelain']],
    ['git status -u --porcelain=v2', ['-u', '--porcelain=v2']],
  ])('gives an option without its value where it needs none: %s', (line, options) =>
    expect(run(line)).toMatchObject({ options: expect.arrayContaining(options) }),
  )

  it('refuses a value for an option that takes none', () =>
    expect(run('git diff --no-color=1')).toMatchObject({ verdict: 'deny', reason: '--no-color takes no value' }))

  it('leaves closed files out of what a search finds by itself, and only there', () => {
    expect(run('grep -A3 foo a.txt')).toEqual({
      options: [...always, '-A', '3'],
      operands: ['foo', 'a.txt'],
      trailing: [],
    })
    expect(run('grep -rn foo .')).toEqual({
      options: [...always, '-r', '-n', ...toGrep, '--include=.env.example'],
      operands: ['foo', '.'],
      trailing: [],
    })
    expect(run('grep -r --include=*.ts foo .')).toEqual({
      options: [...always, '-r', '--include=*.ts', ...toGrep],
      operands: ['foo', '.'],
      trailing: [],
    })
  })

  it('leaves them out after the operands of git', () => {
    const git = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all', '--no-color']
    expect(run('git diff HEAD')).toEqual({ options: git, operands: ['HEAD'], trailing: toGit })
    expect(run('git log -n 5')).toEqual({
      options: [...git, '--no-show-signature', '-n5'],
      operands: [],
      trailing: [],
    })
  })

  it('has the depth of find before its conditions', () => {
    const tests = excluded.flatMap((name, at) => [...(at === 0 ? [] : ['-o']), '-iname', name])
    const closing = ['(', '(', ...tests, ')', '!', '-iname', '.env.example', ')', '-prune', '-o']
    expect(run('find src -name x -maxdepth 2')).toEqual({
      options: [],
      operands: ['src', '-maxdepth', '2', ...closing, '(', '-name', 'x', ')', '-print'],
      trailing: [],
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
