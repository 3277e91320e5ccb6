import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { entriesIn } from '../../packages/clada/src/state/alternates.ts'
import { gitDirsAt } from '../../packages/clada/src/state/git-dirs.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { git, repository } from '../history/world.ts'
import { needs } from '../support/needs.ts'
import { fill } from '../support/scratch.ts'

needs('posix')

const listIn = (root: string): string => path.join(root, '.git/objects/info/alternates')

describe('a list of alternates is read as git reads it', () => {
  const lists: readonly string[] = [
    'DIR/one\n',
    'DIR/one\nDIR/two',
    '# DIR/one\nDIR/two\n',
    '"DIR/one"\n',
    '"DIR/\\157ne"\n',
    '"DIR/tab\\there"\n',
    '"DIR/\\303\\274"\n',
    '"DIR/one"xDIR/two\n',
    '"DIR/one" DIR/two\n',
    '"DIR/one\nDIR/two\n',
    '"DIR/one\\q"\nDIR/two\n',
    '"DIR/line\nbreak"\nDIR/two\n',
    '\n\nDIR/one\n\n',
    'DIR/one\r\nDIR/two\n',
    '"DIR/quote\\"d"\n"DIR/back\\\\slash"\n',
  ]
  it.each(lists)('%j', (list) => {
    const root = repository({ 'a.txt': 'a\n' })
    const names = ['one', 'two', 'tab\there', 'ü', 'line\nbreak', 'quote"d', 'back\\slash', 'one\r']
    for (const name of names) fs.mkdirSync(path.join(root, name, 'pack'), { recursive: true })
    const text = list.replaceAll('DIR', root)
    fill(root, { '.git/objects/info/alternates': text })
    const ours = entriesIn(text).filter((dir) => fs.existsSync(dir))
    const theirs = git(root, '-c', 'core.quotePath=false', 'count-objects', '-v')
    const told = names.map((name) => path.join(root, name)).filter((dir) => isTold(theirs, dir))
    expect(ours.toSorted()).toEqual(told.toSorted())
  })

  /** As git prints it: quoted where it has to be. */
  const isTold = (text: string, dir: string): boolean => {
    const quoted = `"${dir.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`
    return text.includes(`alternate: ${dir}\n`) || text.includes(`alternate: ${quoted}\n`)
  }
})

describe('a repository is not used whose objects are elsewhere', () => {
  const octal = (text: string): string =>
    [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  const shapes: Readonly<Record<string, (root: string, other: string) => void>> = {
    'by a name in quotes': (root, other) => fill(root, { '.git/objects/info/alternates': `"${other}"\n` }),
    'by a name in octal digits': (root, other) => fill(root, { '.git/objects/info/alternates': `"${octal(other)}"\n` }),
    'by a name after another in quotes': (root, other) =>
      fill(root, { '.git/objects/info/alternates': `"${root}/.git/objects/x"x${other}\n` }),
    'by the list of another directory': (root, other) =>
      fill(root, { '.git/objects/info/alternates': '../more\n', '.git/more/info/alternates': `${other}\n` }),
    'by the list of a third directory': (root, other) =>
      fill(root, {
        '.git/objects/info/alternates': '../more\n',
        '.git/more/info/alternates': `${root}/.git/third\n`,
        '.git/third/info/alternates': `"${other}"\n`,
      }),
    'by a link in another directory': (root, other) => {
      fill(root, { '.git/objects/info/alternates': '../more\n', '.git/more/info/x': '' })
      fs.symlinkSync(path.join(other, 'pack'), path.join(root, '.git/more/pack'))
    },
    'by a list that is a link': (root, other) => {
      fill(root, { 'list.txt': `${other}\n`, '.git/objects/info/x': '' })
      fs.symlinkSync('../../../list.txt', listIn(root))
    },
    'in the project, where another repository has them': (root) => {
      git(root, 'clone', '-q', repository({ '.env': 'CANARY\n' }), 'inner')
      fill(root, { '.git/objects/info/alternates': '../../inner/.git/objects\n' })
    },
    'by a name that is not UTF-8': (root, other) => {
      fs.mkdirSync(path.join(root, '.git/objects/info'), { recursive: true })
      fs.symlinkSync(other, Buffer.from(`${root}/.git/x\xff`, 'latin1'))
      fs.writeFileSync(listIn(root), Buffer.from('../x\xff\n', 'latin1'))
    },
  }
  for (const [what, make] of Object.entries(shapes))
    it(what, async () => {
      const other = repository({ 'secret.txt': 'CANARY\n' })
      const secret = git(other, 'rev-parse', 'HEAD').trim()
      const root = repository({ 'a.txt': 'a\n' })
      make(root, path.join(other, '.git/objects'))
      expect(gitDirsAt(root)).toMatchObject({ foreign: expect.any(String) })
      const shown = await new Clada({ repoPath: root }).perform('run', { command: `git show ${secret}` })
      expect(JSON.stringify(shown)).not.toContain('CANARY')
    })

  it('that are too many to be looked at', () => {
    const root = repository({ 'a.txt': 'a\n' })
    const names = Array.from({ length: 1001 }, (_, number) => `../o${number}\n`)
    fill(root, { '.git/objects/info/alternates': names.join('') })
    expect(gitDirsAt(root)).toMatchObject({ foreign: expect.any(String) })
  })

  it('and is used when its lists stay in the git directory', () => {
    const root = repository({ 'a.txt': 'a\n' })
    fill(root, { '.git/objects/info/alternates': '../more\n# x\n', '.git/more/info/alternates': '../objects\n' })
    expect(gitDirsAt(root)).toMatchObject({ gitDir: path.join(root, '.git') })
  })

  it('and each list is read once when all name all others', () => {
    const root = repository({ 'a.txt': 'a\n' })
    const names = Array.from({ length: 20 }, (_, number) => `o${number}`)
    const all = names.map((name) => `${root}/.git/${name}\n`).join('')
    for (const name of ['objects', ...names]) fill(root, { [`.git/${name}/info/alternates`]: all })
    expect(gitDirsAt(root)).toMatchObject({ gitDir: path.join(root, '.git') })
  })
})
