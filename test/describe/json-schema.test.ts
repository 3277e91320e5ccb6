import { describe, expect, it } from 'vitest'
import { convert } from '../../packages/clada/src/actions/decode.ts'
import { allActions } from '../../packages/clada/src/actions/registry.ts'
import { type InputSchema, toolOf, type ValueSchema } from '../../packages/clada/src/describe/json-schema.ts'

const actions = allActions()

for (const spec of actions) {
  describe(spec.name, () => {
    const { inputSchema, annotations } = toolOf(spec)

    it('accepts its own examples', () => {
      for (const { params } of spec.examples) expect(refusals(inputSchema, typed(params))).toEqual([])
    })

    it('refuses an example without a required parameter', () => {
      const [example] = spec.examples
      for (const missing of inputSchema.required) {
        const { [missing]: _, ...rest } = typed(example?.params ?? {})
        expect(refusals(inputSchema, rest)).toEqual([`${missing} is missing`])
      }
    })

    it('refuses a parameter it does not know, and values of another type', () => {
      expect(refusals(inputSchema, { ...typed(spec.examples[0]?.params ?? {}), unheard_of: 'x' })).toEqual([
        'unheard_of is not known',
      ])
      for (const name of Object.keys(inputSchema.properties)) {
        expect(refusals(inputSchema, { ...typed(spec.examples[0]?.params ?? {}), [name]: null })).toEqual([
          `${name} does not fit`,
        ])
      }
    })

    it('has defaults that fit', () => {
      for (const schema of Object.values(inputSchema.properties)) {
        if (schema.default !== undefined) expect(fits(schema, schema.default)).toBe(true)
      }
    })

    it('changes nothing if it says so', () => {
      expect(annotations.readOnlyHint).toBe(spec.effect === 'read' || spec.hints?.reads === true)
      if (annotations.readOnlyHint) expect(annotations.destructiveHint).toBe(false)
    })

    /** Examples are texts, as in a block; a client of the schema sends values. */
    function typed(params: Readonly<Record<string, string>>): Record<string, unknown> {
      return Object.fromEntries(
        Object.entries(params).map(([name, raw]) => {
          const param = spec.params[name]
          const converted = param && convert(raw, param)
          return [name, converted?.ok ? converted.value : raw]
        }),
      )
    }
  })
}

/** JSON Schema, as far as these schemas go; a keyword that is not looked at here is an error. */
function refusals(schema: InputSchema, value: Readonly<Record<string, unknown>>): string[] {
  const { type, properties, required, additionalProperties, ...unread } = schema
  expect({ type, additionalProperties, unread }).toEqual({ type: 'object', additionalProperties: false, unread: {} })
  return [
    ...required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${name} is missing`),
    ...Object.entries(value).flatMap(([name, item]) => {
      const param = properties[name]
      if (param === undefined) return [`${name} is not known`]
      return fits(param, item) ? [] : [`${name} does not fit`]
    }),
  ]
}

function fits(schema: ValueSchema, value: unknown): boolean {
  const known = ['type', 'anyOf', 'minimum', 'enum', 'default', 'description', 'items']
  expect(known).toEqual(expect.arrayContaining(Object.keys(schema)))
  if ('anyOf' in schema) return schema.anyOf.some((one) => fits(one, value))
  switch (schema.type) {
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) && value >= (schema.minimum ?? -Infinity)
    case 'boolean':
      return typeof value === 'boolean'
    case 'string':
      return typeof value === 'string' && (schema.enum?.includes(value) ?? true)
    case 'array':
      // Blocks and examples write such a list as text.
      return Array.isArray(value) || typeof value === 'string'
  }
}
