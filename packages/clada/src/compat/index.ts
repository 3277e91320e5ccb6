// Running documents
export { Clada, createClada } from '../api/clada.ts'
export type { CladaOptions } from '../config/settings.ts'
export type { ActionResult, ExecutionResult, ParseError } from '../core/result.ts'

// Reading SHAM blocks
export {
  parseSham,
  parseShamResponse,
  type ShamBlock,
  type ShamError,
  type ShamParseResult,
  type ParseResult,
} from './parse-sham.ts'
export {
  transformToAction,
  TransformError,
  validateShamBlock,
  type ActionDefinition,
  type AnyDefinition,
  type CladaAction,
  type ParameterDef,
  type ShamBlockLike,
  type ValidationResult,
} from './transform-to-action.ts'
export {
  schemaVersion,
  validateAction,
  type ActionSchemas,
  type ActionValidation,
  type CustomValidator,
  type SchemaDocument,
  type ValidateOptions,
  type ValidationError,
} from './validate-action.ts'
export { clearActionSchemaCache } from './execute-file-operation.ts'

// Carrying out actions
export { executeFileOperation, FileOpError, type FileOpResult } from './execute-file-operation.ts'
export { executeCommand, type ExecParameters, type ExecResult } from './execute-command.ts'
export { replaceText } from './replace-text.ts'
export { extractNumberedLines, type NumberedLines } from '@clada/reply/text/lines.ts'

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

// Structures
export {
  delete_structure,
  insert_after_structure,
  insert_before_structure,
  list_structures,
  move_structure_to_after,
  move_structure_to_before,
  move_structure_to_file_end,
  move_structure_to_file_start,
  read_structure,
  replace_all_text_in_structure,
  replace_structure,
  replace_text_in_structure,
  type StructureError,
} from './structures.ts'
