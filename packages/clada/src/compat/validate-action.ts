import { type ActionSpec, isLacking } from '../core/action.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { allActions } from '../actions/registry.ts'
import { definitionsVersion } from '../describe/describe.ts'
import type { ActionDefinition, ParameterDef, ShamBlockLike } from './transform-to-action.ts'
import { unlessEmpty, withoutUndefined } from '@clada/reply/core/optional.ts'

/** Definitions by the names of actions. */
export interface ActionSchemas {
  readonly [actionName: string]: Pick<ActionDefinition, 'parameters'> | Pick<ActionSpec, 'params'>
}

/** What `clada tools --format yaml` prints: a version, and the definitions. */
export interface SchemaDocument {
  readonly version?: number
  readonly tools: ActionSchemas
}

/** The version of the schemas that `clada tools --format yaml` prints. */
export const schemaVersion: number = definitionsVersion

/** Settings of `validateAction`. */
export interface ValidateOptions {
  /** The version that the schemas must have, where they name one. Default: `schemaVersion`. */
  readonly version?: number
  /** Further checks, by the name of a type or of a format such as `absolute_path`. A type of this name is known then. */
  readonly validators?: Readonly<Record<string, CustomValidator>>
}

/** Returns nothing where the value is right, the reason where it is not, or a warning. */
export type CustomValidator = (value: unknown, definition: ParameterDef) => undefined | string | { warning: string }

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
export type ActionValidation<B = ShamBlockLike> =
  | { valid: true; block: B; warnings?: string[] }
  | { valid: false; error: ValidationError }

/**
 * Checks a block of typed values against schemas and stops at the first error. Types are not converted, null
 * counts as missing, and parameters that the schema does not know pass. Arrays and objects are checked deeply. Schemas
 * are definitions by name, a document with its version, or `actions`; without them clada's own are used.
 */
export function validateAction<B extends ShamBlockLike>(
  block: B,
  schemas: ActionSchemas | SchemaDocument | readonly ActionSpec[] = allActions(),
  { version = schemaVersion, validators = {} }: ValidateOptions = {},
): ActionValidation<B> {
  const refuse = (error: ValidationError): ActionValidation<B> => ({ valid: false, error })
  const properties: Readonly<Record<string, unknown>> = block?.properties ?? {}
  const action = String(properties['action'])
  const known = definitionsIn(schemas, version)
  if ('code' in known) return refuse(known)
  if (!known.has(action)) {
    const availableActions = [...known.keys()]
    const message = `Unknown action '${action}'. Available actions: ${availableActions.join(', ')}`
    return refuse({ code: 'UNKNOWN_ACTION', action, availableActions, message })
  }
  const parameters = known.get(action)
  if (!isRecord(parameters))
    return refuse({ code: 'SCHEMA_ERROR', action, message: `Schema of action '${action}' has no parameters` })
  const given = Object.fromEntries(Object.entries(properties).filter(([, value]) => !isAbsent(value)))
  for (const [param, definition] of Object.entries(parameters)) {
    if (!isLacking(param, definition, given)) continue
    const message = `Missing required parameter '${param}' for action '${action}'`
    return refuse({ code: 'MISSING_PARAM', action, param, message })
  }
  const check: ActionCheck = { action, validators, warnings: [] }
  for (const [param, definition] of Object.entries(parameters)) {
    const value = given[param]
    const wrong = value === undefined ? undefined : findTypeError(check, param, definition, value)
    if (wrong !== undefined) return refuse(wrong)
  }
  return withoutUndefined({ valid: true, block, warnings: unlessEmpty(check.warnings) })
}

type Schemas = ActionSchemas | SchemaDocument | readonly ActionSpec[]
type ParamDefinitions = Readonly<Record<string, ParameterDef>>

/** Callers may give anything: what is no definition has no parameters. */
function definitionsIn(
  schemas: Schemas,
  version: number,
): ReadonlyMap<string, ParamDefinitions | undefined> | ValidationError {
  if (isSpecList(schemas))
    return new Map(schemas.flatMap((spec) => [spec.name, ...spec.aliases].map((name) => [name, spec.params] as const)))
  if (!isRecord(schemas)) return { code: 'SCHEMA_ERROR', message: 'Schemas must be an object' }
  if (!isDocument(schemas)) return new Map(Object.entries(schemas).map(([name, one]) => [name, schemaParams(one)]))
  if (schemas.version === version || schemas.version === undefined) return definitionsIn(schemas.tools, version)
  return { code: 'SCHEMA_ERROR', message: `Schemas have version ${schemas.version}; expected version ${version}` }
}

const isSpecList = (schemas: Schemas): schemas is readonly ActionSpec[] => Array.isArray(schemas)

const isDocument = (schemas: ActionSchemas | SchemaDocument): schemas is SchemaDocument => {
  const tools: unknown = schemas['tools']
  return isRecord(tools) && !('parameters' in tools) && !('params' in tools)
}

const schemaParams = (definition: ActionSchemas[string]): ParamDefinitions | undefined =>
  !isRecord(definition) ? undefined : 'params' in definition ? definition.params : definition.parameters

const isAbsent = (value: unknown): boolean => value === undefined || value === null

interface ActionCheck {
  readonly action: string
  readonly validators: Readonly<Record<string, CustomValidator>>
  readonly warnings: string[]
}

/** The first error in a value; `param` says where it is, such as `edits[1].old_text`. */
function findTypeError(
  check: ActionCheck,
  param: string,
  definition: ParameterDef,
  value: unknown,
): ValidationError | undefined {
  const { action, validators, warnings } = check
  const { type, format } = definition
  const custom = [type, format].flatMap((name) =>
    name !== undefined && Object.hasOwn(validators, name) ? [validators[name]] : [],
  )
  const wrong = Object.hasOwn(types, type)
    ? types[type]?.(check, param, definition, value)
    : custom.length > 0
      ? undefined
      : schemaError(action, param, `Unknown type '${type}' of parameter '${param}' in action '${action}'`)
  if (wrong !== undefined) return wrong
  for (const validate of custom) {
    const found = validate?.(value, definition)
    if (typeof found === 'string') {
      const message = `Invalid value for parameter '${param}' in action '${action}': ${found}`
      return { code: 'INVALID_TYPE', action, param, expected: format ?? type, actual: String(value), message }
    }
    if (found !== undefined) warnings.push(`${param}: ${found.warning}`)
  }
  return undefined
}

type TypeCheck = (
  check: ActionCheck,
  param: string,
  definition: ParameterDef,
  value: unknown,
) => ValidationError | undefined

const oneOf =
  (isRight: (value: unknown) => boolean): TypeCheck =>
  ({ action }, param, { type }, value) =>
    isRight(value) ? undefined : wrongType(action, param, type, value)

const types: Readonly<Record<string, TypeCheck>> = {
  string: oneOf((value) => typeof value === 'string'),
  integer: oneOf((value) => Number.isInteger(value)),
  boolean: oneOf((value) => typeof value === 'boolean'),
  count: oneOf((value) => value === 'all' || (Number.isInteger(value) && Number(value) >= 1)),
  enum: ({ action }, param, { values }, value) => {
    if (!Array.isArray(values))
      return schemaError(action, param, `Enum parameter '${param}' of action '${action}' lists no values`)
    if (values.includes(value)) return undefined
    const list = values.join(',')
    const message = `Invalid value for parameter '${param}' in action '${action}': expected one of [${list}], got '${String(value)}'`
    return { code: 'INVALID_TYPE', action, param, expected: `enum[${list}]`, actual: String(value), message }
  },
  array: (check, param, { items }, value) => {
    if (!Array.isArray(value)) return wrongType(check.action, param, 'array', value)
    if (items === undefined) return undefined
    return firstError(value.entries(), ([at, item]) => findTypeError(check, `${param}[${at}]`, items, item))
  },
  object: (check, param, { properties = {} }, value) => {
    if (!isRecord(value)) return wrongType(check.action, param, 'object', value)
    return firstError(Object.entries(properties), ([name, definition]) => {
      const inner = `${param}.${name}`
      if (!isAbsent(value[name])) return findTypeError(check, inner, definition, value[name])
      if (definition.required !== true) return undefined
      const message = `Missing required parameter '${inner}' for action '${check.action}'`
      return { code: 'MISSING_PARAM', action: check.action, param: inner, message }
    })
  },
}

function firstError<T>(
  values: Iterable<T>,
  errorOf: (value: T) => ValidationError | undefined,
): ValidationError | undefined {
  for (const value of values) {
    const error = errorOf(value)
    if (error !== undefined) return error
  }
  return undefined
}

const schemaError = (action: string, param: string, message: string): ValidationError => ({
  code: 'SCHEMA_ERROR',
  action,
  param,
  message,
})

function wrongType(action: string, param: string, expected: string, value: unknown): ValidationError {
  const actual = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  const message = `Invalid type for parameter '${param}' in action '${action}': expected ${expected}, got ${actual}`
  return { code: 'INVALID_TYPE', action, param, expected, actual, message }
}
