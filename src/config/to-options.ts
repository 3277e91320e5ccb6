import type { CladaOptions } from './settings.ts'
import { configOf, type Merged } from './merge.ts'

/** What the files say about a run. What is as it is by default is left out, so that it is said in one place. */
export function optionsOf(merged: Merged, root: string | undefined): CladaOptions {
  const { git, exec, limits, syntaxes, commands, hooks, vars, ...config } = configOf(merged)
  return {
    ...(root === undefined ? {} : { repoPath: root }),
    allowedRoots: config.allowed_roots,
    deniedPatterns: config.denied_patterns,
    ...(config.allowed_actions === null ? {} : { allowedActions: config.allowed_actions }),
    relativePaths: config.relative_paths,
    symlinks: config.symlinks,
    git: git.mode,
    ...(git.author === null ? {} : { gitAuthor: git.author }),
    ...(syntaxes === null ? {} : { syntaxes }),
    limits: { inputBytes: limits.input, fileBytes: limits.file, actionMs: limits.timeout * 1000 },
    ...(limits.total_timeout === null ? {} : { totalTimeout: limits.total_timeout }),
    exec,
    approve: commands.approve,
    network: commands.network,
    commandEnv: commands.env,
    maxOutput: limits.output,
    hooks,
    vars,
  }
}
