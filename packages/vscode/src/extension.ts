import path from 'node:path'
import { counted } from '@clada/reply/core/words.ts'
import * as vscode from 'vscode'
import { ChangesEditor } from './changes.ts'
import { HistoryTree, type HistoryRow } from './history-tree.ts'
import { type FolderProject, Projects } from './projects.ts'
import { ReplyReview, tellUndone } from './review.ts'
import type { Row } from './reply-tree.ts'
import { StatusItem } from './status-item.ts'
import { plain } from './words.ts'

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel('clada')
  const projects = new Projects(context, output)
  const changes = new ChangesEditor()
  const history = new HistoryTree(projects)
  const status = new StatusItem(projects)
  const review = new ReplyReview(changes, status)

  const start = async (text: string, name: string, near?: vscode.Uri): Promise<void> => {
    const folder = await projects.pick(near)
    if (folder !== undefined) await review.start(await projects.renew(folder), text, name)
  }
  const turn = async ({ project, entry }: HistoryRow, how: 'undo' | 'redo'): Promise<void> => {
    tellUndone(await project.session[how]({ number: entry.number }))
    history.refresh()
    review.update()
  }
  const commands: Readonly<Record<string, (...args: never[]) => unknown>> = {
    applyClipboard: async () => start(await vscode.env.clipboard.readText(), ''),
    applySelection: () => {
      const { document, selections } = vscode.window.activeTextEditor ?? {}
      const text = selections?.map((selection) => document?.getText(selection)).join('\n')
      return text === undefined ? undefined : start(text, vscode.l10n.t('selection'))
    },
    applyFile: async (given?: vscode.Uri) => {
      const [file] = given === undefined ? ((await vscode.window.showOpenDialog()) ?? []) : [given]
      if (file === undefined) return
      // As the editor shows it, if it is open with changes.
      const document = await vscode.workspace.openTextDocument(file)
      await start(document.getText(), path.basename(file.path), file)
    },
    apply: () => review.apply(),
    showChanges: () => review.showChanges(),
    discard: () => review.discard(),
    copyReport: () => review.copyReport(),
    openBlock: (row: Row) => review.openRow(row),
    usePlace: (row: Row) => review.usePlace(row),
    undo: async () => {
      const folder = await projects.pick()
      if (folder === undefined) return
      const project = await projects.open(folder)
      tellUndone(await project.session.undo({}))
      history.refresh()
      review.update()
    },
    undoExecution: (row: HistoryRow) => turn(row, 'undo'),
    redoExecution: (row: HistoryRow) => turn(row, 'redo'),
    showExecution: async ({ project, entry }: HistoryRow) => {
      const { describeExecution } = await projects.engine()
      const { changes: made } = await describeExecution(project.session.project, entry.number)
      await changes.open(plain(`#${entry.number} ${entry.summary}`), project.folder.uri, made)
    },
    copyPrompt: async () => {
      const folder = await projects.pick()
      if (folder !== undefined) await copyPrompt(await projects.open(folder))
    },
    addToContext: async (uri?: vscode.Uri, uris?: vscode.Uri[]) => {
      const chosen = uris ?? [uri ?? vscode.window.activeTextEditor?.document.uri].filter((one) => one !== undefined)
      const folder = await projects.pick(chosen[0])
      if (folder !== undefined) await addToContext(await projects.open(folder), chosen)
    },
  }
  for (const [name, run] of Object.entries(commands))
    context.subscriptions.push(vscode.commands.registerCommand(`clada.${name}`, (...args: never[]) => tell(run, args)))

  context.subscriptions.push(
    output,
    projects,
    review,
    status,
    vscode.window.registerTreeDataProvider('clada.history', history),
    vscode.workspace.registerTextDocumentContentProvider(ChangesEditor.scheme, changes),
    projects.onChange(() => {
      review.update()
      history.refresh()
    }),
    vscode.workspace.onDidSaveTextDocument(() => void review.refresh()),
  )
}

/** Whatever clada refuses is a sentence for the user. */
async function tell(run: (...args: never[]) => unknown, args: never[]): Promise<void> {
  try {
    await run(...args)
  } catch (error) {
    void vscode.window.showErrorMessage(plain(`clada: ${error instanceof Error ? error.message : String(error)}`))
  }
}

/** The prompt of the project with the files of its working set. */
async function copyPrompt({ session }: FolderProject): Promise<void> {
  const { clada, rules } = session.project
  const { text, tokens } = await clada.prompt({ rules, context: {} })
  await vscode.env.clipboard.writeText(text)
  vscode.window.setStatusBarMessage(vscode.l10n.t('$(copy) Prompt copied: {0}', counted(tokens, 'token')), 5000)
}

async function addToContext({ session, folder }: FolderProject, uris: readonly vscode.Uri[]): Promise<void> {
  const { selection, document } = vscode.window.activeTextEditor ?? {}
  const paths = uris.map((uri) => {
    const file = path.relative(folder.uri.fsPath, uri.fsPath)
    const isSelected = document?.uri.toString() === uri.toString() && selection?.isEmpty === false && uris.length === 1
    return isSelected ? `${file}:${selection.start.line + 1}-${selection.end.line + 1}` : file
  })
  const entries = await session.changeContext('add', paths)
  vscode.window.setStatusBarMessage(
    vscode.l10n.t('$(add) The context of clada has {0}', counted(entries.length, 'file')),
    5000,
  )
}
