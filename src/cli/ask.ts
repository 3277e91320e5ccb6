import fs from 'node:fs'
import type { ApprovalAnswer, ApprovalRequest, Ask } from '../core/commands.ts'
import { isTerminal } from './terminal.ts'
import { visible } from './visible.ts'

/** Somebody to ask, when there is somebody: standard input belongs to the document, so the terminal itself is used. */
export function asking(): { ask?: Ask } {
  return isTerminal(2) && process.env['CI'] === undefined ? { ask } : {}
}

const ask: Ask = async (request) => {
  const reply = askLine(question(request))
  return answerIn(reply ?? '')
}

export function answerIn(reply: string): ApprovalAnswer {
  const word = reply.trim().toLowerCase()
  if (word === 'y' || word === 'yes') return 'once'
  return word === 'a' || word === 'always' ? 'always' : 'no'
}

export const question = (request: ApprovalRequest): string =>
  ['', ...approvalFacts(request), 'Run it? y (once), a (always), n: '].join('\n')

/** What a person must know before they say yes, wherever they are asked. */
export function approvalFacts({ root, command, runs, changed, network }: ApprovalRequest): string[] {
  return [
    `The model wants to run a command in ${visible(root)}:`,
    `    ${visible(command)}`,
    ...(runs === undefined ? [] : [`  It runs: ${visible(runs)}`]),
    ...(changed ? ['  You approved it before, but what it runs has changed.'] : []),
    ...(network ? ['  It may use the network.'] : []),
  ]
}

/** Undefined when there is no terminal to ask on. */
export function askLine(text: string): string | undefined {
  let terminal: number
  try {
    terminal = fs.openSync('/dev/tty', 'r+')
  } catch {
    return undefined
  }
  try {
    fs.writeSync(terminal, text)
    const buffer = Buffer.alloc(256)
    return buffer.subarray(0, fs.readSync(terminal, buffer)).toString('utf8')
  } finally {
    fs.closeSync(terminal)
  }
}
