import { attributesIn, Markers, type View, type WalkThrough } from '../damage.ts'
import { plainMarker, shows, withoutOuterBlanks } from '../../text/undamage.ts'

/** What is a marker in each part of an operation, as `csl.ts` has it. */
const markersIn: Readonly<Record<string, readonly string[]>> = {
  WRITE: ['END'],
  RUN: ['END'],
  SEARCH: ['TO', 'REPLACE', 'END'],
  TO: ['REPLACE'],
  REPLACE: ['END'],
}

export const walkCsl: WalkThrough = (view, start) => {
  const markers = new Markers()
  const first = markerAt(view, start, markers)
  if (first === undefined) return undefined
  markers.add(start, first.clean, first.shell)
  const end = first.name === 'TASKS' ? walkTasks(view, start, markers) : walkOperation(view, start, first.name, markers)
  if (end === undefined) return undefined
  // Where another END follows, the one that was found may be content.
  for (let n = end + 1; n <= view.lineCount; n++) {
    const next = markerAt(view, n, markers)
    if (next !== undefined) return next.name in closers ? undefined : { start, end, markers: markers.list }
  }
  return { start, end, markers: markers.list }
}

const closers = { END: true, TO: true, REPLACE: true }

function walkTasks(view: View, start: number, markers: Markers): number | undefined {
  for (let n = start + 1; n <= view.lineCount; n++) {
    const marker = markerAt(view, n, markers)
    if (marker === undefined) {
      if (view.line(n) === undefined) return undefined
      continue
    }
    markers.add(n, marker.clean, marker.shell)
    if (marker.name === 'END') return n
    const end = walkOperation(view, n, marker.name, markers)
    if (end === undefined) return undefined
    n = end
  }
  return undefined
}

function walkOperation(view: View, start: number, name: string, markers: Markers): number | undefined {
  let part = name
  for (let n = start + 1; ; n++) {
    if (view.line(n) === undefined) return undefined
    const marker = markerAt(view, n, markers)
    if (marker === undefined || !markersIn[part]?.includes(marker.name)) continue
    markers.add(n, marker.clean, marker.shell)
    if (marker.name === 'END') return n
    part = marker.name
  }
}

interface CslMarker {
  readonly name: string
  readonly clean: string
  readonly shell: string
}

function markerAt(view: View, n: number, markers: Markers): CslMarker | undefined {
  const line = view.line(n)
  if (line === undefined || !/[A-Z]/.test(line)) return undefined
  const marker = markerIn(line)
  return marker !== undefined && markers.admits(marker.shell) ? marker : undefined
}

function markerIn(line: string): CslMarker | undefined {
  // A marker starts its line; what is indented as a whole is read without its indentation.
  if (/^[ \t]/.test(line)) return undefined
  const plain = plainMarker(line)
  const name = /^<-{2,5}(WRITE|RUN|SEARCH|TASKS|TO|REPLACE|END)\b[^]*-{2,5}>$/.exec(plain)?.[1]
  if (name === undefined) return undefined
  const exact = plain.startsWith(`<---${name}`) && plain.endsWith('--->')
  // How many hyphens there were can be known only where a program made a dash of them.
  if (!exact && !shows(line, 'punctuation') && !shows(line, 'entities')) return undefined
  if (line.trimEnd() === plain) return { name, clean: line, shell: line.replace(/(["']).*\1/s, '') }

  const core = withoutOuterBlanks(line)
  const [, open = '', inner = '', close = ''] = damagedMarker.exec(core) ?? []
  const attributes = attributesIn(inner)
  // Whatever it says, it is a marker, and the reader has to know.
  if (close === '' || attributes === undefined) return { name, clean: plain, shell: line }
  const shell = line.replace(core, () => `${open}${attributes.shell}${close}`)
  return { name, clean: `<---${name}${attributes.clean}--->`, shell }
}

const damagedMarker = /^([^A-Z]*[A-Z]+)([^]*?)((?:\\?-|[\u2010-\u2015]|&[mn]dash;)+(?:\\?>|&gt;|&#62;))$/
