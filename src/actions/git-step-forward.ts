import { defineAction, type Params } from '../core/action.ts'
import { stepOutput } from './output.ts'

const none: Params = {}

export const gitStepForward = defineAction({
  name: 'git_step_forward',
  aliases: [],
  description: 'One commit towards where git_step_back began; at its end the branch and the uncommitted work are back.',
  effect: 'git',
  access: ['user'],
  command: 'clada forward',
  display: 'always',
  output: stepOutput,
  params: none,
  returns: { commit: 'string', 'branch?': 'string', 'restored_files?': '[path]', 'kept?': '[ref]' },
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
      title: 'has nowhere to go from the newest commit',
      before: { 'a.txt': 'one\n' },
      params: {},
      code: 'git_operation_failed',
    },
  ],
  run: async (_, { history }) => (await history()).forward(),
})
