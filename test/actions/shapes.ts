import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { registry } from '../../packages/clada/src/actions/registry.ts'
import type { ActionResult } from '../../packages/clada/src/core/result.ts'
import { type ShapeSchema, shapeSchema } from '../../packages/clada/src/core/shape.ts'

const ajv = new Ajv2020({ strict: true })
const compiled = new Map<string, ValidateFunction>()

/** Holds the data of results against the shapes of their definitions; a field that a shape does not name is an error. */
export function expectShapes(results: readonly ActionResult[]): void {
  for (const { action, data, details } of results) {
    const spec = registry.get(action)
    // A block that already ran is skipped without data.
    if (spec === undefined || data === undefined || details?.already_done !== undefined) continue
    const validate = compiled.get(spec.name) ?? ajv.compile(closed(shapeSchema(spec.returns)))
    compiled.set(spec.name, validate)
    validate(JSON.parse(JSON.stringify(data)))
    expect({ action, data, errors: validate.errors }).toEqual({ action, data, errors: null })
  }
}

function closed(schema: ShapeSchema): object {
  if ('items' in schema) return { ...schema, items: closed(schema.items) }
  if (!('properties' in schema)) return schema
  const properties = Object.entries(schema.properties).map(([name, of]) => [name, closed(of)] as const)
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: false }
}
