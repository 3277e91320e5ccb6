import { counted } from '@clada/reply/core/words.ts'
import * as vscode from 'vscode'
import type { BlockChoice } from '../../clada/src/core/review.ts'
import type { Plan } from '../../clada/src/ui/protocol.ts'
import { type ChangesEditor, fileAt } from './changes.ts'
import type { FolderProject } from './projects.ts'
import { plain } from './words.ts'
import type { StatusItem } from './status-item.ts'
import { checkedChoice, placeChoice, ReplyTree, type Row } from './reply-tree.ts'

/** The reply that is reviewed: opened, decided about, applied, undone. */
export class ReplyReview implements vscode.Disposable {
  readonly #changes: ChangesEditor
  readonly #status: StatusItem
  readonly #tree = new ReplyTree()
  readonly #view: vscode.TreeView<Row>
  #project: FolderProject | undefined

  constructor(changes: ChangesEditor, status: StatusItem) {
    this.#changes = changes
    this.#status = status
    this.#view = vscode.window.createTreeView('clada.reply', {
      treeDataProvider: this.#tree,
      manageCheckboxStateManually: true,
    })
    this.#view.onDidChangeCheckboxState(({ items }) => void this.#check(items))
  }

  /** Reads a reply and shows what it would change. Nothing is applied by that. */
  async start(project: FolderProject, text: string, name: string): Promise<void> {
    const { session } = project
    const read = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Reading the reply') }
    const plan = await vscode.window.withProgress(read, () => session.open(text, name))
    if (plan.blocks.length === 0) {
      session.clear()
      const said = vscode.l10n.t('There are no edits or commands in this text.')
      return void vscode.window.showInformationMessage(plain([said, ...plan.warnings].join(' ')))
    }
    if (this.#project !== undefined && this.#project !== project) this.#project.session.clear()
    this.#project = project
    if ((await this.#saveTouched(plan)) === 'saved') await session.refresh()
    this.update()
    await vscode.commands.executeCommand('clada.reply.focus')
    await this.showChanges()
  }

  /** All changes of the reply in one editor. */
  async showChanges(): Promise<void> {
    const { session, folder } = this.#project ?? {}
    if (session?.plan === undefined || session.plan === null || folder === undefined) return
    const files = session.plan.files.flatMap(({ path }) => session.planned?.file(path) ?? [])
    if (files.length > 0) return this.#changes.open(vscode.l10n.t('Reply: changes to review'), folder.uri, files)
    // Nothing fits: where it could go says more than an empty editor.
    for (const block of session.plan.blocks) {
      const [place] = session.planned?.detail(block.key)?.places ?? []
      if (place !== undefined) return this.openRow({ kind: 'place', block, place })
    }
  }

  async openRow(row: Row): Promise<void> {
    const { folder, session } = this.#project ?? {}
    if (folder === undefined || session === undefined) return
    const { block } = row
    if (row.kind === 'place') {
      const { path, line, endLine } = row.place
      const selection = new vscode.Range(line - 1, 0, endLine, 0)
      return void vscode.window.showTextDocument(fileAt(folder.uri, path), { selection, preview: true })
    }
    const [first] = session.planned?.detail(block.key)?.files ?? []
    const file = row.kind === 'hunk' ? row.file : first
    const line = row.kind === 'hunk' ? row.hunk.newStart : (first?.hunks[0]?.newStart ?? 0)
    if (file !== undefined) return this.#changes.openOne(folder.uri, file, line)
    // A block that changes nothing yet is shown as the model wrote it.
    const content = session.planned?.detail(block.key)?.raw ?? ''
    const document = await vscode.workspace.openTextDocument({ content, language: 'markdown' })
    await vscode.window.showTextDocument(document, { preview: true })
  }

  usePlace(row: Row): Promise<void> {
    return row.kind === 'place' ? this.#decide(row, (choice) => placeChoice(row.place, choice)) : Promise.resolve()
  }

  /** Applies what was shown, and nothing else: the session refuses when files have changed since. */
  async apply(): Promise<void> {
    const { session, folder } = this.#project ?? {}
    if (session?.plan === undefined || session.plan === null || folder === undefined) return
    if (!vscode.workspace.isTrusted) {
      return void vscode.window.showWarningMessage(
        vscode.l10n.t('Trust this workspace first. Until then replies are only shown.'),
      )
    }
    const saved = await this.#saveTouched(session.plan)
    if (saved === 'cancelled') return
    if (saved === 'saved') {
      await session.refresh()
      await this.showChanges()
      const said = vscode.l10n.t('The files were saved, and the changes are shown anew. Look at them, and apply again.')
      return void vscode.window.showInformationMessage(said)
    }
    const applying = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Applying the reply'),
      cancellable: true,
    }
    await vscode.window.withProgress(applying, async (_progress, token) => {
      token.onCancellationRequested(() => session.stop())
      if (session.plan !== null) session.apply(null, session.plan.revision)
      await session.settled()
    })
    this.update()
    await this.#tellResult()
  }

  /** The text for the model, on the clipboard. */
  async copyReport(): Promise<void> {
    const { session } = this.#project ?? {}
    if (session === undefined) return
    await vscode.env.clipboard.writeText(session.answer())
    vscode.window.setStatusBarMessage(vscode.l10n.t('$(copy) The report for the model was copied.'), 5000)
  }

  discard(): void {
    this.#project?.session.clear()
    this.#project = undefined
    this.update()
  }

  /** The files may have changed: looks at them again. */
  async refresh(): Promise<void> {
    await this.#project?.session.refresh()
    this.update()
  }

  /** Shows the state of the session in the view. */
  update(): void {
    const session = this.#project?.session
    const plan = session?.plan ?? undefined
    this.#tree.show(session)
    const left = plan?.blocks.filter(({ outcome, state }) => outcome === undefined && applicable.has(state)).length ?? 0
    this.#view.message = [plan?.fatal, ...(session?.state().remarks ?? [])]
      .flatMap((line) => (line ? plain(line) : []))
      .join('\n')
    this.#view.description = plan && summaryOf(plan)
    this.#view.badge =
      left === 0 ? undefined : { value: left, tooltip: vscode.l10n.t('{0} to apply', counted(left, 'block')) }
    this.#status.setReviewed(left)
    void vscode.commands.executeCommand('setContext', 'clada.hasReply', plan !== undefined)
    void vscode.commands.executeCommand('setContext', 'clada.canApply', left > 0 && plan?.fatal === undefined)
  }

  dispose(): void {
    this.#view.dispose()
  }

  async #check(items: readonly (readonly [Row, vscode.TreeItemCheckboxState])[]): Promise<void> {
    for (const [row, state] of items) await this.#decide(row, (choice) => checkedChoice(row, choice, state))
  }

  async #decide({ block: { task, key } }: Row, change: (choice: BlockChoice) => BlockChoice): Promise<void> {
    const { session } = this.#project ?? {}
    const detail = session?.planned?.detail(key)
    if (session === undefined || task === undefined || detail === undefined) return
    await session.decide(task, change(detail.choice))
    this.update()
  }

  /** clada works on the files, so what is typed and not saved has to be there first. It is never written over. */
  async #saveTouched({ files }: Plan): Promise<'clean' | 'saved' | 'cancelled'> {
    const { folder } = this.#project ?? {}
    if (folder === undefined) return 'clean'
    const touched = new Set(files.map(({ path }) => fileAt(folder.uri, path).toString()))
    const unsaved = vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && touched.has(uri.toString()))
    if (unsaved.length === 0) return 'clean'
    const save = vscode.l10n.t('Save and show the changes')
    const names = plain(unsaved.map(({ uri }) => vscode.workspace.asRelativePath(uri)).join(', '))
    const said = await vscode.window.showWarningMessage(
      vscode.l10n.t('The reply changes files that you have not saved: {0}', names),
      { modal: true },
      save,
    )
    if (said !== save) return 'cancelled'
    for (const document of unsaved) if (!(await document.save())) return 'cancelled'
    return 'saved'
  }

  async #tellResult(): Promise<void> {
    const { session } = this.#project ?? {}
    if (session?.plan === undefined || session.plan === null) return
    const outcomes = session.plan.blocks.flatMap(({ outcome }) => outcome ?? [])
    const failed = outcomes.filter(({ success, left }) => !success && left !== true)
    const remarks = session.state().remarks
    if (outcomes.length === 0)
      return void vscode.window.showErrorMessage(plain(remarks[0] ?? vscode.l10n.t('Nothing was applied.')))
    const copies = vscode.workspace.getConfiguration('clada').get('copyReport') === true
    if (copies) await vscode.env.clipboard.writeText(session.answer())
    const done = outcomes.filter(({ success }) => success).length
    const said = [
      vscode.l10n.t('{0} applied', done),
      ...(failed.length === 0 ? [] : [vscode.l10n.t('{0} failed: {1}', failed.length, failed[0]?.why ?? '')]),
      ...(copies ? [vscode.l10n.t('the report for the model is on the clipboard')] : []),
    ].join(', ')
    const undo = vscode.l10n.t('Undo')
    const tell = failed.length === 0 ? vscode.window.showInformationMessage : vscode.window.showWarningMessage
    const executions = session.executions()
    // Not awaited: the notification may stay for long.
    void tell(plain(`clada: ${said}.`), ...(executions.length === 0 ? [] : [undo])).then(async (chosen) => {
      if (chosen !== undefined) tellUndone(await session.turnAll('undo', executions, false))
      this.update()
    })
  }
}

/** What an undo or redo did, in one line. */
export function tellUndone({
  success,
  error,
  restored,
}: {
  success: boolean
  error?: string
  restored: readonly string[]
}): void {
  if (success)
    vscode.window.setStatusBarMessage(vscode.l10n.t('$(discard) {0} restored', counted(restored.length, 'file')), 5000)
  else void vscode.window.showErrorMessage(plain(`clada: ${error ?? ''}`))
}

const applicable: ReadonlySet<string> = new Set(['ready', 'repaired', 'approval', 'unknown'])

function summaryOf({ blocks, files }: Plan): string {
  const done = blocks.filter(({ outcome }) => outcome?.success === true).length
  const attention = blocks.filter(({ state, outcome }) => outcome === undefined && needsAttention.has(state)).length
  return [
    done > 0
      ? vscode.l10n.t('{0} of {1} applied', done, counted(blocks.length, 'block'))
      : `${counted(blocks.length, 'block')}, ${counted(files.length, 'file')}`,
    ...(attention === 0 ? [] : [vscode.l10n.t('{0} need attention', attention)]),
  ].join(', ')
}

const needsAttention: ReadonlySet<string> = new Set(['approval', 'refused', 'fails', 'broken'])
