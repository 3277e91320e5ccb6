/** A mistake that knows its place in the text. */
export interface Misplaced {
  readonly code: string
  readonly at: number
  readonly length: number
  readonly message: string
  readonly hint: string
}

/** The text between `<![CDATA[` and `]]>`. */
export interface Section {
  readonly from: number
  readonly to: number
}

/**
 * The tags of an element written one after the other. Content is represented by its number and stray text by a
 * letter, so that the XML parser sees neither: files may hold characters that XML forbids, and megabytes of them.
 */
export class Tags {
  text = ''
  readonly #from: number[] = []
  readonly #at: number[] = []

  add(part: string, at: number): void {
    this.#from.push(this.text.length)
    this.#at.push(at)
    this.text += part
  }

  /** Where in the document the character is that is at `position` here. */
  offsetOf(position: number): number {
    let low = 0
    let high = this.#from.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#from[middle] ?? 0) <= position) low = middle
      else high = middle - 1
    }
    return (this.#at[low] ?? 0) + position - (this.#from[low] ?? 0)
  }
}
