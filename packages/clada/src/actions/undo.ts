import { defaulting, defineAction, flag, integer, optional, undoShape } from '../core/action.ts'
import { stepOutput } from './output.ts'

export const undo = defineAction({
  name: 'undo',
  description: 'Undo the changes of an execution: the last one, or the one that is named.',
  effect: 'git',
  access: ['user'],
  slashCommand: true,
  constraints: ['No changes since last AI operation'],
  command: 'clada undo',
  display: 'always',
  output: stepOutput,
  params: {
    execution: optional(integer('Its number, as clada history lists it; the last one without it.')),
    only_action: optional(integer('Only this action of the execution.')),
    force: defaulting(flag('Whether to merge files that changed since, instead of refusing.'), false),
  },
  returns: undoShape,
  examples: [
    {
      title: 'undoes the last execution',
      before: { 'a.txt': 'one\n' },
      earlier: [{ action: 'file_write', params: { path: 'a.txt', content: 'two\n' } }],
      params: {},
      after: { 'a.txt': 'one\n' },
      data: { execution: 1, restored: ['a.txt'], conflicts: [] },
    },
    {
      title: 'undoes an earlier one if its files have not changed since',
      before: { 'a.txt': 'one\n' },
      earlier: [
        { action: 'file_write', params: { path: 'a.txt', content: 'two\n' } },
        { action: 'file_create', params: { path: 'b.txt', content: 'b\n' } },
      ],
      params: { execution: '1' },
      after: { 'a.txt': 'one\n', 'b.txt': 'b\n' },
      data: { execution: 1, restored: ['a.txt'] },
    },
    {
      title: 'will not undo what was never done',
      before: { 'a.txt': 'one\n' },
      params: {},
      code: 'skipped',
    },
  ],
  run: async ({ execution, only_action, force }, { history }) =>
    (await history()).undo({ execution, action: only_action, force }),
})
