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
