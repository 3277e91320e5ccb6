import type { TextPair } from '@clada/reply/core/text-pair.ts'
import {
  type ActionContext,
  count,
  defineAction,
  edits,
  fail,
  ok,
  optional,
  type Outcome,
  type Param,
  path,
  type Repair,
  text,
  unless,
} from '../core/action.ts'
import type { PathArg, TextFile } from '../core/files.ts'
import type { Problem, Resendable } from '../core/problem.ts'
import { writePairs } from '@clada/reply/text/edit-pairs.ts'
import { expectHash } from './common.ts'
import {
  type ReplacedData,
  replacedShape,
  editText,
  outcomeOfReplacement,
  replaceOccurrences,
} from './replace-occurrences.ts'

const once: Param<number | 'all'> = {
  ...count('How often old_text must occur, or `all` for at least once. All of them are replaced.'),
  required: false,
  default: 1,
}

export const fileEdit = defineAction({
  name: 'file_edit',
  title: 'Edit a file',
  description:
    'Replace a text that occurs exactly `count` times in a file. `edits` makes several replacements at once.',
  effect: 'write',
  past: (target) => `edited ${target}`,
  everyday: true,
  repairs: true,
  params: {
    path: path('File to change.'),
    old_text: unless('edits', text('Text to find, copied exactly.')),
    new_text: unless('edits', text('Text to put in its place. Empty deletes.')),
    count: once,
    edits: optional(
      edits('Instead of old_text and new_text: several pairs, each for one place, in order, all or none.'),
    ),
    expect_hash: expectHash,
  },
  returns: replacedShape,
  examples: [
    {
      title: 'replaces one by default',
      before: { 'a.txt': 'one two\n' },
      params: { path: 'a.txt', old_text: 'two', new_text: '2' },
      after: { 'a.txt': 'one 2\n' },
    },
    {
      title: 'replaces as many as were announced',
      before: { 'a.txt': 'x x x\n' },
      params: { path: 'a.txt', old_text: 'x', new_text: 'y', count: '3' },
      after: { 'a.txt': 'y y y\n' },
      data: { replacements: 3 },
    },
    {
      title: 'all requires at least one',
      before: { 'a.txt': 'none\n' },
      params: { path: 'a.txt', old_text: 'x', new_text: 'y', count: 'all' },
      code: 'match_count_mismatch',
    },
    {
      title: 'makes several replacements, all or none',
      before: { 'a.txt': 'one\ntwo\nthree\n' },
      params: {
        path: 'a.txt',
        edits:
          '<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nthree\n=======\n3\n4\n>>>>>>> REPLACE',
      },
      after: { 'a.txt': '1\ntwo\n3\n4\n' },
      data: { replacements: 2 },
    },
  ],
  async run({ path, old_text, new_text, count, edits, expect_hash }, context) {
    if (edits === undefined) {
      const edit = { path, old_text: old_text ?? '', new_text: new_text ?? '', expect_hash }
      return outcomeOfReplacement(path, await replaceOccurrences(context, edit, count))
    }
    const single = Object.entries({ old_text, new_text, count: count === 1 ? undefined : count })
    const [extra] = single.find(([, value]) => value !== undefined) ?? []
    if (extra !== undefined) return fail(badEdits(`give either edits or ${extra}, not both`))
    return editInOrder(context, path, edits, expect_hash)
  },
})

const badEdits = (message: string): Problem => ({ kind: 'bad-param', param: 'edits', message })

/** Each pair is looked for in what those before it have made; one that fails is left out while the others are checked. */
async function editInOrder(
  { files, repair }: ActionContext,
  path: PathArg,
  pairs: readonly TextPair[],
  expectHash: string | undefined,
): Promise<Outcome<ReplacedData>> {
  const file = await files.read(path, { expectHash, having: pairs.map(({ old_text }) => old_text).join('\n') })
  const { text, failures, warnings, levels } = await tryEdits(file, pairs, repair)
  if (failures.length > 0) {
    const resend = await resendEdits(file, pairs, failures, repair)
    return fail({ kind: 'edits-failed', path: path.given, total: pairs.length, failures, resend })
  }
  await files.save(file, text)
  const matched = levels.size === 0 ? {} : { matched: [...levels].join(', ') }
  return ok({ path: path.given, replacements: pairs.length, ...matched }, warnings)
}

interface FailedEdit {
  readonly edit: number
  readonly problem: Problem
}

async function tryEdits(file: TextFile, pairs: readonly TextPair[], repair: Repair) {
  const failures: FailedEdit[] = []
  const [warnings, levels] = [Array<string>(), new Set<string>()]
  let { text } = file
  for (const [index, pair] of pairs.entries()) {
    const edit = index + 1
    // A place that the user chose in a review is one for a single edit.
    const done = await editText({ ...file, text }, { path: file.path, ...editAsLines(pair, text) }, 'once', {
      ...repair,
      place: undefined,
    })
    if (!done.ok) {
      failures.push({ edit, problem: done.problem })
      continue
    }
    text = done.text
    warnings.push(...done.warnings.map((warning) => `edit ${edit}: ${warning}`))
    if (done.matched !== undefined) levels.add(done.matched)
  }
  return { text, failures, warnings, levels }
}

/** All edits, those that failed as they were probably meant, if that is known of each. */
async function resendEdits(
  file: TextFile,
  pairs: readonly TextPair[],
  failures: readonly FailedEdit[],
  repair: Repair,
): Promise<Resendable['resend']> {
  const meant = pairs.map((pair, index): readonly TextPair[] | undefined => {
    const problem = failures.find(({ edit }) => edit === index + 1)?.problem
    if (problem === undefined) return [pair]
    if (pair.deletesLines || problem.kind !== 'text-absent') return undefined
    const { old_text, new_text } = problem.resend ?? {}
    return old_text === undefined || new_text === undefined ? undefined : [{ old_text, new_text }]
  })
  const known = meant.flatMap((one) => one ?? [])
  if (meant.includes(undefined) || known.length === 0) return undefined
  const again = await tryEdits(file, known, repair)
  return again.failures.length > 0 ? undefined : { edits: writePairs(known) }
}

/** Lines that are deleted take their line break along; the last line of a file may have none but the one before it. */
function editAsLines(
  { old_text, new_text, deletesLines }: TextPair,
  text: string,
): Pick<TextPair, 'old_text' | 'new_text'> {
  if (deletesLines === undefined) return { old_text, new_text }
  const isLast =
    !text.replaceAll('\r\n', '\n').includes(`${old_text}\n`) && text.replaceAll('\r\n', '\n').endsWith(`\n${old_text}`)
  return { old_text: isLast ? `\n${old_text}` : `${old_text}\n`, new_text }
}
