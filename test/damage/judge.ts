import fs from 'node:fs'
import path from 'node:path'
import type { ExecutionResult } from '../../packages/clada/src/core/result.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { type Case, changingLines, cleanCase, type Damage, damages, type Refusal, textOf } from './damages.ts'
import { applied, type DamagedSyntax, type Edit, syntaxes, type Writing } from './edit.ts'

/** The definitions are in docs/internals/edit-figures.md. */
export const outcomes = ['right', 'blurred', 'refused', 'silent', 'half', 'wrong'] as const
export type Outcome = (typeof outcomes)[number]

export interface Judged {
  readonly outcome: Outcome
  /** Whether it was applied through a repair that nothing was said about. */
  readonly unwarned: boolean
  /** Of a refusal: whether its report is enough to do what was meant, without another look at the file. */
  readonly enough: boolean
  readonly result: ExecutionResult
  readonly text: string
  readonly file: string | undefined
}

/** What comes of one damaged edit in a directory of its own. Nothing is written there but the file before it. */
export async function judge(
  root: string,
  one: Case,
  syntax: DamagedSyntax | ((writing: Writing) => string),
  warns: boolean,
): Promise<Judged> {
  const file = path.join(root, one.edit.path)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, one.file)
  const clada = new Clada({ repoPath: root, gitCommit: false, relativePaths: true, matching: 'tolerant' })
  const text = textOf(one, syntax)
  const preview = await clada.preview(text)
  const { result } = preview
  let after: string | undefined = one.file
  const others: string[] = []
  for (const { seq } of result.results) {
    for (const change of preview.changesBy(seq)) {
      if (change.path === one.edit.path) after = change.after ?? undefined
      else others.push(change.path)
    }
  }
  const said = [...(result.warnings ?? []), ...result.results.flatMap(({ warnings = [] }) => warnings)]
  // Codex ends a file whose last line it changes with a newline.
  const isEnded = said.some((warning) => warning.includes('as Codex writes it'))
  const wanted = isEnded ? { ...one, expected: `${one.expected}\n` } : one
  const outcome = others.length > 0 ? 'wrong' : outcomeOf(wanted, after, result)
  return {
    outcome,
    enough: outcome === 'refused' && (await isEnough(one, clada, result, file, after ?? '')),
    unwarned: outcome === 'right' && warns && one.file !== one.expected && said.length === 0,
    result,
    text,
    file: after,
  }
}

/**
 * The corrected block of a report is sent as it is, with nothing but exact matches allowed. Without one the report must
 * show the lines that change as the file has them, or the lines of each place; or say that there is nothing to send.
 */
async function isEnough(
  one: Case,
  clada: Clada,
  result: ExecutionResult,
  file: string,
  after: string,
): Promise<boolean> {
  const report = formatReport(result, 'llm')
  const corrected = /ready to be sent again[^\n]*\n(`{3,})\n([\s\S]*?)\n\1(?:\n|$)/.exec(report)?.[2]
  const refusal: Refusal = one.refusal ?? { kind: 'changed', meant: one.expected, lines: changingLines(one.edit) }
  if (refusal.kind === 'cut-off') return result.parseErrors.length + (result.notExecuted?.length ?? 0) > 0
  if (refusal.kind === 'applied') return /already in the file|would apply|was applied/.test(report)
  if (!('meant' in refusal)) return corrected === undefined && /not found|found 0/.test(report)
  if (corrected !== undefined) {
    fs.writeFileSync(file, after)
    const again = await clada.preview(corrected)
    const [change] = again.result.results.flatMap(({ seq }) => again.changesBy(seq))
    const exact = again.result.results.every(({ success, warnings = [] }) => success && warnings.length === 0)
    return exact && change?.after?.replaceAll('\r\n', '\n') === ended(refusal.meant, after)
  }
  const shown = [...report.matchAll(/The file has exactly:\n(`{3,})\n([\s\S]*?)\n\1\n/g)].map(([, , text]) => text)
  const places = [...report.matchAll(/^ +> (\d+): /gm)].map(([, line]) => Number(line))
  const lines = after.replaceAll('\r\n', '\n')
  const [hunk] = one.edit.hunks
  const isNear = (line: number): boolean =>
    hunk !== undefined && line > hunk.start - 2 && line <= hunk.start + hunk.old.length + 2
  return (
    (places.length > 1 && places.some(isNear)) ||
    shown.some((text = '') => lines.includes(text) && refusal.lines.every((line) => text.split('\n').includes(line)))
  )
}

/** A text that ends as another one does. */
const ended = (text: string, other: string): string => (other.endsWith('\n') ? text : text.replace(/\n$/, ''))

export function outcomeOf(
  one: Case,
  after: string | undefined,
  result: Pick<ExecutionResult, 'success' | 'warnings'>,
): Outcome {
  if (after === undefined) return 'wrong'
  const failed = !result.success
  if (after === one.expected && one.expected !== one.file) return failed ? 'half' : 'right'
  if (after === one.file) return failed || (result.warnings?.length ?? 0) > 0 ? 'refused' : 'silent'
  if (isPartly(one, after)) return failed ? 'refused' : 'half'
  return blurred(after) === blurred(one.expected) ? 'blurred' : 'wrong'
}

/** Whether some of the hunks are applied, and nothing else is different. */
function isPartly(one: Case, after: string): boolean {
  const { hunks } = one.edit
  const own = `${one.edit.lines.join('\n')}\n`
  if (one.file !== own) return after.includes('\n') && partly(one, after)
  return [1, 2, 3, 4, 5, 6].some(
    (set) =>
      set < 2 ** hunks.length - 1 && `${applied(one.edit, (nth) => (set & (1 << nth)) !== 0).join('\n')}\n` === after,
  )
}

/** The same where the file was damaged as well: with some hunks taken back it is what it was. */
function partly(one: Case, after: string): boolean {
  const before = one.file.replaceAll('\r\n', '\n')
  const { hunks } = one.edit
  // Lines of context may be others in the file.
  const takenBack = (set: number, context: number): string => {
    let rest = after.replaceAll('\r\n', '\n')
    for (const [nth, { old, fresh, head, tail }] of hunks.entries()) {
      if ((set & (1 << nth)) === 0) continue
      const near = (lines: readonly string[]): string =>
        lines.slice(Math.max(0, head - context), lines.length - Math.max(0, tail - context)).join('\n')
      // Lines that were only added go with their line break.
      if (near(old) === '') rest = rest.replace(`${near(fresh)}\n`, '')
      else rest = rest.replace(near(fresh), () => near(old))
    }
    return rest
  }
  const sets = [1, 2, 3, 4, 5, 6].filter((set) => set < 2 ** hunks.length - 1)
  return sets.some((set) => [0, 1, 3].some((context) => takenBack(set, context) === before))
}

const blurred = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')

export interface Combination {
  readonly damages: readonly Damage[]
  readonly syntax: DamagedSyntax
  readonly one: Case
}

/** Every damage of an edit, alone and with every other that is done to another part, in every syntax that can have it. */
export function* combinationsOf(edit: Edit, pairs: 'all' | 'none'): Generator<Combination> {
  const clean = cleanCase(edit)
  for (const [nth, first] of damages.entries()) {
    const one = first.damage(clean)
    if (one === undefined) continue
    yield* inSyntaxes([first], one)
    if (pairs === 'none' || first.part === 'none') continue
    for (const second of damages.slice(nth + 1)) {
      if (second.part === first.part || second.part === 'none') continue
      // What changes the file is done first, because it says what is to come of the edit.
      const [a, b] = changesFile(second) || second.part === 'context' ? [second, first] : [first, second]
      if (changesFile(a) && changesFile(b)) continue
      const both = a.damage(clean)
      const combined = both && b.damage(both)
      if (combined === undefined || undoes(combined, [a, b])) continue
      yield* inSyntaxes([first, second], combined)
    }
  }
}

/** Whether the second damage leaves nothing of the first: indentation that was added and taken away again. */
const undoes = (one: Case, [first, second]: readonly [Damage, Damage]): boolean =>
  [first, second].some(({ name }) => name === 'twice when spaces are ignored') &&
  one.writing.hunks[0]?.old.every((line) => one.edit.lines.includes(line)) === true

const changesFile = ({ part, name }: Damage): boolean =>
  part === 'file' || name.includes('in the file') || name === 'cut off'

function* inSyntaxes(all: readonly Damage[], one: Case): Generator<Combination> {
  for (const syntax of syntaxes) {
    if (all.every((damage) => damage.syntaxes?.includes(syntax) ?? true)) yield { damages: all, syntax, one }
  }
}

/** Of pairs also those whose changed lines are not in the file as written: level 6 may refuse them. */
export const classOf = (all: readonly Damage[]): Damage['class'] | 'not-as-written' =>
  all.length === 2 && all.some(({ part }) => part === 'context') && all.some(({ name }) => shifted.has(name))
    ? 'not-as-written'
    : classByOne(all)

const shifted = new Set(['trailing spaces added', 'tabs for spaces', 'indentation lost', 'indentation added'])

const classByOne = (all: readonly Damage[]): Damage['class'] =>
  all.some((one) => one.class === 'must-refuse')
    ? 'must-refuse'
    : all.some((one) => one.class === 'by-context')
      ? 'by-context'
      : 'nothing-lost'
