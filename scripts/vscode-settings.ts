import { editorKeys } from '../packages/clada/src/config/editor-settings.ts'
import { type KeyName, keyOf } from '../packages/clada/src/config/keys.ts'
import { alwaysAllowed, onlyTrusted } from '../packages/clada/src/config/narrowing.ts'
import { fileDefault, yamlOf } from '../packages/clada/src/config/sample.ts'

interface Manifest {
  readonly contributes: { readonly configuration: { readonly properties: Readonly<Record<string, object>> } }
}

/** The manifest of the extension with the keys of `clada.yml` as settings, after its own. */
export function withSettings(manifest: string): string {
  const parsed: Manifest = JSON.parse(manifest)
  const { contributes } = parsed
  const { configuration } = contributes
  const generated = editorKeys.map((name) => [`clada.${name}`, settingOf(name)] as const)
  const names = new Set<string>(generated.map(([name]) => name))
  const own = Object.entries(configuration.properties).filter(([name]) => !names.has(name) && !isNested(name))
  const properties = Object.fromEntries([...own, ...generated])
  const whole = { ...parsed, contributes: { ...contributes, configuration: { ...configuration, properties } } }
  return `${JSON.stringify(whole, null, 2)}\n`
}

/** A key that was removed from the table, or renamed. */
const isNested = (name: string): boolean => /^clada\.[a-z_]+(\.|$)/.test(name)

function settingOf(name: KeyName): object {
  const { kind, about, example, project } = keyOf(name)
  const value = fileDefault(name)
  const narrows = project === onlyTrusted || project === alwaysAllowed ? '' : ' A workspace can only narrow it.'
  return {
    ...kind.schema(),
    markdownDescription: `${about}${narrows}\n\nDefault: \`${yamlOf(name, value)}\`. Example: \`${example}\``,
    default: kind.write === undefined ? value : kind.write(value),
    // What only the user may decide is no setting of a workspace at all.
    scope: project === onlyTrusted ? 'machine' : 'resource',
  }
}
