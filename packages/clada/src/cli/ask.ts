import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type tty from 'node:tty'
import type { ApprovalAnswer, ApprovalRequest, Ask, TrialRun } from '../core/commands.ts'
import { doubtSentence, proposalWords, spellOut, spellOutCommand, triedOutput, triedSentence } from '../report/words.ts'
import { paintDiff, type Paint, withoutColor } from '../report/pretty.ts'
import { startNamed } from '../process/programs.ts'
import { UsageError } from './flags.ts'
import type { Reviewer } from './review.ts'
import { canAsk, columnsOf, isTerminal } from './streams.ts'
import { wrapLine } from '../report/width.ts'

/**
 * Options of a run where `canAsk`: standard input belongs to the document, so the user is asked on the terminal itself.
 * Ctrl-C and the end of input are not an answer; the caller decides what Ctrl-C stops.
 */
export const makeAsk = (paint: Paint): { readonly ask: Ask } => ({
  ask: (request) => askUntil(questionText(request, paint), (reply) => parseAnswer(reply, request), lettersOf(request)),
})

/** Yes or no, or undefined without a terminal, or without an answer. */
export const confirm = async (text: string): Promise<boolean | undefined> =>
  canAsk() ? askUntil(`${text} y or n, then Enter: `, yesOrNo, 'y or n') : undefined

function yesOrNo(reply: string): boolean | undefined {
  const word = reply.trim().toLowerCase()
  if (word === 'y' || word === 'yes') return true
  return word === 'n' || word === 'no' ? false : undefined
}

/** Asks again where the answer is none: a slip of a finger must not refuse what a model did. */
async function askUntil<T>(
  text: string,
  read: (reply: string) => T | undefined,
  letters: string,
): Promise<T | undefined> {
  for (let shown = text; ; shown = `Type ${letters}, then Enter: `) {
    const reply = await readTypedLine(shown)
    if (reply === undefined) return undefined
    const answer = read(reply)
    if (answer !== undefined) return answer
  }
}

/**
 * Asks at the terminal, and waits without blocking the process, so that Ctrl-C works. What was typed before the question is
 * discarded: a pasted reply may contain the end of input, and answers after it.
 */
export async function readTypedLine(text: string): Promise<string | undefined> {
  let descriptor: number
  let terminal: tty.ReadStream
  try {
    descriptor = fs.openSync('/dev/tty', 'r+')
    terminal = new (process.getBuiltinModule('node:tty').ReadStream)(descriptor)
  } catch {
    return undefined
  }
  return new Promise((resolve) => {
    const isHeard = process.listenerCount('SIGINT') > 0
    const over = (reply: string | undefined): void => {
      process.off('SIGINT', interrupted)
      terminal.destroy()
      resolve(reply)
    }
    const unanswered = (): void => {
      // What is printed next begins on a line of its own.
      fs.writeSync(isTerminal(2) ? 2 : descriptor, '\n')
      over(undefined)
    }
    const interrupted = (): void => {
      unanswered()
      // Where the command has no use for Ctrl-C it ends the process, as without a question.
      if (!isHeard) process.kill(process.pid, 'SIGINT')
    }
    process.on('SIGINT', interrupted)
    terminal.once('end', unanswered)
    terminal.once('error', unanswered)
    discardTyped(terminal, {
      done: () => {
        terminal.once('data', (line) => over(line.toString('utf8')))
        if (isTerminal(2)) process.stderr.write(text)
        else fs.writeSync(descriptor, text)
      },
      interrupted: () => {
        unanswered()
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

/** Undefined if it is none of the answers. */
export function parseAnswer(reply: string, { canTry }: Pick<ApprovalRequest, 'canTry'>): ApprovalAnswer | undefined {
  const word = reply.trim().toLowerCase()
  if (word === 'a' || word === 'always') return 'always'
  if (canTry && (word === 't' || word === 'try')) return 'try'
  const yes = yesOrNo(word)
  return yes === undefined ? undefined : yes ? 'once' : 'no'
}

const lettersOf = ({ canTry }: ApprovalRequest): string => (canTry ? 'y, a, t or n' : 'y, a or n')

export const questionText = (request: ApprovalRequest, paint: Paint = withoutColor): string => {
  const { once, always } = yesWords(request)
  const ways = [`y (${once})`, `a (${always})`, ...(request.canTry ? ['t (try it first)'] : [])]
  const asks = `${asked[request.about]} ${ways.join(', ')} or n, then Enter:`
  return ['', ...approvalFacts(request, paint, columnsOf(2)), `${paint.bold(asks)} `].join('\n')
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
export function approvalFacts(
  request: ApprovalRequest,
  paint: Paint = withoutColor,
  columns: number | undefined = undefined,
): string[] {
  const sentences = (lines: readonly string[]): string[] => lines.flatMap((line) => wrapLine(line, columns))
  const { root, command, about, diff = '', lacks, program, bound, unsandboxed, changed, repository, tried } = request
  const bindings = bound === undefined ? [] : [`  Always: until one of these files changes: ${spellOutCommand(bound)}`]
  if (about === 'network')
    return [
      `    ${paint.bold(spellOutCommand(command))}`,
      ...sentences([
        '  It seems to need the network. With it, whatever this runs can send out everything that it can read. n: run it without.',
        ...bindings,
      ]),
    ]
  if (about === 'proposal')
    return [
      `The reply proposes to ${proposalWords[request.proposed ?? 'edit']} ${spellOutCommand(command)}${diff === '' ? '' : ':'}`,
      ...diff
        .trimEnd()
        .split('\n')
        .map((line) => paintDiff(spellOut(line), paint)),
      ...(lacks === undefined ? [] : sentences([`! ${doubtSentence(lacks)}.`]).map(paint.yellow)),
    ]
  const where = unsandboxed ? 'without a sandbox' : 'in the sandbox'
  return [
    ...sentences([`The model wants to run a command in ${spellOutCommand(root)}:`]),
    `    ${paint.bold(spellOutCommand(command))}`,
    ...sentences([
      `  Program: ${program === undefined ? 'not found' : spellOutCommand(program)}. Yes allows whatever this runs, ${where}.`,
      ...(repository ? ['  It changes the repository itself, not only files.'] : []),
      ...(changed ? ['  You approved it before, but files that could decide what it runs have changed.'] : []),
      ...bindings,
    ]),
    ...(tried === undefined ? [] : triedFacts(tried, sentences)),
  ]
}

function triedFacts(tried: TrialRun, sentences: (lines: readonly string[]) => string[]): string[] {
  const listed = tried.changed.slice(0, 20).map(({ path, change }) => `    ${marks[change]} ${spellOutCommand(path)}`)
  const more = tried.changed.length - listed.length + tried.more
  const output = triedOutput(tried).slice(-10)
  return [
    ...sentences([`  Tried. ${triedSentence(tried)}`]),
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
    ask: readTypedLine,
    edit: editInEditor,
  }
}

/** Edits a text in a temporary file with the name of the original, so that editors know its language. */
async function editInEditor(text: string, name: string): Promise<{ readonly text: string } | { readonly why: string }> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-review-'))
  const file = path.join(dir, path.basename(name))
  try {
    fs.writeFileSync(file, text)
    const why = await editFile(file)
    if (why !== undefined) return { why }
    const bytes = fs.readFileSync(file)
    return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { why: 'the editor saved something else than UTF-8' }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

/** Standard input may be the document, and standard output a file: an editor gets the terminal itself. */
function editFile(file: string): Promise<string | undefined> {
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
