import * as vscode from 'vscode'
import type { ExecutedAction, HistoryEntry } from '../../clada/src/engine/history-run.ts'
import { withoutMarkup } from './words.ts'
import type { FolderProject, Projects } from './projects.ts'

/** An execution of a project, or one of its actions. */
export interface HistoryRow {
  readonly project: FolderProject
  readonly entry: HistoryEntry
  readonly action?: ExecutedAction
}

/** The executions of all folders that were used, the newest first. */
export class HistoryTree implements vscode.TreeDataProvider<HistoryRow> {
  readonly #projects: Projects
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChangeTreeData = this.#changed.event

  constructor(projects: Projects) {
    this.#projects = projects
  }

  refresh(): void {
    this.#changed.fire()
  }

  async getChildren(row?: HistoryRow): Promise<HistoryRow[]> {
    if (row !== undefined) return row.action === undefined ? this.#actionsOf(row) : []
    const { workspaceFolders: folders = [] } = vscode.workspace
    const opened = await Promise.all(folders.map((folder) => this.#projects.open(folder)))
    const rows = await Promise.all(
      opened.map(async (project) => {
        const { entries } = await this.#projects.timelineOf(project)
        return entries.filter(({ kind }) => kind === 'run').map((entry) => ({ project, entry }))
      }),
    )
    return rows.flat().toSorted((a, b) => (a.entry.time < b.entry.time ? 1 : -1))
  }

  getTreeItem(row: HistoryRow): vscode.TreeItem {
    return row.action === undefined ? executionItem(row) : actionItem(row, row.action)
  }

  async #actionsOf({ project, entry }: HistoryRow): Promise<HistoryRow[]> {
    const { describeExecution } = await this.#projects.engine()
    const { actions } = await describeExecution(project.session.project, entry.number)
    return actions.map((action) => ({ project, entry, action }))
  }
}

function executionItem(row: HistoryRow): vscode.TreeItem {
  const { entry, project } = row
  const { number, summary, undone, interrupted, failed, time, paths } = entry
  const item = new vscode.TreeItem(withoutMarkup(summary), vscode.TreeItemCollapsibleState.Collapsed)
  item.id = `${project.folder.uri.toString()}#${number}`
  const folder = (vscode.workspace.workspaceFolders?.length ?? 0) > 1 ? [project.folder.name] : []
  const notes = [undone && vscode.l10n.t('undone'), interrupted && vscode.l10n.t('interrupted')].filter(Boolean)
  item.description = [`#${number}`, ...folder, ...notes, new Date(time).toLocaleString()].join(' · ')
  item.tooltip = [withoutMarkup(summary), ...paths.map(withoutMarkup)].join('\n')
  item.contextValue = undone ? 'undone' : 'done'
  item.iconPath = new vscode.ThemeIcon(undone ? 'discard' : failed > 0 || interrupted ? 'warning' : 'git-commit')
  item.command = showChanges(row)
  return item
}

function actionItem(
  row: HistoryRow,
  { seq, action, target, success, left, undone, error }: ExecutedAction,
): vscode.TreeItem {
  const item = new vscode.TreeItem(withoutMarkup(`${action} ${target}`.trim()))
  item.id = `${row.project.folder.uri.toString()}#${row.entry.number}/${seq}`
  const isUndone = undone || row.entry.undone
  const said = isUndone ? vscode.l10n.t('undone') : left ? vscode.l10n.t('left out') : error
  item.description = withoutMarkup(said ?? '')
  // An execution that was undone is brought back as a whole.
  item.contextValue = !success || row.entry.undone ? 'none' : undone ? 'undone' : 'done'
  item.iconPath = new vscode.ThemeIcon(
    isUndone ? 'discard' : success ? 'check' : left ? 'circle-large-outline' : 'error',
  )
  item.command = showChanges(row)
  return item
}

const showChanges = (row: HistoryRow): vscode.Command => ({
  command: 'clada.showExecution',
  title: vscode.l10n.t('Show the Changes'),
  arguments: [row],
})
