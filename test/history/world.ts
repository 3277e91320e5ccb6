import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { inject } from 'vitest'
import type { HistorySettings } from '../../packages/clada/src/core/settings.ts'
import { keptRef } from '../../packages/clada/src/git/kept.ts'
import { signerOf } from '../../packages/clada/src/state/project-state.ts'
import { readPackPlaces, readPackedContent } from '../../packages/clada/src/store/content-pack.ts'
import { Log, readLog } from '../../packages/clada/src/store/log.ts'
import type { ExecutionRecord } from '../../packages/clada/src/store/record.ts'
import { Clada, type CladaOptions, type ExecutionResult } from '../../packages/clada/src/index.ts'
import {
  redoExecution,
  undoExecution,
  type UndoOptions,
  type UndoResult,
} from '../../packages/clada/src/timetravel/undo.ts'
import { fillState, inState, scratchDir } from '../support/scratch.ts'
import { settingsFor } from '../support/settings.ts'

export type Mode = 'commit' | 'shadow' | 'off'
export type Call = readonly [action: string, params: Readonly<Record<string, string>>]

/** One action as a model would write it; paths are relative to the root. */
function block(root: string, [action, params]: Call): string {
  const lines = Object.entries(params).map(([name, value]) => {
    const text = name === 'path' || name.endsWith('_path') ? path.join(root, value) : value
    return /[\n"]/.test(text)
      ? `${name} = <<'EOT_SHAM_blk'\n${text}\nEOT_SHAM_blk`
      : `${name} = ${JSON.stringify(text)}`
  })
  return [`#!SHAM [@three-char-SHA-256: blk]`, `action = "${action}"`, ...lines, `#!END_SHAM_blk`, '', ''].join('\n')
}

const journalFileOf = (root: string, number: number): string => inState(root, 'history', String(number), 'journal')

/** What the journal of an execution has. */
export const entriesOf = (root: string, number = 1): object[] =>
  readLog(journalFileOf(root, number), signerOf(inState(root))).entries

/** Writes the journal of an execution anew, signed as clada signs it. */
export function writeJournal(root: string, number: number, entries: readonly object[]): void {
  const file = path.join(fillState(root), 'history', String(number), 'journal')
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.rmSync(file, { force: true })
  const log = Log.create(file, signerOf(inState(root)))
  for (const entry of entries) log.add(entry)
  log.flush()
  log.close()
}

/** The journal of an execution, to add to it. */
export const continueJournal = (root: string, number = 1): Log =>
  Log.continue(journalFileOf(root, number), signerOf(inState(root)))

export const documentOf = (root: string, calls: readonly Call[]): string =>
  calls.map((call) => block(root, call)).join('')

export function execute(
  root: string,
  mode: Mode,
  calls: readonly Call[],
  options: CladaOptions = {},
): Promise<ExecutionResult> {
  return new Clada({ repoPath: root, git: mode, ...options }).execute(documentOf(root, calls))
}

const historyFor = (git: Mode): HistorySettings => ({ git, author: null, lockFile: null, lockMs: 10_000 })

/** As if an execution had been killed before its end: its journal is there, its record is not. */
export function asKilled(root: string, number = 1): object {
  const entries = entriesOf(root, number)
  const [header, ...rest] = entries
  if (header === undefined) throw new Error('no header')
  const started = String(Reflect.get(header, 'started'))
  const before = started === '' ? { time: new Date(0).toISOString() } : {}
  const dead = { ...header, started: started.replace(/./g, '0'), ...before }
  const end = rest.findIndex((entry) => 'version' in entry)
  writeJournal(root, number, [dead, ...(end === -1 ? rest : rest.slice(0, end))])
  return dead
}

/** Changes bytes of a file that is there. */
export function damage(file: string, how: (bytes: Buffer) => Buffer): void {
  fs.writeFileSync(file, how(fs.readFileSync(file)))
}

/** Changes a kept content where it is: in the pack of execution 1, or in a file of its own. */
export function damageKept(root: string, digest: string, how: (bytes: Buffer) => Buffer): void {
  const [large, pack] = [inState(root, 'objects', digest), inState(root, 'objects/1.pack')]
  if (fs.existsSync(large)) return damage(large, how)
  const fd = fs.openSync(pack, 'r+')
  const place = readPackPlaces(fd).places.get(digest) ?? { at: 0, length: 0 }
  fs.writeSync(fd, how(readPackedContent(fd, place)), 0, place.length, place.at)
  fs.closeSync(fd)
}

/** The reference by which git keeps what an execution needs. */
export const keptBy = (root: string, number: number): string => keptRef(inState(root), number)

/** Whether a step back is in effect. */
export const isBack = async (root: string): Promise<boolean> =>
  (await new Clada({ repoPath: root }).history()).some(({ kind, undone }) => kind === 'back' && !undone)

export const undoIn = (root: string, mode: Mode, options: UndoOptions = {}): Promise<UndoResult> =>
  undoExecution(settingsFor(root), historyFor(mode), options)

export const redoIn = (root: string, mode: Mode, options: UndoOptions = {}): Promise<UndoResult> =>
  redoExecution(settingsFor(root), historyFor(mode), options)

/** Everything below a directory but clada's own corner and git's: type, mode and content. */
export function treeOf(root: string): Record<string, string> {
  const found: Record<string, string> = {}
  const visit = (dir: string, prefix: string): void => {
    for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
      if (prefix === '' && (entry.name === '.clada' || entry.name === '.git')) continue
      const file = path.join(dir, entry.name)
      const name = prefix + entry.name
      if (entry.isSymbolicLink()) found[name] = `-> ${fs.readlinkSync(file)}`
      else if (entry.isDirectory()) {
        found[`${name}/`] = `directory ${modeOf(file)}`
        visit(file, `${name}/`)
      } else found[name] = `${modeOf(file)} ${fs.readFileSync(file, 'latin1')}`
    }
  }
  visit(root, '')
  return found
}

/** Windows knows only whether a file is read-only. */
function modeOf(file: string): string {
  const stat = fs.statSync(file)
  if (process.platform === 'win32') return stat.isDirectory() ? '755' : (stat.mode & 0o200) === 0 ? '444' : '644'
  return (stat.mode & 0o7777).toString(8)
}

const identity = ['user.name=User', 'user.email=user@example.com', 'init.defaultBranch=main', 'maintenance.auto=false']
const configured = identity.flatMap((setting) => ['-c', setting])

/** Git as the user runs it. */
export function git(root: string, ...args: string[]): string {
  return execFileSync('git', [...configured, ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** A repository with one commit of these files. */
export function repository(files: Readonly<Record<string, string>>, ...init: string[]): string {
  const root = scratchDir(files)
  if (init.length === 0) fs.cpSync(inject('repository'), root, { recursive: true })
  else {
    git(root, 'init', '-q', ...init)
    git(root, 'config', 'user.name', 'User')
    git(root, 'config', 'user.email', 'user@example.com')
  }
  if (Object.keys(files).length > 0) {
    git(root, 'add', '-A')
    git(root, 'commit', '-q', '-m', 'first')
  }
  return root
}

/** A record as a complete run leaves it, with nothing in it. */
export const recordOf = (number: number, rest: Partial<ExecutionRecord> = {}): ExecutionRecord => ({
  version: 1,
  number,
  time: `time ${number}`,
  kind: 'run',
  ended: 'whole',
  mode: 'off',
  summary: '',
  actions: [],
  paths: [],
  ...rest,
})
