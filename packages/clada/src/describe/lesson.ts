import type { ActionSpec, Param } from '../core/action.ts'
import type { Block } from '@clada/reply/core/block.ts'
import { Source } from '@clada/reply/core/source.ts'
import { type Allowed, callable } from './actions.ts'
import type { Call } from '@clada/reply/syntax/call.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import type { ReadOptions } from '@clada/reply/syntax/reader.ts'
import type { Lesson as SyntaxLesson, Syntax, SyntaxWriter } from '@clada/reply/syntax/syntax.ts'
import { defaultSyntax, type TaughtName, targetOf } from '@clada/reply/syntax/table.ts'

export interface LessonOptions extends Allowed {
  /** Every action there is; those are chosen that a model may call here. */
  readonly specs: readonly ActionSpec[]
  /** The project, absolute. */
  readonly root: string
  readonly syntax?: TaughtName | undefined
  /** Whether SHAM blocks may name files relative to the root. */
  readonly relativePaths?: boolean | undefined
  readonly cslDelimiters?: ReadOptions['cslDelimiters']
  readonly include?: 'everyday' | 'all' | undefined
}

/** What is taught, before it is text. */
export interface PromptLesson {
  readonly teaching: Teaching
  readonly forms: readonly LessonForm[]
  readonly examples: readonly { readonly example: WorkedExample; readonly blocks: string }[]
}

export interface LessonForm {
  readonly spec: ActionSpec
  readonly call: string
}

/** A syntax as a prompt teaches it. */
export interface Teaching extends SyntaxLesson, Pick<Syntax, 'paths' | 'coverage'> {
  readonly write: SyntaxWriter['call']
  /** The blocks of a text in this syntax. */
  read(text: string): readonly Block[]
}

function teachingOf(name: TaughtName, options: ReadOptions): Teaching {
  const { syntax, target } = targetOf(name)
  const lesson = syntax.lesson?.(options)
  if (lesson === undefined) throw new Error(`'${name}' has no lesson`)
  const { cslDelimiters } = options
  return {
    ...lesson,
    paths: syntax.paths,
    coverage: syntax.coverage,
    write: (call, id) => target.open(options).call(call, id),
    read: (text) => findBlocks(new Source(text), { syntaxes: [name], cslDelimiters }).blocks,
  }
}

export function lessonFor(options: LessonOptions): PromptLesson {
  const { specs, syntax = defaultSyntax, include = 'everyday' } = options
  const teaching = teachingOf(syntax, options)
  const rare = include === 'all' ? 'show' : 'hide'
  const sayable = callable(specs, options).flatMap((spec): LessonForm[] => {
    const call = callForm(spec, teaching, rare)
    return call === undefined ? [] : [{ spec, call }]
  })
  const everyday = sayable.filter(({ spec }) => spec.everyday)
  // A project that allows only what is rare wants it taught.
  const chosen = include === 'all' || everyday.length === 0 ? sayable : everyday
  const isCovered = ({ spec }: LessonForm): boolean => chosen.some((other) => other.spec.name === spec.within)
  const forms =
    include === 'all' || teaching.coverage !== 'all actions' ? chosen : chosen.filter((form) => !isCovered(form))
  const names = new Set(forms.map(({ spec }) => spec.name))
  const examples = workedExamples.flatMap((row, at) => {
    const fitting = row.flatMap((example) => {
      const blocks = writeCalls(example, teaching, options, at)
      return blocks !== undefined && teaching.read(blocks).every(({ action }) => names.has(action))
        ? [{ example, blocks }]
        : []
    })
    return fitting.slice(0, 1)
  })
  return { teaching, forms, examples }
}

/** Undefined when the syntax cannot say all of it. */
function writeCalls(
  { calls }: WorkedExample,
  teaching: Teaching,
  options: LessonOptions,
  row: number,
): string | undefined {
  const written = calls.flatMap((call, at) => {
    const rendered = teaching.write(withPaths(call, teaching, options), ids[row * 2 + at] ?? 'abc')
    return 'text' in rendered ? [rendered.text] : []
  })
  return written.length === calls.length ? written.join('\n\n') : undefined
}

/** As random as a model should make them; two for each row. */
const ids = ['k7m', 'x2q', 'd4v']

function withPaths(call: Call, { paths }: Teaching, { root, relativePaths }: LessonOptions): Call {
  const { path } = call.params
  if (path === undefined || paths === 'relative' || relativePaths) return call
  return { ...call, params: { ...call.params, path: pathBelowRoot(root, path) } }
}

const pathBelowRoot = (root: string, path: string): string => `${root.endsWith('/') ? root : `${root}/`}${path}`

/** How a call of an action looks in a syntax, on one line; undefined where the syntax has no words for it. */
function callForm(spec: ActionSpec, teaching: Teaching, rare: Rare): string | undefined {
  if (teaching.coverage === 'all actions') return signatureOf(spec, rare)
  const text = formOf(spec, teaching)
  if (text === undefined) return undefined
  // What reads back as another action is said by that one; what is warned of is not to be taught.
  const blocks = teaching.read(text)
  const [block] = blocks
  const isOwn = blocks.length === 1 && block?.action === spec.name && block.warnings === undefined
  return isOwn ? text.split('\n').join(' ⏎ ') : undefined
}

/** Whether parameters that few calls need are shown. */
type Rare = 'show' | 'hide'

/** `file_read_numbered(path, lines?)`: a question mark for what may be left out, its default after `=`. */
function signatureOf({ name, params }: ActionSpec, rare: Rare): string {
  const shown = Object.entries(params).filter(([, param]) => !param.rare || (rare === 'show' && param.rare === true))
  return `${name}(${shown.map(([param, definition]) => parameterOf(param, definition)).join(', ')})`
}

function parameterOf(name: string, { required, default: value }: Param): string {
  if (required) return name
  return value === undefined ? `${name}?` : `${name}=${JSON.stringify(value)}`
}

/** A call with capitals where its texts go: what it must have, and of the rest only what the syntax insists on. */
function formOf({ name: action, params }: ActionSpec, teaching: Teaching): string | undefined {
  const written = (given: Readonly<Record<string, string>>): string | undefined => {
    const rendered = teaching.write({ action, params: given, explanation: 'WHY' }, 'abc')
    return 'text' in rendered ? rendered.text : undefined
  }
  const named = Object.entries(params).map(([name, param]) => [name, placeholder(name, param), param.required] as const)
  const given = Object.fromEntries(named.filter(([, , required]) => required))
  const optional = named.filter(([, , required]) => !required)
  return [{}, ...optional.map(([name, text]) => ({ [name]: text }))]
    .map((more) => written({ ...given, ...more }))
    .find((text) => text !== undefined)
}

function placeholder(name: string, { type }: Param): string {
  if (type === 'boolean') return 'true'
  return type === 'count' || type === 'integer' ? '1' : name.toUpperCase()
}

/** What a person asks, and the blocks that answer it. A test carries them out. Paths are relative to the project. */
export interface WorkedExample {
  readonly ask: string
  readonly calls: readonly Call[]
  /** What the model says after its blocks. */
  readonly say: string
}

/** The project in which the examples work, before and after all of them. */
export const exampleFiles: Readonly<Record<string, string>> = {
  'src/greet.js': "// TODO: be polite\nexport function greet(name) {\n  return 'Hello ' + name\n}\n",
}

/** In each row the first that the syntax can say and the project allows. */
export const workedExamples: readonly (readonly WorkedExample[])[] = [
  (['file_edit', 'file_replace_text'] as const).map((action): WorkedExample => ({
    ask: 'greet() should cope without a name. Note that in the docs.',
    calls: [
      {
        action,
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
  })),
  [
    {
      ask: 'Who calls greet()?',
      calls: [{ action: 'grep', params: { pattern: 'greet(', path: 'src' } }],
      say: 'I will continue when I see the result.',
    },
    {
      ask: 'Who calls greet()?',
      calls: [{ action: 'run', params: { command: 'grep -rn "greet(" src' } }],
      say: 'I will continue when I see the result.',
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
