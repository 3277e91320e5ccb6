import type { Language, TreeSitterRow } from '../language.ts'

export const parser = {
  kind: 'tree-sitter',
  grammar: 'c',
  structures: {
    function: 'function_definition',
    type: 'type_definition',
    field: 'field_declaration',
    member: 'enumerator',
    variable: 'declaration',
    key: 'initializer_pair',
    macro: 'preproc_def preproc_function_def',
    if: 'if_statement preproc_if preproc_ifdef',
    else: 'else_clause preproc_else preproc_elif',
    for: 'for_statement',
    while: 'while_statement do_statement',
    switch: 'switch_statement',
    case: 'case_statement',
    block: 'linkage_specification',
  },
  patterns: {
    // Several declarators are structures of their own, and the declaration is what is around them.
    group: ['(declaration declarator: (_) . ",") @it', '(field_declaration ",") @it'],
    field: ['(field_declaration declarator: (_) @it ",")', '(field_declaration "," declarator: (_) @it)'],
    struct: ['(struct_specifier body: (_)) @it', '(union_specifier body: (_)) @it'],
    enum: ['(enum_specifier body: (_)) @it'],
    function: [
      '(declaration declarator: (function_declarator)) @it',
      '(declaration declarator: (pointer_declarator declarator: (function_declarator))) @it',
    ],
    variable: [
      '(declaration declarator: (_) @it . ",")',
      '(declaration "," . declarator: (_) @it)',
      '(expression_statement (assignment_expression) @it)',
    ],
  },
  wraps: 'expression_statement',
  comments: 'comment',
  lists: 'enumerator_list initializer_list',
  spread: 'field_declaration',
  chains: 'if_statement',
  names: { initializer_pair: 'designator', linkage_specification: '', parenthesized_declarator: '0' },
  secondary: 'assignment_expression',
  unnamed: 'linkage_specification preproc_ifdef preproc_if',
  preamble: 'preproc_include',
  fragments: [
    ['', ''],
    ['struct x {\n', '\n};'],
    ['enum x {\n', '\n};'],
    ['void x() { switch (x) {\n', '\n} }'],
    ['void x() {\n', '\n}'],
  ],
} as const satisfies TreeSitterRow

export const c: Language = {
  name: 'c',
  extensions: 'c h',
  parser,
  modifiers: 'static extern inline const volatile register typedef struct union enum',
  blankLines: { top: 1, inner: 1, single: 0 },
  indentation: 'units',
  unit: '    ',
}
