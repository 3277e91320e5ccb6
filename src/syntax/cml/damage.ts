import { attributesIn, Markers, type WalkThrough } from '../damage.ts'
import { escapedIn, plainMarker, undamaged, withoutOuterBlanks } from '../../text/undamage.ts'

/** One element of CML. Tags are mended, the content of CDATA is left alone although it may share a line with them. */
export const walkCml: WalkThrough = (view, start) => {
  const first = view.line(start) ?? ''
  const name = /^<(tasks|edit|write|run|move|remove)(?=[\s>/])/.exec(plainMarker(first))?.[1]
  if (name === undefined) return undefined
  const markers = new Markers()
  const escaped = escapedIn(first).escaped.has('<')
  let inside = false
  for (let n = start; ; n++) {
    const line = view.line(n)
    if (line === undefined) return undefined
    const pieces = piecesOf(line, inside, escaped)
    if (pieces === undefined) return undefined
    if (pieces.shell !== '') markers.add(n, pieces.clean, pieces.shell)
    inside = pieces.inside
    const closed = new RegExp(`</${name}\\s*>`).test(pieces.tags) || (n === start && /\/>\s*$/.test(pieces.tags))
    if (closed) return inside ? undefined : { start, end: n, markers: markers.list }
  }
}

interface Pieces {
  readonly clean: string
  readonly shell: string
  /** The tags of the line, clean. */
  readonly tags: string
  /** Whether the line ends in CDATA. */
  readonly inside: boolean
}

const open = /(?:<|&lt;|&#60;|\\<)\\?!(?:\[|\\\[)CDATA(?:\[|\\\[)/
const plainOpen = /<!\[CDATA\[/
/** `]]&gt;` is content, except where every `<` is escaped too. */
const close = /(?:\]|\\\]){2}(?:>|&gt;|&#62;|\\>)/
const plainClose = /\]\]>/

function piecesOf(line: string, inside: boolean, escaped: boolean): Pieces | undefined {
  let clean = ''
  let shell = ''
  let tags = ''
  let rest = line
  let content = inside
  for (;;) {
    const found = (content ? (escaped ? close : plainClose) : escaped ? open : plainOpen).exec(rest)
    const piece = found === null ? rest : rest.slice(0, found.index)
    if (content) clean += piece
    else {
      const tag = tagsIn(piece)
      if (tag === undefined) return undefined
      clean += tag.clean
      shell += tag.shell
      tags += tag.clean
    }
    if (found === null) {
      // What follows the opening of CDATA on its line was put there with it.
      const spaces = content && shell !== '' && isBlank(piece)
      return { clean, shell: spaces ? shell + piece : shell, tags, inside: content }
    }
    clean += content ? ']]>' : '<![CDATA['
    shell += found[0]
    content = !content
    rest = rest.slice(found.index + found[0].length)
  }
}

const isBlank = (text: string): boolean => withoutOuterBlanks(text) === ''

/** Tags and nothing else. The values of their attributes stay as they are. */
function tagsIn(written: string): { clean: string; shell: string } | undefined {
  if (isBlank(written)) return { clean: written, shell: '' }
  let clean = ''
  let shell = ''
  let at = 0
  for (tag.lastIndex = 0; ; at = tag.lastIndex) {
    const found = tag.exec(written)
    if (found === null) break
    const [, before = '', opening = '', name = '', inner = '', closing = ''] = found
    const attributes = attributesIn(inner)
    if (attributes === undefined) return undefined
    const start = plainMarker(opening)
    clean += `${undamaged(before, ['invisible', 'spaces'])}${start}${name}${attributes.clean}${plainMarker(closing)}`
    shell += `${before}${opening}${attributes.shell}${closing}`
  }
  const rest = written.slice(at)
  return isBlank(rest) && at > 0 ? { clean, shell: shell + rest } : undefined
}

const tag =
  /([^\w<&\\]*)((?:<|&lt;|&#60;|\\<)\\?\/?)([a-z]+(?:\\?-[a-z]+)?)((?:"[^"]*"|'[^']*'|(?!&gt;|&#62;)[^<>"'])*?)(\\?\/?(?:\\?>|&gt;|&#62;))/gy
