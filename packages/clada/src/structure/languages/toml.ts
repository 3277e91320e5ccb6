import type { Language } from '../language.ts'

export const toml: Language = {
  name: 'toml',
  extensions: 'toml',
  fileNames: 'pipfile cargo.lock poetry.lock uv.lock',
  parser: {
    kind: 'tree-sitter',
    grammar: 'toml',
    structures: { table: 'table table_array_element', key: 'pair' },
    comments: 'comment',
    lists: 'inline_table',
    names: {
      table: 'bare_key|dotted_key|quoted_key',
      table_array_element: 'bare_key|dotted_key|quoted_key',
      pair: 'bare_key|dotted_key|quoted_key',
    },
    verbatim: 'string',
  },
  blankLines: { top: 1, inner: 0, single: 0 },
  indentation: 'units',
  unit: '  ',
}
