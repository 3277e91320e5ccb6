import { forPrograms, optional, text } from '../core/action.ts'

/** Reads report a hash; an edit that carries it fails instead of changing a file the model has not seen. */
export const expectHash = forPrograms(
  optional(text('Hash from an earlier read. The action fails if the file is another by now.')),
)

/** About a format that may replace files without naming what is in them. */
export const replacedWarning = (path: string): string =>
  `'${path}' already existed and was replaced; clada undo brings it back`
