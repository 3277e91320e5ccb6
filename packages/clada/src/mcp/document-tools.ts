import { capitalize } from '@clada/reply/core/words.ts'
import { type ActionSpec, choice, flag, optional, text } from '../core/action.ts'
import { type Describable, type OutputSchema, outputSchemaOf, type Tool, toolOf } from '../describe/json-schema.ts'
import { shapeSchema } from '../core/shape.ts'
import { missingParts } from '@clada/reply/core/proposal.ts'
import { syntaxNames } from '@clada/reply/syntax/table.ts'

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

/** A tool as a client sees it. */
export interface ListedTool extends Omit<Tool, 'inputSchema'> {
  readonly title: string
  readonly inputSchema: Omit<Tool['inputSchema'], 'additionalProperties'>
  readonly outputSchema: OutputSchema
}

/** Whole documents first, then a tool for each action. */
export const toolList = (specs: readonly ActionSpec[]): ListedTool[] => [
  listedTool(executeTool, 'Apply blocks', documentSchema()),
  ...specs.map((spec) => listedTool(spec, spec.title ?? toolTitle(spec.name), outputSchemaOf(spec.returns))),
]

function listedTool(spec: Describable, title: string, outputSchema: OutputSchema): ListedTool {
  const { name, description, inputSchema, annotations } = toolOf(spec, 'relative')
  // An unknown parameter is ignored with a warning, so none is forbidden here.
  const { additionalProperties: _, ...taken } = inputSchema
  return { name, title, description, inputSchema: taken, outputSchema, annotations }
}

/** `list_structures`: List structures. */
const toolTitle = (name: string): string => capitalize(name.replaceAll('_', ' '))

/** The result of a document: that of every block, and what was no block. */
function documentSchema(): OutputSchema {
  const one = outputSchemaOf('any')
  const { properties: own } = outputSchemaOf('any')
  const { data: _data, changes: _changes, ...shared } = own
  const block = {
    ...one,
    properties: { blockId: { type: 'string' }, action: { type: 'string' }, ...one.properties },
  } as const
  return {
    type: 'object',
    properties: {
      ...shared,
      totalBlocks: { type: 'integer' },
      executedActions: { type: 'integer' },
      results: { type: 'array', items: block },
      parseErrors: {
        type: 'array',
        items: shapeSchema({
          blockId: 'string',
          'action?': 'string',
          message: 'string',
          'code?': 'string',
          'hint?': 'string',
        }),
      },
      notExecuted: { type: 'array', items: {} },
      proposals: {
        type: 'array',
        items: shapeSchema({
          line: 'integer',
          path: 'string',
          kind: 'create|overwrite|part|edit|delete|move',
          'lacks?': missingParts.join('|'),
        }),
      },
      diffs: { type: 'array', items: shapeSchema({ path: 'string', change: 'create|modify|delete', diff: 'string' }) },
    },
    required: ['success'],
  }
}
