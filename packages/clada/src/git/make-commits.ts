import { dirsAbove } from '../core/paths.ts'
import { gitError } from './git-program.ts'
import type { IsolatedGit } from './isolated-git.ts'
import { dropDamaged } from './objects.ts'

/** The new content of each file; undefined removes it. */
export type NewContents = ReadonlyMap<string, NewContent | undefined>

export interface NewContent {
  readonly mode: string
  readonly body: Buffer
}

export interface NewCommit {
  readonly changes: NewContents
  readonly message: string
  /** Environment variables of git. */
  readonly identity: Readonly<Record<string, string>>
}

export interface MadeCommits {
  /** In the order of the commits. */
  readonly commits: readonly string[]
  /** Everything that is new with them, and perhaps objects that were there before. */
  readonly objects: readonly string[]
}

/**
 * Makes commits that follow each other; the first has these parents, and the files of the first of them. Only the directories
 * above the changes are read and written, so the cost does not depend on the size of the repository. No reference leads to them yet.
 */
export async function makeCommits(
  isolated: IsolatedGit,
  parents: readonly string[],
  commits: readonly NewCommit[],
): Promise<MadeCommits> {
  const input = Buffer.concat([
    ...commits.flatMap((commit, at) => importCommands(commit, at, parents)),
    importLine('done'),
  ])
  for (let round = 0; round < 3; round++) {
    // Names stay as they are, whatever the repository says about the disk.
    const args = ['-c', 'core.ignoreCase=false', 'fast-import', '--quiet', '--force', '--done', '--date-format=raw']
    const said = (await isolated.git(args, { input, syncsEach: true })).out.toString('latin1').split('\n')
    const made = said.filter((one) => /^[0-9a-f]{40,64}$/.test(one))
    const below = said.flatMap((one) => /^\d+ \w+ ([0-9a-f]{40,64})\t/.exec(one)?.[1] ?? [])
    const objects = [...new Set([...made, ...below])]
    // Git trusts an object of that name unread, also one that a power cut has emptied.
    if (objects.filter((id) => dropDamaged(isolated, id)).length === 0) return { commits: made, objects }
  }
  throw gitError('objects of the repository are damaged again and again')
}

/** The commands of git fast-import for one commit. The reference is one of the isolated directory. */
function importCommands({ changes, message, identity }: NewCommit, at: number, parents: readonly string[]): Buffer[] {
  const { GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_AUTHOR_DATE } = identity
  const { GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL, GIT_COMMITTER_DATE } = identity
  const all = [...changes]
  const mark = `:${at + 1}`
  const dirs = new Set(['', ...all.flatMap(([name]) => dirsAbove(name))])
  return [
    importLine('commit refs/clada/made'),
    importLine(`mark ${mark}`),
    importLine(`author ${GIT_AUTHOR_NAME} <${GIT_AUTHOR_EMAIL}> ${GIT_AUTHOR_DATE}`),
    importLine(`committer ${GIT_COMMITTER_NAME} <${GIT_COMMITTER_EMAIL}> ${GIT_COMMITTER_DATE}`),
    ...importData(Buffer.from(message)),
    ...(at === 0 ? parents.map((parent, order) => importLine(`${order === 0 ? 'from' : 'merge'} ${parent}`)) : []),
    // Removals first: a file may have become a directory, or a directory a file.
    ...all.flatMap(([name, content]) => (content === undefined ? [importLine(`D ${quoteName(name)}`)] : [])),
    ...all.flatMap(([name, content]) =>
      content === undefined
        ? []
        : [importLine(`M ${content.mode} inline ${quoteName(name)}`), ...importData(content.body)],
    ),
    importLine(''),
    importLine(`get-mark ${mark}`),
    ...[...dirs, ...all.flatMap(([name, content]) => (content === undefined ? [] : [name]))].map((name) =>
      importLine(`ls ${mark} ${quoteName(name)}`),
    ),
  ]
}

const importLine = (text: string): Buffer => Buffer.from(`${text}\n`)

const importData = (body: Buffer): Buffer[] => [importLine(`data ${body.length}`), body, importLine('')]

const quoteName = (name: string): string =>
  `"${name.replaceAll(/["\\\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))}"`
