import path from 'node:path'
import { type ActionSpec, isLacking, type Param, type Registry, text } from '../core/action.ts'
import type { TextPair } from '@clada/reply/core/text-pair.ts'
import type { PathArg } from '../core/files.ts'
import { isAbsolutePath, isInside, withSlashes, writtenPath } from '../core/paths.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import { type ExecutionResult, type ParseError, refusedCall } from '../core/result.ts'
import { clipText, describeValue, previewValue } from '../core/describe-value.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { parsePairs, writePairs } from '@clada/reply/text/edit-pairs.ts'
import { findClosestName } from '@clada/reply/text/closest-name.ts'

/** A call bound to its definition: parameters typed, defaults in, paths resolved. */
export type Decoded =
  | {
      readonly ok: true
      readonly spec: ActionSpec
      readonly spelled: string
      /** As they go into the result: typed, as given. */
      readonly params: Record<string, unknown>
      /** As the handler takes them. */
      readonly args: Record<string, unknown>
      readonly warnings: readonly string[]
    }
  | {
      readonly ok: false
      readonly errorType: ParseError['errorType']
      readonly message: string
      readonly code: Code
      readonly hint?: string
    }

export interface DecodeOptions {
  readonly root: string
  /** Whether a path may be relative to the root. */
  readonly relativePaths: boolean
}

export function decode(
  spelled: string,
  given: Readonly<Record<string, unknown>>,
  registry: Registry,
  options: DecodeOptions,
): Decoded {
  if (spelled === '')
    return invalidParam(
      "Missing 'action' field in SHAM block",
      'malformed_block',
      `Add a line action = "…".${unknownParamsHint(Object.keys(given).filter((name) => findClosestName(name, ['action'])))}`,
    )
  const spec = registry.get(spelled)
  if (spec === undefined) return unknownAction(spelled, registry)
  const decoded = decodeParams(spec, spelled, given, options)
  return decoded.ok ? { ...decoded, spec, spelled } : decoded
}

export type DecodedParams = Omit<Decoded & { ok: true }, 'spec' | 'spelled'> | (Decoded & { ok: false })

/** The same for whatever takes parameters. */
export function decodeParams(
  spec: Pick<ActionSpec, 'params'>,
  spelled: string,
  asGiven: Readonly<Record<string, unknown>>,
  options: DecodeOptions,
): DecodedParams {
  const given = withoutAliases(spec, asGiven)
  const [missing, ...others] = Object.keys(spec.params).filter((name) => isLacking(name, spec.params[name], given))
  if (missing !== undefined) {
    const needed = `${spelled} needs ${missing}: ${spec.params[missing]?.description}`
    const too = others.length === 0 ? '' : ` Missing too: ${others.join(', ')}.`
    const unknown = Object.keys(given).filter((name) => !Object.hasOwn(spec.params, name) && name !== 'action')
    return invalidParam(
      `Missing required parameter: ${missing}`,
      'invalid_parameter',
      needed + too + unknownParamsHint(unknown),
    )
  }

  const params: Record<string, unknown> = {}
  const args: Record<string, unknown> = {}
  for (const [name, param] of Object.entries(spec.params)) {
    const raw = given[name]
    if (raw === undefined) {
      args[name] = param.default
      continue
    }
    const decoded = decodeOne(name, raw, param, options)
    if (!decoded.ok) return decoded
    params[name] = decoded.value
    args[name] = decoded.arg
  }
  return { ok: true, params, args, warnings: warnOfIgnored(spec, given) }
}

/** Names that other tools have for a parameter; each counts only where the parameter itself is not given. */
export const parameterAliases: Readonly<Record<string, readonly string[]>> = {
  path: ['file_path', 'filePath', 'file', 'filename'],
  old_text: ['old_str', 'old_string', 'oldText', 'oldString', 'search', 'find'],
  new_text: ['new_str', 'new_string', 'newText', 'newString', 'replace', 'replacement'],
  content: ['file_text', 'contents'],
}

export function withoutAliases(
  { params }: Pick<ActionSpec, 'params'>,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  let own = given
  for (const name of Object.keys(params)) {
    if (given[name] !== undefined || !Object.hasOwn(parameterAliases, name)) continue
    const alias = parameterAliases[name]?.find((other) => !Object.hasOwn(params, other) && given[other] !== undefined)
    if (alias === undefined) continue
    const { [alias]: value, ...rest } = own
    own = { ...rest, [name]: value }
  }
  return own
}

const invalidParam = (message: string, code: Code, hint?: string): Decoded & { ok: false } => ({
  ok: false,
  errorType: 'validation',
  message,
  code,
  hint,
})

/** Names that were given and mean nothing. Some are enough to see what is wrong. */
function unknownParamsHint(names: readonly string[]): string {
  if (names.length === 0) return ''
  const listed = names.slice(0, 5).map((name) => `'${name}'`)
  return ` You gave ${listed.join(', ')}, which ${names.length === 1 ? 'is' : 'are'} not known.`
}

function unknownAction(spelled: string, registry: Registry): Decoded {
  const close = closestAction(spelled, registry)
  const hint = close === undefined ? similarActions(spelled, registry) : `Did you mean ${close}?`
  return invalidParam(`Unknown action: ${spelled}`, 'unknown_action', hint)
}

/** The action that was probably meant: other tools call the same thing by other verbs. */
export function closestAction(spelled: string, registry: Registry): string | undefined {
  const names = [...registry.keys()]
  const close = findClosestName(spelled, names)
  if (close !== undefined) return close
  const words = nameWords(spelled.slice(0, 80))
  const translated = words.map((word) => (Object.hasOwn(verbs, word) ? (verbs[word] ?? word) : word))
  if (translated.join() === words.join()) return undefined
  // `file_move` for `rename`.
  const meant = findClosestName(translated.join('_'), names) ?? findClosestName(`file_${translated.join('_')}`, names)
  return meant === undefined ? undefined : registry.get(meant)?.name
}

const verbs: Readonly<Record<string, string>> = {
  rename: 'move',
  mv: 'move',
  remove: 'delete',
  rm: 'delete',
  cp: 'copy',
  duplicate: 'copy',
  view: 'read',
  open: 'read',
  cat: 'read',
  show: 'read',
  update: 'edit',
  modify: 'edit',
  change: 'edit',
  save: 'write',
  folder: 'dir',
  directory: 'dir',
}

/** A model cannot look at a list that it does not have. */
function similarActions(spelled: string, registry: Registry): string {
  const specs = [...new Set(registry.values())].filter((spec) => spec.access.includes('llm'))
  // `file` is in half of the names and tells none apart.
  const words = nameWords(spelled.slice(0, 80)).filter((word) => !/^files?$/.test(word))
  const similar = specs.filter(({ name }) => nameWords(name).some((word) => words.includes(word))).slice(0, 6)
  const meant = `Did you mean ${similar.length > 1 ? 'one of ' : ''}${similar.map(({ name }) => name).join(', ')}? `
  const everyday = specs.filter((spec) => spec.everyday).map(({ name }) => name)
  return `${similar.length > 0 ? meant : ''}Often used: ${everyday.join(', ')}; \`clada tools\` lists all.`
}

const nameWords = (name: string): string[] => name.toLowerCase().split(/[^\p{L}\p{N}]+/u)

type DecodedOne = { readonly ok: true; readonly value: unknown; readonly arg: unknown } | (Decoded & { ok: false })

function decodeOne(name: string, raw: unknown, param: Param, options: DecodeOptions): DecodedOne {
  const mistyped = (message: string, hint?: string): DecodedOne => ({
    ok: false,
    errorType: 'type',
    message,
    code: 'invalid_parameter',
    hint: hint === undefined ? `It is in parameter '${name}'.` : `Parameter '${name}': ${hint}`,
  })
  const converted = convert(raw, param)
  if (!converted.ok) return mistyped(converted.message, converted.hint)
  const { value } = converted
  if (typeof value !== 'string') return { ok: true, value, arg: value }
  if (!value.isWellFormed()) {
    return mistyped(
      `Invalid text value: lone surrogate ${loneSurrogate(value)}`,
      'it cannot be written as UTF-8; write the whole character.',
    )
  }
  if (param.format === 'edits') {
    const read = parsePairs(value)
    return 'pairs' in read ? { ok: true, value, arg: read.pairs } : mistyped('Invalid edits value', `${read.message}.`)
  }
  if (param.format !== 'absolute_path' && param.format !== 'multiline_absolute_paths')
    return { ok: true, value, arg: value }

  const one = param.format === 'absolute_path'
  const lines = (one ? [value] : value.split('\n')).map((line) => writtenPath(line))
  const listed = one ? lines : lines.map((line) => line.trim())
  const args: PathArg[] = []
  for (const given of listed) {
    if (given === '' && !one) continue
    if (!options.relativePaths && !isAbsolutePath(given)) {
      return mistyped(`Invalid absolute path: ${clipText(given)}`, absolutePathHint(given, options.root))
    }
    args.push({ given, absolute: path.resolve(options.root, given), base: options.root })
  }
  return { ok: true, value: lines.join('\n'), arg: one ? args[0] : args }
}

/** The path that was probably meant; a guess that is refused as well would only cost another turn. */
function absolutePathHint(given: string, root: string): string {
  const trimmed = given.trim()
  const below = `write a path that begins with ${withSlashes(root).replace(/\/?$/, '/')}.`
  if (trimmed === '') return `it is empty; ${below}`
  const meant = path.resolve(root, trimmed)
  // The colon of a drive belongs neither to a scheme nor to a line number.
  return !isInside(meant, root) || /^[~$]|:/.test(isAbsolutePath(trimmed) ? trimmed.slice(2) : trimmed)
    ? below
    : `write ${withSlashes(meant)} instead, if that is what you mean.`
}

function loneSurrogate(text: string): string {
  const at = text.search(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
  return `U+${text.charCodeAt(at).toString(16).toUpperCase()} at position ${at + 1}`
}

function warnOfIgnored(spec: Pick<ActionSpec, 'params'>, given: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(spec.params)
  return Object.keys(given)
    .filter((name) => !names.includes(name) && name !== 'action')
    .map((name) => {
      const close = findClosestName(name, names)
      return `parameter '${name}' is not known and was ignored${close === undefined ? '' : `; did you mean '${close}'?`}`
    })
}

export type Converted =
  | { readonly ok: true; readonly value: string | number | boolean }
  | { readonly ok: false; readonly message: string; readonly hint?: string }

/** The part of a parameter's definition that conversion looks at; the seeds' definitions have the same fields. */
export type Convertible =
  | Pick<Param, 'type' | 'format' | 'values'>
  | { type: string; format?: string; values?: readonly string[] }

/** Text from a block as the type its parameter has. */
export function convert(raw: unknown, param: Convertible): Converted {
  const isTyped = typeof raw === 'number' || typeof raw === 'boolean'
  if (isTyped && param.type !== 'string' && param.type !== 'enum') return convert(String(raw), param)
  if (Array.isArray(raw) && param.format === 'multiline_absolute_paths') return joinPaths(raw)
  if (param.format === 'edits' && (Array.isArray(raw) || isJsonList(raw))) return pairsText(raw)
  if (typeof raw !== 'string')
    return {
      ok: false,
      message: `Invalid value: ${previewValue(raw)}`,
      hint: isTyped ? 'Give it as a text, in quotes.' : 'Give it as one text.',
    }
  switch (param.type) {
    case 'integer':
      return String(Number(raw)) === raw.trim() && Number.isSafeInteger(Number(raw))
        ? { ok: true, value: Number(raw) }
        : { ok: false, message: `Invalid integer value: ${clipText(raw)}`, hint: 'Write a whole number, such as "3".' }
    case 'count':
      if (raw.trim() === 'all') return { ok: true, value: 'all' }
      return /^\d+$/.test(raw.trim()) && Number(raw) >= 1 && Number.isSafeInteger(Number(raw))
        ? { ok: true, value: Number(raw) }
        : {
            ok: false,
            message: `Invalid count value: ${clipText(raw)}`,
            hint: 'Write a whole number from 1, or "all".',
          }
    case 'boolean':
      return /^(?:true|false)$/i.test(raw)
        ? { ok: true, value: raw.toLowerCase() === 'true' }
        : { ok: false, message: `Invalid boolean value: ${clipText(raw)}`, hint: 'Write "true" or "false".' }
    case 'enum':
      return param.values?.includes(raw)
        ? { ok: true, value: raw }
        : { ok: false, message: `Invalid enum value: ${clipText(raw)}. Allowed: ${param.values?.join(', ') ?? ''}` }
    default:
      return { ok: true, value: raw }
  }
}

/** Paths that would mean something else on a line of their own are refused rather than changed. */
function joinPaths(paths: readonly unknown[]): Converted {
  const odd = paths.find(
    (path) => typeof path !== 'string' || path === '' || path !== path.trim() || /[\r\n]/.test(path),
  )
  if (odd === undefined) return { ok: true, value: paths.join('\n') }
  return {
    ok: false,
    message: `Invalid path value: ${previewValue(odd)}`,
    hint: 'Give each path as a text of its own.',
  }
}

/** Models that have a list to give often give it as text. */
const isJsonList = (raw: unknown): raw is string => typeof raw === 'string' && raw.trimStart().startsWith('[')

function pairsText(raw: unknown): Converted {
  const bad = (what: unknown): Converted => ({
    ok: false,
    message: `Invalid edits value: ${previewValue(what)}`,
    hint: 'Give a list of objects, each with old_text and new_text.',
  })
  const list = typeof raw === 'string' ? parseList(raw) : raw
  if (!Array.isArray(list) || list.length === 0) return bad(raw)
  const pairs: TextPair[] = []
  for (const one of list) {
    if (!isRecord(one)) return bad(one)
    const { old_text, new_text } = withoutAliases({ params: pairParams }, one)
    if (typeof old_text !== 'string' || typeof new_text !== 'string') return bad(one)
    pairs.push({ old_text, new_text })
  }
  return { ok: true, value: writePairs(pairs) }
}

const pairParams = { old_text: text('Text to find.'), new_text: text('Text to put in its place.') }

function parseList(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** The result of a call whose arguments are no object. */
export function notAnObject(action: string, params: ActionSpec['params'], given: unknown): ExecutionResult {
  const needed = Object.keys(params).filter((name) => isLacking(name, params[name], {}))
  return refusedCall(action, {
    errorType: 'type',
    message: `Invalid arguments: they are ${describeValue(given)}`,
    code: 'invalid_parameter',
    hint: `Give them as one object: {${needed.map((name) => `"${name}": …`).join(', ')}}.`,
  })
}
