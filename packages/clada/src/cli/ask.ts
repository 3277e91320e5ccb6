import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type tty from 'node:tty'
import type { ApprovalAnswer, ApprovalRequest, Ask, Tried } from '../core/commands.ts'
import {
  missingSentence,
  proposalWords,
  spellOut,
  spellOutCommand,
  triedOutput,
  triedSentence,
} from '../report/words.ts'
import { paintDiff, type Paint, withoutColor } from '../report/pretty.ts'
import { startNamed } from '../process/programs.ts'
import { UsageError } from './flags.ts'
import type { Reviewer } from './review.ts'
import { canAsk, isTerminal } from './streams.ts'

/**
 * Options of a run where `canAsk`: standard input belongs to the document, so the user is asked on the terminal itself.
 * Ctrl-C and the end of input are not an answer; the caller decides what Ctrl-C stops.
 */
export const askingIn = (paint: Paint): { readonly ask: Ask } => ({
  ask: async (request) => {
    const reply = await typedLine(question(request, paint))
    return reply === undefined ? undefined : answerIn(reply, request)
  },
})

/** Yes or no, or undefined without a terminal. */
export async function confirmed(text: string): Promise<boolean | undefined> {
  if (!canAsk()) return undefined
  const reply = await typedLine(text)
  return reply === undefined ? undefined : /^y(?:es)?$/i.test(reply.trim())
}

/**
 * Asks at the terminal, and waits without blocking the process, so that Ctrl-C works. What was typed before the question is
 * discarded: a pasted reply may contain the end of input, and answers after it.
 */
export async function typedLine(text: string): Promise<string | undefined> {
  let descriptor: number
  let terminal: tty.ReadStream
  try {
    descriptor = fs.openSync('/dev/tty', 'r+')
    terminal = new (process.getBuiltinModule('node:tty').ReadStream)(descriptor)
  } catch {
    return undefined
  }
  return new Promise((resolve) => {
    const over = (reply: string | undefined): void => {
      process.off('SIGINT', interrupted)
      terminal.destroy()
      resolve(reply)
    }
    const interrupted = (): void => over(undefined)
    process.on('SIGINT', interrupted)
    terminal.once('end', interrupted)
    terminal.once('error', interrupted)
    discardTyped(terminal, {
      done: () => {
        terminal.once('data', (line) => over(line.toString('utf8')))
        if (isTerminal(2)) process.stderr.write(text)
        else fs.writeSync(descriptor, text)
      },
      interrupted: () => {
        interrupted()
        // The terminal sends no signal meanwhile.
        process.kill(process.pid, 'SIGINT')
      },
    })
  })
}

/** Reads until nothing has come for a moment. Raw, because a line that is not ended yet would become the answer with Enter. */
function discardTyped(
  terminal: tty.ReadStream,
  then: { readonly done: () => void; readonly interrupted: () => void },
): void {
  const end = (how: () => void): void => {
    clearTimeout(quiet)
    terminal.off('data', discard)
    terminal.setRawMode(false)
    how()
  }
  const quiet = setTimeout(() => end(then.done), quietMs)
  const discard = (typed: Buffer): void => {
    quiet.refresh()
    if (typed.includes(ctrlC)) end(then.interrupted)
  }
  terminal.setRawMode(true)
  terminal.on('data', discard)
}

/** A paste comes in pieces, with less than this between them. */
const quietMs = 100
const ctrlC = 3

export function answerIn(
  reply: string,
  { canTry }: Pick<ApprovalRequest, 'canTry'> = { canTry: false },
): ApprovalAnswer {
  const word = reply.trim().toLowerCase()
  if (word === 'y' || word === 'yes') return 'once'
  if (canTry && (word === 't' || word === 'try')) return 'try'
  return word === 'a' || word === 'always' ? 'always' : 'no'
}

export const question = (request: ApprovalRequest, paint: Paint = withoutColor): string => {
  const { once, always } = yesWords(request)
  const ways = [`y (${once})`, `a (${always})`, ...(request.canTry ? ['t (try it first)'] : [])]
  return ['', ...approvalFacts(request, paint), `${asked[request.about]} ${ways.join(', ')} or n, then Enter: `].join(
    '\n',
  )
}

/** How far each yes reaches. A file is agreed to in one reply only; a command from now on. */
export const yesWords = ({
  about,
}: Pick<ApprovalRequest, 'about'>): { readonly once: string; readonly always: string } =>
  about === 'proposal' ? { once: 'this one', always: 'all of this reply' } : { once: 'once', always: 'always' }

/** The question itself, in few words. */
export const asked = {
  command: 'Run it?',
  network: 'Let it use the network?',
  tried: 'Approve it and keep this result?',
  proposal: 'Apply it?',
} as const satisfies Record<ApprovalRequest['about'], string>

/** The facts that a person needs before approving, wherever they are asked. */
export function approvalFacts(request: ApprovalRequest, paint: Paint = withoutColor): string[] {
  const { root, command, about, diff = '', lacks, program, bound, unsandboxed, changed, repository, tried } = request
  const bindings = bound === undefined ? [] : [`  Always: until one of these files changes: ${spellOutCommand(bound)}`]
  if (about === 'network')
    return [
      `    ${spellOutCommand(command)}`,
      '  It seems to need the network. With it, whatever this runs can send out everything that it can read. n: run it without.',
      ...bindings,
    ]
  if (about === 'proposal')
    return [
      `The reply proposes to ${proposalWords[request.proposed ?? 'edit']} ${spellOutCommand(command)}${diff === '' ? '' : ':'}`,
      ...diff
        .trimEnd()
        .split('\n')
        .map((line) => paintDiff(spellOut(line), paint)),
      ...(lacks === undefined ? [] : [paint.yellow(`! Not the whole file: ${missingSentence(lacks)}.`)]),
    ]
  return [
    `The model wants to run a command in ${spellOutCommand(root)}:`,
    `    ${spellOutCommand(command)}`,
    `  Program: ${program === undefined ? 'not found' : spellOutCommand(program)}. Yes is for whatever this runs${unsandboxed ? ', without a sandbox' : ', in the sandbox'}.`,
    ...(repository ? ['  It changes the repository itself, not only files.'] : []),
    ...(changed ? ['  You approved it before, but files that could decide what it runs have changed.'] : []),
    ...bindings,
    ...(tried === undefined ? [] : triedFacts(tried)),
  ]
}

function triedFacts(tried: Tried): string[] {
  const listed = tried.changed.slice(0, 20).map(({ path, change }) => `    ${marks[change]} ${spellOutCommand(path)}`)
  const more = tried.changed.length - listed.length + tried.more
  const output = triedOutput(tried).slice(-10)
  return [
    `  Tried. ${triedSentence(tried)}`,
    ...listed,
    ...(more === 0 ? [] : [`    and ${more} more`]),
    ...(output.length === 0 ? [] : ['  The end of its output:', ...output.map((line) => `    | ${line}`)]),
  ]
}

const marks = { create: '+', modify: '~', delete: '-' } as const

/** The person at the terminal, who is asked line by line and edits with their own editor. @throws UsageError */
export function terminalReviewer(): Reviewer {
  if (!canAsk())
    throw new UsageError('--review asks at a terminal, and there is none here. Run it in one, or use clada ui.')
  return {
    tell: (lines) => void process.stderr.write(lines.map((line) => `${line}\n`).join('')),
    ask: typedLine,
    edit: edited,
  }
}

/** Edits a text in a temporary file with the name of the original, so that editors know its language. */
async function edited(text: string, name: string): Promise<{ readonly text: string } | { readonly why: string }> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-review-'))
  const file = path.join(dir, path.basename(name))
  try {
    fs.writeFileSync(file, text)
    const why = await openEditor(file)
    return why === undefined ? { text: fs.readFileSync(file, 'utf8') } : { why }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

/** Standard input may be the document, and standard output a file: an editor gets the terminal itself. */
function openEditor(file: string): Promise<string | undefined> {
  const command = process.env['VISUAL'] || process.env['EDITOR'] || 'vi'
  const [program = 'vi', ...args] = command.split(/\s+/).filter((word) => word !== '')
  const terminal = fs.openSync('/dev/tty', 'r+')
  // Ctrl-C belongs to the editor.
  const ignore = (): void => undefined
  process.on('SIGINT', ignore)
  return new Promise<string | undefined>((resolve) => {
    const child = startNamed(program, [...args, file], { stdio: [terminal, terminal, 'inherit'] })
    child.on('error', () => resolve(`'${program}' could not be started. Set EDITOR to your editor.`))
    child.on('close', (code) =>
      resolve(code === 0 ? undefined : `'${program}' ended with code ${code}, so nothing was changed.`),
    )
  }).finally(() => {
    process.off('SIGINT', ignore)
    fs.closeSync(terminal)
  })
}
