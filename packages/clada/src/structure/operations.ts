import type { Tolerance } from '@clada/reply/text/edit-text.ts'
import { type NamedText, listIn, readIn } from './document.ts'
import { deleteIn, type Edited, insertAfterIn, insertBeforeIn, replaceIn } from './edit.ts'
import type { SpacingOptions } from './insertion.ts'
import { type Destination, moveIn, type Result_for_move_structure } from './move.ts'
import { structureFailure, type StructureFailure, LIMITS, type StructureResult, fileTooLarge } from './structure.ts'
import { replaceAllTextIn, replaceTextIn } from './replace-text.ts'

/** What the operations need of the disk. */
export interface StructureFiles {
  /** The text without byte order mark, or null when there is no such file. */
  read(path: string): Promise<string | null>
  /** Ends when the text is where it belongs. */
  write(path: string, text: string): Promise<void>
  /** Takes away a file that a move has made. */
  remove?(path: string): Promise<void>
  /** Fails when the file could not be written; asked of both files of a move before either is. */
  checkWritable?(path: string): Promise<void>
  /** Whether two paths mean one file; by default when they are spelled alike. */
  isSame?(a: string, b: string): boolean
}

export type StructureOperations = ReturnType<typeof structureOperations>

/** The operations of seed 003, by their names, on the files of a port. Nothing is written when one fails. */
export function structureOperations(files: StructureFiles) {
  const edit = <T>(
    path: string,
    change: (document: NamedText) => Promise<Edited<T> | StructureFailure>,
  ): Promise<StructureResult<T>> =>
    refuseOsErrors(async () => {
      const document = await openStructureFile(files, path)
      if ('ok' in document) return document
      const done = await change(document)
      if ('ok' in done) return done
      if (done.text !== document.text) await files.write(path, done.text)
      return { ok: true, data: done.data, warnings: done.warnings }
    })
  const look = <T extends object>(
    path: string,
    use: (document: NamedText) => Promise<T | StructureFailure>,
  ): Promise<StructureResult<T>> =>
    refuseOsErrors(async () => {
      const document = await openStructureFile(files, path)
      if ('ok' in document) return document
      const data = await use(document)
      return 'ok' in data ? data : { ok: true, data, warnings: [] }
    })
  const move = (
    source_path: string,
    source_target: string,
    dest_path: string,
    destination: Destination,
    options?: SpacingOptions,
  ): Promise<StructureResult<Result_for_move_structure>> =>
    refuseOsErrors(() => carryOut(files, source_path, source_target, dest_path, destination, options))

  return {
    read_structure: (path: string, target: string) => look(path, (document) => readIn(document, target)),
    replace_structure: (path: string, target: string, content: string) =>
      edit(path, (document) => replaceIn(document, target, content)),
    delete_structure: (path: string, target: string) => edit(path, (document) => deleteIn(document, target)),
    /** Without a tolerance the text must be there as written. */
    replace_text_in_structure: (
      path: string,
      target: string,
      old_text: string,
      new_text: string,
      tolerance?: Tolerance,
    ) => edit(path, (document) => replaceTextIn(document, target, old_text, new_text, tolerance)),
    replace_all_text_in_structure: (
      path: string,
      target: string,
      old_text: string,
      new_text: string,
      expected_count?: number,
    ) => edit(path, (document) => replaceAllTextIn(document, target, old_text, new_text, expected_count)),
    insert_before_structure: (path: string, target: string, content: string, options?: SpacingOptions) =>
      edit(path, (document) => insertBeforeIn(document, target, content, options)),
    insert_after_structure: (path: string, target: string, content: string, options?: SpacingOptions) =>
      edit(path, (document) => insertAfterIn(document, target, content, options)),
    move_structure_to_before: (
      source_path: string,
      source_target: string,
      dest_path: string,
      dest_target: string,
      options?: SpacingOptions,
    ) => move(source_path, source_target, dest_path, { at: 'before', target: dest_target }, options),
    move_structure_to_after: (
      source_path: string,
      source_target: string,
      dest_path: string,
      dest_target: string,
      options?: SpacingOptions,
    ) => move(source_path, source_target, dest_path, { at: 'after', target: dest_target }, options),
    move_structure_to_file_start: (source_path: string, source_target: string, dest_path: string) =>
      move(source_path, source_target, dest_path, { at: 'file-start' }),
    move_structure_to_file_end: (source_path: string, source_target: string, dest_path: string) =>
      move(source_path, source_target, dest_path, { at: 'file-end' }),
    list_structures: (path: string, depth?: number) => look(path, (document) => listIn(document, depth)),
  }
}

async function openStructureFile(files: StructureFiles, path: string): Promise<NamedText | StructureFailure> {
  const text = await files.read(path)
  if (text === null) return structureFailure('FILE_NOT_FOUND', `${path} does not exist.`, { path })
  return { path, text }
}

async function carryOut(
  files: StructureFiles,
  source_path: string,
  source_target: string,
  dest_path: string,
  destination: Destination,
  options?: SpacingOptions,
): Promise<StructureResult<Result_for_move_structure>> {
  const from = await openStructureFile(files, source_path)
  if ('ok' in from) return from
  const same = files.isSame?.(source_path, dest_path) ?? source_path === dest_path
  const to = same ? null : await openDestination(files, dest_path, destination)
  if (to !== null && 'ok' in to) return to
  const moved = await moveIn(from, source_target, to, destination, options)
  if ('ok' in moved) return moved
  if (Buffer.byteLength(moved.destination) > LIMITS.fileBytes) {
    return fileTooLarge(dest_path, Buffer.byteLength(moved.destination))
  }
  for (const path of same ? [source_path] : [source_path, dest_path]) await files.checkWritable?.(path)
  // The destination first: if all ends between the two, the structure is there twice and not lost.
  if (to === null ? moved.destination !== from.text : true) await files.write(dest_path, moved.destination)
  if (moved.source !== null) {
    try {
      await files.write(source_path, moved.source)
    } catch (error) {
      await restoreFile(files, dest_path, to)
      throw error
    }
  }
  return { ok: true, data: moved.data, warnings: moved.warnings }
}

/** What cannot be taken from its source has not been moved. */
async function restoreFile(files: StructureFiles, path: string, before: Destined | null): Promise<void> {
  if (before?.isNew) await files.remove?.(path)
  else if (before !== null && (await files.read(path)) !== null) await files.write(path, before.text)
}

interface Destined extends NamedText {
  readonly isNew: boolean
}

/** A move to the start or the end of a file makes the file. */
async function openDestination(
  files: StructureFiles,
  path: string,
  { at }: Destination,
): Promise<Destined | StructureFailure> {
  const text = await files.read(path)
  if (text !== null) return { path, text, isNew: false }
  return at === 'file-start' || at === 'file-end'
    ? { path, text: '', isNew: true }
    : structureFailure('FILE_NOT_FOUND', `${path} does not exist.`, { path })
}

/** What the operating system refuses becomes an error of the operation; anything else is a bug and stays one. */
async function refuseOsErrors<T>(operation: () => Promise<StructureResult<T>>): Promise<StructureResult<T>> {
  try {
    return await operation()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const message = error instanceof Error ? error.message : ''
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      const operation = error instanceof Error && 'operation' in error ? error.operation : code
      return structureFailure('PERMISSION_DENIED', message, { operation: String(operation) })
    }
    if (code === 'ENOENT') return structureFailure('FILE_NOT_FOUND', message)
    throw error
  }
}
