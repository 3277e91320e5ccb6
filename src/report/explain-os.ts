import { type Advice, askUser, type Problem } from '../core/problem.ts'
import type { Code } from '../core/codes.ts'
import { checkPath, type Message } from './failure.ts'

type OsProblem = Problem & { kind: 'os' }

/** An error of the operating system, in the words the language fixes. */
export function osMessage(problem: OsProblem): Message {
  const { code, path } = problem
  const brief = briefs[code]
  const advice = osAdvice(problem)
  return {
    head: code,
    ...sentenceOf(problem),
    code: osCode(code),
    details: { path, ...(problem.meant === undefined ? {} : { suggestions: [...problem.meant] }) },
    ...(brief === undefined ? {} : { brief }),
    ...(advice === undefined ? {} : { advice }),
  }
}

const briefs: Record<string, string> = { ENOENT: 'File not found', EACCES: 'Permission denied' }

const osTexts: Record<string, string> = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  EACCES: 'permission denied',
  EISDIR: 'illegal operation on a directory',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
}

function sentenceOf({ code, op, path, dest, message }: OsProblem): Pick<Message, 'what' | 'subject' | 'rest'> {
  const text = osTexts[code]
  // Node's own words begin with the code.
  if (text === undefined && message !== undefined) return { what: message.replace(`${code}: `, '') }
  const both = op === 'rename' && dest !== undefined && (code === 'ENOENT' || code === 'EACCES')
  return {
    what: text === undefined ? op : `${text}, ${op}`,
    subject: path,
    ...(both ? { rest: ` -> '${dest}'` } : {}),
  }
}

export function osCode(code: string): Code {
  switch (code) {
    case 'ENOENT':
      return 'file_not_found'
    case 'EEXIST':
      return 'file_exists'
    case 'EACCES':
    case 'EPERM':
    case 'EBUSY':
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

const heldElsewhere: Advice = {
  model:
    'Another program has the file open, such as an editor, a virus scanner, a sync client or a program that runs. Ask the user to close it, then send the block again.',
  user: 'Another program has the file open, such as an editor, a virus scanner, a sync client or a program that runs. Close it, then try again.',
}

function osAdvice({ code, op, meant, held }: OsProblem): Advice | undefined {
  switch (code) {
    case 'ENOENT':
      return meant === undefined ? checkPath : `Did you mean ${meant.map((path) => `'${path}'`).join(' or ')}?`
    case 'EEXIST':
      return op === 'mkdir' ? 'A file has that name.' : 'Use file_write to replace it, or an edit to change it.'
    case 'EACCES':
    case 'EPERM':
    case 'EBUSY':
      return held ? heldElsewhere : code === 'EBUSY' ? undefined : askUser('change the permissions')
    case 'EISDIR':
      if (op === 'unlink') return 'Use dir_delete for an empty directory.'
      if (op === 'rename') return 'Name files, also as new_path. For a directory, use run with: mv OLD NEW'
      return 'Name a file, not a directory.'
    case 'ENOTDIR':
      if (op === 'rmdir') return 'It is a file, or a part of the path is; file_delete deletes files.'
      if (op === 'scandir') return 'It is a file, or a part of the path is; file_read reads files.'
      return 'A part of the path is a file.'
    case 'ENOTEMPTY':
      return 'Delete its contents first.'
    case 'ENOSPC':
    case 'EDQUOT':
      return 'The disk is full; the file was left as it was.'
    default:
      return undefined
  }
}
