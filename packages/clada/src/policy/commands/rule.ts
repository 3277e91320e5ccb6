import type { Word } from './words.ts'

/**
 * A command on the list, as data: the options it may be given by exact spelling, and what its operands are. Programs
 * take far more than their manuals' front page says, abbreviations included, so whatever is not written here is refused.
 */
export interface CommandRule {
  /** The words it begins with: `grep`, or `git log`. */
  readonly name: string
  /** A line that is refused is answered with these. */
  readonly examples: readonly string[]
  readonly options: readonly Option[]
  readonly operands: Operands
  /** `single`: options of several letters after one dash, never bundled. */
  readonly dashes?: 'single'
  /** What `-5` means. */
  readonly dashNumber?: string
  /** Options that git is always given, before anything else. */
  readonly always?: readonly string[]
  /** Exit codes that are an answer and no failure, besides 0. */
  readonly answers?: readonly number[]
  /** Reads the words itself, where options and operands are mixed in a language of their own. */
  readonly read?: (words: readonly Word[]) => CommandReading
  /** What is wrong with this combination. */
  readonly forbids?: (call: ParsedCommand) => string | undefined
  /** Keeps blocked files out where git itself chooses what it looks at. */
  readonly exclude?: (call: ParsedCommand, blocked: readonly BlockedName[]) => readonly string[]
  /** Its other forms change the repository: they are not refused but need approval. */
  readonly writes?: true
}

export interface Option {
  /** As it is given to the program. */
  readonly flag: string
  /** Other exact spellings of the same. */
  readonly also?: readonly string[]
  readonly value?: Value
  /** The value may be left out, and is written after `=` only. */
  readonly maybe?: true
}

export type Value =
  | { readonly type: 'number'; readonly max: number; readonly signs?: string }
  | { readonly type: 'text'; readonly pattern?: RegExp | undefined; readonly what: string }
  | { readonly type: 'one-of'; readonly values: readonly string[] }

export interface Operands {
  readonly min: number
  readonly max: number
  /** What the first ones are; the last kind holds for all that follow. */
  readonly kinds: readonly OperandKind[]
  /** Used when there is none. */
  readonly otherwise?: string | undefined
}

/**
 * `content`: a path whose content is shown. `name`: a path of which only names and sizes are shown. `written`: a path
 * the workspace changes. `text`: anything. `revision`: a commit. `revision-or-content`: decided by what is there.
 */
export type OperandKind = 'content' | 'name' | 'written' | 'text' | 'revision' | 'revision-or-content'

export interface Argument {
  readonly text: string
  readonly as: OperandKind | 'option'
}

/** A command line that was understood. */
export interface ParsedCommand {
  /** Options as git is given them, values after them. */
  readonly options: readonly string[]
  readonly operands: readonly Argument[]
  /** How many operands were before `--`; undefined when there was none. */
  readonly beforeDashes: number | undefined
  has(...flags: readonly string[]): boolean
  /** The values of an option, in their order. */
  valuesOf(flag: string): readonly string[]
}

export type CommandReading =
  | { readonly ok: true; readonly call: ParsedCommand }
  | { readonly ok: false; readonly reason: string; readonly advice?: string | undefined }

/** A name that is blocked, or allowed again, in any directory. Later ones win. */
export interface BlockedName {
  readonly pattern: string
  readonly allows: boolean
  /** Only there, and not anywhere else. */
  readonly from?: 'root'
}

export const flagOption = (name: string, ...also: string[]): Option => ({ flag: name, also })
export const flagOptions = (names: string): Option[] => names.split(' ').map((name) => ({ flag: name }))
export const numberOption = (name: string, max: number, ...also: string[]): Option => ({
  flag: name,
  also,
  value: { type: 'number', max },
})
export const textOption = (name: string, what: string, pattern?: RegExp): Option => ({
  flag: name,
  value: { type: 'text', what, pattern },
})

export const contents = (min: number, max = 200): Operands => ({ min, max, kinds: ['content'] })
export const names = (min: number, otherwise?: string): Operands => ({
  min,
  max: 200,
  kinds: ['name'],
  otherwise,
})

export const refuseCall = (reason: string, advice?: string): CommandReading & { readonly ok: false } => ({
  ok: false,
  reason,
  advice,
})

export const refuseGlob = ({ text, glob }: Pick<Word, 'text' | 'glob'>): CommandReading & { readonly ok: false } =>
  refuseCall(
    `${glob} in '${text}' is not expanded, because there is no shell`,
    'Name each file. grep -r searches a directory, and --include takes a glob; so do the actions files_read, grep and glob. exec has a shell.',
  )
