import type { Block } from '../../core/block.ts'
import type { Source } from '../../core/source.ts'
import { plainMarker } from '../../text/undamage.ts'
import { between, type Call, meaningOf, refuse, type Rendered, unfitForLines } from '../call.ts'
import { Markers, type View, type WalkThrough } from '../damage.ts'
import { type MakeReader, Texts } from '../reader.ts'
import { type FoundBlock, isMarkerLine, ReplacerMarks, ReplacerWalk } from './walk.ts'
import { reportLesson, type Syntax } from '../syntax.ts'

/*
 * The replacer's blocks:
 *
 *   block       = [ explanation ] file ( edit | overwrite ) "<<<END>>>"
 *   explanation = "<<<EXPLANATION>>>" { line }
 *   file        = "<<<FILE>>>" path                            blank lines around the path
 *   edit        = "<<<SEARCH>>>" { line } "<<<REPLACE>>>" { line }
 *   overwrite   = "<<<OVERWRITE>>>" { line }
 *
 * Every marker is a whole line, from column 1; white space after it and a byte order mark before the text do not
 * matter. Content is the lines between two markers, without the last line break.
 *
 * A marker that cannot come where it is opens nothing, but it is not content either: most likely an END is missing
 * before it, and what would be written is half of the next block. Such a block fails and reaches to the next END, or
 * else to the end of the text. So does a block that is not closed: nothing below it is executed, by whichever syntax.
 */

const reader: MakeReader = (source) => {
  const marks = new ReplacerMarks(source)
  let ahead = 0
  let count = 0
  return {
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
  'an empty <<<REPLACE>>> deletes the text of <<<SEARCH>>>; to delete without this warning, put a line with one space in it'

function write(call: Call): Rendered {
  const meaning = meaningOf(call)
  if ('refused' in meaning) return meaning
  if (meaning.kind === 'write') {
    if (meaning.append) return refuse('cannot append')
    return written(call, meaning.path, [['OVERWRITE', meaning.content]])
  }
  if (meaning.kind !== 'edit') return refuse(`cannot write ${call.action}`)
  const { old, replacement, count, path } = meaning
  const [search, end] = old
  if (end !== undefined) return refuse('cannot replace a range given by its beginning and end')
  if (count !== '1') return refuse('can only replace text that occurs exactly once')
  if (search.trim() === '') return refuse('needs a <<<SEARCH>>> that is not only white space')
  if (replacement !== '' && replacement.trim() === '')
    return refuse('reads a <<<REPLACE>>> of only white space as empty')
  // A blank line says that the deletion is meant; nothing at all would be warned of.
  return written(call, path, [
    ['SEARCH', search],
    ['REPLACE', replacement === '' ? ' ' : replacement],
  ])
}

function written({ explanation = '' }: Call, path: string, edit: readonly Section[]): Rendered {
  if (path === '' || path !== path.trim() || /[\r\n]/.test(path)) {
    return refuse('needs a path on one line, without white space around it')
  }
  const why: readonly Section[] = explanation === '' ? [] : [['EXPLANATION', explanation]]
  const sections: readonly Section[] = [...why, ['FILE', path], ...edit]
  for (const [, text] of sections) {
    const unfit = unfitForLines(text)
    if (unfit !== undefined) return refuse(unfit)
    const marker = text.split('\n').find(isMarkerLine)
    if (marker !== undefined) return refuse(`would end the content at its line ${marker}`)
  }
  return { text: `${sections.map(([name, text]) => `<<<${name}>>>\n${between(text)}`).join('')}<<<END>>>` }
}

type Section = readonly [name: string, text: string]

/** From EXPLANATION or FILE to END. What may be between them is for `replacer.ts` to say. */
const walkReplacer: WalkThrough = (view, start) => {
  const markers = new Markers()
  if (!openers.has(markerAt(view, start, markers) ?? '')) return undefined
  for (let n = start; ; n++) {
    const line = view.line(n)
    if (line === undefined) return undefined
    const marker = markerAt(view, n, markers)
    if (marker === undefined) continue
    markers.add(n, line.trimEnd() === marker ? line : marker, line)
    if (marker !== '<<<END>>>') continue
    return isAmbiguous(view, n, markers) ? undefined : { start, end: n, markers: markers.list }
  }
}

const openers: ReadonlySet<string> = new Set(['<<<EXPLANATION>>>', '<<<FILE>>>'])

/** Where another END follows, the one that was found may be content. */
function isAmbiguous(view: View, end: number, markers: Markers): boolean {
  for (let n = end + 1; n <= view.lineCount; n++) {
    const next = markerAt(view, n, markers)
    if (next !== undefined) return !openers.has(next)
  }
  return false
}

function markerAt(view: View, n: number, markers: Markers): string | undefined {
  const line = view.line(n)
  // A marker starts its line; what is indented as a whole is read without its indentation.
  if (line === undefined || !/[A-Z]/.test(line) || /^[ \t]/.test(line)) return undefined
  const plain = plainMarker(line)
  if (!/^<<<(?:EXPLANATION|FILE|SEARCH|REPLACE|OVERWRITE|END)>>>$/.test(plain)) return undefined
  return markers.admits(line) ? plain : undefined
}

/** Blocks with the END that is missing before the next one or at the end of the text. */
function corrected(raw: string): string {
  const lines: string[] = []
  let open = false
  for (const row of raw.split(/\r?\n/)) {
    const name = /^<<<([A-Z]+)>>>$/.exec(row.trimEnd())?.[1]
    if (open && (name === 'FILE' || name === 'EXPLANATION')) {
      // Empty lines before the next block separate the two.
      while (lines.at(-1)?.trim() === '') lines.pop()
      lines.push('<<<END>>>', '')
    }
    if (name !== undefined) open = name === 'REPLACE' || name === 'OVERWRITE'
    lines.push(row)
  }
  while (open && lines.at(-1)?.trim() === '') lines.pop()
  return [...lines, ...(open ? ['<<<END>>>'] : [])].join('\n')
}

const rules = [
  'Every block says why, names its file, and makes one change. Each marker has a line to itself, from the first column.',
  'Content is the lines between two markers, taken as they are, nothing escaped. The line break before the closing marker is not part of it: for a file that ends with a line break, leave an empty line before `<<<END>>>`. Content cannot contain a line that is a marker.',
  'To delete text, put one line with a single space below `<<<REPLACE>>>`.',
  'Blocks can only write and edit files. To see a file, to delete or move one, or to run a command, ask me.',
]

export const replacer = {
  reminder: [
    'No blocks found. Write each edit between markers, each marker alone on its line, from the first column:',
    'a line <<<FILE>>>, the path, <<<SEARCH>>>, the old lines, <<<REPLACE>>>, the new lines, <<<END>>>;',
    'for a whole file <<<OVERWRITE>>> and its lines instead of SEARCH and REPLACE.',
  ],
  title: "the replacer's syntax",
  report: 'llm',
  kind: 'native',
  waits: false,
  opener: /^<<</,
  marks: /^<<<(?:EXPLANATION|FILE|SEARCH|REPLACE|OVERWRITE|END)>>>/,
  closer: /<<<END>>>/i,
  reader,
  throughDamage: () => walkReplacer,
  corrected,
  paths: 'relative',
  ids: 'counted',
  says: 'own operations',
  targets: {
    replacer: { title: "the replacer's syntax", explains: true, dropsRootName: true, open: () => ({ call: write }) },
  },
  lesson: () => ({ rules, answer: reportLesson('number') }),
} satisfies Syntax
