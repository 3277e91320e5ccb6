import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type GitDirs, gitDirsAt } from '../state/git-dirs.ts'
import { readLinked, readStats } from '../state/own-files.ts'
import { withSlashes } from '../core/paths.ts'
import { platform } from '../core/platform.ts'
import { foreignOwner, type Unusable } from './git-owner.ts'

/** A repository for git commands that models may run: they read it, and cannot change it. */
export interface ReadOnlyGit {
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
  close(): void
}

/**
 * Undefined if the root is not the top of a repository. HEAD and index are copies; references and objects are links. Also
 * why it is not used, if it belongs to another user.
 */
export function openReadOnlyGit(root: string): ReadOnlyGit | Unusable | undefined {
  const found = gitDirsAt(root)
  if (found === undefined || !('gitDir' in found)) return undefined
  return foreignOwner(root, found) ?? readOnlyGit(found, root)
}

export function readOnlyGit(found: GitDirs, workTree: string): ReadOnlyGit {
  const { gitDir, commonDir } = found
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-git-'))
  fs.mkdirSync(path.join(dir, 'info'))
  const config = plainConfig(readText(path.join(commonDir, 'config')))
  makeIsolatedGitDir(dir, found, config, ['objects', 'refs', 'logs', 'packed-refs', 'reftable'])
  for (const name of ['HEAD', 'index']) copyIfFile(path.join(gitDir, name), path.join(dir, name))
  for (const name of ['shallow', 'info/exclude']) copyIfFile(path.join(commonDir, name), path.join(dir, name))
  const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent', LANG: 'C.UTF-8', GIT_DIR: dir, GIT_WORK_TREE: workTree }
  return {
    env: { ...env, ...hardenedGitEnv },
    // The directory has no such settings; if it ever had one, it would have no effect.
    args: hardenedGitArgs('safe.bareRepository=explicit', 'core.quotePath=true'),
    close: () => fs.rmSync(dir, { recursive: true, force: true }),
  }
}

/**
 * The only place that makes isolated git directories: data of the repository is shared by links, the configuration is
 * our own, so that no hook, filter, monitor, pager or other program of the repository can run. The caller adds HEAD.
 */
export function makeIsolatedGitDir(
  dir: string,
  { gitDir, commonDir }: GitDirs,
  config: string,
  links: readonly string[],
): void {
  fs.writeFileSync(path.join(dir, 'config'), config)
  const indexes = fs.readdirSync(gitDir).filter((name) => name.startsWith('sharedindex.'))
  const targets = [
    ...links.map((name) => path.join(commonDir, name)),
    ...indexes.map((name) => path.join(gitDir, name)),
  ]
  for (const target of targets) if (fs.existsSync(target)) share(target, path.join(dir, path.basename(target)))
}

/** By a link, or where only some users may make links by a junction, a list of alternates, or a copy. */
function share(target: string, at: string): void {
  const isDirectory = fs.statSync(target).isDirectory()
  try {
    if (platform.links) return fs.symlinkSync(target, at)
    if (isDirectory) return fs.symlinkSync(target, at, 'junction')
  } catch (error) {
    if (platform.links) throw error
  }
  if (path.basename(at) !== 'objects') return fs.cpSync(target, at, { recursive: true })
  fs.mkdirSync(path.join(at, 'info'), { recursive: true })
  fs.writeFileSync(path.join(at, 'info', 'alternates'), `${withSlashes(target)}\n`)
}

function copyIfFile(from: string, to: string): void {
  if (readStats(from)?.isFile()) fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE)
}

function readText(file: string): string {
  try {
    return readLinked(file) ?? ''
  } catch {
    return ''
  }
}

/** Values that affect git's output and cannot name a program. */
const plainKeys: Readonly<Record<string, RegExp>> = {
  'core.repositoryformatversion': /^[01]$/,
  'core.filemode': /^(true|false)$/,
  'core.ignorecase': /^(true|false)$/,
  'core.symlinks': /^(true|false)$/,
  'core.precomposeunicode': /^(true|false)$/,
  'core.autocrlf': /^(true|false|input)$/,
  'core.eol': /^(lf|crlf|native)$/,
  'extensions.objectformat': /^sha(1|256)$/,
  'extensions.refstorage': /^(files|reftable)$/,
  'branch.*.remote': /^[\w.-]+$/,
  'branch.*.merge': /^refs\/heads\/[\w./-]+$/,
  'remote.*.fetch': /^\+?refs\/heads\/[\w./*-]+:refs\/remotes\/[\w./*-]+$/,
}

/** Addresses that name a place and nothing else, without user name, password and query. */
function plainAddress(url: string): string | undefined {
  const [, scheme, rest = ''] = /^(https?|ssh|git|file):\/\/(?:[^/?#]*@)?([^?#]*)/.exec(url) ?? []
  if (scheme !== undefined) return `${scheme}://${rest}`
  return /^(?:[\w.-]+@)?[\w.-]+:[\w./~-]+$|^[\w./~-]+$/.test(url) ? url : undefined
}

export function plainConfig(text: string, how: 'data' | 'with remotes' = 'data'): string {
  const kept: string[] = []
  let section = ''
  let heading = ''
  for (const line of text.split('\n')) {
    const [, name, sub] = /^\s*\[\s*([A-Za-z.-]+)(?:\s+"([\w./-]+)")?\s*\]\s*$/.exec(line) ?? []
    if (name !== undefined) {
      section = `${name.toLowerCase()}${sub === undefined ? '' : '.*'}`
      heading = sub === undefined ? `[${name.toLowerCase()}]` : `[${name.toLowerCase()} "${sub}"]`
      continue
    }
    if (/^\s*\[/.test(line)) section = ''
    const [, key = '', value = ''] = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(\S+)\s*$/.exec(line) ?? []
    const address = how === 'data' || `${section}.${key}` !== 'remote.*.url' ? undefined : plainAddress(value)
    if (address !== undefined) kept.push(`${heading}\n\turl = ${address}`)
    if (plainKeys[`${section}.${key.toLowerCase()}`]?.test(value)) kept.push(`${heading}\n\t${key} = ${value}`)
  }
  return ['[core]', '\tbare = false', ...kept, ''].join('\n')
}

/** Wherever git is started: no configuration of the machine or the user, nothing asked, fetched, replaced or shown by others. */
export const hardenedGitEnv: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: ':',
  GIT_ASKPASS: '/bin/false',
  GIT_TEST_DISALLOW_ABBREVIATED_OPTIONS: 'true',
}

/** The same against what a repository itself configures, and what else the caller sets. */
export const hardenedGitArgs = (...more: readonly string[]): readonly string[] => [
  '--no-pager',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'core.editor=:',
    'core.sshCommand=/bin/false',
    'credential.helper=',
    'protocol.allow=never',
    'log.showSignature=false',
    'gpg.program=/bin/false',
    'gpg.ssh.program=/bin/false',
    'gpg.x509.program=/bin/false',
    'diff.external=',
    'submodule.recurse=false',
    // Everything that git writes is on the disk before it says so; many objects are synced together.
    'core.fsync=all',
    'core.fsyncMethod=batch',
    'color.ui=never',
    ...more,
  ].flatMap((setting) => ['-c', setting]),
]
