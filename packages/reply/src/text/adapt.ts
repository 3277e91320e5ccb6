import { hasText } from './lines.ts'
import type { DamageKind } from '../core/diagnostic.ts'
import { type CharacterKind, foldText, findCharacterKind } from './characters.ts'
import type { HunkLine } from './hunks.ts'
import { findCommonPairs } from './line-diff.ts'
import { indentOf, type LinePair, makeReindenter } from './reindent.ts'
import { findDamageKinds, tokensOfKind } from './undamage.ts'

/**
 * The new lines of an edit as the file is to have them, by how its old lines differ from the file's: characters, spaces
 * at line ends, indentation. What old and new lines share is the file's. Undefined where the old lines do not tell.
 *
 * `there` holds the file's line for each old line; undefined for one that has none. `text` is the whole file.
 */
export function adaptNewLines(
  lines: readonly HunkLine[],
  there: readonly (string | undefined)[],
  text: string,
): string[] | undefined {
  const blocks = replacedBlocks(lines, there)
  const given = blocks.flatMap(({ added }) => added)
  const pairs = lines
    .filter(({ mark }) => mark !== '+')
    .flatMap((line, at): LinePair[] => {
      const own = there[at]
      return own === undefined ? [] : [[line.text, own]]
    })
  const lost = lines.filter(({ mark }) => mark !== '+').filter((_, at) => there[at] === undefined)
  if (isDoubtful(given, lost, pairs, text)) return undefined
  if (pairs.every(([edit, file]) => edit === file)) return given

  const evidence = new CharacterEvidence(pairs, text)
  if (!evidence.isEmpty && hasNewEntities(given, pairs, text)) return undefined
  const strip = stripsTrailing(pairs)
  const straight = pairs.map(([edit, file]): LinePair => [plainIndent(edit), plainIndent(file)])
  const shift = shiftOf(lines, there, straight, text)
  const done: string[] = []
  for (const block of blocks) {
    const characters = evidence.isEmpty ? block.added : evidence.rewritten(block)
    if (characters === undefined) return undefined
    const kept = keptEnds(block)
    for (const [at, line] of characters.entries()) {
      const indented = shift(evidence.isEmpty ? line : plainIndent(line))
      if (indented === undefined) return undefined
      done.push(strip ? indented.trimEnd() : indented + (indented === indented.trimEnd() ? (kept[at] ?? '') : ''))
    }
  }
  return done
}

/** Whether new lines show a kind of damage that the file does not have, and of the old lines only such that are not in it. */
function isDoubtful(
  added: readonly string[],
  lost: readonly HunkLine[],
  pairs: readonly LinePair[],
  text: string,
): boolean {
  if (lost.length === 0) return false
  const strange = (lines: readonly string[]): DamageKind[] => {
    const all = lines.join('\n')
    return findDamageKinds(all).filter((kind) => tokensOfKind(all, kind).some((one) => !text.includes(one)))
  }
  // Letters that only look like those of the file.
  const lookalikes = lost.flatMap((line) => line.text.match(/(?![A-Za-z])\p{L}/gu) ?? [])
  if (lookalikes.some((char) => !text.includes(char) && added.some((line) => line.includes(char)))) return true
  const known = pairs.map(([edit]) => edit)
  const isIn = (indent: RegExp, lines: readonly string[]): boolean => indent.test(lines.join('\n'))
  const odd = indents.filter((indent) => !indent.test(text) && !isIn(indent, known))
  const gone = lost.map((line) => line.text)
  if (odd.some((indent) => isIn(indent, gone) && isIn(indent, added))) return true
  const shown = strange(known)
  const kinds = strange(gone).filter((kind) => !shown.includes(kind))
  return kinds.length > 0 && strange(added).some((kind) => kinds.includes(kind))
}

/** Lines that begin with a tab, and with spaces. */
const indents: readonly RegExp[] = [/^\t/m, /^ {2}/m]

/** Where one kind of damage is, another may be: entities that neither the old lines nor the file have were perhaps none. */
function hasNewEntities(added: readonly string[], pairs: readonly LinePair[], text: string): boolean {
  const tokens = added.flatMap((line) => line.match(/&(?:#\d+|#x[\da-f]+|[a-z]+);/gi) ?? [])
  return tokens.some((token) => !text.includes(token) && !pairs.some(([edit]) => edit.includes(token)))
}

/** Lines that go and lines that come in their place. */
interface ReplacedLines {
  readonly removed: readonly { readonly edit: string; readonly file: string | undefined }[]
  readonly added: readonly string[]
}

function replacedBlocks(lines: readonly HunkLine[], there: readonly (string | undefined)[]): ReplacedLines[] {
  const blocks: { removed: { edit: string; file: string | undefined }[]; added: string[] }[] = []
  let open = false
  let at = 0
  for (const { mark, text } of lines) {
    if (mark === ' ') open = false
    else if (!open) {
      blocks.push({ removed: [], added: [] })
      open = true
    }
    if (mark === '-') blocks.at(-1)?.removed.push({ edit: text, file: there[at] })
    if (mark === '+') blocks.at(-1)?.added.push(text)
    if (mark !== '+') at++
  }
  return blocks
}

/** Indentation with spaces and tabs only: a no-break space indents as well as any other. */
export const plainIndent = (line: string): string =>
  line.replace(/^[\s\u200b\u2060]+/, (space) => space.replace(/[\u200b\u2060\ufeff]/g, '').replace(/[^ \t]/g, ' '))

/** Whether spaces at the ends of new lines were put there by something that put them on old lines too. */
function stripsTrailing(pairs: readonly LinePair[]): boolean {
  const ends = pairs
    .filter(([edit]) => edit.trim() !== '')
    .map(([edit, file]) => ({ edit: edit.slice(edit.trimEnd().length), file: file.slice(file.trimEnd().length) }))
  const added = ends.some(({ edit, file }) => edit !== '' && edit !== file)
  // The same on every line was put there by a program, whatever the file has.
  if (added && ends.length > 1 && new Set(ends.map(({ edit }) => edit)).size === 1) return true
  return added && !ends.some(({ edit, file }) => edit !== '' && edit === file)
}

/** The spaces that the file has after a line whose end the edit does not change, for each new line. */
function keptEnds({ removed, added }: ReplacedLines): readonly string[] {
  if (removed.length !== added.length) return []
  return added.map((line, at) => {
    const { edit = '', file = '' } = removed[at] ?? {}
    const lastWord = /(?<!\S)\S+\s*$/.exec(edit)?.[0].trim()
    if (edit !== edit.trimEnd() || lastWord === undefined) return ''
    return line.trim().split(/\s+/).at(-1) === lastWord ? file.slice(file.trimEnd().length) : ''
  })
}

/**
 * How new lines are to be indented: as the old ones are, or as they are where the edit's new lines are already
 * indented like the file and only its old ones are not. Lines that both texts have tell, and where these do not agree
 * with the first lines, nothing does.
 */
function shiftOf(
  lines: readonly HunkLine[],
  there: readonly (string | undefined)[],
  pairs: readonly LinePair[],
  text: string,
): (line: string) => string | undefined {
  if (pairs.every(([edit, file]) => edit.trim() === '' || indentOf(edit) === indentOf(file))) return (line) => line
  const frame = chooseFrame(lines, there)
  if (frame === 'unclear') return () => undefined
  if (frame === 'file') return (line) => line
  const isAligned = /^\t+ {2}/m.test(text)
  return makeReindenter(pairs, isAligned ? lines.map((line) => plainIndent(line.text)) : undefined)
}

/** Whose indentation the new lines have: that of the old lines, or already the file's. */
export function chooseFrame(
  lines: readonly HunkLine[],
  there: readonly (string | undefined)[],
): TextSide | 'unclear' | undefined {
  const old = lines.filter(({ mark }) => mark !== '+').map(({ text }) => plainIndent(text))
  const fresh = lines.filter(({ mark }) => mark !== '-').map(({ text }) => plainIndent(text))
  const frameBy = (own: number, at: number): TextSide[] => {
    const [edit = '', file, line = ''] = [old[own], there[own], fresh[at]]
    const is = file === undefined ? indentOf(edit) : indentOf(plainIndent(file))
    if (!hasText(edit) || indentOf(edit) === is) return []
    return indentOf(line) === indentOf(edit) ? ['old'] : indentOf(line) === is ? ['file'] : []
  }
  const [first] = frameBy(old.findIndex(hasText), fresh.findIndex(hasText))
  const trimmed = [old, fresh].map((side) => side.map((line) => line.trim()))
  const frames = new Set(findCommonPairs(trimmed[0] ?? [], trimmed[1] ?? []).flatMap(([own, at]) => frameBy(own, at)))
  if (frames.size > 1 || (frames.size === 0 && first === undefined && fresh.some(hasText))) return 'unclear'
  const [frame = first] = frames
  // Lines that are put into a block may have the file's indentation by chance, but the first one begins where it should.
  return first === 'old' ? first : frame
}

type TextSide = 'old' | 'file'

/** What `foldText` leaves alone is `other`. */
type CharacterClass = Exclude<CharacterKind, 'angle'> | 'accent' | 'other'

function classOf(unit: string): CharacterClass {
  if (/\p{M}/u.test(unit)) return 'accent'
  const kind = findCharacterKind(unit)
  return kind === undefined || kind === 'angle' ? 'other' : kind
}

const punctuation: readonly CharacterClass[] = ['quote', 'dash', 'dots']

const characterUnits = (text: string): string[] => text.match(/\P{M}\p{M}*|\p{M}+/gsu) ?? []
const splitWords = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}_]+|\.\.\.|\P{M}\p{M}*/gsu) ?? []

/** What the characters of old lines are in the file. */
class CharacterEvidence {
  readonly #text: string
  readonly #renderings = new Map<string, Set<string>>()
  readonly #damaged = new Set<CharacterClass>()
  readonly #sound = new Set<CharacterClass>()

  constructor(pairs: readonly LinePair[], text: string) {
    this.#text = text
    for (const [edit, file] of pairs) {
      if (edit === file && hasOnlyAscii(edit)) continue
      for (const [own, other] of segmentsOf(edit.trim(), file.trim())) {
        this.#renderings.set(own, (this.#renderings.get(own) ?? new Set()).add(other))
        const kind = classOf(own)
        if (own !== other && (!hasOnlyAscii(own) || !hasOnlyAscii(other)))
          this.#damaged.add(hasOnlyAscii(own) ? 'other' : kind)
        else if (!hasOnlyAscii(own)) this.#sound.add(kind)
      }
      const space = /^[\s\u200b\u2060\ufeff]*/.exec(edit)?.[0] ?? ''
      if (/[^ \t]/.test(space) && !/[^ \t]/.test(/^\s*/.exec(file)?.[0] ?? '')) this.#damaged.add('space')
    }
  }

  get isEmpty(): boolean {
    return this.#damaged.size === 0
  }

  /** New lines with the characters of the file in what they share with the old ones, and the same repair elsewhere. */
  rewritten({ removed, added }: ReplacedLines): string[] | undefined {
    const old = removed.flatMap(({ edit, file }) => [...tokensOfPair(edit, file), newline])
    const fresh = added.flatMap((line) => [...splitWords(line), '\n'])
    const shared = new Map(
      findCommonPairs(
        old.map(({ text }) => text),
        fresh,
      ).map(([from, to]) => [to, old[from]?.file]),
    )
    const rows: string[] = ['']
    for (const [at, word] of fresh.entries()) {
      const kept = shared.get(at)
      const own = kept ?? this.#repaired(word)
      if (own === undefined) return undefined
      if (word === '\n') rows.push('')
      else rows[rows.length - 1] += own
    }
    return rows.slice(0, -1)
  }

  #repaired(word: string): string | undefined {
    if (hasOnlyAscii(word)) return word
    let text = ''
    for (const unit of characterUnits(word)) {
      const own = this.#repairedUnit(unit)
      if (own === undefined) return undefined
      text += own
    }
    return text
  }

  #repairedUnit(unit: string): string | undefined {
    if (hasOnlyAscii(unit)) return unit
    const known = this.#renderings.get(unit)
    if (known !== undefined) return known.size === 1 ? [...known][0] : undefined
    const kind = classOf(unit)
    if (kind === 'other') return unit
    if (this.#text.includes(unit)) return this.#damaged.has(kind) ? undefined : unit
    // Dashes and dots are written by hand too, but not beside quotes that a program has curled.
    if (kind === 'dash' || kind === 'dots') return punctuation.some((one) => this.#damaged.has(one)) ? undefined : unit
    // Another kind of damage than the one that shows: it is unknown which.
    return this.#damaged.has(kind) && !this.#sound.has(kind) ? foldText(unit) : undefined
  }
}

const hasOnlyAscii = (text: string): boolean => !/[\x80-\uffff]/.test(text)

interface AdaptedToken {
  readonly text: string
  /** As the file has it, where that is known. */
  readonly file: string | undefined
}

const newline: AdaptedToken = { text: '\n', file: '\n' }

function tokensOfPair(edit: string, file: string | undefined): AdaptedToken[] {
  const segments = segmentsOf(edit.trim(), file?.trim() ?? '')
  const lead = edit.length - edit.trimStart().length
  const ends = new Map<number, number>([[lead, 0]])
  const rendered: string[] = []
  let offset = lead
  for (const [own, other] of segments) {
    offset += own.length
    rendered.push(other)
    ends.set(offset, rendered.length)
  }
  let at = 0
  return splitWords(edit).map((text) => {
    const from = ends.get(at)
    const to = ends.get((at += text.length))
    return { text, file: from === undefined || to === undefined ? undefined : rendered.slice(from, to).join('') }
  })
}

/** Two texts that are the same when folded, as the smallest parts that are. Nothing when they are not. */
function segmentsOf(edit: string, file: string): [string, string][] {
  if (edit === file) return characterUnits(edit).map((unit) => [unit, unit])
  if (foldText(edit) !== foldText(file)) return []
  const segments: [string, string][] = []
  const left = characterUnits(edit)
  const right = characterUnits(file)
  let [own, other] = ['', '']
  for (let i = 0, j = 0; i < left.length || j < right.length;) {
    const [a, b] = [foldText(own).length, foldText(other).length]
    if (i < left.length && (a <= b || j >= right.length)) own += left[i++]
    else other += right[j++]
    if (foldText(own) !== foldText(other) || own === '' || other === '') continue
    segments.push([own, other])
    ;[own, other] = ['', '']
  }
  const last = segments.at(-1)
  if (last !== undefined) segments[segments.length - 1] = [last[0] + own, last[1] + other]
  return segments
}
