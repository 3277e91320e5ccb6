import type { Block } from '@clada/reply/core/block.ts'
import type { PathArg } from '../core/files.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import type { Proposal } from '@clada/reply/core/proposal.ts'
import { namesOnly } from '@clada/reply/syntax/proposal/proposal.ts'
import { missingSentence } from '../report/words.ts'
import { missingFrom } from '@clada/reply/text/whole-file.ts'
import type { Change, Scope } from '../workspace/open.ts'
import type { Decision, RunOptions } from './options.ts'
import { changeOf, diffOf } from './preview.ts'
import type { ReadyTask } from './tasks.ts'

/** What a reply proposes: each change is staged, shown, and written after a yes. */
export class Proposals {
  readonly #options: RunOptions
  /** When every earlier action is reported. */
  readonly #reported: () => Promise<void>
  /** Those that wait, or waited, for an answer. */
  readonly list: Proposal[] = []
  /** Those that nobody has answered. */
  readonly waiting: { readonly line: number; readonly path: string }[] = []
  /** Whether the user has said yes to all further ones. */
  #agreed: boolean

  constructor(options: RunOptions, reported: () => Promise<void>) {
    this.#options = options
    this.#reported = reported
    this.#agreed = options.options.proposals === 'apply'
  }

  /** The task without a first comment that only names the file, where the file has no such line. */
  async meant(task: ReadyTask, scope: Scope): Promise<ReadyTask> {
    const { block, decoded } = task
    const { path, content = '' } = block.params
    const [, first = '', rest = ''] = /^(.*)\r?\n([^]*)$/.exec(content) ?? []
    if (block.action !== 'file_write' || path === undefined || !namesOnly(first, path)) return task
    const text = await textAt(decoded.args['path'], scope)
    if (text === undefined || text.split(/\r?\n/).includes(first)) return task
    return {
      ...task,
      decoded: { ...decoded, params: { ...decoded.params, content: rest }, args: { ...decoded.args, content: rest } },
    }
  }

  /** Whether the file has this text already, as a whole or in consecutive lines. */
  async isHeld({ block, decoded }: ReadyTask, scope: Scope): Promise<boolean> {
    const { content } = block.params
    if (block.action !== 'file_write' || content === undefined || content.trim() === '') return false
    const text = await textAt(decoded.args['path'], scope)
    return text !== undefined && `\n${plainLines(text)}\n`.includes(`\n${plainLines(content)}\n`)
  }

  /** The reason not to start a program that a reply only proposes; undefined after a yes. */
  async decideCommand({ block, decoded }: ReadyTask): Promise<Problem | undefined> {
    const { command, code } = decoded.params
    const path = String(command ?? code ?? block.action)
    const answer = this.#agreed || this.#options.effect === 'show' ? 'once' : await this.#ask({ path, diff: '' })
    if (answer === 'once' || answer === 'always') return undefined
    if (answer === undefined) this.waiting.push({ line: block.startLine, path })
    return { kind: 'review-needed', path, refused: answer === 'no' }
  }

  /**
   * Decides about the changes of a proposal, for every front end: a preview lists it, an execution asks where a yes is
   * needed. A review is a yes, except to a part of a file that would replace all of it.
   */
  async decide({ block }: ReadyTask, changes: readonly Change[]): Promise<Decision> {
    const { effect, request } = this.#options
    const warnings: string[] = []
    for (const proposal of this.#of(block, changes)) {
      const { path, lacks } = proposal
      const isAgreed = this.#agreed || (effect !== 'show' && request.review !== undefined)
      if (isAgreed && lacks === undefined) continue
      this.list.push(proposal)
      if (lacks === 'everything') this.waiting.push({ line: block.startLine, path })
      if (lacks === 'everything') return { warnings, problem: { kind: 'review-needed', path, refused: false, lacks } }
      if (lacks !== undefined) warnings.push(missingSentence(lacks))
      if (effect === 'show') continue
      const answer = await this.#ask(proposal)
      if (answer === undefined) this.waiting.push({ line: block.startLine, path })
      if (answer !== 'once' && answer !== 'always')
        return { warnings, problem: { kind: 'review-needed', path, refused: answer === 'no', ...(lacks && { lacks }) } }
      this.#agreed ||= answer === 'always'
    }
    return { warnings }
  }

  async #ask({ path, diff, lacks }: Pick<Proposal, 'path' | 'diff' | 'lacks'>): Promise<string | undefined> {
    const { options, settings } = this.#options
    await this.#reported()
    return options.ask?.({
      root: settings.root,
      command: path,
      about: 'proposal',
      diff,
      ...(lacks && { lacks }),
      canTry: false,
      program: undefined,
      unsandboxed: false,
      changed: false,
      repository: false,
    })
  }

  #of(block: Block, changes: readonly Change[]): Proposal[] {
    const { root } = this.#options.settings
    return changes.map((change) => {
      const { path, diff } = diffOf(change, root)
      const { before, after, binary } = changeOf(change, root)
      const isWhole = before !== null && after !== null && block.action === 'file_write'
      const lacks = isWhole ? (binary ? 'most' : missingFrom(before, after)) : undefined
      return { line: block.startLine, path, kind: kindOf(block, before, after), diff, ...(lacks && { lacks }) }
    })
  }
}

function kindOf({ action }: Block, before: string | null, after: string | null): Proposal['kind'] {
  if (action === 'file_move') return 'move'
  if (before === null) return 'create'
  if (after === null) return 'delete'
  return action === 'file_write' ? 'overwrite' : 'edit'
}

const plainLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+|\n+$/g, '')

/** The text of a file; undefined where there is none that can be read. */
async function textAt(path: unknown, scope: Scope): Promise<string | undefined> {
  if (!isPath(path)) return undefined
  const files = scope.filesFor(() => {})
  try {
    return (await files.read(path)).text
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  } finally {
    files.close()
  }
}

const isPath = (path: unknown): path is PathArg => typeof path === 'object' && path !== null && 'absolute' in path
