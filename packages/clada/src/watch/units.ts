import type { Block, Document } from '@clada/reply/core/block.ts'
import type { Diagnostic } from '@clada/reply/core/diagnostic.ts'
import { shortDigestOf } from '../core/digest.ts'
import type { ExecutionResult } from '../core/result.ts'

/** The unit of execution: a block, a group of blocks, or a mistake outside any block. */
export interface Unit {
  /** The same for the same text, however its lines end. */
  readonly key: string
  readonly blocks: readonly Block[]
  readonly diagnostic?: Diagnostic
  /** Whether it can run: `aside` is listed as not executed. */
  readonly state: 'sound' | 'broken' | 'aside'
}

/** The fate of a unit of the last version of a text. */
export type Fate = 'done' | 'failed' | 'held' | 'unread' | 'aside'
export type KnownFates = ReadonlyMap<string, Fate>

export function unitsOf({ blocks, diagnostics, notExecuted }: Document): Unit[] {
  const together: Block[][] = []
  for (const block of blocks) {
    const last = together.at(-1)
    if (block.group !== undefined && last?.[0]?.group === block.group) last.push(block)
    else together.push([block])
  }
  return [
    ...together.map((members): Unit => {
      // A block that cannot be read is another one as soon as it can, though its text may be the same.
      const codes = members.flatMap((block) => block.diagnostics.map(({ code }) => code))
      return {
        key: unitKey([...members.map(({ raw }) => raw), ...codes]),
        blocks: members,
        state: codes.length > 0 ? 'broken' : 'sound',
      }
    }),
    ...diagnostics.map((diagnostic): Unit => ({
      key: unitKey(['diagnostic', diagnostic.code, diagnostic.excerpt.line]),
      blocks: [],
      diagnostic,
      state: 'broken',
    })),
    ...notExecuted.flatMap(({ block }): Unit[] =>
      block === undefined ? [] : [{ key: unitKey([block.raw]), blocks: [block], state: 'aside' }],
    ),
  ]
}

/** Editors break lines their own way and trim them, and a block must not run again because of that. */
const unitKey = (texts: readonly string[]): string => shortDigestOf(texts.map(trimLines).join('\0'))

const trimLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')

/** `new`: what the last version did not have. `failed`: what did not succeed. `all`: whatever is there. */
export type Which = 'new' | 'failed' | 'all'

/**
 * The keys of what is to be run or reported; empty when there is no reason to. What could not be read is reported
 * again beside something new, because it still has to be corrected.
 */
export function chooseUnits(units: readonly Unit[], known: KnownFates, which: Which): ReadonlySet<string> {
  const own = units.filter(({ state }) => state !== 'aside')
  const fresh = own.some(({ key }) => !known.has(key))
  if (which === 'new' && !fresh) return new Set()
  const wanted = own.filter(({ key }) => {
    const fate = known.get(key)
    if (which === 'all' || fate === undefined) return true
    return which === 'failed' ? fate !== 'done' : fate === 'unread'
  })
  return new Set(wanted.map(({ key }) => key))
}

/** A document with nothing in it but some of its units. */
export function onlyOf(document: Document, keys: ReadonlySet<string>): Document {
  const kept = unitsOf(document).filter(({ key }) => keys.has(key))
  const blocks = new Set(kept.flatMap((unit) => unit.blocks))
  const diagnostics = new Set(kept.flatMap(({ diagnostic }) => diagnostic ?? []))
  return {
    ...document,
    blocks: document.blocks.filter((block) => blocks.has(block)),
    diagnostics: document.diagnostics.filter((diagnostic) => diagnostics.has(diagnostic)),
  }
}

/**
 * What is known of a version: nothing but what is in it, so that what is gone may come again. Of one that is cut
 * off it is unknown what is gone: the rest may still arrive.
 */
export function knownOf(
  units: readonly Unit[],
  known: KnownFates,
  fateOf: (unit: Unit) => Fate | undefined,
): KnownFates {
  const now = new Map<string, Fate>(isCutOff(units) ? known : [])
  for (const unit of units) {
    const fate = fateOf(unit) ?? known.get(unit.key) ?? (unit.state === 'aside' ? 'aside' : undefined)
    // Of two that are equal, the one that failed counts.
    if (fate !== undefined && !(now.has(unit.key) && fate === 'done')) now.set(unit.key, fate)
  }
  return now
}

/** Units that already ran and came again, each as often as it did. */
export function findRepeated(units: readonly Unit[], before: readonly Unit[], known: KnownFates): readonly Unit[] {
  const left = new Map<string, number>()
  for (const { key } of before) left.set(key, (left.get(key) ?? 0) + 1)
  return units.filter(({ key, state }) => {
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count <= 0 && state === 'sound' && known.has(key)
  })
}

/** Whether a text seems to go on: its last block is not closed. */
export const isCutOff = (units: readonly Unit[]): boolean =>
  units.some(({ state, blocks }) => state === 'broken' && blocks.some(({ endLine }) => endLine === null))

/** The fate of each unit that ran, by the lines its blocks begin on. */
export function fatesIn(
  { results, fatalError }: ExecutionResult,
  keys: ReadonlySet<string>,
): (unit: Unit) => Fate | undefined {
  const succeeded = new Map(results.map(({ line, success }) => [line, success]))
  return ({ key, state, blocks }) => {
    if (!keys.has(key)) return undefined
    if (state === 'broken') return 'unread'
    const all = blocks.map(({ startLine }) => succeeded.get(startLine))
    // Valid as a text, but the action does not exist.
    if (all.every((success) => success === undefined)) return fatalError === undefined ? 'unread' : 'failed'
    return all.every((success) => success === true) ? 'done' : 'failed'
  }
}
