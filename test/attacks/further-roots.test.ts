import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { defaultDeniedPatterns } from '../../packages/clada/src/policy/secret-files.ts'
import { scratchDir } from '../support/scratch.ts'
import { skipWithout } from '../support/needs.ts'

/** A project, and a directory beside it that the user allows. What is closed there holds the word CANARY. */
function beside(): { base: string; options: CladaOptions } {
  const base = scratchDir({
    'proj/a.txt': 'a\n',
    'proj/clada.yml': 'vars: {X: CANARY}\n',
    'lib/open.txt': 'OPEN CANNOT\n',
    'lib/deep/.env': 'CANARY by name\n',
    'lib/k.pem': 'CANARY by ending\n',
    'lib/private/x.txt': 'CANARY by absolute pattern\n',
    'lib/team/keys/y.txt': 'CANARY by relative pattern\n',
    'lib/repo/.git/config': 'url = CANARY\n',
  })
  fs.linkSync(path.join(base, 'lib/deep/.env'), path.join(base, 'lib/second.txt'))
  const deniedPatterns = [...defaultDeniedPatterns, path.join(base, 'lib/private'), 'team/keys']
  return {
    base,
    options: { repoPath: path.join(base, 'proj'), allowedRoots: [path.join(base, 'lib')], deniedPatterns, git: 'off' },
  }
}

async function said(action: string, params: Readonly<Record<string, string>>, options: CladaOptions): Promise<string> {
  const { results } = await new Clada(options).perform(action, params)
  return JSON.stringify(results)
}

describe('what is closed in a further root', () => {
  it.each([
    ['the root itself', ''],
    ['a directory below it', 'private'],
  ])('is not found by grep from %s', async (_, below) => {
    const { base, options } = beside()
    const path_ = path.join(base, 'lib', below)
    expect(await said('grep', { pattern: 'CANARY', path: path_ }, options)).not.toContain('CANARY by')
    expect(await said('grep', { pattern: 'OPEN', path: path.join(base, 'lib') }, options)).toContain('OPEN CANNOT')
  })

  it.each(['grep -r CANARY ../lib', 'diff -r -N ../lib .', 'diff -r ../lib ../lib/deep', 'diff -r -N . ../lib'])(
    'is not shown by %s',
    async (command) => {
      const { options } = beside()
      expect(await said('run', { command }, options)).not.toContain('CANARY by')
    },
  )

  it('cannot be read by code, and the rest can', async (context) => {
    skipWithout(context, 'sandbox')
    const { base, options } = beside()
    const files = ['deep/.env', 'k.pem', 'private/x.txt', 'team/keys/y.txt', 'second.txt', 'open.txt']
    const code = files.map((file) => `cat ${path.join(base, 'lib', file)}`).join('; ')
    const output = await said('exec', { lang: 'bash', code }, options)
    expect(output).toContain('OPEN CANNOT')
    expect(output).not.toContain('CANARY by')
  })

  it('stays closed to code where that root holds the project', async (context) => {
    skipWithout(context, 'sandbox')
    const { base, options } = beside()
    fs.writeFileSync(path.join(base, 'proj/.env'), 'CANARY by name\n')
    const code = `cat ../lib/deep/.env .env ../lib/second.txt; cat a.txt ../lib/open.txt; echo b > a.txt`
    const output = await said('exec', { lang: 'bash', code }, { ...options, allowedRoots: [base] })
    expect(output).toContain('OPEN CANNOT')
    expect(output).not.toContain('CANARY by')
    expect(fs.readFileSync(path.join(base, 'proj/a.txt'), 'utf8')).toBe('b\n')
  })

  it('is not found where the roots are lifted', async () => {
    const { base, options } = beside()
    const params = { pattern: 'CANARY', path: path.join(base, 'lib') }
    expect(await said('grep', params, { ...options, allowedRoots: [], allowEscape: true })).not.toContain('CANARY by')
  })
})

describe('what is closed by a path', () => {
  it.each(['ls -R', 'tree', 'grep -r OPEN .', 'diff -r lib proj', 'find . -name open.txt'])(
    'does not hide the rest from %s',
    async (command) => {
      const { base } = beside()
      const deniedPatterns = ['team/**', 'private/*']
      const output = await said('run', { command }, { repoPath: base, deniedPatterns, git: 'off' })
      expect(output).toContain('open.txt')
      expect(output).not.toMatch(/CANARY by (absolute|relative)/)
    },
  )

  it.each(['grep -r CANARY .', 'diff -r -N lib proj'])('is not shown by %s', async (command) => {
    const { base } = beside()
    const deniedPatterns = ['team/**', 'private/*']
    expect(await said('run', { command }, { repoPath: base, deniedPatterns, git: 'off' })).not.toMatch(
      /CANARY by (absolute|relative)/,
    )
  })
})

describe('what belongs to git and clada', () => {
  it.each(['{**/.git,**/.git/*}', '**/{.git,config}', '{.git/*,.git,./**}', '/**', '**/clada.yml', '**/*.yml'])(
    'is not found by grep with include %s',
    async (include) => {
      const { base, options } = beside()
      for (const dir of ['lib', 'lib/repo', 'proj'])
        expect(await said('grep', { pattern: 'CANARY', path: path.join(base, dir), include }, options)).toContain(
          '"data":[]',
        )
    },
  )
})
