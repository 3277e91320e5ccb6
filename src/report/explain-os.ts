import type { Problem } from '../core/problem.ts'
import type { Code, Details } from '../core/result.ts'

type OsProblem = Problem & { kind: 'os' }

/** What the operating system said, in the words the language fixes. */
export function explainOs(problem: OsProblem): { error: string; code: Code; details: Details } {
  return {
    error: osMessage(problem),
    code: osCode(problem.code),
    details: { path: problem.path, ...osAdvice(problem) },
  }
}

const osTexts: Record<string, string> = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  EACCES: 'permission denied',
  EISDIR: 'illegal operation on a directory',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
}

function osMessage({ code, op, path, dest, message }: OsProblem): string {
  const text = osTexts[code]
  if (text === undefined) return `${code}: ${message?.replace(`${code}: `, '') ?? `${op} '${path}'`}`
  const both = op === 'rename' && dest !== undefined && (code === 'ENOENT' || code === 'EACCES')
  return both ? `${code}: ${text}, rename '${path}' -> '${dest}'` : `${code}: ${text}, ${op} '${path}'`
}

export function osCode(code: string): Code {
  switch (code) {
    case 'ENOENT':
      return 'file_not_found'
    case 'EEXIST':
      return 'file_exists'
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'permission_denied'
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return 'no_space'
    case 'ELOOP':
      return 'symlink_not_allowed'
    case 'EISDIR':
    case 'ENOTDIR':
    case 'ENOTEMPTY':
    case 'ENAMETOOLONG':
    case 'EINVAL':
      return 'invalid_parameter'
    default:
      return 'io_error'
  }
}

function osAdvice({ code, op }: OsProblem): { advice?: string } {
  switch (code) {
    case 'ENOENT':
      return { advice: 'Check the path with ls or glob.' }
    case 'EEXIST':
      return {
        advice: op === 'mkdir' ? 'A file has that name.' : 'Use file_write to replace it, or an edit to change it.',
      }
    case 'EACCES':
    case 'EPERM':
      return { advice: 'Ask the user to change the permissions.' }
    case 'EISDIR':
      if (op === 'unlink') return { advice: 'Use dir_delete for an empty directory.' }
      if (op === 'rename') return { advice: 'Name files, also as new_path. For a directory, use run with: mv OLD NEW' }
      return { advice: 'Name a file, not a directory.' }
    case 'ENOTDIR':
      if (op === 'rmdir') return { advice: 'It is a file, or a part of the path is; file_delete deletes files.' }
      if (op === 'scandir') return { advice: 'It is a file, or a part of the path is; file_read reads files.' }
      return { advice: 'A part of the path is a file.' }
    case 'ENOTEMPTY':
      return { advice: 'Delete what is in it first.' }
    case 'ENOSPC':
    case 'EDQUOT':
      return { advice: 'The disk is full; the file was left as it was.' }
    default:
      return {}
  }
}
