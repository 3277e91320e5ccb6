/** Case and ignorable code points do not make another file: on some file systems `.GIT` opens `.git`. */
export function foldedName(name: string): string {
  if (/^[\u0020-\u007e]*$/.test(name)) return name.toLowerCase()
  return name
    .normalize('NFC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
}

/**
 * The owner of a path component that some file system opens as `.git` or as clada's state: by case, by ignorable code
 * points, by trailing dots and spaces, by a stream name, or by a short name such as `GIT~1`.
 */
export function ownerOfName(part: string): 'git' | 'clada' | undefined {
  const name = foldedName(part)
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
  if (name === '.git' || /^git~\d+$/.test(name)) return 'git'
  if (name === '.clada' || /^clada~\d+$/.test(name)) return 'clada'
  return undefined
}

/**
 * Why a name from a git tree must not be written below a working tree, or undefined. `git clone` accepts trees that
 * hold such names as long as they are not checked out.
 */
export function unsafeTreeName(name: string): string | undefined {
  if (name.includes('\0')) return 'it contains a NUL character'
  if (name.startsWith('/')) return 'it is absolute'
  if (process.platform === 'win32' && /[\\:]/.test(name)) return 'it contains a backslash or a colon'
  for (const part of name.split('/')) {
    if (part === '') return 'it has an empty component'
    if (part === '.' || part === '..') return `it contains '${part}'`
    const owner = ownerOfName(part)
    if (owner !== undefined && part !== '.clada') return `'${part}' is ${owner}'s own directory on some file systems`
  }
  return undefined
}
