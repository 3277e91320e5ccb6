import type { Document } from '../core/block.ts'
import type { Source } from '../core/source.ts'

/** How models call the tools that they were given elsewhere. Nothing of it is carried out. */
const calls: readonly RegExp[] = [
  /<(?:\w+:)?(?:function_calls?|invoke|tool_calls?|tool_use|tool_code)\b[^<>\n]*>/,
  /<(?:write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|execute_command|edit_file|create_file|str_replace_editor)>/,
  /<function=[\w.-]+>/,
  /<[|｜](?:tool|python_tag|function)[^<>\n]*>/,
  /^\[TOOL_CALLS\]/m,
  /^ {0,3}(?:`{3,}|~{3,})tool_(?:code|calls?)\b/m,
  /"(?:tool_calls|function_call)"\s{0,9}:/,
  /"type"\s{0,9}:\s{0,9}"(?:tool_use|function_call)"/,
  /"name"\s{0,9}:\s{0,9}"[\w.-]{1,80}"\s{0,9},\s{0,9}"(?:arguments|parameters|input)"\s{0,9}:/,
]

/** Where nothing was found, a model that called another tool is told so: it would wait for an answer. */
export function withOtherCalls(source: Source, document: Document): Document {
  if (document.blocks.length > 0 || document.faults.length > 0) return document
  let first: RegExpExecArray | undefined
  for (const call of calls) {
    const match = call.exec(source.text)
    if (match !== null && match.index < (first?.index ?? Infinity)) first = match
  }
  if (first === undefined) return document
  const line = source.lineAt(first.index)
  const warning = `line ${line}: ${first[0].replace(/\s+/g, ' ')} is a call of another tool, which clada does not carry out. ${howTo}`
  return { ...document, warnings: [...document.warnings, warning] }
}

const howTo =
  'Write each action as a block: a line #!SHAM [@three-char-SHA-256: abc], a line action = "file_write", a line name = "value" for each parameter, a line #!END_SHAM_abc. `clada prompt` prints the whole.'
