import { type ActionSpec, isLacking } from '../core/action.ts'
import { isAbsolutePath } from '../core/paths.ts'
import { convert } from '../actions/decode.ts'

/** A block as the functions here take it. */
export interface ShamBlockLike {
  readonly id: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly startLine?: number
  readonly endLine?: number | null
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
  /** Of each value of an array. */
  readonly items?: ParameterDef
  /** Of an object. */
  readonly properties?: Readonly<Record<string, ParameterDef>>
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

const acceptedParams = (definition: AnyDefinition): Readonly<Record<string, ParameterDef>> =>
  'params' in definition ? definition.params : definition.parameters

/** A block's texts as the types of a definition, with its defaults. Parameters the definition does not know are dropped. */
export function transformToAction(block: ShamBlockLike, definition: AnyDefinition): CladaAction {
  const parameters: Record<string, unknown> = {}
  for (const [name, param] of Object.entries(acceptedParams(definition))) {
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
export interface ValidationResult {
  valid: boolean
  actionType?: string
  errors?: string[]
}

/** Whether a block names an action and has what it needs; with every error. */
export function validateShamBlock(
  block: ShamBlockLike,
  definition: AnyDefinition | null | undefined,
): ValidationResult {
  const refuse = (error: string): ValidationResult => ({ valid: false, errors: [error] })
  if (typeof block?.properties !== 'object' || block.properties === null)
    return refuse('Block missing properties object')
  const { action } = block.properties
  if (typeof action !== 'string' || action === '') return refuse("Missing 'action' field in SHAM block")
  if (definition === null || definition === undefined) return refuse(`Unknown action: ${action}`)
  const missing = Object.entries(acceptedParams(definition)).flatMap(([name, param]) =>
    isLacking(name, param, block.properties) ? [`Missing required parameter: ${name}`] : [],
  )
  return missing.length > 0 ? { valid: false, errors: missing } : { valid: true, actionType: action, errors: [] }
}
