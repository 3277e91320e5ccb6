import { Socket } from 'node:net'
import { Stop } from '../core/problem.ts'
import { abandon, gitStop, type startGit, whenSilent } from './git-program.ts'

export interface GitObject {
  readonly id: string
  readonly type: string
  readonly bytes: Buffer
}

/** Reads objects through one git process, so that a walk over trees does not start a process for each. */
export class ObjectReader {
  readonly #child: ReturnType<typeof startGit>
  readonly #waiting: Waiting[] = []
  #chunks: Buffer[] = []
  #length = 0
  /** The number of bytes that the next object needs. */
  #wanted = 1
  #failure: Error | undefined
  #silent: NodeJS.Timeout | undefined
  /** The last tree, which is asked for several times and may be large. */
  #tree: GitObject | undefined

  /** `child` is a `git cat-file --batch`. */
  constructor(child: ReturnType<typeof startGit>) {
    this.#child = child
    this.#hold(false)
    const fail = (reason: string): void => {
      this.#failure ??= gitStop(reason)
      clearTimeout(this.#silent)
      for (const { failed } of this.#waiting.splice(0)) failed(this.#failure)
    }
    this.#child.on('error', (error) => fail(error.message))
    this.#child.on('close', (code, signal) => fail(`git cat-file: ended with ${code ?? signal}`))
    this.#child.stdin?.on('error', () => {})
    this.#child.stderr?.resume()
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#length += chunk.length
      this.#silent?.refresh()
      if (this.#length >= this.#wanted) this.#answer()
    })
  }

  /** By object id or any other name that git understands; throws `Stop` when it does not exist. */
  async read(name: string): Promise<GitObject> {
    const [, commit] = /^(.+)\^\{tree\}$/.exec(name) ?? []
    const [, tree] =
      /^tree (\w+)/.exec(commit === undefined ? '' : (await this.#ask(commit)).bytes.toString('latin1')) ?? []
    if (this.#tree !== undefined && this.#tree.id === (tree ?? name)) return this.#tree
    const found = await this.#ask(tree ?? name)
    if (found.type === 'tree') this.#tree = found
    return found
  }

  #ask(name: string): Promise<GitObject> {
    return new Promise((done, failed) => {
      if (this.#failure !== undefined) return failed(this.#failure)
      this.#waiting.push({ name, done, failed })
      this.#hold(true)
      this.#silent ??= whenSilent('cat-file', (stop) => {
        this.#failure ??= stop
        abandon(this.#child)
        for (const one of this.#waiting.splice(0)) one.failed(this.#failure)
      })
      this.#child.stdin?.write(`${name}\n`)
    })
  }

  close(): void {
    this.#child.stdin?.end()
  }

  /** An open reader does not keep the process alive. */
  #hold(on: boolean): void {
    const how = on ? 'ref' : 'unref'
    this.#child[how]()
    for (const pipe of this.#child.stdio) if (pipe instanceof Socket) pipe[how]()
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

interface Waiting {
  readonly name: string
  readonly done: (object: GitObject) => void
  readonly failed: (error: Error) => void
}

export const missing = (name: string): Error =>
  gitStop(`${missingObject}: ${name}`, 'If this is a partial clone, fetch it first.')

export const isMissing = (error: unknown): boolean =>
  error instanceof Stop && error.problem.kind === 'git' && error.problem.reason.startsWith(missingObject)

const missingObject = 'an object is missing'
