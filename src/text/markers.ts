import { plainMarker } from './undamage.ts'

/**
 * Whether a line begins or ends a block of any syntax, more loosely than blocks are read. Indentation, quotation marks
 * and damage do not hide a marker; but tags that are indented must look more like a block, for pages have tags too.
 */
export function isMarker(line: string, next: string | undefined): boolean {
  if (!mayMark.test(line)) return false
  if (markers.test(line) || tags.test(line)) return true
  const plain = plainMarker(line).replace(/^[\s>]+/, '')
  return markers.test(plain) || fullTags.test(plain) || (plain.startsWith('--- ') && /^[\s>]*\+\+\+ /.test(next ?? ''))
}

/** Whether it is worth looking: most lines have none of this. */
const mayMark = /[#<>&*\\\ufe64\uff03\uff1c\u2039\u276e]|--- |diff --git /

const markers = new RegExp(
  `^(?:${[
    '#!\\s*(?:END_)?(?:SHAM|NESL|end_)',
    '<-{2,3}\\s*/?[A-Z]',
    '<<<[A-Z]+>>>',
    '<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)\\b',
    '>{5,9} ?(?:REPLACE|UPDATED)\\b',
    '\\*\\*\\* (?:Begin|End) Patch',
    '\\*\\*\\* (?:Add|Update|Delete) File:',
    'diff --git ',
    '<(?:write_to_file|replace_in_file|apply_diff|insert_content|str_replace_editor|create_file|edit_file)>',
  ].join('|')})`,
  'i',
)
const tags = /^<\/?(?:tasks|edit|write|run|read|exec|move|remove)\b/i
const fullTags = /^<(?:tasks|edit|write|run|move|remove)(?:\s+[\w-]+\s*=|\s*>\s*(?:<!\[CDATA\[|$))/i
