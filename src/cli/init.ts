import fs from 'node:fs'
import path from 'node:path'
import { projectFileName } from '../config/places.ts'
import { sampleFile } from '../config/sample.ts'
import { settingsOf } from '../settings.ts'
import type { Command } from './command.ts'
import { UsageError } from './flags.ts'
import { print } from './print.ts'
import { visible } from './visible.ts'

/** Never takes the place of a file that is there. */
export const command: Command = async ({ flags, words }) => {
  if (words.length > 0) throw new UsageError('init takes no words; --root DIR says where.')
  const [given] = flags.root ?? []
  const { root } = settingsOf(given === undefined ? {} : { repoPath: given })
  const file = path.join(root, projectFileName)
  try {
    fs.writeFileSync(file, sampleFile(), { flag: 'wx' })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new UsageError(
      code === 'EEXIST' ? `${visible(file)} is there already.` : `${visible(file)} cannot be written: ${code}.`,
    )
  }
  print(`${visible(file)} written: every key with its default. clada config shows what holds.`)
  return 0
}
