import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { registry } from './actions/registry.ts'
import type { SyntaxName } from './core/block.ts'
import { defaultDeniedPatterns, defaultLimits, type Limits, type Settings } from './core/settings.ts'

export interface CladaOptions {
  /** The project. Default: the working directory. */
  repoPath?: string
  /** Whether executions are saved in git. */
  gitCommit?: boolean
  /** Further directories that may be touched. */
  allowedRoots?: readonly string[]
  /** Files whose content is closed, instead of the default list. */
  deniedPatterns?: readonly string[]
  /** The only actions a document may use. Default: all that are meant for models. */
  allowedActions?: readonly string[]
  /** Lets SHAM blocks name files relative to the project. */
  relativePaths?: boolean
  /** `inside` follows symbolic links that lead to where a path would be allowed. */
  symlinks?: 'refuse' | 'inside'
  /** Lifts the roots, never the denied patterns. */
  allowEscape?: boolean
  /** Carries a document out whole or not at all. */
  atomic?: boolean
  /** The only syntaxes that are looked for. */
  syntaxes?: readonly SyntaxName[]
  /** Repairs nothing that a chat program damaged. */
  strict?: boolean
  limits?: Partial<Limits>
}

/** Something the caller got wrong, said so that they can put it right. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** @throws SettingsError */
export function settingsOf(options: CladaOptions): Settings {
  return {
    root: rootOf(options.repoPath),
    allowedRoots: (options.allowedRoots ?? []).map((root) => canonical(root)),
    deniedPatterns: options.deniedPatterns ?? defaultDeniedPatterns,
    allowedActions: allowedActionsOf(options.allowedActions),
    relativePaths: options.relativePaths ?? false,
    symlinks: options.symlinks ?? 'refuse',
    allowEscape: options.allowEscape ?? false,
    limits: { ...defaultLimits, ...options.limits },
  }
}

function rootOf(given: string | undefined): string {
  const root = canonical(given ?? process.cwd())
  const stat = fs.statSync(root, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) throw new SettingsError(`The root '${given ?? root}' is not a directory.`)
  if (given === undefined && (root === path.parse(root).root || root === canonical(os.homedir()))) {
    throw new SettingsError(
      `'${root}' is too much to be a project by accident. Go to a project, or say --root ${root}.`,
    )
  }
  return root
}

/** A root may lie behind a link; it is resolved here and never again. */
function canonical(given: string): string {
  const resolved = path.resolve(given)
  try {
    return fs.realpathSync.native(resolved)
  } catch {
    return resolved
  }
}

function allowedActionsOf(names: readonly string[] | undefined): readonly string[] | null {
  if (names === undefined) return null
  const unknown = names.find((name) => !registry.has(name))
  if (unknown !== undefined) {
    const valid = [...new Set([...registry.values()].map((spec) => spec.name))].join(', ')
    throw new SettingsError(`Invalid action in allowed-actions: '${unknown}'. Valid actions: ${valid}`)
  }
  return names
}
