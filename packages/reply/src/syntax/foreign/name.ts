import { type Source, textFrom } from '../../core/source.ts'
import { type Fence, rowAt } from '../../regions/fences.ts'

/**
 * The file that a line names, when it does nothing else. Comment and list marks, a heading, `File:`, quotes,
 * backticks, bold, a colon, line numbers or a remark in parentheses at the end may be around the name; a sentence that
 * mentions a file names none.
 */
export function nameIn(line: string): string | undefined {
  if (line.length > LONG) return undefined
  let text = line.trim()
  if (isPlainName(text)) return text
  let marked = false
  for (;;) {
    const before = text
    for (const { pattern, marks } of around()) {
      const inner = pattern.exec(text)?.groups?.['name']
      if (inner === undefined) continue
      text = inner.trim()
      marked ||= marks
    }
    if (text === before) break
  }
  return looksLikeName(text, marked) ? text : undefined
}

/** What most names look like; the rest takes longer. */
export const isPlainName = (text: string): boolean => PLAIN.test(text)
const PLAIN = /^(?:[a-zA-Z0-9.-][\w.-]*\/)*[a-zA-Z0-9-][\w-]*\.\w*[a-zA-Z0-9]$/

interface Marks {
  readonly pattern: RegExp
  /** Says that a name is meant. */
  readonly marks: boolean
}

let known: readonly Marks[] | undefined

/** What may be around a name. Made when it is needed: the tables for \p{…} would cost every start two milliseconds. */
const around = (): readonly Marks[] =>
  (known ??= [
    { pattern: /^(?:<!--|\/\*+)(?<name>.+?)(?:-->|\*\/)$/, marks: false },
    { pattern: /^(?:#+|\/\/+|--|;+|%+)\s*(?<name>[^\s#/;%-].*)$/, marks: false },
    { pattern: /^(?:[-*>]|\d+[.)]|(?:[\p{So}\p{Sm}\u2022]\ufe0f?)+)\s+(?<name>.+)$/u, marks: false },
    { pattern: /^\[(?<name>[^\][]+)\]\([^()]*\)$/, marks: false },
    // `<details><summary>src/a.py</summary>`
    { pattern: /^<details(?:\s[^<>]*)?>\s*(?<name><summary>.+)$/, marks: false },
    { pattern: /^<(?<tag>[a-z][\w-]*)>(?<name>[^<>]+)<\/\k<tag>>$/, marks: false },
    // Code Web Chat teaches "### Updated file: `src/a.ts`".
    {
      pattern: /^(?:(?:updated|created|modified|new)\s+)?(?:file[ _-]?(?:name|path)?|path)\s*[:=]\s*(?<name>.+)$/i,
      marks: true,
    },
    { pattern: /^renamed file:\s*`[^`\n]+` \(old\)\s*(?<name>`[^`\n]+`) \(new\)$/i, marks: true },
    { pattern: /^(?<quote>`+|\*\*|__|["'])(?<name>.+)\k<quote>$/, marks: true },
    { pattern: /^(?<name>.*[^:\s])\s*:+$/, marks: false },
    // `src/a.py (new file)`, `src/a.py:12`
    { pattern: /^(?<name>.*\S)\s+\([^()]*\)$/, marks: false },
    { pattern: /^(?<name>.*\.\w+):\d+(?:-\d+)?$/, marks: false },
  ])

/** The file that the words after the marks of a fence name: `py src/a.py`, `py:src/a.py`, `py title="src/a.py"`. */
export function nameInFence({ info }: Fence): string | undefined {
  if (!SEPARATOR.test(info)) return undefined
  const word = info.slice(info.search(/\S+$/))
  if (!isPath(word)) return undefined
  const name = /(?:^|[:=])["'`]?([^"'`:={}]+)["'`]?\}?$/.exec(word)?.[1]
  return name !== undefined && isPath(name) ? name : undefined
}

const SEPARATOR = /[./\\]/

/** The files that a sentence speaks of, as far as known: with directories, or of a kind that code is in. */
export function filesSpokenOf(line: string): string[] {
  if (line.length > LONG) return []
  const words = line.split(/[^\w@.+~/\\-]+/).map((word) => word.replace(/\.+$/, ''))
  return words.filter((word) => !word.startsWith('//') && (/[/\\][^/\\]*\.[a-zA-Z]\w*$/.test(word) || CODE.test(word)))
}

/** No one writes a name or a sentence that is longer. */
const LONG = 1000

const CODE =
  /\.(?:[cm]?[jt]sx?|pyi?|go|rs|java|kt|c|cc|cpp|h|hpp|cs|rb|php|swift|sh|sql|html?|s?css|vue|svelte|json|ya?ml|toml|xml|md|txt|ini|cfg)$/

function looksLikeName(text: string, marked: boolean): boolean {
  if (text === '' || text.length > 1024 || /[<>|"`\0]|^\w+:\/\/|[.!?,;]$/.test(text)) return false
  if (/\s/.test(text)) return marked && isPath(text)
  return marked || isPath(text) || /^(?:[A-Z]\w*file|[A-Z][A-Z_]+)$/.test(text)
}

const isPath = (text: string): boolean => /[/\\]|\.\w+$|^\.\w/.test(text)

/** A name without the quotes or backticks around it; as written otherwise. */
export function stripQuotes(text: string): string {
  const trimmed = text.trim()
  if (!'`"\''.includes(trimmed.charAt(0))) return trimmed
  return /^(`+|["'])(.+)\1$/.exec(trimmed)?.[2]?.trim() ?? trimmed
}

/** The nearest line above that has text, with at most one that is between them. */
export function lineAbove(source: Source, line: number, floor: number): number | undefined {
  for (let above = line - 1; above >= Math.max(floor, line - 2); above--) {
    if (textFrom(source, above) !== -1) return above
  }
  return undefined
}

/** The one file that the line above a fence speaks of, and that line. */
export function spokenAbove(
  source: Source,
  opener: number,
): { readonly path: string; readonly line: number } | undefined {
  const line = lineAbove(source, opener, 1)
  const [path, ...others] = line === undefined ? [] : new Set(filesSpokenOf(rowAt(source, line)))
  return line === undefined || path === undefined || others.length > 0 ? undefined : { path, line }
}
