import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { askDesk } from '../approvals/desk.ts'
import type { ApprovalAnswer, ApprovalRequest, Ask } from '../core/commands.ts'

/** The request for an approval as a person must see it. */
export type Question = (request: ApprovalRequest) => string

/** Asks in the client, where it can ask, and on an open page. The first answer counts, the other question is withdrawn. */
export function askThrough(server: Server, question: Question, stopped: AbortSignal): Ask {
  return async (request) => {
    const answered = new AbortController()
    const signal = AbortSignal.any([stopped, answered.signal])
    try {
      return await firstAnswer([askDesk(request, signal), askClient(server, question(request), signal)])
    } finally {
      answered.abort()
    }
  }
}

/** A person may be at lunch. */
const patienceMs = 10 * 60 * 1000

const choices = ['once', 'always', 'no'] as const satisfies readonly ApprovalAnswer[]

async function askClient(server: Server, message: string, signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return undefined
  const answer = {
    type: 'string',
    title: 'Allow it?',
    description: 'once: now; always: now and from now on in this project; no: not at all',
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
