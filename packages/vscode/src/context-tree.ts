import path from 'node:path'
import { formatCount } from '@clada/reply/core/words.ts'
import * as vscode from 'vscode'
import type { WorkingSetEntry } from '../../clada/src/ui/protocol.ts'
import type { FolderProject, Projects } from './projects.ts'
import { withoutMarkup } from './words.ts'

/** A file of the context of a project. */
export interface ContextRow {
  readonly project: FolderProject
  readonly entry: WorkingSetEntry
}

/** What goes with the prompt: a view of it, and how long both are in the status bar. */
export class ContextTree implements vscode.TreeDataProvider<ContextRow>, vscode.Disposable {
  readonly #projects: Projects
  readonly #item = vscode.window.createStatusBarItem('clada.tokens', vscode.StatusBarAlignment.Right, 99)
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChangeTreeData = this.#changed.event

  constructor(projects: Projects) {
    this.#projects = projects
    this.#item.name = vscode.l10n.t('clada: prompt and context')
    this.#item.command = 'clada.copyPrompt'
  }

  refresh(): void {
    this.#changed.fire()
  }

  async getChildren(row?: ContextRow): Promise<ContextRow[]> {
    if (row !== undefined) return []
    const { workspaceFolders: folders = [] } = vscode.workspace
    const rows = await Promise.all(
      folders.map(async (folder) => {
        const project = await this.#projects.open(folder)
        const { entries } = await project.session.changeContext('add', [])
        return entries.map((entry) => ({ project, entry }))
      }),
    )
    return rows.flat()
  }

  getTreeItem({ project, entry }: ContextRow): vscode.TreeItem {
    const item = new vscode.TreeItem(withoutMarkup(entry.path))
    item.id = `${project.folder.uri.toString()} ${entry.path}`
    const folder = (vscode.workspace.workspaceFolders?.length ?? 0) > 1 ? [project.folder.name] : []
    const tokens = entry.tokens === undefined ? [] : [formatCount(entry.tokens, 'token')]
    item.description = withoutMarkup(
      [...folder, ...tokens, ...(entry.problem === undefined ? [] : [entry.problem])].join(' · '),
    )
    item.contextValue = 'context'
    item.iconPath = new vscode.ThemeIcon(entry.problem === undefined ? 'file' : 'warning')
    return item
  }

  async add({ session, folder }: FolderProject, uris: readonly vscode.Uri[]): Promise<void> {
    const { leftOut } = await session.changeContext(
      'add',
      uris.map((uri) => contextPath(folder, uri, uris.length)),
    )
    await this.tell({ session, folder })
    if (leftOut.length > 0)
      void vscode.window.showWarningMessage(vscode.l10n.t('Left out: {0}', withoutMarkup(leftOut.join('; '))))
  }

  async remove({ project, entry }: ContextRow): Promise<void> {
    await project.session.changeContext('remove', [entry.path])
    await this.tell(project)
  }

  /** Counts again what the prompt and its context come to. */
  async tell({ session }: FolderProject): Promise<void> {
    const { clada, rules } = session.project
    const { tokens } = await clada.prompt({ rules, context: {} })
    const { entries } = await session.changeContext('add', [])
    this.#item.text = `$(book) ${formatCount(tokens, 'token')}`
    this.#item.tooltip = vscode.l10n.t(
      'Prompt with {0} of context: {1}. Click to copy.',
      formatCount(entries.length, 'file'),
      formatCount(tokens, 'token'),
    )
    if (entries.length === 0) this.#item.hide()
    else this.#item.show()
    this.refresh()
  }

  dispose(): void {
    this.#item.dispose()
  }
}

/** A file with the lines that are selected in it. */
function contextPath(folder: vscode.WorkspaceFolder, uri: vscode.Uri, count: number): string {
  const { selection, document } = vscode.window.activeTextEditor ?? {}
  const file = path.relative(folder.uri.fsPath, uri.fsPath).replaceAll(path.sep, '/')
  const isSelected = count === 1 && document?.uri.toString() === uri.toString() && selection?.isEmpty === false
  if (!isSelected) return file === '' ? '.' : file
  // A selection that ends before the first character of a line has nothing of that line.
  const last = selection.end.character === 0 && selection.end.line > selection.start.line ? 0 : 1
  return `${file}:${selection.start.line + 1}-${selection.end.line + last}`
}
