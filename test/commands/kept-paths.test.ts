import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { needs } from '../support/needs.ts'

async function bash(root: string, code: string, options: CladaOptions = {}): Promise<{ ok: boolean; output: string }> {
  const clada = new Clada({ repoPath: root, gitCommit: false, ...options })
  const { results } = await clada.perform('exec', { lang: 'bash', code })
  const [result] = results
  return { ok: result?.success ?? false, output: JSON.stringify(result) }
}

function nested(): string {
  const root = scratchDir({ 'libs/sub/a.txt': 'a\n', 'libs/deep/er/b.txt': 'b\n', 'other/c.txt': 'c\n' })
  for (const name of ['libs/sub', 'libs/deep/er']) execFileSync('git', ['init', '-q'], { cwd: path.join(root, name) })
  return root
}

describe('what is kept from code (needs a sandbox)', () => {
  needs('sandbox')

  it.each([
    ['the parent', 'mv libs libs2 && cp -r libs2 libs && echo planted >> libs/sub/.git/config'],
    [
      'a directory further up',
      'mv libs/deep x && mkdir -p libs/deep/er/.git && echo planted > libs/deep/er/.git/config',
    ],
    ['the directory itself', 'mv libs/sub x && mkdir -p libs/sub/.git && echo planted > libs/sub/.git/config'],
    ['it against another', 'mkdir x && mv --exchange libs x || mv -T x libs; echo planted >> libs/sub/.git/config'],
  ])('does not go away with %s', async (_, code) => {
    const root = nested()
    expect(await bash(root, code)).toMatchObject({ ok: false })
    for (const name of ['libs/sub', 'libs/deep/er']) {
      const config = fs.readFileSync(path.join(root, name, '.git/config'), 'utf8')
      expect(config).toContain('[core]')
      expect(config).not.toContain('planted')
    }
  })

  it('does not go away when it is a closed file', async () => {
    const root = scratchDir({ 'notes/.env': 'mine\n' })
    expect(await bash(root, 'mv notes notes2; mkdir -p notes; echo planted > notes/.env')).toMatchObject({ ok: false })
    expect(filesIn(root)).toEqual({ 'notes/.env': 'mine\n' })
  })

  it('does not go away when it is a file that is listened to', async () => {
    const root = scratchDir({ 'notes/reply.md': 'mine\n' })
    const reserved = [path.join(root, 'notes/reply.md')]
    const code = 'mv notes notes2; mkdir -p notes; cat > notes/reply.md <<< planted'
    expect(await bash(root, code, { reserved })).toMatchObject({
      output: expect.stringContaining('"not_kept":[{"path":"notes/reply.md"'),
    })
    expect(filesIn(root)).toEqual({ 'notes/reply.md': 'mine\n' })
  })

  it('does not appear where a file that is listened to is missing', async () => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    const reserved = [path.join(root, 'reply.md')]
    const code = 'echo planted > reply.md; echo planted > x; mv -T x reply.md; ln -sf a.txt reply.md'
    expect(await bash(root, code, { reserved })).toMatchObject({
      output: expect.stringContaining('"not_kept":[{"path":"reply.md"'),
    })
    expect(filesIn(root)).toEqual({ 'a.txt': 'a\n' })
  })

  it('leaves the rest to be worked with', async () => {
    const root = nested()
    const work = [
      'mv other another',
      'mkdir -p libs/sub/build && echo x > libs/sub/build/t && mv libs/sub/build libs/sub/dist',
      'mv libs/sub/a.txt moved.txt',
      'mv moved.txt libs/deep/a.txt',
      'mkdir libs/new && mv libs/new libs/newer && touch libs/newer/n',
      'git -C libs/sub status --short',
      'rm -r libs/newer',
    ].join(' && ')
    expect(await bash(root, work)).toMatchObject({ ok: true, output: expect.stringContaining('?? dist/') })
    expect(
      Object.keys(filesIn(root))
        .filter((name) => !name.includes('.git/'))
        .sort(),
    ).toEqual(['another/c.txt', 'libs/deep/a.txt', 'libs/deep/er/b.txt', 'libs/sub/dist/t'])
  })
})

describe('a link in the place of a language (needs a sandbox)', () => {
  needs('sandbox')

  it('shows nothing of where it leads', async () => {
    const base = scratchDir({
      'proj/a.txt': 'a\n',
      'other/.env': 'CANARY\n',
      'other/run': '#!/usr/bin/env bash\necho\n',
    })
    fs.chmodSync(path.join(base, 'other/run'), 0o755)
    const root = path.join(base, 'proj')
    // The script's own first line leads back into the project.
    const code = `mkdir -p .venv/bin && cd .venv/bin && ln -s ${base}/other/run python && ln -s python python3 &&
      printf '#!/bin/sh\\ncat ${base}/other/.env\\n' > bash && chmod +x bash`
    expect(await bash(root, code)).toMatchObject({ ok: true })
    const clada = new Clada({ repoPath: root, gitCommit: false })
    const { results } = await clada.perform('exec', { lang: 'python', code: 'print(1)' })
    expect(JSON.stringify(results)).not.toContain('CANARY')
  })
})

describe('many blocked files (need a sandbox)', () => {
  needs('sandbox')

  it('are kept from a command that runs all the same', async () => {
    const many = Object.fromEntries(Array.from({ length: 3100 }, (_, at) => [`keys/${at}.pem`, 'CANARY']))
    const root = scratchDir({ ...many, 'test.sh': 'cat keys/*.pem; touch ran\n' })
    const clada = new Clada({ repoPath: root, git: 'off', approve: ['sh test.sh'] })
    const { results } = await clada.perform('run', { command: 'sh test.sh' })
    expect(results).toMatchObject([{ success: true, data: { changed: [{ path: 'ran', change: 'create' }] } }])
    expect(JSON.stringify(results)).not.toContain('CANARY')
  })
})

describe('a sandbox that does not come up because of what lies in the project', () => {
  needs('sandbox')

  it('is no reason to run an approved command without it', async () => {
    // Code in the sandbox could make as many as it takes.
    const many = Object.fromEntries(Array.from({ length: 3100 }, (_, at) => [`${at}/.ssh/key`, '']))
    const root = scratchDir({ ...many, 'test.sh': 'touch ran\n' })
    const clada = new Clada({ repoPath: root, git: 'off', approve: ['sh test.sh'] })
    const { results } = await clada.perform('run', { command: 'sh test.sh' })
    expect(results).toMatchObject([
      {
        success: false,
        code: 'action_not_allowed',
        error: expect.stringContaining('the sandbox could not be started'),
      },
    ])
    expect(fs.existsSync(path.join(root, 'ran'))).toBe(false)
  })
})
