import { foreignFormats, foreignPrompt, type Prompt, promptFor, toolsPrompt } from '../describe/prompt.ts'
import { promptNames, taughtNames, type TaughtName } from '@clada/reply/syntax/table.ts'
import { capText, QuotedContent, spellOut } from '../report/words.ts'
import { type AgentNotes, agentNotesFor } from '../config/agent-notes.ts'
import { Approvals } from '../approvals/approvals.ts'
import { type CladaOptions, historySettingsOf, SettingsError, settingsOf } from '../config/settings.ts'
import { withSlashes } from '../core/paths.ts'
import { ProblemError } from '../core/problem.ts'
import { nearestRepository } from '../git/find-repository.ts'

/** Options of a prompt that do not come from the project's settings. */
export interface PromptRequest {
  /** How the model answers: with `blocks` in its reply, or by calling the `tools` of `Clada.tools`. Default: `blocks`. */
  readonly for?: 'blocks' | 'tools' | undefined
  /** What the user wants done: at the end of the prompt. */
  readonly task?: string | undefined
  /** A map of the project, as the action `project_map` makes it. */
  readonly map?: string | undefined
  /** What you want in every reply, a sentence each. */
  readonly rules?: readonly string[] | undefined
  /** Which actions are taught. Default: `everyday`. */
  readonly include?: 'everyday' | 'all' | undefined
  /** The longest prompt, in tokens. What was left out is in `dropped`. */
  readonly budget?: number | undefined
  /** For the clipboard watcher: the model is asked to write the line `clada:TOKEN`. */
  readonly token?: string | undefined
  /** The files that the task is about, besides those that it names: the nearest AGENTS.md above each is quoted. */
  readonly files?: readonly string[] | undefined
  /** `trusted`: AGENTS.md is quoted if the user has agreed to it with `clada trust`, else named. Default: `trusted`. */
  readonly agentNotes?: 'trusted' | 'none' | undefined
}

/** The prompt for a project: its root, the allowed actions, and the first of its syntaxes; a short one for formats of other tools. @throws SettingsError */
export function projectPrompt(options: CladaOptions, request: PromptRequest = {}): Prompt {
  const { for: answering = 'blocks', files = [], agentNotes = 'trusted', ...said } = request
  const { allowedActions, relativePaths, registry, ...settings } = settingsOf(options)
  const named = [...files, ...pathsIn(said.task ?? '')]
  const notes = agentNotes === 'none' ? [] : quotable(agentNotesFor(settings, named))
  const specs = [...new Set(registry.values())]
  // One form of paths on every system.
  const root = withSlashes(settings.root)
  const allowedRoots = settings.allowedRoots.map((one) => withSlashes(one))
  // Hidden characters are removed: the user must be able to see every rule that is trusted or pasted.
  const rules = request.rules?.map(spellOut)
  const { exec, cslDelimiters, syntaxes, ownSyntaxes = [] } = options
  const taught = ownSyntaxes.flatMap(({ name, title = name, teaching }) =>
    teaching === undefined ? [] : [{ title, text: teaching }],
  )
  const foreign = syntaxes?.some((name) => isTaught(name)) ? undefined : foreignFormats[syntaxes?.[0] ?? '']
  if (foreign !== undefined && answering === 'blocks')
    return foreignPrompt(foreign, { specs, root, ...said, rules, notes })
  const compose = answering === 'tools' ? toolsPrompt : promptFor
  return compose({
    specs,
    root,
    allowedRoots,
    allowedActions,
    relativePaths,
    exec,
    cslDelimiters,
    syntax: answering === 'tools' ? undefined : taughtOf(syntaxes),
    // Those that run without a question, as they are written.
    approved: [
      ...new Set([...(options.approve ?? []), ...new Approvals(settings.root, settings.allowedRoots).approved()]),
    ].map(spellOut),
    timeLimit: Math.round(settings.limits.actionMs / 1000),
    commits: historySettingsOf(options).git === 'commit' && isInRepository(settings.root),
    ...said,
    rules,
    notes,
    taught,
  })
}

/** The words of a task that may be paths. */
export const pathsIn = (task: string): string[] =>
  [...new Set(task.split(/[\s"'`()<>,;]+/).map((word) => word.replace(/[.:?!]+$/, '')))]
    .filter((word) => /[/.]/.test(word))
    .slice(0, mostPaths)

const mostPaths = 50

/** All notes of a prompt together, in characters. */
const roomForNotes = 16_000

/** Notes as they can be quoted: not long, nothing hidden, and no line that reads as one of ours. */
function quotable(found: readonly AgentNotes[]): { path: string; text: string | undefined }[] {
  const notes = found.map(({ path, text, isTrusted }) => ({ path: spellOut(path), text: isTrusted ? text : undefined }))
  const room = roomForNotes / Math.max(1, notes.filter(({ text }) => text !== undefined).length)
  const content = new QuotedContent()
  return notes.map(({ path, text }) => ({
    path,
    text: text && content.text(capText(spellOut(text.replaceAll('\r\n', '\n')), room, 'read the file')),
  }))
}

function isInRepository(root: string): boolean {
  try {
    return nearestRepository(root) !== undefined
  } catch (error) {
    // Executions stop at a repository that is broken or another user's, and say why. A prompt needs none.
    if (error instanceof ProblemError) return false
    throw error
  }
}

const isTaught = (name: string): boolean => taughtNames.some((one) => one === name)

function taughtOf(syntaxes: CladaOptions['syntaxes']): TaughtName | undefined {
  if (syntaxes === undefined) return undefined
  const [taught] = syntaxes.flatMap((name) => taughtNames.find((one) => one === name) ?? [])
  if (taught !== undefined) return taught
  throw new SettingsError(
    `No prompt teaches ${syntaxes.join(', ')}: models know it already. Enable one of ${promptNames.join(', ')}.`,
  )
}
