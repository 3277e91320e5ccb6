import fs from 'node:fs'

/**
 * The bytes of a file of the project that says how clada works there; undefined where it is not a regular file of that
 * size. @throws as the system does, also for a link where links are refused
 */
export function readSmallFile(
  file: string,
  { most, links }: { readonly most: number; readonly links: 'followed' | 'refused' },
): Buffer | undefined {
  const follow = links === 'followed' ? 0 : (fs.constants.O_NOFOLLOW ?? 0)
  // A pipe in its place must not hold up the start.
  const fd = fs.openSync(file, fs.constants.O_RDONLY | follow | (fs.constants.O_NONBLOCK ?? 0))
  try {
    const stat = fs.fstatSync(fd)
    return stat.isFile() && stat.size <= most ? fs.readFileSync(fd) : undefined
  } finally {
    fs.closeSync(fd)
  }
}
