import { type Loaded, loadConfig } from '../config/load.ts'
import { merge, type Merged } from '../config/merge.ts'
import { type ConfigParts, partsOf } from '../config/to-options.ts'
import type { FlagValues } from './flags.ts'

/** The config files, which flags override. Loaded in one piece, and only where there is a config file. */
export interface Below extends Loaded, ConfigParts {
  /** Flags that would have the same effect on reports as the files. */
  readonly flags: FlagValues
}

export async function configBelow(root: string | undefined): Promise<Below> {
  const loaded = await loadConfig(root)
  const { merged } = loaded
  const parts = partsOf(merged, loaded.root)
  return { ...loaded, ...parts, flags: flagsOf(merged, parts) }
}

/** The defaults. */
export const defaultParts = (): ConfigParts => partsOf(merge(), undefined)

function flagsOf(merged: Merged, { report }: ConfigParts): FlagValues {
  return {
    ...(report.format === 'auto' ? {} : report.format === 'json' ? { json: [''] } : { format: [report.format] }),
    ...(report.budget === null ? {} : { budget: [String(report.budget)] }),
    ...(merged['report.error_detail'].from === 'default' ? {} : { 'error-detail': [report.error_detail] }),
    ...(report.color === 'never' ? { 'no-color': [''] } : {}),
  }
}
