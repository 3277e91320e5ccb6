import { unlessEmpty } from '@clada/reply/core/optional.ts'

/**
 * The shape of a result, written once: TypeScript derives the type of the data from it, MCP the output schema, and the docs
 * their lines. A word is a type, and `create|modify` is a choice of words. A list holds the shape of its items. A name that
 * ends in `?` may be missing. What follows `: ` is for the reader.
 *
 *     { path: 'string', 'size?': 'integer: bytes', changed: [{ path: 'string', change: 'create|modify|delete' }] }
 */
export type Shape = string | readonly [Shape] | { readonly [name: string]: Shape }

/** The type of the values of a shape. */
export type ValueOf<S> = Shape extends S
  ? unknown
  : S extends string
    ? WordValue<S>
    : S extends readonly [infer Item]
      ? readonly ValueOf<Item>[]
      : { readonly [K in keyof S as K extends `${string}?` ? never : K]: ValueOf<S[K]> } & {
          readonly [K in keyof S as K extends `${infer Name}?` ? Name : never]?: ValueOf<S[K]> | undefined
        }

type WordValue<S extends string> = S extends `${infer Type}: ${string}`
  ? WordValue<Type>
  : S extends 'string'
    ? string
    : S extends 'integer'
      ? number
      : S extends 'boolean'
        ? boolean
        : S extends 'any'
          ? unknown
          : Choice<S>

type Choice<S extends string> = S extends `${infer One}|${infer Others}` ? One | Choice<Others> : S

/** JSON Schema of the values of a shape. */
export type ShapeSchema =
  | {
      readonly type: 'string' | 'integer' | 'boolean'
      readonly enum?: readonly string[]
      readonly description?: string
    }
  | { readonly type: 'array'; readonly items: ShapeSchema }
  | {
      readonly type: 'object'
      readonly properties: Readonly<Record<string, ShapeSchema>>
      readonly required?: readonly string[]
    }
  | { readonly description?: string }

export function shapeSchema(shape: Shape): ShapeSchema {
  if (typeof shape === 'string') return wordSchema(shape)
  if (isList(shape)) return { type: 'array', items: shapeSchema(shape[0]) }
  const fields = fieldsOf(shape)
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, shape: of }) => [name, shapeSchema(of)])),
    required: unlessEmpty(required),
  }
}

function wordSchema(word: string): ShapeSchema {
  const { type, about } = wordParts(word)
  const description = about === undefined ? {} : { description: about }
  if (type === 'any') return description
  if (type === 'string' || type === 'integer' || type === 'boolean') return { type, ...description }
  return { type: 'string', enum: type.split('|'), ...description }
}

interface Field {
  readonly name: string
  readonly optional: boolean
  readonly shape: Shape
}

export const fieldsOf = (shape: Readonly<Record<string, Shape>>): Field[] =>
  Object.entries(shape).map(([name, of]) => ({
    name: name.replace(/\?$/, ''),
    optional: name.endsWith('?'),
    shape: of,
  }))

export const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape)

/** A shape in words, for a table or a sentence. */
export function shapeText(shape: Shape): string {
  if (typeof shape === 'string') {
    const { type, about } = wordParts(shape)
    return about === undefined ? type : type === 'any' ? about : `${type}, ${about}`
  }
  if (isList(shape)) return `list of ${shapeText(shape[0])}`
  return `{${fieldsOf(shape).map(fieldText).join(', ')}}`
}

function fieldText({ name, optional, shape }: Field): string {
  const text = shapeText(shape)
  return `${name}${optional ? '?' : ''}${text === 'string' ? '' : `: ${text}`}`
}

/** `integer: bytes` is a type and what is said of it. */
export function wordParts(word: string): { readonly type: string; readonly about: string | undefined } {
  const at = word.indexOf(': ')
  return at === -1 ? { type: word, about: undefined } : { type: word.slice(0, at), about: word.slice(at + 2) }
}
