import type { ActionSpec, Param } from '../core/action.ts'

/** An action as MCP lists a tool. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: InputSchema
  readonly annotations: ToolAnnotations
}

/** JSON Schema 2020-12, which MCP assumes. It does not name its dialect: validators of older drafts refuse what they can read. */
export interface InputSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, ParamSchema>>
  readonly required: readonly string[]
  readonly additionalProperties: false
}

type ParamSchema = ValueSchema & {
  readonly description: string
  readonly default?: string | number | boolean
}

export type ValueSchema =
  | { readonly type: 'string'; readonly enum?: readonly string[] }
  | { readonly type: 'integer'; readonly minimum?: number }
  | { readonly type: 'boolean' }
  | { readonly anyOf: readonly ValueSchema[] }
  | {
      readonly type: 'array'
      readonly items: {
        readonly type: 'object'
        readonly properties: Readonly<Record<string, ValueSchema>>
        readonly required: readonly string[]
      }
    }

interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** The part of a definition that a tool is made of. */
export type Describable = Pick<ActionSpec, 'name' | 'description' | 'params' | 'effect' | 'hints'>

/** `relative`: a path may also be relative to the root. */
export type PathStyle = 'absolute' | 'relative'

export const toolsOf = (specs: readonly Describable[]): Tool[] => specs.map((spec) => toolOf(spec))

export function toolOf(spec: Describable, paths: PathStyle = 'absolute'): Tool {
  const params = Object.entries(spec.params)
  return {
    name: spec.name,
    description: spec.description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(params.map(([name, param]) => [name, schemaOf(param, paths)])),
      required: params.filter(([, { required, unless }]) => required && unless === undefined).map(([name]) => name),
      additionalProperties: false,
    },
    annotations: annotationsOf(spec),
  }
}

function schemaOf(param: Param, paths: PathStyle): ParamSchema {
  const note = param.format === undefined ? undefined : formatNotes[paths][param.format]
  return {
    ...valueSchemaOf(param),
    ...(param.default === undefined ? {} : { default: param.default }),
    description: note === undefined ? param.description : `${param.description} ${note}`,
  }
}

/** In words, because a validator may refuse a `format` it does not know. `lines` is said in each description. */
const formatNotes: Readonly<Record<PathStyle, Readonly<Partial<Record<NonNullable<Param['format']>, string>>>>> = {
  absolute: { absolute_path: 'An absolute path.', multiline_absolute_paths: 'Absolute paths.' },
  relative: {
    absolute_path: 'Absolute, or relative to the root.',
    multiline_absolute_paths: 'Absolute, or relative to the root.',
  },
}

function valueSchemaOf({ type, values, format }: Param): ValueSchema {
  if (format === 'edits') {
    const properties = { old_text: { type: 'string' }, new_text: { type: 'string' } } as const
    return { type: 'array', items: { type: 'object', properties, required: Object.keys(properties) } }
  }
  switch (type) {
    case 'string':
    case 'integer':
    case 'boolean':
      return { type }
    case 'enum':
      return { type: 'string', ...(values === undefined ? {} : { enum: values }) }
    case 'count':
      return {
        anyOf: [
          { type: 'integer', minimum: 1 },
          { type: 'string', enum: ['all'] },
        ],
      }
  }
}

/** Where a definition does not say, the worse is assumed: a client asks once too often rather than once too seldom. */
function annotationsOf({ effect, hints = {} }: Describable): ToolAnnotations {
  return {
    readOnlyHint: effect === 'read' || hints.reads === true,
    destructiveHint: effect !== 'read' && effect !== 'meta' && hints.adds === undefined,
    idempotentHint: effect === 'read' || hints.idempotent === true,
    // Programs may reach out; everything else stays in the project.
    openWorldHint: effect === 'exec',
  }
}
