import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gitDirsAt } from '../state/git-dirs.ts'
import { hardenedGitArgs, hardenedGitEnv } from '../core/hardened-git.ts'

/**
 * A git directory of our own that shares only data with the repository's: its objects, refs and logs are linked,
 * HEAD and index are copies, and of its config only plain values are taken over. What the repository says about
 * programs (hooks, filters, fsmonitor, pagers, external diffs, gpg) is therefore not there at all.
 */
export interface GitRoom {
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
  close(): void
}

export function openGitRoom(root: string): GitRoom | undefined {
  // Only a repository whose top is the root. A worktree has a directory of its own and shares another.
  const found = gitDirsAt(root)
  if (found === undefined || !('gitDir' in found)) return undefined
  const { gitDir: own, commonDir: common } = found
  const room = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-git-'))
  for (const name of ['HEAD', 'index', 'shallow'])
    copyIfThere(path.join(name === 'shallow' ? common : own, name), path.join(room, name))
  for (const name of ['objects', 'refs', 'logs', 'packed-refs', 'reftable'])
    linkIfThere(path.join(common, name), path.join(room, name))
  for (const name of sharedIndexes(own)) linkIfThere(path.join(own, name), path.join(room, name))
  fs.mkdirSync(path.join(room, 'info'))
  copyIfThere(path.join(common, 'info', 'exclude'), path.join(room, 'info', 'exclude'))
  fs.writeFileSync(path.join(room, 'config'), plainConfig(readText(path.join(common, 'config'))))
  return {
    env: environment(room, root),
    args: globalArgs,
    close: () => fs.rmSync(room, { recursive: true, force: true }),
  }
}

const environment = (room: string, root: string): Record<string, string> => ({
  PATH: '/usr/bin:/bin',
  HOME: '/nonexistent',
  LANG: 'C.UTF-8',
  GIT_DIR: room,
  GIT_WORK_TREE: root,
  ...hardenedGitEnv,
})

/** Belt and braces: the room has none of these, and should it ever get one, it does not count. */
const globalArgs = hardenedGitArgs('safe.bareRepository=explicit', 'core.quotePath=true')

function copyIfThere(from: string, to: string): void {
  if (fs.lstatSync(from, { throwIfNoEntry: false })?.isFile()) fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE)
}

function linkIfThere(from: string, to: string): void {
  if (fs.existsSync(from)) fs.symlinkSync(from, to)
}

const sharedIndexes = (dir: string): string[] => fs.readdirSync(dir).filter((name) => name.startsWith('sharedindex.'))

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** The values that change what git shows and can name no program. */
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
  const [, scheme, rest = ''] = /^(https?|ssh|git|file):\/\/(?:[^/@]*@)?([^?#]*)/.exec(url) ?? []
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
