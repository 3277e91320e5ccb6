import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { askApprovalSocket, hasApprovalSocket } from '../approvals/socket.ts'
import type { ApprovalAnswer, ApprovalRequest, Ask } from '../core/commands.ts'

/** The request for an approval as a person must see it. */
export type Question = (request: ApprovalRequest) => string

/** Asks in the client, where it can ask, and on an open page. The first answer counts, the other question is withdrawn. */
export function askThrough(server: Server, question: Question, stopped: AbortSignal): Ask {
  return async (request) => {
    const answered = new AbortController()
    const signal = AbortSignal.any([stopped, answered.signal])
    try {
      return await firstAnswer([
        askApprovalSocket(request, signal),
        askClient(server, request, question(request), signal),
      ])
    } finally {
      answered.abort()
    }
  }
}

/** Whether there is anybody to ask. */
export const canAsk = (server: Server, root: string): boolean => hasForms(server) || hasApprovalSocket(root)

const hasForms = (server: Server): boolean => server.getClientCapabilities()?.elicitation?.form !== undefined

/** A person may be at lunch. */
const patienceMs = 10 * 60 * 1000

const toAllow = {
  title: 'Allow it?',
  description: 'once: now; always: now and from now on in this project; no: not at all',
}
const toKeep = {
  title: 'Keep the result?',
  description:
    'once: its changes stay; always: they stay, and the command may run from now on in this project; no: nothing stays',
}

const toWrite = {
  title: 'Write it?',
  description: 'once: this file; always: this file and the others of this reply; no: not this file',
}

const choices = ['once', 'always', 'no'] as const satisfies readonly ApprovalAnswer[]

async function askClient(
  server: Server,
  { about }: ApprovalRequest,
  message: string,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  if (!hasForms(server)) return undefined
  const answer = {
    type: 'string',
    ...(about === 'tried' ? toKeep : about === 'proposal' ? toWrite : toAllow),
    enum: [...choices],
  }
  const params = {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
  }
  try {
    const options = { signal, timeout: patienceMs }
    const { action, content } = await server.request(
      { method: 'elicitation/create', params },
      ElicitResultSchema,
      options,
    )
    if (action === 'cancel') return undefined
    return (action === 'accept' && choices.find((choice) => choice === content?.['answer'])) || 'no'
  } catch {
    // The client failed or has gone.
    return undefined
  }
}

/** Undefined when there is none. */
function firstAnswer(asked: readonly Promise<ApprovalAnswer | undefined>[]): Promise<ApprovalAnswer | undefined> {
  return new Promise((resolve) => {
    for (const one of asked) void one.then((answer) => answer !== undefined && resolve(answer))
    void Promise.all(asked).then(() => resolve(undefined))
  })
}
