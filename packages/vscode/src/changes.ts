import path from 'node:path'
import * as vscode from 'vscode'
import type { FileChange } from '../../clada/src/core/result.ts'

/** Shows changes of files side by side, from texts that are on no disk. */
export class ChangesEditor implements vscode.TextDocumentContentProvider {
  static readonly scheme = 'clada-changes'

  readonly #texts = new Map<string, string>()
  #last = 0

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.query) ?? ''
  }

  /** All of them in one editor. */
  async open(title: string, root: vscode.Uri, changes: readonly FileChange[]): Promise<void> {
    const rows = changes.map((change) => {
      const file = findFile(root, change.path)
      return [file, this.#side(file, change.before), this.#side(file, change.after)]
    })
    await vscode.commands.executeCommand('vscode.changes', title, rows)
  }

  /** One of them, at a line of the new text. */
  async openOne(root: vscode.Uri, change: FileChange, line = 0): Promise<void> {
    const file = findFile(root, change.path)
    const [before, after] = [this.#side(file, change.before ?? ''), this.#side(file, change.after ?? '')]
    const selection = new vscode.Range(line, 0, line, 0)
    await vscode.commands.executeCommand('vscode.diff', before, after, change.path, { preview: true, selection })
  }

  #side(file: vscode.Uri, text: string | null): vscode.Uri | undefined {
    if (text === null) return undefined
    const key = String(++this.#last)
    this.#texts.set(key, text)
    // Editors of a reply that was discarded are closed long before.
    if (this.#texts.size > 2000) this.#texts.delete(String(this.#last - 2000))
    return file.with({ scheme: ChangesEditor.scheme, query: key })
  }
}

export const findFile = (root: vscode.Uri, file: string): vscode.Uri =>
  path.isAbsolute(file) ? vscode.Uri.file(file) : vscode.Uri.joinPath(root, file)
