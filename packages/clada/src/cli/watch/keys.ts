import { setTimeout as pause } from 'node:timers/promises'
import type { ApprovalAnswer, ApprovalRequest, Ask } from '../../core/commands.ts'
import { parseAnswer, approvalFacts, asked, yesWords } from '../ask.ts'
import type { Paint } from '../../report/pretty.ts'
import type { Screen } from './screen.ts'
import { askApprovalSocket, firstAnswer } from '../../approvals/socket.ts'

/** The events of a keyboard. */
export interface Keyboard {
  /** One key: a character, or `enter`, `escape`, `ctrl-c`, `ctrl-d`, `ctrl-z`. */
  readonly onKey: (key: string) => void
  /** A pasted text, which is never read as keys. */
  readonly onPaste: (text: string) => void
}

/** Reads keys from a terminal until the returned function is called. */
export function readKeys(input: NodeJS.ReadStream, write: (text: string) => void, keyboard: Keyboard): () => void {
  const reader = makeKeyReader(keyboard)
  const onData = (chunk: Buffer | string): void => reader(String(chunk))
  input.setEncoding('utf8')
  input.setRawMode(true)
  input.on('data', onData)
  input.resume()
  write(pasteOn)
  const restore = (): void => write(pasteOff)
  process.once('exit', restore)
  return () => {
    process.off('exit', restore)
    input.off('data', onData)
    input.setRawMode(false)
    input.pause()
    restore()
  }
}

const pasteOn = '\u001b[?2004h'
const pasteOff = '\u001b[?2004l'
const pasteBegins = '\u001b[200~'
const pasteEnds = '\u001b[201~'

/** More characters at once than a person types: a paste on a terminal that does not say so. */
const maxTyped = 6

/** No key is pressed so soon after a paste; the rest of a text with a false end marker arrives that soon. */
const afterPasteMs = 100

/** The wait for the rest of an unannounced paste: terminals deliver a few thousand characters at a time. */
const gatherMs = 80

const afterPause = (then: () => void): (() => void) => {
  const timer = setTimeout(then, gatherMs)
  return () => clearTimeout(timer)
}

/**
 * Distinguishes keys from pasted text. A pasted text can contain the end marker, so what arrives right after it is not a
 * key. `wait` calls back after a pause, unless the returned function is called first.
 */
export function makeKeyReader(
  { onKey, onPaste }: Keyboard,
  now = (): number => performance.now(),
  wait = afterPause,
): (chunk: string) => void {
  let pasted: string | undefined
  let pastedAt = -Infinity
  /** The text of a paste that nothing announced, and how to stop waiting for the rest. */
  let unsaid: { readonly text: string; readonly stop: () => void } | undefined
  return (chunk) => {
    const begin = pasted === undefined ? chunk.indexOf(pasteBegins) : 0
    if (pasted === undefined) typed(begin === -1 ? chunk : chunk.slice(0, begin))
    if (begin === -1) return
    pasted = (pasted ?? '') + chunk.slice(begin)
    if (pasted.lastIndexOf(pasteEnds) < pasted.lastIndexOf(pasteBegins)) return
    const text = pasted.replaceAll(pasteBegins, '').replaceAll(pasteEnds, '')
    pasted = undefined
    pastedAt = now()
    onPaste(unifyLineEnds(text))
  }

  function typed(text: string): void {
    const plain = text.replace(sequences, '')
    if (plain === '' || now() - pastedAt < afterPasteMs) return
    if (unsaid !== undefined || plain.length > maxTyped) return gather(plain)
    for (const char of plain) onKey(names[char] ?? char)
  }

  /** Collects a paste into one text: half a block is broken, and the last characters of a text are not keys. */
  function gather(more: string): void {
    unsaid?.stop()
    const text = (unsaid?.text ?? '') + more
    const stop = wait(() => {
      unsaid = undefined
      onPaste(unifyLineEnds(text))
    })
    unsaid = { text, stop }
  }
}

/** Terminals send line breaks as the Enter key does. */
const unifyLineEnds = (text: string): string => text.replaceAll(/\r\n?/g, '\n')

/** Arrows and the like. */
// eslint-disable-next-line no-control-regex -- they begin with one
const sequences = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.)/g

const names: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u001b': 'escape',
  '\u0003': 'ctrl-c',
  '\u0004': 'ctrl-d',
  '\u001a': 'ctrl-z',
}

/** Questions on a screen, answered by one key. */
export interface KeyQuestions extends TerminalQuestions {
  /** Whether the key was an answer, or belongs to a question that is open. */
  key(key: string): boolean
  /** What the last line says while a question is open. */
  readonly hint: readonly string[] | undefined
}

/**
 * Resolves when everything that was typed until now has been read: it was not meant for what is shown next. A timer comes
 * before the input in a turn of the event loop, and an immediate after it.
 */
export const waitForTypedKeys = (): Promise<void> =>
  new Promise((done) => setTimeout(() => setImmediate(done), keysPauseMs))

const keysPauseMs = 100

interface OpenQuestion extends AskedByKey {
  readonly answer: (answer: ApprovalAnswer | undefined) => void
  /** It is shown when the keys that were typed before it have been read. */
  state: 'waiting' | 'shown'
}

export function makeKeyQuestions(screen: Screen, showStatus: () => void): KeyQuestions {
  let open: OpenQuestion | undefined

  return {
    get hint() {
      if (open?.state !== 'shown') return undefined
      const { once, always } = yesWords(open)
      return [asked[open.about], `y ${once}`, `a ${always}`, ...(open.canTry ? ['t try it first'] : []), 'n no']
    },
    tell: (line) => screen.print([`  ${line}`]),
    ask: (lines, { about, canTry }, gone) =>
      new Promise((resolve) => {
        const answer = (given: ApprovalAnswer | undefined): void => {
          open = undefined
          gone.removeEventListener('abort', leave)
          showStatus()
          resolve(given)
        }
        const leave = (): void => answer(undefined)
        gone.addEventListener('abort', leave, { once: true })
        const own: OpenQuestion = { about, canTry, answer, state: 'waiting' }
        open = own
        if (gone.aborted) return leave()
        void waitForTypedKeys().then(() => {
          if (open !== own) return
          own.state = 'shown'
          screen.printRaw(['', ...lines])
          showStatus()
        })
      }),
    key: (key) => {
      if (open === undefined) return false
      const isAnswer = /^(?:[yan]|escape)$/i.test(key) || (open.canTry && /^t$/i.test(key))
      if (open.state === 'waiting' || !isAnswer) return true
      const given = parseAnswer(key, open) ?? 'no'
      const { once, always } = yesWords(open)
      screen.print([`  ${{ once: `yes, ${once}`, always: `yes, ${always}`, no: 'no', try: 'try it first' }[given]}`])
      open.answer(given)
      return true
    },
  }
}

type AskedByKey = Pick<ApprovalRequest, 'about' | 'canTry'>

/** Asks the person at this terminal, who answers with one key. */
export interface TerminalQuestions {
  /** Undefined when `gone` comes first. */
  ask(lines: readonly string[], asked: AskedByKey, gone: AbortSignal): Promise<ApprovalAnswer | undefined>
  tell(line: string): void
}

/** Asks at the terminal and on an open page at the same time; the first answer counts. */
export function makeAskBoth(here: TerminalQuestions | undefined, over: AbortSignal, paint: Paint): Ask {
  return (request) =>
    firstAnswer(
      over,
      (signal) => askPage(request, signal, here),
      ...(here === undefined
        ? []
        : [(signal: AbortSignal) => here.ask(approvalFacts(request, paint), request, signal)]),
    )
}

/** As long as this terminal could still answer, a page may be opened as well. */
async function askPage(
  request: ApprovalRequest,
  signal: AbortSignal,
  here: TerminalQuestions | undefined,
): Promise<ApprovalAnswer | undefined> {
  for (;;) {
    const answer = await askApprovalSocket(request, signal)
    if (answer !== undefined) here?.tell(`answered on the page: ${answer}`)
    if (answer !== undefined || here === undefined || signal.aborted) return answer
    await pause(1000, undefined, { signal })
  }
}
