import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { isInside, pathFrom } from '../../core/paths.ts'
import { projectFileName, settingsOf } from '../../config/settings.ts'
import { sampleFile, schemaFile } from '../../config/sample.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../flags.ts'
import { print } from '../streams.ts'
import { visible } from '../../report/words.ts'
import { proposeApprovals } from '../propose-approvals.ts'
import { packageFile } from './version.ts'

/** Never takes the place of a file that is there. */
export const command: Command = {
  name: 'init',
  usage: 'clada init',
  summary: 'write clada.yml with every key and its default',
  about:
    'Writes a config file for this project in which every key is commented out. Never overwrites one. Then asks once whether\nmodels may run the tests of the project (npm test, pytest, cargo test, go test ./..., make test).',
  words: [],
  instead: 'Use --root DIR to choose the directory.',
  flags: ['root', 'help'],
  examples: [['clada init', 'then uncomment what you want to change']],
  run: async ({ flags }) => {
    const [given] = flags.root ?? []
    const { root, allowedRoots } = settingsOf(given === undefined ? {} : { repoPath: given })
    const file = path.join(root, projectFileName)
    try {
      fs.writeFileSync(file, sampleFile(schemaFor(root)), { flag: 'wx' })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      throw new UsageError(
        code === 'EEXIST'
          ? `${projectFileName} already exists in ${visible(root)}.`
          : `${projectFileName} cannot be written in ${visible(root)}: ${code}.`,
      )
    }
    print(
      `${projectFileName} written in ${visible(root)}: every key with its default. clada config shows the effective values.`,
    )
    await proposeApprovals(root, allowedRoots)
    return 0
  },
}

/** As editors take it: from the file where the package is part of the project, so that it holds for others too. */
function schemaFor(root: string): string {
  const file = packageFile(schemaFile)
  const place = isInside(file, root) ? `./${pathFrom(root, file)}` : file
  // The line is read up to the next space.
  return /[\s#%]/.test(place) ? pathToFileURL(file).href : place
}
