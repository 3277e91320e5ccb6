import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { programsNamed } from '../../src/approvals/program.ts'
import { scratchDir } from '../support/scratch.ts'

function project(files: Readonly<Record<string, string>>): string {
  const root = scratchDir(files)
  for (const name of Object.keys(files)) fs.chmodSync(path.join(root, name), 0o755)
  return root
}

const found = (name: string, root: string) => programsNamed(name, { cwd: root, root, roots: [root] })

describe('the program of a command', () => {
  it('is never the project’s where no project brings it along', () => {
    const root = project({
      'node_modules/.bin/npm': '#!/bin/sh\n',
      '.venv/bin/npm': '#!/bin/sh\n',
      '.venv/bin/python': '#!/bin/sh\n',
    })
    const [first, ...others] = found('npm', root)
    expect(first?.file.startsWith(root)).toBe(false)
    expect(first?.bound).toBeUndefined()
    expect(others).toEqual([])
  })

  it('of the project is shown with what its link leads to, and bound to that', () => {
    const root = project({ 'node_modules/tool/cli.mjs': '#!/usr/bin/env node\n1\n' })
    fs.mkdirSync(path.join(root, 'node_modules/.bin'))
    fs.symlinkSync('../tool/cli.mjs', path.join(root, 'node_modules/.bin/tool'))
    const [before] = found('tool', root)
    expect(before?.bound?.shown).toBe('node_modules/.bin/tool → node_modules/tool/cli.mjs')
    fs.writeFileSync(path.join(root, 'node_modules/tool/cli.mjs'), '#!/usr/bin/env node\n2\n')
    expect(found('tool', root)[0]?.bound?.whole).not.toBe(before?.bound?.whole)
  })

  it('is bound to the file that a starter script names', () => {
    const root = project({
      'node_modules/.bin/tool': '#!/bin/sh\nbasedir=$(dirname "$0")\nexec node "$basedir/../tool/cli.mjs" "$@"\n',
      'node_modules/tool/cli.mjs': '1',
    })
    const [before] = found('tool', root)
    expect(before?.bound?.shown).toContain('node_modules/tool/cli.mjs')
    fs.writeFileSync(path.join(root, 'node_modules/tool/cli.mjs'), '2')
    expect(found('tool', root)[0]?.bound?.whole).not.toBe(before?.bound?.whole)
  })

  it('has an interpreter that the project cannot put another in the place of', () => {
    const root = project({
      'node_modules/.bin/tool': '#!/usr/bin/env node\n',
      'node_modules/.bin/node': '#!/bin/sh\n',
      'run.sh': '#!/usr/bin/env -S bash -e\n',
      'odd.sh': '#!/nowhere/shell -e\n',
    })
    const [tool] = found('tool', root)
    expect(tool?.start).toEqual([expect.stringMatching(/\/node$/), path.join(root, 'node_modules/.bin/tool')])
    expect(tool?.start[0].startsWith(root)).toBe(false)
    const [script] = found('./run.sh', root)
    expect(script?.start).toEqual([expect.stringMatching(/\/bash$/), '-e', path.join(root, 'run.sh')])
    // The system says what is wrong with it.
    expect(found('./odd.sh', root)[0]?.start).toEqual([path.join(root, 'odd.sh')])
  })

  it('is bound to an interpreter of the project', () => {
    const root = project({ '.venv/bin/python': '#!/bin/sh\n', '.venv/bin/tool': '' })
    fs.writeFileSync(path.join(root, '.venv/bin/tool'), `#!${root}/.venv/bin/python\n`)
    const [before] = found('tool', root)
    expect(before?.bound?.shown).toBe('.venv/bin/tool, with .venv/bin/python')
    fs.writeFileSync(path.join(root, '.venv/bin/python'), '#!/bin/sh\necho\n')
    expect(found('tool', root)[0]?.bound?.whole).not.toBe(before?.bound?.whole)
  })

  it('counts as the project’s when only its name is outside', () => {
    const root = project({ 'bin/tool': '#!/bin/sh\n' })
    const outside = scratchDir()
    fs.symlinkSync(path.join(root, 'bin/tool'), path.join(outside, 'tool'))
    const before = process.env['PATH']
    process.env['PATH'] = `${outside}:${before}`
    try {
      expect(found('tool', root)[0]?.bound?.shown).toContain('bin/tool')
    } finally {
      process.env['PATH'] = before
    }
  })
})
