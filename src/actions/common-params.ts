import { forPrograms, optional, text } from '../core/action.ts'

/** Reads report a hash; an edit that carries it fails instead of changing a file the model has not seen. */
export const expectHash = forPrograms(
  optional(text('Hash from an earlier read. The action fails if the file is another by now.')),
)
