import { askApprovalSocket, firstAnswer, hasApprovalSocket } from '../approvals/socket.ts'
import type { ApprovalAnswer, ApprovalRequest, Ask } from '../core/commands.ts'
import type { Peer } from './peer.ts'
import { isRecord } from '../core/platform.ts'

/** The request for an approval as a person must see it. */
export type Question = (request: ApprovalRequest) => string

/** Asks in the client, where it can ask, and on an open page. The first answer counts, the other question is withdrawn. */
export function askThrough(peer: Peer, question: Question, stopped: AbortSignal): Ask {
  return (request) =>
    firstAnswer(
      stopped,
      (signal) => askApprovalSocket(request, signal),
      (signal) => askClient(peer, request, question(request), signal),
    )
}

export const canAsk = (peer: Peer, root: string): boolean => hasForms(peer) || hasApprovalSocket(root)

/** Clients from before there were other ways to ask name no way. */
function hasForms({ client }: Peer): boolean {
  const ways = client?.['elicitation']
  return isRecord(ways) && (ways['form'] !== undefined || Object.keys(ways).length === 0)
}

/** A person may be away for a while. */
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
  peer: Peer,
  { about }: ApprovalRequest,
  message: string,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  if (!hasForms(peer)) return undefined
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
    const { action, content } = await peer.request('elicitation/create', params, { signal, timeout: patienceMs })
    if (action === 'decline') return 'no'
    if (action !== 'accept') return undefined
    return choices.find((choice) => isRecord(content) && choice === content['answer']) ?? 'no'
  } catch {
    // The client failed or has gone.
    return undefined
  }
}
