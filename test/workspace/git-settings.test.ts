import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { git } from '../history/world.ts'
import { skipWithout } from '../support/needs.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { blocks } from './blocks.ts'

/** What a setting names, as it stands in the config of the repository. */
const named: readonly (readonly [what: string, config: string, file: string])[] = [
  ['settings that are included', '[include]\n\tpath = ../git/own.inc\n', 'git/own.inc'],
  ['settings that are included on a condition', '[includeIf "gitdir:/x/"]\n\tpath = "../own.inc"\n', 'own.inc'],
  ['what included settings include', '[include]\n\tpath = ../first.inc\n', 'second.inc'],
  ['hooks in a directory of the project', '[core]\n\thooksPath = tools/hooks\n', 'tools/hooks/pre-commit'],
  ['a new directory of hooks', '[CORE] HooksPath = ./new-hooks ; ours\n', 'new-hooks/post-commit'],
  ['attributes', '[core]\n\tattributesFile = conf/attributes\n', 'conf/attributes'],
  ['exclusions', '[core]\n\texcludesFile = conf/ignore\n', 'conf/ignore'],
  ['a file system monitor', '[core]\n\tfsmonitor = ./watch.sh --fast\n', 'watch.sh'],
  ['a program that signs', '[gpg]\n\tprogram = bin/sign\n', 'bin/sign'],
  ['settings with line ends of Windows', '[include]\r\n\tpath = ../own.inc\r\n', 'own.inc'],
  ['a name with quotes in it', '[include]\n\tpath = ../"own".inc ; "x"\n', 'own.inc'],
  ['a name that goes on in the next line', '[include]\n\tpath = ../ow\\\nn.inc\n', 'own.inc'],
  ['a name that goes on twice, by Windows', '[include]\r\n\tpath = ../o\\\r\nw\\\r\nn.inc\r\n', 'own.inc'],
  ['a name below a comment that ends like that', '[include]\n\ty = x # \\\n\tpath = ../own.inc\n', 'own.inc'],
  ['a name after a long line', `[x]\n\ty = a${' '.repeat(300_000)}b\n[include]\n\tpath = ../own.inc\n`, 'own.inc'],
  ['a name after a long section', `[${'a'.repeat(300_000)}\n[include]\n\tpath = ../own.inc\n`, 'own.inc'],
  ['a program for differences', '[diff]\n\texternal = ./d.sh\n', 'd.sh'],
]
const other: readonly string[] = [
  '.hg/hgrc',
  'sub/.hg/sharedpath',
  '.jj/repo/config.toml',
  '.sl/config',
  '_darcs/prefs/defaults',
]

function projectWith(config: string): string {
  const root = scratchDir({ 'plain.txt': 'plain\n', 'first.inc': '[include]\n\tpath = second.inc\n' })
  git(root, 'init', '-q')
  fs.appendFileSync(path.join(root, '.git/config'), config)
  return root
}

describe('what the settings of version control name', () => {
  for (const [what, config, file] of [...named, ...other.map((one) => [one, '', one] as const)]) {
    it(`is not written by a reply: ${what}`, async () => {
      const root = projectWith(config)
      const at = path.join(root, file)
      const clada = new Clada({ repoPath: root, git: 'off' })
      for (const call of [
        ['file_write', { path: at, content: 'x' }],
        ['file_copy', { old_path: `${root}/plain.txt`, new_path: at }],
        ['run', { command: `touch ${file}` }],
      ] as const)
        expect((await clada.execute(blocks(call))).results[0]).toMatchObject({ success: false, code: 'path_denied' })
      expect(fs.existsSync(at)).toBe(false)
      fill(root, { [file]: 'there\n' })
      expect(await clada.execute(blocks(['file_read', { path: at }]))).toMatchObject({ success: true })
    })

    it(`is not kept from code: ${what}`, async (context) => {
      skipWithout(context, 'sandbox')
      const root = projectWith(config)
      const code = `mkdir -p $(dirname ${file}); echo x > ${file}; echo y > other.txt`
      const { results } = await new Clada({ repoPath: root, git: 'off' }).execute(
        blocks(['exec', { lang: 'bash', code }]),
      )
      expect(JSON.stringify(results)).toContain(file)
      expect(fs.existsSync(path.join(root, file))).toBe(false)
      expect(fs.readFileSync(path.join(root, 'other.txt'), 'utf8')).toBe('y\n')
    })
  }

  it('leaves everything else open, and the project itself', async () => {
    const root = projectWith(
      '[core]\n\thooksPath = .\n\tpager = less\n\tfsmonitor = true\n[include]\n\tpath = /dev/zero\n',
    )
    const names = ['less', 'true', 'hooks/x', 'hg/hgrc', '.hgignore']
    expect(
      await new Clada({ repoPath: root, git: 'off' }).execute(
        blocks(...names.map((name) => ['file_write', { path: path.join(root, name), content: 'x' }] as const)),
      ),
    ).toMatchObject({ success: true })
  })
})
