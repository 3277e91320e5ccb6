import type { Delimiters } from '../syntax/csl/marker.ts'
import { defaultDelimiters } from '../syntax/csl/csl.ts'
import type { Call, Rendered } from '../syntax/call.ts'
import { renderCml } from '../syntax/cml/write.ts'
import { CslRenderer } from '../syntax/csl/csl.ts'
import { renderReplacer } from '../syntax/replacer/replacer.ts'
import { renderSham } from '../syntax/sham/sham.ts'

/** The syntaxes that a model can be taught. */
export const taughtNames = ['sham', 'csl', 'cml', 'replacer'] as const
export type TaughtName = (typeof taughtNames)[number]

/** What a model must know of a syntax. */
export interface Teaching {
  /** A call as a model would write it. `id` is for the syntaxes whose blocks have one. */
  write(call: Call, id: string): Rendered
  /** How blocks are written. Markers stand inside the lines, never at their start: a prompt is not to be carried out. */
  readonly rules: readonly string[]
  /** How the report is to be read, and what to do after a failure. */
  readonly answer: readonly string[]
  /** Whether paths must be absolute. */
  readonly paths: 'absolute' | 'relative'
}

export function teachingOf(syntax: TaughtName, delimiters: Delimiters = defaultDelimiters): Teaching {
  switch (syntax) {
    case 'sham':
      return sham
    case 'csl':
      return csl(delimiters)
    case 'cml':
      return cml
    case 'replacer':
      return replacer
  }
}

const sections = (name: string): string[] => [
  `\`=== CLADA RESULTS ===\` has a line for each block, by its ${name}: ✅ or ❌ with the reason. \`=== OUTPUTS ===\` is what was read, found and printed.`,
  'After a failure, `=== REPAIR ===` shows the nearest text and how it differs from yours, or every place that fits. Send only what failed again, corrected.',
]

/** Where a program reads it, the report of these syntaxes has another form. */
const inLines = (form: string): string =>
  `Or there are lines instead: ${form}; then look at the file again before you correct.`

const sham: Teaching = {
  write: ({ action, params }, id) => ({ text: renderSham(action, params, { keyword: 'SHAM', id }) }),
  paths: 'absolute',
  rules: [
    'A block begins with the line `#!SHAM [@three-char-SHA-256: id]` and ends with the line `#!END_SHAM_id`. The id is 2 to 8 letters or digits, a new one for every block.',
    'Between them, one parameter a line: `name = value`, from the first column. No comments, nothing else.',
    'A value is `"text"` on one line, a JSON string (`\\"` `\\\\` `\\n`); or a heredoc: `name = <<\'EOT_SHAM_id\'`, then lines taken as they are, nothing escaped, then `EOT_SHAM_id` on a line of its own. Use a heredoc for several lines and for text with quotes or backslashes. Numbers and true/false are quoted too.',
    'The line break before the delimiter is not part of the text: for a file that ends with a line break, leave an empty line before the delimiter.',
  ],
  answer: sections('id'),
}

const csl = (delimiters: Delimiters): Teaching => {
  const renderer = new CslRenderer(delimiters)
  const mark = (inner: string): string => `\`${delimiters.start}${inner}${delimiters.end}\``
  return {
    write: (call) => renderer.call(call),
    paths: 'relative',
    rules: [
      `Markers are whole lines, from the first column; every operation ends with ${mark('END')}. Attributes are \`name="value"\`; write \`\\"\` and \`\\\\\` for a quote and a backslash in a value.`,
      `Content is the lines between two markers, taken as they are, nothing escaped. The line break before the closing marker is not part of it: for a file that ends with a line break, leave an empty line before ${mark('END')}.`,
      `Content cannot hold a line that is its own closing marker. Elsewhere no line may begin with \`${delimiters.start}\` unless it is a marker: one malformed marker stops the whole reply.`,
      `Operations that depend on each other go between ${mark('TASKS')} and ${mark('END')}: the first failure skips the rest; with \`atomic="true"\` on TASKS, files change all or not at all.`,
    ],
    answer: [
      ...sections('number'),
      inLines(
        '`[task-N] SUCCESS`, `ERROR` or `SKIP` with the reason, `[task-N:exec]` for what was printed, and `FATAL` where nothing ran',
      ),
    ],
  }
}

const cml: Teaching = {
  write: (call) => renderCml(call),
  paths: 'relative',
  rules: [
    'Blocks are XML elements, each from the start of a line. All text is CDATA, taken as it is from `<![CDATA[` to `]]>`, line breaks included, nothing escaped; only `]]>` itself is written `]]&gt;`.',
    'Attribute values are XML: `&amp;` `&lt;` `&quot;`.',
    'Tasks that depend on each other go into `<tasks>` … `</tasks>`: the first failure skips the rest; with `<tasks atomic="true">` files change all or not at all.',
  ],
  answer: [
    ...sections('number'),
    inLines(
      '`[task-N] Success`, `Error` or `Skipped` with the reason, `[task-N:exec]` for what was printed, and a `<result>` that sums it up',
    ),
  ],
}

const replacer: Teaching = {
  write: (call) => renderReplacer(call),
  paths: 'relative',
  rules: [
    'Every block says why, names its file, and makes one change. Each marker has a line to itself, from the first column.',
    'Content is the lines between two markers, taken as they are, nothing escaped. The line break before the closing marker is not part of it: for a file that ends with a line break, leave an empty line before `<<<END>>>`. Content cannot hold a line that is a marker.',
    'To delete text, put one line with a single space below `<<<REPLACE>>>`.',
    'Blocks can only write and edit files. To see a file, to delete or move one, or to run a command, ask me.',
  ],
  answer: sections('number'),
}
