import { type ActionSpec, isLacking } from '../core/action.ts'
import { registry } from './registry.ts'
import { isAbsolutePath } from '../core/paths.ts'
import { convert } from './decode.ts'

/** A block as the functions here take it. */
export interface ShamBlockLike {
  readonly id: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly startLine?: number
  readonly endLine?: number | null
}

/** Definitions by the names of actions. */
export interface ActionSchemas {
  readonly [actionName: string]: {
    readonly parameters: {
      readonly [paramName: string]: {
        readonly type: 'string' | 'integer' | 'boolean' | 'enum'
        readonly required: boolean
        readonly values?: readonly string[]
      }
    }
  }
}

/** The first error in a block. */
export interface ValidationError {
  code: 'UNKNOWN_ACTION' | 'MISSING_PARAM' | 'INVALID_TYPE' | 'SCHEMA_ERROR'
  action?: string
  param?: string
  expected?: string
  actual?: string
  availableActions?: string[]
  message: string
}

/** The result of `validateAction`. */
export type ActionValidation<B = ShamBlockLike> = { valid: true; block: B } | { valid: false; error: ValidationError }

/**
 * Checks a block of typed values against schemas and stops at the first error. Types are not converted, null
 * counts as missing, and parameters that the schema does not know pass. Without schemas, clada's own are used.
 */
export function validateAction<B extends ShamBlockLike>(
  block: B,
  schemas: ActionSchemas = ownSchemas(),
): ActionValidation<B> {
  const refuse = (error: ValidationError): ActionValidation<B> => ({ valid: false, error })
  const properties = Object(block?.properties ?? {})
  const action = properties.action
  if (typeof schemas !== 'object' || schemas === null)
    return refuse({ code: 'SCHEMA_ERROR', message: 'Schemas must be an object' })
  const schema = typeof action === 'string' && Object.hasOwn(schemas, action) ? schemas[action] : undefined
  if (schema === undefined) {
    const availableActions = Object.keys(schemas)
    const message = `Unknown action '${action}'. Available actions: ${availableActions.join(', ')}`
    return refuse({ code: 'UNKNOWN_ACTION', action, availableActions, message })
  }
  if (typeof schema.parameters !== 'object' || schema.parameters === null) {
    return refuse({ code: 'SCHEMA_ERROR', action, message: `Schema of action '${action}' has no parameters` })
  }
  const parameters = Object.entries(schema.parameters)
  const missing = parameters.find(([name, { required }]) => required && isMissing(properties[name]))
  if (missing !== undefined) {
    const [param] = missing
    return refuse({
      code: 'MISSING_PARAM',
      action,
      param,
      message: `Missing required parameter '${param}' for action '${action}'`,
    })
  }
  for (const [param, { type, values }] of parameters) {
    const value = properties[param]
    if (isMissing(value)) continue
    const wrong = mistyped(action, param, type, values, value)
    if (wrong !== undefined) return refuse(wrong)
  }
  return { valid: true, block }
}

const isMissing = (value: unknown): boolean => value === undefined || value === null

function mistyped(
  action: string,
  param: string,
  type: string,
  values: readonly string[] | undefined,
  value: unknown,
): ValidationError | undefined {
  const named = { code: 'INVALID_TYPE', action, param } as const
  if (type === 'enum') {
    if (!Array.isArray(values)) {
      return {
        code: 'SCHEMA_ERROR',
        action,
        param,
        message: `Enum parameter '${param}' of action '${action}' lists no values`,
      }
    }
    if (values.includes(value)) return undefined
    const list = values.join(',')
    const message = `Invalid value for parameter '${param}' in action '${action}': expected one of [${list}], got '${value}'`
    return { ...named, expected: `enum[${list}]`, actual: String(value), message }
  }
  const fits = {
    string: typeof value === 'string',
    integer: Number.isInteger(value),
    boolean: typeof value === 'boolean',
  }
  if (!Object.hasOwn(fits, type)) {
    return {
      code: 'SCHEMA_ERROR',
      action,
      param,
      message: `Unknown type '${type}' of parameter '${param}' in action '${action}'`,
    }
  }
  if (fits[type as keyof typeof fits]) return undefined
  const message = `Invalid type for parameter '${param}' in action '${action}': expected ${type}, got ${typeof value}`
  return { ...named, expected: type, actual: typeof value, message }
}

/** A count may also be the word `all`, for which these types have no name. */
function ownSchemas(): ActionSchemas {
  const schemaOf = ({ params }: ActionSpec): ActionSchemas[string] => ({
    parameters: Object.fromEntries(
      Object.entries(params).map(([name, { type, required, unless, values }]) => [
        name,
        {
          type: type === 'count' ? 'integer' : type,
          required: required && unless === undefined,
          ...(values === undefined ? {} : { values }),
        },
      ]),
    ),
  })
  return Object.fromEntries([...registry.entries()].map(([name, spec]) => [name, schemaOf(spec)]))
}

/** An action's definition in the shape of the language's own `unified-design.yaml`. */
export interface ActionDefinition {
  readonly type?: string
  readonly description?: string
  readonly parameters: Readonly<Record<string, ParameterDef>>
  readonly returns?: unknown
}

/** The definition of one parameter. */
export interface ParameterDef {
  readonly type: string
  readonly required?: boolean
  /** The parameter that takes its place: with that one given, this one is not needed. */
  readonly unless?: string
  readonly format?: string
  readonly values?: readonly string[]
  readonly default?: unknown
}

/** A block with typed parameters. */
export interface CladaAction {
  action: string
  parameters: Record<string, unknown>
  metadata: { blockId: string; startLine: number; endLine: number }
}

/** A text that is not a value of its parameter. */
export class TransformError extends Error {
  readonly parameterName: string
  readonly expectedType: string
  readonly actualValue: string

  constructor(message: string, parameterName: string, expectedType: string, actualValue: string) {
    super(message)
    this.name = 'TransformError'
    this.parameterName = parameterName
    this.expectedType = expectedType
    this.actualValue = actualValue
  }
}

/** A definition in either shape: that of `unified-design.yaml`, or one of `actions`. */
export type AnyDefinition = ActionDefinition | Pick<ActionSpec, 'params'>

const paramsOf = (definition: AnyDefinition): Readonly<Record<string, ParameterDef>> =>
  'params' in definition ? definition.params : definition.parameters

/** A block's texts as the types of a definition, with its defaults. Parameters the definition does not know are dropped. */
export function transformToAction(block: ShamBlockLike, definition: AnyDefinition): CladaAction {
  const parameters: Record<string, unknown> = {}
  for (const [name, param] of Object.entries(paramsOf(definition))) {
    const raw = block.properties[name]
    if (raw === undefined) {
      if (param.default !== undefined) parameters[name] = param.default
      continue
    }
    const converted = convert(raw, param)
    if (!converted.ok) throw new TransformError(converted.message, name, param.type, String(raw))
    if (param.format === 'absolute_path' && !isAbsolutePath(String(raw))) {
      throw new TransformError(`Invalid absolute path: ${String(raw)}`, name, 'absolute_path', String(raw))
    }
    parameters[name] = converted.value
  }
  const startLine = block.startLine ?? 1
  return {
    action: String(block.properties['action']),
    parameters,
    metadata: { blockId: block.id, startLine, endLine: block.endLine ?? startLine },
  }
}

/** The result of `validateShamBlock`. */
export interface ShamBlockValidation {
  valid: boolean
  actionType?: string
  errors?: string[]
}

/** Whether a block names an action and has what it needs; with every error. */
export function validateShamBlock(
  block: ShamBlockLike,
  definition: AnyDefinition | null | undefined,
): ShamBlockValidation {
  const refuse = (error: string): ShamBlockValidation => ({ valid: false, errors: [error] })
  if (typeof block?.properties !== 'object' || block.properties === null)
    return refuse('Block missing properties object')
  const { action } = block.properties
  if (typeof action !== 'string' || action === '') return refuse("Missing 'action' field in SHAM block")
  if (definition === null || definition === undefined) return refuse(`Unknown action: ${action}`)
  const missing = Object.entries(paramsOf(definition)).flatMap(([name, param]) =>
    isLacking(name, param, block.properties) ? [`Missing required parameter: ${name}`] : [],
  )
  return missing.length > 0 ? { valid: false, errors: missing } : { valid: true, actionType: action, errors: [] }
}
