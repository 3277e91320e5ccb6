import path from 'node:path'
import { formatCount } from '@clada/reply/core/words.ts'
import * as vscode from 'vscode'
import { ChangesEditor } from './changes.ts'
import type { ChoiceRow } from './choices.ts'
import { type ContextRow, ContextTree } from './context-tree.ts'
import { HistoryTree, type HistoryRow } from './history-tree.ts'
import { ChangeLenses } from './lenses.ts'
import { type FolderProject, Projects } from './projects.ts'
import { ReplyEditor } from './reply-editor.ts'
import { ReplyReview, tellError, tellUndone, tellUntrusted } from './review.ts'
import { ReviewEditor } from './review-editor.ts'
import { StatusItem } from './status-item.ts'
import { WhoWrote } from './who-wrote.ts'
import { withoutMarkup } from './words.ts'

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel('clada')
  const projects = new Projects(context, output)
  const changes = new ChangesEditor()
  const history = new HistoryTree(projects)
  const working = new ContextTree(projects)
  const status = new StatusItem(projects)
  const editor = new ReviewEditor()
  const review = new ReplyReview(editor, status)
  const reply = new ReplyEditor(review, projects)
  const lenses = new ChangeLenses(review, editor)
  const wrote = new WhoWrote(projects)

  const start = async (text: string, name: string, near?: vscode.Uri): Promise<void> => {
    const folder = await projects.pick(near)
    if (folder !== undefined) await review.start(await projects.renew(folder), text, name)
  }
  const project = async (near?: vscode.Uri): Promise<FolderProject | undefined> => {
    const folder = await projects.pick(near)
    return folder && projects.open(folder)
  }
  /** What changes something has to wait: an enablement only hides it. */
  const whenTrusted =
    <Args extends never[]>(run: (...args: Args) => unknown) =>
    (...args: Args): unknown =>
      vscode.workspace.isTrusted ? run(...args) : tellUntrusted()
  const turn = async ({ project: { session }, entry, action }: HistoryRow, how: 'undo' | 'redo'): Promise<void> => {
    tellUndone(
      await session[how](
        action === undefined ? { number: entry.number } : { number: entry.number, action: action.seq },
      ),
    )
    history.refresh()
    review.update()
  }
  const atCursor = (): ChoiceRow | undefined => {
    const { document, selection } = vscode.window.activeTextEditor ?? {}
    return document && selection && lenses.changeAt(document.uri, selection.active.line)
  }
  const setTaken = (row: ChoiceRow | undefined, isTaken: boolean): Promise<void> | undefined =>
    row && review.setTaken(row, isTaken)
  const addToContext = async (uri?: vscode.Uri, uris?: vscode.Uri[]): Promise<void> => {
    const chosen = uris ?? [uri ?? vscode.window.activeTextEditor?.document.uri].filter((one) => one !== undefined)
    const found = await project(chosen[0])
    if (found !== undefined) await working.add(found, chosen)
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
    openReply: (line?: number) => reply.open(typeof line === 'number' ? line : undefined),
    apply: () => review.apply(),
    applyBlock: ({ block }: ChoiceRow) => review.apply(block.task === undefined ? null : [block.task]),
    showChanges: () => review.showChanges(),
    discard: () => review.discard(),
    copyReport: () => review.copyReport(),
    openBlock: (row: ChoiceRow) => review.openRow(row),
    usePlace: (row: ChoiceRow) => review.usePlace(row),
    accept: (row?: ChoiceRow) => setTaken(row ?? atCursor(), true),
    leaveOut: (row?: ChoiceRow) => setTaken(row ?? atCursor(), false),
    undo: whenTrusted(async () => {
      const found = await project()
      if (found === undefined) return
      tellUndone(await found.session.undo({}))
      history.refresh()
      review.update()
    }),
    undoExecution: whenTrusted((row: HistoryRow) => turn(row, 'undo')),
    redoExecution: whenTrusted((row: HistoryRow) => turn(row, 'redo')),
    showExecution: async ({ project: { session, folder }, entry, action }: HistoryRow) => {
      const { describeExecution } = await projects.engine()
      const { changes: made } = await describeExecution(session.project, entry.number)
      const own = action && made.filter(({ path: file }) => action.target === file)
      const title = withoutMarkup(`#${entry.number} ${entry.summary}`)
      if (made.length === 0) vscode.window.setStatusBarMessage(vscode.l10n.t('It changed no files.'), 5000)
      else await changes.open(title, folder.uri, own === undefined || own.length === 0 ? made : own)
    },
    refreshHistory: () => history.refresh(),
    copyPrompt: async () => {
      const found = await project()
      if (found !== undefined) await copyPromptText(found)
    },
    addToContext: whenTrusted(addToContext),
    removeFromContext: whenTrusted((row: ContextRow) => working.remove(row)),
  }
  for (const [name, run] of Object.entries(commands))
    context.subscriptions.push(
      vscode.commands.registerCommand(`clada.${name}`, (...args: never[]) => runOrTell(run, args)),
    )

  context.subscriptions.push(
    output,
    projects,
    editor,
    review,
    reply,
    status,
    working,
    lenses.register(),
    vscode.window.registerTreeDataProvider('clada.history', history),
    vscode.window.registerTreeDataProvider('clada.context', working),
    vscode.workspace.registerTextDocumentContentProvider(ChangesEditor.scheme, changes),
    vscode.languages.registerHoverProvider({ scheme: 'file' }, wrote),
    projects.onChange(() => {
      review.update()
      history.refresh()
      wrote.forget()
    }),
    refreshWhereTyped(review),
    vscode.workspace.onDidSaveTextDocument(({ uri }) => void (uri.scheme === 'file' && review.refresh())),
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      history.refresh()
      working.refresh()
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void review.refresh()),
  )
}

/** Whatever clada refuses is a sentence for the user. */
async function runOrTell(run: (...args: never[]) => unknown, args: never[]): Promise<void> {
  try {
    await run(...args)
  } catch (error) {
    tellError(error)
  }
}

/** A file that the reply changes is shown as it is typed. */
function refreshWhereTyped(review: ReplyReview): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined
  const listening = vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => {
    if (uri.scheme !== 'file' || review.planned === undefined) return
    clearTimeout(timer)
    timer = setTimeout(() => void review.refresh(), typingPause)
  })
  return new vscode.Disposable(() => {
    clearTimeout(timer)
    listening.dispose()
  })
}

/** Milliseconds. */
const typingPause = 500

/** The prompt of the project with the files of its working set. */
async function copyPromptText({ session }: FolderProject): Promise<void> {
  const { clada, rules } = session.project
  const { text, tokens } = await clada.prompt({ rules, context: {} })
  await vscode.env.clipboard.writeText(text)
  vscode.window.setStatusBarMessage(vscode.l10n.t('$(copy) Prompt copied: {0}', formatCount(tokens, 'token')), 5000)
}
