import type { Language } from '../language.ts'

export const yaml: Language = {
  name: 'yaml',
  extensions: 'yaml yml',
  fileNames: '.clang-format .clang-tidy',
  parser: {
    kind: 'tree-sitter',
    grammar: 'yaml',
    structures: { key: 'block_mapping_pair flow_pair', item: 'block_sequence_item' },
    comments: 'comment',
    lists: 'flow_mapping flow_sequence',
  },
  blankLines: { top: 0, inner: 0, single: 0 },
  indentation: 'shift',
  unit: '  ',
}
