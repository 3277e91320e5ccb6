import { removeDamage } from '../../text/undamage.ts'
import { isFile } from './title.ts'

/**
 * What programs print about a file: a traceback, the messages of a compiler, what grep has found. In a fence below the name of
 * the file that they are about they were proposed as its whole text.
 */
export function isProgramOutput(rows: readonly string[], path: string): boolean {
  if (MAY_HOLD_OUTPUT.test(path)) return false
  const filled = rows.filter((row) => row.trim() !== '')
  const [first = ''] = filled
  if (REPORT.test(first) || (RAISED.test(first) && filled.some((row) => FRAME.test(row)))) return true
  if (LOCATED_MESSAGE.test(first)) return true
  if (MESSAGE.test(first) && filled.slice(1, 3).some((row) => ARROW.test(row))) return true
  return filled.length > 0 && filled.every((row) => isFile(LOCATED.exec(row)?.[1] ?? ''))
}

/** Texts, logs and the like, and what tests expect of programs. */
const MAY_HOLD_OUTPUT = /\.(?:txt|log|out|err|stderr|stdout|snap|golden|expected|md|mdx|markdown|rst|adoc)$/i

/** What only begins the output of a program. */
const REPORT =
  /^(?:Traceback \(most recent call last\):|Exception in thread "|thread '.+' .*panicked at |panic: |goroutine \d+ \[|={3,} (?:FAILURES|ERRORS|test session starts) ={3,}|npm (?:ERR!|error) |make: \*\*\* |[ \t]+File "[^"]+", line \d+(?:, in .+)?$)/

/** An exception, of which the frames follow. */
const RAISED = /^(?:Uncaught |Unhandled )?(?:[A-Za-z_][\w$]*\.)*[A-Z]\w*(?:Error|Exception|Warning)\b(?:: .*|:?$)/
const FRAME = /^\s+at \S|^\s+from \S+:\d+/

const PLACE = String.raw`^((?:[A-Za-z]:)?[^\s:()'"<>]*\.\w{1,9})(?::\d+(?::\d+|-\d+)?|\(\d+(?:,\d+)?\))`
/** `src/a.ts(3,5): error TS2322: …`, `src/a.c:3:5: warning: …`: the text and a mark of the place may follow on lines of their own. */
const LOCATED_MESSAGE = new RegExp(`${PLACE}:?\\s+(?:- )?(?:fatal )?(?:error|warning|note|info)\\b`, 'i')
/** `src/a.py:12: text`, as grep prints a line. */
const LOCATED = new RegExp(`${PLACE}(?::|-|\\s|$)`)

const MESSAGE = /^(?:error|warning)(?:\[\w+\])?: /
const ARROW = /^\s*(?:-->|at) \S+:\d+/

/**
 * Whether lines are an edit with markers that no reader takes: `<<<<<<< search`, or escaped twice. They were proposed as the whole
 * text of the file.
 */
export function holdsEditMarkers(rows: readonly string[]): boolean {
  const head = rows.findIndex((row) => EDIT.test(row) && HEAD.test(plainMark(row)))
  return head !== -1 && rows.some((row, at) => at > head && EDIT.test(row) && TAIL.test(plainMark(row)))
}

const plainMark = (row: string): string => removeDamage(removeDamage(row, ['entities']), ['entities', 'escapes'])
const EDIT = /search|original|replace|updated/i
const HEAD = /^\s*<{5,9}\s*(?:SEARCH|ORIGINAL)\b/i
const TAIL = /^\s*>{5,9}\s*(?:REPLACE|UPDATED)\b/i
