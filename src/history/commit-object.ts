import fs from 'node:fs'
import path from 'node:path'
import { hasCode } from '../core/os-error.ts'
import type { Room } from './room.ts'

export interface CommitParts {
  readonly tree: string
  readonly parent: string | undefined
  readonly message: string
  /** As git's environment has it. */
  readonly identity: Readonly<Record<string, string>>
}

/** The tree of a commit that nobody has packed yet, as the last one mostly is; undefined where git has to be asked. */
export function looseTreeOf({ repository }: Room, commit: string): string | undefined {
  const { inflateSync } = process.getBuiltinModule('node:zlib')
  try {
    const file = path.join(repository.commonDir, 'objects', commit.slice(0, 2), commit.slice(2))
    const text = inflateSync(fs.readFileSync(file), { maxOutputLength: 1024 * 1024 }).toString('latin1')
    return /^commit \d+\0tree ([0-9a-f]+)\n/.exec(text)?.[1]
  } catch {
    return undefined
  }
}

/** Writes a commit among git's objects, as git itself would; starting a program for it would cost more than the rest. */
export function writeCommit({ repository }: Room, { tree, parent, message, identity }: CommitParts): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  const { deflateSync } = process.getBuiltinModule('node:zlib')
  const lines = [
    `tree ${tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    `author ${identity['GIT_AUTHOR_NAME']} <${identity['GIT_AUTHOR_EMAIL']}> ${identity['GIT_AUTHOR_DATE']}`,
    `committer ${identity['GIT_COMMITTER_NAME']} <${identity['GIT_COMMITTER_EMAIL']}> ${identity['GIT_COMMITTER_DATE']}`,
  ]
  const body = Buffer.from(`${lines.join('\n')}\n\n${message}`)
  const bytes = Buffer.concat([Buffer.from(`commit ${body.length}\0`), body])
  const id = createHash(tree.length === 64 ? 'sha256' : 'sha1')
    .update(bytes)
    .digest('hex')
  const dir = path.join(repository.commonDir, 'objects', id.slice(0, 2))
  fs.mkdirSync(dir, { recursive: true })
  const temp = path.join(dir, `tmp_obj_clada_${process.pid}`)
  fs.rmSync(temp, { force: true })
  const fd = fs.openSync(temp, 'wx', 0o444)
  try {
    fs.writeFileSync(fd, deflateSync(bytes))
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
  try {
    fs.linkSync(temp, path.join(dir, id.slice(2)))
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) fs.copyFileSync(temp, path.join(dir, id.slice(2)))
  } finally {
    fs.rmSync(temp, { force: true })
  }
  return id
}
