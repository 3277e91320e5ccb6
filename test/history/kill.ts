import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { readRecord } from '../../packages/clada/src/store/record.ts'
import { type Call, documentOf } from './world.ts'
import { commandOf } from '../support/cli.ts'
import { findState } from '../../packages/clada/src/state/project-state.ts'
import { inState } from '../support/scratch.ts'

/** Files with places to edit, and a document that edits all of them. */
export interface Work {
  readonly files: Record<string, string>
  readonly calls: readonly Call[]
  /** Whether a text is one that this file can have, at any moment. */
  readonly isWhole: (name: string, text: string) => boolean
}

/** `edits` edits spread over `count` files. */
export function makeWork(count: number, edits: number): Work {
  const names = Array.from({ length: count }, (_, at) => `dir-${at % 7}/file-${at}.txt`)
  const perFile = Math.ceil(edits / count)
  const filler = 'x'.repeat(60)
  const text = (name: string, done: number): string =>
    Array.from({ length: perFile }, (_, at) => `${name} ${at < done ? 'new' : 'old'}-${at} ${filler}\n`).join('')
  const calls = Array.from({ length: edits }, (_, at): Call => {
    const name = names[at % count] ?? ''
    const place = Math.floor(at / count)
    return ['file_replace_text', { path: name, old_text: `old-${place} `, new_text: `new-${place} ` }]
  })
  return {
    files: Object.fromEntries(names.map((name) => [name, text(name, 0)])),
    calls,
    // Every edit is there or not; an edit that failed keeps none of the others away.
    isWhole: (name, found) => found.replaceAll(/ new-(\d+) /g, ' old-$1 ') === text(name, 0),
  }
}

export function startClada(cli: string, root: string, calls: readonly Call[], ...args: string[]): ChildProcess {
  const [file = '', ...first] = commandOf(cli)
  const child = spawn(file, [...first, '--root', root, '--quiet', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin?.on('error', () => {})
  child.stdin?.end(documentOf(root, calls))
  return child
}

/**
 * Kills a process at a point of its execution: 0 is its first line in the journal, 1 its last, beyond that it is
 * saving, half a second for each whole. Says whether it was still alive.
 */
export async function killAt(child: ChildProcess, root: string, point: number, progress: number): Promise<boolean> {
  const ended = once(child, 'close')
  const reached = (): boolean =>
    point <= 1
      ? progressOf(root) > point * progress - 1
      : findState(root) !== undefined && readRecord(inState(root, 'history'), 1) !== undefined
  while (child.exitCode === null && !reached()) await new Promise((done) => setTimeout(done, 1))
  if (point > 1) await new Promise((done) => setTimeout(done, (point - 1) * 500))
  const alive = child.exitCode === null
  child.kill('SIGKILL')
  await ended
  return alive
}

/** How much an execution has recorded: the bytes of its journal and of the contents that it kept. */
export function progressOf(root: string): number {
  const objects = inState(root, 'objects')
  const names = fs.existsSync(objects) ? fs.readdirSync(objects) : []
  const kept = names.reduce((sum, name) => sum + sizeOf(path.join(objects, name)), 0)
  return sizeOf(inState(root, 'history/1/journal')) + kept
}

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? -1

/** Temporary files of ours anywhere, and locks. */
export function leftovers(root: string): string[] {
  return fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.clada-[^/]*\.tmp$|index\.lock$|\/git$|clada-index-|\.new$|\.own$/.test(name))
}

export const tornFiles = (root: string, { files, isWhole }: Work): string[] =>
  Object.keys(files).filter((name) => !isWhole(name, fs.readFileSync(path.join(root, name), 'utf8')))
