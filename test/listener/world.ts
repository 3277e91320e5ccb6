import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type CladaOptions, type Listener, type ListenerEvent, startListener } from '../../packages/clada/src/index.ts'
import { splitWatchedFile } from '../../packages/clada/src/watch/results-writer.ts'
import { remove, scratchDir } from '../support/scratch.ts'

export interface World {
  readonly dir: string
  readonly file: string
  readonly output: string
  readonly events: ListenerEvent[]
  readonly listener: Listener
}

export interface Start {
  readonly dir?: string
  readonly name?: string
  readonly clada?: CladaOptions
  readonly atStart?: 'new' | 'hold' | 'all'
  readonly debounceMs?: number
  readonly outputFile?: string
  readonly commands?: Readonly<Record<string, () => Promise<readonly string[]>>>
  readonly copy?: (report: string) => Promise<boolean | undefined>
}

/** A listener on a file in a project of its own, ended with the test. */
export async function listening(text: string | undefined, start: Start = {}): Promise<World> {
  const dir = start.dir ?? scratchDir()
  const state = `${dir}-state`
  process.env['XDG_STATE_HOME'] = state
  onTestFinished(() => remove(state))
  const file = path.join(dir, start.name ?? 'clada_input.md')
  if (text !== undefined) fs.writeFileSync(file, text)
  const events: ListenerEvent[] = []
  const listener = await startListener({
    filePath: file,
    debounceMs: start.debounceMs ?? 20,
    clada: { repoPath: dir, gitCommit: false, ...start.clada },
    onEvent: (event) => events.push(event),
    ...(start.atStart === undefined ? {} : { atStart: start.atStart }),
    commands: start.commands,
    copy: start.copy,
    outputFile: start.outputFile,
  })
  onTestFinished(() => listener.stop())
  return { dir, file, output: path.resolve(dir, start.outputFile ?? '.clada/output.md'), events, listener }
}

export const block = (id: string, lines: readonly string[]): string =>
  [`#!SHAM [@three-char-SHA-256: ${id}]`, ...lines, `#!END_SHAM_${id}`, ''].join('\n')

/** A block whose every run leaves a trace: one more line in a file. */
export const append = (dir: string, id: string): string =>
  block(id, ['action = "file_append"', `path = "${dir}/trace.txt"`, `content = "${id}\\n"`])

/** What ran, in order. */
export function traceOf(dir: string): string[] {
  const file = path.join(dir, 'trace.txt')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : []
}

export const runsIn = ({ events }: World): number => events.filter(({ kind }) => kind === 'done').length

/** Waits until so many runs are over and told. */
export const ran = (world: World, count: number): Promise<void> =>
  expect.poll(() => runsIn(world), { interval: 5 }).toBeGreaterThanOrEqual(count)

export const until = (condition: () => boolean): Promise<void> => expect.poll(condition, { interval: 5 }).toBe(true)

export const sectionIn = (file: string): string => splitWatchedFile(fs.readFileSync(file)).section.toString()
export const ownIn = (file: string): string => splitWatchedFile(fs.readFileSync(file)).own.toString()
