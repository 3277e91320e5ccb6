import { type ActionSpec, choice, flag, optional, text } from '../core/action.ts'
import { type Describable, toolOf } from '../describe/json-schema.ts'
import { syntaxNames } from '../syntax/table.ts'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'

/** Takes whole documents. It is not an action: nothing in a document can call it. */
export const executeTool: Describable = {
  name: 'execute',
  description:
    'Apply every action block in a text, in order: SHAM, CSL, CML or replacer blocks, or the search-replace blocks, patches and unified diffs that models write on their own. All actions can be used in blocks, also those that are no tools here. Text around the blocks is ignored. After a failure the next block still runs, unless atomic.',
  effect: 'exec',
  params: {
    document: text('The text with the blocks, exactly as written.'),
    atomic: optional(flag('Apply all of it or nothing.')),
    dry_run: optional(flag('Only show what would change, as a diff.')),
    syntax: optional(choice(syntaxNames, 'Look for blocks of this syntax only.')),
  },
}

/** Offered unless the user asks for others. Every tool costs the model tokens in each conversation, used or not. */
export const defaultTools: readonly string[] = [
  'file_read_numbered',
  'files_read',
  'grep',
  'glob',
  'project_map',
  'file_edit',
  'file_write',
  'file_move',
  'file_delete',
  'list_structures',
  'read_structure',
  'replace_structure',
  'run',
  'exec',
]

/** The tools as a client sees them: whole documents first, then one for each action. */
export const toolList = (specs: readonly ActionSpec[]): Tool[] => [executeTool, ...specs].map(listed)

function listed(spec: Describable): Tool {
  const { name, description, inputSchema, annotations } = toolOf(spec, 'relative')
  return {
    name,
    description,
    // An unknown parameter is ignored with a warning, so none is forbidden here.
    inputSchema: { type: 'object', properties: { ...inputSchema.properties }, required: [...inputSchema.required] },
    annotations: { ...annotations },
  }
}
