import fs from 'node:fs'
import path from 'node:path'
import { git, type GitAnswer, type GitCall, startGit } from './git-program.ts'
import { ObjectReader } from './object-reader.ts'
import { roomPrefix, sweepRooms } from '../journal/record.ts'
import type { ConfiguredRepository } from './find-repository.ts'
import type { Head, Repository } from './repository.ts'
import type { RepositoryConfig } from './repository-config.ts'

/**
 * A clean room for git: a directory that looks like a repository, with the objects of the real one and a
 * configuration that holds only what decides about content. Whatever hooks, filters, monitors or commands the
 * repository brings along are not there, so that they cannot run.
 */
export class Room {
  readonly repository: Repository
  readonly config: RepositoryConfig
  /** Whether HEAD leads to anything. */
  readonly hasCommit: boolean
  readonly #dir: string
  #objects: ObjectReader | undefined

  private constructor(repository: ConfiguredRepository, { commit }: Head, dir: string) {
    this.repository = repository
    this.config = repository.config
    this.hasCommit = commit !== undefined
    this.#dir = dir
  }

  /** A room in clada's own corner, for what is no execution. Whoever has the lock sweeps those of the dead. */
  static openIn(stateDir: string, repository: ConfiguredRepository, head: Head): Room {
    sweepRooms(stateDir)
    return Room.open(repository, head, fs.mkdtempSync(path.join(stateDir, roomPrefix)))
  }

  /** `dir` is made, and gone after `close`. */
  static open(repository: ConfiguredRepository, head: Head, dir: string): Room {
    const { gitDir, commonDir } = repository
    fs.mkdirSync(path.join(dir, 'refs'), { recursive: true })
    fs.writeFileSync(path.join(dir, 'HEAD'), headText(head))
    fs.writeFileSync(path.join(dir, 'config'), configFor(repository))
    const shared = fs.readdirSync(gitDir).filter((name) => name.startsWith('sharedindex.'))
    for (const target of [
      path.join(commonDir, 'info'),
      path.join(commonDir, 'shallow'),
      ...shared.map((name) => path.join(gitDir, name)),
    ]) {
      if (fs.existsSync(target)) fs.symlinkSync(target, path.join(dir, path.basename(target)))
    }
    return new Room(repository, head, dir)
  }

  /** The branch moved on since the room was opened. */
  pointTo(head: Head): void {
    fs.writeFileSync(this.file('HEAD'), headText(head))
  }

  /** A file in the room. */
  file(name: string): string {
    return path.join(this.#dir, name)
  }

  git(args: readonly string[], { input, fine = [], yields = false, ...where }: RoomCall = {}): Promise<GitAnswer> {
    return git({ ...this.#call(args, where), yields, ...(input === undefined ? {} : { input }), fine })
  }

  /** What git says of these names, in as few calls as a command line can hold. */
  async gitOn(args: readonly string[], names: readonly string[], call: RoomCall = {}): Promise<Buffer> {
    const said: Buffer[] = []
    for (const some of batchesOf(names))
      said.push((await this.git(['--literal-pathspecs', ...args, '--', ...some], call)).out)
    return Buffer.concat(said)
  }

  get objects(): ObjectReader {
    return (this.#objects ??= new ObjectReader(startGit(this.#call(['cat-file', '--batch']), 'pipe')))
  }

  #call(args: readonly string[], { env = {}, cwd }: Pick<RoomCall, 'env' | 'cwd'> = {}): GitCall {
    const { top, commonDir, gitDir } = this.repository
    return {
      cwd: cwd ?? top ?? gitDir,
      args,
      env: {
        GIT_DIR: this.#dir,
        GIT_OBJECT_DIRECTORY: path.join(commonDir, 'objects'),
        GIT_INDEX_FILE: path.join(gitDir, 'index'),
        ...(top === undefined ? {} : { GIT_WORK_TREE: top }),
        ...env,
      },
    }
  }

  close(): void {
    this.#objects?.close()
    fs.rmSync(this.#dir, { recursive: true, force: true })
  }
}

const headText = ({ commit, branch }: Head): string => `${commit ?? `ref: ${branch ?? 'refs/heads/main'}`}\n`

/** Less than systems take, together with what stands before; Windows takes little. */
const batchBytes = process.platform === 'win32' ? 20_000 : 500_000

function batchesOf(names: readonly string[]): string[][] {
  const batches: string[][] = []
  let room = 0
  for (const name of names) {
    const size = Buffer.byteLength(name) + 1
    if (size > room) {
      batches.push([])
      room = batchBytes
    }
    batches.at(-1)?.push(name)
    room -= size
  }
  return batches
}

/**
 * An index is always written in one piece: the second piece of one in two would lie in the room, and be gone with it.
 */
const configFor = ({ top, config }: ConfiguredRepository): string =>
  `[core]\n\trepositoryformatversion = 1\n\tbare = ${top === undefined}\n\tsafecrlf = false\n\tsplitindex = false\n${config.text}`

export interface RoomCall {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  readonly fine?: readonly number[]
  readonly yields?: boolean
  /** Where git runs; the top of the repository without it. */
  readonly cwd?: string
}
