/** What undo, back, forward and squash have to show: where the project is now, and which files came and went. */
export function stepBody(data: Readonly<Record<string, unknown>>): string | undefined {
  const { execution, summary, commit, branch, runs, dry_run: dryRun } = data
  const lines: string[] = []
  if (typeof execution === 'number') lines.push(`execution ${execution}: ${String(summary)}`)
  if (typeof commit === 'string')
    lines.push(`now ${branch === undefined ? '' : `on ${String(branch)}, `}at ${commit.slice(0, 8)}`)
  for (const [name, what] of lists) for (const path of stringsIn(data[name])) lines.push(`  ${what}: ${path}`)
  if (Array.isArray(runs)) lines.push(...runLines(runs, dryRun === true ? 'would become' : 'became'))
  return lines.length === 0 ? undefined : lines.join('\n')
}

/** Whether an action is one of these. */
export const isStep = (action: string): boolean => action === 'undo' || /^git_(step_\w+|squash)$/.test(action)

const lists = [
  ['restored', 'as before'],
  ['stashed_files', 'put aside'],
  ['restored_files', 'brought back'],
  ['kept', 'not brought back, see git stash apply'],
] as const

const stringsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

function runLines(runs: readonly unknown[], verb: string): string[] {
  if (runs.length === 0) return ['there are no two commits in a row that could become one']
  return runs.flatMap((run) => {
    if (typeof run !== 'object' || run === null || !('commits' in run) || !Array.isArray(run.commits)) return []
    const [subject = ''] = 'message' in run ? String(run.message).split('\n', 1) : []
    return [`${run.commits.length} commits ${verb} one: ${subject}`]
  })
}
