import type { Language } from '../language.ts'

export const json: Language = {
  name: 'json',
  extensions: 'json jsonc json5 webmanifest geojson code-workspace',
  fileNames: '.prettierrc .eslintrc .babelrc .swcrc composer.lock',
  parser: {
    kind: 'tree-sitter',
    grammar: 'json',
    structures: { key: 'pair' },
    patterns: { item: ['(array (object) @it)'] },
    comments: 'comment',
    lists: 'object array',
    fragments: [
      ['', ''],
      ['{\n', '\n}'],
      ['[\n', '\n]'],
    ],
  },
  blankLines: { top: 0, inner: 0, single: 0 },
  indentation: 'units',
  unit: '  ',
}
