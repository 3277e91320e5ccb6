/** The first and the last part of a text that is too long, cut at line breaks where one is near. */
export function capText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const half = Math.max(0, Math.floor((limit - marker.length) / 2))
  return text.slice(0, cutBefore(text, half)) + marker + text.slice(cutBehind(text, text.length - half))
}

export const marker = '\n[output truncated]\n'

/** Never inside a character, and rather at a line break than inside a line. */
function cutBefore(text: string, at: number): number {
  const lf = text.lastIndexOf('\n', at)
  if (lf > at * 0.9) return lf
  return isLowSurrogate(text, at) ? at - 1 : at
}

function cutBehind(text: string, at: number): number {
  const lf = text.indexOf('\n', at)
  if (lf !== -1 && text.length - lf > (text.length - at) * 0.9) return lf + 1
  return isLowSurrogate(text, at) ? at + 1 : at
}

const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00
