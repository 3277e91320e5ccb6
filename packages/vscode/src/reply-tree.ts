import path from 'node:path'
import * as vscode from 'vscode'
import type { ReviewedFile, ReviewHunk } from '../../clada/src/core/review.ts'
import type { BlockDetail, BlockState, PlanBlock } from '../../clada/src/ui/protocol.ts'
import type { PageSession } from '../../clada/src/ui/session.ts'
import { canDecide, lineInResult, partsOf, type ChoiceRow } from './choices.ts'
import { withoutMarkup, blockStateName } from './words.ts'

/** The blocks of the reply that is reviewed; a check mark means that it will be applied. */
export class ReplyTree implements vscode.TreeDataProvider<ChoiceRow> {
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChangeTreeData = this.#changed.event
  #session: PageSession | undefined

  show(session: PageSession | undefined): void {
    this.#session = session
    this.#changed.fire()
  }

  getChildren(row?: ChoiceRow): ChoiceRow[] {
    const { plan } = this.#session ?? {}
    if (plan === undefined || plan === null) return []
    if (row === undefined) return plan.blocks.map((block) => ({ kind: 'block', block }))
    const detail = this.#detail(row.block)
    return detail === undefined ? [] : partsOf(row, detail)
  }

  getTreeItem(row: ChoiceRow): vscode.TreeItem {
    if (row.kind === 'block') return this.#blockItem(row)
    if (row.kind === 'file') return fileTreeItem(row)
    return row.kind === 'hunk' ? hunkItem(row) : placeItem(row)
  }

  #blockItem(row: ChoiceRow & { kind: 'block' }): vscode.TreeItem {
    const { block } = row
    const { action, target, state, outcome, why, decided, warnings, runs } = block
    const detail = this.#detail(block)
    const hasParts = detail !== undefined && partsOf(row, detail).length > 0
    const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState
    const [name, dir] = blockLabels(block)
    const item = new vscode.TreeItem(withoutMarkup(name))
    const hasPlaces = detail !== undefined && detail.places.length > 0
    item.collapsibleState = !hasParts ? None : hasPlaces ? Expanded : Collapsed
    item.id = `${block.key}`
    item.description = withoutMarkup(
      [dir, target === '' ? '' : action, movedTo(detail), counts(block), decided, shownReason(block)]
        .filter(Boolean)
        .join(' · '),
    )
    item.iconPath = outcome === undefined ? iconOf(state) : outcomeIcon(outcome)
    item.tooltip = [`${action} ${target}`, runs, why, outcome?.why, ...(detail?.warnings ?? [])]
      .flatMap((line) => (line === undefined ? [] : withoutMarkup(line)))
      .join('\n')
    item.contextValue = !canDecide(block) ? 'block' : state === 'left' ? 'left' : 'taken'
    item.command = {
      command: 'clada.openBlock',
      title: vscode.l10n.t('Show This Change'),
      arguments: [row],
    }
    if (canDecide(block)) item.checkboxState = checkbox(state !== 'left')
    item.accessibilityInformation = {
      label: withoutMarkup(`${action} ${target}, ${blockStateName(state)}, ${why ?? ''} ${warnings}`),
    }
    return item
  }

  #detail(block: PlanBlock): BlockDetail | undefined {
    return this.#session?.planned?.detail(block.key)
  }
}

/** The row has the command already. */
const shownReason = ({ state, isProgram, outcome, why }: PlanBlock): string | undefined =>
  state === 'approval' && isProgram && outcome === undefined ? blockStateName(state) : why

function fileTreeItem(row: ChoiceRow & { kind: 'file' }): vscode.TreeItem {
  const { block, file } = row
  const item = new vscode.TreeItem(withoutMarkup(file.path))
  item.id = `${block.key}/${file.path}`
  const { None, Collapsed } = vscode.TreeItemCollapsibleState
  item.collapsibleState = file.hunks.length > 1 ? Collapsed : None
  const { added, removed } = block.files.find(({ path }) => path === file.path) ?? { added: 0, removed: 0 }
  item.description = `+${added} −${removed}`
  const isTaken = file.hunks.some(({ taken }) => taken)
  if (canDecide(block) && block.state !== 'left') {
    item.checkboxState = checkbox(isTaken)
    item.contextValue = isTaken ? 'taken' : 'left'
  }
  item.command = { command: 'clada.openBlock', title: vscode.l10n.t('Show This Change'), arguments: [row] }
  return item
}

function hunkItem({ block, file, hunk }: ChoiceRow & { kind: 'hunk' }): vscode.TreeItem {
  const { oldStart, oldEnd, newStart, newEnd, kind, taken } = hunk
  const at = kind === 'lines' ? vscode.l10n.t('line {0}', lineInResult(file, hunk) + 1) : vscode.l10n.t('whole file')
  const item = new vscode.TreeItem(at)
  item.id = `${block.key}/${file.path}/${hunk.id}/${newStart}`
  const count = kind === 'lines' ? `+${newEnd - newStart} −${oldEnd - oldStart}` : ''
  item.description = withoutMarkup([count, firstLineOf(file, hunk)].filter(Boolean).join('  '))
  if (canDecide(block) && block.state !== 'left') {
    item.checkboxState = checkbox(taken)
    item.contextValue = taken ? 'taken' : 'left'
  }
  item.command = {
    command: 'clada.openBlock',
    title: vscode.l10n.t('Show This Change'),
    arguments: [{ kind: 'hunk', block, file, hunk }],
  }
  return item
}

const firstLineOf = ({ after, before }: ReviewedFile, { newStart, newEnd, oldStart }: ReviewHunk): string =>
  (newEnd > newStart ? after?.split('\n')[newStart] : before?.split('\n')[oldStart])?.trim() ?? ''

function placeItem(row: ChoiceRow & { kind: 'place' }): vscode.TreeItem {
  const { line, similarity, text } = row.place
  const item = new vscode.TreeItem(vscode.l10n.t('Could go to line {0}', line))
  item.id = `${row.block.key}/place/${line}`
  const likeness = similarity === undefined ? [] : [vscode.l10n.t('{0}% similar', Math.round(similarity * 100))]
  item.description = withoutMarkup([...likeness, text.trim().split('\n')[0] ?? ''].join(' · '))
  item.iconPath = new vscode.ThemeIcon('location')
  item.contextValue = 'place'
  item.command = { command: 'clada.openBlock', title: vscode.l10n.t('Show This Place'), arguments: [row] }
  return item
}

/** The file before its directory, as everywhere in VS Code: views are narrow. A command is shown as it is. */
function blockLabels({ action, target, isProgram }: PlanBlock): readonly [name: string, dir: string] {
  if (target === '') return [action, '']
  if (isProgram || /\s/.test(target)) return [target, '']
  return [path.posix.basename(target), path.posix.dirname(target).replace(/^\.$/, '')]
}

function movedTo(detail: BlockDetail | undefined): string {
  const moved = detail?.files.find(({ from }) => from !== undefined)
  return moved === undefined ? '' : `→ ${moved.path}`
}

const counts = ({ files }: PlanBlock): string => {
  const sum = (side: 'added' | 'removed'): number => files.reduce((total, file) => total + file[side], 0)
  const [added, removed] = [sum('added'), sum('removed')]
  return added + removed === 0 ? '' : `+${added} −${removed}`
}

const checkbox = (isTaken: boolean): vscode.TreeItemCheckboxState =>
  isTaken ? vscode.TreeItemCheckboxState.Checked : vscode.TreeItemCheckboxState.Unchecked

const icons: Readonly<Record<BlockState, readonly [string, string?]>> = {
  checking: ['loading~spin'],
  ready: ['pass', 'testing.iconPassed'],
  repaired: ['warning', 'list.warningForeground'],
  part: ['warning', 'list.warningForeground'],
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
