import os from 'node:os'
import path from 'node:path'
import fs from 'node:fs'
import {
  type CladaAction,
  executeFileOperation as execute,
  type FileOpResult,
} from '../../../packages/clada/src/compat/index.ts'

/** `clada/compat` as these tests use it: they work on files in /tmp, which is allowed, in a project that is elsewhere. */
export {
  extractNumberedLines,
  parseShamResponse,
  replaceText,
  validateAction,
} from '../../../packages/clada/src/compat/index.ts'

const repoPath = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-author-'))

export const executeFileOperation = (action: CladaAction): Promise<FileOpResult> =>
  execute(action, { repoPath, gitCommit: false, allowedRoots: ['/tmp'] })
