import { isDeepStrictEqual } from 'node:util'
import { isInside } from '../core/paths.ts'
import { anchored } from '../policy/anchored.ts'
import { type Config, type KeyName, keyNames, keyOf, nested, type Values } from './keys.ts'
import type { Place } from './kinds.ts'
import { isOpenPart, type ProjectFacts } from './narrowing.ts'
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
  const own = eachKey((name) => onTop(name, 'user', user, { value: keyOf(name).default, from: 'default' }))
  const merged = eachKey((name) => onTop(name, 'project', project, own[name]))
  if (project === undefined || project.trusted) return merged
  return { ...merged, denied_patterns: stillClosed(merged, own, project), allowed_roots: stillOpen(merged, project) }
}

const eachKey = (make: (name: KeyName) => Effective): Merged =>
  Object.fromEntries(keyNames.map((name) => [name, make(name)])) as Merged

/** A root of the user's inside the project was closed by its name; it must not open because the project's own moves. */
function stillOpen({ root, allowed_roots: roots }: Merged, { facts }: FileGiven): Effective {
  if (root.from !== 'project') return roots
  const dirs = roots.value as readonly string[]
  return { ...roots, value: dirs.filter((dir) => !isInside(dir, facts.dir) || isOpenPart(dir, [facts.dir], facts)) }
}

/** What the user closes below a root stays closed when the project moves that root. */
function stillClosed(merged: Merged, own: Merged, { facts }: FileGiven): Effective {
  const { denied_patterns: denied, root, allowed_roots: roots } = merged
  if (root.from !== 'project' && roots.from !== 'project') return denied
  const bases = [facts.dir, ...(own.allowed_roots.value as readonly string[])]
  return { ...denied, value: anchored(denied.value as readonly string[], bases) }
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
