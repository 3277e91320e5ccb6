import type { DiagnosticCode, DiagnosticData } from '@clada/reply/core/diagnostic.ts'
import { shortenText, writeInstead, type DiagnosticRows } from './row.ts'

/** SHAM, whose messages the seeds fix. */
export const shamDiagnostics: DiagnosticRows<Extract<DiagnosticCode, `sham-${string}`>> = {
  'sham-header': {
    code: 'MALFORMED_HEADER',
    say: ({ keyword, header, isOwnId }) => [
      `Invalid ${keyword} header format`,
      `Write the header as: ${header}${isOwnId ? '' : ' with an id of 2 to 8 letters or digits of your own.'}`,
    ],
  },
  'sham-id': {
    code: 'INVALID_BLOCK_ID',
    say: ({ id, header }) => [
      id.length < 2 || id.length > 8
        ? 'Block ID must be exactly 3 characters'
        : 'Block ID must contain only alphanumeric characters',
      `An id is 2 to 8 letters or digits, for example: ${header}`,
    ],
  },
  'sham-end': {
    code: 'MISMATCHED_END',
    say: ({ marker, given, id, end }) => [
      given === id
        ? `End marker '${marker}' is not the one of block '${id}'`
        : `End marker '${given}' doesn't match block ID '${id}'`,
      `End the block with: ${end}`,
    ],
  },
  'sham-open': {
    code: 'UNCLOSED_BLOCK',
    say: ({ id, end }) => [
      `Block '${id}' not closed before new block`,
      `End the block with ${end} on a line of its own.`,
    ],
  },
  'sham-cut': {
    code: 'UNCLOSED_BLOCK',
    say: ({ id, end, line }) => [
      `Block '${id}' not closed before EOF`,
      `The text ends inside block '${id}': send it again, complete, from its header on line ${line} to ${end}.`,
    ],
  },
  'sham-line': {
    code: 'MALFORMED_ASSIGNMENT',
    say: ({ id, instead }) => [
      `Invalid line format in block '${id}': not a valid key-value assignment or empty line`,
      lineAdvice(instead),
    ],
  },
  'sham-value': {
    code: 'INVALID_VALUE',
    say: ({ instead }) => ['Value must be a quoted string or heredoc', writeInstead(instead)],
  },
  'sham-escape': {
    code: 'INVALID_VALUE',
    say: ({ instead }) => ['Value must be a quoted string or heredoc', writeInstead(instead)],
  },
  'sham-operator': {
    code: 'INVALID_ASSIGNMENT_OPERATOR',
    say: ({ instead }) => [
      "Invalid assignment operator ':=' - only '=' is allowed",
      instead === 'nothing' ? ONE_TEXT : writeInstead(instead),
    ],
  },
  'sham-no-key': {
    code: 'EMPTY_KEY',
    say: () => ['Assignment without key name', 'Put the name of the parameter before the =.'],
  },
  'sham-key-indented': {
    code: 'INVALID_KEY',
    say: ({ character, position, write }) => [
      badKey(character, position),
      `Write the key at the start of the line: ${shortenText(write)}`,
    ],
  },
  'sham-key': {
    code: 'INVALID_KEY',
    say: ({ character, position, example }) => [
      badKey(character, position),
      `A key is letters, digits and _, for example: ${shortenText(example)}`,
    ],
  },
  'sham-key-long': {
    code: 'INVALID_KEY',
    say: () => ['Key exceeds 256 character limit', 'Use a key of at most 256 characters.'],
  },
  'sham-key-twice': {
    code: 'DUPLICATE_KEY',
    say: ({ key, id }) => [
      `Duplicate key '${key}' in block '${id}'`,
      `Give '${key}' once; for two actions write two blocks.`,
    ],
  },
  'sham-quote': {
    code: 'UNCLOSED_QUOTE',
    say: ({ key, delimiter, isEscaped }) => [
      'Unclosed quoted string',
      isEscaped
        ? 'Write a backslash as \\\\, so that the last quote closes the text.'
        : `Close the quote on the same line. Text of several lines goes in a heredoc: ${key} = <<'${delimiter}'`,
    ],
  },
  'sham-after-value': {
    code: 'TRAILING_CONTENT',
    say: () => ['Unexpected content after quoted value', ONE_TEXT],
  },
  'sham-delimiter': {
    code: 'INVALID_HEREDOC_DELIMITER',
    say: (data) => [`Heredoc delimiter must be '${data.delimiter}'`, writeInstead(data)],
  },
  'sham-heredoc': {
    code: 'UNCLOSED_HEREDOC',
    say: ({ delimiter, line, again, end }) => [
      `Heredoc '${delimiter}' not closed before EOF`,
      `Close the heredoc of line ${line} with ${delimiter} on a line of its own.${again === undefined ? '' : ` Line ${again} opens it a second time.`} Nothing down to line ${end} was executed.`,
    ],
  },
  'sham-heredoc-cut': {
    code: 'UNCLOSED_HEREDOC',
    say: ({ delimiter, line, id, header }) => [
      `Heredoc '${delimiter}' not closed before EOF`,
      `The text ends inside the heredoc of line ${line}: send block '${id}' again, complete, from its header on line ${header}, with everything after it.`,
    ],
  },
  'sham-follows': {
    code: 'FOLLOWS_UNCLOSED_HEREDOC',
    say: ({ id }) => [
      'not executed: follows an unclosed heredoc',
      `Send block '${id}' again after the block whose heredoc is not closed.`,
    ],
  },
}

const badKey = (character: string, position: number): string =>
  `Key contains invalid character '${character}' at position ${position}`

function lineAdvice(instead: DiagnosticData['sham-line']['instead']): string {
  if (instead === 'nothing') return 'A block has no comments: leave this line out.'
  if ('fence' in instead) return `Put the code fence outside the block, below ${instead.fence}.`
  if (!('delimiter' in instead) || 'key' in instead) return writeInstead(instead)
  return `Every line is key = "text" or key = <<'${instead.delimiter}'. Put text of several lines in a heredoc.`
}

const ONE_TEXT =
  'End the line at the closing quote; a block has no comments, and a quote inside the text is written \\".'
