import path from 'node:path'
import type { CommandSettings } from '../core/commands.ts'
import type { Settings } from '../core/settings.ts'
import { chooseSandbox, whyNotStarting } from '../process/sandbox.ts'
import { isFollowedFile } from '../workspace/followed-files.ts'
import { type ApprovalLine, approvalLineOf, covers } from './approval-line.ts'
import { type Deciders, decidersDigest, differOnlyIn, readDeciders } from './deciders.ts'
import { withGitDeciders } from './git-deciders.ts'
import { findNamed, type FoundProgram, type ProgramOrder } from './program.ts'
import {
  type ProjectList,
  readProjectList,
  readVouchers,
  type Voucher,
  writeProjectList,
  writeVouchers,
} from './vouchers.ts'

/** What else an approval says. */
export type Grant = Partial<Pick<Voucher, 'network' | 'reads' | 'env' | 'timeoutMs'>>

/**
 * Why an approval gives more than `exec` has, so that it is bound to files: `plain` gives no more, and is for the words
 * and the directory.
 */
export type Width = 'plain' | 'wide'

/** The approvals of a project as a run has them. */
export async function approvalsFor(
  { root, allowedRoots, allowedActions }: Pick<Settings, 'root' | 'allowedRoots' | 'allowedActions'>,
  { exec, env }: Pick<CommandSettings, 'exec' | 'env'>,
): Promise<Approvals> {
  // A plain approval gives no more than `exec` has; where that is off, or sees fewer variables, or has no sandbox, all are wide.
  const unsandboxed = exec === 'unsandboxed' || !(await hasSandbox(root))
  const runsCode = exec === 'sandbox' && (allowedActions === null || allowedActions.includes('exec'))
  const least = runsCode && env.length === 0 && !unsandboxed ? 'plain' : 'wide'
  return new Approvals(root, allowedRoots, { least, unsandboxed })
}

const sandboxes = new Map<string, Promise<boolean>>()

/** Whether one comes up here. Tried once in a process. */
function hasSandbox(root: string): Promise<boolean> {
  const choice = chooseSandbox()
  if (!choice.ok) return Promise.resolve(false)
  const known = sandboxes.get(root) ?? whyNotStarting(choice.sandbox, root).then((reason) => reason === undefined)
  sandboxes.set(root, known)
  return known
}

interface ApprovalNeeds {
  readonly least: Width
  readonly unsandboxed: boolean
}

/** Approvals of one project: its own list, and what this user vouches for. Both must have a command. */
export class Approvals {
  readonly #root: string
  readonly #roots: readonly string[]
  readonly #least: Width
  /** Whether commands run without a sandbox here. */
  readonly isUnsandboxed: boolean

  /**
   * @param further Other directories that documents can write to.
   * @param here `least` is `wide` where every approval is.
   */
  constructor(root: string, further: readonly string[] = [], here: Partial<ApprovalNeeds> = {}) {
    this.#root = root
    this.#roots = [root, ...further]
    this.#least = here.least ?? 'plain'
    this.isUnsandboxed = here.unsandboxed ?? false
  }

  widthOf({ words }: ApprovalLine, { network, reads, env }: Grant = {}): Width {
    const more = network === true || (reads ?? []).length + (env ?? []).length > 0
    // An approved git command writes to the real repository.
    return more || words[0] === 'git' ? 'wide' : this.#least
  }

  /** The program that a line would start now. */
  program({ words, dir }: ApprovalLine, width: Width): FoundProgram | undefined {
    const place = { cwd: path.resolve(this.#root, dir), root: this.#root, roots: this.#roots }
    return findNamed(words[0] ?? '', place, orderFor(width))
  }

  /** Everything that could decide what a line runs: files of certain names, the program, and files that the line names. */
  deciders(line: ApprovalLine): Deciders {
    const further = [...(this.program(line, 'wide')?.inside ?? []), ...this.#named(line)]
    const found = readDeciders({ root: this.#root, roots: this.#roots, further: [...new Set(further)] })
    return line.words[0] === 'git' ? withGitDeciders(this.#root, path.resolve(this.#root, line.dir), found) : found
  }

  /** For git they are data. */
  #named({ words, dir }: ApprovalLine): string[] {
    if (words[0] === 'git') return []
    const names = words.slice(1).flatMap((word) => [word, word.slice(word.indexOf('=') + 1)])
    const files = names.map((name) => path.resolve(this.#root, dir, name))
    return files.filter(isFollowedFile)
  }

  stateOf(asked: ApprovalLine): ApprovalState {
    const vouchers = readVouchers(this.#root)
    const listed = readProjectList(this.#root).commands.flatMap((command) => {
      const line = approvalLineOf(command)
      return 'line' in line && covers(line, asked) ? [line] : []
    })
    if (listed.length === 0) return { state: 'unknown' }
    const vouched = listed.flatMap((line) => {
      const voucher = vouchers.find((one) => one.command === line.typed)
      return voucher === undefined ? [] : [{ line, voucher }]
    })
    // The longest first: what was said of few commands counts before what was said of many.
    for (const { line, voucher } of vouched.toSorted((one, other) => other.line.words.length - one.line.words.length)) {
      const width = this.widthOf(asked, voucher)
      if (width === 'plain') return { state: 'approved', voucher, line, width }
      const deciders = this.deciders(line)
      const digest = decidersDigest(deciders)
      if (digest !== null && digest === voucher.digest) return { state: 'approved', voucher, line, width, deciders }
    }
    return { state: vouched.length === 0 ? 'unvouched' : 'changed' }
  }

  /**
   * @param deciders What the user was told that it is bound to.
   * @throws SettingsError where the user's state cannot be kept, an error of the system where the project cannot be written to
   */
  add(line: ApprovalLine, grant: Grant = {}, deciders?: Deciders): ApprovalState & { state: 'approved' } {
    const added = new Date().toISOString()
    const list = readProjectList(this.#root)
    const width = this.widthOf(line, grant)
    const bound = width === 'plain' ? undefined : (deciders ?? this.deciders(line))
    const digest = bound === undefined ? null : decidersDigest(bound)
    const voucher = { command: line.typed, digest, network: false, added, ...grant }
    const vouchers = readVouchers(this.#root)
    writeVouchers(this.#root, [...vouchers.filter((one) => !isSameCommand(one.command, line)), voucher])
    try {
      writeProjectList(this.#root, {
        commands: [
          ...list.commands.filter((one) => one === line.typed || !isSameCommand(one, line)),
          line.typed,
        ].filter(isFirst),
        added: { ...list.added, [line.typed]: list.added[line.typed] ?? added },
      })
    } catch (error) {
      // Without its line in the list the voucher approves nothing.
      writeVouchers(this.#root, vouchers)
      throw error
    }
    return { state: 'approved', voucher, line, width, deciders: bound }
  }

  /** After an approved command has changed files itself: they were part of what was approved, others were not. */
  retake({ voucher, line, deciders }: ApprovalState & { state: 'approved' }, changed: readonly string[]): void {
    if (deciders === undefined) return
    const now = this.deciders(line)
    const digest = decidersDigest(now)
    if (digest === null || digest === voucher.digest || !differOnlyIn(deciders, now, changed)) return
    const vouchers = readVouchers(this.#root)
    if (!vouchers.some((one) => one.command === voucher.command && one.digest === voucher.digest)) return
    writeVouchers(
      this.#root,
      vouchers.map((one) => (one.command === voucher.command ? { ...one, digest } : one)),
    )
  }

  remove(command: string): boolean {
    const read = approvalLineOf(command)
    const isMeant = (one: string): boolean => one === command || ('line' in read && isSameCommand(one, read))
    const list = readProjectList(this.#root)
    const vouchers = readVouchers(this.#root)
    const commands = list.commands.filter((one) => !isMeant(one))
    const left = vouchers.filter((one) => !isMeant(one.command))
    if (commands.length < list.commands.length) {
      const added = Object.fromEntries(Object.entries(list.added).filter(([one]) => !isMeant(one)))
      writeProjectList(this.#root, { commands, added })
    }
    if (left.length < vouchers.length) writeVouchers(this.#root, left)
    return commands.length < list.commands.length || left.length < vouchers.length
  }

  list(): { list: ProjectList; vouchers: readonly Voucher[] } {
    return { list: readProjectList(this.#root), vouchers: readVouchers(this.#root) }
  }

  /** The lines that would run without a question, as they were typed. */
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

/** What may do more than code never takes a program of the project in the place of one of the user's. */
export const orderFor = (width: Width): ProgramOrder => (width === 'plain' ? 'project' : 'user')

/** Whether a stored command is the same line, however it is spelled. */
function isSameCommand(command: string, { line }: ApprovalLine): boolean {
  const read = approvalLineOf(command)
  return 'line' in read && read.line === line
}

const isFirst = (one: string, at: number, all: readonly string[]): boolean => all.indexOf(one) === at

/** The first of some lines, as a person wrote them, that covers another one. */
export function namedBy(commands: readonly string[], asked: ApprovalLine): ApprovalLine | undefined {
  for (const command of commands) {
    const line = approvalLineOf(command)
    if ('line' in line && covers(line, asked)) return line
  }
  return undefined
}

export type ApprovalState =
  | {
      readonly state: 'approved'
      readonly voucher: Voucher
      readonly line: ApprovalLine
      readonly width: Width
      /** Of a wide one: the files that it is bound to, as they are now. */
      readonly deciders?: Deciders
    }
  /** In the project's list, but this user has never seen it. */
  | { readonly state: 'unvouched' }
  /** It was approved when files that could decide what it runs had another content. */
  | { readonly state: 'changed' }
  | { readonly state: 'unknown' }
