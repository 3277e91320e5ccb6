import { withoutUndefined } from '@clada/reply/core/optional.ts'
import fs from 'node:fs'
import path from 'node:path'
import { makeIsolatedGitDir } from '../process/isolated-git-dir.ts'
import { git, type GitAnswer, type GitCall } from './git-program.ts'
import { isolatedPrefix, sweepIsolated } from '../store/record.ts'
import type { ConfiguredRepository, RepositoryConfig } from './find-repository.ts'
import { type Head, refuseLinks, refusePipes, type Repository } from './repository.ts'
import { platform } from '../core/platform.ts'

/**
 * Runs git in a git directory of its own, with the objects of the real repository and a configuration that has only
 * settings about content. The repository's hooks, filters, monitors and commands are not in it, so they cannot run.
 */
export class IsolatedGit {
  readonly repository: Repository
  readonly config: RepositoryConfig
  /** The name of HEAD's tree; undefined while there is no commit. */
  tree: string | undefined
  readonly #dir: string

  private constructor(repository: ConfiguredRepository, head: Head, dir: string) {
    this.repository = repository
    this.config = repository.config
    this.#dir = dir
    this.pointTo(head)
  }

  /** In clada's own directory, for commands that are not executions. The caller holds the lock; directories of dead processes are removed. */
  static openIn(stateDir: string, repository: ConfiguredRepository, head: Head): IsolatedGit {
    sweepIsolated(stateDir)
    return IsolatedGit.open(repository, head, fs.mkdtempSync(path.join(stateDir, isolatedPrefix)))
  }

  /** `dir` is created, and removed by `close`. */
  static open(repository: ConfiguredRepository, head: Head, dir: string): IsolatedGit {
    refuseLinks(repository)
    refusePipes(repository)
    fs.mkdirSync(path.join(dir, 'refs'), { recursive: true })
    makeIsolatedGitDir(dir, repository, configFor(repository), ['info', 'shallow'])
    return new IsolatedGit(repository, head, dir)
  }

  /** Follows a branch that was moved since. */
  pointTo(head: Head): void {
    fs.writeFileSync(this.file('HEAD'), headText(head))
    this.tree = head.commit && `${head.commit}^{tree}`
  }

  /** A file in the temporary git directory. */
  file(name: string): string {
    return path.join(this.#dir, name)
  }

  git(args: readonly string[], { env, cwd, ...how }: IsolatedCall = {}): Promise<GitAnswer> {
    return git({ ...this.#call(args, { env, cwd }), ...how })
  }

  /** Runs git on these names, in as few calls as the length of command lines allows. */
  async gitOn(args: readonly string[], names: readonly string[], call: IsolatedCall = {}): Promise<Buffer> {
    const said: Buffer[] = []
    for (const some of batchesOf(names))
      said.push((await this.git(['--literal-pathspecs', ...args, '--', ...some], call)).out)
    return Buffer.concat(said)
  }

  #call(
    args: readonly string[],
    { env = {}, cwd }: { env?: IsolatedCall['env'] | undefined; cwd?: string | undefined } = {},
  ): GitCall {
    const { top, commonDir, gitDir } = this.repository
    return {
      cwd: cwd ?? top ?? gitDir,
      args,
      env: withoutUndefined({
        GIT_DIR: this.#dir,
        GIT_OBJECT_DIRECTORY: path.join(commonDir, 'objects'),
        GIT_INDEX_FILE: path.join(gitDir, 'index'),
        GIT_WORK_TREE: top,
        ...env,
      }),
    }
  }

  close(): void {
    fs.rmSync(this.#dir, { recursive: true, force: true })
  }
}

const headText = ({ commit, branch }: Head): string => `${commit ?? `ref: ${branch ?? 'refs/heads/main'}`}\n`

function batchesOf(names: readonly string[]): string[][] {
  const batches: string[][] = []
  let space = 0
  for (const name of names) {
    const size = Buffer.byteLength(name) + 1
    if (size > space) {
      batches.push([])
      space = platform.argumentBytes
    }
    batches.at(-1)?.push(name)
    space -= size
  }
  return batches
}

/**
 * The index is never split: its second file would be written to this directory, which is temporary.
 */
const configFor = ({ top, config }: ConfiguredRepository): string =>
  `[core]\n\trepositoryformatversion = 1\n\tbare = ${top === undefined}\n\tsafecrlf = false\n\tsplitindex = false\n${config.text}`

export interface IsolatedCall extends Pick<GitCall, 'input' | 'okExitCodes' | 'lowPriority' | 'syncsEach'> {
  readonly env?: Readonly<Record<string, string>>
  /** The working directory; by default the top of the repository. */
  readonly cwd?: string
}
