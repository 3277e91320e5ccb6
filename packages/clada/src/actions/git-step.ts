import { defineAction, type Params, stepShape } from '../core/action.ts'
import { stepOutput } from './output.ts'

const none: Params = {}

export const gitStepBack = defineAction({
  name: 'git_step_back',
  description:
    'Check out the previous commit; uncommitted changes are stashed until git_step_forward returns to the newest one.',
  effect: 'git',
  access: ['user'],
  behavior: 'Stashes untracked changes',
  command: 'clada back',
  display: 'always',
  output: stepOutput,
  params: none,
  returns: stepShape,
  examples: [
    {
      title: 'shows the project as it was one commit ago',
      before: { 'a.txt': 'one\n' },
      earlier: [{ action: 'file_write', params: { path: 'a.txt', content: 'two\n' } }],
      params: {},
      after: { 'a.txt': 'one\n' },
    },
    {
      title: 'cannot go before the first commit',
      before: { 'a.txt': 'one\n' },
      params: {},
      code: 'git_operation_failed',
    },
  ],
  run: async (_, { history }) => (await history()).back(),
})

export const gitStepForward = defineAction({
  name: 'git_step_forward',
  description: 'Go one commit forward again; at the newest one the branch and the uncommitted changes are restored.',
  effect: 'git',
  access: ['user'],
  behavior: 'Attempts to pop stashed changes',
  command: 'clada forward',
  display: 'always',
  output: stepOutput,
  params: none,
  returns: stepShape,
  examples: [
    {
      title: 'returns to the newest commit',
      before: { 'a.txt': 'one\n' },
      earlier: [
        { action: 'file_write', params: { path: 'a.txt', content: 'two\n' } },
        { action: 'git_step_back', params: {} },
      ],
      params: {},
      after: { 'a.txt': 'two\n' },
      data: { branch: 'main' },
    },
    {
      title: 'fails at the newest commit',
      before: { 'a.txt': 'one\n' },
      params: {},
      code: 'git_operation_failed',
    },
  ],
  run: async (_, { history }) => (await history()).forward(),
})
