import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { modelActions } from '../../packages/clada/src/actions/registry.ts'
import { parseShamResponse } from '../../packages/clada/src/index.ts'

const root = path.join(import.meta.dirname, '../..')

describe('the generated pages', () => {
  it('are current', () => {
    const { stderr, status } = spawnSync(process.execPath, ['scripts/gen.mjs', '--check'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  })

  it('show blocks that can be carried out', async () => {
    const page = fs.readFileSync(path.join(root, 'docs/actions.md'), 'utf8')
    const { actions: found, errors } = await parseShamResponse(page)
    expect(errors).toEqual([])
    expect(found.length).toBe(modelActions().reduce((sum, { examples }) => sum + examples.length, 0))
  })
})
