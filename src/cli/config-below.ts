import { type Config } from '../config/keys.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { configOf, merge, type Merged } from '../config/merge.ts'
import { optionsOf } from '../config/to-options.ts'
import type { CladaOptions } from '../config/settings.ts'
import type { FlagValues } from './flags.ts'

/** What config files say, below the flags. Loaded in one piece, and only where there is a config file. */
export interface Below extends Loaded {
  readonly config: Config
  readonly options: CladaOptions
  /** The flags that would say what the files say about reports. */
  readonly flags: FlagValues
}

export async function configBelow(root: string | undefined): Promise<Below> {
  const loaded = await loadConfig(root)
  const { merged } = loaded
  return { ...loaded, config: configOf(merged), options: optionsOf(merged, loaded.root), flags: flagsOf(merged) }
}

/** What holds where nobody says anything. */
export const defaultConfig = (): Config => configOf(merge())

function flagsOf(merged: Merged): FlagValues {
  const { report } = configOf(merged)
  return {
    ...(report.format === 'auto' ? {} : report.format === 'json' ? { json: [''] } : { format: [report.format] }),
    ...(report.budget === null ? {} : { budget: [String(report.budget)] }),
    ...(merged['report.error_detail'].from === 'default' ? {} : { 'error-detail': [report.error_detail] }),
    ...(report.color === 'never' ? { 'no-color': [''] } : {}),
  }
}
