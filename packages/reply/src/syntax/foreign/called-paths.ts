import { isFile } from '../proposal/title.ts'

/** The files that a call of another tool names, in its own words, also where the call cannot be read. */
export const findCalledPaths = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(PATH)]
      .map(([, ...groups]) => (groups.find((one: string | undefined) => one !== undefined) ?? '').trim())
      .filter((path) => isFile(path)),
  ),
]

const NAME = '(?:(?:target_?|relative_?)?file(?:_?path|_?name)?|path)'

/**
 * `"path": "src/a.ts"`, also in a text of JSON; `<path>src/a.ts</path>` and `<parameter name="path">src/a.ts<`; `<edit path="src/a.ts">`;
 * `write_file(path="src/a.ts"`; `path: src/a.ts`; the first of `"files": {"src/a.ts": …}`.
 */
const PATH = new RegExp(
  [
    `\\\\?["']${NAME}\\\\?["']\\s{0,9}:\\s{0,9}\\\\?["']([^"'\\\\<>\\n]{1,200})`,
    `<(?:parameter(?: name)?=)?["']?${NAME}["']?>([^<>\\n]{1,200})<`,
    `<[\\w:-]+\\s(?:[^<>\\n]{0,200}\\s)?${NAME}\\s?=\\s?["']([^"'<>\\n]{1,200})["']`,
    `[(,]\\s{0,9}${NAME}\\s{0,9}=\\s{0,9}["']([^"'\\n]{1,200})`,
    `^[ \\t]{0,40}(?:- )?${NAME}\\s?:\\s?["']?([^"'\\s]{1,200})`,
    `"files"\\s{0,9}:\\s{0,9}\\{\\s{0,9}"([^"\\n]{1,200})"`,
  ].join('|'),
  'gim',
)
