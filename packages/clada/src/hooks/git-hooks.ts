import path from 'node:path'
import { approvalLine } from '../approvals/approval-line.ts'
import { approvalsFor, namedBy, orderFor } from '../approvals/approvals.ts'
import { programDirs } from '../approvals/program.ts'
import type { Containment } from '../commands/bounds.ts'
import { canStage, runContained } from '../commands/contained.ts'
import { gitEnvironment } from '../commands/approved-git.ts'
import { type CommandScope, checkDirectory, rootArg } from '../commands/scope.ts'
import { isInside } from '../core/paths.ts'
import { homeDir } from '../core/platform.ts'
import { ProblemError } from '../core/problem.ts'
import type { PlannedCommit } from '../core/recorder.ts'
import { isGitName } from '../core/reserved-names.ts'
import { commandEnvironment } from '../process/environment.ts'
import { repositoryAt } from '../process/layered-git.ts'
import { findProgram, isProgram, systemGit, readProgramOutput, systemPath } from '../process/programs.ts'
import { projectTools } from '../process/runtimes.ts'
import { explain } from '../report/explain.ts'
import { endOfOutput } from './run-hooks.ts'

/** Those that may refuse a commit. */
const refusing = ['pre-commit', 'commit-msg'] as const

type HookName = (typeof refusing)[number]

/**
 * What the hooks of the repository say about a commit. Each runs in the sandbox, on a layer in which the changes are
 * staged and of which nothing is kept, if the user has approved it for the files that decide what it runs. Returns warnings.
 */
export async function runGitHooks(commit: PlannedCommit, scope: CommandScope): Promise<string[]> {
  const { root } = scope.settings
  const git = systemGit([root])
  const dir = git === undefined ? undefined : hooksDir(git, commit.top)
  const names = dir === undefined ? [] : refusing.filter((name) => isProgram(path.join(dir, name)))
  if (dir === undefined || names.length === 0) return []
  const found = repositoryAt(root, root)
  if (found === undefined || 'reason' in found || found.top !== commit.top)
    return names.map((name) => notRun(name, 'the project is not the whole repository'))
  const said: string[] = []
  for (const name of names) {
    const warnings = await runGitHook(name, dir, commit, scope).catch((error: unknown) => {
      if (!(error instanceof ProblemError)) throw error
      return [notRun(name, explain(error.problem, 'it').error)]
    })
    said.push(...warnings)
  }
  return said
}

const notRun = (name: HookName, why: string): string => `the hook ${name} did not run: ${why}`

/** Where git finds them, by the user's own config too. */
function hooksDir(git: string, top: string): string | undefined {
  const said = readProgramOutput(git, ['-c', 'safe.directory=*', '-C', top, 'rev-parse', '--git-path', 'hooks'], 5000)
  const name = said.replace(/\n$/, '')
  return name === '' ? undefined : path.resolve(top, name)
}

async function runGitHook(
  name: HookName,
  dir: string,
  { top, paths, message }: PlannedCommit,
  scope: CommandScope,
): Promise<string[]> {
  const { root, allowedRoots, limits } = scope.settings
  const approvals = await approvalsFor(scope.settings, scope.commands)
  const line = approvalLine(['git', 'hook', 'run', name], '')
  const { state } = approvals.stateOf(line)
  if (state !== 'approved' && namedBy(scope.commands.approve, line) === undefined) {
    const why = state === 'changed' ? 'what it runs has changed since it was approved' : 'it is not approved'
    return [notRun(name, `${why}. Allow it with: clada approve "${line.typed}"`)]
  }
  if (!(await canStage(scope))) return [notRun(name, 'the sandbox is off or missing here (see clada doctor)')]
  const sh = findProgram('sh', systemPath)
  if (sh === undefined) return [notRun(name, 'there is no shell (sh)')]
  if (paths.reduce((sum, one) => sum + one.length + 9, 0) > mostBytes) return [notRun(name, 'there are too many files')]
  const place = await checkDirectory(rootArg(root), 'looks', scope)
  const changes: string[] = []
  const own = repositoryAt(root, root)
  const what: Containment = {
    file: sh,
    args: ['-c', script, 'sh', path.join(dir, name), name, message.slice(0, 50_000), ...paths],
    env: {
      ...commandEnvironment(process.env, {
        path: programDirs(root, place.absolute, [root, ...allowedRoots], orderFor('wide')),
        home: homeDir(),
        venv: projectTools(root, place.absolute).venv,
        network: false,
        unloaded: [root, ...allowedRoots],
        more: scope.commands.env,
      }),
      ...(await gitEnvironment(top)),
    },
    timeoutMs: Math.max(limits.actionMs, hookMs),
    sandbox: 'required',
    network: false,
    caches: 'discard',
    by: 'wide',
    repository: 'changes',
    verb: 'commit',
    readable: isInside(dir, root) ? [] : [dir],
    memoryBytes: 16 * 1024 ** 3,
    keep: async (_, changed) => {
      const belongsToGit = (one: string): boolean =>
        isGitName(one.split('/')[0] ?? '') ||
        (own !== undefined && 'commonDir' in own && isInside(path.join(root, one), own.commonDir))
      changes.push(...changed.map((one) => one.path).filter((one) => !belongsToGit(one)))
      return false
    },
  }
  const done = await runContained(what, place, scope)
  if (!done.ok) return [notRun(name, explain(done.problem, 'it').error)]
  const { ended, exitCode, output } = done.end
  if (ended === 'stopped') return []
  const lost = changes.length === 0 ? [] : [`the hook ${name} changed ${firstFew(changes)}; clada does not keep that`]
  if (ended === 'itself' && exitCode === 0) return lost
  const how = ended === 'timeout' ? 'took too long' : `failed with exit code ${exitCode ?? 'none'}`
  const shown = endOfOutput(output)
  const refusal = `the hook ${name} ${how}; the commit was made all the same${shown === '' ? '' : `:\n${shown}`}`
  return [refusal, ...lost]
}

const firstFew = (names: readonly string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')

const hookMs = 60_000
/** Linux passes 2 MiB of arguments. */
const mostBytes = 1024 ** 2

/** As `git commit` starts them: at the top, with the changes in the index, and the message in a file. */
const script = `hook=$1 name=$2 message=$3
shift 3
git update-index -q --add --remove --replace -- "$@" || { echo 'the changes could not be staged' >&2; exit 125; }
[ "$name" = commit-msg ] || exec "$hook"
file=$(git rev-parse --git-path COMMIT_EDITMSG) && printf %s "$message" > "$file" && exec "$hook" "$file"`
