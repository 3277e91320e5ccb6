import * as vscode from 'vscode'
import type { BlockChoice, ReviewedFile, ReviewHunk, ReviewPlace } from '../../clada/src/core/review.ts'
import type { BlockDetail, BlockState, PlanBlock } from '../../clada/src/ui/protocol.ts'
import type { Session } from '../../clada/src/ui/session.ts'
import { plain } from './words.ts'

/** A row of the view: a block, one of its changes, or a place where it could go. */
export type Row =
  | { readonly kind: 'block'; readonly block: PlanBlock }
  | { readonly kind: 'hunk'; readonly block: PlanBlock; readonly file: ReviewedFile; readonly hunk: ReviewHunk }
  | { readonly kind: 'place'; readonly block: PlanBlock; readonly place: ReviewPlace }

/** The blocks of the reply that is reviewed; a check mark means that it will be applied. */
export class ReplyTree implements vscode.TreeDataProvider<Row> {
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChangeTreeData = this.#changed.event
  #session: Session | undefined

  show(session: Session | undefined): void {
    this.#session = session
    this.#changed.fire()
  }

  getChildren(row?: Row): Row[] {
    const { plan } = this.#session ?? {}
    if (plan === undefined || plan === null) return []
    if (row === undefined) return plan.blocks.map((block) => ({ kind: 'block', block }))
    if (row.kind !== 'block') return []
    const detail = this.#detail(row.block)
    return detail === undefined ? [] : partsOf(row.block, detail)
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if (row.kind === 'block') return this.#blockItem(row.block)
    return row.kind === 'hunk' ? hunkItem(row) : placeItem(row)
  }

  #blockItem(block: PlanBlock): vscode.TreeItem {
    const { action, target, state, outcome, why, decided, warnings, runs } = block
    const detail = this.#detail(block)
    const hasParts = detail !== undefined && partsOf(block, detail).length > 0
    const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState
    const item = new vscode.TreeItem(plain(target === '' ? action : target))
    item.collapsibleState = !hasParts ? None : state === 'fails' ? Expanded : Collapsed
    item.id = `${block.key}`
    item.description = plain([target === '' ? '' : action, counts(block), decided, why].filter(Boolean).join(' · '))
    item.iconPath = outcome === undefined ? iconOf(state) : outcomeIcon(outcome)
    item.tooltip = [`${action} ${target}`, runs, why, outcome?.why, ...(detail?.warnings ?? [])]
      .flatMap((line) => (line === undefined ? [] : plain(line)))
      .join('\n')
    item.contextValue = 'block'
    item.command = {
      command: 'clada.openBlock',
      title: vscode.l10n.t('Show This Change'),
      arguments: [{ kind: 'block', block }],
    }
    if (canDecide(block)) item.checkboxState = checkbox(state !== 'left')
    item.accessibilityInformation = {
      label: plain(`${action} ${target}, ${stateNames[state]}, ${why ?? ''} ${warnings}`),
    }
    return item
  }

  #detail(block: PlanBlock): BlockDetail | undefined {
    return this.#session?.planned?.detail(block.key)
  }
}

/** The decision that a changed check mark means. */
export function checkedChoice(row: Row, choice: BlockChoice, state: vscode.TreeItemCheckboxState): BlockChoice {
  const isTaken = state === vscode.TreeItemCheckboxState.Checked
  if (row.kind === 'block') return { ...choice, leaveOut: !isTaken }
  if (row.kind === 'place') return choice
  const others = (choice.leave ?? []).filter(({ hunk }) => hunk !== row.hunk.id)
  return { ...choice, leave: isTaken ? others : [...others, { hunk: row.hunk.id }] }
}

/** The decision for a place that the user has chosen. */
export function placeChoice({ line, endLine, hunk, params }: ReviewPlace, choice: BlockChoice): BlockChoice {
  return params === undefined
    ? { ...choice, place: { line, endLine, ...(hunk === undefined ? {} : { hunk }) } }
    : { ...choice, params: { ...choice.params, ...params } }
}

const canDecide = ({ task, state, outcome }: PlanBlock): boolean =>
  task !== undefined && outcome === undefined && decidable.has(state)

const decidable: ReadonlySet<BlockState> = new Set(['ready', 'repaired', 'approval', 'unknown', 'left'])

function partsOf(block: PlanBlock, { files, places }: BlockDetail): Row[] {
  const hunks = files.flatMap((file) => file.hunks.map((hunk): Row => ({ kind: 'hunk', block, file, hunk })))
  // The only change of a block is taken or left out with the block.
  const parts = hunks.length > 1 ? hunks : []
  return block.outcome === undefined ? [...parts, ...places.map((place): Row => ({ kind: 'place', block, place }))] : []
}

function hunkItem({ block, file, hunk }: Row & { kind: 'hunk' }): vscode.TreeItem {
  const { oldStart, oldEnd, newStart, newEnd, kind, taken } = hunk
  const at = kind === 'lines' ? vscode.l10n.t('line {0}', newStart + 1) : vscode.l10n.t('whole file')
  const item = new vscode.TreeItem(at)
  item.id = `${block.key}/${file.path}/${hunk.id}/${newStart}`
  const count = kind === 'lines' ? `+${newEnd - newStart} −${oldEnd - oldStart}` : ''
  item.description = plain([count, firstLineOf(file, hunk)].filter(Boolean).join('  '))
  if (canDecide(block) && block.state !== 'left') item.checkboxState = checkbox(taken)
  item.command = {
    command: 'clada.openBlock',
    title: vscode.l10n.t('Show This Change'),
    arguments: [{ kind: 'hunk', block, file, hunk }],
  }
  return item
}

const firstLineOf = ({ after, before }: ReviewedFile, { newStart, newEnd, oldStart }: ReviewHunk): string =>
  (newEnd > newStart ? after?.split('\n')[newStart] : before?.split('\n')[oldStart])?.trim() ?? ''

function placeItem(row: Row & { kind: 'place' }): vscode.TreeItem {
  const { line, similarity, text } = row.place
  const item = new vscode.TreeItem(vscode.l10n.t('Could go to line {0}', line))
  item.id = `${row.block.key}/place/${line}`
  const likeness = similarity === undefined ? '' : `${Math.round(similarity * 100)}% `
  item.description = plain(`${likeness}${text.trim().split('\n')[0] ?? ''}`)
  item.iconPath = new vscode.ThemeIcon('location')
  item.contextValue = 'place'
  item.command = { command: 'clada.openBlock', title: vscode.l10n.t('Show This Place'), arguments: [row] }
  return item
}

const counts = ({ files }: PlanBlock): string => {
  const sum = (side: 'added' | 'removed'): number => files.reduce((total, file) => total + file[side], 0)
  return files.length === 0 ? '' : `+${sum('added')} −${sum('removed')}`
}

const checkbox = (isTaken: boolean): vscode.TreeItemCheckboxState =>
  isTaken ? vscode.TreeItemCheckboxState.Checked : vscode.TreeItemCheckboxState.Unchecked

const stateNames: Readonly<Record<BlockState, string>> = {
  checking: 'being checked',
  ready: 'ready',
  repaired: 'ready, with a warning',
  approval: 'needs your approval',
  unknown: 'depends on a program',
  refused: 'refused',
  fails: 'would fail',
  broken: 'cannot be read',
  skipped: 'skipped',
  left: 'left out',
}

const icons: Readonly<Record<BlockState, readonly [string, string?]>> = {
  checking: ['loading~spin'],
  ready: ['pass', 'testing.iconPassed'],
  repaired: ['warning', 'list.warningForeground'],
  approval: ['question', 'list.warningForeground'],
  unknown: ['question'],
  refused: ['circle-slash', 'list.errorForeground'],
  fails: ['error', 'list.errorForeground'],
  broken: ['error', 'list.errorForeground'],
  skipped: ['debug-step-over'],
  left: ['circle-large-outline'],
}

function iconOf(state: BlockState): vscode.ThemeIcon {
  const [icon, color] = icons[state]
  return new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color))
}

const outcomeIcon = ({ success, left }: NonNullable<PlanBlock['outcome']>): vscode.ThemeIcon =>
  left === true
    ? iconOf('left')
    : success
      ? new vscode.ThemeIcon('check-all', new vscode.ThemeColor('testing.iconPassed'))
      : iconOf('fails')
