import { type Allowed, callable } from './actions.ts'
import type { ActionSpec, Param } from '../core/action.ts'
import { fieldsOf, type Shape, type ShapeSchema, shapeSchema } from '../core/shape.ts'

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

/** An action for a model that calls functions: the three fields that all of them have, whatever they call them. */
export interface ActionTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the parameters. Paths may be relative to the project. */
  readonly inputSchema: Tool['inputSchema']
}

/** The actions that a model may call, all or those that prompts teach and the caller's own. */
export function toolsFor(
  specs: readonly ActionSpec[],
  { include, own, ...allowed }: Allowed & { readonly include: 'everyday' | 'all'; readonly own: ReadonlySet<string> },
): ActionTool[] {
  return callable(specs, allowed)
    .filter(({ name, everyday }) => include === 'all' || everyday === true || own.has(name))
    .map((spec) => {
      const { name, description, inputSchema } = toolOf(spec, 'relative')
      return { name, description, inputSchema }
    })
}

/**
 * The result of an action as data, of success and of failure alike: `data` is what the definition says. It names no field
 * that is needed but `success`: a result that is too long for a message comes without the rest.
 */
export const outputSchemaOf = (returns: Shape): OutputSchema => ({
  type: 'object',
  properties: { success: { type: 'boolean' }, data: shapeSchema(returns), ...shapeProperties(resultShape) },
  required: ['success'],
})

export interface OutputSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, ShapeSchema>>
  readonly required: readonly string[]
}

const shapeProperties = (shape: Readonly<Record<string, Shape>>): Readonly<Record<string, ShapeSchema>> =>
  Object.fromEntries(fieldsOf(shape).map(({ name, shape: of }) => [name, shapeSchema(of)]))

const resultShape = {
  error: 'string: why it failed',
  code: 'string',
  details: 'any: what helps to repair it',
  warnings: ['string'],
  changes: [
    {
      path: 'string',
      change: 'create|modify|delete|move',
      'to?': 'string',
      added: 'integer: lines',
      removed: 'integer: lines',
      'lines?': ['string: ranges'],
    },
  ],
  gitCommit: 'string',
} as const

function schemaOf(param: Param, paths: PathStyle): ParamSchema {
  const note = param.format === undefined ? undefined : formatNotes[paths][param.format]
  return {
    ...valueSchemaOf(param),
    default: param.default,
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
      return { type: 'string', enum: values }
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
