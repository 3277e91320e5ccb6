/** A case of a `.cases.md` file: a document as a model would write it, and the expected result. */
export interface Case {
  /** The headings above it. */
  readonly name: string
  readonly line: number
  readonly document: string
  /** Expected fields of the last result, or of the whole execution where it has `results`. */
  readonly expected: string
  /** Files before and after, by paths relative to the directory of the case. */
  readonly before: ReadonlyMap<string, string>
  readonly after: ReadonlyMap<string, string>
}

/**
 * The cases of a Markdown text. Below a heading come fences: the first is the document, ```` ```json ```` is the expected
 * result, ```` ```before PATH ```` and ```` ```after PATH ```` are files.
 */
export function readCases(markdown: string): Case[] {
  const cases: Case[] = []
  const headings: string[] = []
  let open: CaseDraft | undefined
  const close = (): void => {
    if (open?.document !== undefined && open.expected !== undefined)
      cases.push({ ...open, document: open.document, expected: open.expected })
    open = undefined
  }
  for (const part of caseParts(markdown)) {
    if (part.kind === 'heading') {
      close()
      headings.splice(part.depth - 1)
      headings[part.depth - 1] = part.text
      open = {
        name: headings.slice(1).filter(Boolean).join(' > '),
        line: part.line,
        before: new Map(),
        after: new Map(),
      }
      continue
    }
    const [, side, file = ''] = /^(before|after) (\S+)/.exec(part.info) ?? []
    if (open === undefined) continue
    if (side === 'before') open.before.set(file, part.text)
    else if (side === 'after') open.after.set(file, part.text)
    else if (open.document === undefined) open.document = part.text
    else open.expected ??= part.text
  }
  close()
  return cases
}

interface CaseDraft {
  readonly name: string
  readonly line: number
  document?: string
  expected?: string
  readonly before: Map<string, string>
  readonly after: Map<string, string>
}

type CasePart =
  | { readonly kind: 'heading'; readonly depth: number; readonly text: string; readonly line: number }
  | { readonly kind: 'fence'; readonly info: string; readonly text: string }

/** Headings and fences, in order. A fence ends at a line of at least as many of its marks. */
function* caseParts(markdown: string): Generator<CasePart> {
  const lines = markdown.split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const [, marks = '', text = ''] = /^(#{1,6}) +(.*?) *#*$/.exec(line) ?? []
    if (marks !== '') yield { kind: 'heading', depth: marks.length, text, line: at + 1 }
    const [, fence = '', info = ''] = /^(`{3,}|~{3,}) *(.*)$/.exec(line) ?? []
    if (fence === '') continue
    const isEnd = (one: string): boolean =>
      one.startsWith(fence) && one.slice(fence.length).replaceAll(fence.charAt(0), '').trim() === ''
    const end = lines.findIndex((one, index) => index > at && isEnd(one))
    const last = end === -1 ? lines.length : end
    yield { kind: 'fence', info: info.trim(), text: lines.slice(at + 1, last).join('\n') }
    at = last
  }
}
