import { type ApprovalLine, approvalLineOf, covers } from './approval-line.ts'
import {
  type ProjectList,
  readProjectList,
  readVouchers,
  type Voucher,
  writeProjectList,
  writeVouchers,
} from './vouchers.ts'
import { whatLineRuns, type WhatRuns } from './what-runs.ts'

/** What else an approval says. */
export type Grant = Partial<Pick<Voucher, 'network' | 'reads' | 'timeoutMs'>>

/** Approvals of one project: its own list, and what this user vouches for. Both must have a command. */
export class Approvals {
  readonly #root: string
  readonly #roots: readonly string[]

  /** @param further Other directories that documents can write to. */
  constructor(root: string, further: readonly string[] = []) {
    this.#root = root
    this.#roots = [root, ...further]
  }

  /** What a line would run now, the preferred program first. */
  runs(asked: ApprovalLine, approved?: ApprovalLine): [WhatRuns, ...WhatRuns[]] {
    return whatLineRuns(asked, { root: this.#root, roots: this.#roots }, approved?.words)
  }

  /** An approval holds for the words that it names, and for what they ran when it was given. */
  stateOf(asked: ApprovalLine): ApprovalState {
    const vouchers = readVouchers(this.#root)
    const listed = readProjectList(this.#root).commands.flatMap((command) => {
      const line = approvalLineOf(command)
      return 'line' in line && line.line === command && covers(line, asked) ? [line] : []
    })
    if (listed.length === 0) return { state: 'unknown' }
    const vouched = listed.flatMap((line) => {
      const voucher = vouchers.find((one) => one.command === line.line)
      return voucher === undefined ? [] : [{ line, voucher }]
    })
    // The longest first: what was said of few commands counts before what was said of many.
    for (const { line, voucher } of vouched.toSorted((one, other) => other.line.words.length - one.line.words.length)) {
      const runs = this.runs(asked, line).find(({ hash }) => hash === voucher.runs)
      if (runs !== undefined) return { state: 'approved', voucher, line, runs }
    }
    return { state: vouched.length === 0 ? 'unvouched' : 'changed' }
  }

  /** @throws SettingsError where the user's state cannot be kept, an error of the system where the project cannot be written to */
  add(line: ApprovalLine, { hash }: Pick<WhatRuns, 'hash'>, grant: Grant = {}): Voucher {
    const added = new Date().toISOString()
    const list = readProjectList(this.#root)
    const voucher = { command: line.line, runs: hash, network: false, added, ...grant }
    const vouchers = readVouchers(this.#root)
    writeVouchers(this.#root, [...vouchers.filter((one) => one.command !== line.line), voucher])
    try {
      writeProjectList(this.#root, {
        commands: [...new Set([...list.commands, line.line])],
        added: { ...list.added, [line.line]: list.added[line.line] ?? added },
      })
    } catch (error) {
      // Without its line in the list the voucher approves nothing.
      writeVouchers(this.#root, vouchers)
      throw error
    }
    return voucher
  }

  remove(command: string): boolean {
    const list = readProjectList(this.#root)
    const vouchers = readVouchers(this.#root)
    const left = vouchers.filter((one) => one.command !== command)
    const { [command]: _, ...added } = list.added
    if (list.commands.includes(command)) {
      writeProjectList(this.#root, { commands: list.commands.filter((one) => one !== command), added })
    }
    if (left.length < vouchers.length) writeVouchers(this.#root, left)
    return list.commands.includes(command) || left.length < vouchers.length
  }

  list(): { list: ProjectList; vouchers: readonly Voucher[] } {
    return { list: readProjectList(this.#root), vouchers: readVouchers(this.#root) }
  }

  /** The lines that would run without a question, as they are written. */
  approved(): string[] {
    return readProjectList(this.#root).commands.filter((command) => {
      const line = approvalLineOf(command)
      return 'line' in line && this.stateOf(line).state === 'approved'
    })
  }

  /** The line of the project's own list that covers this one. */
  listed(asked: ApprovalLine): ApprovalLine | undefined {
    return namedBy(this.list().list.commands, asked)
  }
}

/** The first of some lines, as a person wrote them, that covers another one. */
export function namedBy(commands: readonly string[], asked: ApprovalLine): ApprovalLine | undefined {
  for (const command of commands) {
    const line = approvalLineOf(command)
    if ('line' in line && covers(line, asked)) return line
  }
  return undefined
}

export type ApprovalState =
  | { readonly state: 'approved'; readonly voucher: Voucher; readonly line: ApprovalLine; readonly runs: WhatRuns }
  /** In the project's list, but this user has never seen it. */
  | { readonly state: 'unvouched' }
  /** It was approved when it ran something else. */
  | { readonly state: 'changed' }
  | { readonly state: 'unknown' }
