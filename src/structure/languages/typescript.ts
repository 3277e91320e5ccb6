import type { Language, TreeSitterRow } from '../language.ts'

const parser = {
  kind: 'tree-sitter',
  grammar: 'typescript',
  structures: {
    class: 'class_declaration abstract_class_declaration class',
    interface: 'interface_declaration',
    enum: 'enum_declaration',
    type: 'type_alias_declaration',
    module: 'module internal_module',
    function: 'function_declaration generator_function_declaration function_signature',
    method: 'method_definition method_signature abstract_method_signature call_signature construct_signature',
    field: 'public_field_definition property_signature index_signature',
    member: 'enum_assignment',
    variable: 'variable_declarator',
    key: 'pair',
    lambda: 'arrow_function function_expression generator_function',
    if: 'if_statement',
    else: 'else_clause',
    for: 'for_statement for_in_statement',
    while: 'while_statement do_statement',
    switch: 'switch_statement',
    case: 'switch_case switch_default',
    try: 'try_statement',
    catch: 'catch_clause',
    finally: 'finally_clause',
    block: 'class_static_block',
  },
  patterns: {
    member: ['(enum_body name: (_) @it)'],
    key: ['(object (shorthand_property_identifier) @it)'],
    variable: [
      '(expression_statement (assignment_expression) @it)',
      '(expression_statement (augmented_assignment_expression) @it)',
    ],
    export: ['(export_statement value: (_)) @it'],
    module: ['(ambient_declaration (statement_block)) @it'],
  },
  wraps:
    'export_statement ambient_declaration lexical_declaration variable_declaration expression_statement labeled_statement',
  groups: 'lexical_declaration variable_declaration',
  statements: 'expression_statement',
  comments: 'comment',
  decorators: 'decorator',
  lists: 'object enum_body lexical_declaration variable_declaration',
  chains: 'if_statement',
  names: { export_statement: "'default'", call_signature: '', construct_signature: '' },
  secondary: 'export_statement shorthand_property_identifier assignment_expression augmented_assignment_expression',
  verbatim: 'template_string',
  preamble: 'import_statement hash_bang_line',
  fragments: [
    ['', ''],
    ['class X {\n', '\n}'],
    ['x = {\n', '\n}'],
    ['switch (x) {\n', '\n}'],
  ],
  judge: 'oxc',
} as const satisfies TreeSitterRow

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
