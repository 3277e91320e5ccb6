import {
  type ActionSpec,
  choice,
  count,
  defaulting,
  defineAction,
  flag,
  ok,
  optional,
  type Params,
  text,
} from '../../packages/clada/src/core/action.ts'

const none: Params = {}

/** Definitions with everything that is hard to quote, align or fence. */
export const oddActions: readonly ActionSpec[] = [
  defineAction({
    name: 'file_odd',
    aliases: ['odd_file', 'no'],
    description: 'Say: "yes" # or `no` | 100% {sure}, [maybe].',
    effect: 'write',
    access: ['llm', 'user'],
    primary: 'lang',
    display: 'conditional',
    params: {
      lang: choice(['python', 'no', 'a, b'], 'One | of these.'),
      often: optional(count('How often.')),
      y: defaulting(text('Between: number and line.'), ': '),
      keep: defaulting(flag('Whether to keep it.'), true),
    },
    returns: [{ name: 'string', type: 'file|directory' }],
    examples: [
      {
        title: 'fences what holds fences',
        before: { 'a.md': '```js\none\n```\n', 'b.md': '' },
        params: { lang: 'no', y: '``' },
        after: { 'a.md': '````\ntwo', 'b.md': null },
        data: [{ name: 'ROOT/`a`' }],
      },
      { title: 'fails half way', params: { lang: 'python' }, after: { c: 'x' }, code: 'io_error' },
    ],
    run: async () => ok([]),
  }),
  defineAction({
    name: 'wait',
    aliases: [],
    description: '2024-01-01',
    effect: 'meta',
    access: ['user'],
    primary: '',
    display: 'never',
    params: none,
    returns: {},
    examples: [{ title: 'waits', params: {} }],
    run: async () => ok({}),
  }),
]
