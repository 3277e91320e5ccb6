import path from 'node:path'

/** Whether one of these paths is on the way to another. */
export function isBelow(absolute: string, dirs: ReadonlySet<string>): boolean {
  if (dirs.size === 0) return false
  for (let at = absolute; at !== path.dirname(at);) {
    at = path.dirname(at)
    if (dirs.has(at)) return true
  }
  return false
}
