import { type ActionSpec, choice, flag, optional, text } from '../core/action.ts'
import { type Describable, type OutputSchema, outputSchemaOf, toolOf } from '../describe/json-schema.ts'
import { syntaxNames } from '../syntax/table.ts'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'

/** Whole documents are no actions: nothing in a document can call them. */
type DocumentTool = Describable & { readonly outputSchema: OutputSchema }

const document = text('The text with the blocks, exactly as it was written.')
const syntax = optional(choice(syntaxNames, 'Look for blocks of this syntax only.'))

const answering = (properties: OutputSchema['properties']): OutputSchema => ({
  type: 'object',
  properties: { success: { type: 'boolean' }, ...properties },
  required: ['success'],
})

export const executeTool: DocumentTool = {
  name: 'execute',
  description:
    'Apply every action block in a text, in order: SHAM, CSL, CML or the replacer’s syntax, or the search-replace blocks, patches and unified diffs that models write on their own. Text around the blocks means nothing. One failure stops nothing, unless atomic. Answers with a report.',
  effect: 'exec',
  params: { document, atomic: optional(flag('Carry it out whole or not at all.')), syntax },
  outputSchema: answering({
    results: { type: 'array', description: 'The result of each action.' },
    parseErrors: { type: 'array', description: 'Blocks that could not be read.' },
  }),
}

export const previewTool: DocumentTool = {
  name: 'preview',
  description: 'Show what `execute` would change, as a unified diff. Nothing is touched and nothing is run.',
  effect: 'read',
  params: { document, syntax },
  outputSchema: answering({
    diffs: { type: 'array', description: 'Each file that would change.' },
    result: { type: 'object', description: 'What execute would answer.' },
  }),
}

export const documentTools: readonly DocumentTool[] = [executeTool, previewTool]

/** Every tool as a client sees it: whole documents first, then one for each action. */
export const toolList = (specs: readonly ActionSpec[]): Tool[] => [
  ...documentTools.map((tool) => listed(tool, tool.outputSchema)),
  ...specs.map((spec) => listed(spec, outputSchemaOf(spec))),
]

function listed(spec: Describable, output: OutputSchema): Tool {
  const { name, description, inputSchema, annotations } = toolOf(spec, 'relative')
  return {
    name,
    description,
    // What is not known is ignored with a warning, so nothing is forbidden here.
    inputSchema: { type: 'object', properties: { ...inputSchema.properties }, required: [...inputSchema.required] },
    outputSchema: { type: 'object', properties: { ...output.properties }, required: [...output.required] },
    annotations: { ...annotations },
  }
}
