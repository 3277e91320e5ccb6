import type { BlockGroup } from '../core/block.ts'
import type { Call, Rendered } from './call.ts'
import type { ReadThroughDamage } from './tokens.ts'
import type { MakeReader, ReadOptions } from './reader.ts'

/** Everything clada knows about one syntax. `table.ts` has one row of this type per syntax. */
export type Syntax = Native | Foreign | ProposalSyntax

/** A syntax of clada's own: always looked for. */
interface Native extends SyntaxBase {
  readonly kind: 'native'
  /** Matches the beginning of a line that may open a block. Tested without damage, quotation marks and indentation. */
  readonly opener: RegExp
  /** Matches text that may end a block, so that a long input is worth reading again. */
  readonly closer?: RegExp
  /** Finds the markers of a block through damage; undefined where these options make that impossible. */
  throughDamage(options: ReadOptions): ReadThroughDamage | undefined
  /** The text of a block that has mistakes as it was meant, where that is certain. The caller reads it again. */
  corrected(raw: string, options: ReadOptions): string | undefined
}

/** A format of other tools: run only where a document has no native block, which is known at its end. */
interface Foreign extends SyntaxBase {
  readonly kind: 'foreign'
  readonly waits: true
  /** The text of one edit, for a model to send again; `label` is what the block called it. */
  written?(params: Readonly<Record<string, string>>, label?: string): string | undefined
}

/** Whole files in a reply that has no blocks: shown first, and written after a yes. */
interface ProposalSyntax extends SyntaxBase {
  readonly kind: 'proposal'
  readonly waits: true
}

interface SyntaxBase {
  /** Its name in messages. */
  readonly title: string
  /** Other names that options accept for it. */
  readonly aliases?: readonly string[]
  /** The format of reports about its documents, where it is not `text`. */
  readonly report?: 'llm' | 'xml'
  /** Whether its blocks wait for the end of the input because later text can change them. */
  readonly waits: boolean
  readonly reader: MakeReader
  /** Matches a line that no other text has, at its beginning, with the line below it. Prefixes are removed before. */
  readonly marks: RegExp
  /** Whether relative paths are accepted without a setting. */
  readonly paths: 'absolute' | 'relative'
  /** Whether reports name a block by the id written in it or by its number. */
  readonly ids: 'written' | 'counted'
  /** `all actions`: a call names its action, so that every action can be written. */
  readonly coverage: 'all actions' | 'own operations'
  /** Whether its diagnostics outside blocks are prose where the document has blocks of other native syntaxes only. */
  readonly errorsMayBeProse?: true
  readonly groups?: Groups
  /** Whose rules its edits follow where they differ from ours; see `Repair`. */
  readonly rules?: 'codex' | 'search-replace'
  /** What `clada convert --to` writes: usually one target with the name of the syntax. */
  readonly targets?: Readonly<Record<string, Target>>
  /**
   * How to write it, for a reply without any block: four lines at most. None of them starts with a marker, so that a report
   * that is pasted back is not a document.
   */
  readonly reminder?: readonly string[]
  /** What a prompt teaches about it. Its calls are written by the target with its own name. */
  lesson?(options: ReadOptions): Lesson
}

interface Groups {
  /** Whether one invalid member keeps all others from running, not only those after it. */
  readonly checked: 'whole' | 'in order'
  /** `nested`: 3.1, 3.2; `flat`: every member has a number of its own. */
  readonly numbers: 'nested' | 'flat'
}

export interface Target {
  readonly title: string
  /** Whether blocks carry the explanation of a change. */
  readonly explains?: true
  /** Whether a path may start with the name of the project directory. */
  readonly dropsRootName?: true
  open(options: ReadOptions): SyntaxWriter
}

export interface SyntaxWriter {
  /** `id` is for the syntaxes whose blocks have one. */
  call(call: Call, id: string): Rendered
  /** Several calls whose first failure skips the rest. */
  group?(texts: readonly string[], how: Pick<BlockGroup, 'atomic'>): string
}

export interface Lesson {
  /** How blocks are written. No rule starts with a marker: a prompt must not be read as a document. */
  readonly rules: readonly string[]
  /** How to read the report, and what to do after a failure. */
  readonly answer: readonly string[]
}

/** How the report looks for a syntax whose blocks it names by `name`. */
export const reportLesson = (name: 'id' | 'number'): string[] => [
  `\`=== CLADA RESULTS ===\` has one line per block, by its ${name}: ✅ or ❌ with the reason; \`=== CHANGES ===\` where files changed: no need to look again; \`=== OUTPUTS ===\` what was read, found and printed.`,
  'After a failure, `=== REPAIR ===` shows the nearest text, or every place that matches. Send only the failed blocks again, corrected.',
]

/** Where a program reads it, the report of CSL and CML has another form. */
export const plainReportLesson = (form: string): string => `Or plain lines: ${form}.`
