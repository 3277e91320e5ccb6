import fs from 'node:fs'
import path from 'node:path'
import type { IsolatedGit } from './isolated-git.ts'

export interface CommitParts {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  /** Environment variables of git. */
  readonly identity: Readonly<Record<string, string>>
}

export function writeCommit(isolated: IsolatedGit, { tree, parents, message, identity }: CommitParts): string {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${identity['GIT_AUTHOR_NAME']} <${identity['GIT_AUTHOR_EMAIL']}> ${identity['GIT_AUTHOR_DATE']}`,
    `committer ${identity['GIT_COMMITTER_NAME']} <${identity['GIT_COMMITTER_EMAIL']}> ${identity['GIT_COMMITTER_DATE']}`,
  ]
  return writeObject(isolated, 'commit', Buffer.from(`${lines.join('\n')}\n\n${message}`))
}

type ObjectType = 'blob' | 'tree' | 'commit'

/** The object id of a content. */
export const nameOf = ({ config }: IsolatedGit, type: ObjectType, body: Buffer): string =>
  process
    .getBuiltinModule('node:crypto')
    .createHash(config.hash)
    .update(headerOf(type, body))
    .update(body)
    .digest('hex')

/** Writes an object in git's format, without starting git for each. Returns its id. */
export function writeObject(isolated: IsolatedGit, type: ObjectType, body: Buffer): string {
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const { deflateSync } = process.getBuiltinModule('node:zlib')
  const id = nameOf(isolated, type, body)
  const objects = path.join(isolated.repository.commonDir, 'objects')
  const dir = path.join(objects, id.slice(0, 2))
  const file = path.join(dir, id.slice(2))
  if (fs.existsSync(file)) return id
  // With the permissions of the objects directory: others may share the repository.
  const open = fs.statSync(objects).mode & 0o7777
  if (fs.mkdirSync(dir, { recursive: true }) !== undefined) fs.chmodSync(dir, open)
  // A name that git cleans up if this process dies.
  const temp = path.join(dir, `tmp_obj_clada_${randomBytes(6).toString('hex')}`)
  try {
    const fd = fs.openSync(temp, 'wx')
    try {
      fs.writeFileSync(fd, deflateSync(Buffer.concat([headerOf(type, body), body]), { level: 1 }))
      fs.fchmodSync(fd, open & 0o444)
      // A branch must not point to a missing commit after a crash.
      if (type === 'commit') fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
    fs.renameSync(temp, file)
  } catch (error) {
    fs.rmSync(temp, { force: true })
    throw error
  }
  return id
}

const headerOf = (type: ObjectType, { length }: Buffer): Buffer => Buffer.from(`${type} ${length}\0`)
