import fs from 'node:fs'
import type net from 'node:net'
import path from 'node:path'
import type { ApprovalAnswer, ApprovalRequest, Ask, TrialRun } from '../core/commands.ts'
import type { ChangedFile } from '../core/effects.ts'
import { makePrivateDir, rootName, userStateDir } from '../state/user-state.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { missingParts } from '@clada/reply/core/proposal.ts'

/** Not imported: loading it would cost every start of a server some milliseconds, and few ever ask. */
const ofNode = (): typeof net => process.getBuiltinModule('node:net')

/**
 * A socket where an open page answers questions of other processes in the same root. It is in the user's own state
 * directory, so neither the project nor another user can answer in its place.
 */
export interface ApprovalSocket {
  close(): void
}

/** Answers requests until it is closed. Undefined when another process already does, or no private directory exists. */
export async function openApprovalSocket(
  root: string,
  answer: (request: ApprovalRequest, gone: AbortSignal) => ReturnType<Ask>,
) {
  const address = addressOf(root)
  if (address === undefined || (await isListening(address))) return undefined
  try {
    makePrivateDir(path.dirname(address))
    fs.rmSync(address, { force: true })
  } catch {
    // The page works without; only other processes cannot ask it.
    return undefined
  }
  const callers = new Set<net.Socket>()
  const server = ofNode().createServer((caller) => {
    callers.add(caller)
    const gone = new AbortController()
    caller.on('error', () => caller.destroy())
    caller.on('close', () => {
      callers.delete(caller)
      gone.abort()
    })
    onLine(caller, (line) => {
      const request = requestIn(line)
      if (request === undefined || request.root !== root) caller.destroy()
      else
        answer(request, gone.signal).then(
          (said) => caller.end(`${said}\n`),
          () => caller.destroy(),
        )
    })
  })
  const opened = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(address, () => resolve(true))
  })
  if (!opened) return undefined
  fs.chmodSync(address, 0o600)
  // The approval socket alone keeps no process alive.
  server.unref()
  const socket: ApprovalSocket = {
    close: () => {
      server.close()
      for (const caller of callers) caller.destroy()
      fs.rmSync(address, { force: true })
    },
  }
  return socket
}

/** Asks in several ways at once. The first answer counts, and the other questions are withdrawn. */
export async function firstAnswer(
  over: AbortSignal,
  ...ways: ((signal: AbortSignal) => Promise<ApprovalAnswer | undefined>)[]
): Promise<ApprovalAnswer | undefined> {
  const answered = new AbortController()
  const signal = AbortSignal.any([over, answered.signal])
  const answers = ways.map(async (ask) => (await ask(signal)) ?? Promise.reject(new Error('no answer')))
  const first = await Promise.any(answers).catch(() => undefined)
  answered.abort()
  return first
}

/** The user's answer; undefined when no one is there, or they left without one. */
export function askApprovalSocket(request: ApprovalRequest, signal?: AbortSignal): Promise<ApprovalAnswer | undefined> {
  const address = addressOf(request.root)
  if (address === undefined || signal?.aborted || !fs.existsSync(address)) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const caller = ofNode().connect(address, () => caller.write(`${JSON.stringify(request)}\n`))
    const leave = (): void => void caller.destroy()
    signal?.addEventListener('abort', leave, { once: true })
    caller.on('error', () => resolve(undefined))
    caller.on('close', () => {
      signal?.removeEventListener('abort', leave)
      resolve(undefined)
    })
    onLine(caller, (line) => resolve(answers.find((answer) => answer === line)))
  })
}

const answers = ['once', 'always', 'no', 'try'] as const satisfies readonly ApprovalAnswer[]

function onLine(socket: net.Socket, hear: (line: string) => void): void {
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    text += chunk
    const end = text.indexOf('\n')
    if (end === -1) {
      if (text.length > longestRequest) socket.destroy()
      return
    }
    socket.removeAllListeners('data')
    hear(text.slice(0, end))
  })
}

/** A command line is short; a longer message is not one. */
const longestRequest = 1_000_000

function requestIn(line: string): ApprovalRequest | undefined {
  try {
    const { root, command, program, bound, ...other }: Record<string, unknown> = JSON.parse(line)
    if (typeof root !== 'string' || typeof command !== 'string') return undefined
    const about = questions.find((one) => one === other['about'])
    const tried = readTrial(other['tried'])
    const lacks = missingParts.find((one) => one === other['lacks'])
    // Changes that cannot be shown are not offered.
    if (about === undefined || (about === 'tried' && tried === undefined)) return undefined
    return {
      root,
      command,
      about,
      tried,
      diff: typeof other['diff'] === 'string' ? other['diff'] : undefined,
      lacks,
      bound: typeof bound === 'string' ? bound : undefined,
      program: typeof program === 'string' ? program : undefined,
      canTry: other['canTry'] === true,
      unsandboxed: other['unsandboxed'] === true,
      changed: other['changed'] === true,
      repository: other['repository'] === true,
    }
  } catch {
    return undefined
  }
}

const questions = ['command', 'network', 'tried', 'proposal'] as const satisfies readonly ApprovalRequest['about'][]
const changes = ['create', 'modify', 'delete'] as const satisfies readonly ChangedFile['change'][]

function readTrial(value: unknown): TrialRun | undefined {
  if (!isRecord(value)) return undefined
  const { exitCode, changed, more, output } = value
  if (exitCode !== null && typeof exitCode !== 'number') return undefined
  if (!Array.isArray(changed) || typeof more !== 'number' || typeof output !== 'string') return undefined
  const files = changed.map((one: unknown): ChangedFile | undefined => {
    if (!isRecord(one)) return undefined
    const change = changes.find((known) => known === one['change'])
    return change === undefined || typeof one['path'] !== 'string' ? undefined : { path: one['path'], change }
  })
  const known = files.filter((one) => one !== undefined)
  return known.length === files.length ? { exitCode, changed: known, more, output } : undefined
}

function isListening(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const caller = ofNode().connect(address, () => {
      caller.destroy()
      resolve(true)
    })
    caller.on('error', () => resolve(false))
  })
}

/** Socket addresses may be little longer than a hundred characters. */
function addressOf(root: string): string | undefined {
  const state = userStateDir(root)
  return state && path.join(state, 'ask', rootName(root).slice(0, 16))
}
