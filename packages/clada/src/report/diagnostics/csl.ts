import type { DiagnosticCode, DiagnosticData } from '@clada/reply/core/diagnostic.ts'
import { sendAgainFrom, shortenText, flagMessage, joinWithAnd, type DiagnosticRows, type Sentence } from './row.ts'

/** CSL, whose messages the seeds fix. */
export const cslDiagnostics: DiagnosticRows<Extract<DiagnosticCode, `csl-${string}`>> = {
  'csl-attribute': {
    code: 'CSL_SYNTAX',
    say: (_, line) => [`Line ${line}: Invalid attribute syntax`, NAMED],
  },
  'csl-attribute-equals': {
    code: 'CSL_SYNTAX',
    say: ({ name }, line) => [
      `Line ${line}: Expected '=' after attribute name`,
      `An attribute has a name and a quoted value, as in file="${shortenText(name)}".`,
    ],
  },
  'csl-attribute-value': {
    code: 'CSL_SYNTAX',
    say: ({ name }, line) => [`Line ${line}: Missing attribute value`, `Write: ${shortenText(name)}="value"`],
  },
  'csl-attribute-unquoted': {
    code: 'CSL_SYNTAX',
    say: ({ name, value }, line) => [
      `Line ${line}: Unquoted attribute value`,
      `Write: ${shortenText(name)}="${shortenText(value)}"`,
    ],
  },
  'csl-attribute-open': {
    code: 'CSL_SYNTAX',
    say: ({ delimiters }, line) => [
      `Line ${line}: Unterminated quoted value`,
      `Close the quote before ${delimiters.end}. Inside a value a quote is written \\" and a backslash before a quote \\\\.`,
    ],
  },
  'csl-attribute-twice': {
    code: 'CSL_SYNTAX',
    say: ({ name }, line) => [`Line ${line}: Duplicate attribute: ${name}`, `Give '${shortenText(name)}' once.`],
  },
  'csl-malformed': {
    code: 'CSL_SYNTAX',
    say: ({ meant, ...csl }, line) => [`Line ${line}: Malformed marker`, `Write: ${marker(csl, meant)}`],
  },
  'csl-no-marker': {
    code: 'CSL_SYNTAX',
    say: (csl, line) => [
      `Line ${line}: Malformed marker`,
      `Outside content a line may start with ${csl.delimiters.start} only if it is a marker, such as ${marker(csl, 'RUN')}.`,
    ],
  },
  'csl-not-alone': {
    code: 'CSL_SYNTAX',
    say: (_, line) => [`Line ${line}: Malformed marker`, ALONE],
  },
  'csl-trailing': {
    code: 'CSL_SYNTAX',
    say: ({ hasCr }, line) => [
      `Line ${line}: Content not allowed on marker line`,
      hasCr
        ? 'End every line with LF or CRLF: a lone CR is not a line break here.'
        : `${ALONE} Put this text on a line below; a content line must not start like a marker that closes the content.`,
    ],
  },
  'csl-unknown': {
    code: 'CSL_SYNTAX',
    say: ({ name, operations }, line) => [
      `Line ${line}: Unknown operation: ${name}`,
      operations.includes(name.toUpperCase())
        ? `Write ${name.toUpperCase()} in capital letters.`
        : `The operations are ${joinWithAnd(operations)}.`,
    ],
  },
  'csl-misplaced': {
    code: 'CSL_SYNTAX',
    say: ({ name, place, ...csl }, line) => [
      `Line ${line}: ${name} marker not valid in ${place} operation`,
      searchAdvice(csl),
    ],
  },
  'csl-nested': {
    code: 'CSL_SYNTAX',
    say: (_, line) => [
      `Line ${line}: TASKS cannot be nested`,
      'Close the first TASKS with END before the second, or leave the inner TASKS and its END out.',
    ],
  },
  'csl-stray-end': {
    code: 'CSL_SYNTAX',
    say: (csl, line) => [
      `Line ${line}: END marker without active operation`,
      `Leave it out. If it was content, that content was closed by the ${marker(csl, 'END')} before it.`,
    ],
  },
  'csl-end-attributes': {
    code: 'CSL_SYNTAX',
    say: (csl, line) => [`Line ${line}: END marker cannot have attributes`, `Write: ${marker(csl, 'END')}`],
  },
  'csl-no-replace': {
    code: 'CSL_SYNTAX',
    say: (csl, line) => [`Line ${line}: SEARCH operation without REPLACE`, searchAdvice(csl)],
  },
  'csl-damaged-end': {
    code: 'CSL_SYNTAX',
    say: ({ name, inner, innerLine, ...csl }, line) => [
      `Line ${line}: Damaged END marker`,
      `The ${inner} on line ${innerLine} would be content of the ${name} above it. End that ${name} with ${marker(csl, 'END')}.`,
    ],
  },
  'csl-open': {
    code: 'truncated',
    say: ({ name, ...csl }, line) => [
      `Line ${line}: Unterminated ${name} operation`,
      `Close it with ${marker(csl, 'END')}. ${sendAgainFrom(line)}`,
    ],
  },
  'csl-no-file': {
    code: 'CSL_INVALID',
    say: ({ name }) => ["Missing required attribute 'file'", `Name the file: ${name} file="path"`],
  },
  'csl-no-lang': {
    code: 'CSL_INVALID',
    say: () => ["Missing required attribute 'lang'", 'Name the language: EXEC lang="bash"'],
  },
  'csl-count': {
    code: 'CSL_INVALID',
    say: () => [
      "Invalid value for 'count': must be positive integer or 'all'",
      'Give the number of occurrences, as in count="3", or count="all"; the default is 1.',
    ],
  },
  'csl-flag': {
    code: 'CSL_INVALID',
    say: ({ attribute }) => [
      flagMessage(attribute),
      attribute === 'append'
        ? 'Write append="true" to add to the file, or leave it out.'
        : 'Write atomic="true" to apply all changes or none, or leave it out.',
    ],
  },
  'csl-empty': {
    code: 'CSL_INVALID',
    say: ({ name }) => emptyParts[name],
  },
  'csl-skipped': {
    code: 'CSL_SKIPPED',
    say: ({ line, name }) => [
      name === undefined
        ? `Skipped: its TASKS has an error on line ${line}`
        : `Skipped: ${name} on line ${line}, in the same TASKS, is not valid`,
      'The operations in a TASKS run only if all are valid: correct it and send the TASKS again.',
    ],
  },
}

const ALONE = 'A marker must be alone on its line.'

const NAMED = 'An attribute has a name and a quoted value, as in file="src/a.ts".'

const searchAdvice = (csl: DiagnosticData['csl-no-marker']): string =>
  `Write ${marker(csl, 'SEARCH file="path"')}, the text to find, ${marker(csl, 'REPLACE')}, the new text, ${marker(csl, 'END')}.`

const emptyParts: Readonly<Record<DiagnosticData['csl-empty']['name'], Sentence>> = {
  RUN: ['Empty content not allowed for RUN operation', 'Put the command on the line below the marker.'],
  EXEC: ['Empty content not allowed for EXEC operation', 'Put the code on the lines below the marker.'],
  SEARCH: [
    'Empty search pattern not allowed',
    'Put the text to find between SEARCH and REPLACE; WRITE makes a new file.',
  ],
  TO: ['Empty TO pattern not allowed', 'Put the text that ends the range below TO, or leave TO out.'],
}

const marker = ({ delimiters }: DiagnosticData['csl-no-marker'], inner: string): string =>
  delimiters.start + inner + delimiters.end
