import { platform } from './platform.ts'

/** git's directory, or a file that leads to it. */
export const gitName = '.git'

/** What clada keeps in a project. */
export const stateName = '.clada'

/** The project's own config, which makes a directory a project. */
export const projectFileName = 'clada.yml'

/** Files in which projects list what agents must not read, with the rules of `.gitignore`. */
export const ignoreFileNames: readonly string[] = [
  '.agentsignore',
  '.agentignore',
  '.aiignore',
  '.aiexclude',
  '.llmignore',
  '.aiderignore',
  '.clineignore',
  '.codeiumignore',
  '.continueignore',
  '.cursorignore',
  '.geminiignore',
  '.kilocodeignore',
  '.rooignore',
]

/** Names that belong to git and clada in every directory of a project: no document may use them. */
export const reservedNames: readonly string[] = [gitName, stateName, projectFileName]

/** Whether the entry of a directory is git's, as this system opens it. */
export const isGitName = (name: string): boolean => nameAsOpened(name) === gitName

/** Whether the entry of a directory is clada's, as this system opens it. */
export const isStateName = (name: string): boolean => nameAsOpened(name) === stateName

/** As this system compares the names of files. */
export const nameAsOpened = (name: string): string => (platform.ignoresCase ? name.toLowerCase() : name)

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
  if (/^[\u0020-\u007e]*$/.test(part) && !/git|clada/i.test(part)) return undefined
  const name = foldedName(part)
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
  if (name === gitName || /^git~\d+$/.test(name)) return 'git'
  if (name === stateName || /^clada~\d+$/.test(name)) return 'clada'
  return undefined
}
