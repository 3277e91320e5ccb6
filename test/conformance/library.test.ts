import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type ActionDefinition,
  type ActionSchemas,
  type ShamBlockLike,
  transformToAction,
  TransformError,
  validateAction,
  validateShamBlock,
} from '../../packages/clada/src/index.ts'

interface Unit {
  function: string
  name: string
  args: [ShamBlockLike, ActionDefinition | null]
  expected?: unknown
  throws?: string
}

const read = (name: string): unknown => JSON.parse(fs.readFileSync(new URL(name, import.meta.url), 'utf8'))
const units = (read('./unit.json') as { cases: Unit[] }).cases
const named = (name: string): Unit[] => units.filter((unit) => unit.function === name)

describe('functions that earlier libraries had', () => {
  for (const { name, args, expected } of named('validateShamBlock')) {
    it(`validateShamBlock: ${name}`, () => {
      expect(validateShamBlock(...args)).toEqual(expected)
    })
  }

  for (const { name, args, expected, throws } of named('transformToAction')) {
    it(`transformToAction: ${name}`, () => {
      const [block, definition] = args
      if (definition === null) throw new Error('the case has no definition')
      const transform = (): unknown => transformToAction(block, definition)
      if (throws === undefined) expect(transform()).toEqual(expected)
      else expect(transform).toThrow(TransformError)
    })
  }
})

interface Validation {
  name: string
  input: [ShamBlockLike, ActionSchemas]
  expected: unknown
}

describe('validateAction', () => {
  for (const { name, input, expected } of (read('./validate-action.json') as { cases: Validation[] }).cases) {
    it(name, () => {
      expect(validateAction(...input)).toEqual(expected)
    })
  }

  it('says what is wrong with a schema', () => {
    const block = { id: 'abc', properties: { action: 'a', p: 'x' } }
    const schema = (type: string): ActionSchemas =>
      JSON.parse(`{"a":{"parameters":{"p":{"type":"${type}","required":true}}}}`)
    expect(validateAction(block, schema('date'))).toMatchObject({
      valid: false,
      error: { code: 'SCHEMA_ERROR', param: 'p' },
    })
    expect(validateAction(block, schema('enum'))).toMatchObject({
      valid: false,
      error: { code: 'SCHEMA_ERROR', param: 'p' },
    })
    expect(validateAction(block, JSON.parse('{"a":{}}'))).toMatchObject({
      valid: false,
      error: { code: 'SCHEMA_ERROR' },
    })
  })

  it('knows the actions of this library when no schemas are given', () => {
    const ok = { id: 'abc', properties: { action: 'write_file', path: '/a', content: '' } }
    expect(validateAction(ok)).toEqual({ valid: true, block: ok })
    const missing = { id: 'abc', properties: { action: 'file_write', path: '/a' } }
    expect(validateAction(missing)).toMatchObject({ valid: false, error: { code: 'MISSING_PARAM', param: 'content' } })
  })
})
