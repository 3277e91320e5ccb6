/** The markers of a text in order, of whatever kind. */
export class MarkList<Mark extends { readonly line: number }> {
  readonly marks: readonly Mark[]
  /** Where it was found last: who reads on asks for the next, or for the same one again. */
  #last = 0

  constructor(marks: readonly Mark[]) {
    this.marks = marks
  }

  /** The index of the first at or after a line. */
  indexFrom(line: number): number {
    const from = (this.marks[this.#last - 1]?.line ?? 0) < line ? this.#last : 0
    for (let at = from; at < from + NEAR; at++) {
      const mark = this.marks[at]
      if (mark === undefined || mark.line >= line) return (this.#last = at)
    }
    return (this.#last = this.#search(line))
  }

  #search(line: number): number {
    let low = 0
    let high = this.marks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.marks[middle]?.line ?? Infinity) < line) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The markers of a block or two. */
const NEAR = 8
