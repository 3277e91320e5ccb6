import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { parseIgnoreRules, isIgnored } from '@clada/reply/text/ignore-rules.ts'
import { scratchDir } from '../support/scratch.ts'

const files = {
  '.gitignore': [
    '# made by tools',
    '*.log',
    '!keep.log',
    '*.py[cod]',
    '[Bb]in/',
    '/top.txt',
    'docs/*.html',
    '**/tmp',
    'a/**/z',
    'cache/*',
    '!cache/.keep',
    'x?.t[!a-c]',
    'trail   ',
    '\\#odd',
    'plain',
  ].join('\n'),
  'sub/.gitignore': '*.txt\r\n!/yes.txt\r\ndeep/\r\n!special.log\r\n',
}
const paths =
  'a.log keep.log sub/keep.log b.pyc b.pyx b.py bin/x Bin/x sub/bin cabin/x top.txt sub/top.txt docs/a.html docs/sub/a.html x/docs/a.html tmp x/tmp/y a/z a/b/c/z b/z cache/one cache/.keep xy.tz xy.ta trail #odd plain x/plain/y plainly sub/yes.txt sub/x/yes.txt sub/deep/f sub/x/deep sub/special.log'.split(
    ' ',
  )

it('leaves out what git leaves out', () => {
  const cwd = scratchDir(files)
  execFileSync('git', ['init', '-q'], { cwd })
  const input = paths.join('\n')
  const left = execFileSync('git', ['check-ignore', '--no-index', '--stdin'], { cwd, input, encoding: 'utf8' })
  const rules = [...parseIgnoreRules(files['.gitignore'], ''), ...parseIgnoreRules(files['sub/.gitignore'], 'sub')]
  const own = paths.filter((path) => {
    const dirs = path.split('/').map((_, at, names) => names.slice(0, at).join('/'))
    return dirs.slice(1).some((dir) => isIgnored(rules, dir, 'dir')) || isIgnored(rules, path, 'file')
  })
  expect(own).toEqual(
    left
      .trim()
      .split('\n')
      .map((path) => path.replace(/^"|"$/g, '')),
  )
})
