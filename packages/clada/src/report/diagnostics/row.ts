import type { DiagnosticCode, DiagnosticData, FactOf, Instead } from '@clada/reply/core/diagnostic.ts'

/** What is wrong, and what to write instead. */
export type Sentence = readonly [message: string, hint?: string | undefined]

/** For diagnostics about another one. */
export interface ExplainInner {
  code(inner: FactOf<DiagnosticCode>): string
  sentence(inner: FactOf<DiagnosticCode>, line: number): Sentence
}

/** One row of the table. `line` is the one that the diagnostic is on. */
export interface DiagnosticRow<One extends DiagnosticCode> {
  /** The code that reports have: that of the seeds where they give one, otherwise `malformed_block`. */
  readonly code?: string | ((data: DiagnosticData[One], explain: ExplainInner) => string)
  say(data: DiagnosticData[One], line: number, explain: ExplainInner): Sentence
}

export type DiagnosticRows<Codes extends DiagnosticCode> = { readonly [One in Codes]: DiagnosticRow<One> }

export const sendAgainFrom = (line: number): string =>
  `Nothing from line ${line} on was executed: send it again, complete.`

/** Messages are for reading: a long text is cut. */
export const shortenText = (text: string): string => (text.length <= 160 ? text : `${text.slice(0, 120)}…`)

export function writeInstead(instead: Instead): string {
  if ('write' in instead) return `Write: ${shortenText(instead.write)}`
  if ('emptyKey' in instead) return `For an empty text write: ${instead.emptyKey} = ""`
  const { key, delimiter } = instead
  return `Open it with ${shortenText(key)} = <<'${delimiter}' and close it with ${delimiter} on a line of its own.`
}

export const flagMessage = (name: string): string => `Invalid value for '${name}': must be 'true' or 'false'`

export const joinWithAnd = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
