import { approvalLineOf } from '../approvals/approval-line.ts'
import { Approvals } from '../approvals/approvals.ts'
import { proposedCommands } from '../approvals/proposed.ts'
import { confirmed } from './ask.ts'
import { print } from './print.ts'
import { visible } from './visible.ts'

/** The commands that run the tests of a project and are not approved yet. */
export function unapproved(root: string, approvals: Approvals): string[] {
  const approved = new Set(approvals.approved())
  return proposedCommands(root).filter((command) => !approved.has(command))
}

/** One question for all of them, where a user can be asked; otherwise the lines that approve them. */
export async function proposeApprovals(root: string, allowedRoots: readonly string[]): Promise<void> {
  const approvals = new Approvals(root, allowedRoots)
  const lines = unapproved(root, approvals).flatMap((command) => {
    const line = approvalLineOf(command)
    return 'line' in line ? [{ line, runs: approvals.runs(line)[0] }] : []
  })
  if (lines.length === 0) return
  const shown = lines.map(({ line, runs }) => {
    const what = runs.shown === undefined ? '' : `  (runs: ${visible(runs.shown)})`
    return `    ${visible(line.line)}${what}`
  })
  const yes = await confirmed(
    `${['Let models run the tests of this project, in the sandbox and without network?', ...shown].join('\n')}\ny or n, then Enter: `,
  )
  if (yes === undefined) {
    print(`To let models run the tests: ${lines.map(({ line }) => `clada approve "${visible(line.line)}"`).join('; ')}`)
    return
  }
  if (!yes) return
  for (const { line, runs } of lines) approvals.add(line, runs)
  print(`Approved: ${lines.map(({ line }) => visible(line.line)).join(', ')}.`)
}
