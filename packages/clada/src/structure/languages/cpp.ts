import type { Language } from '../language.ts'
import { parser as c } from './c.ts'

export const cpp: Language = {
  name: 'cpp',
  extensions: 'cpp cc cxx hpp hh hxx ipp tpp',
  fences: 'c++',
  parser: {
    ...c,
    grammar: 'cpp',
    structures: {
      ...c.structures,
      module: 'namespace_definition',
      type: 'type_definition alias_declaration concept_definition',
      lambda: 'lambda_expression',
      for: 'for_statement for_range_loop',
      try: 'try_statement',
      catch: 'catch_clause',
    },
    patterns: {
      ...c.patterns,
      class: ['(class_specifier body: (_)) @it'],
      function: [...c.patterns.function, '(declaration declarator: (reference_declarator (function_declarator))) @it'],
      method: [
        '(field_declaration declarator: (function_declarator)) @it',
        '(field_declaration declarator: (pointer_declarator declarator: (function_declarator))) @it',
        '(field_declaration declarator: (reference_declarator (function_declarator))) @it',
      ],
    },
    wraps: 'expression_statement template_declaration friend_declaration',
    statements: 'expression_statement',
    decorators: 'attribute_declaration',
    names: { ...c.names, reference_declarator: '0' },
    owners: { function_definition: 'name' },
    verbatim: 'raw_string_literal',
    preamble: 'preproc_include using_declaration',
    fragments: [
      ['', ''],
      ['class x {\n', '\n};'],
      ['enum x {\n', '\n};'],
      ['void x() { switch (x) {\n', '\n} }'],
      ['void x() {\n', '\n}'],
    ],
  },
  modifiers:
    'static extern inline const constexpr consteval constinit virtual explicit friend mutable volatile typedef typename template class struct union enum namespace using',
  blankLines: { top: 1, inner: 1, single: 0 },
  indentation: 'units',
  unit: '  ',
}
