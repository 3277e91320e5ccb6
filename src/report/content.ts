import { isFrame, isTaskLine } from '../core/result.ts'
import { isMarker } from '../text/markers.ts'

/** Keeps what files, programs and documents say apart from what clada says: counts the lines it had to indent. */
export class Content {
  #indented = 0

  /** The text with one space before each line that would read as a line of a report, or as the beginning of a block. */
  readonly text = (text: string): string => {
    const lines = text.split('\n')
    return lines
      .map((line, at) => {
        if (!readsAsOurs(line, lines[at + 1])) return line
        this.#indented++
        return ` ${line}`
      })
      .join('\n')
  }

  /** One line about what was indented; none where nothing was. */
  get note(): string[] {
    if (this.#indented === 0) return []
    const lines = this.#indented === 1 ? '1 line is' : `${this.#indented} lines are`
    return [`[${lines} indented by one space here, because they would read as a report or a block]`]
  }
}

/** A message on its own line; if a name or an error in it has line breaks, none of the others reads as ours. */
export function entryText(entry: string): string {
  const [first = '', ...rest] = entry.split('\n')
  return rest.length === 0 ? first : [first, new Content().text(rest.join('\n'))].join('\n')
}

const readsAsOurs = (line: string, next: string | undefined): boolean =>
  isFrame(line) || isTaskLine(line) || isMarker(line, next)

/**
 * Text from files and commands must not control the terminal of the reader: control characters, and
 * those that turn the reading direction, are shown by their code.
 */
export function printable(text: string): string {
  return text.replace(unsafe, byCode)
}

/** Shows invisible characters, which a model reads. Those that some languages need stay. */
export const withoutHidden = (text: string): string =>
  text.replace(/[\u200b\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu, byCode)

function byCode(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16)
  if (code.length > 4) return `\\u{${code}}`
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
}

// eslint-disable-next-line no-control-regex -- they are what is looked for
const unsafe = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g
