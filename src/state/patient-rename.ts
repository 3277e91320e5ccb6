import fs from 'node:fs'
import { hasCode, type Platform, platform } from '../core/platform.ts'

/** Renames a file; one that has the new name already is replaced. */
export const renameFile = (from: string, to: string): void => patiently(() => fs.renameSync(from, to))

export const unlinkFile = (file: string): void => patiently(() => fs.unlinkSync(file))

/**
 * Windows refuses to rename or delete a file while a virus scanner, an indexer or an editor has it open, which usually
 * takes milliseconds. Everywhere else a refusal is final.
 */
export function patiently(
  act: () => void,
  { replacesOpenFiles }: Pick<Platform, 'replacesOpenFiles'> = platform,
  pause = sleep,
): void {
  for (const ms of replacesOpenFiles ? [] : pauses) {
    try {
      return act()
    } catch (error) {
      if (!hasCode(error, ...heldCodes)) throw error
      pause(ms)
    }
  }
  act()
}

/** What Windows says about a file that is open elsewhere. */
const heldCodes: readonly string[] = ['EPERM', 'EBUSY', 'EACCES']

/** Whether a refusal most likely means that another program has the file open. */
export const isHeldElsewhere = (code: string, { replacesOpenFiles }: Pick<Platform, 'replacesOpenFiles'> = platform) =>
  !replacesOpenFiles && heldCodes.includes(code)

/** 1.5 s together. Short ones: between two looks of a busy reader the file is free for a moment only. */
const pauses = [1, 4, 5, ...Array.from({ length: 149 }, () => 10)]

/** The calls that need it are synchronous, so that nothing comes between a check and a rename. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
