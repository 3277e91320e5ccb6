import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { noTyping, typing } from '../support/typing.ts'

/** A project, with a script that leaves a trace when it runs. */
function project(files: Readonly<Record<string, string>> = {}): { cwd: string; env: Record<string, string> } {
  const home = scratchDir()
  const cwd = path.join(home, 'p')
  fs.mkdirSync(cwd)
  const trace = "require('node:fs').writeFileSync('ran', '')"
  for (const [name, text] of Object.entries({ 'x.cjs': trace, ...files })) fs.writeFileSync(path.join(cwd, name), text)
  return { cwd, env: { HOME: home, XDG_STATE_HOME: `${home}/state`, XDG_CONFIG_HOME: `${home}/config` } }
}

const run = '#!SHAM [@three-char-SHA-256: run]\naction = "run"\ncommand = "node x.cjs"\n#!END_SHAM_run\n'
const flags = ['--no-git', '--exec', 'unsandboxed']
const end = '\u0004'

const has = (cwd: string): boolean => fs.existsSync(path.join(cwd, 'ran'))

describe.skipIf(noTyping !== undefined)('an answer that was typed before its question', () => {
  const pastes: Readonly<Record<string, string>> = {
    'the end of input and y': `${run}${end}y\n`,
    'the end of input and a': `${run}${end}a\n`,
    'the end of input, many times, and y': `${run}${end}${end}\n${end}y\ny\ny\ny\n`,
    'the end of input and yes with further lines': `${run}${end}yes\nmore\nyes\n`,
    'the end of input and a long text with y': `${run}${end}${'y\n'.repeat(4000)}`,
    'y right below the block': `${run}y\n\ny\n${end}`,
  }

  it.each(Object.entries(pastes))('is none: a paste with %s', async (_, paste) => {
    const { cwd, env } = project()
    const person = typing(['-', ...flags], { cwd, env })
    person.send(paste)
    await person.sees('Run it?')
    expect(has(cwd)).toBe(false)
    person.send('n\n')
    expect(await person.ended()).toBe(1)
    expect(has(cwd)).toBe(false)
  })

  it('is none, also when Enter ends its line later', async () => {
    const { cwd, env } = project()
    const person = typing(['-', ...flags], { cwd, env })
    person.send(`${run}${end}y`)
    await person.sees('Run it?')
    person.send('\n')
    await person.sees('Type y, a or n, then Enter: ')
    person.send('n\n')
    expect(await person.ended()).toBe(1)
    expect(has(cwd)).toBe(false)
  })

  it('is none before the second question', async () => {
    const { cwd, env } = project({
      'reply.md': run + run.replaceAll('run]', 'two]').replace('END_SHAM_run', 'END_SHAM_two'),
    })
    const person = typing(['reply.md', ...flags], { cwd, env })
    await person.sees('Run it?')
    person.send('n\ny\ny\n')
    await person.sees('Run it?')
    expect(has(cwd)).toBe(false)
    person.send('n\n')
    expect(await person.ended()).toBe(1)
    expect(has(cwd)).toBe(false)
  })

  it('is none, and one that is typed after it counts', async () => {
    const { cwd, env } = project()
    const person = typing(['-', ...flags], { cwd, env })
    person.send(`${run}${end}n\n`)
    await person.sees('Run it?')
    person.send('y\n')
    expect(await person.ended()).toBe(0)
    expect(has(cwd)).toBe(true)
  })

  it('is none for a proposal', async () => {
    const { cwd, env } = project({ 'a.txt': 'mine\n' })
    const person = typing(['-', '--no-git'], { cwd, env })
    person.send(`**a.txt**\n\`\`\`\ntheirs\n\`\`\`\n${end}y\n`)
    await person.sees(/The reply proposes to replace the whole of a\.txt:[^]*Apply it\?/)
    person.send('n\n')
    await person.ended()
    expect(filesIn(cwd)['a.txt']).toBe('mine\n')
  })

  it('is none in a review', async () => {
    const write = '<---WRITE file="a.txt"--->\ntheirs\n<---END--->\n'
    const { cwd, env } = project({ 'a.txt': 'mine\n', 'reply.md': write })
    const person = typing(['reply.md', '--review', '--no-git'], { cwd, env })
    person.send('a\ny\n')
    await person.sees('Apply this hunk')
    person.send('q\n')
    await person.ended()
    expect(filesIn(cwd)['a.txt']).toBe('mine\n')
  })

  it('is none for trust', async () => {
    const { cwd, env } = project({ 'clada.yml': 'exec: {mode: unsandboxed}\ncommands: {approve: [node x.cjs]}\n' })
    const person = typing(['trust'], { cwd, env })
    person.send('y\ny\ny\n')
    await person.sees('Trust this file')
    person.send('n\ny\n')
    await person.sees('Approve it?')
    person.send('n\n')
    await person.ended()
    const later = typing(['config', 'exec.mode'], { cwd, env })
    await later.ended()
    expect(later.output()).toContain('sandbox')
    expect(later.output()).not.toContain('unsandboxed\n')
  })

  it('is none for the question of init', async () => {
    const { cwd, env } = project({ 'package.json': '{"scripts":{"test":"node x.cjs"}}' })
    const person = typing(['init'], { cwd, env })
    person.send('y\ny\n')
    await person.sees('y or n, then Enter: ')
    person.send('n\n')
    await person.ended()
    const later = typing(['approvals'], { cwd, env })
    await later.ended()
    expect(later.output()).not.toMatch(/^\s*npm test.*approved/m)
  })

  it('does not keep Ctrl-C from stopping the run', async () => {
    const { cwd, env } = project()
    const person = typing(['-', ...flags], { cwd, env })
    person.send(`${run}${end}`)
    await person.sees('Run it?')
    person.send('\u0003')
    expect(await person.ended()).toBe(130)
    expect(has(cwd)).toBe(false)
  })
})

describe.skipIf(noTyping !== undefined)('a key that was pressed before its question', () => {
  it('is none in clada watch', async () => {
    const { cwd, env } = project()
    const person = typing(['watch', 'r.md', ...flags], { cwd, env })
    await person.sees('Watching')
    fs.appendFileSync(path.join(cwd, 'r.md'), run)
    // Until the question is there, these are other keys, or none.
    for (let times = 0; times < 20; times++) person.send('y')
    await person.sees('Run it?')
    expect(has(cwd)).toBe(false)
    person.send('n')
    await person.sees(/1 failed/)
    expect(has(cwd)).toBe(false)
    person.send('q')
    expect(await person.ended()).toBe(0)
  })
})

describe.skipIf(noTyping !== undefined)('the question about a proposal', () => {
  const reply = '**a.js**\n\n```js\nfunction two() {\n  return 2.5\n}\n```\n'
  const file =
    'function one() {\n  return 1\n}\n\nfunction two() {\n  return 2\n}\n\nfunction three() {\n  return 3\n}\n'

  it('shows its diff in colours, and says of what was refused what it would do', async () => {
    const { cwd, env } = project({ 'reply.md': reply, 'a.js': file })
    const person = typing(['reply.md', '--no-git'], { cwd, env: { ...env, NO_COLOR: '' } })
    await person.sees('Apply it?')
    expect(person.output()).toContain('\u001b[31m-  return 2\u001b[0m')
    expect(person.output()).toContain('\u001b[32m+  return 2.5\u001b[0m')
    person.send('n\n')
    await person.sees("it replaces 'function two()'; the rest stays")
    expect(await person.ended()).toBe(1)
    expect(fs.readFileSync(path.join(cwd, 'a.js'), 'utf8')).toBe(file)
  })

  it('has no colours with --no-color', async () => {
    const { cwd, env } = project({ 'reply.md': reply, 'a.js': file })
    const person = typing(['reply.md', '--no-git', '--no-color'], { cwd, env: { ...env, NO_COLOR: '' } })
    await person.sees('Apply it?')
    expect(person.output()).toContain('\n-  return 2\n')
    person.send('n\n')
    expect(await person.ended()).toBe(1)
  })
})
