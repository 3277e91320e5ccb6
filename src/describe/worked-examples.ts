import type { Call } from '../syntax/call.ts'

/** What a person asks, and the blocks that answer it. A test carries them out. Paths are relative to the project. */
export interface WorkedExample {
  readonly ask: string
  readonly calls: readonly Call[]
  /** What the model says behind its blocks. */
  readonly say: string
}

/** The project in which the examples work, before and after all of them. */
export const exampleFiles: Readonly<Record<string, string>> = {
  'src/greet.js': "// TODO: be polite\nexport function greet(name) {\n  return 'Hello ' + name\n}\n",
}

/** In each row the first that the syntax can say and the project allows. */
export const workedExamples: readonly (readonly WorkedExample[])[] = [
  [
    {
      ask: 'greet() should cope without a name. Note that in the docs.',
      calls: [
        {
          action: 'file_replace_text',
          params: {
            path: 'src/greet.js',
            old_text: "return 'Hello ' + name",
            new_text: "const who = name || 'you'\n  return `Hello, ${who}!`",
          },
          explanation: 'Greet without a name',
        },
        {
          action: 'file_write',
          params: { path: 'docs/greet.md', content: '# greet\n\nWithout a name it greets "you".\n' },
          explanation: 'Document it',
        },
      ],
      say: 'greet() now falls back to "you".',
    },
  ],
  [
    {
      ask: 'Who calls greet()?',
      calls: [{ action: 'grep', params: { pattern: 'greet(', path: 'src' } }],
      say: 'I go on when I see what this finds.',
    },
    {
      ask: 'Who calls greet()?',
      calls: [{ action: 'run', params: { command: 'grep -rn "greet(" src' } }],
      say: 'I go on when I see what this finds.',
    },
    {
      ask: 'Drop the TODO, it is done.',
      calls: [
        {
          action: 'file_replace_text',
          params: {
            path: 'src/greet.js',
            old_text: '// TODO: be polite\nexport function greet',
            new_text: 'export function greet',
          },
          explanation: 'The TODO is done',
        },
      ],
      say: 'Done.',
    },
  ],
]
