import type { CladaOptions } from './settings.ts'

/** What config files say, for a program that wants to go by them. */
export interface ReadConfig {
  /** For `new Clada(options)`. */
  options: CladaOptions
  /** What a project's file asks for and does not get. */
  warnings: string[]
}

/** Reads the config files of the user and of a project, as the command line does. @throws SettingsError */
export async function readConfig(repoPath?: string): Promise<ReadConfig> {
  const { loadConfig } = await import('./load.ts')
  const { optionsOf } = await import('./to-options.ts')
  const { merged, root, warnings } = await loadConfig(repoPath)
  return { options: optionsOf(merged, root), warnings: [...warnings] }
}
