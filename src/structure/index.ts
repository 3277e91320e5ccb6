/** Structure editing: what the rest of the program may use of it. */
export { structureOperations, type StructureFiles, type StructureOperations } from './operations.ts'
export type { ErrorResponse, Result, Warning } from './problem.ts'
