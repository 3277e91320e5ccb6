import fs from 'node:fs'
import path from 'node:path'

/**
 * docs/API.md: what the package exports, from `packages/clada/src/index.ts`. Its comments are the headings of the page.
 * The sources are read line by line instead of parsed, which the uniform style allows: a declaration begins a line, and
 * the lines that continue it are indented or begin with a closing bracket.
 */
export function apiPage(root: string): string {
  const main = entriesOf(root, 'index.ts')
  const known = new Set(main.flatMap((entry) => ('name' in entry ? [entry.name] : [])))
  // The names of both entries are described once.
  const more = entriesOf(root, 'compat/index.ts').filter((entry) => 'name' in entry && !known.has(entry.name))
  const page = (entry: Entry): string[] => ('heading' in entry ? [`## ${entry.heading}`, ''] : section(root, entry))
  return [
    '# API',
    '',
    ...tasks,
    '## Everything',
    '',
    "What `import … from 'clada'` provides. The actions are in [actions.md](actions.md), the codes of failures in",
    '[error-codes.md](error-codes.md).',
    '',
    ...main.flatMap(page),
    '## clada/compat',
    '',
    "`import … from 'clada/compat'` provides `Clada`, `createClada`, the functions above with the signatures of the seeds, and these.",
    '',
    ...more.flatMap(page),
  ].join('\n')
}

/** What people come for, before the list. The programs that it names run in the tests. */
const tasks = [
  'What do you want to do?',
  '',
  '| task | call |',
  '|---|---|',
  '| apply a reply | `createClada({ repoPath }).execute(reply)` |',
  '| see its changes first | `clada.preview(reply)` returns a diff, `clada.review(reply, choices)` hunks to choose from |',
  '| apply a part of it | `clada.execute(reply, { review: choices })` |',
  '| tell a model how to write blocks | `clada.prompt({ task, context: {} })` |',
  '| tell it what happened | `clada.report(result, { for: "model" })`; `tool` for the result of one call |',
  '| offer the actions as tools | `clada.tools()`, `clada.prompt({ for: "tools", task })`, `clada.call(name, values)` |',
  '| keep several conversations apart | `clada.session()`: own working set, token count, history, `undoAll()` |',
  '| take it back | `clada.undo()`, `clada.redo()`, `clada.history()`, `clada.execution(number)` |',
  '| add an action of your own | `createClada({ actions: [defineAction({ … })] })` |',
  '| read a syntax of your own | `createClada({ ownSyntaxes: [{ name, opens, read }] })` |',
  '| ask the user about commands | `createClada({ ask })`; without it a command that needs an approval fails |',
  '| use the settings of `clada.yml` | `readConfig(directory)`: `createClada(config.options)` |',
  '| find the blocks without running them | `parse(reply)`, `checkDocument(reply)` |',
  '',
  '`examples/library` of the repository has three programs to start from. `agent.mjs` is a coding agent, `backend.mjs` a',
  'web backend with sessions and reviews, and `test-runner.mjs` has an action of its own.',
  '',
  '```js',
  "import { createClada } from 'clada'",
  '',
  "const clada = createClada({ repoPath: '/home/me/project' })",
  'const session = clada.session()',
  "const prompt = await session.prompt({ task: 'Fix the login' })",
  '// Send prompt.text to a model; its answer is the reply.',
  'const result = await session.execute(reply)',
  'const report = await session.report(result) // send it back',
  'if (!result.success) await session.undoAll()',
  '```',
  '',
  '`execute` never throws for what a reply contains: failures are in `result.results`, each with `code` and `error`.',
  'Wrong options throw `SettingsError` from `prompt`, `report`, `session`, `undo` and `history`.',
  '',
  '## Choosing from a reply',
  '',
  '```js',
  'const review = await clada.review(reply)',
  'for (const { task, files } of review.blocks)',
  '  for (const { path, hunks } of files) console.log(task, path, hunks.map(({ id, oldStart, oldEnd }) => `${id}: lines ${oldStart + 1} to ${oldEnd}`))',
  '',
  'const [first, second] = review.blocks',
  'const choices = {',
  '  blocks: {',
  '    // Applied only if it still makes the change that was shown, without its first hunk.',
  '    [first.task]: { shown: first.shown, leave: [{ hunk: first.files[0].hunks[0].id }] },',
  "    [second.task]: { leaveOut: true, reason: 'not now' },",
  '  },',
  '}',
  'const result = await clada.execute(reply, { review: choices })',
  '```',
  '',
  '## Tools of a model that calls functions',
  '',
  '```js',
  'const tools = (await clada.tools()).map(({ name, description, inputSchema }) => ({',
  "  type: 'function',",
  '  function: { name, description, parameters: inputSchema },',
  '}))',
  "const prompt = await session.prompt({ for: 'tools', task: 'Fix the login' })",
  "const messages = [{ role: 'user', content: prompt.text }]",
  '// For each call in the answer of the model:',
  'const result = await session.call(call.function.name, call.function.arguments)',
  "messages.push({ role: 'tool', tool_call_id: call.id, content: await session.report(result, { for: 'tool' }) })",
  '```',
  '',
  'An unknown tool, arguments that are no JSON, and failures are results like any other. The report says what to do next.',
  '',
  '## Actions of your own',
  '',
  'An action has the definition type of those of clada. It is decoded, checked, recorded, undone, reported and taught',
  'to models in the same way.',
  '',
  '```js',
  "import { actionFailed, createClada, defineAction, ok, param } from 'clada'",
  '',
  'const addHeader = defineAction({',
  "  name: 'add_header',",
  "  description: 'Put the licence header at the top of a file.',",
  "  effect: 'write',",
  "  params: { path: param.path('The file.'), year: param.optional(param.integer('Default: this year.')) },",
  "  returns: { path: 'string' },",
  "  examples: [{ title: 'adds the header', before: { 'a.js': 'x\\n' }, params: { path: 'a.js', year: '2026' }, after: { 'a.js': '// (c) 2026\\nx\\n' } }],",
  '  async run({ path, year = new Date().getFullYear() }, { files }) {',
  '    const file = await files.read(path)',
  "    if (file.text.startsWith('// (c)')) return actionFailed('it has a header already')",
  '    await files.save(file, `// (c) ${year}\\n${file.text}`)',
  '    return ok({ path: path.given })',
  '  },',
  '})',
  '',
  'const clada = createClada({ repoPath, actions: [addHeader] })',
  '```',
  '',
  '- Kinds of parameters: `text`, `path`, `paths`, `lines`, `integer`, `flag` and `choice` of [`param`](#param).',
  "- `returns` is a shape: `{ path: 'string', 'size?': 'integer', names: ['string'] }` ([`Shape`](#shape)).",
  '- `effect: "read"` and `"write"` run in previews too, on a stage that is thrown away: use `files`, not `node:fs`.',
  '  What a handler does past `files` is neither checked nor undone.',
  '- `effect: "exec"` is for programs and services. A preview names it and does not run it.',
  '- A handler fails with `actionFailed(message, advice)`. Any other exception is reported as a bug.',
  '- `signal` of the context is aborted when the caller stops the execution.',
  '- `checkExamples(action)` runs the examples in a temporary project and returns what went otherwise.',
  '',
  '## Syntaxes of your own',
  '',
  'A syntax finds blocks in a reply and says which actions they ask for. Everything after that is as for every block.',
  '',
  '```js',
  'const puts = {',
  "  name: 'puts',",
  '  opens: /^@@@ put /,',
  '  read(lines, first) {',
  "    const last = lines.indexOf('@@@', first)",
  "    if (last === -1) return { last: lines.length - 1, calls: [], problem: '@@@ put has no @@@ below it' }",
  "    const params = { path: lines[first].slice(8), content: lines.slice(first + 1, last).join('\\n') }",
  "    return { last, calls: [{ action: 'file_write', params }] }",
  '  },',
  "  teaching: 'Write `@@@ put PATH`, the lines of the file, and `@@@` on a line of its own.',",
  '}',
  '',
  'const clada = createClada({ repoPath, ownSyntaxes: [puts] })',
  '```',
  '',
]

type Entry = { readonly heading: string } | { readonly name: string; readonly file: string }

/** What an index exports, with the files from the root of the repository. */
function entriesOf(root: string, index: string): Entry[] {
  const text = fs.readFileSync(path.join(root, sources, index), 'utf8')
  const sourceOf = (name: string): string =>
    name.startsWith('@clada/reply/')
      ? `packages/reply/src/${name.slice('@clada/reply/'.length)}`
      : path.posix.join(sources, path.posix.dirname(index), name)
  const form = /^\/\/ (.+)$|^export \* from '([^']+)'|^export (?:type )?\{([^}]*)\} from '([^']+)'/gm
  return [...text.matchAll(form)].flatMap(([, heading, all, names = '', from = '']): Entry[] => {
    if (heading !== undefined) return [{ heading }]
    if (all !== undefined) return entriesOf(root, path.posix.join(path.posix.dirname(index), all))
    return [...names.matchAll(/(?:type )?(\w+)\s*(?:,|$)/g)].map(([, name = '']) => ({ name, file: sourceOf(from) }))
  })
}

const sources = 'packages/clada/src'

function section(root: string, { name, file }: { name: string; file: string }): string[] {
  const { doc, code } = declarationOf(fs.readFileSync(path.join(root, file), 'utf8'), name)
  if (doc === '') throw new Error(`${file}: ${name} is public and has no doc comment`)
  return [`### ${name}`, '', doc, '', '```ts', code, '```', '']
}

interface Declaration {
  readonly doc: string
  readonly code: string
}

function declarationOf(text: string, name: string): Declaration {
  const lines = text.split('\n')
  const at = lines.findIndex((line) =>
    new RegExp(`^export (?:async )?(?:function|class|interface|type|const) ${name}\\b`).test(line),
  )
  if (at === -1) throw new Error(`${name} is exported and not declared`)
  const rest = lines.slice(at + 1).findIndex((line) => !/^(?:[ )}\]]|$)/.test(line))
  const whole = lines.slice(at, rest === -1 ? undefined : at + 1 + rest)
  while (whole.at(-1) === '') whole.pop()
  const code = whole.join('\n').replace(/^export /, '')
  return { doc: docBefore(lines.slice(0, at)), code: shortened(code) }
}

/** Without the bodies of functions, the values of constants and the private members of classes. */
function shortened(code: string): string {
  if (/^(?:async )?function/.test(code)) return signature(code)
  if (code.startsWith('class')) return classOutline(code)
  if (!code.startsWith('const')) return code
  const arrow = /^const (\w+) = (?:async )?((?:<[^>]*>)?\()/s.exec(code)
  if (arrow === null) return code.replace(/ =(?: |\n).*$/s, '')
  return signature(code)
    .replace(/ =>$/, '')
    .replace(/^const (\w+) = (?:async )?/, 'function $1')
}

function classOutline(code: string): string {
  const members = code
    .split('\n')
    .slice(1, -1)
    .join('\n')
    .split(/\n\n(?= {2}\S)/)
  const shown = members
    .filter((member) => !/^(?: {2}\/\*\*.*?\*\/\n)? {2}(?:readonly |async |static |get )*#/s.test(member))
    .map((member) => {
      const doc = /^ {2}\/\*\*.*?\*\/\n/s.exec(member)?.[0] ?? ''
      const rest = member.slice(doc.length)
      return doc + (rest.includes('(') ? signature(rest) : rest)
    })
  return [code.split('\n', 1)[0], ...shown, '}'].join('\n')
}

/** Up to the body: the first `{` or `=>` after the parameters that is not in brackets and does not begin a type. */
function signature(code: string): string {
  let depth = 0
  for (let at = 0; at < code.length; at++) {
    const char = code.charAt(at)
    const isBody = / (?:\{|=>)/y.test(code.slice(at)) && code.charAt(at - 1) !== ':'
    if (depth === 0 && isBody && at > code.indexOf(')'))
      return code.slice(0, at).replace(/^(\s*(?:override )?)async /, '$1')
    if ('([{'.includes(char)) depth++
    if (')]}'.includes(char)) depth--
  }
  return code
}

function docBefore(lines: readonly string[]): string {
  if (lines.at(-1)?.endsWith('*/') !== true) return ''
  const from = lines.findLastIndex((line) => line.startsWith('/**'))
  return lines
    .slice(from)
    .map((line) => line.replace(/^\/\*\* ?|^ \*(?:\/$)? ?| ?\*\/$/g, '').trim())
    .filter((line) => line !== '')
    .join('\n')
    .replaceAll('@throws', 'Throws')
}
