import type { Fence } from './foreign-text.ts'

/**
 * The file that a line names, when it does nothing else. Comment and list marks, a heading, `File:`, quotes,
 * backticks, bold and a colon at the end may be around the name; a sentence that mentions a file names none.
 */
export function nameIn(line: string): string | undefined {
  let text = line.trim()
  if (PLAIN.test(text)) return text
  let marked = false
  for (;;) {
    const before = text
    for (const { pattern, marks } of around) {
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
const PLAIN = /^(?:[a-zA-Z0-9.-][\w.-]*\/)*[a-zA-Z0-9-][\w-]*\.\w*[a-zA-Z0-9]$/

/** What may be around a name. `marks` says that whoever writes it means a name. */
const around: readonly { readonly pattern: RegExp; readonly marks: boolean }[] = [
  { pattern: /^(?:<!--|\/\*+)(?<name>.+?)(?:-->|\*\/)$/, marks: false },
  { pattern: /^(?:#+|\/\/+|--|;+|%+)\s*(?<name>[^\s#/;%-].*)$/, marks: false },
  { pattern: /^(?:[-*>]|\d+[.)])\s+(?<name>.+)$/, marks: false },
  { pattern: /^(?:file[ _-]?(?:name|path)?|path)\s*[:=]\s*(?<name>.+)$/i, marks: true },
  { pattern: /^(?<quote>`+|\*\*|__|["'])(?<name>.+)\k<quote>$/, marks: true },
  { pattern: /^(?<name>.*[^:\s])\s*:+$/, marks: false },
]

/** The file that the words behind the marks of a fence name: `py src/a.py`, `py:src/a.py`, `py title="src/a.py"`. */
export function nameInFence({ info }: Fence): string | undefined {
  const word = info.slice(info.search(/\S+$/))
  if (!isPath(word)) return undefined
  const name = /(?:^|[:=])["'`]?([^"'`:={}]+)["'`]?\}?$/.exec(word)?.[1]
  return name !== undefined && isPath(name) ? name : undefined
}

function looksLikeName(text: string, marked: boolean): boolean {
  if (text === '' || text.length > 1024 || /[<>|"`\0]|^\w+:\/\/|[.!?,;]$/.test(text)) return false
  if (/\s/.test(text)) return marked && isPath(text)
  return marked || isPath(text) || /^(?:[A-Z]\w*file|[A-Z][A-Z_]+)$/.test(text)
}

const isPath = (text: string): boolean => /[/\\]|\.\w+$|^\.\w/.test(text)

/** A name without the quotes or backticks around it; as written otherwise. */
export function unquoted(text: string): string {
  return /^(`+|["'])(.+)\1$/.exec(text.trim())?.[2]?.trim() ?? text.trim()
}
