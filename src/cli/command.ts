import type { ParsedArgs } from './flags.ts'

/** Gets the flags and the words behind its name, and answers with the exit code. */
export type Command = (args: ParsedArgs) => Promise<number>
