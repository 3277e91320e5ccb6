import type { Command } from '../command.ts'

/** Every command, by name, in the order of the help. Each is loaded when it is called: a run waits for nothing else. */
export const commands: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  run: () => import('./run.ts'),
  check: () => import('./check.ts'),
  diff: () => import('./diff.ts'),
  watch: () => import('./watch.ts'),
  ui: () => import('./ui.ts'),
  do: () => import('./do.ts'),
  prompt: () => import('./prompt.ts'),
  context: () => import('./context.ts'),
  outline: () => import('./outline.ts'),
  cases: () => import('./cases.ts'),
  convert: () => import('./convert.ts'),
  history: () => import('./history.ts'),
  undo: () => import('./undo.ts'),
  redo: () => import('./redo.ts'),
  back: () => import('./back.ts'),
  forward: () => import('./forward.ts'),
  squash: () => import('./squash.ts'),
  init: () => import('./init.ts'),
  config: () => import('./config.ts'),
  trust: () => import('./trust.ts'),
  approve: () => import('./approve.ts'),
  approvals: () => import('./approvals.ts'),
  doctor: () => import('./doctor.ts'),
  completion: () => import('./completion.ts'),
  help: () => import('./help.ts'),
  version: () => import('./version.ts'),
  loop: () => import('./loop.ts'),
  mcp: () => import('./mcp.ts'),
  tools: () => import('./tools.ts'),
}

export const allCommands = async (): Promise<readonly Command[]> =>
  (await Promise.all(Object.values(commands).map((load) => load()))).map(({ command }) => command)
