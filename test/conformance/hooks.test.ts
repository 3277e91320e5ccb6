import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Clada, type CladaOptions, type ExecutionResult } from '../../packages/clada/src/index.ts'
import { needs } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

interface Case {
  name: string
  blocks: { lang: string; text: string }[]
}

const { cases } = JSON.parse(fs.readFileSync(new URL('./hooks.json', import.meta.url), 'utf8')) as { cases: Case[] }

/** Carries a case out in a directory of its own instead of one that all share. */
async function carryOut(number: string): Promise<{ result: ExecutionResult; files: Record<string, string> }> {
  const found = cases.find(({ name }) => name.startsWith(number))
  if (found === undefined) throw new Error(`there is no case ${number}`)
  const dir = scratchDir()
  const [config = '', document = ''] = found.blocks.map(({ text }) =>
    text.replace(/\/tmp\/t_hooks_integration_\d+/g, dir),
  )
  // Deviation: hooks are given or not, and an option that does not exist is refused.
  const { config: given } = parse(config.replace(/^ *enableHooks: true$/m, '')) as { config: CladaOptions }
  const result = await new Clada(given).execute(document)
  return { result, files: filesIn(dir) }
}

describe('hooks as earlier tools had them', () => {
  needs('bash')

  it('are all looked at here', () => {
    expect(cases.map(({ name }) => name.slice(0, 3))).toEqual(['001', '002', '003', '004', '005'])
  })

  it('001: run before and after, and know which files changed', async () => {
    const { result, files } = await carryOut('001')
    expect(result).toMatchObject({ success: true, totalBlocks: 1, executedActions: 1, parseErrors: [] })
    expect(files).toEqual({
      'test.txt': 'Hello from NESL',
      'hook-trace.txt': 'BEFORE_RAN\nAFTER_RAN\nFILES_MODIFIED=test.txt\n',
    })
  })

  it('002: run after a failure, and know of it', async () => {
    const { result, files } = await carryOut('002')
    expect(result).toMatchObject({ success: false, totalBlocks: 1, executedActions: 1, parseErrors: [] })
    expect(files).toEqual({ 'result.txt': 'SUCCESS=false\nERRORS=1\n' })
  })

  it('003: a failure before stops everything', async () => {
    const { result, files } = await carryOut('003')
    expect(result).toMatchObject({
      success: false,
      totalBlocks: 0,
      executedActions: 0,
      results: [],
      parseErrors: [],
      hookErrors: { before: ['false: Command failed with exit code 1'] },
    })
    // Deviation: the reason is told behind the first line, which is all there was.
    expect(result.fatalError).toBe('Before hooks failed - aborting execution\nfalse: Command failed with exit code 1')
    expect(files).toEqual({})
  })

  it('004: know the facts, also in a here-document', async () => {
    const { result, files } = await carryOut('004')
    expect(result).toMatchObject({ success: true, totalBlocks: 2, executedActions: 2 })
    expect(files['summary.txt']).toBe('Total blocks: 2\nExecuted: 2\nOperations: write_file,read_file\n')
  })

  it('005: without hooks nothing is run and no config is made', async () => {
    const { result, files } = await carryOut('005')
    expect(result.success).toBe(true)
    expect(Object.keys(files)).toEqual(['test.txt'])
    expect(result).not.toHaveProperty('configCreated')
  })
})
