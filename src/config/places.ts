import fs from 'node:fs'

export const projectFileName = 'clada.yml'

/** The default file of `clada watch`. */
export const defaultInputFile = 'clada_input.md'

/** Whether anything is at a path. All that a run without config files pays for having them. */
export function isThere(file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // Nothing can exist below a file. Other errors are reported when the file is read.
    return !(error instanceof Error && 'code' in error && error.code === 'ENOTDIR')
  }
}
