/**
 * Lines that a model writes for others which it leaves out, `// ... existing code ...` or the like. They are never
 * written into a file that does not have them: the lines left out stay, where the lines around them say which
 * these are.
 */
import type { Elision } from '../core/place.ts'
import { formatCount } from '../core/words.ts'
import { Source } from '../core/source.ts'
import { adaptNewLines } from './adapt.ts'
import { commentMarksFor } from './comment-marks.ts'
import { FileLines, views } from './file-lines.ts'
import { makeHunkLines } from './matcher.ts'
import { indentOf } from './reindent.ts'
import { lacksBeginning, lacksEnd } from './whole-file.ts'

/** The first such line of a text for `path`, without the whitespace around it; undefined where there is none. */
export function findElision(lines: readonly string[], path: string): string | undefined {
  return elisionsIn(lines, path).map((at) => lines[at]?.trim())[0]
}

/** The first such line that the file does not have. */
export function findNewElision(content: string, path: string, text: string): Elision | undefined {
  const lines = content.split(/\r?\n/)
  const at = elisionsIn(lines, path).find((one) => !hasLine(text, lines[one]?.trim() ?? ''))
  return at === undefined ? undefined : elisionAt(lines, at, 'only-new')
}

export type Resolved =
  | { readonly kind: 'none' }
  /** Old and new lines written out; `kept` says which lines stay, for each elision. */
  | {
      readonly kind: 'resolved'
      readonly old: readonly string[]
      readonly fresh: readonly string[]
      readonly kept: readonly string[]
    }
  | Undetermined

export interface Undetermined extends Elision {
  readonly kind: 'undetermined'
  /** The lines it may replace, as far as known. */
  readonly replaced?: readonly string[]
}

/** An edit of `text` with its elisions written out. */
export function resolveElisions(
  old: readonly string[],
  fresh: readonly string[],
  path: string,
  text: string,
  extent: 'edit' | 'file' = 'edit',
): Resolved {
  const isNew = (line: string): boolean => !hasLine(text, line.trim())
  const inNew = elisionsIn(fresh, path).filter((at) => isNew(fresh[at] ?? ''))
  const inOld = elisionsIn(old, path).filter((at) => isNew(old[at] ?? ''))
  const [first] = inNew
  if (first === undefined && inOld.length === 0) return { kind: 'none' }
  const [firstOld] = inOld
  if (firstOld === undefined) {
    const resolved = inNewOnly(old, fresh, inNew, extent === 'file')
    return resolved ?? { kind: 'undetermined', ...elisionAt(fresh, first ?? 0, 'only-new'), replaced: old }
  }
  if (inOld.length !== inNew.length)
    return { kind: 'undetermined', ...elisionAt(old, firstOld, inNew.length === 0 ? 'only-old' : 'unequal') }
  const resolved = inBoth(splitAtElisions(old, inOld), splitAtElisions(fresh, inNew), new FileLines(new Source(text)))
  return resolved ?? { kind: 'undetermined', ...elisionAt(old, firstOld, 'not-found') }
}

const elisionAt = (lines: readonly string[], at: number, why: Elision['why']): Elision => ({
  line: lines[at]?.trim() ?? '',
  at: at + 1,
  why,
})

function elisionsIn(lines: readonly string[], path: string): number[] {
  const found: number[] = []
  let fence: string | undefined
  const isMarkdown = /\.(?:mdx?|markdown)$/i.test(path)
  for (const [at, line] of lines.entries()) {
    const mark = isMarkdown ? /^\s*(```+|~~~+)/.exec(line)?.[1] : undefined
    if (mark !== undefined) fence = fence === undefined ? mark : mark.startsWith(fence) ? undefined : fence
    else if (fence === undefined && isElision(line.trim(), path)) found.push(at)
  }
  return found
}

function isElision(line: string, path: string): boolean {
  if (line.length > 200 || /^(?!rem\b)[\w\s]|^$/i.test(line)) return false
  if (/^(?:\.{3}|\u2026)$/.test(line)) return !mayBeText.test(path)
  // No language has it, and in texts it speaks of the file too: "(rest of README unchanged)", "... (rest unchanged)".
  const aside = /^(?:\.{3}|\u2026)?\s*([([].*[)\]])$/.exec(line)?.[1]
  if (aside !== undefined && [rest, same, unchanged].some((form) => form.test(aside))) return true
  const [, mark = '', said] = comment.exec(line) ?? []
  const words = said?.replace(/^[-=~*<\s]+|[-=~*>\s]+$/g, '')
  if (words === undefined || !isCommentOf(mark.toUpperCase(), path)) return false
  if ([dots, rest, same, unchanged, existing, omitted].some((form) => form.test(words))) return true
  // In English only ASCII is used, and the words of other languages are many.
  return (
    (/[^\0-\x7f]/.test(words) || translatedStart.test(words)) && translatedElisions().some((form) => form.test(words))
  )
}

/** Three dots alone are code in Python, and text in texts. */
const mayBeText = /\.(?:pyi?|ipynb|mdx?|markdown|txt|rst|adoc|tex|ya?ml)$|(?:^|[/\\])[^./\\]*$/i

const comment =
  /^(\/\/+|\/\*+|#+|--+|;+|%+|<!--+|\{\/\*+|["']{3}|\(\*+|rem\b|["'!])(.*?)(?:\*+\/\}?|--+>|["']{3}|\*+\))?$/i

/** Whether a mark opens a comment in the language of a file; languages that are not known take any. */
function isCommentOf(mark: string, path: string): boolean {
  const own = commentMarksFor(path)?.open
  if (own === undefined) return !/^["'!]$/.test(mark)
  if (mark.startsWith(own) || others.some(([open, files]) => mark.startsWith(open) && files.test(path))) return true
  if (own === '//') return mark.startsWith('/*') || mark.startsWith('{/*')
  if (own === '#') return /^["']{3}/.test(mark)
  return own === '<!--' && !/\.(?:md|markdown)$/i.test(path) ? mark.startsWith('//') || mark.startsWith('/*') : false
}

/** Marks of languages that have more than one. */
const others: readonly (readonly [open: string, files: RegExp])[] = [
  ['#', /\.php$/i],
  ['/*', /\.(?:sql|nix|tf|hcl)$/i],
  ['//', /\.(?:tf|hcl|fs|fsx|fsi)$/i],
  ['(*', /\.(?:fs|fsx|fsi)$/i],
  [';', /\.(?:ini|cfg|conf)$/i],
]

/** Nothing but dots, dots around some words, or dots before words for what is there already. */
const dots =
  /^[[(]?(?:\.{3}|\u2026)(?:[^.\u2026]*(?:\.{3}|\u2026)|[^.\u2026]*\b(?:existing|rest|remain\w*|unchanged|previous|same|others?|more|omitted|stays?|as before|as is)\b[^.]*)?[\])]?$/i

/** The same without dots, as a whole sentence. */
const rest =
  /^[[(]?(?:keep\s+)?(?:the\s+)?rest of (?:the |your |this )?(?:existing )?(?:code|file|function|method|class|component|implementation|document|styles|readme(?:\.md)?)\s*(?:(?:remains|stays|is|goes)?\s*(?:unchanged|the same|as is|as before|here))?[\])]?\.{0,3}$/i

const same =
  /^[[(]?(?:(?:all |the )*(?:imports?|others?|previous|remaining|existing|rest|everything else)\b[^.]{0,60}\b(?:unchanged|the same|as is|as before|stays?|remains?)|same (?:as|code|imports?)\b[^.]{0,40})[\])]?\.{0,3}$/i

const unchanged =
  /^[[(]?(?:(?:the\s+)?(?:existing|previous|other|remaining|rest)\s*(?:of\s+(?:the\s+)?)?(?:code|file|lines|methods|functions|imports|class|function)?\s*(?:(?:is|are|remains?|stays?)\s+)?)?unchanged[\])]?$/i

const existing =
  /^\W*snip\W*$|^[[(]?(?:todo:?\s+)?(?:keep\s+(?:the\s+|your\s+|all\s+)*(?:existing|previous|original|remaining)\s+\w+|(?:existing|previous|remaining)\s+(?:code|implementation|logic|content|\w+\s+(?:goes\s+)?here))(?:\s+(?:goes\s+)?(?:here|continues|follows|as is))?[\])]?\.{0,3}$/i

const omitted =
  /^[[(]?(?:(?:\w+ ){0,4}omitted for brevity|omitted|keep (?:everything else|all else|the rest)(?: (?:as is|the same|unchanged))?)[\])]?\.{0,3}$/i

/** What stays or is left out, in the languages that people write to models in: "其余代码保持不变", "Rest bleibt unverändert". */
const translatedElisions = (): readonly RegExp[] =>
  (knownTranslated ??= translations.map(
    ([what, stays, alone]) =>
      new RegExp(`^[[(（【]?(?:(?:${what}).{0,40}(?:${stays})|(?:${alone}))[\\])）】]?[.。…]{0,3}$`, 'iu'),
  ))
let knownTranslated: readonly RegExp[] | undefined

const translatedStart =
  /^[[(]?(?:rest|der rest|alles|bestehend|vorhanden|bisherig|reste|le reste|code|resto|el resto|o resto|il resto|sin|sem|demais|todo)/i

/** What speaks of the lines, what is said of them, and what says both. */
const translations: readonly (readonly [what: string, stays: string, alone: string])[] = [
  [
    '其余|其他|其它|剩余|余下|原有|现有|已有|之前|以上|以下|前面|后面|其餘|剩餘|現有|後面',
    '不变|不變|省略|相同|一样|一樣|同上|略|不需要修改|无需修改',
    '保持不变|保持不變|保持原样|省略|同上|(?:此处)?(?:省略|保留).{0,12}(?:代码|部分|内容|方法|函数|逻辑|程式碼)|(?:其余|其他|现有|原有|剩余|已有|之前)的?(?:代码|部分|内容|方法|函数|逻辑|导入)',
  ],
  [
    '残り|既存|他の|その他|以下|以上|前の',
    '同じ|変更なし|そのまま|省略|同様',
    '省略|中略|以下省略|以下同じ|変更なし|(?:既存|残り)の(?:コード|処理|部分|内容|メソッド|関数)',
  ],
  ['나머지|기존|이전', '(?:동일|그대로|생략|유지|변경|같).{0,8}', '생략|(?:기존|나머지) (?:코드|내용|부분|로직)'],
  [
    '(?:der )?rest|restliche[rns]?|übrige[rns]?|bestehende[rns]?|vorhandene[rns]?|bisherige[rns]?|alles (?:andere|weitere|übrige)',
    'unverändert|gleich|identisch|wie (?:bisher|zuvor|vorher|gehabt)',
    'unverändert|(?:bestehende|vorhandene|restliche|übrige|bisherige)[rns]? (?:code|inhalt|methoden|funktionen)',
  ],
  [
    '(?:le )?reste|(?:les )?autres|code existant',
    'inchangé(?:e?s?)|identiques?|ne changent? pas|comme avant',
    'inchangé|code existant|(?:le )?reste du (?:code|fichier)',
  ],
  [
    '(?:el )?resto|(?:los |las )?demás|código existente',
    'sin cambios|igual|no cambia|se mantienen?|permanecen?(?: igual)?',
    'sin cambios|código existente|(?:el )?resto del (?:código|archivo)',
  ],
  [
    '(?:o )?(?:restante|resto)|(?:os |as )?demais|código existente',
    'sem alterações|inalterad[oa]s?|igual|permanecem?|mantém',
    'sem alterações|código existente|(?:o )?resto(?:ante)? do (?:código|arquivo)',
  ],
  [
    '(?:il )?resto|codice esistente',
    'invariato|uguale|come prima|non cambia',
    'invariato|codice esistente|(?:il )?resto del (?:codice|file)',
  ],
  [
    'остальн[а-яё]*|существующ[а-яё]*|прежн[а-яё]*',
    'без изменений|не (?:из)?меня[а-яё]+|как (?:было|раньше|есть)|прежн[а-яё]+',
    'без изменений|(?:существующий|остальной) код|остальн[а-яё]+ (?:часть|методы|функции)(?: файла| кода)?',
  ],
]

const hasLine = (text: string, line: string): boolean =>
  line !== '' && text.includes(line) && text.split('\n').some((own) => own.trim() === line)

/** The lines between elisions. */
function splitAtElisions(lines: readonly string[], elisions: readonly number[]): string[][] {
  const edges = [-1, ...elisions, lines.length]
  return edges.slice(1).map((end, nth) => lines.slice((edges[nth] ?? 0) + 1, end))
}

/** An elision of the new text represents the old lines between its neighbours. */
function inNewOnly(
  old: readonly string[],
  fresh: readonly string[],
  elisions: readonly number[],
  isFile: boolean,
): Resolved | undefined {
  const parts = splitAtElisions(fresh, elisions).map((part) => (part.every(isBlankOrMissing) ? [] : part))
  const written: string[] = []
  const kept: string[] = []
  let from = 0
  for (const [nth, part] of parts.entries()) {
    const elision = fresh[elisions[nth] ?? fresh.length]
    if (elision === undefined) {
      if (isFile && leavesOutOldLines(old.slice(from), part, 'after')) return undefined
      written.push(...part)
      break
    }
    const after = part.length === 0 ? { line: from, lines: part } : partEnd(old, part, from, elision)
    if (after === undefined) return undefined
    if (isFile && leavesOutOldLines(old.slice(from, after.line), part, nth === 0 ? 'before' : 'between'))
      return undefined
    const next = parts[nth + 1] ?? []
    const end = next.length === 0 ? old.length : findPart(old, next, after.line)
    if (end === undefined || end < after.line) return undefined
    // The empty lines before the next part are among those that are kept.
    if (isBlankOrMissing(next[0]) && !isBlankOrMissing(old[end]))
      parts[nth + 1] = next.slice(next.findIndex((line) => !isBlankOrMissing(line)))
    written.push(...after.lines, ...old.slice(after.line, end))
    const count = end - after.line - (end === old.length && old.at(-1) === '' ? 1 : 0)
    kept.push(`${elision.trim()} represents ${formatCount(count, 'line')}, kept`)
    from = end
  }
  return { kind: 'resolved', old, fresh: written, kept }
}

const isBlankOrMissing = (line: string | undefined): boolean => line?.trim() === ''

/** The line after a part, and what is written for it: the lines below may begin with the empty ones at its end. */
function partEnd(
  old: readonly string[],
  part: readonly string[],
  from: number,
  elision: string,
): { readonly line: number; readonly lines: readonly string[] } | undefined {
  const asWritten = onlyPlace(old, part.toReversed(), from, -1)
  if (asWritten !== undefined) return { line: asWritten + 1, lines: part }
  const lines = part.slice(0, part.findLastIndex((line) => !isBlankOrMissing(line)) + 1)
  const last = onlyPlace(old, lines.toReversed(), from, -1)
  const line = last === undefined ? blockEnd(old, lines, from, indentOf(elision).length) : last + 1
  return line === undefined ? undefined : { line, lines: isBlankOrMissing(old[line]) ? lines : part }
}

/** The first line of a part. */
const findPart = (old: readonly string[], part: readonly string[], from: number): number | undefined =>
  onlyPlace(old, part, from, 1) ??
  onlyPlace(old, part.slice(part.findIndex((line) => !isBlankOrMissing(line))), from, 1)

/** Where the first of some lines is, up or down from which the others are: as many of them as make it clear. */
function onlyPlace(old: readonly string[], lines: readonly string[], from: number, step: 1 | -1): number | undefined {
  for (let height = 1; height <= Math.min(4, lines.length); height++) {
    const wanted = lines.slice(0, height)
    if (wanted.every(isBlankOrMissing)) continue
    const found: number[] = []
    for (let at = from; at < old.length; at++) {
      if (wanted.every((line, nth) => old[at + nth * step]?.trimEnd() === line.trimEnd())) found.push(at)
    }
    if (found.length <= 1) return found[0]
  }
  return undefined
}

/**
 * Where the last block of a part ends in the old lines, which have its first line once. A block that an elision is in,
 * by its indentation, does not end there.
 */
function blockEnd(old: readonly string[], part: readonly string[], from: number, deepest: number): number | undefined {
  const own = lastBlock(part, deepest)
  if (own === undefined) return undefined
  const first = onlyPlace(old, [own[0] ?? ''], from, 1)
  if (first === undefined) return undefined
  const end = endOfBlock(old, first)
  const last = old[end - 1]?.trimEnd() ?? ''
  // It may end inside the block that is in the old lines; and what became much shorter may have been left out without a word.
  const isOpen = goesOn.test(last.trim()) && last !== own.at(-1)?.trimEnd()
  return isOpen || isMuchShorter(own, old.slice(first, end)) ? undefined : end
}

/** The last block of some lines, whole: a line at the least indentation, and what is deeper below it. */
function lastBlock(lines: readonly string[], least: number): readonly string[] | undefined {
  const depths = lines.map((line) => (isBlankOrMissing(line) ? Infinity : indentOf(line).length))
  const depth = Math.min(...depths.filter((one) => one >= least))
  const first = lines.findLastIndex((line, at) => depths[at] === depth && !goesOn.test(line.trim()))
  if (first === -1 || depths.slice(first).some((one) => one < depth)) return undefined
  return lines.slice(first)
}

function endOfBlock(lines: readonly string[], first: number): number {
  const depth = indentOf(lines[first] ?? '').length
  let end = first + 1
  for (let at = end; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (isBlankOrMissing(line)) continue
    if (indentOf(line).length < depth || (indentOf(line).length === depth && !goesOn.test(line.trim()))) break
    end = at + 1
  }
  return end
}

/** Lines that do not begin a block although they are as deep as its first one. */
const goesOn = /^(?:[\])}]|(?:end|fi|done|esac|else|elif|elsif|except|rescue|ensure|finally|catch)\b|<\/)/

/** Whether a part that is to be a whole file, up to an elision or from one on, has nothing for lines that it replaces. */
const leavesOutOldLines = (
  old: readonly string[],
  part: readonly string[],
  where: 'before' | 'between' | 'after',
): boolean =>
  (where === 'before' && lacksBeginning(old, part)) ||
  (where === 'after' && lacksEnd(old, part)) ||
  isMuchShorter(part, old)

function isMuchShorter(lines: readonly string[], old: readonly string[]): boolean {
  const [has, had] = [lines, old].map((all) => all.filter((line) => !isBlankOrMissing(line)).length)
  return (has ?? 0) * 3 < (had ?? 0) * 2
}

/** Elisions of both texts represent the file's lines between the parts, which follow one another in it. */
function inBoth(old: readonly string[][], fresh: readonly string[][], file: FileLines): Resolved | undefined {
  for (const view of views) {
    const placed = placedParts(old, fresh, file, view)
    if (placed === undefined) continue
    const whole: string[] = []
    const written: string[] = []
    const kept: string[] = []
    let at: number | undefined
    for (const [nth, part] of old.entries()) {
      const first = placed[nth] ?? 0
      if (at !== undefined && part.length > 0) {
        const between = Array.from({ length: first - at }, (_, by) => file.line((at ?? 0) + by))
        whole.push(...between)
        written.push(...between)
        kept.push(`an elision represents ${formatCount(first - at, 'line')}, kept`)
      }
      if (part.length === 0) continue
      const there = part.map((_, by) => file.line(first + by))
      const lines = makeHunkLines(part, fresh[nth] ?? [])
      const added = adaptNewLines(lines, there, file.text)
      if (added === undefined) return undefined
      let [own, taken] = [0, 0]
      for (const { mark } of lines) {
        if (mark === '+') written.push(added[taken++] ?? '')
        else if (mark === ' ') written.push(there[own] ?? '')
        if (mark !== '+') own++
      }
      whole.push(...there)
      at = first + part.length
    }
    return { kind: 'resolved', old: whole, fresh: written, kept }
  }
  return undefined
}

function placedParts(
  old: readonly string[][],
  fresh: readonly string[][],
  file: FileLines,
  view: (typeof views)[number],
): number[] | undefined {
  const placed: number[] = []
  let from = 0
  let isFirst = true
  for (const [nth, part] of old.entries()) {
    if (part.length === 0) {
      // At an edge it represents lines that are no part of the edit; in the middle it is not known where it ends.
      if ((nth > 0 && nth < old.length - 1) || (fresh[nth]?.length ?? 0) > 0) return undefined
      placed.push(from)
      continue
    }
    const found = file.find(part, view).filter((at) => at >= from)
    const [first] = found
    const isSame = JSON.stringify(part) === JSON.stringify(fresh[nth])
    if (first === undefined || (found.length > 1 && (isFirst || !isSame))) return undefined
    placed.push(first)
    from = first + part.length
    isFirst = false
  }
  return placed
}
