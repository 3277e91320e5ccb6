import { type LineRange, type Source, textFrom } from '../core/source.ts'
import { type Fence, parseFence } from './fences.ts'

/*
 * What a terminal shows: the output of a program below a shell prompt, a commit as git prints it, what a sentence announces
 * as output. Chats are full of it, and none of it is an edit.
 */

/** What the signs need to know of the fences of a text. */
interface Fences {
  /** The fence that a line is inside of, or closes. */
  fenceAround(line: number): LineRange | undefined
}

/**
 * Which lines decide whether those below them are output, found from the top down. Of two, the nearer decides, up to the
 * beginning of the fence or paragraph; past empty lines only inside a fence or a commit header.
 */
export class SessionSigns {
  readonly #source: Source
  readonly #fences: Fences
  /** The lines that were looked at last: those below `after`, up to `line`. */
  #seen = { after: 0, line: 0 }
  /** What they say about what follows directly, and about what follows after an empty line. */
  #near: boolean | undefined
  #past: boolean | undefined

  constructor(source: Source, fences: Fences) {
    this.#source = source
    this.#fences = fences
  }

  /** Whether what begins on `line` is output, by the lines between; undefined where none of them says it. */
  isOutput(after: number, line: number): boolean | undefined {
    if (after !== this.#seen.after || line <= this.#seen.line) {
      this.#seen = { after, line: after }
      this.#near = this.#past = undefined
    }
    while (this.#seen.line < line - 1) this.#look(++this.#seen.line)
    return this.#near
  }

  #look(line: number): void {
    const start = textFrom(this.#source, line)
    if (start === -1) {
      this.#near = this.#past
      return
    }
    const text = this.#source.line(line)
    const initial = this.#source.text.charAt(start)
    const own = this.#strongSign(line, text, initial)
    this.#past = own.past ?? this.#weakSign(line, text) ?? this.#past
    this.#near = own.near ?? this.#near
  }

  /** A fence, a commit header or a command. */
  #strongSign(line: number, text: string, initial: string): Sign {
    const fence = parseFence(text)
    const found = fence === undefined ? this.#programSign(line, text, initial) : this.#fenceSign(line, fence)
    // Markers of blocks are no signs, where they are next to what is asked about.
    const isMarker = MARKS.includes(initial) && !(initial === '#' && showsByPrompt(text))
    return isMarker ? { past: found.past } : found
  }

  #fenceSign(line: number, { info }: Fence): Sign {
    return sameSign(!this.#isInside(line) && (SESSION.test(info) || this.#isAnnounced(line - 1)))
  }

  #programSign(line: number, text: string, initial: string): Sign {
    if (COMMITS.includes(initial) && COMMIT.test(text)) return sameSign(true)
    const command = NOTABLE.test(text) ? commandOn(text, initial) : undefined
    if (command === undefined) return {}
    const near = !FEEDS.test(command)
    return { near, past: near && this.#isInside(line) }
  }

  /** A sentence decides only past an empty line, and then always, unless it belongs to a commit. */
  #weakSign(line: number, text: string): boolean | undefined {
    if (MESSAGE.test(text) || this.#isInside(line)) return undefined
    return NOTABLE.test(text) && announcesOutput(text)
  }

  /** Whether a line is inside a fence, or closes it. */
  #isInside(line: number): boolean {
    return this.#fences.fenceAround(line) !== undefined
  }

  /** Whether the last sentence at or above a line says that output follows. */
  #isAnnounced(line: number): boolean {
    let at = line
    while (at > 0 && textFrom(this.#source, at) === -1) at--
    return at > 0 && announcesOutput(this.#source.line(at))
  }
}

/** Whether what follows a line is output: directly, and after an empty line. */
interface Sign {
  readonly near?: boolean | undefined
  readonly past?: boolean | undefined
}

const sameSign = (isOutput: boolean): Sign => ({ near: isOutput, past: isOutput })

/** What begins a commit in the output of git, and a mail that has one. */
const COMMIT =
  /^\s*(?:commit [0-9a-f]{7,64}\b|(?:Author|AuthorDate|Commit|CommitDate|Merge): \S|From [0-9a-f]{40} |diff --(?:cc|combined) )/

const COMMITS = 'cACMFd'

/** Without any of these a line is neither a command nor a sentence about output. */
const NOTABLE = /[$#%>❯»λ›➜✗+:]|git/i

/** What markers begin with, and neither a commit nor the prompt of a shell. */
const MARKS = '*<=#'

/** Lines of a commit between its header and its diff. */
const MESSAGE =
  /^(?: {4}|(?:Date|Subject|From|To|Cc|Message-I[dD]|MIME-Version|Content-[\w-]+): |---$| \S.*\| +(?:\d|Bin)| \d+ files? changed|index |:\d{6} )/

/** The prompt of a shell, with or without a command. */
const PROMPT = new RegExp(
  `^\\s*(?:${[
    // user@host:~/project (main) $
    String.raw`(?:\([\w.-]+\) ?)?\[?[\w.-]+@[\w.-]+[^$#%>❯»]{0,80}[$#%>❯»](?=\s|$)`,
    String.raw`[$%❯»λ›] (?=\S)`,
    // ➜  project git:(main) ✗
    String.raw`➜\s+\S+(?:\s+git:\([^)]{1,60}\))?(?:\s+[✗✔±])?(?=\s|$)`,
    String.raw`(?:PS )?[A-Za-z]:\\[^>]{0,120}>`,
    // ~/project $
    String.raw`[~/][\w./~-]*(?: \([^)]{1,60}\))? ?[$#%❯»](?=\s|$)`,
    // project (main) $
    String.raw`[\w.-]+ (?:git:)?\([^)]{1,60}\) ?[^\w\s]{0,3} ?[$#%❯»✗>](?=\s|$)`,
    String.raw`(?:>{1,3}|\+|#) (?=git )`,
    // bash-5.1$ and (venv) $
    String.raw`(?:(?:ba|z|k|da|fi)?sh(?:-[\d.]+)?|\([\w.-]+\) )[$#%>❯»](?=\s|$)`,
    // project $ git diff, and whatever else a prompt may say
    String.raw`[\w~.(\[][^\`"'=<>;|\n]{0,80}[$#%>❯»] ?(?=git )`,
  ].join('|')})`,
)

/** Whether it is worth looking: to compile the pattern costs a start more than to read a small document. */
const mayPrompt = (text: string): boolean => PROMPTS.test(text)
const PROMPTS = /[$#%>❯»λ›➜✗+]/

/** Whether a line begins with the prompt of a shell. */
export const isPrompt = (text: string): boolean => text !== '' && mayPrompt(text) && PROMPT.test(text)

/** A command of git that shows something, without a prompt. */
const SHOWS = /^\s*git (?:-\S+ )*(?:diff|show|log|stash show|format-patch|reflog|blame)\b[^:]*$/

/** Whether a line has a prompt and a command of git that shows a diff. */
export function showsByPrompt(text: string): boolean {
  const prompt = mayPrompt(text) ? PROMPT.exec(text)?.[0] : undefined
  return prompt !== undefined && SHOWS_DIFF.test(text.slice(prompt.length))
}

const SHOWS_DIFF =
  /^\s*(?:cd \S+ && )?git (?:-C \S+ |-\S+ )*(?:diff|show|log|stash show|format-patch|reflog|range-diff|diff-tree)\b/

/** The command line on a line, if there is one. */
function commandOn(text: string, initial: string): string | undefined {
  const prompt = mayPrompt(text) ? PROMPT.exec(text)?.[0] : undefined
  if (prompt !== undefined) return text.slice(prompt.length)
  return initial === 'g' && SHOWS.test(text) ? text : undefined
}

/** A command that takes what is below it, instead of printing it. */
const FEEDS = /<<|\bapply(?:_patch)?\b|\bpatch\b|\bgit am\b/

/** What a fence with the output of programs says of itself. */
const SESSION = /^(?:console|terminal|shell-?session|sh-?session|session|output|stdout|log)\b/i

/** Output, and that a command shows it, in the languages that people write to models in. */
const TRANSLATED_OUTPUT =
  'ausgabe|ergebnis|zeigt|liefert|sortie|résultat|affiche|donne|salida|resultado|muestra|devuelve|saída|mostra|uscita|risultato|вывод|результат|показыва|выводит|输出|結果|结果|显示|顯示|輸出|出力|表示|출력|결과|보여'

/** A sentence about output that follows it. */
const OUTPUT = new RegExp(
  [
    String.raw`\b(?:output|result|printout) (?:of|from)\b.{0,40}\bgit (?:diff|show|log)\b`,
    String.raw`\bgit (?:diff|show|log)\b.{0,60}\b(?:output|shows?|showed|prints?|printed|gives|gave|says|said|returns?|returned|reports?)\b`,
    String.raw`(?:${TRANSLATED_OUTPUT}).{0,40}\bgit (?:diff|show|log)\b|\bgit (?:diff|show|log)\b.{0,60}(?:${TRANSLATED_OUTPUT})`,
    String.raw`\boutput (?:looks|will look|would look|should look) (?:like|similar)\b.{0,40}:$`,
    String.raw`^(?:it |this |which )?(?:prints|returns)(?: something like)?:$`,
  ].join('|'),
  'i',
)

/** Most sentences lack what all of these have, which is seen in a fraction of the time. */
const announcesOutput = (text: string): boolean => (text.endsWith(':') || SHOWN.test(text)) && OUTPUT.test(text)
const SHOWN = /git (?:diff|show|log)/i
