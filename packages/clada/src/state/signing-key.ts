import fs from 'node:fs'
import path from 'node:path'
import { hasCode, isOsError } from '../core/errors.ts'
import { readStats, readOwn, removeFile, syncFileNow } from './own-files.ts'
import { isPrivate, makePrivateDir, temporaryHome, userStateDir } from './user-state.ts'

/** The user's own key, and the directory it is in. */
export interface SigningKey {
  readonly home: string
  readonly key: Buffer
}

/**
 * The keys that this user has, the usual one first. Each is in a directory where neither a repository nor a model can
 * write: the state directory, or a private one among the temporary files, so that machines without a home have a history too.
 */
export const keysFor = (root: string): SigningKey[] =>
  keyHomes(root).flatMap((home) => {
    const key = keyIn(home)
    return key === undefined ? [] : [{ home, key }]
  })

/** The key for a new history. Made if there is none. @throws if no directory of the user's can be written to */
export function makeKey(root: string): SigningKey {
  let failure: unknown
  for (const home of keyHomes(root)) {
    try {
      makePrivateDir(home)
      const key = keyIn(home) ?? drawKey(home)
      fs.accessSync(home, fs.constants.W_OK)
      return { home, key }
    } catch (error) {
      failure = error
    }
  }
  throw failure instanceof Error ? failure : new Error('no directory of the user can be used')
}

function keyHomes(root: string): string[] {
  const temporary = temporaryHome()
  const isOutside = !`${temporary}${path.sep}`.startsWith(`${root}${path.sep}`)
  const isOwn = isOutside && (readStats(temporary) === undefined || isPrivate(temporary))
  return [userStateDir(root), isOwn ? temporary : undefined].filter((home) => home !== undefined)
}

const signingKeyFile = (home: string): string => path.join(home, 'key')

function keyIn(home: string): Buffer | undefined {
  try {
    const text = readOwn(signingKeyFile(home))?.trim() ?? ''
    return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined
  } catch (error) {
    if (isOsError(error)) return undefined
    throw error
  }
}

/** Another process may draw one at the same time: the first whole one stays. */
function drawKey(home: string): Buffer {
  const file = signingKeyFile(home)
  // What is there is no key: a power cut came before its content.
  removeFile(file)
  const own = `${file}.${process.pid}-${Date.now().toString(36)}.new`
  const key = process.getBuiltinModule('node:crypto').randomBytes(32)
  fs.writeFileSync(own, `${key.toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true })
  try {
    fs.linkSync(own, file)
  } catch (error) {
    if (!hasCode(error, 'EEXIST', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error
    if (!hasCode(error, 'EEXIST')) fs.renameSync(own, file)
  } finally {
    removeFile(own)
  }
  syncFileNow(home)
  const there = keyIn(home)
  if (there === undefined) throw new Error(`'${file}' cannot be read`)
  return there
}
