import fs from 'node:fs'
import type { Discarded } from '../core/files.ts'
import { ProblemError } from '../core/problem.ts'
import { hasCode, isOsError } from '../core/errors.ts'
import { locationOf, baseName, Walk } from './walk.ts'

/**
 * Makes empty files at free names of directories that are there, and returns those that were made. A directory above a
 * name that is a link by now leads elsewhere, so nothing is made there.
 */
export const makePlaceholders = (root: string, absolutes: readonly string[]): string[] =>
  atNames(root, absolutes, (safePath) => fs.writeFileSync(safePath, '', { flag: 'wx' }))

/**
 * Removes names, and returns those that were removed. Through the directories themselves: an approved `git checkout` brought
 * a link in the place of `notes`, and `notes/reply.md` was deleted behind it.
 */
export const discardNames = (root: string, absolutes: readonly string[], which: Discarded): string[] =>
  atNames(root, absolutes, removals[which])

const removals: Readonly<Record<Discarded, (safePath: string) => void>> = {
  made: (safePath) => fs.rmSync(safePath, { recursive: true }),
  placeholders: (safePath) => {
    const stat = fs.lstatSync(safePath)
    if (stat.isFile() && stat.size === 0) fs.unlinkSync(safePath)
  },
  'empty directories': (safePath) => {
    try {
      fs.rmdirSync(safePath)
    } catch (error) {
      if (!isOsError(error)) throw error
      // Something was put there, or it was never made.
    }
  },
}

/** Those for which it was done. */
function atNames(root: string, absolutes: readonly string[], act: (safePath: string) => void): string[] {
  const walk = new Walk()
  try {
    return absolutes.filter((absolute) => {
      const at = locationOf(root, absolute)
      try {
        act(walk.parentOf(at, { missing: 'fail', op: 'open' }).at(baseName(at)))
        return true
      } catch (error) {
        if (error instanceof ProblemError || hasCode(error, 'ENOENT', 'EEXIST', 'ENOTDIR')) return false
        throw error
      }
    })
  } finally {
    walk.close()
  }
}
