import { afford, type Work } from './work.ts'

interface Part {
  start: number
  end: number
  /** Letters to change, add or take away. */
  distance: number
}

/** The part of `text` most like `pattern`, by Sellers; undefined when there is not the work left to find it. */
export function bestPart(pattern: string, text: string, work: Work): Part | undefined {
  const height = pattern.length
  if (!afford(work, height * text.length)) return undefined
  // Column by column over the text: the distance of each prefix of the pattern, and where its match starts.
  let costs = Uint32Array.from({ length: height + 1 }, (_, index) => index)
  let starts = new Uint32Array(height + 1)
  let nextCosts = new Uint32Array(height + 1)
  let nextStarts = new Uint32Array(height + 1)
  let best: Part = { start: 0, end: 0, distance: height }
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    nextCosts[0] = 0
    nextStarts[0] = at + 1
    for (let i = 1; i <= height; i++) {
      let cost = (costs[i - 1] ?? 0) + (pattern.charCodeAt(i - 1) === code ? 0 : 1)
      let start = starts[i - 1] ?? 0
      const longer = (costs[i] ?? 0) + 1
      if (longer < cost) {
        cost = longer
        start = starts[i] ?? 0
      }
      const shorter = (nextCosts[i - 1] ?? 0) + 1
      if (shorter < cost) {
        cost = shorter
        start = nextStarts[i - 1] ?? 0
      }
      nextCosts[i] = cost
      nextStarts[i] = start
    }
    ;[costs, nextCosts] = [nextCosts, costs]
    ;[starts, nextStarts] = [nextStarts, starts]
    const distance = costs[height] ?? height
    if (distance < best.distance) best = { start: starts[height] ?? 0, end: at + 1, distance }
  }
  return best
}
