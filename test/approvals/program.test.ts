import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findNamed, type ProgramOrder } from '../../packages/clada/src/approvals/program.ts'
import { scratchDir } from '../support/scratch.ts'

function project(files: Readonly<Record<string, string>>): string {
  const root = scratchDir(files)
  for (const name of Object.keys(files)) fs.chmodSync(path.join(root, name), 0o755)
  return root
}

const found = (name: string, root: string, first: ProgramOrder) =>
  findNamed(name, { cwd: root, root, roots: [root] }, first)

describe('the program of a command', () => {
  it.each(['npm', 'node', 'sh', 'git'])('%s is the user’s first where a command may do more than code', (name) => {
    const root = project({
      [`node_modules/.bin/${name}`]: '#!/bin/sh\n',
      [`.venv/bin/${name}`]: '#!/bin/sh\n',
      '.venv/bin/python': '#!/bin/sh\n',
    })
    const users = found(name, root, 'user')
    expect(users?.file.startsWith(root)).toBe(false)
    expect(users?.inside).toEqual([])
    expect(found(name, root, 'project')?.file).toBe(path.join(root, `.venv/bin/${name}`))
  })

  it('of the project is the second choice, and is known by its name and by what its link leads to', () => {
    const root = project({ 'node_modules/tool/cli.mjs': '#!/usr/bin/env node\n1\n' })
    fs.mkdirSync(path.join(root, 'node_modules/.bin'))
    fs.symlinkSync('../tool/cli.mjs', path.join(root, 'node_modules/.bin/tool'))
    const file = path.join(root, 'node_modules/.bin/tool')
    for (const first of ['project', 'user'] as const)
      expect(found('tool', root, first)).toEqual({
        file,
        inside: [file, path.join(root, 'node_modules/tool/cli.mjs')],
      })
  })

  it('counts as the project’s when only its name is outside', () => {
    const root = project({ 'bin/tool': '#!/bin/sh\n' })
    const outside = scratchDir()
    fs.symlinkSync(path.join(root, 'bin/tool'), path.join(outside, 'tool'))
    vi.stubEnv('PATH', `${outside}:${process.env['PATH']}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(found('tool', root, 'user')?.inside).toEqual([path.join(root, 'bin/tool')])
  })

  it('is missing when nothing of that name can be started', () => {
    const root = scratchDir({ 'run.sh': '' })
    expect(found('./run.sh', root, 'project')).toBeUndefined()
    expect(found('no-such-program', root, 'user')).toBeUndefined()
  })
})
