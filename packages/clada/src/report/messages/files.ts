import type { Advice, Problem } from '../../core/problem.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import { checkPath, type ExplainPart, type MessageRows } from './row.ts'
import { errorText, userText } from '../failure.ts'
import { osSentence } from '../../core/os-words.ts'
import { formatCount } from '@clada/reply/core/words.ts'

/** Problems with a file or a path. */
export const fileMessages: MessageRows<
  | 'os'
  | 'source-missing'
  | 'not-regular'
  | 'not-cells'
  | 'not-text'
  | 'too-large'
  | 'changed-meanwhile'
  | 'hash-differs'
  | 'path'
  | 'not-encoded'
  | 'not-encodable'
  | 'no-paths'
  | 'files-failed'
> = {
  // The language fixes the words of Node for `error`.
  os: {
    code: ({ code }) => osCode(code),
    head: ({ code }) => code,
    what: nodeSentence,
    subject: (problem) => (isInNodesWords(problem) ? undefined : problem.path),
    rest: ({ code, op, dest }) =>
      op === 'rename' && dest !== undefined && (code === 'ENOENT' || code === 'EACCES') ? ` -> '${dest}'` : undefined,
    brief: ({ code }) => osBriefs[code],
    plain: plainOsSentence,
    details: ({ path, meant }) => ({ path, suggestions: meant && [...meant] }),
    advice: osAdvice,
  },
  'source-missing': {
    code: 'file_not_found',
    what: 'Source file not found',
    subject: ({ path }) => path,
    tag: 'ENOENT',
    details: ({ path }) => ({ path }),
    advice: checkPath,
  },
  'not-regular': {
    code: 'invalid_parameter',
    what: ({ path, type }) => `'${path}' is a ${type}, not a regular file`,
    details: ({ path }) => ({ path }),
    advice: 'Name a regular file.',
  },
  'not-cells': {
    code: 'invalid_parameter',
    what: ({ path }) => `'${path}' is a notebook, and its new text does not begin with the header of a cell`,
    details: ({ path }) => ({ path }),
    advice:
      'Keep the lines that begin cells, as file_read shows them: # %% [code] ID. A new cell has a header without an ID.',
  },
  'not-text': {
    code: ({ reason }) => (reason === 'binary' ? 'binary_file' : 'not_utf8'),
    what: ({ path, reason, byte, line }) =>
      `'${path}' is ${reason === 'binary' ? 'a binary file' : 'not valid UTF-8'} (byte ${byte}, line ${line})`,
    details: ({ path }) => ({ path }),
    advice: ({ described, reason, path }) =>
      `${described === undefined ? '' : `It is a ${described}. `}${reason === 'binary' ? 'Only text can be read and edited; the file was left as it is.' : declareEncoding(path)}`,
  },
  'too-large': {
    code: 'file_too_large',
    what: ({ path, size, limit }) => `'${path}' has ${size} bytes, the limit is ${limit}`,
    details: ({ path, size, limit }) => ({ path, size, limit }),
    advice: 'Work on a smaller file, or let a command do it.',
  },
  'changed-meanwhile': {
    code: 'concurrent_modification',
    what: ({ path }) => `'${path}' was changed by another program in the meantime`,
    details: ({ path, saved }) => ({ path, saved }),
    advice: ({ saved }) =>
      `The file was left as it is. Read it again, then repeat the action.${saved === undefined ? '' : ` The text that was last written to it is saved in ${saved}.`}`,
  },
  'hash-differs': {
    code: 'concurrent_modification',
    what: ({ path }) => `'${path}' changed since it was read`,
    details: ({ path, expected, actual }) => ({ path, expected, found: actual }),
    advice: 'Read it again, then repeat the action with the new hash.',
  },
  path: {
    code: ({ rule }) => rule,
    what: 'Path not allowed',
    subject: ({ path }) => path,
    rest: ({ reason }) => `: ${reason}`,
    tag: ({ rule }) => rule,
    details: ({ path, rule }) => ({ path, rule }),
    advice: ({ advice, rule }) =>
      advice ?? (rule === 'invalid_parameter' ? 'No file can have that name here; choose another.' : blockedAdvice),
  },
  'not-encoded': {
    code: 'not_utf8',
    what: ({ path, encoding }) =>
      `'${path}' is declared as ${encoding} and has bytes that are not, or are another way to write a character`,
    details: ({ path }) => ({ path }),
    advice: 'The file was left as it is. Correct the declaration (.editorconfig, .gitattributes or the key encoding).',
  },
  'not-encodable': {
    code: 'not_utf8',
    what: ({ path, encoding, characters }) => `'${path}' is in ${encoding}, which has no ${characters.join(', ')}`,
    details: ({ path }) => ({ path }),
    advice: 'Write it with characters that the encoding has.',
  },
  'no-paths': { code: 'invalid_parameter', what: 'No paths provided', advice: 'Write one path per line.' },
  'files-failed': {
    code: ({ failures: [first] }, explainPart) => (first ? explainPart(first.problem).code : 'file_not_found'),
    what: ({ doing, failures }) => `Failed to ${doing} ${failures.length} file(s):`,
    below: ({ failures }, explainPart) =>
      failures.map(({ path, problem }) => `  ${path}: ${errorText(explainPart(problem).failure, '')}`).join('\n'),
    plain: ({ doing, failures }, explainPart) =>
      [
        `Failed to ${doing} ${formatCount(failures.length, 'file')}:`,
        ...failures.map(({ path, problem }) => `  ${path}: ${userText(explainPart(problem))}`),
      ].join('\n'),
    brief: sharedBrief,
    details: ({ failures }, explainPart) => ({
      failures: failures.map(({ path, problem }) => {
        const { error, code } = explainPart(problem)
        return { path, error, code }
      }),
    }),
    advice: severalAdvice,
  },
}

type OsProblem = Problem & { kind: 'os' }

const osTexts: Record<string, string> = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  EACCES: 'permission denied',
  EISDIR: 'illegal operation on a directory',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
}

const osBriefs: Record<string, string> = { ENOENT: 'File not found', EACCES: 'Permission denied' }

const isInNodesWords = ({ code, message }: OsProblem): boolean => osTexts[code] === undefined && message !== undefined

function nodeSentence(problem: OsProblem): string {
  const { code, op, message } = problem
  // Node's own words begin with the code.
  if (isInNodesWords(problem)) return (message ?? '').replace(`${code}: `, '')
  const text = osTexts[code]
  return text === undefined ? op : `${text}, ${op}`
}

/** The words of Node name the system call, which tells nobody what to do. */
function plainOsSentence({ code, op, path }: OsProblem): string | undefined {
  if (code === 'ENOENT' && (op === 'scandir' || op === 'rmdir')) return `There is no directory '${path}'`
  return osSentence(code, path)
}

const osCodes: Record<string, Code> = {
  ENOENT: 'file_not_found',
  EEXIST: 'file_exists',
  EACCES: 'permission_denied',
  EPERM: 'permission_denied',
  EBUSY: 'permission_denied',
  EROFS: 'permission_denied',
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
  EFBIG: 'no_space',
  ELOOP: 'symlink_not_allowed',
  EISDIR: 'invalid_parameter',
  ENOTDIR: 'invalid_parameter',
  ENOTEMPTY: 'invalid_parameter',
  ENAMETOOLONG: 'invalid_parameter',
  EINVAL: 'invalid_parameter',
}

export const osCode = (code: string): Code => osCodes[code] ?? 'io_error'

const checkPermissions: Advice = {
  model: 'Ask the user to change the permissions.',
  user: 'Check who owns it, and the permissions of it and its directory.',
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
      return held ? heldElsewhere : code === 'EBUSY' ? undefined : checkPermissions
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
      return {
        model: 'The disk is full; the file was left as it was.',
        user: 'The file was left as it was. Free some space, then try again.',
      }
    case 'EROFS':
      return 'The file system is read-only; the file was left as it was.'
    case 'ENAMETOOLONG':
      return 'Choose a shorter name.'
    default:
      return undefined
  }
}

const heldElsewhere: Advice = {
  model:
    'Another program has the file open, such as an editor, a virus scanner, a sync client or a program that runs. Ask the user to close it, then send the block again.',
  user: 'Another program has the file open, such as an editor, a virus scanner, a sync client or a program that runs. Close it, then try again.',
}

function declareEncoding(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return `The file was left as it is. If it is text in another encoding, the user can declare which, in .editorconfig: [${name}] charset = latin1, or in clada.yml: encoding: {'${name}': windows-1252}`
}

const blockedAdvice: Advice = {
  model: 'It is blocked for models; ask the user for what you need from it.',
  user: 'It is blocked for models.',
}

type FilesFailed = Problem & { kind: 'files-failed' }

/** If all files fail for the same reason, that is the news. */
function sharedBrief({ failures }: FilesFailed, explainPart: ExplainPart): string | undefined {
  const [first, ...others] = failures.map(({ problem }) => explainPart(problem))
  return others.every(({ code }) => code === first?.code) ? first?.failure.brief : undefined
}

/** A model that repeats the whole action would change some files twice. */
function severalAdvice({ doing, done }: FilesFailed): Advice {
  if (doing === 'read')
    return done.length === 0
      ? { model: 'Check the paths with ls or glob.', user: 'Check the paths.' }
      : 'Check these paths with ls or glob; the others need not be read again.'
  if (done.length === 0) return 'None of the files was changed.'
  const names = done.length > 5 ? `${done.length} files` : done.join(', ')
  return `${names} ${done.length === 1 ? 'is' : 'are'} changed already. Repeat the action only for those that failed.`
}
