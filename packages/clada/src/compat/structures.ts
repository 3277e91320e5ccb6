import { Clada } from '../api/clada.ts'
import type { CladaOptions } from '../config/settings.ts'
import type { StructureOperations } from '../structure/operations.ts'
import type { ErrorResponse, Warning } from '../structure/structure.ts'

/*
 * The operations on structures as functions, with the names and parameters of their specification. Each calls the action
 * of the same name: the same path rules, the same history. The last parameter is for options.
 */

type Success<R> = R extends { ok: true; data: infer T } ? T : never
type StructureAnswer<Name extends keyof StructureOperations> = Promise<
  (Success<Awaited<ReturnType<StructureOperations[Name]>>> & Warned) | StructureError
>
interface Warned {
  warnings?: readonly Warning[]
}
/** A failed operation on structures. No file was changed. */
export type StructureError = Omit<ErrorResponse, 'error'> & { error: string }

/** The text of every structure that the target means; without a match the list is empty. */
export async function read_structure(
  path: string,
  target: string,
  options?: CladaOptions,
): Promise<Awaited<StructureAnswer<'read_structure'>>> {
  const found = await callOperation('read_structure', { path, target }, options)
  return 'error' in found && found.error === 'TARGET_NOT_FOUND' ? { matches: [] } : found
}

/** The structures of a file. */
export const list_structures = (
  path: string,
  depth?: number,
  options?: CladaOptions,
): StructureAnswer<'list_structures'> => callOperation('list_structures', { path, depth }, options)

/** Replaces a structure. */
export const replace_structure = (
  path: string,
  target: string,
  content: string,
  options?: CladaOptions,
): StructureAnswer<'replace_structure'> => callOperation('replace_structure', { path, target, content }, options)

/** Removes a structure. */
export const delete_structure = (
  path: string,
  target: string,
  options?: CladaOptions,
): StructureAnswer<'delete_structure'> => callOperation('delete_structure', { path, target }, options)

/** Replaces text that occurs exactly once in a structure. */
export const replace_text_in_structure = (
  path: string,
  target: string,
  old_text: string,
  new_text: string,
  options?: CladaOptions,
): StructureAnswer<'replace_text_in_structure'> =>
  callOperation('replace_text_in_structure', { path, target, old_text, new_text }, options)

/** Replaces every occurrence of a text in a structure. */
export const replace_all_text_in_structure = (
  path: string,
  target: string,
  old_text: string,
  new_text: string,
  expected_count?: number,
  options?: CladaOptions,
): StructureAnswer<'replace_all_text_in_structure'> =>
  callOperation('replace_all_text_in_structure', { path, target, old_text, new_text, expected_count }, options)

/** Inserts content before a structure. */
export const insert_before_structure = (
  path: string,
  target: string,
  content: string,
  options?: CladaOptions,
): StructureAnswer<'insert_before_structure'> =>
  callOperation('insert_before_structure', { path, target, content }, options)

/** Inserts content after a structure. */
export const insert_after_structure = (
  path: string,
  target: string,
  content: string,
  options?: CladaOptions,
): StructureAnswer<'insert_after_structure'> =>
  callOperation('insert_after_structure', { path, target, content }, options)

/** Moves a structure before another one, in the same or another file. */
export const move_structure_to_before = (
  source_path: string,
  source_target: string,
  dest_path: string,
  dest_target: string,
  options?: CladaOptions,
): StructureAnswer<'move_structure_to_before'> =>
  callOperation('move_structure_to_before', { source_path, source_target, dest_path, dest_target }, options)

/** Moves a structure after another one, in the same or another file. */
export const move_structure_to_after = (
  source_path: string,
  source_target: string,
  dest_path: string,
  dest_target: string,
  options?: CladaOptions,
): StructureAnswer<'move_structure_to_after'> =>
  callOperation('move_structure_to_after', { source_path, source_target, dest_path, dest_target }, options)

/** Moves a structure to the start of a file. */
export const move_structure_to_file_start = (
  source_path: string,
  source_target: string,
  dest_path: string,
  options?: CladaOptions,
): StructureAnswer<'move_structure_to_file_start'> =>
  callOperation('move_structure_to_file_start', { source_path, source_target, dest_path }, options)

/** Moves a structure to the end of a file. */
export const move_structure_to_file_end = (
  source_path: string,
  source_target: string,
  dest_path: string,
  options?: CladaOptions,
): StructureAnswer<'move_structure_to_file_end'> =>
  callOperation('move_structure_to_file_end', { source_path, source_target, dest_path }, options)

async function callOperation<Name extends keyof StructureOperations>(
  action: Name,
  params: Readonly<Record<string, string | number | undefined>>,
  options?: CladaOptions,
): StructureAnswer<Name> {
  const given = Object.entries(params).filter(([, value]) => value !== undefined)
  const texts = Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
  const { results, parseErrors, fatalError } = await new Clada(options).perform(action, texts)
  const [result] = results
  // An action returns the data of the operation of the same name.
  if (result?.success) return result.data as Awaited<StructureAnswer<Name>>
  const message = result?.error ?? parseErrors[0]?.message ?? fatalError ?? 'Nothing was done'
  const error = result?.code ?? parseErrors[0]?.code ?? 'INVALID_PARAMETER'
  return { error, message, details: { ...result?.details, state: 'FILE_UNCHANGED' } }
}
