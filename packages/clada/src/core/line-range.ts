/** Lines of a file, as the working set names them: `src/k.ts:1-20`, or `src/k.ts:7` for one line. */
export interface FileLineRange {
  readonly file: string
  readonly first: number
  readonly last: number
}

/** Undefined where a path ends in no lines. No file that clada touches has a colon in its name. */
export function lineRangeIn(path: string): FileLineRange | undefined {
  const [, file, first = '', last = first] = /^(.+):(\d{1,7})(?:-(\d{1,7}))?$/.exec(path) ?? []
  return file === undefined ? undefined : { file, first: Number(first), last: Number(last) }
}

/** The file of an entry of the working set, without the lines or structures that it names. */
export const fileOfEntry = (entry: string): string => lineRangeIn(entry)?.file ?? entry.split('@@')[0] ?? entry
