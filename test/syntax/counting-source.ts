import { Source } from '@clada/reply/core/source.ts'

/** Counts what is asked of the text. */
export class CountingSource extends Source {
  asked = 0
  characters = 0

  override startOf(line: number): number {
    this.asked++
    return super.startOf(line)
  }

  override line(line: number): string {
    return this.#counted(super.line(line))
  }

  override lines(first: number, last: number): string {
    return this.#counted(super.lines(first, last))
  }

  #counted(text: string): string {
    this.characters += text.length
    return text
  }
}
