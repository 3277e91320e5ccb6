import fs from 'node:fs'
import path from 'node:path'

/** Where programs of the list come from. Fixed, so that nothing in the environment or the project decides it. */
export const systemPath: readonly string[] = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin']

/** The directories of a PATH that are absolute and lie in none of the given roots. */
export function pathOutside(list: string | undefined, roots: readonly string[]): string[] {
  return [...new Set((list ?? '').split(path.delimiter))].filter(
    (dir) => path.isAbsolute(dir) && !roots.some((root) => isBelow(real(dir), root)),
  )
}

/** The first file of that name that may be run. */
export function findProgram(name: string, dirs: readonly string[]): string | undefined {
  if (name.includes('/')) return undefined
  for (const dir of dirs) {
    const file = path.join(dir, name)
    if (isProgram(file)) return file
  }
  return undefined
}

export function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** By component; a directory is below itself. */
export function isBelow(file: string, dir: string): boolean {
  return file === dir || file.startsWith(dir.endsWith('/') ? dir : `${dir}/`)
}

export function real(file: string): string {
  try {
    return fs.realpathSync.native(file)
  } catch {
    return file
  }
}
