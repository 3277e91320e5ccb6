import type { ApprovalFacts, WithheldVariables } from '../core/problem.ts'
import { isSetting, variablesNamedIn, withheldNames } from '../process/environment.ts'
import type { Containment } from './bounds.ts'
import type { Contained } from './contained.ts'
import { type CommandScope, rootArg } from './scope.ts'

/**
 * Variables of the user's environment that a failed program may have missed: those that its words or its output
 * name, otherwise those that the project's files read. All that were withheld would be dozens on most machines, at every failing test.
 *
 * @param approval By which the user can pass them. Code gets none, so only what it asked for by name is of interest.
 */
export async function findMissedVariables(
  { env }: Pick<Containment, 'env'>,
  done: Contained,
  scope: CommandScope,
  approval?: ApprovalFacts,
): Promise<WithheldVariables | undefined> {
  if (!done.ok || done.end.ended !== 'itself' || done.end.exitCode === 0) return undefined
  const all = withheldNames(process.env, env)
  // Rust tells after each failed test to set RUST_BACKTRACE.
  const withheld = approval === undefined ? all.filter((name) => !isSetting(name)) : all
  const named = variablesNamedIn(`${approval?.command ?? ''}\n${done.end.output}`, withheld)
  const names = named.length > 0 || approval === undefined ? named : await filterNamedByFiles(withheld, scope)
  if (names.length === 0) return undefined
  return { names: names.slice(0, mostNamed), more: Math.max(0, names.length - mostNamed), approval }
}

const mostNamed = 6

async function filterNamedByFiles(names: readonly string[], { files, settings }: CommandScope): Promise<string[]> {
  if (names.length === 0) return []
  const any = `(?:${names.join('|')})\\b`
  // As languages read a variable. The word alone says nothing: VERSION or EMAIL is in most projects.
  const pattern = `(?i:\\b(?:get)?env\\w*)(?:::var|\\.get|\\.fetch)?[^\\w\\s]{1,3}${any}|\\$\\{?${any}`
  const base = rootArg(settings.root)
  try {
    const { hits } = await files.search({
      base,
      patterns: [pattern],
      include: [],
      regex: true,
      ignoreCase: false,
      max: 500,
    })
    return variablesNamedIn(hits.map(({ line }) => line).join('\n'), names)
  } catch {
    // The program has failed; that nothing could be searched on top of it is of no interest.
    return []
  }
}
