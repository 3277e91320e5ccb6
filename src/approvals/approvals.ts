import { type ProjectList, readProjectList, writeProjectList } from './project-list.ts'
import { readVouchers, type Voucher, writeVouchers } from './vouchers.ts'
import type { WhatRuns } from './what-runs.ts'

/** Approvals of one project: its own list, and what this user vouches for. Both must have a command. */
export class Approvals {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  /** Compared byte for byte: nothing is normalised, so nothing else can pass for it. */
  stateOf(command: string, runs: Pick<WhatRuns, 'hash'>): ApprovalState {
    const voucher = readVouchers(this.#root).find((one) => one.command === command)
    if (!readProjectList(this.#root).commands.includes(command)) return { state: 'unknown' }
    if (voucher === undefined) return { state: 'unvouched' }
    return voucher.runs === runs.hash ? { state: 'approved', network: voucher.network } : { state: 'changed' }
  }

  add(command: string, { hash, network }: Pick<WhatRuns, 'hash' | 'network'>): void {
    const added = new Date().toISOString()
    const list = readProjectList(this.#root)
    writeProjectList(this.#root, {
      commands: [...new Set([...list.commands, command])],
      added: { ...list.added, [command]: list.added[command] ?? added },
    })
    const others = readVouchers(this.#root).filter((one) => one.command !== command)
    writeVouchers(this.#root, [...others, { command, runs: hash, network, added }])
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
}

export type ApprovalState =
  | { readonly state: 'approved'; readonly network: boolean }
  /** In the project's list, but this user has never seen it. */
  | { readonly state: 'unvouched' }
  /** It was approved when it ran something else. */
  | { readonly state: 'changed' }
  | { readonly state: 'unknown' }
