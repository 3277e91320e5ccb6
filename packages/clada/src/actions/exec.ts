import { choice, defaulting, defineAction, flag, integer, optional, path, rare, text } from '../core/action.ts'
import { execShape, execLanguages } from '../core/commands.ts'
import { programOutput } from './program-output.ts'

export const exec = defineAction({
  name: 'exec',
  title: 'Run code',
  description:
    'Run bash, python, javascript or ruby in a sandbox without network. Use it for code of your own, pipes and loops; use run for one program, such as the tests. It writes only in the root, and sees the files as they are on the disk.',
  effect: 'exec',
  previews: true,
  primary: 'lang',
  display: 'conditional',
  output: programOutput,
  everyday: true,
  params: {
    code: text('The code.'),
    lang: choice(execLanguages, 'Its language.'),
    version: rare(optional(text('Version of the language, such as 3.11; refused when it is not installed.'))),
    cwd: rare(optional(path('Directory to run it in; the root without it.'))),
    timeout: optional(integer('Seconds until it is stopped, at most what the user allows.')),
    return_output: rare(defaulting(flag('Whether the report shows its output.'), true)),
  },
  returns: execShape,
  examples: [
    {
      title: 'returns the output',
      params: { lang: 'bash', code: 'echo hello; echo oops >&2' },
      data: { stdout: 'hello\n', stderr: 'oops\n', exit_code: 0 },
    },
    {
      title: 'reports the files it changed',
      before: { 'a.txt': 'x\n' },
      params: { lang: 'python', code: "open('b.txt', 'w').write('y')" },
      after: { 'b.txt': 'y' },
      data: { changed: [{ path: 'b.txt', change: 'create' }] },
    },
    {
      title: 'fails with the exit code',
      params: { lang: 'javascript', code: 'process.exit(3)' },
      data: { stdout: '', stderr: '', exit_code: 3 },
      code: 'exec_failed',
    },
  ],
  startsProcess: () => true,
  run: ({ code, lang, version, cwd, timeout, return_output: returnOutput }, { commands }) =>
    commands.exec({ code, lang, version, cwd, timeout, returnOutput }),
})
