import { askApprovalSocket, firstAnswer } from '../approvals/socket.ts'
import type { ApprovalAnswer, ApprovalRequest, Ask } from '../core/commands.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import type { RpcParams } from './protocol.ts'

/** The request for an approval as a person must see it. */
export type QuestionText = (request: ApprovalRequest) => string

/** Puts a form to the user in the client; undefined where nobody answered. */
export type AskClient = (form: RpcParams, signal: AbortSignal) => Promise<unknown>

/** Asks in the client, where it can ask, and on an open page. The first answer counts, the other question is withdrawn. */
export function askThrough(ask: AskClient | undefined, question: QuestionText, stopped: AbortSignal): Ask {
  return (request) =>
    firstAnswer(
      stopped,
      (signal) => askApprovalSocket(request, signal),
      async (signal) => ask && answerIn(await ask(formFor(request, question(request)), signal), choicesOf(request)),
    )
}

/** Clients from before there were other ways to ask name no way. */
export function hasForms(capabilities: RpcParams): boolean {
  const ways = capabilities['elicitation']
  return isRecord(ways) && (ways['form'] !== undefined || Object.keys(ways).length === 0)
}

const toAllow = {
  title: 'Allow it?',
  description: 'once: now; always: now and from now on in this project; no: not at all',
}
const toTry = 'try: run it in the sandbox on a layer, without network, and ask again with what it did'
const toKeep = {
  title: 'Approve it and keep this result?',
  description:
    'once: its changes stay; always: they stay, and the command may run from now on in this project; no: nothing stays',
}

const toWrite = {
  title: 'Apply it?',
  description: 'once: this file; always: this file and the others of this reply; no: not this file',
}

const choicesOf = ({ canTry }: ApprovalRequest): readonly ApprovalAnswer[] =>
  canTry ? ['once', 'always', 'no', 'try'] : ['once', 'always', 'no']

function formFor(request: ApprovalRequest, message: string): RpcParams {
  const { about, canTry } = request
  const { title, description } = about === 'tried' ? toKeep : about === 'proposal' ? toWrite : toAllow
  const answer = {
    type: 'string',
    title,
    description: canTry ? `${description}; ${toTry}` : description,
    enum: choicesOf(request),
  }
  return {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
  }
}

/** What a form that was filled in says: nothing where it was closed, and no where it says anything else. */
function answerIn(filled: unknown, choices: readonly ApprovalAnswer[]): ApprovalAnswer | undefined {
  const { action, content } = isRecord(filled) ? filled : {}
  if (action === 'decline') return 'no'
  if (action !== 'accept') return undefined
  return choices.find((choice) => isRecord(content) && choice === content['answer']) ?? 'no'
}
