import type { ActionSpec } from '../core/action.ts'

export interface Group {
  readonly title: string
  readonly specs: readonly ActionSpec[]
}

/** Actions under the headings they are shown under. Names and effects decide, so that a new action finds its place. */
export function groupsOf(specs: readonly ActionSpec[]): Group[] {
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
  { title: 'Search', holds: ({ name }) => /^(grep|glob)$/.test(name) },
  { title: 'Commands', holds: ({ effect }) => effect === 'exec' },
  { title: 'Context', holds: ({ effect }) => effect === 'meta' },
  { title: 'History', holds: ({ effect }) => effect === 'git' },
]
