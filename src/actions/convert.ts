import type { Param } from '../core/action.ts'

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
  if (Array.isArray(raw) && param.format === 'multiline_absolute_paths') return oneALine(raw)
  if (typeof raw !== 'string')
    return {
      ok: false,
      message: `Invalid value: ${shortly(raw)}`,
      hint: isTyped ? 'Give it as a text, in quotes.' : 'Give it as one text.',
    }
  switch (param.type) {
    case 'integer':
      return String(Number(raw)) === raw.trim() && Number.isSafeInteger(Number(raw))
        ? { ok: true, value: Number(raw) }
        : { ok: false, message: `Invalid integer value: ${raw}`, hint: 'Write a whole number, such as "3".' }
    case 'count':
      if (raw.trim() === 'all') return { ok: true, value: 'all' }
      return /^\d+$/.test(raw.trim()) && Number(raw) >= 1 && Number.isSafeInteger(Number(raw))
        ? { ok: true, value: Number(raw) }
        : { ok: false, message: `Invalid count value: ${raw}`, hint: 'Write a whole number from 1, or "all".' }
    case 'boolean':
      return /^(?:true|false)$/i.test(raw)
        ? { ok: true, value: raw.toLowerCase() === 'true' }
        : { ok: false, message: `Invalid boolean value: ${raw}`, hint: 'Write "true" or "false".' }
    case 'enum':
      return param.values?.includes(raw)
        ? { ok: true, value: raw }
        : { ok: false, message: `Invalid enum value: ${raw}. Allowed: ${param.values?.join(', ') ?? ''}` }
    default:
      return { ok: true, value: raw }
  }
}

/** Paths that would mean something else on a line of their own are refused rather than changed. */
function oneALine(paths: readonly unknown[]): Converted {
  const odd = paths.find(
    (path) => typeof path !== 'string' || path === '' || path !== path.trim() || /[\r\n]/.test(path),
  )
  if (odd === undefined) return { ok: true, value: paths.join('\n') }
  return { ok: false, message: `Invalid path value: ${shortly(odd)}`, hint: 'Give each path as a text of its own.' }
}

/** A value as JSON, as far as it helps to recognise it. */
function shortly(value: unknown): string {
  const json = JSON.stringify(value) ?? typeof value
  return json.length > 200 ? `${json.slice(0, 199)}…` : json
}
