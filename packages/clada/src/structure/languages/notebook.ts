import type { Language } from '../language.ts'

/** A notebook as it is read: cells below lines `# %% [code] ID`. */
export const notebook: Language = {
  name: 'notebook',
  extensions: 'ipynb',
  parser: { kind: 'cells' },
  blankLines: { top: 0, inner: 0, single: 0 },
  indentation: 'shift',
  unit: '    ',
}
