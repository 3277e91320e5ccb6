/** What both `clada` and `clada/compat` export of the functions with the signatures of the seeds. */
export {
  clearActionSchemaCache,
  executeFileOperation,
  FileOpError,
  type FileOpResult,
} from './execute-file-operation.ts'
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
  validateAction,
  type ActionSchemas,
  type ActionValidation,
  type CustomValidator,
  type SchemaDocument,
  type ValidateOptions,
  type ValidationError,
} from './validate-action.ts'
export { extractNumberedLines, type NumberedLines } from '@clada/reply/text/lines.ts'
export { replaceText } from './replace-text.ts'
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
