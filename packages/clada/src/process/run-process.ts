import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import { type Readable, type Stream, Writable } from 'node:stream'
import type { StopCause } from '../core/problem.ts'
import { stopCause } from '../core/time-limit.ts'
import { controlGroup } from './control-group.ts'
import { mostProcesses, mostThreads, watchProcessCount } from './bounds.ts'
import { KeptOutput } from './kept-output.ts'
import { openGroupTree, type ProcessTree, openNamespaceTree } from './process-tree.ts'
import { markProgram, openMarkedTree } from './marked.ts'
import { platform } from '../core/platform.ts'
import { systemPath } from './programs.ts'
import { type WatchedWrites, watchWrites } from './write-limits.ts'

export interface ProcessCall {
  /** Absolute: nothing is looked up. */
  readonly file: string
  readonly args: readonly string[]
  /** Its own name (argv[0]), for its messages. */
  readonly name?: string | undefined
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** For each of the two streams. */
  readonly outputBytes: number
  /** How everything it started is found again when it is over. */
  readonly scope: ProcessScope
  /** For a namespace: what can be read from descriptor 5. */
  readonly filter?: Buffer | undefined
  /** For a namespace: what can be read from descriptor 6. */
  readonly options?: Buffer | undefined
  /** For a namespace: the memory of everything in it together. */
  readonly memoryBytes?: number
  readonly signal?: AbortSignal | undefined
  /** Called with output as it arrives. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined
  /** With more processes than this it is stopped; by default more than any build needs. */
  readonly processes?: number
  /** Where it writes: with more than these limits it is stopped. */
  readonly writes?: WatchedWrites
  /** In a namespace: called with the number of the sandbox and of the first process inside, before anything runs there. */
  readonly onReady?: ((sandbox: number, first: number) => Promise<void>) | undefined
}

/**
 * `group`: it starts nothing itself. `marked`: children that left the group are known by a mark they were born with.
 * `namespace`: they live in a process namespace that dies with the first; its number is reported on descriptor 3, and
 * nothing runs in it before something is written to descriptor 4.
 */
export type ProcessScope = 'group' | 'marked' | 'namespace'

export interface ProcessEnd {
  readonly stdout: string
  readonly stderr: string
  /** Both, in the order in which they came. */
  readonly output: string
  /** Its own; null when it did not end by itself. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly ended: 'itself' | 'timeout' | 'stopped' | 'too-many-processes' | 'too-much-written' | 'unstarted'
  /** Why it could not be started. */
  readonly error?: string
  /** Why it had to stop with the execution. */
  readonly stopped?: StopCause | undefined
  /** What came on descriptor 3. */
  readonly status: string
  /** False when something it started could not be ended. */
  readonly allEnded: boolean
}

/** How long pipes are read when everybody is gone: only who could not be found can hold them open any longer. */
const drainMs = 500

/** Never rejects. Resolves when the program is over and everything it started is dead. */
export async function runProcess(call: ProcessCall): Promise<ProcessEnd> {
  const stdout = new KeptOutput(call.outputBytes)
  const stderr = new KeptOutput(call.outputBytes)
  const both = new KeptOutput(call.outputBytes)
  const nothing = { stdout: '', stderr: '', output: '', exitCode: null, signal: null, status: '', allEnded: true }
  const unstarted = ({ message }: Error): ProcessEnd => ({ ...nothing, ended: 'unstarted', error: message })
  let started: RunningProcess
  try {
    started = startProcess(call)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return unstarted(error)
  }
  const { child, tree, readStatus } = started
  collectOutput(child.stdout, [stdout, both], call.onOutput)
  collectOutput(child.stderr, [stderr, both], call.onOutput)

  let ended = 'itself' as ProcessEnd['ended']
  const stop = (why: ProcessEnd['ended']): void => {
    if (ended !== 'itself') return
    ended = why
    tree.stop()
  }
  const timer = setTimeout(() => stop('timeout'), call.timeoutMs)
  const onAbort = (): void => stop('stopped')
  call.signal?.addEventListener('abort', onAbort, { once: true })
  const guard = watchProcessCount(tree, call.processes ?? mostProcesses, () => stop('too-many-processes'))
  const disk = call.writes && watchWrites(call.writes, () => stop('too-much-written'), tree)
  if (call.signal?.aborted) onAbort()

  const closed = new Promise((read) => child.once('close', read))
  const end = await new Promise<Error | { exitCode: number | null; signal: string | null }>((over) => {
    child.on('error', over)
    child.once('exit', (exitCode, signal) => over({ exitCode, signal }))
  })
  // From here on nothing can change the result.
  clearTimeout(timer)
  clearInterval(guard)
  clearInterval(disk)
  call.signal?.removeEventListener('abort', onAbort)
  if (end instanceof Error) return unstarted(end)

  const allEnded = await tree.terminated()
  await Promise.race([closed, new Promise((late) => setTimeout(late, drainMs).unref())])
  for (const pipe of child.stdio) pipe?.destroy()
  return {
    stdout: stdout.text(),
    stderr: stderr.text(),
    output: both.text(),
    exitCode: ended === 'itself' ? end.exitCode : null,
    signal: end.signal,
    ended,
    stopped: ended === 'stopped' ? stopCause(call.signal) : undefined,
    status: readStatus(),
    allEnded,
  }
}

function collectOutput(pipe: Readable | null, kept: readonly KeptOutput[], onOutput: ProcessCall['onOutput']): void {
  pipe?.on('error', () => {})
  pipe?.on('data', (chunk: Buffer) => {
    for (const keep of kept) keep.add(chunk)
    onOutput?.(chunk)
  })
}

interface RunningProcess {
  readonly child: ChildProcess
  readonly tree: ProcessTree
  readonly readStatus: () => string
}

function startProcess(call: ProcessCall): RunningProcess {
  const readStatus = (): string => ''
  if (call.scope === 'namespace') {
    const { filter, options, memoryBytes = Infinity } = call
    const group = controlGroup({ tasks: mostThreads(), memoryBytes })
    // One that nobody reads would be open in the sandbox.
    const given = [filter, options].map((bytes) => (bytes === undefined ? 'ignore' : 'pipe'))
    const own = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', ...given] as const
    const child = spawnChild(call, own)
    // Out of descriptors, it has none of them, whatever its type says.
    const stdio: readonly (Stream | null | undefined)[] | undefined = child.stdio
    const tree = openNamespaceTree(stdio?.[3], stdio?.[4], group, async (first) =>
      call.onReady?.(child.pid ?? 0, first),
    )
    writeInput(stdio?.[5], filter)
    writeInput(stdio?.[6], options)
    return { child, tree, readStatus: tree.readStatus }
  }
  if (call.scope === 'marked') {
    const { mark, ...bearing } = markProgram(call)
    const child = spawnChild({ ...call, ...bearing }, ['ignore', 'pipe', 'pipe'])
    return { child, tree: openMarkedTree(child.pid, mark), readStatus }
  }
  const child = spawnChild(call, ['ignore', 'pipe', 'pipe'])
  return { child, tree: openGroupTree(child.pid), readStatus }
}

function writeInput(pipe: Stream | null | undefined, bytes: Buffer | undefined): void {
  // It may end without reading.
  pipe?.on('error', () => {})
  if (pipe instanceof Writable) pipe.end(bytes)
}

function spawnChild({ file, args, name, cwd, env }: ProcessCall, own: readonly ('ignore' | 'pipe')[]): ChildProcess {
  const open = inheritedDescriptors().filter((descriptor) => descriptor >= own.length)
  const nothing = open.length === 0 ? undefined : fs.openSync('/dev/null', 'r+')
  const stdio: ('ignore' | 'pipe' | number)[] = [...own]
  // To ignore one of these means to leave it as it is, so each is made one of nothing.
  while (stdio.length <= Math.max(-1, ...open))
    stdio.push(open.includes(stdio.length) ? (nothing ?? 'ignore') : 'ignore')
  const start = startOf(file, args)
  if ('reason' in start) throw new Error(start.reason)
  if (cwd.length > platform.longestWorkingDirectory)
    throw new Error(`the path of its directory has ${cwd.length} characters, more than Windows starts programs in`)
  try {
    return spawn(start.file, [...start.args], {
      cwd,
      windowsVerbatimArguments: start.verbatim,
      argv0: name,
      env,
      // A session of its own: no terminal to push keystrokes into, and a group that can be killed.
      detached: platform.processGroups,
      stdio,
      windowsHide: true,
    })
  } finally {
    if (nothing !== undefined) fs.closeSync(nothing)
  }
}

/**
 * Descriptors that the parent of this process left open, and that a program started by it would have too: with one of
 * a directory it walks out of any sandbox. Node itself closes the low ones, and on other systems all of them.
 */
export function inheritedDescriptors(): number[] {
  if (!platform.proc) return []
  try {
    return fs.readdirSync('/proc/self/fd').map(Number).filter(isInherited)
  } catch {
    // Without /proc no process inside can find them either.
    return []
  }
}

const closedOnExec = 0o2000000

function isInherited(descriptor: number): boolean {
  if (descriptor < 3) return false
  try {
    const facts = fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')
    const [, flags = ''] = facts.match(/^flags:\s*([0-7]+)$/m) ?? []
    return (parseInt(flags, 8) & closedOnExec) === 0
  } catch {
    // It was that of the directory that was just read.
    return false
  }
}

/** How a program is started, without a shell that reads its arguments. */
export interface ProgramStart {
  readonly file: string
  readonly args: readonly string[]
  /** The arguments are quoted already. */
  readonly verbatim: boolean
}

/**
 * Windows starts a batch file through `cmd`, which reads the whole line once more: Node refuses to do that, because a
 * quotation mark or a variable in an argument could become a command. Here every word is in quotation marks, and a word
 * that could end them or name a variable is refused.
 */
export function startOf(file: string, args: readonly string[]): ProgramStart | { readonly reason: string } {
  const { file: shell, args: options } = cmdStart('')
  if (file === shell && args.length === options.length && options.slice(0, -1).every((one, at) => one === args[at]))
    return { file, args, verbatim: true }
  if (!/\.(?:cmd|bat)$/i.test(file.replace(/[. ]+$/, ''))) return { file, args, verbatim: false }
  const words = [file, ...args]
  const odd = words.find((word) => /["%\r\n\0]/.test(word))
  if (odd !== undefined)
    return {
      reason: `'${odd}' cannot be given to a batch file safely: it contains a quotation mark, a % or a line break`,
    }
  const line = words.map((word) => `"${word.replace(/\\+$/, '$&$&')}"`).join(' ')
  return { ...cmdStart(line), verbatim: true }
}

/** A line for `cmd`, which takes the outer quotation marks off and reads the rest as it is. */
export const cmdStart = (line: string): Pick<ProgramStart, 'file' | 'args'> => ({
  file: platform.path.join(systemPath[0] ?? '', 'cmd.exe'),
  args: ['/d', '/e:on', '/v:off', '/s', '/c', `"${line}"`],
})
