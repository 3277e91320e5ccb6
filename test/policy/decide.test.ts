import { describe, expect, it } from 'vitest'
import { type ActionSpec, defineAction, ok, text } from '../../packages/clada/src/core/action.ts'
import { decide } from '../../packages/clada/src/policy/decide.ts'

const action = (access: ActionSpec['access']): ActionSpec =>
  defineAction({
    name: 'rewind',
    aliases: ['go_back'],
    description: '',
    effect: 'git',
    access,
    primary: 'to',
    display: 'never',
    params: { to: text('') },
    returns: {},
    examples: [],
    run: async () => ok({}),
  })

describe('decisions about actions', () => {
  const everything = { origin: 'document', allowedActions: null } as const

  it('keeps user actions from model output', () => {
    expect(decide(action(['user']), 'go_back', everything)).toEqual({
      verdict: 'deny',
      rule: 'user_only',
      reason: "Action 'go_back' is for the user, not for model output",
    })
    expect(decide(action(['user']), 'rewind', { ...everything, origin: 'user' })).toEqual({ verdict: 'allow' })
    expect(decide(action(['llm', 'user']), 'rewind', everything)).toEqual({ verdict: 'allow' })
  })

  it('knows allowed actions by every name', () => {
    const named = (...allowedActions: string[]) => decide(action(['llm']), 'rewind', { ...everything, allowedActions })
    expect(named('go_back').verdict).toBe('allow')
    expect(named('rewind').verdict).toBe('allow')
    expect(named('file_read', 'ls')).toMatchObject({
      rule: 'allowed_actions',
      reason: "Action 'rewind' is not in allowed-actions list (file_read,ls)",
    })
    expect(named().verdict).toBe('deny')
  })

  it('does not bind the person at the keyboard to the list', () => {
    expect(decide(action(['llm']), 'rewind', { origin: 'user', allowedActions: [] }).verdict).toBe('allow')
  })
})
