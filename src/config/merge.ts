import { isDeepStrictEqual } from 'node:util'
import { type Config, keyNames, type KeyName, keyOf, nested, type Values } from './keys.ts'
import type { ProjectFacts } from './narrowing.ts'
import type { Place } from './tree.ts'
import type { Given } from './validate.ts'

/** What holds for a key, who said so, and what was said and does not count. */
export interface Effective {
  readonly value: unknown
  readonly from: 'default' | Source
  readonly at?: Place
  /** What a file asks for beyond what it may. */
  readonly refused?: { readonly value: unknown; readonly at: Place; readonly by: Source }
}

export type Source = 'user' | 'project'
export type Merged = { readonly [name in KeyName]: Effective }

export interface FileGiven {
  readonly given: Given
  /** Otherwise it may only narrow. */
  readonly trusted: boolean
  readonly facts: ProjectFacts
}

/** Defaults, then the user's file, then the project's. */
export function merge(user?: FileGiven, project?: FileGiven): Merged {
  return Object.fromEntries(
    keyNames.map((name) => {
      const initial: Effective = { value: keyOf(name).default, from: 'default' }
      return [name, onTop(name, 'project', project, onTop(name, 'user', user, initial))]
    }),
  ) as Merged
}

function onTop(name: KeyName, by: Source, file: FileGiven | undefined, below: Effective): Effective {
  const { project: narrow, join = (given) => given, askedEach } = keyOf(name)
  const asked = file?.given[name]
  if (file === undefined || asked === undefined) return below
  const wanted = join(asked.value, below.value)
  const open = file.trusted && !(askedEach && by === 'project')
  const value = open ? wanted : narrow(wanted, below.value, file.facts)
  const whole = isDeepStrictEqual(value, wanted)
  const refused = whole ? {} : { refused: { value: asked.value, at: asked.at, by } }
  // What is not changed by a file does not come from it.
  if (!whole && isDeepStrictEqual(value, below.value)) return { ...below, ...refused }
  return { value, from: by, at: asked.at, ...refused }
}

export const configOf = (merged: Merged): Config =>
  nested(Object.fromEntries(keyNames.map((name) => [name, merged[name].value])) as Values)
