import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { allActions } from '../../packages/clada/src/actions/registry.ts'
import { actionTable } from '../../packages/clada/src/describe/describe.ts'

const actions = allActions()

describe('the table', () => {
  it.each([38, 40, 66, 67, 80, 120, 400])('fits a terminal of %i columns', (width) => {
    const table = actionTable(actions, { width })
    expect(table.split('\n').filter((line) => line.length > width)).toEqual([])
    expect(table.split('\n').filter((line) => line.endsWith(' '))).toEqual([])
  })

  it.each([40, 100])('names every action, alias and parameter at %i columns', (width) => {
    const words = actionTable(actions, { width }).split(/[\s[\]=]+/)
    for (const { name, aliases, params } of actions) {
      expect(words).toEqual(expect.arrayContaining([name, ...aliases, ...Object.keys(params)]))
    }
  })

  it('is the same with colour, but for the colour', () => {
    const colored = actionTable(actions, { color: true })
    expect(colored).toContain('\u001b[1mfile_write\u001b[22m')
    expect(stripVTControlCharacters(colored)).toBe(actionTable(actions))
  })

  it('of nothing has no rows', () => {
    expect(actionTable([])).toBe('Parameters in [brackets] are optional; the default follows =.\n')
  })
})
