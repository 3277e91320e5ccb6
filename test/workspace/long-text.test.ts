import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { constants, deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { splitCommand } from '../../packages/clada/src/policy/commands/words.ts'
import { symbolicTarget } from '../../packages/clada/src/state/reference-name.ts'
import { git, repository } from '../history/world.ts'
import { needs } from '../support/needs.ts'
import { fill } from '../support/scratch.ts'

needs('posix')

/** Steps over each of these blanks for each of them take minutes. */
const gap = ' '.repeat(300_000)

const write = (root: string) =>
  new Clada({ repoPath: root }).perform('file_write', { path: path.join(root, 'new.txt'), content: 'new\n' })

describe('a repository with a long run of blanks is read at once', () => {
  it('in a symbolic reference', () => expect(symbolicTarget(`ref: a${gap}b${gap}`)).toBe(`a${gap}b`))

  it('in a symbolic reference that git would write', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    fill(root, { '.git/ORIG_HEAD': `ref: a${gap}b` })
    expect(JSON.stringify(await write(root))).toContain('is a reference to a bad name')
  })

  it('in a lock beside a note of clada', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    fill(root, { '.git/HEAD.lock': `${gap}b`, [`.git/clada-moves-to-${'a'.repeat(40)}`]: '' })
    await write(root)
    expect(fs.readFileSync(path.join(root, '.git/HEAD.lock'), 'utf8')).toBe(`${gap}b`)
  })

  it('in the config of a git directory that is elsewhere', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    const elsewhere = repository({ 'b.txt': 'b\n' })
    fs.rmSync(path.join(root, '.git'), { recursive: true })
    fill(root, { '.git': `gitdir: ${elsewhere}/.git\n` })
    fs.appendFileSync(path.join(elsewhere, '.git/config'), `[core]\n\tworktree = a${gap}b\u2028b\n`)
    expect(await write(root)).toMatchObject({ warnings: [expect.stringContaining('does not point back')] })
  })

  it('in an .editorconfig', async () => {
    const root = repository({ '.editorconfig': `[*]\ncharset = a${gap}b\nend_of_line = crlf \n` })
    expect(await write(root)).toMatchObject({ success: true })
    expect(fs.readFileSync(path.join(root, 'new.txt'), 'utf8')).toBe('new\r\n')
  })
})

it('a command with a long run of blanks is split at once', () => {
  expect(splitCommand(` cat a${gap}b `)).toMatchObject({ ok: true })
})

describe('an object of the name that is written, and that is not what it says', () => {
  const fileOf = (root: string, text: string): string => {
    const id = createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex')
    const file = path.join(root, '.git/objects', id.slice(0, 2), id.slice(2))
    fs.mkdirSync(path.dirname(file), { recursive: true })
    return file
  }
  const plants: Readonly<Record<string, (file: string) => void>> = {
    'inflates to more than any loose object': (file) => {
      // 32 GB: equal blocks may follow each other in a stream.
      const block = deflateRawSync(Buffer.alloc(16 * 1024 ** 2), { finishFlush: constants.Z_FULL_FLUSH })
      fs.writeFileSync(file, Buffer.concat([Buffer.of(0x78, 0x01), ...Array.from({ length: 2048 }, () => block)]))
    },
    'has terabytes without taking room': (file) => {
      fs.writeFileSync(file, '')
      fs.truncateSync(file, 2 ** 40)
    },
    'is a pipe': (file) => void execFileSync('mkfifo', [file]),
  }
  for (const [what, plant] of Object.entries(plants))
    it(`is written anew: ${what}`, async () => {
      const root = repository({ 'a.txt': 'a\n' })
      plant(fileOf(root, 'new\n'))
      expect(await write(root)).toMatchObject({ success: true })
      expect(git(root, 'show', 'HEAD:new.txt')).toBe('new\n')
    })
})

it('git does not take all memory for rules that take no room', async () => {
  const root = repository({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' })
  fill(root, { 'sub/.gitignore': '', 'sub/c.txt': 'c\n' })
  fs.truncateSync(path.join(root, 'sub/.gitignore'), 8 * 1024 ** 3)
  expect(JSON.stringify(await write(root))).toContain('Out of memory')
})
