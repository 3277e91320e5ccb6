import type { Block, BlockGroup, Fault } from '../core/block.ts'
import type { Source } from '../core/source.ts'
import { locate, type Located, type Misplaced } from './cml-locate.ts'
import { afterBlanks, opensAt, startsLine, type BlockName, type TaskName } from './cml-open.ts'
import { attributeAt, taskOf, type Task } from './cml-task.ts'
import { parseElement, type Element } from './cml-xml.ts'
import type { MakeReader, Reading } from './reader.ts'
import { faultAt } from './sham-line.ts'
import { Texts } from './sham-walk.ts'

/*
 * CML is XML elements in a text, each at the start of a line:
 *
 *   block    = task | tasks
 *   tasks    = "<tasks" [ version ] [ atomic ] ">" { task } "</tasks>"
 *   task     = write | edit | run | move | remove
 *   write    = "<write" path [ append ] ">" content "</write>"
 *   edit     = "<edit" path [ count ] ">" ( search | ends ) replace "</edit>"
 *   search   = "<search>" content "</search>"
 *   ends     = "<search-start>" content "</search-start>" "<search-end>" content "</search-end>"
 *   replace  = "<replace>" content "</replace>"
 *   run      = "<run" [ dir ] ">" content "</run>"
 *   move     = "<move" from to "/>"                            deprecated
 *   remove   = "<remove" path "/>"                             deprecated
 *   content  = { "<![CDATA[" any text "]]>" }                  "]]&gt;" in it is "]]>"; sections are joined
 *
 * Tags, attributes and references are XML's; white space and comments may stand between elements and sections, other
 * text not. The parts of an edit come in any order. An opening tag alone does not make a block: see `opensAt`.
 *
 * The end of an element is found first, by its tags alone, so that neither the text around it nor the content in it
 * can break it. What is wrong inside costs that block alone. An element that the end of the text cuts off takes
 * everything behind it along: nobody can tell whether that is content. An element whose end tag is merely missing ends
 * where another block opens, if it cannot be content there. A document therefore never has a block that it would not
 * have if it went on.
 */

export const makeCmlReader: MakeReader = (source) => new CmlReader(source)

class CmlReader {
  readonly syntax = 'cml'
  readonly #source: Source
  #tasks = 0
  #ahead = 0
  /** Elements before this offset are commented out. */
  #hidden = 0
  /** The line of a comment that does not end. */
  #endless: number | undefined

  constructor(source: Source) {
    this.#source = source
  }

  seek(line: number): number {
    if (this.#ahead >= line) return this.#ahead
    const { text } = this.#source
    const from = Math.max(this.#source.startOf(line), this.#hidden)
    for (let at = text.indexOf('<', from); at !== -1; at = text.indexOf('<', at + 1)) {
      if (!initials.has(text.charCodeAt(at + 1)) || !startsLine(text, at)) continue
      if (isComment(text, at) || opensAt(text, at) !== undefined) return (this.#ahead = this.#source.lineAt(at))
    }
    return (this.#ahead = Infinity)
  }

  read(line: number): Reading {
    const { text } = this.#source
    const start = afterBlanks(text, this.#source.startOf(line))
    if (isComment(text, start)) return this.#comment(line, start)
    const blocks: Block[] = []
    let at = start
    for (let name = opensAt(text, at); name !== undefined; name = opensAt(text, at)) {
      const located = locate(text, at, name)
      const found = at === start ? this.#blocksOf(located) : [this.#refused(located, notAtLineStart(at, name))]
      for (const block of found) blocks.push(block)
      if (located.state === 'cut') {
        for (const block of this.#followers(located)) blocks.push(block)
        return { blocks, faults: [], next: this.#source.lineCount + 1 }
      }
      // An element right behind another would otherwise vanish, and the lines of its content be read as blocks.
      at = afterBlanks(text, located.end)
      if (this.#source.lineAt(at) > this.#source.lineAt(located.end)) break
    }
  }
}
