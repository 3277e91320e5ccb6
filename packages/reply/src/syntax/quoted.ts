import type { Block, NotExecutedReason } from '../core/block.ts'
import { type Source, textFrom } from '../core/source.ts'
import { PLUS } from './foreign/foreign.ts'
import { fenceAround, fenceOf, openFence } from './fences.ts'
import { isPlaceholder } from './placeholder.ts'
import { SPACE } from './reader.ts'

/**
 * Signs that a block is shown and not meant. They are in the lines around it: output of a program below a shell prompt,
 * a commit header, a sentence that says whose output it is. Whether a path is a placeholder is asked where the disk can
 * be: `engine/tasks.ts`.
 */
export class Quotations {
  readonly #source: Source
  /** The sign above the lines that were looked at last; of those past an empty line it may be another one. */
  readonly #near: Known = { first: 0, last: 0, sign: 0 }
  readonly #past: Known = { first: 0, last: 0, sign: 0 }
  /** The last line of the block before, and whether that is a quotation: a diff that follows it directly is part of it. */
  #last = 0
  #quoted = false

  constructor(source: Source) {
    this.#source = source
  }

  /** Blocks are asked about in line order. */
  reasonFor(block: Block): Extract<NotExecutedReason, 'quoted' | 'example'> | undefined {
    const { startLine, endLine } = block
    const isShown = block.syntax === 'udiff' && (isOutput(this.#source, block) || this.followsCommand(startLine))
    this.#quoted = this.isQuoted(startLine, endLine ?? startLine) || isShown
    this.#last = endLine ?? startLine
    if (this.#quoted) return 'quoted'
    const isNameless = block.diagnostics.length > 0 && block.params['path'] === undefined
    return isNameless && this.#namesExample(startLine) ? 'example' : undefined
  }

  /** Whether lines are the output of a program, by the lines around them. */
  isQuoted(start: number, end: number): boolean {
    return this.#above(start) || this.#below(end)
  }

  /**
   * Whether a diff is what a command of git shows that is on the line above its fence, or at the end of the fence before:
   * chats split a terminal into the command and its output. A line of text may be between, unless it asks to apply it.
   */
  followsCommand(start: number): boolean {
    const above = this.#textAbove(fenceAround(this.#source, start) ?? start)
    if (above === 0) return false
    const text = this.#source.line(above)
    if (showsByPrompt(text.replace(/^\s*[`*]+|[`*:]+\s*$/g, ''))) return true
    if (fenceOf(text) !== undefined) return this.#endsWithCommand(above)
    const before = this.#textAbove(above)
    return (
      before > 0 &&
      fenceOf(this.#source.line(before)) !== undefined &&
      !APPLIES.test(text) &&
      this.#endsWithCommand(before)
    )
  }

  /** Whether the last line of the fence that closes on a line is such a command. */
  #endsWithCommand(fence: number): boolean {
    const last = this.#textAbove(fence)
    return fenceAround(this.#source, fence) !== undefined && last > 0 && showsByPrompt(this.#source.line(last))
  }

  /** The last line above this one that is not empty; 0 where there is none. */
  #textAbove(line: number): number {
    let above = line - 1
    while (above > 0 && textFrom(this.#source, above) === -1) above--
    return above
  }

  /** Whether the line that should name the file, above a block or its fence, is a placeholder. */
  #namesExample(start: number): boolean {
    for (let line = start - 1; line >= Math.max(1, start - 3); line--) {
      const text = this.#source.line(line).trim()
      if (text !== '' && fenceOf(text) === undefined) return isPlaceholder(text.replace(/^[`*]+|[`*:]+$/g, ''))
    }
    return false
  }

  #above(start: number): boolean {
    const sign = this.#signAbove(start - 1)
    const isOfLast = sign === NONE || Math.abs(sign) <= this.#last
    return isOfLast && this.#last > 0 ? this.#quoted : sign > 0
  }

  /**
   * The sign that decides, from a line upwards: up to the beginning of the fence or paragraph, past empty lines only
   * inside a fence or a commit header. Lines are asked about in order, so that each is looked at twice at most.
   */
  #signAbove(from: number): Sign {
    let sign: Sign = 0
    let empty = 0
    let line = from
    for (; line >= 1; line--) {
      const { first, last, sign: known } = empty > 0 ? this.#past : this.#near
      if (first <= line && line <= last) {
        sign = known
        line = first
        break
      }
      const start = textFrom(this.#source, line)
      if (start === -1) empty ||= line
      else sign = this.#signOn(line, this.#source.text.charAt(start), empty > 0)
      if (sign !== 0) break
    }
    if (line < 1) sign = NONE
    remember(this.#near, Math.max(line, empty, 1), from, sign)
    if (empty > 0) remember(this.#past, Math.max(line, 1), empty - 1, sign)
    return sign
  }

  /** `initial` is the first character that is no space: most lines need no pattern to be known as prose. */
  #signOn(line: number, initial: string, pastEmpty: boolean): Sign {
    const text = this.#source.line(line)
    if (!pastEmpty && MARKS.includes(initial) && !(initial === '#' && showsByPrompt(text))) return 0
    const fence = fenceOf(text)
    if (fence !== undefined) {
      const isShown = !this.#fenced(line) && (SESSION.test(fence.info) || this.#introduced(line - 1))
      return isShown ? line : -line
    }
    if (COMMITS.includes(initial) && COMMIT.test(text)) return line
    const isNotable = NOTABLE.test(text)
    const command = isNotable ? commandOn(text, initial) : undefined
    if (command !== undefined) return !FEEDS.test(command) && (!pastEmpty || this.#fenced(line)) ? line : -line
    if (!pastEmpty || MESSAGE.test(text) || this.#fenced(line)) return 0
    return isNotable && saysOutput(text) ? line : -line
  }

  /** A prompt right after the output, in the same paragraph. */
  #below(end: number): boolean {
    const next = end + 1
    return next <= this.#source.lineCount && isPrompt(this.#source.line(next))
  }

  /** The last sentence at or above a line says that output follows. */
  #introduced(line: number): boolean {
    let at = line
    while (at > 0 && textFrom(this.#source, at) === -1) at--
    return at > 0 && saysOutput(this.#source.line(at))
  }

  /** Whether a fence is open on a line: the number of fences above it is odd. */
  #fenced(line: number): boolean {
    return openFence(this.#source, line) !== undefined
  }
}

/** Lines whose sign is known. */
interface Known {
  first: number
  last: number
  sign: Sign
}

function remember(known: Known, first: number, last: number, sign: Sign): void {
  known.first = first
  known.last = last
  known.sign = sign
}

/** The line that says something about those below it, negative where these are not quoted; 0 where this is not known. */
type Sign = number
/** No line above says anything. */
const NONE = -(2 ** 31)

/** What begins a commit in the output of git, and a mail that has one. */
const COMMIT =
  /^\s*(?:commit [0-9a-f]{7,64}\b|(?:Author|AuthorDate|Commit|CommitDate|Merge): \S|From [0-9a-f]{40} |diff --(?:cc|combined) )/

const COMMITS = 'cACMFd'

/** Without any of these a line is neither a command nor a sentence about output. */
const NOTABLE = /[$#%>❯λ›➜✗+:]|git/i

/** What markers begin with, and neither a commit nor the prompt of a shell. */
const MARKS = '*<=#'

/** Lines of a commit between its header and its diff. */
const MESSAGE =
  /^(?: {4}|(?:Date|Subject|From|To|Cc|Message-I[dD]|MIME-Version|Content-[\w-]+): |---$| \S.*\| +(?:\d|Bin)| \d+ files? changed|index |:\d{6} )/

/** The prompt of a shell, with or without a command. */
const PROMPT = new RegExp(
  `^\\s*(?:${[
    // user@host:~/project (main) $
    String.raw`(?:\([\w.-]+\) ?)?\[?[\w.-]+@[\w.-]+[^$#%>❯]{0,80}[$#%>❯](?=\s|$)`,
    String.raw`[$%❯λ›] (?=\S)`,
    // ➜  project git:(main) ✗
    String.raw`➜\s+\S+(?:\s+git:\([^)]{1,60}\))?(?:\s+[✗✔±])?(?=\s|$)`,
    String.raw`(?:PS )?[A-Za-z]:\\[^>]{0,120}>`,
    // ~/project $
    String.raw`[~/][\w./~-]*(?: \([^)]{1,60}\))? ?[$#%❯](?=\s|$)`,
    // project (main) $
    String.raw`[\w.-]+ (?:git:)?\([^)]{1,60}\) ?[^\w\s]{0,3} ?[$#%❯✗>](?=\s|$)`,
    String.raw`(?:>{1,3}|\+|#) (?=git )`,
    // bash-5.1$ and (venv) $
    String.raw`(?:(?:ba|z|k|da|fi)?sh(?:-[\d.]+)?|\([\w.-]+\) )[$#%>❯](?=\s|$)`,
    // project $ git diff, and whatever else a prompt may say
    String.raw`[\w~.][^\`"'=<>;|\n]{0,80}[$#%>❯] ?(?=git )`,
  ].join('|')})`,
)

/** Whether it is worth looking: to compile the pattern costs a start more than to read a small document. */
const mayPrompt = (text: string): boolean => PROMPTS.test(text)
const PROMPTS = /[$#%>❯λ›➜✗+]/
const isPrompt = (text: string): boolean => text !== '' && mayPrompt(text) && PROMPT.test(text)

/** A command of git that shows something, without a prompt. */
const SHOWS = /^\s*git (?:-\S+ )*(?:diff|show|log|stash show|format-patch|reflog|blame)\b[^:]*$/

/** Whether a line has a prompt and a command of git that shows a diff. */
function showsByPrompt(text: string): boolean {
  const prompt = mayPrompt(text) ? PROMPT.exec(text)?.[0] : undefined
  return prompt !== undefined && SHOWS_DIFF.test(text.slice(prompt.length))
}

const SHOWS_DIFF =
  /^\s*(?:cd \S+ && )?git (?:-C \S+ |-\S+ )*(?:diff|show|log|stash show|format-patch|reflog|range-diff|diff-tree)\b/

/** A sentence that asks to apply what is below it. */
const APPLIES = /\b(?:apply|applying|please|use (?:this|the)|instead|fix(?:es)?|should be|change it|patch)\b/i

/** The command line on a line, if there is one. */
function commandOn(text: string, initial: string): string | undefined {
  const prompt = mayPrompt(text) ? PROMPT.exec(text)?.[0] : undefined
  if (prompt !== undefined) return text.slice(prompt.length)
  return initial === 'g' && SHOWS.test(text) ? text : undefined
}

/** A command that takes what is below it, instead of printing it. */
const FEEDS = /<<|\bapply(?:_patch)?\b|\bpatch\b|\bgit am\b/

const SESSION = /^(?:console|terminal|shell-?session|sh-?session|session|output|stdout|log)\b/i

/** A sentence about output that follows it. */
const OUTPUT = new RegExp(
  [
    String.raw`\b(?:output|result|printout) (?:of|from)\b.{0,40}\bgit (?:diff|show|log)\b`,
    String.raw`\bgit (?:diff|show|log)\b.{0,60}\b(?:output|shows?|showed|prints?|printed|gives|gave|says|said|returns?|returned|reports?)\b`,
    String.raw`\boutput (?:looks|will look|would look|should look) (?:like|similar)\b.{0,40}:$`,
    String.raw`^(?:it |this |which )?(?:prints|returns)(?: something like)?:$`,
  ].join('|'),
  'i',
)

/** Most sentences lack what all of these have, which is seen in a fraction of the time. */
const saysOutput = (text: string): boolean => (text.endsWith(':') || SHOWN.test(text)) && OUTPUT.test(text)
const SHOWN = /git (?:diff|show|log)/i

/** Whether a diff has lines that only output has: those of a combined diff, or a prompt. */
function isOutput(source: Source, { syntax, startLine, raw }: Block): boolean {
  if (syntax !== 'udiff') return false
  const end = source.startOf(startLine) + raw.length
  for (let line = startLine; line <= source.lineCount && source.startOf(line) < end; line++) {
    const c = source.initial(line)
    if (c === SPACE || c === PLUS || c === MINUS || c === BACKSLASH) continue
    if (c === AT ? source.text.startsWith('@@@ ', source.startOf(line)) : isPrompt(source.line(line))) return true
  }
  return false
}

const MINUS = 45
const AT = 64
const BACKSLASH = 92
