import fs from 'node:fs'
import path from 'node:path'

/** What lies below a directory, by names relative to `top`. Links are files here: nothing is looked for behind them. */
export function everythingBelow(top: string, dir: string): { files: string[]; dirs: string[] } {
  const files: string[] = []
  const dirs: string[] = []
  for (const entry of fs.readdirSync(path.join(top, dir), { withFileTypes: true })) {
    const name = `${dir}/${entry.name}`
    if (!entry.isDirectory()) files.push(name)
    else {
      const below = everythingBelow(top, name)
      files.push(...below.files)
      dirs.push(name, ...below.dirs)
    }
  }
  return { files, dirs }
}
