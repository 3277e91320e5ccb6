/** The directories above a name, the nearest first; names have slashes, whatever the system. */
export function dirsAbove(name: string): string[] {
  const found: string[] = []
  for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) found.push(name.slice(0, at))
  return found
}
