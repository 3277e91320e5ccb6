import fs from 'node:fs'

export const projectFileName = 'clada.yml'

/** What `clada watch` looks at unless told otherwise. */
export const defaultInputFile = 'clada_input.md'

/** Whether anything is at a path. All that a run without config files pays for having them. */
export function isThere(file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // Below a file there is nothing. Whatever else is wrong, whoever reads it says so.
    return !(error instanceof Error && 'code' in error && error.code === 'ENOTDIR')
  }
}
