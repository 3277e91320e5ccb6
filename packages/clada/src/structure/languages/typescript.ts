import type { Language, TreeSitterRow } from '../language.ts'
import { parser as javascript } from './javascript.ts'

const parser: TreeSitterRow = {
  ...javascript,
  grammar: 'typescript',
  structures: {
    ...javascript.structures,
    class: 'class_declaration abstract_class_declaration class',
    interface: 'interface_declaration',
    enum: 'enum_declaration',
    type: 'type_alias_declaration',
    module: 'module internal_module',
    function: 'function_declaration generator_function_declaration function_signature',
    method: 'method_definition method_signature abstract_method_signature call_signature construct_signature',
    field: 'public_field_definition property_signature index_signature',
    member: 'enum_assignment',
  },
  patterns: {
    ...javascript.patterns,
    member: ['(enum_body name: (_) @it)'],
    module: ['(ambient_declaration (statement_block)) @it'],
  },
  wraps: `ambient_declaration ${javascript.wraps}`,
  comments: 'comment',
  lists: `enum_body ${javascript.lists}`,
  names: { export_statement: "'default'", call_signature: '', construct_signature: '' },
}

const shared = {
  modifiers:
    'export default declare async abstract public private protected static readonly override accessor get set const let var function class interface enum type namespace module',
  blankLines: { top: 1, inner: 1, single: 0 },
  indentation: 'units',
  unit: '  ',
} as const

export const typescript: Language = {
  name: 'typescript',
  extensions: 'ts mts cts',
  interpreters: 'tsx ts-node deno bun',
  parser,
  ...shared,
}

export const tsx: Language = {
  name: 'tsx',
  extensions: 'tsx',
  parser: { ...parser, grammar: 'tsx' },
  ...shared,
}
