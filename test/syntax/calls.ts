import fc from 'fast-check'
import type { Block } from '@clada/reply/core/block.ts'
import { type Call, interpretCall, type Rendered } from '@clada/reply/syntax/call.ts'
import type { SyntaxWriter } from '@clada/reply/syntax/syntax.ts'
import { targetNames, type TargetName, targetOf } from '@clada/reply/syntax/table.ts'

/** Actions as random values, and every syntax to write them in. */

export const writerOf = (name: TargetName): SyntaxWriter => targetOf(name).target.open({})

export const render = (name: TargetName, call: Call): Rendered => writerOf(name).call(call, 'a1b')

/** Lines that mean something to some syntax, or nearly. */
const markerLine = fc.constantFrom(
  '#!SHAM [@three-char-SHA-256: a1b]',
  '#!END_SHAM_a1b',
  'EOT_SHAM_a1b',
  "content = <<'EOT_SHAM_a1b'",
  'EOT_a1b',
  '#!end_a1b',
  '<---WRITE file="x"--->',
  '<---TO--->',
  '<---REPLACE---> ',
  '<---END--->',
  '<---END---> x',
  '<---END--->\r x',
  '<tasks>',
  '<write path="x"><![CDATA[',
  '<run><![CDATA[ls]]></run>',
  '<search><![CDATA[',
  ']]>',
  ']]&gt;',
  '</write>',
  '<!--',
  '-->',
  '<<<FILE>>>',
  '<<<SEARCH>>>',
  '<<<REPLACE>>> ',
  '<<<END>>>',
  '<<<<<<< SEARCH',
  '=======',
  '>>>>>>> REPLACE',
  '*** Begin Patch',
  '*** End Patch',
  '```diff',
  '--- a/x',
  '+++ b/x',
  '@@ -1 +1 @@',
  '```',
)
const odd = fc.string({
  unit: fc.constantFrom(
    '\n',
    '\r',
    '\r\n',
    ']]',
    '>',
    '&gt;',
    '<![',
    'CDATA[',
    '"',
    "'",
    '\\',
    ' ',
    'a',
    '\uFEFF',
    '\xa0',
    '😀',
    '\ud800',
    '\0',
  ),
})
const word = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '(', ')', '=', 'é', '漢', '"', '{', '/'), maxLength: 12 })
const lines = (line: fc.Arbitrary<string>) => fc.array(line, { maxLength: 5 }).map((all) => all.join('\n'))

/** Any text at all. */
export const hostile = fc.oneof(lines(fc.oneof(markerLine, odd, word)), fc.string({ unit: 'binary' }))
/** A text that every syntax can say wherever it can say a text. */
export const tame = lines(word).filter((text) => text.trim() !== '')

const tamePath = fc.string({
  unit: fc.constantFrom('a', 'B', '-', '.x', '/d', ' e', 'ü', '&', "'"),
  minLength: 1,
  maxLength: 6,
})
export const absolutePath = tamePath.map((name) => `/project/${name}z`)

const times = fc.constantFrom('1', '2', '17', 'all')

/** Calls that say what some syntax can say, as it would be read there. */
export function callsOf(path: fc.Arbitrary<string>, text: fc.Arbitrary<string>): fc.Arbitrary<Call> {
  const call = (action: string, params: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<Call> =>
    fc.record(params).map((given) => ({ action, params: given }))
  const range = { path, old_text_beginning: text, old_text_end: text, new_text: text, count: times }
  return fc.oneof(
    call('file_write', { path, content: text }),
    call('file_append', { path, content: text, new_line: fc.constant('true') }),
    call('file_edit', { path, old_text: text, new_text: text, count: times }),
    call('file_replace_text', { path, old_text: text, new_text: text }),
    call('file_replace_text_range', range),
    call('run', { command: text }),
    call('run', { command: text, dir: path }),
    call('file_move', { old_path: path, new_path: path }),
    call('file_delete', { path }),
  )
}

/** The action a syntax has for a call; the same text may be a call of another name to another syntax. */
const edits: Partial<Record<TargetName, 'file_edit' | 'file_replace_text'>> = {
  csl: 'file_edit',
  cml: 'file_edit',
  replacer: 'file_replace_text',
}

/** A call as it is read back from `target`. */
export function asReadFrom(target: TargetName, { action, params }: Call): Call {
  const edit = edits[target]
  if (edit === undefined || !/^file_(?:edit|replace_text)$/.test(action)) return { action, params }
  const { count = '1', ...rest } = params
  return { action: edit, params: edit === 'file_edit' ? { ...rest, count } : rest }
}

export const meant = ({ action, params }: Call | Block): unknown => interpretCall({ action, params: { ...params } })

export const targets: readonly TargetName[] = targetNames
