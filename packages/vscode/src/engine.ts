import path from 'node:path'
import {
  loadConfigured,
  configWarnings,
  forLongProcess,
  reportOptions,
  withConfig,
  withLoaded,
} from '../../clada/src/cli/options.ts'
import { editorKeys, type EditorSettings } from '../../clada/src/config/editor-settings.ts'
import { loadConfig } from '../../clada/src/config/load.ts'
import { settingsOf } from '../../clada/src/config/settings.ts'
import { useEmbeddedFiles } from '../../clada/src/core/installation.ts'
import { checkDocument } from '../../clada/src/engine/check.ts'
import { describeExecution, timelineOf } from '../../clada/src/ui/history-view.ts'
import { lineOrigins } from '../../clada/src/ui/line-origins.ts'
import { PageSession } from '../../clada/src/ui/session.ts'

/** Everything of clada that the extension uses. It is loaded with the first command, so that a window starts as fast as without it. */

export { checkDocument, describeExecution, editorKeys, lineOrigins, timelineOf }

export interface OpenedProject {
  readonly session: PageSession
  /** Values of config files that are ignored. */
  readonly warnings: readonly string[]
}

export interface ProjectOptions {
  readonly root: string
  readonly settings: EditorSettings
  readonly unsaved: () => Readonly<Record<string, string>>
  readonly send: (event: string, data: unknown) => void
}

/** A project with the settings of its `clada.yml` and of the editor, as the page opens it. @throws SettingsError */
export async function openProject({ root, settings: given, unsaved, send }: ProjectOptions): Promise<OpenedProject> {
  const flags = withLoaded({ root: [root], quiet: [''] }, await loadConfig(root, undefined, given))
  const { options, config } = await loadConfigured(flags)
  const settings = settingsOf(options)
  const session = new PageSession({
    options: forLongProcess(options),
    root: settings.root,
    inputBytes: settings.limits.inputBytes,
    inputFile: path.resolve(settings.root, config.listener.input_file),
    rules: config.prompt.rules,
    report: { ...reportOptions(await withConfig(flags)), color: false },
    send,
    unsaved,
  })
  return { session, warnings: await configWarnings(flags) }
}

/** Grammars are in the extension; ripgrep is the one of VS Code. */
export function useInstallation(files: Readonly<Record<string, string>>, ripgrep: () => unknown): void {
  useEmbeddedFiles({ files, addons: { '@vscode/ripgrep': ripgrep } })
}
