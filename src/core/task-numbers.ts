import type { Block, BlockGroup } from './block.ts'

/**
 * Numbers blocks in order of appearance, from 1. Members of a CSL group share a number and count behind a dot;
 * CML, as its own protocol has it, counts every task of the document.
 */
export class TaskNumbers {
  #last = 0
  #group: BlockGroup | undefined
  #member = 0

  next({ syntax, group }: Block): string {
    if (group === undefined || syntax === 'cml') return String(++this.#last)
    if (group !== this.#group) {
      this.#group = group
      this.#member = 0
      this.#last++
    }
    return `${this.#last}.${++this.#member}`
  }
}
