import type { ActionSpec, Param } from '../core/action.ts'

/** An action as the language's own `unified-design.yaml` describes it. */
export interface ToolDefinition {
  readonly type: string
  readonly description: string
  readonly aliases?: readonly string[]
  readonly accessibility: readonly string[]
  readonly output_display: string
  readonly primary_param?: string
  readonly parameters: Readonly<Record<string, ParameterDefinition>>
  readonly returns: Readonly<Record<string, string | { readonly type: 'array'; readonly items: string }>>
}

interface ParameterDefinition {
  readonly type: string
  readonly required: boolean
  readonly format?: string
  readonly values?: readonly string[]
  readonly default?: string | number | boolean
  readonly description: string
}

export const definitionsOf = (specs: readonly ActionSpec[]): Record<string, ToolDefinition> =>
  Object.fromEntries(specs.map((spec) => [spec.name, definitionOf(spec)]))

function definitionOf(spec: ActionSpec): ToolDefinition {
  return {
    type: spec.effect,
    description: spec.description,
    ...(spec.aliases.length === 0 ? {} : { aliases: spec.aliases }),
    accessibility: spec.access,
    output_display: spec.display,
    ...(spec.primary === undefined ? {} : { primary_param: spec.primary }),
    parameters: Object.fromEntries(Object.entries(spec.params).map(([name, param]) => [name, parameterOf(param)])),
    returns: { success: 'boolean', ...dataOf(spec.returns), 'error?': 'string' },
  }
}

const parameterOf = ({ type, required, format, values, default: value, description }: Param): ParameterDefinition => ({
  type,
  required,
  ...(format === undefined ? {} : { format }),
  ...(values === undefined ? {} : { values }),
  ...(value === undefined ? {} : { default: value }),
  description,
})

/** Every field is optional here, because a failure has none of them. */
function dataOf(returns: ActionSpec['returns']): ToolDefinition['returns'] {
  return Object.fromEntries(
    Object.entries(returns).map(([name, type]) =>
      name === '[]' ? ['data?', { type: 'array', items: type } as const] : [`${name.replace(/\?$/, '')}?`, type],
    ),
  )
}
