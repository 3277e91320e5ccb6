import { damageWords } from '@clada/reply/text/undamage.ts'
import { writeInstead, type DiagnosticRows } from './row.ts'

export const generalDiagnostics: DiagnosticRows<'own-syntax' | 'stopped-by' | 'damaged' | 'control-character'> = {
  'own-syntax': {
    say: ({ said }) => [said],
  },
  'stopped-by': {
    code: 'SKIPPED',
    say: ({ line }) => [`not executed: the error on line ${line} stops the whole document`],
  },
  damaged: {
    say: ({ damage, params }) => [
      `The text was damaged in transit: the markers of this block have ${damageWords(damage)}, and so do the parameters ${params.join(', ')}`,
      'The original text cannot be recovered. Resend the block inside a code block.',
    ],
  },
  'control-character': {
    code: ({ instead }) => (instead === undefined ? 'malformed_block' : 'INVALID_VALUE'),
    say: ({ name, character, instead }) => [
      `The value of '${name}' would contain the control character U+${hex(character)}`,
      `A backslash in quotes begins an escape; to write a backslash itself, double it.${instead === undefined ? '' : ` ${writeInstead(instead)}`}`,
    ],
  },
}

const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
