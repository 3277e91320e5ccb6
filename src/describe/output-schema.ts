import type { ActionSpec } from '../core/action.ts'

/** What a call answers, as JSON Schema. A definition says in words what `data` holds, so the schema does too. */
export interface OutputSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, { readonly type?: string; readonly description?: string }>>
  readonly required: readonly string[]
}

export const outputSchemaOf = ({ returns }: Pick<ActionSpec, 'returns'>): OutputSchema => ({
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    data: { description: dataIn(returns) },
    error: { type: 'string' },
    code: { type: 'string' },
  },
  required: ['success'],
})

function dataIn(returns: ActionSpec['returns']): string {
  const fields = Object.entries(returns)
  const [first] = fields
  if (first?.[0] === '[]') return `A list of ${first[1]}`
  return fields.map(([name, type]) => `${name}: ${type}`).join('; ')
}
