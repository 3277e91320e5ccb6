import fs from 'node:fs'
import type tty from 'node:tty'
import type { ApprovalAnswer, ApprovalRequest, Ask, Tried } from '../core/commands.ts'
import { printable, triedOutput, triedSentence, unhidden, visible } from '../report/words.ts'
import { canAsk } from './streams.ts'

/** Ctrl-C and the end of input are no answer; what Ctrl-C stops is decided elsewhere. */
const ask: Ask = async (request) => {
  const reply = await typedLine(question(request))
  return reply === undefined ? undefined : answerIn(reply)
}

/** Options of a run where `canAsk`: standard input belongs to the document, so the user is asked on the terminal itself. */
export const asking = { ask, tryFirst: true } as const

/** Yes or no, or undefined without a terminal. */
export async function confirmed(text: string): Promise<boolean | undefined> {
  if (!canAsk()) return undefined
  const reply = await typedLine(text)
  return reply === undefined ? undefined : /^y(?:es)?$/i.test(reply.trim())
}

/** Waits without holding up the process, so that Ctrl-C is heard. */
export function typedLine(text: string): Promise<string | undefined> {
  let terminal: tty.ReadStream
  try {
    terminal = new (process.getBuiltinModule('node:tty').ReadStream)(fs.openSync('/dev/tty', 'r+'))
  } catch {
    return Promise.resolve(undefined)
  }
  return new Promise((resolve) => {
    const over = (reply: string | undefined): void => {
      process.off('SIGINT', interrupted)
      terminal.destroy()
      resolve(reply)
    }
    const interrupted = (): void => over(undefined)
    process.on('SIGINT', interrupted)
    terminal.once('data', (line) => over(line.toString('utf8')))
    terminal.once('end', interrupted)
    terminal.once('error', interrupted)
    process.stderr.write(text)
  })
}

export function answerIn(reply: string): ApprovalAnswer {
  const word = reply.trim().toLowerCase()
  if (word === 'y' || word === 'yes') return 'once'
  return word === 'a' || word === 'always' ? 'always' : 'no'
}

export const question = (request: ApprovalRequest): string =>
  ['', ...approvalFacts(request), `${asked[request.about]} y (once), a (always) or n, then Enter: `].join('\n')

/** The question itself, in few words. */
export const asked = {
  command: 'Run it?',
  network: 'Let it use the network?',
  tried: 'Keep the result?',
  proposal: 'Write it?',
} as const satisfies Record<ApprovalRequest['about'], string>

/** What a person must know before they say yes, wherever they are asked. */
export function approvalFacts(request: ApprovalRequest): string[] {
  const { root, command, about, diff = '', runs, changed, installs, repository, tried } = request
  if (about === 'network')
    return [
      `    ${visible(command)}`,
      '  It seems to need the network. With it, it can send out everything that it can read. n: run it without.',
    ]
  if (about === 'proposal')
    return [
      `The reply has a whole file for ${visible(command)}:`,
      ...diff
        .trimEnd()
        .split('\n')
        .map((line) => unhidden(printable(line))),
    ]
  return [
    `The model wants to run a command in ${visible(root)}:`,
    `    ${visible(command)}`,
    `  It runs: ${runs === undefined ? 'whatever this runs; the project does not say what' : visible(runs)}`,
    ...(changed ? ['  You approved it before, but what it runs has changed.'] : []),
    ...(installs ? ['  It installs packages: it may write to the caches of tools in your home directory.'] : []),
    ...(tried === undefined ? [] : triedFacts(tried)),
    ...(repository ? ['  It changes the repository itself, not only files.'] : []),
  ]
}

function triedFacts(tried: Tried): string[] {
  const listed = tried.changed.slice(0, 20).map(({ path, change }) => `    ${marks[change]} ${visible(path)}`)
  const more = tried.changed.length - listed.length + tried.more
  const output = triedOutput(tried).slice(-10)
  return [
    `  Tried. ${triedSentence(tried)}`,
    ...listed,
    ...(more === 0 ? [] : [`    and ${more} more`]),
    ...(output.length === 0 ? [] : ['  The end of its output:', ...output.map((line) => `    | ${unhidden(line)}`)]),
  ]
}

const marks = { create: '+', modify: '~', delete: '-' } as const

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
