import type { Language } from '../language.ts'

export const markdown: Language = {
  name: 'markdown',
  extensions: 'md markdown mdown mkd mdx',
  fileNames: 'readme changelog',
  parser: { kind: 'markdown' },
  blankLines: { top: 1, inner: 1, single: 0 },
  indentation: 'shift',
  unit: '  ',
}
