/** A value as JSON, as far as it helps to recognise it. JSON can be nested too deeply to be written, and objects contain themselves. */
export function previewValue(value: unknown): string {
  try {
    return clipText(JSON.stringify(value) ?? typeof value)
  } catch {
    return describeValue(value)
  }
}

/** The beginning of a text of any length, for a message that repeats it. */
export const clipText = (text: string): string => (text.length > 200 ? `${text.slice(0, 199)}…` : text)

/** What a value is, in a message. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string' ? 'a text' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
