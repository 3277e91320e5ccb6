import nodePath from 'node:path'
import { defineAction, optional, path, text } from '../core/action.ts'
import { runShape } from '../core/commands.ts'
import { changingCommands, readingCommands } from '../core/listed-commands.ts'
import { outlinesOf } from './long-file-outlines.ts'
import { programOutput } from './program-output.ts'

const withoutProcess = new RegExp(
  `^\\s*(?:cd\\s+\\S+\\s*&&\\s*)?(?:${[...readingCommands, ...changingCommands].join('|')})(?:\\s|$)`,
)

/** A model that has no other way to read begins with `cat`, and a file as long as any is the answer. */
const onlyFile = /^\s*cat\s+([^\s'"\\-][^\s'"\\]*)\s*$/

/** They print one path in each line, unless an option says otherwise. */
const listsPaths = /^\s*(?:git ls-files|git diff .*--name-only|find(?!.*-printf))(?:\s|$)/

export const run = defineAction({
  name: 'run',
  title: 'Run a command',
  description: `Run one command line, without a shell. Use it for one program, such as the tests or git; use exec for pipes, loops and code. These run at once: \`${readingCommands.join(' ')}\`, \`${changingCommands.join(' ')}\`, \`git status diff log show branch stash-list ls-files\`. Any other needs the approval of the user.`,
  effect: 'exec',
  previews: true,
  primary: 'command',
  display: 'always',
  output: programOutput,
  everyday: true,
  params: {
    command: text(
      'The command line. Quotes are understood, operators and globs are not, except a leading `cd DIR &&`.',
    ),
    dir: optional(path('Directory to run it in; the root without it.')),
  },
  returns: runShape,
  examples: [
    {
      title: 'reads',
      before: { 'a.txt': 'one\ntwo\n' },
      params: { command: 'head -n 1 a.txt' },
      data: { output: 'one\n', exit_code: 0 },
    },
    {
      title: 'changes files without a process',
      before: { 'src/a.txt': 'x' },
      params: { command: 'mv src/a.txt b.txt' },
      after: { 'src/a.txt': null, 'b.txt': 'x' },
    },
    {
      title: 'has no shell',
      before: { 'a.txt': 'x' },
      params: { command: 'cat a.txt | wc -l' },
      code: 'command_not_allowed',
    },
    { title: 'needs approval for other commands', params: { command: 'npm test' }, code: 'approval_required' },
  ],
  startsProcess: ({ command }) => !withoutProcess.test(String(command)),
  async run({ command, dir }, context) {
    const outcome = await context.commands.run({ command, dir })
    if (outcome.ok && outcome.hits !== undefined) return context.outlines ? outcome : { ...outcome, hits: undefined }
    if (outcome.ok && context.outlines && listsPaths.test(command)) {
      const paths = (outcome.data.output ?? '').split('\n').filter((line) => line !== '')
      // More than a path, or one that git quotes.
      return paths.some((one) => /[\s"\0]/.test(one)) ? outcome : { ...outcome, paths }
    }
    const [, given] = onlyFile.exec(command) ?? []
    if (!outcome.ok || given === undefined || outcome.data.output === undefined) return outcome
    const path = { given, absolute: nodePath.resolve(dir?.absolute ?? context.root.absolute, given) }
    return { ...outcome, outlines: await outlinesOf([{ path, text: outcome.data.output }], context) }
  },
})
