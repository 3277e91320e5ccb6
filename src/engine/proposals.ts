import type { Block } from '../core/block.ts'
import type { PathArg } from '../core/files.ts'
import { type Problem, Stop } from '../core/problem.ts'
import type { Proposal } from '../core/result.ts'
import { namesOnly } from '../syntax/proposal/proposal.ts'
import { endLeftOut } from '../text/elision.ts'
import type { Change, GroupScope, Scope } from '../workspace/open.ts'
import { problemOf } from './action-runner.ts'
import type { RunOptions } from './options.ts'
import { changeOf, diffOf } from './preview.ts'
import type { ReadyTask } from './tasks.ts'

interface Run {
  /** When every earlier action is reported. */
  reported(): Promise<void>
  warn(text: string): void
  /** Brings what is staged to the disk. */
  land(scope: GroupScope): Promise<void>
}

/** Whole files that a reply proposes: each is staged, shown, and written after a yes. */
export class Proposals {
  readonly #options: RunOptions
  readonly #run: Run
  /** Those that wait, or waited, for an answer. */
  readonly list: Proposal[] = []
  /** Whether the user has said yes to all further ones. */
  #agreed: boolean

  constructor(options: RunOptions, run: Run) {
    this.#options = options
    this.#run = run
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

  /** Shows what a proposal would change. */
  show({ block }: ReadyTask, changes: readonly Change[]): void {
    for (const proposal of this.#of(block, changes)) {
      const { path, lacks } = proposal
      if (lacks !== undefined)
        this.#run.warn(`${path}: the proposal has nothing for the ${lacks} of the file, and would delete it`)
      if (!this.#agreed || lacks !== undefined) this.list.push(proposal)
    }
  }

  /** Lands a proposal, or says why not. */
  async decide({ block }: ReadyTask, scope: GroupScope, changes: readonly Change[]): Promise<Problem | undefined> {
    const [proposal] = this.#of(block, changes)
    // The file is already like that.
    if (proposal === undefined) return undefined
    const { path, diff, lacks } = proposal
    if (!this.#agreed || lacks !== undefined) {
      this.list.push(proposal)
      const answer = await this.#ask(path, diff)
      if (answer !== 'once' && answer !== 'always')
        return { kind: 'review-needed', path, refused: answer === 'no', ...(lacks && { lacks }) }
      this.#agreed ||= answer === 'always'
    }
    try {
      await this.#run.land(scope)
      return undefined
    } catch (error) {
      return problemOf(error)
    }
  }

  async #ask(path: string, diff: string): Promise<string | undefined> {
    const { options, settings } = this.#options
    await this.#run.reported()
    return options.ask?.({
      root: settings.root,
      command: path,
      about: 'proposal',
      diff,
      runs: undefined,
      changed: false,
      installs: false,
      repository: false,
    })
  }

  #of(block: Block, changes: readonly Change[]): Proposal[] {
    const { root } = this.#options.settings
    return changes.map((change) => {
      const { path, diff } = diffOf(change, root)
      const { before, after } = changeOf(change, root)
      const isWhole = before !== null && after !== null && block.action === 'file_write'
      const lacks = isWhole ? endLeftOut(before, after) : undefined
      const kind = before === null ? 'create' : 'overwrite'
      return { line: block.startLine, path, kind, diff, ...(lacks && { lacks }) }
    })
  }
}

/** The text of a file; undefined where there is none that can be read. */
async function textAt(path: unknown, scope: Scope): Promise<string | undefined> {
  if (!isPath(path)) return undefined
  const files = scope.filesFor(() => {})
  try {
    return (await files.read(path)).text
  } catch (error) {
    if (error instanceof Stop) return undefined
    throw error
  } finally {
    files.close()
  }
}

const isPath = (path: unknown): path is PathArg => typeof path === 'object' && path !== null && 'absolute' in path
