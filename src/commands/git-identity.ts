import os from 'node:os'
import { findProgram, systemPath } from '../process/programs.ts'
import { runProcess } from '../process/run-process.ts'

/**
 * For a git command that the user approved. The user's own config is not there inside: it may hold passwords and name
 * programs. Of all that it says, the command gets the name to commit under.
 */
export async function gitEnvironment(root: string): Promise<Record<string, string>> {
  const { name, email } = await identityIn(root)
  return {
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: ':',
    // The superuser may work in a project of somebody else.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: root,
    ...(name === undefined ? {} : { GIT_AUTHOR_NAME: name, GIT_COMMITTER_NAME: name }),
    ...(email === undefined ? {} : { GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_EMAIL: email }),
  }
}

async function identityIn(root: string): Promise<{ name?: string; email?: string }> {
  const git = findProgram('git', systemPath)
  if (git === undefined) return {}
  const { stdout } = await runProcess({
    file: git,
    args: [`--git-dir=${root}/.git`, 'config', '--null', '--get-regexp', '^user\\.(name|email)$'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: os.homedir(), LANG: 'C.UTF-8' },
    timeoutMs: 5000,
    outputBytes: 10_000,
    family: 'group',
  })
  // The last one of a name counts.
  const values = new Map(stdout.split('\0').map((line) => [line.split('\n', 1)[0], line.slice(line.indexOf('\n') + 1)]))
  const [name, email] = [values.get('user.name'), values.get('user.email')]
  return { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) }
}
