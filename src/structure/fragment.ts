import { isInside } from './indent.ts'
import type { Kind, Language } from './language.ts'
import { withOutline } from './outline.ts'

/** Content at zero indent, to be put into a file. */
export interface Piece {
  readonly lines: readonly string[]
  /** Indices of lines that start inside a string and are never indented. */
  readonly fixed: ReadonlySet<number>
  /** What it is, as far as known. */
  readonly kind: Kind | null
  /** Blank lines that were written around it; zero means nothing. */
  readonly blankBefore: number
  readonly blankAfter: number
  /** Spaces after the last line, and a comment that follows the comma after a member. */
  readonly suffix: string
}

/** Takes content to pieces. `language` is that of the place it goes to. */
export async function pieceOf(content: string, language: Language): Promise<Piece> {
  const all = content.replaceAll('\r\n', '\n').split('\n')
  const first = all.findIndex((line) => line.trim() !== '')
  const last = all.findLastIndex((line) => line.trim() !== '')
  const lines = first === -1 ? [] : all.slice(first, last + 1)
  // The last line end is no blank line; the last of several is the end of a blank one.
  const blankAfter = Math.max(0, all.length - last - 2)
  return { lines, ...(await look(lines, language)), blankBefore: Math.max(0, first), blankAfter, suffix: '' }
}

type Look = Pick<Piece, 'fixed' | 'kind'> & { readonly faults: number }

/** Parses the lines alone, then inside what the language needs around them, and believes the reading with the fewest faults. */
async function look(lines: readonly string[], language: Language): Promise<Pick<Piece, 'fixed' | 'kind'>> {
  const { parser } = language
  const alone: readonly (readonly [string, string])[] = [['', '']]
  const frames = parser.kind === 'markdown' ? alone : (parser.fragments ?? alone)
  let best: Look | undefined
  for (const [before, after] of frames) {
    const found = await lookInside(lines, language, before, after)
    if (best === undefined || found.faults < best.faults) best = found
    if (best.faults === 0) break
  }
  return { fixed: best?.fixed ?? new Set(), kind: best?.kind ?? null }
}

function lookInside(lines: readonly string[], language: Language, before: string, after: string): Promise<Look> {
  return withOutline(`${before}${lines.join('\n')}${after}`, language, (outline) => {
    const { source } = outline
    const end = source.text.length - after.length
    const strings = lines.length > 1 ? outline.verbatim({ start: before.length, end }) : []
    const above = before.split('\n').length
    const fixed = new Set<number>()
    for (let at = 1; at < lines.length; at++) if (isInside(strings, source.startOf(at + above))) fixed.add(at)
    let [inner] = outline.structures
    while (inner !== undefined && inner.start < before.length) [inner] = inner.children
    return { fixed, kind: inner?.kind ?? null, faults: outline.faults().length }
  })
}
