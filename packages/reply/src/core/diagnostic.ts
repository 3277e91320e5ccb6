/** Something wrong in the text of a reply, as data. `report/diagnostics/` has the words. */
export type Diagnostic = DiagnosticOf<DiagnosticCode>

export type DiagnosticOf<Code extends DiagnosticCode> = FactOf<Code> & {
  readonly range: TextRange
  readonly excerpt: Excerpt
  /** Of one that belongs to no block: the syntax the text was read as, and the text that it costs. */
  readonly syntax?: string | undefined
  readonly raw?: string | undefined
}

/** What the reader of a line or an element knows of a diagnostic. Without a column the whole line is meant. */
export type Finding = FactOf<DiagnosticCode> & {
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly length?: number | undefined
}

export type DiagnosticCode = keyof DiagnosticData

/** A code with its data; most codes need none. */
export type FactOf<Code extends DiagnosticCode> = {
  [One in Code]: DiagnosticData[One] extends undefined
    ? { readonly code: One; readonly data?: undefined }
    : { readonly code: One; readonly data: Readonly<DiagnosticData[One]> }
}[Code]

/** Lines and columns count from 1, in UTF-16 units. */
export interface TextRange {
  readonly line: number
  readonly column: number
  readonly length: number
}

export interface Excerpt {
  /** The line of the diagnostic; empty past the end of the text. */
  readonly line: string
  /** Five lines around it. */
  readonly around: string
}

/** What a program on the way may have done to a text; `text/undamage.ts` knows the signs. */
export type DamageKind = 'spaces' | 'invisible' | 'punctuation' | 'entities' | 'escapes' | 'breaks'

interface Delimited {
  /** The delimiters of CSL markers. */
  readonly delimiters: { readonly start: string; readonly end: string }
}

/** What to write instead of a line of a SHAM block: this text, an empty text, or a heredoc. */
export type Instead =
  | { readonly write: string }
  | { readonly emptyKey: string }
  | { readonly key: string; readonly delimiter: string }

/** The data of every code. A `line` is another line than the one that the diagnostic is on. */
export interface DiagnosticData {
  'stopped-by': { line: number }
  /** The words of a syntax of the caller's own. */
  'own-syntax': { said: string }
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
  'sham-no-key': undefined
  'sham-key-indented': { character: string; position: number; write: string }
  'sham-key': { character: string; position: number; example: string }
  'sham-key-long': undefined
  'sham-key-twice': { key: string; id: string }
  'sham-quote': { key: string; delimiter: string; isEscaped: boolean }
  'sham-after-value': undefined
  'sham-delimiter': { key: string; delimiter: string }
  'sham-heredoc': { delimiter: string; line: number; again: number | undefined; end: number }
  'sham-heredoc-cut': { delimiter: string; line: number; id: string; header: number }
  'sham-follows': { id: string }

  'csl-attribute': undefined
  'csl-attribute-equals': { name: string }
  'csl-attribute-value': { name: string }
  'csl-attribute-unquoted': { name: string; value: string }
  'csl-attribute-open': Delimited
  'csl-attribute-twice': { name: string }
  'csl-malformed': Delimited & { meant: string }
  'csl-no-marker': Delimited
  'csl-not-alone': undefined
  'csl-trailing': { hasCr: boolean }
  'csl-unknown': { name: string; operations: readonly string[] }
  'csl-misplaced': Delimited & { name: string; place: string }
  'csl-nested': undefined
  'csl-stray-end': Delimited
  'csl-end-attributes': Delimited
  'csl-no-replace': Delimited
  'csl-open': Delimited & { name: string }
  /** An operation begins in the content of another, below a line that only damage keeps from ending it. */
  'csl-damaged-end': Delimited & { name: string; inner: string; innerLine: number }
  'csl-no-file': { name: string }
  'csl-no-lang': undefined
  'csl-count': undefined
  'csl-flag': { attribute: 'append' | 'atomic' }
  'csl-empty': { name: 'RUN' | 'EXEC' | 'SEARCH' | 'TO' }
  'csl-skipped': { line: number; name?: string }

  'cml-cut': { name: string }
  'cml-endless': { name: string; part: 'A comment' | 'CDATA' }
  'cml-follows': { name: string; line: number }
  'cml-in-comment': { line: number }
  'cml-mid-line': undefined
  'cml-version': { version: string }
  'cml-declaration': undefined
  'cml-inner-cdata': undefined
  'cml-deep': { most: number }
  'cml-outside-cdata': undefined
  'cml-no-end': { name: string }
  /** `said`: the words of the XML parser. */
  'cml-xml': { said: string; about: 'element' | 'tag' | 'twice' | 'quotes' | 'reference' | 'character'; name: string }
  'cml-no-attribute': { name: string; attribute: string }
  'cml-empty-attribute': { name: string; attribute: string }
  'cml-no-content': { name: string }
  'cml-no-part': { part: string }
  'cml-empty-part': { part: string }
  'cml-part-twice': { part: string }
  'cml-two-searches': undefined
  'cml-beside-parts': undefined
  'cml-count': { count: string }
  'cml-empty-command': undefined
  'cml-atomic': undefined
  'cml-not-empty': { name: string }
  'cml-unknown': { name: string; within: string }
  'cml-in-tasks': undefined
  'cml-nested': undefined

  'replacer-overrun': { marker: string; section: string; line: number; first: number; last: number; isCut: boolean }
  'replacer-open': { section: string; first: number }
  'replacer-without': { marker: string; missing: 'FILE' | 'SEARCH' | 'REPLACE' }
  'replacer-stray-end': undefined
  'replacer-second-file': undefined
  'replacer-no-path': undefined
  'replacer-below-path': undefined
  'replacer-empty-search': undefined

  'patch-in-call': { line: number; inner: FactOf<DiagnosticCode> }
  'patch-open': { first: number; last: number }
  'patch-stray-end': undefined
  'patch-outside': undefined
  'patch-empty': undefined
  'patch-no-path': undefined
  'patch-move': undefined
  'patch-no-change': { where: 'section' | 'end' }
  'patch-unmarked': { row: string }
  'patch-unknown': { row: string; where: 'before' | 'marker' | 'deleted' }

  'search-open': undefined
  'search-stray': undefined
  'search-none': undefined
  'search-inside': { first: number; last: number }
  'search-after-head': undefined
  'search-no-divider': undefined
  'search-two-dividers': { line: number }
  'search-nameless': undefined
  'search-cut': { by: number }

  'diff-open': undefined
  'diff-short': undefined
  'diff-nameless': { isCut: boolean }
  'diff-binary': undefined
  'diff-mode': { is: 'link' | 'submodule' }
  'diff-name': { name: string }
  'diff-no-new-name': undefined
  'diff-unclear': undefined
  'diff-half': { what: 'rename' | 'copy' }
  'diff-no-file': undefined
  'diff-two-files': { old: string; new: string }
  'diff-copy': undefined
  'diff-old-lines': undefined
  'diff-new-lines': undefined
  'diff-no-change': { hasMode: boolean }

  /** `closer` is missing where it is the end of JSON. */
  'call-open': { closer?: string; isLater?: boolean }
  /** `paths`: the files that can be read in it. */
  'call-no-json': { line: number; paths: readonly string[] }
  'call-without': { name: string }
  /** `path`: the text ends where this file should begin. */
  'file-open': { in: 'fence' | 'other'; path?: string | undefined }
  'file-by-shell': { unknown: 'path' | 'text' }
  'files-in-fence': { paths: readonly string[] }
  'lines-open': undefined
  'lines-no-file': undefined
}
