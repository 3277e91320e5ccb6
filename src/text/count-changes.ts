import { diffLines } from './line-diff.ts'

/** How many lines a change adds and removes, as git counts them; null means a missing file. */
export function countChanges(before: string | null, after: string | null): { added: number; removed: number } {
  const old = before ?? ''
  const now = after ?? ''
  // Most changes leave most of a file alone, and comparing stretches of it is cheaper than cutting lines.
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head + stretch <= shorter && part(old, head) === part(now, head)) head += stretch
  while (head < shorter && old.charCodeAt(head) === now.charCodeAt(head)) head++
  if (head === old.length && head === now.length) return { added: 0, removed: 0 }
  head = head === 0 ? 0 : old.lastIndexOf('\n', head - 1) + 1
  let tail = 0
  const rest = shorter - head
  while (tail + stretch <= rest) {
    const from = tail + stretch
    if (part(old, old.length - from) !== part(now, now.length - from)) break
    tail += stretch
  }
  while (tail < rest && old.charCodeAt(old.length - 1 - tail) === now.charCodeAt(now.length - 1 - tail)) tail++
  const oldEnd = tail === 0 ? -1 : old.indexOf('\n', old.length - tail)
  const cut = oldEnd === -1 ? 0 : old.length - oldEnd - 1
  let added = 0
  let removed = 0
  for (const { kind, count } of diffLines(lines(old, head, cut), lines(now, head, cut))) {
    if (kind === 'new') added += count
    if (kind === 'old') removed += count
  }
  return { added, removed }
}

/** Characters that are compared at once. */
const stretch = 1024

const part = (text: string, from: number): string => text.substring(from, from + stretch)

/** Lines with their ends: a last line that has none differs from one that has. */
const lines = (text: string, from: number, cut: number): string[] =>
  text.slice(from, text.length - cut).match(/[^\n]*\n|[^\n]+$/g) ?? []
