import path from 'node:path'
import * as vscode from 'vscode'

/** Documents of a folder with changes that are not saved. */
export const listUnsaved = (folder: vscode.WorkspaceFolder): vscode.TextDocument[] =>
  vscode.workspace.textDocuments.filter(
    ({ isDirty, uri }) =>
      isDirty &&
      uri.scheme === folder.uri.scheme &&
      vscode.workspace.getWorkspaceFolder(uri)?.uri.toString() === folder.uri.toString(),
  )

/** Their texts by path, as clada takes them. */
export const unsavedTexts = (folder: vscode.WorkspaceFolder): Record<string, string> =>
  Object.fromEntries(
    listUnsaved(folder).map((document) => [
      path.relative(folder.uri.fsPath, document.uri.fsPath).replaceAll(path.sep, '/'),
      document.getText(),
    ]),
  )
