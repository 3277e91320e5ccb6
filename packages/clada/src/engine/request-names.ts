import { didYouMean } from '@clada/reply/text/closest-name.ts'
import { SettingsError } from '../core/settings.ts'
import type { PreviewOptions } from './options.ts'

/** The names at run time; the type checker asks for each. */
const ofExecution: Readonly<Record<keyof PreviewOptions, true>> = {
  onOutput: true,
  onProgram: true,
  onAction: true,
  onUnreadable: true,
  onNotExecuted: true,
  onChanges: true,
  signal: true,
  timeLimit: true,
  select: true,
  again: true,
  review: true,
  only: true,
  programs: true,
  unsaved: true,
}

/** A value that is undefined asks for nothing. @throws SettingsError */
export function refuseUnknownRequest(request: PreviewOptions): void {
  for (const [name, value] of Object.entries(request)) {
    if (value === undefined || Object.hasOwn(ofExecution, name)) continue
    const hint = /dry|preview|simulate/i.test(name)
      ? ' Use preview() to see the changes without making them.'
      : didYouMean(name, Object.keys(ofExecution))
    throw new SettingsError(`Unknown option of an execution '${name}'.${hint}`)
  }
}
