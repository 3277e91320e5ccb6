import path from 'node:path'
import * as vscode from 'vscode'
import type { HistoryEntry } from '../../clada/src/engine/history-run.ts'
import type { Projects } from './projects.ts'

/** Says by which execution a line was written, from clada's own log. Off unless the user turns it on. */
export class WhoWrote implements vscode.HoverProvider {
  readonly #projects: Projects
  /** Of the document that was asked about last. */
  #known: { readonly key: string; readonly origins: Promise<readonly (HistoryEntry | undefined)[]> } | undefined

  constructor(projects: Projects) {
    this.#projects = projects
  }

  async provideHover(document: vscode.TextDocument, { line }: vscode.Position): Promise<vscode.Hover | undefined> {
    const folder = vscode.workspace.getWorkspaceFolder(document.uri)
    const isWanted = vscode.workspace.getConfiguration('clada').get('whoWroteLine') === true
    if (!isWanted || folder === undefined) return undefined
    const entry = (await this.#originsOf(document, folder))[line]
    if (entry === undefined) return undefined
    const when = new Date(entry.time).toLocaleString()
    const text = vscode.l10n.t('Written by clada, execution #{0}, {1}', entry.of ?? entry.number, when)
    // Summaries hold words of models: text, and never Markdown.
    return new vscode.Hover(new vscode.MarkdownString().appendText(`${text}\n${entry.summary}`))
  }

  /** The history has changed. */
  forget(): void {
    this.#known = undefined
  }

  async #originsOf(
    document: vscode.TextDocument,
    folder: vscode.WorkspaceFolder,
  ): Promise<readonly (HistoryEntry | undefined)[]> {
    const key = `${document.uri.toString()} ${document.version}`
    if (this.#known?.key === key) return this.#known.origins
    const [{ lineOrigins }, { session }] = await Promise.all([this.#projects.engine(), this.#projects.open(folder)])
    const file = path.relative(folder.uri.fsPath, document.uri.fsPath).replaceAll(path.sep, '/')
    const origins = lineOrigins(session.project, file, document.getText())
    this.#known = { key, origins }
    return origins
  }
}
