import { describe, expect, it } from 'vitest'
import { allActions, modelActions } from '../../packages/clada/src/actions/registry.ts'
import { describeActions } from '../../packages/clada/src/describe/describe.ts'
import { groupsOf } from '../../packages/clada/src/describe/actions.ts'
import { oddActions } from './odd-actions.ts'

const actions = allActions()

describe('every action, so that a change of the contract is seen', () => {
  it('as a table', async () => {
    await expect(describeActions(actions, 'table')).toMatchFileSnapshot('snapshots/actions.txt.snap')
  })

  it('as YAML', async () => {
    await expect(describeActions(actions, 'yaml')).toMatchFileSnapshot('snapshots/actions.yaml.snap')
  })

  it('as tools with JSON schemas', async () => {
    await expect(describeActions(modelActions(), 'json')).toMatchFileSnapshot('snapshots/actions.json.snap')
  })

  // The page of every action is docs/actions.md itself, which docs.test.ts compares.
})

describe('definitions with everything that is hard to show', () => {
  it('as a table', async () => {
    await expect(describeActions(oddActions, 'table')).toMatchFileSnapshot('snapshots/odd.txt.snap')
  })

  it('as a table for a narrow terminal', async () => {
    await expect(describeActions(oddActions, 'table', { width: 40 })).toMatchFileSnapshot(
      'snapshots/odd-narrow.txt.snap',
    )
  })

  it('as YAML', async () => {
    await expect(describeActions(oddActions, 'yaml')).toMatchFileSnapshot('snapshots/odd.yaml.snap')
  })

  it('as tools with JSON schemas', async () => {
    await expect(describeActions(oddActions, 'json')).toMatchFileSnapshot('snapshots/odd.json.snap')
  })

  it('as a page', async () => {
    await expect(describeActions(oddActions, 'md')).toMatchFileSnapshot('snapshots/odd.md.snap')
  })
})

it('models are offered nothing that is for the user', () => {
  expect(actions.filter((spec) => !modelActions().includes(spec)).map(({ name }) => name)).toEqual([
    'undo',
    'git_step_back',
    'git_step_forward',
    'git_squash',
  ])
})

describe('groups', () => {
  it('have a heading for every action', () => {
    expect(groupsOf(actions).map(({ title }) => title)).not.toContain('Other')
  })

  it('hold every action once', () => {
    const grouped = groupsOf(actions).flatMap(({ specs }) => specs.map(({ name }) => name))
    expect(grouped.sort()).toEqual(actions.map(({ name }) => name).sort())
  })
})
