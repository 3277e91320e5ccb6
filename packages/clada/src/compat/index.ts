// Running documents
export { Clada, createClada } from '../api/clada.ts'
export type { CladaOptions } from '../config/settings.ts'
export type { ActionResult, ExecutionResult, ParseError } from '../core/result.ts'

// Functions that `clada` exports too: blocks, actions, texts, structures
export * from './seeds.ts'
export { schemaVersion } from './validate-action.ts'

// Carrying out actions
export { executeCommand, type ExecParameters, type ExecResult } from './execute-command.ts'

// Commits
export { commitChanges, ensureCleanRepo, GitError } from './git-tx.ts'

// The working set
export { addPath, clearContext, ContextError, listPaths, removePath, type ContextEntry } from './context.ts'

// CML elements
export {
  executeEdit,
  executeRun,
  executeWrite,
  parseEdit,
  parseRun,
  parseWrite,
  type CmlError,
  type EditOperation,
  type Result,
  type RunOperation,
  type WriteOperation,
} from './cml.ts'
