import { spawn, type ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import type { Readable } from 'node:stream'
import { KeptOutput } from './kept-output.ts'
import { isGone, killGroup, killMarked, killNamespace } from './kill.ts'

export interface ProcessCall {
  /** Absolute: nothing is looked up. */
  readonly file: string
  readonly args: readonly string[]
  /** What it is told its own name is, for its messages. */
  readonly name?: string | undefined
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** For each of the two streams. */
  readonly outputBytes: number
  /** How everything it started is found again when it is over. */
  readonly family: Family
  readonly signal?: AbortSignal | undefined
  /** Hears of output as it comes. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined
  /** More new threads on the machine than this, and it is stopped. For where no limit of the system holds. */
  readonly threads?: number | undefined
}

/**
 * `group`: it starts nothing itself. `marked`: children that left the group are known by a mark in their environment.
 * `namespace`: they live in a process namespace that dies with the first; it tells its number on descriptor 3.
 */
export type Family = 'group' | 'marked' | 'namespace'

export interface ProcessEnd {
  readonly stdout: string
  readonly stderr: string
  /** Both, in the order in which they came. */
  readonly output: string
  readonly exitCode: number | null
  readonly signal: string | null
  readonly ended: 'itself' | 'timeout' | 'stopped' | 'crowd' | 'unstarted'
  /** Why it could not be started. */
  readonly error?: string
  /** What came on descriptor 3. */
  readonly status: string
}

/** How long pipes are read after the program itself is over: a child it left behind may hold them open for ever. */
const drainMs = 50
const politeMs = 100

/** Never rejects. Resolves when the program is over and everything it started is dead. */
export function runProcess(call: ProcessCall): Promise<ProcessEnd> {
  return new Promise((done) => {
    const mark = call.family === 'marked' ? `${process.pid}-${Math.random().toString(36).slice(2)}` : undefined
    const stdout = new KeptOutput(call.outputBytes)
    const stderr = new KeptOutput(call.outputBytes)
    const both = new KeptOutput(call.outputBytes)
    let status = ''
    let ended: ProcessEnd['ended'] = 'itself'
    let over = false
    const child = start(call, mark)
    const pipes: [Readable | null, KeptOutput][] = [
      [child.stdout, stdout],
      [child.stderr, stderr],
    ]
    for (const [pipe, keep] of pipes) {
      pipe?.on('data', (chunk: Buffer) => {
        keep.add(chunk)
        both.add(chunk)
        call.onOutput?.(chunk)
      })
      pipe?.on('error', () => {})
    }
    const third = child.stdio[3]
    if (third !== null && third !== undefined && 'on' in third) {
      third.on('data', (chunk: Buffer) => {
        if (status.length < 4096) status += chunk.toString('latin1')
      })
      third.on('error', () => {})
    }

    const stop = (why: ProcessEnd['ended']): void => {
      if (ended !== 'itself') return
      ended = why
      killAll(child, call.family, mark)
    }
    const timer = setTimeout(() => stop('timeout'), call.timeoutMs)
    const onAbort = (): void => stop('stopped')
    call.signal?.addEventListener('abort', onAbort, { once: true })
    const guard = call.threads === undefined ? undefined : watchCrowd(call.threads, () => stop('crowd'))
    if (call.signal?.aborted) onAbort()

    const finish = (exitCode: number | null, signal: string | null, error?: string): void => {
      if (over) return
      over = true
      clearTimeout(timer)
      clearInterval(guard)
      call.signal?.removeEventListener('abort', onAbort)
      for (const [pipe] of pipes) pipe?.destroy()
      if (third !== null && third !== undefined) third.destroy()
      done({
        stdout: stdout.text(),
        stderr: stderr.text(),
        output: both.text(),
        exitCode,
        signal,
        ended,
        status,
        ...(error === undefined ? {} : { error }),
      })
    }
    child.on('error', (error) => {
      ended = 'unstarted'
      finish(null, null, error.message)
    })
    child.on('exit', (exitCode, signal) => {
      if (mark !== undefined || call.family === 'group') killGroup(child.pid, 'SIGKILL')
      if (mark !== undefined) killMarked(mark)
      const drained = new Promise<void>((closed) => {
        child.once('close', () => closed())
        setTimeout(closed, call.family === 'namespace' ? 10 * drainMs : drainMs).unref()
      })
      void drained
        .then(() => (call.family === 'namespace' ? namespaceGone(status) : undefined))
        .then(() => finish(exitCode, signal))
    })
  })
}

function start({ file, args, name, cwd, env, family }: ProcessCall, mark: string | undefined): ChildProcess {
  return spawn(file, [...args], {
    cwd,
    ...(name === undefined ? {} : { argv0: name }),
    env: mark === undefined ? env : { ...env, CLADA_RUN: mark },
    // A session of its own: no terminal to push keystrokes into, and a group that can be killed.
    detached: true,
    stdio: family === 'namespace' ? ['ignore', 'pipe', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
}

function killAll(child: ChildProcess, family: Family, mark: string | undefined): void {
  if (family === 'namespace') {
    // Whatever its members think of signals.
    killNamespace(child.pid)
    return
  }
  killGroup(child.pid, 'SIGTERM')
  setTimeout(() => {
    killGroup(child.pid, 'SIGKILL')
    if (mark !== undefined) killMarked(mark)
  }, politeMs).unref()
}

/** The first process of a namespace is gone only when all the others are. */
async function namespaceGone(status: string): Promise<void> {
  const pid = Number(/"child-pid"\s*:\s*(\d+)/.exec(status)?.[1] ?? 0)
  if (pid === 0) return
  for (let tries = 0; tries < 400 && !isGone(pid); tries++)
    await new Promise((next) => setTimeout(next, tries < 5 ? 0 : 5))
}

/** Polls the number of threads on the machine; the superuser is exempt from the limit on processes. */
function watchCrowd(limit: number, crowded: () => void): NodeJS.Timeout | undefined {
  const before = threadsNow()
  if (before === undefined) return undefined
  return setInterval(() => {
    if ((threadsNow() ?? 0) > before + limit) crowded()
  }, 20).unref()
}

function threadsNow(): number | undefined {
  try {
    return Number(/\/(\d+) /.exec(fs.readFileSync('/proc/loadavg', 'latin1'))?.[1])
  } catch {
    return undefined
  }
}
