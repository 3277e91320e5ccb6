import { closestName } from '../text/closest-name.ts'
import { groups, type KeyName, keyNames, keyOf } from './keys.ts'
import { type Entry, type Fault, meant, type Place, shown, type Tree } from './kinds.ts'

/** What one file says, and where. */
export type Given = { readonly [name in KeyName]?: GivenValue }

export interface GivenValue {
  readonly value: unknown
  readonly at: Place
}

/** Every fault of the file at once, not one after the other. */
export function validate(tree: Tree): { readonly given: Given; readonly faults: readonly Fault[] } {
  const given: { [name in KeyName]?: GivenValue } = {}
  const faults: Fault[] = []
  const take = (name: KeyName, { at, value }: Entry): void => {
    const read = keyOf(name).kind.read(value, (where, message) =>
      faults.push({ at: where, message: `${name} ${message}` }),
    )
    if (read !== undefined) given[name] = { value: read, at }
  }
  for (const entry of entriesOf(tree, 'A config', faults)) {
    if (faults.length >= mostFaults) break
    const group = Object.hasOwn(groups, entry.name) ? groups[entry.name] : undefined
    if (group === undefined) {
      const name = keyNames.find((one) => one === entry.name)
      if (name === undefined) faults.push({ at: entry.at, message: unknownKey(entry.name, '') })
      else take(name, entry)
      continue
    }
    if (group.short !== undefined && entry.value.kind === 'scalar' && entry.value.value !== null) {
      const name = keyNames.find((one) => one === `${entry.name}.${group.short}`)
      if (name !== undefined) take(name, entry)
      continue
    }
    for (const inner of entriesOf(entry.value, entry.name, faults).slice(0, mostFaults)) {
      const name = keyNames.find((one) => one === `${entry.name}.${inner.name}`)
      if (name === undefined) faults.push({ at: inner.at, message: unknownKey(inner.name, `${entry.name}.`) })
      else take(name, inner)
    }
  }
  return { given, faults }
}

/** For each of them the nearest name is looked for, and nobody reads on for longer. */
const mostFaults = 100

/** An empty file, and a key with all that is below it commented out, say nothing. */
function entriesOf(tree: Tree, name: string, faults: Fault[]): readonly Entry[] {
  if (tree.kind === 'map') return tree.entries
  if (tree.kind !== 'broken' && (tree.kind !== 'scalar' || tree.value !== null)) {
    faults.push({ at: tree.at, message: `${name} must be a map of keys, such as ${exampleOf(name)}.` })
  }
  return []
}

const exampleOf = (name: string): string => {
  const inner = keyNames.find((one) => one.startsWith(`${name}.`))
  return inner === undefined ? "'version: 1'" : `'${inner.slice(name.length + 1)}: ${keyOf(inner).example}'`
}

/** The nearest key at this level, or one with this name somewhere else. */
function unknownKey(name: string, within: string): string {
  const level = within === '' ? [...new Set(keyNames.map((one) => one.split('.')[0] ?? ''))] : namesIn(within)
  const inner = (one: string): string => one.slice(one.indexOf('.') + 1)
  const far = closestName(name, keyNames.map(inner))
  const close = closestName(name, level) ?? keyNames.find((one) => inner(one) === far)
  const known = close === undefined ? ` Known: ${level.join(', ')}.` : meant(close)
  return `Unknown key ${shown(`${within}${name}`)}.${known}`
}

const namesIn = (within: string): string[] =>
  keyNames.filter((one) => one.startsWith(within)).map((one) => one.slice(within.length))
