/** What is wrong with the writing of a block, as facts. `report/mistakes.ts` has the sentences. */
export type Mistake = MistakeOf<keyof Mistakes>

export type MistakeOf<Kind extends keyof Mistakes> = {
  [One in Kind]: { readonly kind: One } & Readonly<Mistakes[One]>
}[Kind]

/** What a program on the way may have done to a text; `text/undamage.ts` knows the signs. */
export type DamageKind = 'spaces' | 'invisible' | 'punctuation' | 'entities' | 'escapes' | 'breaks'

/** Nothing needs to be known but the kind. */
type None = Record<never, never>

interface Delimited {
  /** The delimiters of CSL markers. */
  readonly delimiters: { readonly start: string; readonly end: string }
}

/** What to write instead of a line of a SHAM block: this text, an empty text, or a heredoc. */
export type Instead =
  | { readonly write: string }
  | { readonly emptyKey: string }
  | { readonly key: string; readonly delimiter: string }

/** The facts of every kind of mistake. `line`s are other lines than the one that the mistake is on. */
export interface Mistakes {
  'stopped-by': { line: number }
  damaged: { damage: readonly DamageKind[]; params: readonly string[] }
  /** An escape in the value of `name` makes `character`. */
  'control-character': { name: string; character: string; instead?: Instead }

  'sham-header': { keyword: 'SHAM' | 'NESL'; header: string; isOwnId: boolean }
  'sham-id': { id: string; header: string }
  'sham-end': { marker: string; given: string; id: string; end: string }
  'sham-open': { id: string; end: string }
  'sham-cut': { id: string; end: string; line: number }
  'sham-line': { id: string; instead: Instead | { fence: string } | { delimiter: string } | 'nothing' }
  'sham-value': { instead: Instead }
  'sham-escape': { key: string; instead: Instead }
  'sham-operator': { instead: Instead | 'nothing' }
  'sham-no-key': None
  'sham-key-indented': { character: string; position: number; write: string }
  'sham-key': { character: string; position: number; example: string }
  'sham-key-long': None
  'sham-key-twice': { key: string; id: string }
  'sham-quote': { key: string; delimiter: string; isEscaped: boolean }
  'sham-after-value': None
  'sham-delimiter': { key: string; delimiter: string }
  'sham-heredoc': { delimiter: string; line: number; again: number | undefined; end: number }
  'sham-heredoc-cut': { delimiter: string; line: number; id: string; header: number }
  'sham-follows': { id: string }

  'csl-attribute': None
  'csl-attribute-equals': { name: string }
  'csl-attribute-value': { name: string }
  'csl-attribute-unquoted': { name: string; value: string }
  'csl-attribute-open': Delimited
  'csl-attribute-twice': { name: string }
  'csl-malformed': Delimited & { meant: string }
  'csl-no-marker': Delimited
  'csl-not-alone': None
  'csl-trailing': { hasCr: boolean }
  'csl-unknown': { name: string; operations: readonly string[] }
  'csl-misplaced': Delimited & { name: string; place: string }
  'csl-nested': None
  'csl-stray-end': Delimited
  'csl-end-attributes': Delimited
  'csl-no-replace': Delimited
  'csl-open': Delimited & { name: string }
  'csl-no-file': { name: string }
  'csl-no-lang': None
  'csl-count': None
  'csl-flag': { attribute: 'append' | 'atomic' }
  'csl-empty': { name: 'RUN' | 'EXEC' | 'SEARCH' | 'TO' }
  'csl-skipped': { line: number; name?: string }

  'cml-cut': { name: string }
  'cml-endless': { name: string; part: 'A comment' | 'CDATA' }
  'cml-follows': { name: string; line: number }
  'cml-in-comment': { line: number }
  'cml-mid-line': None
  'cml-version': { version: string }
  'cml-declaration': None
  'cml-inner-cdata': None
  'cml-deep': { most: number }
  'cml-outside-cdata': None
  'cml-no-end': { name: string }
  /** `said`: the words of the XML parser. */
  'cml-xml': { said: string; about: 'element' | 'tag' | 'twice' | 'quotes' | 'reference' | 'character'; name: string }
  'cml-no-attribute': { name: string; attribute: string }
  'cml-empty-attribute': { name: string; attribute: string }
  'cml-no-content': { name: string }
  'cml-no-part': { part: string }
  'cml-empty-part': { part: string }
  'cml-part-twice': { part: string }
  'cml-two-searches': None
  'cml-beside-parts': None
  'cml-count': { count: string }
  'cml-empty-command': None
  'cml-atomic': None
  'cml-not-empty': { name: string }
  'cml-unknown': { name: string; within: string }
  'cml-in-tasks': None
  'cml-nested': None

  'replacer-overrun': { marker: string; section: string; line: number; first: number; last: number }
  'replacer-open': { section: string; first: number }
  'replacer-without': { marker: string; missing: 'FILE' | 'SEARCH' | 'REPLACE' }
  'replacer-stray-end': None
  'replacer-second-file': None
  'replacer-no-path': None
  'replacer-below-path': None
  'replacer-empty-search': None

  'patch-in-call': { line: number; inner: Mistake }
  'patch-open': { first: number; last: number }
  'patch-stray-end': None
  'patch-outside': None
  'patch-empty': None
  'patch-no-path': None
  'patch-move': None
  'patch-no-change': { where: 'section' | 'end' }
  'patch-unmarked': { row: string }
  'patch-unknown': { row: string; where: 'before' | 'marker' | 'deleted' }

  'search-open': None
  'search-stray': None
  'search-none': None
  'search-inside': { first: number; last: number }
  'search-after-head': None
  'search-no-divider': None
  'search-two-dividers': { line: number }
  'search-nameless': { other?: string }

  'diff-open': None
  'diff-nameless': None
  'diff-binary': None
  'diff-name': { name: string }
  'diff-no-new-name': None
  'diff-unclear': None
  'diff-half': { what: 'rename' | 'copy' }
  'diff-no-file': None
  'diff-two-files': { old: string; new: string }
  'diff-copy': None
  'diff-old-lines': None
  'diff-new-lines': None
  'diff-no-change': { hasMode: boolean }

  /** `closer` is missing where it is the end of JSON. */
  'call-open': { closer?: string; isLater?: boolean }
  'call-no-json': { line: number }
  'call-without': { name: string }
  'file-open': { in: 'fence' | 'other' }
  'file-by-shell': { unknown: 'path' | 'text' }
  'lines-open': None
  'lines-no-file': None
}
