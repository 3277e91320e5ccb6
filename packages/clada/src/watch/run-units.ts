import { plainReason } from '../core/os-words.ts'
import type { Clada } from '../api/clada.ts'
import type { Document } from '@clada/reply/core/block.ts'
import { type ActionResult, type ExecutionResult, fatalResult, type FileChange } from '../core/result.ts'
import type { ReviewChoices } from '../core/review.ts'
import { formatLlm } from '../report/llm.ts'
import type { ReportOptions } from '../report/parts.ts'
import type { OutputFile } from './place.ts'
import { onlyOf } from './units.ts'
import type { CladaOptions } from '../config/settings.ts'

/** The source of a text. */
export type Origin = 'file' | 'clipboard' | 'terminal'

/** The events of a listener, in order. */
export type ListenerEvent =
  /** It is ready: from now on nothing is missed. */
  | {
      readonly kind: 'watching'
      readonly file: string
      readonly output: string
      readonly created: boolean
      readonly excluded?: string | undefined
    }
  /** Blocks that were there at the start and run only on request. */
  | { readonly kind: 'held'; readonly blocks: number; readonly why: 'first-look' | 'interrupted' }
  | { readonly kind: 'begin'; readonly origin: Origin; readonly blocks: number; readonly before: number }
  /** An action is done, with what it did to files; large ones are left out. */
  | { readonly kind: 'action'; readonly result: ActionResult; readonly changes: readonly FileChange[] }
  /** A program begins, or the user is asked whether it may. */
  | { readonly kind: 'program-begin'; readonly what: string }
  /** What a program writes, as it arrives. */
  | { readonly kind: 'program'; readonly task: string; readonly chunk: Buffer }
  | ({ readonly kind: 'done' } & Done)
  /** A text without new blocks. */
  | { readonly kind: 'nothing-new'; readonly origin: Origin; readonly blocks: number }
  /** A line such as `/undo` was saved, and runs. */
  | { readonly kind: 'command'; readonly name: string }
  | { readonly kind: 'command-done'; readonly name: string; readonly lines: readonly string[] }
  /** The file is not one that can be watched, as long as it is so; empty when it is again. */
  | { readonly kind: 'trouble'; readonly why: string }
  /** Two texts could not be merged; this one is saved here. */
  | { readonly kind: 'saved-aside'; readonly file: string }

/** The results of one execution of the listener. */
export interface Done {
  readonly origin: Origin
  readonly result: ExecutionResult
  /** The whole report, as in the output file. */
  readonly report: string
  readonly copied: boolean | undefined
  /** Number of result lines at the top of the file, before the text that lines are counted in. */
  readonly above: number
  readonly durationMs: number
}

/** Decides about the changes of a text before they are made. */
export type ReviewHook = (clada: Clada, text: string, options: Parameters<Clada['review']>[2]) => Promise<ReviewChoices>

export interface UnitRunner {
  readonly clada: Clada
  /** Where the whole report goes. */
  readonly output: OutputFile
  readonly report: ReportOptions | undefined
  readonly review: ReviewHook | undefined
  readonly copy: ((report: string) => Promise<boolean | undefined>) | undefined
  readonly tell: (event: ListenerEvent) => void
  /** Whether events have a receiver. */
  readonly listened: boolean
  readonly signal: AbortSignal
}

/** A text that was read, and the parts of it to run. */
export interface Order {
  readonly origin: Origin
  readonly text: string
  readonly document: Document
  readonly keys: ReadonlySet<string>
  readonly again: readonly string[]
  /** Blocks of other replies, which do not run now. */
  readonly elsewhere?: number
  /** Reports on other replies that ran just before: the output has all of them. */
  readonly earlier?: readonly string[]
}

/** Runs a part of a text, and writes and copies the report. */
export async function runUnits(order: Order, by: UnitRunner): Promise<Done> {
  const { origin, text, document, keys, again, elsewhere = 0, earlier = [] } = order
  const begun = performance.now()
  const { blocks } = onlyOf(document, keys)
  const before = document.blocks.length - blocks.length + elsewhere
  by.tell({ kind: 'begin', origin, blocks: blocks.length, before })
  let changes: readonly FileChange[] = []
  const part = { signal: by.signal, select: (found: Document) => onlyOf(found, keys) }
  const review = await by.review?.(by.clada, text, part)
  const result = await by.clada.execute(text, {
    ...part,
    review,
    onChanges: by.listened ? (_, made) => void (changes = made) : undefined,
    onAction: (action) => {
      by.tell({ kind: 'action', result: action, changes })
      changes = []
    },
    onProgram: (what) => by.tell({ kind: 'program-begin', what }),
    onOutput: (task, chunk, { atomic }) => {
      if (!atomic) by.tell({ kind: 'program', task, chunk })
    },
  })
  if (again.length > 0) result.warnings = [...(result.warnings ?? []), ...again]
  // Line numbers count from the model's reply, which may be below others.
  const report = [...earlier, formatLlm(result, { ...by.report, lines: 'block' })].join('\n')
  const copied = await by.copy?.(report).catch(() => false)
  try {
    by.output.write(report)
  } catch (error) {
    by.tell({
      kind: 'trouble',
      why: `${by.output.path} cannot be written: ${plainReason(error)}`,
    })
  }
  return { origin, result, report, copied, above: 0, durationMs: performance.now() - begun }
}

/** Results of runs that did not begin. */
export const inputTooLarge = (size: number, limit: number): ExecutionResult =>
  fatalResult(
    `input_too_large: the file has ${size} bytes, the limit is ${limit}. Remove what is done, or split it.`,
    'input_too_large',
  )

export const notUtf8 = fatalResult(
  'not_utf8: the file is not valid UTF-8, so nothing of it was executed. Save it as UTF-8.',
  'not_utf8',
)

export const interrupted = fatalResult(
  'The last run was interrupted: clada was ended in the middle of it. Its blocks are not run again, because some of ' +
    'them may be done. clada history shows what was changed, and clada undo reverts it; to run the blocks again, ' +
    'press f in clada watch, or start it with --again.',
)

/** Loads and compiles in advance what the first save needs. A preview changes nothing. */
export async function warmUp(clada: Clada, root: string, { git, gitCommit }: CladaOptions): Promise<void> {
  const sample = ['#!SHAM [@three-char-SHA-256: w4m]', 'action = "file_write"', `path = "${root}/w4m"`, 'content = "w"']
  await clada.preview([...sample, '#!END_SHAM_w4m', ''].join('\n'))
  if (gitCommit !== false && git !== 'off') await import('../git/checkpoints.ts')
}
