/** Structure editing: what the rest of the program may use of it. */
export { structureOperations, type StructureFiles, type StructureOperations } from './operations.ts'
export {
  deleteIn,
  insertAfterIn,
  insertBeforeIn,
  replaceIn,
  type Edited,
  type Result_for_delete_structure,
  type Result_for_insert_after_structure,
  type Result_for_insert_before_structure,
  type Result_for_replace_structure,
} from './edit.ts'
export {
  moveIn,
  type Destination,
  type Moved,
  type Result_for_move_structure as Result_for_move_structure_to_before,
  type Result_for_move_structure as Result_for_move_structure_to_after,
  type Result_for_move_structure as Result_for_move_structure_to_file_start,
  type Result_for_move_structure as Result_for_move_structure_to_file_end,
} from './move.ts'
export { listIn, readIn, type Result_for_read_structure } from './read.ts'
export {
  replaceAllTextIn,
  replaceTextIn,
  type Result_for_replace_all_text_in_structure,
  type Result_for_replace_text_in_structure,
} from './replace-text.ts'
export { renderOutline, type OutlineEntry } from './render.ts'
export {
  LIMITS,
  type ErrorCode,
  type ErrorResponse,
  type Failed,
  type Result,
  type Warning,
} from './problem.ts'
export type { Document } from './document.ts'
export type { SpacingOptions } from './insertion.ts'
export type { Match } from './suggest.ts'
export { languageFor, languages } from './languages.ts'
export type { Language } from './language.ts'
