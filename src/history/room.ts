import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { git, type GitAnswer, gitStop } from './git-program.ts'
import { roomPrefix, sweepRooms } from './record.ts'
import type { Head, Repository } from './repository.ts'

/**
 * A clean room for git: a directory that looks like a repository, with the objects of the real one and a
 * configuration that holds only what decides about content. Whatever hooks, filters, monitors or commands the
 * repository brings along are not there, so that they cannot run.
 */
export class Room {
  readonly repository: Repository
  readonly config: RepositoryConfig
  readonly #dir: string

  private constructor(repository: Repository, config: RepositoryConfig, dir: string) {
    this.repository = repository
    this.config = config
    this.#dir = dir
  }

  /** A room in clada's own corner, for what is no execution. Whoever has the lock sweeps those of the dead. */
  static openIn(stateDir: string, repository: Repository, head: Head): Promise<Room> {
    sweepRooms(stateDir)
    return Room.open(repository, head, fs.mkdtempSync(path.join(stateDir, roomPrefix)))
  }

  /** `dir` is made, and gone after `close`. */
  static async open(repository: Repository, at: Head | Promise<Head>, dir: string): Promise<Room> {
    const [config, head] = await Promise.all([readConfig(repository), at])
    const { gitDir, commonDir } = repository
    fs.mkdirSync(path.join(dir, 'refs'), { recursive: true })
    fs.writeFileSync(path.join(dir, 'HEAD'), `${head.commit ?? `ref: ${head.branch ?? 'refs/heads/main'}`}\n`)
    fs.writeFileSync(path.join(dir, 'config'), config.text)
    const shared = fs.readdirSync(gitDir).filter((name) => name.startsWith('sharedindex.'))
    for (const target of [
      path.join(commonDir, 'info'),
      path.join(commonDir, 'shallow'),
      ...shared.map((name) => path.join(gitDir, name)),
    ]) {
      if (fs.existsSync(target)) fs.symlinkSync(target, path.join(dir, path.basename(target)))
    }
    return new Room(repository, config, dir)
  }

  /** A file in the room. */
  file(name: string): string {
    return path.join(this.#dir, name)
  }

  /** Lets references below a name be written to the repository itself; the others stay in the room. */
  share(refs: string): void {
    const real = path.join(this.repository.commonDir, refs)
    fs.mkdirSync(real, { recursive: true })
    fs.symlinkSync(real, this.file(refs), 'junction')
  }

  git(args: readonly string[], { input, env = {}, fine = [], cwd }: RoomCall = {}): Promise<GitAnswer> {
    const { top, commonDir, gitDir } = this.repository
    return git({
      cwd: cwd ?? top ?? gitDir,
      args,
      ...(input === undefined ? {} : { input }),
      fine,
      env: {
        GIT_DIR: this.#dir,
        GIT_OBJECT_DIRECTORY: path.join(commonDir, 'objects'),
        GIT_INDEX_FILE: path.join(gitDir, 'index'),
        ...(top === undefined ? {} : { GIT_WORK_TREE: top }),
        ...env,
      },
    })
  }

  /** Runs git on paths, as many at a time as a command line can hold. What it answers each time is put together. */
  async gitOn(args: readonly string[], names: readonly string[], call: RoomCall = {}): Promise<Buffer> {
    const answers: Buffer[] = []
    for (let at = 0; at < names.length;) {
      let end = at
      for (let size = 0; end < names.length && (end === at || size < lineLimit); end++)
        size += 3 * (names[end]?.length ?? 0) + 16
      const { out } = await this.git(['--literal-pathspecs', ...args, '--', ...names.slice(at, end)], call)
      answers.push(out)
      at = end
    }
    return Buffer.concat(answers)
  }

  close(): void {
    fs.rmSync(this.#dir, { recursive: true, force: true })
  }
}

/** In bytes; a character takes up to three, and a word needs a pointer. Systems take a megabyte and more. */
const lineLimit = 500_000

export interface RoomCall {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  readonly fine?: readonly number[]
  /** Where git runs; the top of the repository without it. */
  readonly cwd?: string
}

export interface RepositoryConfig {
  /** The clean room's configuration. */
  readonly text: string
  /** Filters that would run a program. */
  readonly filters: ReadonlySet<string>
  readonly sparse: boolean
}

/** Settings that decide about content and names, and run nothing. */
const harmless = new Set(
  (
    'core.filemode core.ignorecase core.symlinks core.autocrlf core.eol core.precomposeunicode core.protecthfs ' +
    'core.protectntfs core.trustctime core.checkstat core.excludesfile core.attributesfile core.bigfilethreshold ' +
    'core.compression core.loosecompression core.sparsecheckout core.sparsecheckoutcone core.sharedrepository ' +
    'index.sparse index.version extensions.objectformat'
  ).split(' '),
)

async function readConfig(repository: Repository): Promise<RepositoryConfig> {
  const values = new Map<string, string>()
  const filters = new Set<string>()
  for (const item of (await listConfig(repository)).split('\0')) {
    const [name = '', ...rest] = item.split('\n')
    const value = rest.join('\n')
    if (harmless.has(name)) values.set(name, rest.length === 0 ? 'true' : value)
    const [, filter] = /^filter\.(.+)\.(?:clean|process)$/s.exec(name) ?? []
    if (filter !== undefined && value !== '') filters.add(filter)
    if (name === 'extensions.refstorage' && value !== 'files') continue
  }
  const lines = [...values].map(([name, value]) => {
    const [section = '', key = ''] = name.split('.')
    return `[${section}]\n\t${key} = "${value.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"\n`
  })
  const text = `[core]\n\trepositoryformatversion = 1\n\tbare = ${repository.top === undefined}\n\tsafecrlf = false\n${lines.join('')}`
  return { text, filters, sparse: values.get('core.sparsecheckout') === 'true' }
}

/** What is configured for the repository, the machine and the user together. Reading it runs nothing. */
function listConfig({ gitDir }: Repository): Promise<string> {
  const { PATH = '/usr/bin:/bin', HOME = '/nonexistent', XDG_CONFIG_HOME } = process.env
  const env = { PATH, HOME, ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }), GIT_DIR: gitDir }
  return new Promise((done, failed) => {
    execFile('git', ['config', '-z', '--list'], { cwd: gitDir, env, maxBuffer: 1 << 26 }, (error, stdout) => {
      if (error === null) return done(stdout)
      failed(
        gitStop(
          error.code === 'ENOENT'
            ? 'git is not installed'
            : `git config: ${error.message.split('\n')[1] ?? error.message}`,
        ),
      )
    })
  })
}
