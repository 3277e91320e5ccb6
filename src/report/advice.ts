import type { Absence, Problem } from '../core/problem.ts'

type Of<K extends Problem['kind']> = Problem & { kind: K }

/** What to do about a text that is not there. */
export function absentAdvice(param: string, { nearest, applied, tooEarly, emptyFile }: Absence): string {
  if (tooEarly !== undefined)
    return `${param} stands only before old_text_beginning, which it must follow. Give another end, or a beginning further up.`
  if (emptyFile) return 'The file is empty. Write it with file_write, or look for the text in another file.'
  if (applied !== undefined)
    return `The new text is already in the file, on line ${applied}. If that was this edit, nothing is left to do.`
  if (nearest.length > 0) return `Copy ${param} from the nearest place, exactly as it is there.`
  return notAlike
}

const notAlike = 'Nothing in the file is like it. Read the file again; it may be another one.'

export function hunkAdvice({ reason, nearest, applied, also }: Of<'hunk-failed'>): string {
  const rest =
    also.length === 0 ? '' : ` Not applied either: ${also.length === 1 ? 'hunk' : 'hunks'} ${also.join(', ')}.`
  const advice = {
    absent: absentHunkAdvice({ nearest, ...(applied === undefined ? {} : { applied }) }),
    ambiguous: 'Add lines of context around it until it fits only one place.',
    overlap: 'Write them as one hunk.',
    'no-context': 'Put lines of the file before or behind the new ones, each with a blank in front.',
  }
  return `${advice[reason]} The file was left as it was.${rest}`
}

function absentHunkAdvice({ nearest, applied }: Absence): string {
  if (applied !== undefined) return `Its new lines are already in the file, on line ${applied}; if so, leave it out.`
  return nearest.length > 0 ? 'Copy its lines from the nearest place, exactly as they are there.' : notAlike
}

export function outsideAdvice({ asked, lineCount }: Of<'lines-outside'>): string {
  if (asked === 'read') return `Ask for lines from 1 to ${lineCount}.`
  return 'Read the file with line numbers first: they may have moved.'
}

/** Whoever repeats all of it would change some files twice. */
export function severalAdvice({ doing, done }: Of<'files-failed'>): string {
  if (doing === 'read')
    return done.length === 0
      ? 'Check the paths with ls or glob.'
      : 'Check these paths with ls or glob; the others need not be read again.'
  if (done.length === 0) return 'None of the files was changed.'
  const names = done.length > 5 ? `${done.length} files` : done.join(', ')
  return `${names} ${done.length === 1 ? 'is' : 'are'} changed already. Repeat the action for those that failed only.`
}

/** Where whoever refused a path has nothing better to say. */
export function pathAdvice({ rule, advice }: Of<'path'>): string {
  if (advice !== undefined) return advice
  if (rule === 'invalid_parameter') return 'No file can be named like that here; choose another name.'
  return 'It is closed to models; ask the user for what you need from it.'
}
