import path from 'node:path'
import { homeDir } from '../core/platform.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import { commitOnly } from '../policy/commands/git-rules.ts'
import type { Listed } from '../policy/commands/judge-command.ts'
import type { Argument } from '../policy/commands/rule.ts'
import { hardenedGitArgs, hardenedGitEnv, openReadOnlyGit } from '../process/isolated-git-dir.ts'
import { type ProcessEnd, runProcess } from '../process/run-process.ts'
import { secondNamesBelow } from './bounds.ts'
import { lookOnLayers } from './contained.ts'
import { checkedOperand, type CommandScope, listedMs, type Place } from './scope.ts'
import { listedProgram } from '../process/programs.ts'
import { gitName } from '../core/reserved-names.ts'

/** A look into the project's repository; undefined when the root is not in one. */
export async function runGit(
  file: string,
  listed: Listed,
  place: Place,
  scope: CommandScope,
): Promise<ProcessEnd | { readonly problem: Problem } | undefined> {
  const operands = await sorted(listed, place, scope)
  // The history of a second name is that of the blocked file.
  const args = gitArgs(listed, operands, listed.trailing.length === 0 ? [] : secondNamesBelow(scope))
  const isolated = openReadOnlyGit(scope.settings.root)
  if (isolated === undefined) return undefined
  if ('reason' in isolated) return { problem: { kind: 'git', ...isolated } }
  try {
    // There the settings of the repository are masked already.
    if (scope.effect !== 'land') return await lookOnLayers(file, args, place, scope)
    return await runProcess({
      file,
      args: [...isolated.args, ...args],
      cwd: place.safePath,
      env: isolated.env,
      timeoutMs: listedMs,
      outputBytes: Math.min(scope.commands.outputBytes, 10 * 1024 * 1024),
      family: 'group',
      signal: scope.signal,
      onOutput: scope.onOutput,
    })
  } finally {
    isolated.close()
  }
}

interface Sorted {
  readonly revisions: readonly string[]
  readonly paths: readonly string[]
  readonly texts: readonly string[]
}

function gitArgs(
  { rule, options, trailing }: Listed,
  { revisions, paths, texts }: Sorted,
  excluded: readonly string[],
): string[] {
  const words = [...rule.name.split(' ').slice(1), ...options, ...revisions]
  // git stash reads everything that is no option as a stash.
  if (rule.name.startsWith('git stash')) return words
  const all = trailing.length > 0 && paths.length === 0 ? [':(top)'] : []
  const further = excluded.map((name) => `:(top,exclude,literal)${name}`)
  return [...words, '--', ...all, ...paths, ...texts, ...trailing, ...further]
}

/** Which operands are commits and which are paths: as git does it, by what is before `--`, else by what is there. */
async function sorted({ rule, operands, call }: Listed, place: Place, scope: CommandScope): Promise<Sorted> {
  const revisions: string[] = []
  const paths: string[] = []
  const texts: string[] = []
  for (const [index, operand] of operands.entries()) {
    if (operand.as === 'text') texts.push(operand.text)
    else if (operand.as === 'revision') revisions.push(operand.text)
    else if (operand.as !== 'revision-or-content') paths.push(await checkedOperand(operand, place, scope))
    else if (await isRevision(operand, index, paths.length, call.beforeDashes, place, scope)) {
      const commit = commitOnly(operand.text)
      if (commit === undefined) throw refused(rule.name, operand.text)
      revisions.push(commit)
    } else paths.push(await checkedOperand({ ...operand, as: 'content' }, place, scope))
  }
  return { revisions, paths, texts }
}

async function isRevision(
  { text }: Argument,
  index: number,
  pathsBefore: number,
  beforeDashes: number | undefined,
  place: Place,
  { files }: CommandScope,
): Promise<boolean> {
  if (beforeDashes !== undefined) return index < beforeDashes
  if (pathsBefore > 0 || commitOnly(text) === undefined) return false
  return (await files.look({ given: text, absolute: path.resolve(place.absolute, text) }, 'list')) === undefined
}

const refused = (name: string, text: string): ProblemError =>
  new ProblemError({
    kind: 'command-refused',
    reason: `${name}: '${text}' is not a commit`,
    advice: 'Name a commit, a branch or a tag.',
  })

/**
 * For a git command that the user approved. The user's own config is not there inside: it may hold passwords and name
 * programs. Of all that it says, the command gets the name to commit under.
 */
export async function gitEnvironment(root: string): Promise<Record<string, string>> {
  // The last one of a name counts.
  const identity = new Map(
    (await asked(root, { HOME: homeDir() }, 'config', '--null', '--get-regexp', '^user\\.(name|email)$'))
      .split('\0')
      .map((line) => [line.split('\n', 1)[0], line.slice(line.indexOf('\n') + 1)]),
  )
  const [name, email] = [identity.get('user.name'), identity.get('user.email')]
  return {
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
    ...(name === undefined ? {} : { GIT_AUTHOR_NAME: name, GIT_COMMITTER_NAME: name }),
    ...(email === undefined ? {} : { GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_EMAIL: email }),
    ...authorsIn(process.env),
  }
}

const authorsIn = (user: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(user).flatMap(([name, value]) =>
      /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)$/.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  )

/** Where a repository is: the branch, the commit, and the newest stash. Empty texts for what is not there. */
export interface Position {
  readonly branch: string
  readonly commit: string
  readonly stash: string
}

export async function readGitPosition(root: string): Promise<Position> {
  const [branch, commit, stash] = await Promise.all([
    asked(root, hardenedGitEnv, 'symbolic-ref', '--quiet', '--short', 'HEAD'),
    asked(root, hardenedGitEnv, 'rev-parse', '--quiet', '--verify', 'HEAD'),
    asked(root, hardenedGitEnv, 'rev-parse', '--quiet', '--verify', 'refs/stash'),
  ])
  return { branch: branch.trim(), commit: commit.trim(), stash: stash.trim() }
}

async function asked(root: string, env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  const git = listedProgram('git', [root])
  if (git === undefined) return ''
  const { stdout } = await runProcess({
    file: git,
    args: [...hardenedGitArgs(), `--git-dir=${path.join(root, gitName)}`, ...args],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', LANG: 'C.UTF-8', ...env },
    timeoutMs: 5000,
    outputBytes: 10_000,
    family: 'group',
  })
  return stdout
}

/** What happened to the repository itself, and how far undo goes. */
export function movedWords(before: Position, after: Position): string[] {
  const at = ({ branch, commit }: Position): string =>
    `${branch || 'no branch'} at ${commit.slice(0, 8) || 'no commit'}`
  const moved = before.branch !== after.branch || before.commit !== after.commit
  return [
    ...(moved ? [`the repository was on ${at(before)} and is on ${at(after)}`] : []),
    ...(before.stash === after.stash ? [] : ['the stash changed; git stash list shows it']),
    'undo restores files and the position of the branch, not the index, the stash, tags, other branches or remotes',
  ]
}
