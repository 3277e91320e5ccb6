import os from 'node:os'
import path from 'node:path'
import { isThere, projectFileName } from '../config/places.ts'
import { canonical } from '../config/settings.ts'

/** Each of these makes a directory a project. */
const marks = [projectFileName, '.git', '.clada']

/** What clada makes by itself at the first write tells nothing about what was meant. */
const meant = [projectFileName, '.git']

/**
 * One line about the project around the working directory, where there is one. The root is the working directory by
 * contract; a user in a subdirectory of their project may not expect that.
 */
export function projectAround(): string | undefined {
  const cwd = process.cwd()
  if (meant.some((name) => isThere(path.join(cwd, name)))) return undefined
  const { root } = path.parse(cwd)
  const home = canonical(os.homedir())
  for (let dir = cwd; dir !== root && dir !== home; dir = path.dirname(dir)) {
    const above = path.dirname(dir)
    // These are no project by accident either.
    if (above === root || above === home) return undefined
    const mark = marks.find((name) => isThere(path.join(above, name)))
    if (mark !== undefined) return noteFor(path.relative(cwd, above).split(path.sep).join('/'), mark)
  }
  return undefined
}

const noteFor = (around: string, mark: string): string =>
  `working on this directory alone; the project around it is ${around} (it has ${mark}). --root ${around} works on that; a clada.yml here (clada init) ends this note.`
