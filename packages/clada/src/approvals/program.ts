import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { findProgram, isProgram, pathOutside, realPathOr } from '../process/programs.ts'
import { projectTools } from '../process/runtimes.ts'

/** The place a command runs in, and the directories that documents can write to. */
export interface CommandPlace {
  readonly cwd: string
  readonly root: string
  /** The root among them. */
  readonly roots: readonly string[]
}

/** A program that was found. */
export interface FoundProgram {
  readonly file: string
  /** The names under which it is in the project, where documents could change it; none for a program of the user. */
  readonly inside: readonly string[]
}

/**
 * Which of two programs of one name is meant. `project`: tools of the project come before those of the user. `user`: the
 * other way round, for commands that may do more than code may, so that no file of the project takes the place of one.
 */
export type ProgramOrder = 'project' | 'user'

export function findNamed(name: string, place: CommandPlace, first: ProgramOrder): FoundProgram | undefined {
  const file = fileNamed(name, place, first)
  if (file === undefined) return undefined
  const names = [...new Set([file, realPathOr(file)])]
  return { file, inside: names.filter((one) => place.roots.some((root) => isInside(one, root))) }
}

function fileNamed(name: string, { cwd, root, roots }: CommandPlace, first: ProgramOrder): string | undefined {
  if (name.includes('/') || name.includes(path.sep)) {
    const file = path.resolve(cwd, name)
    return isProgram(file) ? file : undefined
  }
  return findProgram(name, programDirs(root, cwd, roots, first), 'batch')
}

/** PATH for a command. No entry of the user's own is inside a directory that documents can write to. */
export function programDirs(root: string, cwd: string, roots: readonly string[], first: ProgramOrder): string[] {
  const own = projectTools(root, cwd).path
  const outside = pathOutside(process.env['PATH'], roots)
  return first === 'project' ? [...own, ...outside] : [...outside, ...own]
}
