import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { cladaCommand } from '../support/cli.ts'
import { scratchDir } from '../support/scratch.ts'
import { noTyping, typing } from '../support/typing.ts'

/** A directory, with a home of its own. */
function project(files: Readonly<Record<string, string>> = {}): { cwd: string; env: Record<string, string> } {
  const home = scratchDir()
  return { cwd: scratchDir(files), env: { HOME: home, XDG_STATE_HOME: `${home}/state`, XDG_CONFIG_HOME: `${home}/c` } }
}

const command = (id: string, line: string): string =>
  `#!SHAM [@three-char-SHA-256: ${id}]\naction = "run"\ncommand = "${line}"\n#!END_SHAM_${id}\n`

const unsandboxed = ['--no-git', '--exec', 'unsandboxed']

describe.skipIf(noTyping !== undefined)('at a terminal', () => {
  it('sentences are broken between words, and indented like their first word; lines of files are not', async () => {
    const edit =
      'src.txt\n```\n<<<<<<< SEARCH\nthe first line of this file has many words, so that it is wide\n=======\nx\n>>>>>>> REPLACE\n```\n'
    const line = 'the first line of that file has many words, so that it is wide'
    const place = project({ 'reply.md': edit, 'src.txt': `${line}\n` })
    const person = typing(['reply.md', '--no-git'], { ...place, columns: 50 })
    expect(await person.ended()).toBe(1)
    expect(person.output()).toBe(
      [
        '✗ file_patch src.txt',
        '    hunk 1 of 1 not found in file',
        '    nearest: line 1 (97% similar); - asked for, +',
        '    in the file:',
        '      -the first line of this file has many words, so that it is wide',
        `      +${line}`,
        '    → Choose the place with --review, or give the',
        '      model the report. The file was left as it',
        '      was.',
        '! The corrected block with the lines of the file,',
        '  if that is what the model means. Saved as a',
        '  file, it can be applied:',
        '    ````',
        '    src.txt',
        '    ```',
        '    <<<<<<< SEARCH',
        `    ${line}`,
        '    =======',
        '    x',
        '    >>>>>>> REPLACE',
        '    ```',
        '    ````',
        '',
        '0 done, 1 failed',
        'The report for the model: clada reply.md --copy',
        '',
      ].join('\n'),
    )
  })

  it.each([['--help'], ['help', 'context'], ['help', 'run']])('help fits a narrow terminal: %s %s', async (...args) => {
    const person = typing(args, { ...project(), columns: 44 })
    expect(await person.ended()).toBe(0)
    const lines = person.output().split('\n')
    // A line that is one long word, or an example, cannot be broken.
    expect(lines.filter((line) => line.length > 44 && !line.startsWith('  clada '))).toEqual([])
  })

  it('what doctor finds is broken between words, below its first word', async () => {
    const person = typing(['doctor'], { ...project(), columns: 50 })
    await person.ended()
    const wide = person
      .output()
      .split('\n')
      .filter((line) => line.length > 50)
    expect(wide.filter((line) => line.slice(15).includes(' '))).toEqual([])
    expect(person.output()).toMatch(/\n✓ saving {7}.*\n {15}\S/)
  })

  it('an edit that came after some of a reply that ran before is named, and what is there already', async () => {
    const parts = [
      ['let sum = 0', 'let sum = startOf(items)'],
      ['    sum += item.prize * 7', '    sum += item.price'],
      ['export const empty = []', 'export const empty = Object.freeze([])'],
    ].map(([from, to]) => `<<<<<<< SEARCH\n${from}\n=======\n${to}\n>>>>>>> REPLACE\n`)
    const place = project({
      'reply.md': `a.txt\n\`\`\`\n${parts.join('')}\`\`\`\n`,
      'a.txt': 'let sum = 0\nfor (const item of items) {\n    sum += item.cost * 8\n}\nexport const empty = []\n',
    })
    const said: string[] = []
    for (const _ of [1, 2]) {
      const person = typing(['reply.md', '--no-git'], place)
      expect(await person.ended()).toBe(1)
      said.push(person.output().replace(/\s+/g, ' '))
    }
    for (const output of said) expect(output).toContain('hunk 2 of 3 not found in file')
    expect(said[0]).toContain('Hunks 1 and 3 were applied on lines 1 and 5.')
    expect(said[1]).toContain('The file was left as it was. Hunks 1 and 3 are already in the file on lines 1 and 5.')
    expect(said[1]).toMatch(/! the same reply already ran as execution 1 \([\d-]+ [\d:]+\)/)
  })

  it('an error that every line of a text has is said once', async () => {
    const block = command('one', 'x').replace('command = "x"', 'content << EOT\none\nEOT')
    const person = typing(['reply.md', '--no-git'], project({ 'reply.md': block }))
    expect(await person.ended()).toBe(1)
    expect(person.output().match(/Invalid line format/g)).toHaveLength(1)
    expect(person.output()).toContain('\n    Also on line 4, line 5\n')
  })

  it('a command that waits for a text says so', async () => {
    const person = typing(['check'], project())
    await person.sees('clada: paste the reply here, then press Enter and Ctrl-D.')
    person.send('Nothing to do.\n\u0004')
    expect(await person.ended()).toBe(0)
  })

  it('a program that writes nothing is named, with the time, until it ends', async () => {
    const person = typing(['do', 'run', 'command=sleep 4', '--approve', 'sleep 4', ...unsandboxed], project())
    await person.sees(/running sleep 4, \d s/)
    expect(await person.ended()).toBe(0)
    expect(person.output().split('\r\u001b[K').at(-1)).toBe('✓ run sleep 4\n    (no output)\n1 done\n')
  })

  it('an answer that is none is asked for again', async () => {
    const { cwd, env } = project({ 'reply.md': '**a.txt**\n```\nx\n```\n' })
    const person = typing(['reply.md', '--no-git'], { cwd, env })
    await person.sees('Apply it? y (this one), a (all of this reply) or n, then Enter: ')
    person.send('yy\n')
    await person.sees('Type y, a or n, then Enter: ')
    person.send('y\n')
    expect(await person.ended()).toBe(0)
    expect(fs.existsSync(path.join(cwd, 'a.txt'))).toBe(true)
  })

  it('Ctrl-C at a question skips the rest, and says so on a line of its own', async () => {
    const person = typing(
      ['reply.md', ...unsandboxed],
      project({ 'reply.md': command('one', 'node x') + command('two', 'node y') }),
    )
    await person.sees('then Enter: ')
    person.send('\u0003')
    expect(await person.ended()).toBe(130)
    expect(person.output().replace(/^[^]*then Enter: /, '')).toMatch(
      /^(?:\^C)?\n− run node x\n {4}skipped: the user stopped the run\n− run node y\n {4}skipped: .*\n0 done, 2 skipped\n$/,
    )
  })

  it('Ctrl-C ends a command that only asks', async () => {
    const { cwd, env } = project({ 'clada.yml': 'exec: {mode: unsandboxed}\n' })
    const person = typing(['trust'], { cwd, env })
    await person.sees('Trust this file until it changes? y or n, then Enter: ')
    person.send('\u0003')
    await person.ended()
    expect(person.output()).not.toContain('no terminal')
  })

  it('the colours of a program are left out, and nothing else of what it wrote', async () => {
    const code = String.raw`printf '\033[31mred\033[0m \033[2Kgone\n'`
    const reply = `#!SHAM [@three-char-SHA-256: one]\naction = "exec"\nlang = "bash"\ncode = <<'EOT_SHAM_one'\n${code}\nEOT_SHAM_one\n#!END_SHAM_one\n`
    const person = typing(['reply.md', ...unsandboxed], project({ 'reply.md': reply }))
    expect(await person.ended()).toBe(0)
    expect(person.output()).toContain(String.raw`  │ red \x1b[2Kgone`)
  })
})

// The runtime of the executable says it itself, before any of our code runs.
it.skipIf(process.env['CLADA_TEST_BINARY'] !== undefined)('a directory that was deleted is named as the reason', () => {
  const { cwd, env } = project()
  fs.mkdirSync(path.join(cwd, 'gone'))
  const words = ['-c', 'cd gone && rmdir ../gone && exec "$@"', 'sh', ...cladaCommand(), 'history']
  const { status, stderr } = spawnSync('sh', words, { cwd, env: { ...process.env, ...env }, encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, 'clada: The current directory does not exist any more. cd into another one.\n'])
})
