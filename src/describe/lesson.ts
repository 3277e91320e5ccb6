import type { ActionSpec } from '../core/action.ts'
import { Source } from '../core/source.ts'
import type { Delimiters } from '../syntax/csl/marker.ts'
import { findBlocks } from '../syntax/find-blocks.ts'
import type { Call } from '../syntax/call.ts'
import { type Allowed, callable } from './callable.ts'
import { callForm } from './signature.ts'
import { type TaughtName, type Teaching, teachingOf } from './teaching.ts'
import { type WorkedExample, workedExamples } from './worked-examples.ts'

export interface LessonOptions extends Allowed {
  /** Every action there is; those are chosen that a model may call here. */
  readonly specs: readonly ActionSpec[]
  /** The project, absolute. */
  readonly root: string
  readonly syntax?: TaughtName | undefined
  /** Whether SHAM blocks may name files relative to the root. */
  readonly relativePaths?: boolean | undefined
  readonly cslDelimiters?: Delimiters | undefined
  readonly include?: 'everyday' | 'all' | undefined
}

/** What is taught, before it is text. */
export interface Lesson {
  readonly teaching: Teaching
  readonly forms: readonly Form[]
  readonly examples: readonly { readonly example: WorkedExample; readonly blocks: string }[]
}

export interface Form {
  readonly spec: ActionSpec
  readonly call: string
}

export function lessonFor(options: LessonOptions): Lesson {
  const { specs, syntax = 'sham', cslDelimiters, include = 'everyday' } = options
  const teaching = teachingOf(syntax, cslDelimiters)
  const rare = include === 'all' ? 'show' : 'hide'
  const sayable = callable(specs, options).flatMap((spec): Form[] => {
    const call = callForm(spec, syntax, teaching, { rare, cslDelimiters })
    return call === undefined ? [] : [{ spec, call }]
  })
  const everyday = sayable.filter(({ spec }) => spec.everyday)
  // A project that allows only what is rare wants it taught.
  const forms = include === 'all' || everyday.length === 0 ? sayable : everyday
  const names = new Set(forms.map(({ spec }) => spec.name))
  const examples = workedExamples.flatMap((row, at) => {
    const fitting = row.flatMap((example) => {
      const blocks = blocksOf(example, teaching, options, at)
      return blocks !== undefined && namesIn(blocks, options).every((name) => names.has(name))
        ? [{ example, blocks }]
        : []
    })
    return fitting.slice(0, 1)
  })
  return { teaching, forms, examples }
}

/** Undefined when the syntax cannot say all of it. */
function blocksOf(
  { calls }: WorkedExample,
  teaching: Teaching,
  options: LessonOptions,
  row: number,
): string | undefined {
  const written = calls.flatMap((call, at) => {
    const rendered = teaching.write(placed(call, teaching, options), ids[row * 2 + at] ?? 'abc')
    return 'text' in rendered ? [rendered.text] : []
  })
  return written.length === calls.length ? written.join('\n\n') : undefined
}

/** As random as a model should make them; two for each row. */
const ids = ['k7m', 'x2q', 'd4v']

function placed(call: Call, { paths }: Teaching, { root, relativePaths }: LessonOptions): Call {
  const { path } = call.params
  if (path === undefined || paths === 'relative' || relativePaths) return call
  return { ...call, params: { ...call.params, path: under(root, path) } }
}

const under = (root: string, path: string): string => `${root.endsWith('/') ? root : `${root}/`}${path}`

const namesIn = (text: string, { syntax = 'sham', cslDelimiters }: LessonOptions): string[] =>
  findBlocks(new Source(text), { syntaxes: [syntax], cslDelimiters }).blocks.map(({ action }) => action)
