/** What a file .gitignore leaves out, by the rules of git: the last line that matches a path decides. */
export interface IgnoreRule {
  /** The directory of the file, relative to the project; empty for the project itself. */
  readonly dir: string
  readonly isNegated: boolean
  readonly isForDirs: boolean
  readonly names: readonly string[]
}

export function parseIgnoreRules(text: string, dir: string): IgnoreRule[] {
  return text.split(/\r?\n/).flatMap((row) => {
    const line = row.replace(/(?<![\\\s])\s+$/, '')
    if (line.trim() === '' || line.startsWith('#')) return []
    const isNegated = line.startsWith('!')
    const pattern = line.slice(Number(isNegated)).replace(/\/$/, '')
    return [{ dir, isNegated, isForDirs: line.endsWith('/'), names: literalNames(pattern) }]
  })
}

/** A pattern with a slash counts from the directory of its file, others for any name below it. */
const literalNames = (pattern: string): string[] =>
  (pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`).split('/')

/** A test for paths by a pattern with `?`, `*`, `**` and `[...]`. Its time is bounded, whatever the pattern is. */
export function makePathTest(pattern: string): (path: string) => boolean {
  const names = literalNames(pattern)
  return (path) => matchSteps(names, path.split('/'), '**', matchesName)
}

/** Whether a path, relative to the project, is left out. Its directories are asked about before it. */
export function isIgnored(rules: readonly IgnoreRule[], path: string, kind: 'file' | 'dir'): boolean {
  const rule = rules.findLast(({ dir, isForDirs, names }) => {
    if ((isForDirs && kind === 'file') || (dir !== '' && !path.startsWith(`${dir}/`))) return false
    const below = dir === '' ? path : path.slice(dir.length + 1)
    return matchSteps(names, below.split('/'), '**', matchesName)
  })
  return rule !== undefined && !rule.isNegated
}

const matchesName = (pattern: string, name: string): boolean =>
  matchSteps(pattern.match(/\\[^]|\[[^\]]+\]|[^]/g) ?? [], name, '*', isOneOf)

function isOneOf(token: string, char: string): boolean {
  if (token === '?') return true
  if (token.length === 1 || token.startsWith('\\')) return token.at(-1) === char
  const isNot = /^\[[!^]/.test(token)
  for (const [, from = '', to = from] of token.slice(isNot ? 2 : 1, -1).matchAll(/([^])(?:-([^]))?/g))
    if (from <= char && char <= to) return !isNot
  return isNot
}

/** Whether the steps of a pattern fit all of a text. Only the last star is tried again: an earlier one cannot do better. */
function matchSteps(
  steps: readonly string[],
  items: string | readonly string[],
  star: string,
  test: (step: string, item: string) => boolean,
): boolean {
  let [step, at] = [0, 0]
  let again: { step: number; at: number } | undefined
  while (at < items.length) {
    const own = steps[step]
    if (own === star) again = { step: ++step, at }
    else if (own !== undefined && test(own, items[at] ?? '')) {
      step++
      at++
    } else if (again !== undefined) {
      again = { step: again.step, at: again.at + 1 }
      ;({ step, at } = again)
    } else return false
  }
  return steps.slice(step).every((rest) => rest === star)
}
