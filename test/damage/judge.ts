import fs from 'node:fs'
import path from 'node:path'
import type { ExecutionResult } from '../../src/core/result.ts'
import { Clada } from '../../src/index.ts'
import { type Case, cleanCase, type Damage, damages, textOf } from './damages.ts'
import { applied, type DamagedSyntax, type Edit, syntaxes } from './edit.ts'

/** The definitions are in docs/edits.md. */
export const outcomes = ['right', 'blurred', 'refused', 'silent', 'half', 'wrong'] as const
export type Outcome = (typeof outcomes)[number]

export interface Judged {
  readonly outcome: Outcome
  /** Whether it was applied through a repair that nothing was said about. */
  readonly unwarned: boolean
  readonly result: ExecutionResult
  readonly text: string
  readonly file: string | undefined
}

/** What comes of one damaged edit in a directory of its own. Nothing is written there but the file before it. */
export async function judge(root: string, one: Case, syntax: DamagedSyntax, warns: boolean): Promise<Judged> {
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
  const outcome = others.length > 0 ? 'wrong' : outcomeOf(one, after, result)
  const said = [...(result.warnings ?? []), ...result.results.flatMap(({ warnings = [] }) => warnings)]
  return {
    outcome,
    unwarned: outcome === 'right' && warns && one.file !== one.expected && said.length === 0,
    result,
    text,
    file: after,
  }
}

function outcomeOf(one: Case, after: string | undefined, result: ExecutionResult): Outcome {
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
  // Lines of context may be others in the file; those next to the change are not.
  const takenBack = (set: number, context: number): string => {
    let rest = after.replaceAll('\r\n', '\n')
    for (const [nth, { old, fresh, head, tail }] of hunks.entries()) {
      if ((set & (1 << nth)) === 0) continue
      const near = (lines: readonly string[]): string =>
        lines.slice(Math.max(0, head - context), lines.length - Math.max(0, tail - context)).join('\n')
      rest = rest.replace(near(fresh), () => near(old))
    }
    return rest
  }
  const sets = [1, 2, 3, 4, 5, 6].filter((set) => set < 2 ** hunks.length - 1)
  return sets.some((set) => [1, 3].some((context) => takenBack(set, context) === before))
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

/** Of pairs also those whose changed lines are not in the file as written: rung 6 may refuse them. */
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
