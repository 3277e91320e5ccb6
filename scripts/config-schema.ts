import { keyNames, type KeyName, keyOf } from '../packages/clada/src/config/keys.ts'
import { groups } from '../packages/clada/src/config/nested-config.ts'
import { fileDefault, yamlOf } from '../packages/clada/src/config/sample.ts'

/** For editors: the same table once more, as JSON schema. */
export function configSchema(): object {
  const properties: Record<string, object> = {}
  for (const name of keyNames.filter((one) => !one.includes('.'))) properties[name] = schemaOf(name)
  for (const [group, { short }] of Object.entries(groups)) {
    const names = keyNames.filter((one) => one.startsWith(`${group}.`))
    const whole = {
      type: ['object', 'null'],
      properties: Object.fromEntries(names.map((name) => [name.slice(group.length + 1), schemaOf(name)])),
      additionalProperties: false,
    }
    const plain = names.find((name) => name === `${group}.${short}`)
    properties[group] = plain === undefined ? whole : { anyOf: [schemaOf(plain), whole] }
  }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'clada.yml',
    description: 'What holds when clada works in a project.',
    type: 'object',
    properties,
    additionalProperties: false,
  }
}

function schemaOf(name: KeyName): object {
  const { kind, about, example } = keyOf(name)
  const value = fileDefault(name)
  const initial = kind.write === undefined ? value : kind.write(value)
  return {
    ...kind.schema(),
    description: about,
    markdownDescription: `${about}\n\nDefault: \`${yamlOf(name, value)}\`. Example: \`${example}\``,
    default: initial,
  }
}
