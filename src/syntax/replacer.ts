import type { Block } from '../core/block.ts'
import type { Source } from '../core/source.ts'
import type { MakeReader } from './reader.ts'
import { ReplacerMarks, ReplacerWalk, type FoundBlock } from './replacer-walk.ts'
import { Texts } from './sham-walk.ts'

/*
 * The replacer's blocks:
 *
 *   block       = [ explanation ] file ( edit | overwrite ) "<<<END>>>"
 *   explanation = "<<<EXPLANATION>>>" { line }
 *   file        = "<<<FILE>>>" path                            blank lines around the path
 *   edit        = "<<<SEARCH>>>" { line } "<<<REPLACE>>>" { line }
 *   overwrite   = "<<<OVERWRITE>>>" { line }
 *
 * Every marker is a whole line, from column 1; white space behind it and a byte order mark before the text do not
 * matter. Content is the lines between two markers, without the last line break.
 *
 * A marker that cannot come where it stands opens nothing, but it is not content either: most likely an END is missing
 * before it, and what would be written is half of the next block. Such a block fails and reaches to the next END, or
 * else to the end of the text. So does a block that is not closed: nothing below it is executed, by whichever syntax.
 */

export const makeReplacerReader: MakeReader = (source) => {
  const marks = new ReplacerMarks(source)
  let ahead = 0
  let count = 0
  return {
    syntax: 'replacer',
    seek: (line) => (ahead >= line ? ahead : (ahead = marks.next(line)?.line ?? Infinity)),
    read(line) {
      const found = new ReplacerWalk(source, marks, line).read(String(count + 1))
      if ('fault' in found) return { blocks: [], faults: [found.fault], next: line + 1 }
      count++
      return { blocks: [blockOf(source, found)], faults: [], next: found.lastLine + 1 }
    },
  }
}

function blockOf(source: Source, found: FoundBlock): Block {
  const { id, path, explanation, search, replace, overwrite, startLine, endLine, lastLine, faults } = found
  const params = new Texts()
  let action = ''
  if (path !== undefined) params['path'] = path
  if (overwrite !== undefined) {
    action = 'file_write'
    params['content'] = overwrite
  } else if (search !== undefined || replace !== undefined) {
    action = 'file_replace_text'
    if (search !== undefined) params['old_text'] = search
    // A line of nothing but a space is how a deletion is written; that space is not to stay in the file.
    if (replace !== undefined) params['new_text'] = replace.trim() === '' ? '' : replace
  }
  return {
    syntax: 'replacer',
    id,
    action,
    params,
    startLine,
    endLine,
    faults,
    raw: source.text.slice(source.startOf(startLine), source.endOf(lastLine)),
    rootNameMayLead: true,
    ...(explanation && { explanation }),
    ...(replace === '' && { warnings: [emptyReplace] }),
  }
}

const emptyReplace =
  'an empty <<<REPLACE>>> deletes what <<<SEARCH>>> holds; if that is meant, put a line with one space in it'
