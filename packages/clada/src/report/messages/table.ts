import type { Problem } from '../../core/problem.ts'
import { editMessages } from './edits.ts'
import { executionMessages } from './executions.ts'
import { fileMessages } from './files.ts'
import { programMessages } from './programs.ts'
import type { MessageRows } from './row.ts'

/** What is said about each kind of problem, and what to do then. */
export const problemMessages: MessageRows<Problem['kind']> = {
  ...fileMessages,
  ...editMessages,
  ...programMessages,
  ...executionMessages,
}
