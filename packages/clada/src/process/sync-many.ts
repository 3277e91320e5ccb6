import { syncFiles } from '../state/own-files.ts'
import { runToEnd } from './programs.ts'

/**
 * Brings files of one file system to the disk: few one by one, many together with everything else on it. A program that
 * changed 5,000 files would otherwise be waited for once for each of them.
 */
export async function syncMany(files: readonly string[]): Promise<void> {
  const [first] = files
  if (first !== undefined && files.length > fewFiles && runToEnd('sync', ['-f', first], 60_000) === 0) return
  await syncFiles(files)
}

const fewFiles = 64
