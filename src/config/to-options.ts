import type { Config } from './keys.ts'
import { type Loaded, loadConfig } from './load.ts'
import { configOf, merge, type Merged } from './merge.ts'
import type { CladaOptions } from './settings.ts'

/** The values of config files, by the part of clada that reads them. */
export interface ConfigParts {
  /** For a run. Defaults are in it too. */
  readonly options: CladaOptions
  readonly listener: { readonly inputFile: string; readonly outputFile: string; readonly debounceMs: number }
  readonly clipboard: {
    readonly read: boolean
    readonly write: boolean
    readonly osc52: boolean
    readonly secondCopy: boolean
  }
  readonly report: Config['report']
  /** House rules for the prompt. */
  readonly rules: readonly string[]
}

/** Gives every key to its reader. A key that is read nowhere is left over, and that does not compile. */
function partsOf(merged: Merged, root: string | undefined): ConfigParts {
  const {
    // Both are used while the files are read.
    version: _version,
    root: _root,
    syntaxes,
    allowed_roots: allowedRoots,
    denied_patterns: deniedPatterns,
    allowed_actions: allowedActions,
    relative_paths: relativePaths,
    matching,
    patches,
    proposals,
    final_newline: finalNewline,
    symlinks,
    git: { mode: git, author, commit_message_format: commitMessageFormat, ...gitLeft },
    exec: { mode: exec, git: execGit, ...execLeft },
    commands: { approve, network, env: commandEnv, ...commandsLeft },
    limits: {
      input,
      file_bytes: file,
      history_bytes: historyBytes,
      timeout,
      total_timeout: totalTimeout,
      output: maxOutput,
      ...limitsLeft
    },
    listener: { input_file: inputFile, output_file: outputFile, debounce_ms: debounceMs, ...listenerLeft },
    clipboard: { read, write, osc52, second_copy: secondCopy, ...clipboardLeft },
    hooks: { before, after, ...hooksLeft },
    vars,
    report: { format, budget, evidence, syntax_check: syntaxCheck, error_detail, color, ...reportLeft },
    prompt: { rules, ...promptLeft },
    ...left
  } = configOf(merged)
  readAll(
    left,
    gitLeft,
    execLeft,
    commandsLeft,
    limitsLeft,
    listenerLeft,
    clipboardLeft,
    hooksLeft,
    reportLeft,
    promptLeft,
  )
  return {
    options: {
      ...(root === undefined ? {} : { repoPath: root }),
      allowedRoots,
      deniedPatterns,
      ...(allowedActions === null ? {} : { allowedActions }),
      relativePaths,
      matching,
      patches,
      proposals,
      evidence,
      syntaxCheck,
      finalNewline,
      symlinks,
      git,
      commitMessageFormat,
      ...(author === null ? {} : { gitAuthor: author }),
      ...(syntaxes === null ? {} : { syntaxes }),
      limits: { inputBytes: input, fileBytes: file, historyBytes, actionMs: timeout * 1000 },
      ...(totalTimeout === null ? {} : { totalTimeout }),
      exec,
      execGit,
      approve,
      network,
      commandEnv,
      maxOutput,
      hooks: { before, after },
      vars,
    },
    listener: { inputFile, outputFile, debounceMs },
    clipboard: { read, write, osc52, secondCopy },
    report: { format, budget, evidence, syntax_check: syntaxCheck, error_detail, color },
    rules,
  }
}

/** Takes empty objects only: a key that is left over is an error of the type checker, which names it. */
const readAll = (..._left: readonly Readonly<Record<PropertyKey, never>>[]): void => undefined

/** The config files, for a program that wants to use them. */
export interface ReadConfig {
  /** For `new Clada(options)`. */
  options: CladaOptions
  /** Values that a project's file asks for and does not get. */
  warnings: string[]
}

/** Reads the config files of the user and of a project, as the command line does. @throws SettingsError */
export async function readConfig(repoPath?: string): Promise<ReadConfig> {
  const { options, warnings } = await configFiles(repoPath)
  return { options, warnings: [...warnings] }
}

/** The config files with the values of each part. @throws SettingsError */
export async function configFiles(root: string | undefined): Promise<Loaded & ConfigParts> {
  const loaded = await loadConfig(root)
  return { ...loaded, ...partsOf(loaded.merged, loaded.root) }
}

export const defaultParts = (): ConfigParts => partsOf(merge(), undefined)
