/**
 * One language as data. Everything that reads, finds and edits structures works from these rows; no code
 * asks which language it has before it. Lists of node types are words with spaces between.
 */
export interface Language {
  readonly name: string
  /** File extensions, without the dot. */
  readonly extensions: string
  /** Whole file names, in lower case. */
  readonly fileNames?: string
  /** Programs that a `#!` line may name. */
  readonly interpreters?: string
  /** What the info string of a Markdown fence may call it, besides its name and its extensions. */
  readonly fences?: string
  readonly parser: TreeSitterRow | OutlinedRow
  /** Words that may be left out of a header: `export`, `public`. */
  readonly modifiers?: string
  /** What ends a structure of a kind before another one, where the last may go without: `;` in CSS, `,` after an arm in Rust. */
  readonly closers?: Partial<Readonly<Record<Kind, { readonly mark: string; readonly unless: RegExp }>>>
  /** Blank lines between neighbours where the file itself gives no example. */
  readonly blankLines: BlankLines
  /** How content is fitted in. `units` also turns its steps of indentation into the file's; `shift` only moves it. */
  readonly indentation: 'units' | 'shift'
  /** One step of indentation, for files that show none. */
  readonly unit: string
}

export interface BlankLines {
  /** Between structures at the top of the file of which one is longer than a line. */
  readonly top: number
  /** The same inside others. */
  readonly inner: number
  /** Between structures of one line each. */
  readonly single: number
}

export interface TreeSitterRow {
  readonly kind: 'tree-sitter'
  /** The name of the grammar's file. */
  readonly grammar: string
  /** Node types by the kind of structure they are. */
  readonly structures: Partial<Readonly<Record<Kind, string>>>
  /** The same, where the node type alone does not tell: patterns of `find-parts.ts`. */
  readonly patterns?: Partial<Readonly<Record<Kind, readonly string[]>>>
  /** Nodes around a structure that belong to it, such as `export`. */
  readonly wraps?: string
  /** Wraps that are a structure of their own when they hold several: `const a = 1, b = 2`. */
  readonly groups?: string
  /** The same, where the node type alone does not tell: patterns of `find-parts.ts`. */
  readonly wrapPatterns?: readonly string[]
  /** Wraps that belong to a structure with what follows it: `done < input`. */
  readonly whole?: string
  /** Statements that are called by their first line when they hold a function without a name. */
  readonly statements?: string
  readonly comments: string
  /** Lines that the grammar does not know, and that it reads as if they were empty: `#if DEBUG`. */
  readonly skipped?: RegExp
  /** Decorators and attributes: part of the structure, not of its header. */
  readonly decorators?: string
  /** What nodes begin with that hold nothing: what the grammar counts to them after their first part is not theirs. */
  readonly hollow?: RegExp
  /** Nodes that belong to the structure before them though the grammar has them beside it. */
  readonly tails?: string
  /** Nodes whose members are separated by commas. */
  readonly lists?: string
  /** Nodes whose fields reach up to the comma after them: the grammar has a value, or a width, beside the name. */
  readonly spread?: string
  /** Conditionals whose `else if` is another conditional inside. */
  readonly chains?: string
  /** Where to look for the name, for nodes that keep it in an unusual place; `parts.ts` has the notation. */
  readonly names?: Readonly<Record<string, string>>
  /** Where the body is, for nodes that keep it in an unusual place. */
  readonly bodies?: Readonly<Record<string, string>>
  /**
   * Where the name of the type is that a node belongs to without standing in it, in the notation of names; `name` where
   * it precedes the name: `Shape::draw`.
   */
  readonly owners?: Readonly<Record<string, string>>
  /** Node types that are not a level: `class << self`, a companion object. */
  readonly unnamed?: string
  /** Node types whose name is also that of another structure: `impl Type`, `size = 1`. The other structure wins. */
  readonly secondary?: string
  /** Strings that may have several lines; their lines are never re-indented. */
  readonly verbatim?: string
  /** Nodes that take whole lines as they are, the first and the last included. */
  readonly heredocs?: string
  /** Parents that make such a string documentation, which moves with the code. */
  readonly documentation?: string
  /** What is at the start of a file and stays there. */
  readonly preamble?: string
  readonly preamblePatterns?: readonly string[]
  /** Texts around a part of a file that let it be parsed alone; the first that makes sense of it counts. */
  readonly fragments?: readonly (readonly [before: string, after: string])[]
  /** Set where indentation is meaning: the types of its blocks. */
  readonly offside?: string
  /** Where the header is a node of its own. */
  readonly headers?: Readonly<Record<string, string>>
  /** Strings that only a pattern can tell. */
  readonly verbatimPatterns?: readonly string[]
  /** Patterns for nodes whose text is of another language, by the name of that language. */
  readonly embedded?: Readonly<Record<string, string>>
  /** What may end a statement where a line break does too. It is put between two that an edit would make one. */
  readonly separator?: ';'
  /** Whether a separator may begin a line, for the statement on it: `;[1, 2].forEach(go)`. */
  readonly leads?: true
  /** Nodes that go on with the next line, although the grammar ends them with their own. */
  readonly goingOn?: RegExp
  /** A stricter judge of validity than the grammar. */
  readonly judge?: 'oxc'
}

/** Read by code of its own, which finds parts in other languages. */
export interface OutlinedRow {
  readonly kind: 'markdown' | 'cells'
}

const named = [
  'class',
  'interface',
  'enum',
  'struct',
  'trait',
  'impl',
  'type',
  'module',
  'function',
  'method',
  'field',
  'member',
  'variable',
  'key',
  'export',
  'macro',
  'rule',
  'declaration',
  'element',
  'table',
  'section',
  'cell',
] as const

const unnamed = [
  'item',
  'code',
  'quote',
  'lambda',
  'call',
  'group',
  'if',
  'else',
  'for',
  'while',
  'switch',
  'case',
  'try',
  'catch',
  'finally',
  'with',
  'block',
] as const

export const kinds = [...named, ...unnamed] as const
export type Kind = (typeof kinds)[number]

/** Kinds that are called by their header only. */
export const nameless: ReadonlySet<Kind> = new Set(unnamed)

/** Parts of a statement with an order that is meaning. */
export const branches: ReadonlySet<Kind> = new Set<Kind>(['else', 'catch', 'finally'])

/** Kinds inside which a function is a method. */
export const methodHolders: ReadonlySet<Kind> = new Set<Kind>(['class', 'interface', 'enum', 'struct', 'trait', 'impl'])

export const words = (list: string | undefined): string[] => (list ?? '').split(/\s+/).filter((word) => word !== '')
