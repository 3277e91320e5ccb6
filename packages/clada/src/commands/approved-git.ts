import { withoutUndefined } from '@clada/reply/core/optional.ts'
import path from 'node:path'
import { homeDir } from '../core/platform.ts'
import { hardenedGitArgs, hardenedGitEnv } from '../process/isolated-git-dir.ts'
import { systemGit } from '../process/programs.ts'
import { runProcess } from '../process/run-process.ts'
import { gitName } from '../core/reserved-names.ts'

/**
 * For a git command that the user approved. The user's own config is not there inside: it may hold passwords and name
 * programs. Of all that it says, the command gets the name to commit under.
 */
export async function gitEnvironment(root: string): Promise<Record<string, string>> {
  // The last one of a name counts.
  const identity = new Map(
    (await askGit(root, { HOME: homeDir() }, 'config', '--null', '--get-regexp', '^user\\.(name|email)$'))
      .split('\0')
      .map((line) => [line.split('\n', 1)[0], line.slice(line.indexOf('\n') + 1)]),
  )
  const [name, email] = [identity.get('user.name'), identity.get('user.email')]
  return withoutUndefined({
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: ':',
    GIT_CONFIG_COUNT: '2',
    // The superuser may work in another user's project.
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: root,
    // A directory of the project that looks like a repository has a config that was not approved.
    GIT_CONFIG_KEY_1: 'safe.bareRepository',
    GIT_CONFIG_VALUE_1: 'explicit',
    // As for git, variables that name an author count before the config.
    GIT_AUTHOR_NAME: name,
    GIT_COMMITTER_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_EMAIL: email,
    ...authorsIn(process.env),
  })
}

const authorsIn = (user: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(user).flatMap(([name, value]) =>
      /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)$/.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  )

/** Where a repository is: the branch, the commit, and the newest stash. Empty texts for what is not there. */
export interface GitPosition {
  readonly branch: string
  readonly commit: string
  readonly stash: string
}

export async function readGitPosition(root: string): Promise<GitPosition> {
  const [branch, commit, stash] = await Promise.all([
    askGit(root, hardenedGitEnv, 'symbolic-ref', '--quiet', '--short', 'HEAD'),
    askGit(root, hardenedGitEnv, 'rev-parse', '--quiet', '--verify', 'HEAD'),
    askGit(root, hardenedGitEnv, 'rev-parse', '--quiet', '--verify', 'refs/stash'),
  ])
  return { branch: branch.trim(), commit: commit.trim(), stash: stash.trim() }
}

async function askGit(root: string, env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  const git = systemGit([root])
  if (git === undefined) return ''
  const { stdout } = await runProcess({
    file: git,
    args: [...hardenedGitArgs(), `--git-dir=${path.join(root, gitName)}`, ...args],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', LANG: 'C.UTF-8', ...env },
    timeoutMs: 5000,
    outputBytes: 10_000,
    scope: 'group',
  })
  return stdout
}

/** What happened to the repository itself, and how far undo goes. */
export function describeMove(before: GitPosition, after: GitPosition): string[] {
  const at = ({ branch, commit }: GitPosition): string =>
    `${branch || 'no branch'} at ${commit.slice(0, 8) || 'no commit'}`
  const moved = before.branch !== after.branch || before.commit !== after.commit
  return [
    ...(moved ? [`the repository was on ${at(before)} and is on ${at(after)}`] : []),
    ...(before.stash === after.stash ? [] : ['the stash changed; git stash list shows it']),
    'undo restores files and the position of the branch, not the index, the stash, tags, other branches or remotes',
  ]
}
