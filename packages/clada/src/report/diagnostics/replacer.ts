import type { DiagnosticCode } from '@clada/reply/core/diagnostic.ts'
import { sendAgainFrom, type DiagnosticRows } from './row.ts'

/** The replacer. */
export const replacerDiagnostics: DiagnosticRows<Extract<DiagnosticCode, `replacer-${string}`>> = {
  'replacer-overrun': {
    code: ({ isCut }) => (isCut ? 'truncated' : 'REPLACER_SYNTAX'),
    say: ({ marker, section, line, first, last }) => [
      `<<<${marker}>>> inside <<<${section}>>>`,
      `Close the <<<${section}>>> of line ${line} with ${section === 'SEARCH' ? '<<<REPLACE>>> and ' : ''}<<<END>>>. Nothing from line ${first} to ${last} was executed. Content with such lines needs another syntax.`,
    ],
  },
  'replacer-open': {
    code: 'truncated',
    say: ({ section, first }) => [
      `Block not closed: the text ends inside <<<${section}>>>`,
      `End the block with <<<END>>>. ${sendAgainFrom(first)}`,
    ],
  },
  'replacer-without': {
    code: 'REPLACER_SYNTAX',
    say: ({ marker, missing }) => [
      `<<<${marker}>>> without <<<${missing}>>>${marker === 'FILE' ? ' or <<<OVERWRITE>>>' : ''}`,
      missing === 'FILE' ? FILE_FIRST : EDIT_BELOW,
    ],
  },
  'replacer-stray-end': {
    code: 'REPLACER_SYNTAX',
    say: () => [
      '<<<END>>> without a block',
      'Leave it out. If it was content, that content was closed by the <<<END>>> before it.',
    ],
  },
  'replacer-second-file': {
    code: 'REPLACER_SYNTAX',
    say: () => ['<<<FILE>>> a second time in one block', 'Give one path; for two files write two blocks.'],
  },
  'replacer-no-path': {
    code: 'REPLACER_SYNTAX',
    say: () => ['<<<FILE>>> without a path', FILE_FIRST],
  },
  'replacer-below-path': {
    code: 'REPLACER_SYNTAX',
    say: () => [
      'Text between the path and the next marker',
      'Only the path is below <<<FILE>>>. A marker must be alone on its line; the explanation of the change goes below <<<EXPLANATION>>>, before <<<FILE>>>.',
    ],
  },
  'replacer-empty-search': {
    code: 'REPLACER_SYNTAX',
    say: () => [
      'Empty <<<SEARCH>>>',
      'Put the text to find below <<<SEARCH>>>; to write a new file, use <<<OVERWRITE>>>.',
    ],
  },
}

const FILE_FIRST =
  'Put <<<FILE>>> and the path, each on a line of its own, before every <<<SEARCH>>> and <<<OVERWRITE>>>.'

const EDIT_BELOW =
  'Below the path write <<<SEARCH>>>, the old text, <<<REPLACE>>>, the new text, <<<END>>>; or <<<OVERWRITE>>>, the whole file, <<<END>>>.'
