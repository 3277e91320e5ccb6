import { allActions } from '../actions/registry.ts'
import type { Clada } from '../api/clada.ts'
import { contextFiles, contextText } from '../api/context-text.ts'
import { settingsOf } from '../config/settings.ts'
import { userText } from '../report/failure.ts'
import { pathsIn, projectPrompt } from '../api/project-prompt.ts'
import { SettingsError } from '../config/settings.ts'
import type { ActionResult } from '../core/result.ts'
import { callable } from '../describe/actions.ts'
import { withFiles, withSection } from '../describe/prompt.ts'
import { fileSizes } from '../engine/file-sizes.ts'
import { type TaughtName, taughtNames } from '@clada/reply/syntax/table.ts'
import { tokenLength, estimateTokens } from '@clada/reply/text/lines.ts'
import { sessionToken } from '../watch/token.ts'
import { relativeToRoot, type PageProject } from './plan.ts'
import type {
  ContextChange,
  WorkingSetEntry,
  PromptFacts,
  PagePromptRequest,
  PromptText,
  StructureRow,
} from './protocol.ts'
import { RequestRefusal } from './guard.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'

/** A list of more files is useless. */
const maxFiles = 20_000

/** What can be chosen from: files, actions, syntaxes. */
export async function projectFacts({ clada, root, options }: PageProject): Promise<PromptFacts> {
  const found = await performOrThrow(clada, 'glob', { pattern: '**/*', base_path: root })
  const all = Array.isArray(found.data) ? found.data.map((file) => relativeToRoot(root, String(file))) : []
  const files = all.slice(0, maxFiles)
  return {
    files,
    tokens: (await fileSizes(settingsOf(options), files)).map((size) => Math.ceil(size / tokenLength)),
    moreFiles: all.length - files.length,
    actions: callable(allActions(), options).map(({ name, description, everyday }) => ({
      name,
      description,
      everyday: everyday === true,
    })),
    syntaxes: taughtNames.filter((name) => options.syntaxes?.includes(name) ?? true),
    context: await contextOf(clada, root),
  }
}

/** Classes and their methods; deeper structures are of no use alone. */
const structureDepth = '2'

/** The structures of a file, each with the words that name it in a path. */
export async function structuresOf({ clada }: PageProject, file: string): Promise<StructureRow[]> {
  const { data } = await performOrThrow(clada, 'list_structures', { path: file, depth: structureDepth })
  return isRecord(data) && Array.isArray(data['structures']) ? flattenStructures(data['structures'], file, 0) : []
}

/** Files that are added to the working set by one click. */
const mostAtOnce = 500

/** Of several files, those that cannot be shown to a model are left out and named. */
export async function changeContext(
  { clada, root }: PageProject,
  how: 'add' | 'remove',
  paths: readonly string[],
): Promise<ContextChange> {
  if (paths.length > mostAtOnce)
    throw new RequestRefusal(409, `These are more than ${mostAtOnce} files. Choose fewer at once.`)
  const leftOut: string[] = []
  for (const one of paths) {
    try {
      await performOrThrow(clada, `context_${how}`, { path: one })
    } catch (error) {
      if (!(error instanceof RequestRefusal) || paths.length === 1) throw error
      leftOut.push(error.message)
    }
  }
  return { entries: await contextOf(clada, root), leftOut }
}

/** The whole text to paste, and what each part of it costs. */
export async function promptText(
  { clada, options, root, rules }: PageProject,
  { syntax, include, actions: chosen, show, task }: PagePromptRequest,
): Promise<PromptText> {
  const { syntaxes, allowedActions = null } = options
  const taught = taughtNames.find((name): name is TaughtName => name === syntax && (syntaxes?.includes(name) ?? true))
  const names = callable(allActions(), options).map(({ name }) => name)
  const allowed = chosen === null ? allowedActions : chosen.filter((name) => names.includes(name))
  const files = [...pathsIn(task), ...(show === 'none' ? [] : await contextFiles(clada))]
  const prompt = taughtBy(() =>
    projectPrompt(
      {
        ...options,
        syntaxes: taught === undefined ? syntaxes : [taught],
        allowedActions: allowed ?? undefined,
      },
      { include: chosen === null ? include : 'all', token: sessionToken(root), rules, files },
    ),
  )
  const context = show === 'none' ? undefined : await contextText(clada, settingsOf(options), { show })
  if (context !== undefined && 'error' in context) throw new RequestRefusal(409, context.error)
  const withContext = withFiles(prompt.text, context?.text ?? '')
  // Last, where a model looks first.
  const text = task === '' ? withContext : withSection(withContext, `## The task\n\n${task}`)
  return {
    text,
    tokens: estimateTokens(text),
    promptTokens: prompt.tokens,
    files: (context?.shown ?? []).map(({ path, tokens }) => ({ path: relativeToRoot(root, path), tokens })),
    refused: (context?.refused ?? []).map(({ path, error }) => ({ path: relativeToRoot(root, path), error })),
  }
}

/** A project without a syntax that can be taught is an error of its config. */
function taughtBy<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw error instanceof SettingsError ? new RequestRefusal(409, error.message) : error
  }
}

async function contextOf(clada: Clada, root: string): Promise<WorkingSetEntry[]> {
  const { data } = await performOrThrow(clada, 'context_list', {})
  if (!Array.isArray(data)) return []
  return data.filter(isRecord).map(({ path, size, problem }) => ({
    path: relativeToRoot(root, String(path)),
    tokens: typeof size === 'number' ? Math.ceil(size / tokenLength) : undefined,
    problem: typeof problem === 'string' ? problem : undefined,
  }))
}

/** One action in the user's name, which must work. */
async function performOrThrow(
  clada: Clada,
  action: string,
  params: Readonly<Record<string, string>>,
): Promise<ActionResult> {
  const { results, fatalError, parseErrors } = await clada.perform(action, params)
  const [result] = results
  if (result?.success) return result
  throw new RequestRefusal(
    409,
    (result && userText(result)) ?? fatalError ?? parseErrors[0]?.message ?? `${action} did not work.`,
  )
}

function flattenStructures(structures: readonly unknown[], prefix: string, depth: number): StructureRow[] {
  return structures.filter(isRecord).flatMap(({ header, name, kind, lines, children }) => {
    const label = String(header ?? name ?? '')
    const path = `${prefix}@@${typeof name === 'string' && name !== '' ? name : label}`
    const [from = 0, to = 0] = Array.isArray(lines) ? lines.map(Number) : []
    const own = { path, label, kind: String(kind ?? ''), lines: to - from + 1, depth }
    return [own, ...(Array.isArray(children) ? flattenStructures(children, path, depth + 1) : [])]
  })
}
