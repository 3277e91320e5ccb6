import { plainMarker } from '../text/undamage.ts'
import { Markers, type View, type WalkThrough } from './mend-view.ts'

/** From EXPLANATION or FILE to END. What may stand between them is for `replacer.ts` to say. */
export const walkReplacer: WalkThrough = (view, start) => {
  const markers = new Markers()
  if (!openers.has(markerAt(view, start, markers) ?? '')) return undefined
  for (let n = start; ; n++) {
    const line = view.line(n)
    if (line === undefined) return undefined
    const marker = markerAt(view, n, markers)
    if (marker === undefined) continue
    markers.add(n, line.trimEnd() === marker ? line : marker, line)
    if (marker !== '<<<END>>>') continue
    return isAmbiguous(view, n, markers) ? undefined : { start, end: n, markers: markers.list }
  }
}

const openers: ReadonlySet<string> = new Set(['<<<EXPLANATION>>>', '<<<FILE>>>'])

/** Where another END follows, the one that was found may be content. */
function isAmbiguous(view: View, end: number, markers: Markers): boolean {
  for (let n = end + 1; n <= view.lineCount; n++) {
    const next = markerAt(view, n, markers)
    if (next !== undefined) return !openers.has(next)
  }
  return false
}

function markerAt(view: View, n: number, markers: Markers): string | undefined {
  const line = view.line(n)
  // A marker starts its line; what is indented as a whole is read without its indentation.
  if (line === undefined || !/[A-Z]/.test(line) || /^[ \t]/.test(line)) return undefined
  const plain = plainMarker(line)
  if (!/^<<<(?:EXPLANATION|FILE|SEARCH|REPLACE|OVERWRITE|END)>>>$/.test(plain)) return undefined
  return markers.admits(line) ? plain : undefined
}
