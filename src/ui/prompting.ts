import { actions } from '../actions/registry.ts'
import type { Clada } from '../api/clada.ts'
import { contextText } from '../api/context-text.ts'
import { projectPrompt } from '../api/project-prompt.ts'
import { SettingsError } from '../config/settings.ts'
import type { ActionResult } from '../core/result.ts'
import { callable } from '../describe/actions.ts'
import { withFiles } from '../describe/prompt.ts'
import { type TaughtName, taughtNames } from '../syntax/table.ts'
import { tokenLength, tokensOf } from '../text/tokens.ts'
import { sessionToken } from '../watch/token.ts'
import { below, type Project } from './plan.ts'
import type { ContextEntry, ProjectFacts, PromptRequest, PromptText, Structure } from './protocol.ts'
import { Refusal } from './refusal.ts'

/** A list of more files is useless. */
const maxFiles = 20_000

/** What can be chosen from: files, actions, syntaxes. */
export async function factsOf({ clada, root, options }: Project): Promise<ProjectFacts> {
  const found = await done(clada, 'glob', { pattern: '**/*', base_path: root })
  const files = Array.isArray(found.data) ? found.data.map((file) => below(root, String(file))) : []
  return {
    files: files.slice(0, maxFiles),
    moreFiles: Math.max(0, files.length - maxFiles),
    actions: callable(actions, options).map(({ name, description, everyday }) => ({
      name,
      description,
      everyday: everyday === true,
    })),
    syntaxes: taughtNames.filter((name) => options.syntaxes?.includes(name) ?? true),
    context: await contextOf(clada, root),
  }
}

/** Classes and their methods; what is inside those is no use by itself. */
const structureDepth = '2'

/** The structures of a file, each with the words that name it in a path. */
export async function structuresOf({ clada }: Project, path: string): Promise<Structure[]> {
  const { data } = await done(clada, 'list_structures', { path, depth: structureDepth })
  return isRecord(data) && Array.isArray(data['structures']) ? flattened(data['structures'], path, 0) : []
}

export async function changeContext(
  { clada, root }: Project,
  how: 'add' | 'remove',
  path: string,
): Promise<ContextEntry[]> {
  await done(clada, `context_${how}`, { path })
  return contextOf(clada, root)
}

/** The whole text to paste, and what each part of it costs. */
export async function promptText(
  { clada, options, root, rules }: Project,
  { syntax, include, actions: chosen, show }: PromptRequest,
): Promise<PromptText> {
  const { syntaxes, allowedActions = null } = options
  const taught = taughtNames.find((name): name is TaughtName => name === syntax && (syntaxes?.includes(name) ?? true))
  const names = callable(actions, options).map(({ name }) => name)
  const allowed = chosen === null ? allowedActions : chosen.filter((name) => names.includes(name))
  const prompt = taughtBy(() =>
    projectPrompt(
      {
        ...options,
        ...(taught === undefined ? {} : { syntaxes: [taught] }),
        ...(allowed === null ? {} : { allowedActions: allowed }),
      },
      { include: chosen === null ? include : 'all', token: sessionToken(root), rules },
    ),
  )
  const context = show === 'none' ? undefined : await contextText(clada, { show })
  if (context !== undefined && 'error' in context) throw new Refusal(409, context.error)
  const text = withFiles(prompt.text, context?.text ?? '')
  return {
    text,
    tokens: tokensOf(text),
    promptTokens: prompt.tokens,
    files: (context?.shown ?? []).map(({ path, tokens }) => ({ path: below(root, path), tokens })),
    refused: (context?.refused ?? []).map(({ path, error }) => ({ path: below(root, path), error })),
  }
}

/** A project that looks for nothing that can be taught is no fault of ours. */
function taughtBy<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw error instanceof SettingsError ? new Refusal(409, error.message) : error
  }
}

async function contextOf(clada: Clada, root: string): Promise<ContextEntry[]> {
  const { data } = await done(clada, 'context_list', {})
  if (!Array.isArray(data)) return []
  return data.filter(isRecord).map(({ path, size, problem }) => ({
    path: below(root, String(path)),
    ...(typeof size === 'number' ? { tokens: Math.ceil(size / tokenLength) } : {}),
    ...(typeof problem === 'string' ? { problem } : {}),
  }))
}

/** One action in the user's name, which must work. */
async function done(clada: Clada, action: string, params: Readonly<Record<string, string>>): Promise<ActionResult> {
  const { results, fatalError, parseErrors } = await clada.perform(action, params)
  const [result] = results
  if (result?.success) return result
  throw new Refusal(409, result?.error ?? fatalError ?? parseErrors[0]?.message ?? `${action} did not work.`)
}

function flattened(structures: readonly unknown[], prefix: string, depth: number): Structure[] {
  return structures.filter(isRecord).flatMap(({ header, name, kind, lines, children }) => {
    const label = String(header ?? name ?? '')
    const path = `${prefix}@@${typeof name === 'string' && name !== '' ? name : label}`
    const [from = 0, to = 0] = Array.isArray(lines) ? lines.map(Number) : []
    const own = { path, label, kind: String(kind ?? ''), lines: to - from + 1, depth }
    return [own, ...(Array.isArray(children) ? flattened(children, path, depth + 1) : [])]
  })
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
