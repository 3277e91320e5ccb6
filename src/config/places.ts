import fs from 'node:fs'

export const projectFileName = 'clada.yml'

/** What `clada watch` looks at unless told otherwise. */
export const defaultInputFile = 'clada_input.md'

/** Whether anything is at a path. All that a run without config files pays for having them. */
export const isThere = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined
