import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { installedFiles, loadPackage } from '../core/installation.ts'
import { putFile } from '../state/own-files.ts'
import { isPrivate, makePrivateDir, stateHome } from '../state/user-state.ts'

/** The file of ripgrep: the one of its package, or a copy of the one inside a single-file executable. */
export function ripgrepFile(): string {
  const [inside] = installedFiles('bin')
  if (inside !== undefined) return unpackProgram(...inside)
  const found = loadPackage<typeof import('@vscode/ripgrep')>('@vscode/ripgrep')
  if (found === undefined) throw new Error('ripgrep is missing from this installation (@vscode/ripgrep).')
  return found.rgPath
}

/**
 * The system starts programs from the disk only, so the one inside is copied once, into the user's state: neither replies
 * nor programs can write there. Its name has its digest.
 */
function unpackProgram(packedName: string, packed: string): string {
  const dir = path.join(stateHome(), 'bin')
  makePrivateDir(dir)
  if (!isPrivate(dir)) throw new Error(`'${dir}' can be written to by others, so no program is started from there.`)
  const file = path.join(dir, path.basename(packedName, '.br'))
  const there = fs.lstatSync(file, { throwIfNoEntry: false })
  if (there?.isFile() !== true) putFile(file, zlib.brotliDecompressSync(fs.readFileSync(packed)), 0o700)
  return file
}
