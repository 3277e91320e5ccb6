/** Directories of packages, caches and build output of others: too much to look through, and made again by a command. */
export const passedOver: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.clada',
  '.venv',
  'venv',
  '__pycache__',
  'target',
  '.tox',
  '.gradle',
])
