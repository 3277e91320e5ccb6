import { type KeyName, keyNames, keyOf } from './keys.ts'
import { type GivenKeys, validate } from './merge.ts'
import { yamlTree } from './yaml-tree.ts'

/** Settings of an editor, by the names of keys. */
export interface EditorSettings {
  /** Of the user or the machine. */
  readonly user: Readonly<Record<string, unknown>>
  /** Of a workspace: a model can write them, so they only narrow, also where the workspace is trusted. */
  readonly workspace: Readonly<Record<string, unknown>>
}

/** What only a terminal, or a listener, has a use for. */
const elsewhere: ReadonlySet<unknown> = new Set(['loading', 'listener', 'clipboard'])
const ofTerminals: ReadonlySet<KeyName> = new Set<KeyName>(['report.format', 'report.color', 'notify'])

/** Keys that are settings of editors, too. */
export const editorKeys: readonly KeyName[] = keyNames.filter(
  (name) => !elsewhere.has(keyOf(name).to) && !ofTerminals.has(name),
)

/** The values of settings, and what is wrong with some of them. */
export function givenBySettings(values: EditorSettings['user']): {
  readonly given: GivenKeys
  readonly errors: string[]
} {
  const nested: Record<string, unknown> = {}
  for (const name of editorKeys) {
    const [group = '', inner] = name.split('.')
    if (!Object.hasOwn(values, name)) continue
    if (inner === undefined) nested[group] = values[name]
    else nested[group] = { ...(nested[group] as object | undefined), [inner]: values[name] }
  }
  // Every JSON text is YAML.
  const { tree, errors: broken } = yamlTree(JSON.stringify(nested))
  const { given, errors } = validate(tree)
  return { given, errors: [...broken, ...errors].map(({ message }) => message) }
}
