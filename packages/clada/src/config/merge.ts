import { withoutUndefined } from '@clada/reply/core/optional.ts'
import { isDeepStrictEqual } from 'node:util'
import { isInside } from '../core/paths.ts'
import { anchorPatterns } from '../policy/glob.ts'
import { type KeyName, keyNames, keyOf, type KeyValues } from './keys.ts'
import { type Config, groups, nestValues } from './nested-config.ts'
import { type YamlEntry, type ConfigError, orMeant, type YamlPosition, quoteValue, type YamlNode } from './kinds.ts'
import { isOpenPart, type ProjectFacts } from './narrowing.ts'
import type { CladaOptions } from './settings.ts'
import { findClosestName } from '@clada/reply/text/closest-name.ts'

/** The effective value of a key, its source, and the values that are ignored. */
export interface Effective {
  readonly value: unknown
  readonly from: 'default' | ConfigSource
  readonly at?: YamlPosition
  /** What a file asks for beyond what it may. */
  readonly refused?: { readonly value: unknown; readonly at: YamlPosition; readonly by: ConfigSource }
}

/** Files of the user and of the project, and settings of an editor. */
export type ConfigSource = 'user' | 'editor' | 'project' | 'workspace'
export type MergedConfig = { readonly [name in KeyName]: Effective }

export interface FileGiven {
  readonly given: GivenKeys
  /** Otherwise it may only narrow. */
  readonly trusted: boolean
  readonly facts: ProjectFacts
}

/** Defaults, then the user's file and settings, then the project's. */
export function merge(user?: FileGiven, project?: FileGiven, editor?: MergedEditor): MergedConfig {
  const byFile = eachKey((name) => putOnTop(name, 'user', user, { value: keyOf(name).default, from: 'default' }))
  const own = eachKey((name) => putOnTop(name, 'editor', editor?.user, byFile[name]))
  const byProject = eachKey((name) => putOnTop(name, 'project', project, own[name]))
  const merged = eachKey((name) => putOnTop(name, 'workspace', editor?.workspace, byProject[name]))
  if (project === undefined || project.trusted) return merged
  return { ...merged, denied_patterns: stillBlocked(merged, own, project), allowed_roots: stillOpen(merged, project) }
}

/** Settings of the user and of the workspace that an editor has open. */
export interface MergedEditor {
  readonly user: FileGiven
  readonly workspace: FileGiven
}

const eachKey = (make: (name: KeyName) => Effective): MergedConfig =>
  Object.fromEntries(keyNames.map((name) => [name, make(name)])) as MergedConfig

/** A root of the user's inside the project was blocked by its name; it must stay so when the project's own moves. */
function stillOpen({ root, allowed_roots: roots }: MergedConfig, { facts }: FileGiven): Effective {
  if (root.from !== 'project') return roots
  const dirs = roots.value as readonly string[]
  return { ...roots, value: dirs.filter((dir) => !isInside(dir, facts.dir) || isOpenPart(dir, [facts.dir], facts)) }
}

/** What the user blocks below a root stays blocked when the project moves that root. */
function stillBlocked(merged: MergedConfig, own: MergedConfig, { facts }: FileGiven): Effective {
  const { denied_patterns: denied, root, allowed_roots: roots } = merged
  if (root.from !== 'project' && roots.from !== 'project') return denied
  const bases = [facts.dir, ...(own.allowed_roots.value as readonly string[])]
  return { ...denied, value: anchorPatterns(denied.value as readonly string[], bases) }
}

function putOnTop(name: KeyName, by: ConfigSource, file: FileGiven | undefined, below: Effective): Effective {
  const { project: narrow, join = (given) => given, askedEach } = keyOf(name)
  const asked = file?.given[name]
  if (file === undefined || asked === undefined) return below
  const wanted = join(asked.value, below.value)
  const open = file.trusted && !(askedEach === true && by === 'project')
  const value = open ? wanted : narrow(wanted, below.value, file.facts)
  const whole = isDeepStrictEqual(value, wanted)
  const refused = whole ? {} : { refused: { value: asked.value, at: asked.at, by } }
  // What is not changed by a file does not come from it.
  if (!whole && isDeepStrictEqual(value, below.value)) return { ...below, ...refused }
  return { value, from: by, at: asked.at, ...refused }
}

export const configOf = (merged: MergedConfig): Config =>
  nestValues(Object.fromEntries(keyNames.map((name) => [name, merged[name].value])) as KeyValues)

/** The options of a run that keys with these values set. */
export function optionsOf(values: Iterable<readonly [name: KeyName, value: unknown]>): CladaOptions {
  let options: CladaOptions = {}
  for (const [name, value] of values) {
    const { to } = keyOf(name)
    const { limits, hooks, ...others } = typeof to === 'string' ? {} : to(value)
    options = {
      ...options,
      ...others,
      limits: limits ? { ...options.limits, ...limits } : options.limits,
      hooks: hooks ? { ...options.hooks, ...hooks } : options.hooks,
    }
  }
  return withoutUndefined(options)
}

/** What one file expected, and where. */
export type GivenKeys = { readonly [name in KeyName]?: GivenValue }

export interface GivenValue {
  readonly value: unknown
  readonly at: YamlPosition
}

/** Every error of the file at once, not one after the other. */
export function validate(tree: YamlNode): { readonly given: GivenKeys; readonly errors: readonly ConfigError[] } {
  const given: { [name in KeyName]?: GivenValue } = {}
  const errors: ConfigError[] = []
  const take = (name: KeyName, { at, value }: YamlEntry): void => {
    const read = keyOf(name).kind.read(value, (where, message) =>
      errors.push({ at: where, message: `${name} ${message}` }),
    )
    if (read !== undefined) given[name] = { value: read, at }
  }
  for (const entry of yamlEntries(tree, 'A config', errors)) {
    if (errors.length >= mostErrors) break
    const group = Object.hasOwn(groups, entry.name) ? groups[entry.name] : undefined
    if (group === undefined) {
      const name = keyNames.find((one) => one === entry.name)
      if (name === undefined) errors.push({ at: entry.at, message: unknownKey(entry.name, '') })
      else take(name, entry)
      continue
    }
    if (group.short !== undefined && entry.value.kind === 'scalar' && entry.value.value !== null) {
      const name = keyNames.find((one) => one === `${entry.name}.${group.short}`)
      if (name !== undefined) take(name, entry)
      continue
    }
    for (const inner of yamlEntries(entry.value, entry.name, errors).slice(0, mostErrors)) {
      const name = keyNames.find((one) => one === `${entry.name}.${inner.name}`)
      if (name === undefined) errors.push({ at: inner.at, message: unknownKey(inner.name, `${entry.name}.`) })
      else take(name, inner)
    }
  }
  return { given, errors }
}

/** The nearest name is looked for each of them, which takes time. */
const mostErrors = 100

/** An empty file, and a key with all that is below it commented out, say nothing. */
function yamlEntries(tree: YamlNode, name: string, errors: ConfigError[]): readonly YamlEntry[] {
  if (tree.kind === 'map') return tree.entries
  if (tree.kind !== 'broken' && (tree.kind !== 'scalar' || tree.value !== null)) {
    errors.push({ at: tree.at, message: `${name} must be a map of keys, such as ${exampleOf(name)}.` })
  }
  return []
}

const exampleOf = (name: string): string => {
  const inner = keyNames.find((one) => one.startsWith(`${name}.`))
  return inner === undefined ? "'version: 1'" : `'${inner.slice(name.length + 1)}: ${keyOf(inner).example}'`
}

/** The nearest key at this level, or one with this name somewhere else. */
function unknownKey(name: string, within: string): string {
  const instead = Object.hasOwn(formerKeys, name) ? formerKeys[name] : undefined
  if (instead !== undefined) return `Unknown key ${quoteValue(`${within}${name}`)}. ${instead}`
  const level = within === '' ? [...new Set(keyNames.map((one) => one.split('.')[0] ?? ''))] : keysBelow(within)
  const inner = (one: string): string => one.slice(one.indexOf('.') + 1)
  const far = findClosestName(name, keyNames.map(inner))
  const close = findClosestName(name, level) ?? keyNames.find((one) => inner(one) === far)
  const known = close === undefined ? ` Known: ${level.join(', ')}.` : orMeant(close)
  return `Unknown key ${quoteValue(`${within}${name}`)}.${known}`
}

/** The keys of `unified-design.yaml`, and what has taken their place. */
const formerKeys: Readonly<Record<string, string>> = {
  security:
    'Use allowed_roots and denied_patterns at the top of the file; paths are always resolved before they are checked.',
  path_validation: 'Use allowed_roots and denied_patterns at the top of the file.',
  blacklist_patterns: 'Use denied_patterns, with globs instead of regular expressions.',
  canonicalization: 'Leave it out: paths are always resolved before they are checked.',
  config:
    'Use limits.file_bytes for max_file_size and git.commit_message_format for commit_message_format; leave out line_endings, which are always kept, encoding, which is UTF-8, and git_auto_push: nothing is ever pushed.',
  line_endings: 'Leave it out: line endings are always kept.',
  max_file_size: 'Use limits.file_bytes.',
  git_auto_push: 'Leave it out: nothing is ever pushed.',
  commit_message_format: 'Use git.commit_message_format.',
  transaction_model: 'Use git.mode; files that others change during a run are always detected.',
  tools: 'Use allowed_actions to choose actions; their definitions are shown by clada tools --format yaml.',
}

const keysBelow = (within: string): string[] =>
  keyNames.filter((one) => one.startsWith(within)).map((one) => one.slice(within.length))
