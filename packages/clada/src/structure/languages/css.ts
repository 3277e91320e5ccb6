import type { Language } from '../language.ts'

export const css: Language = {
  name: 'css',
  extensions: 'css',
  parser: {
    kind: 'tree-sitter',
    grammar: 'css',
    structures: {
      rule: 'rule_set media_statement supports_statement keyframes_statement keyframe_block at_rule',
      declaration: 'declaration',
    },
    comments: 'comment',
    names: {
      rule_set: 'selectors',
      media_statement: '',
      supports_statement: '',
      at_rule: '',
      keyframes_statement: 'keyframes_name',
      keyframe_block: '0',
      declaration: 'property_name',
    },
    bodies: { keyframes_statement: 'keyframe_block_list' },
    preamble: 'charset_statement import_statement',
    fragments: [
      ['', ''],
      ['x {\n', '\n}'],
      ['@keyframes x {\n', '\n}'],
    ],
  },
  closers: { declaration: { mark: ';', unless: /[;}]\s*$|\*\/\s*$/ } },
  blankLines: { top: 1, inner: 1, single: 0 },
  indentation: 'units',
  unit: '  ',
}
