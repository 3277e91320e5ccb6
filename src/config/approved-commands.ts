import { Approvals } from '../approvals/approvals.ts'
import { type CladaOptions, settingsOf } from './settings.ts'

/** Commands that run without a question, as they are written: by the options, and by the approvals of the project. */
export function approvedCommands(options: CladaOptions): string[] {
  const { root, allowedRoots } = settingsOf(options)
  return [...new Set([...(options.approve ?? []), ...new Approvals(root, allowedRoots).approved()])]
}
