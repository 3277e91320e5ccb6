import type { ActionSpec } from '../core/action.ts'
import { decide } from '../policy/decide.ts'

export interface Allowed {
  /** Null or missing allows every action that a model may call. */
  readonly allowedActions?: readonly string[] | null | undefined
  readonly exec?: 'sandbox' | 'unsandboxed' | 'off' | undefined
}

/** The actions that a model may call where this is allowed. */
export const callable = (specs: readonly ActionSpec[], { allowedActions = null, exec }: Allowed): ActionSpec[] =>
  specs.filter(
    (spec) =>
      decide(spec, spec.name, { origin: 'document', allowedActions }).verdict === 'allow' &&
      !(spec.name === 'exec' && exec === 'off'),
  )

export interface ActionGroup {
  readonly title: string
  readonly specs: readonly ActionSpec[]
}

/** Actions under the headings they are shown under. Names and effects decide, so that a new action finds its place. */
export function groupsOf(specs: readonly ActionSpec[]): ActionGroup[] {
  const titleOf = (spec: ActionSpec): string => headings.find(({ holds }) => holds(spec))?.title ?? other
  return [...headings.map(({ title }) => title), other]
    .map((title) => ({ title, specs: specs.filter((spec) => titleOf(spec) === title) }))
    .filter((group) => group.specs.length > 0)
}

const other = 'Other'

const headings: readonly { readonly title: string; readonly holds: (spec: ActionSpec) => boolean }[] = [
  { title: 'Files', holds: ({ name }) => /^files?_/.test(name) },
  { title: 'Structures', holds: ({ name }) => /_structures?(_|$)/.test(name) },
  { title: 'Directories', holds: ({ name }) => /^(dir_|ls$)/.test(name) },
  { title: 'Search', holds: ({ name }) => /^(grep|glob|project_map)$/.test(name) },
  { title: 'Commands', holds: ({ effect }) => effect === 'exec' },
  { title: 'Context', holds: ({ effect }) => effect === 'meta' },
  { title: 'History', holds: ({ effect }) => effect === 'git' },
]

export const firstSentence = (text: string): string => /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
