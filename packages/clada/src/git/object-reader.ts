import fs from 'node:fs'
import { Socket } from 'node:net'
import path from 'node:path'
import { ProblemError } from '../core/problem.ts'
import { abandon, gitError, type startGit, whenSilent } from './git-program.ts'

export interface GitObject {
  readonly id: string
  readonly type: string
  readonly bytes: Buffer
}

/**
 * Reads objects: loose ones from their files, the others through one git process, so that a walk over trees does not
 * start a process for each.
 */
export class ObjectReader {
  readonly #dir: string
  readonly #start: () => ReturnType<typeof startGit>
  #child: ReturnType<typeof startGit> | undefined
  readonly #waiting: Waiting[] = []
  #chunks: Buffer[] = []
  #length = 0
  /** The number of bytes that the next object needs. */
  #wanted = 1
  #failure: Error | undefined
  #silent: NodeJS.Timeout | undefined
  /** The last tree, which is asked for several times and may be large. */
  #tree: GitObject | undefined

  /** `dir` is the directory of all objects; `start` starts a `git cat-file --batch`. */
  constructor(dir: string, start: () => ReturnType<typeof startGit>) {
    this.#dir = dir
    this.#start = start
  }

  #started(): ReturnType<typeof startGit> {
    const child = (this.#child = this.#start())
    this.#hold(false)
    const fail = (reason: string): void => {
      this.#failure ??= gitError(reason)
      clearTimeout(this.#silent)
      for (const { failed } of this.#waiting.splice(0)) failed(this.#failure)
    }
    child.on('error', (error) => fail(error.message))
    child.on('close', (code, signal) => fail(`git cat-file: ended with ${code ?? signal}`))
    child.stdin?.on('error', () => {})
    child.stderr?.resume()
    child.stdout?.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#length += chunk.length
      this.#silent?.refresh()
      if (this.#length >= this.#wanted) this.#answer()
    })
    return child
  }

  /** By object id or any other name that git understands; throws `ProblemError` when it does not exist. */
  async read(name: string): Promise<GitObject> {
    const [, commit] = /^(.+)\^\{tree\}$/.exec(name) ?? []
    const [, tree] =
      /^tree (\w+)/.exec(commit === undefined ? '' : (await this.#ask(commit)).bytes.toString('latin1')) ?? []
    if (this.#tree !== undefined && this.#tree.id === (tree ?? name)) return this.#tree
    const found = await this.#ask(tree ?? name)
    if (found.type === 'tree') this.#tree = found
    return found
  }

  async #ask(name: string): Promise<GitObject> {
    return looseIn(this.#dir, name) ?? this.#askGit(name)
  }

  #askGit(name: string): Promise<GitObject> {
    return new Promise((done, failed) => {
      if (this.#failure !== undefined) return failed(this.#failure)
      const child = this.#child ?? this.#started()
      this.#waiting.push({ name, done, failed })
      this.#hold(true)
      this.#silent ??= whenSilent('cat-file', (stop) => {
        this.#failure ??= stop
        abandon(child)
        for (const one of this.#waiting.splice(0)) one.failed(this.#failure)
      })
      child.stdin?.write(`${name}\n`)
    })
  }

  close(): void {
    this.#child?.stdin?.end()
  }

  /** An open reader does not keep the process alive. */
  #hold(on: boolean): void {
    const how = on ? 'ref' : 'unref'
    this.#child?.[how]()
    for (const pipe of this.#child?.stdio ?? []) if (pipe instanceof Socket) pipe[how]()
  }

  #answer(): void {
    let bytes = Buffer.concat(this.#chunks)
    this.#wanted = 1
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10)) {
      const [id = '', type = '', size] = bytes.toString('latin1', 0, end).split(' ')
      const begin = end + 1
      const length = size === undefined ? 0 : Number(size) + 1
      if (bytes.length < begin + length) {
        this.#wanted = begin + length
        break
      }
      const next = this.#waiting.shift()
      if (size === undefined) next?.failed(missing(next.name))
      else next?.done({ id, type, bytes: bytes.subarray(begin, begin + length - 1) })
      bytes = bytes.subarray(begin + length)
    }
    if (this.#waiting.length === 0) {
      this.#hold(false)
      clearTimeout(this.#silent)
      this.#silent = undefined
    }
    this.#chunks = [bytes]
    this.#length = bytes.length
  }
}

/** Undefined unless it is there, not very large, and what its name says. Git explains what is wrong with the others. */
function looseIn(dir: string, id: string): GitObject | undefined {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) return undefined
  const { createHash } = process.getBuiltinModule('node:crypto')
  const { inflateSync } = process.getBuiltinModule('node:zlib')
  try {
    const file = path.join(dir, id.slice(0, 2), id.slice(2))
    const { size } = fs.statSync(file)
    if (size > largest) return undefined
    // A large one is the tree of a large directory, and hardly compressed.
    const chunkSize = Math.max(1 << 14, Math.min(size > 1 << 18 ? 2 * size : 4 * size, largest))
    const whole = inflateSync(fs.readFileSync(file), { maxOutputLength: largest, chunkSize })
    const hash = createHash(id.length === 40 ? 'sha1' : 'sha256')
    const end = whole.indexOf(0)
    const [type = ''] = whole.toString('latin1', 0, end).split(' ')
    return hash.update(whole).digest('hex') === id ? { id, type, bytes: whole.subarray(end + 1) } : undefined
  } catch {
    return undefined
  }
}

const largest = 1 << 24

interface Waiting {
  readonly name: string
  readonly done: (object: GitObject) => void
  readonly failed: (error: Error) => void
}

export const missing = (name: string): Error =>
  gitError(`${missingObject}: ${name}`, 'If this is a partial clone, fetch it first.')

export const isMissingObject = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.kind === 'git' && error.problem.reason.startsWith(missingObject)

const missingObject = 'an object is missing'
