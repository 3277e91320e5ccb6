import fs from 'node:fs'
import path from 'node:path'
import { configHome } from '../state/user-dirs.ts'

export const projectFileName = 'clada.yml'

/** What `clada watch` looks at unless told otherwise. */
export const defaultInputFile = 'clada_input.md'

/** Where the user's own file is, whether or not it is there. */
export const userFile = (): string => path.join(configHome(), 'config.yml')

/** Whether anything is at a path. All that a run without config files pays for having them. */
export const isThere = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined
