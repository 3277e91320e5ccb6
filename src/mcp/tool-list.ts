import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import type { ActionSpec } from '../core/action.ts'
import { type Describable, toolOf } from '../describe/json-schema.ts'
import { type OutputSchema, outputSchemaOf } from '../describe/json-schema.ts'
import { documentTools } from './document-tools.ts'

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
