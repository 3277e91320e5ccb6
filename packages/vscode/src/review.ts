import path from 'node:path'
import { formatCount } from '@clada/reply/core/words.ts'
import * as vscode from 'vscode'
import type { BlockChoice } from '../../clada/src/core/review.ts'
import type { ReplyPlan, PlanBlock } from '../../clada/src/ui/protocol.ts'
import type { Planned } from '../../clada/src/ui/plan.ts'
import { findFile } from './changes.ts'
import { listUnsaved } from './folders.ts'
import { type BlockRow, canApply, checkedChoice, placeChoice, type ChoiceRow, takenChoice } from './choices.ts'
import type { FolderProject } from './projects.ts'
import { ReplyTree } from './reply-tree.ts'
import type { ReviewEditor } from './review-editor.ts'
import type { StatusItem } from './status-item.ts'
import { withoutMarkup } from './words.ts'

/** The reply that is reviewed: opened, decided about, applied, undone. */
export class ReplyReview implements vscode.Disposable {
  readonly #editor: ReviewEditor
  readonly #status: StatusItem
  readonly #tree = new ReplyTree()
  readonly #view: vscode.TreeView<ChoiceRow>
  readonly #changed = new vscode.EventEmitter<void>()
  readonly #typing: vscode.Disposable
  #project: FolderProject | undefined
  /** Decisions that were typed, one after the other. */
  #typed: Promise<unknown> = Promise.resolve()
  readonly onChange = this.#changed.event

  constructor(editor: ReviewEditor, status: StatusItem) {
    this.#editor = editor
    this.#status = status
    this.#view = vscode.window.createTreeView('clada.reply', {
      treeDataProvider: this.#tree,
      manageCheckboxStateManually: true,
      showCollapseAll: true,
    })
    this.#view.onDidChangeCheckboxState(({ items }) => void this.#check(items))
    this.#typing = editor.onTyped(({ path, text }) => {
      this.#typed = this.#typed.then(() => this.#takeTyped(path, text)).catch(tellError)
    })
  }

  get project(): FolderProject | undefined {
    return this.#project
  }

  get planned(): Planned | undefined {
    return this.#project?.session.planned
  }

  /** Reads a reply and shows what it would change. Nothing is applied by that. */
  async start(project: FolderProject, text: string, name: string): Promise<void> {
    const { session } = project
    const read = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Reading the reply') }
    const plan = await vscode.window.withProgress(read, () => session.offer(text, name))
    if (plan === null || plan.blocks.length === 0) {
      if (plan !== null) session.clear()
      return tellNothingFound(plan?.warnings ?? [])
    }
    await this.#take(project)
    this.#status.setTaken()
    this.update()
    await vscode.commands.executeCommand('clada.reply.focus')
    // A long reply is listed before it is known what it would change. That may have become known meanwhile.
    if (this.planned?.plan.isChecking === true) await this.#whole()
    await this.showChanges()
  }

  /** The reply as it is typed or pasted in its own editor. */
  async edit(project: FolderProject, text: string): Promise<void> {
    const { session } = project
    if (session.state().running !== null || text === session.text) return
    await this.#take(project)
    await (session.plan === null ? session.open(text, '') : session.edit(text))
    this.update()
  }

  /** All changes of the reply in one editor. */
  async showChanges(): Promise<void> {
    const { planned, folder } = this.#shown() ?? {}
    if (planned === undefined || folder === undefined) return
    const files = changesIn(planned)
    if (files.length > 0) return this.#editor.open(vscode.l10n.t('Reply: changes to review'), folder.uri, files)
    // Nothing fits: where it could go says more than an empty editor.
    for (const block of planned.plan.blocks) {
      const [place] = planned.detail(block.key)?.places ?? []
      if (place !== undefined) return this.openRow({ kind: 'place', block, place })
    }
    const broken = planned.plan.blocks.find(({ state }) => state === 'broken')
    if (broken !== undefined) await this.openRow({ kind: 'block', block: broken })
  }

  async openRow(row: ChoiceRow): Promise<void> {
    const { planned, folder } = this.#shown() ?? {}
    if (folder === undefined || planned === undefined) return
    const { block } = row
    if (row.kind === 'place') {
      const { path, line, endLine } = row.place
      const selection = new vscode.Range(line - 1, 0, endLine, 0)
      return void vscode.window.showTextDocument(findFile(folder.uri, path), { selection, preview: true })
    }
    const [first] = planned.detail(block.key)?.files ?? []
    const file = row.kind === 'block' ? first : row.file
    const line = row.kind === 'hunk' ? row.hunk.newStart : (file?.hunks[0]?.newStart ?? 0)
    if (file !== undefined && block.outcome === undefined) return this.#editor.openOne(folder.uri, file, line)
    // A block that changes nothing (yet) is shown as the model wrote it.
    await vscode.commands.executeCommand('clada.openReply', block.startLine)
  }

  /** Puts the edit there, and shows what it changes. */
  async usePlace(row: ChoiceRow): Promise<void> {
    if (row.kind !== 'place') return
    await this.decide(row, (choice) => placeChoice(row.place, choice))
    const { planned } = this
    const block = planned?.plan.blocks.find(({ key }) => key === row.block.key)
    const file = planned?.detail(row.block.key)?.files.find(({ path }) => path === row.place.path)
    const hunk = file?.hunks.find(({ oldEnd }) => oldEnd >= row.place.line)
    if (block === undefined || file === undefined) return
    await this.openRow(hunk === undefined ? { kind: 'file', block, file } : { kind: 'hunk', block, file, hunk })
  }

  /** Takes a block or one of its changes, or leaves it out. */
  setTaken(row: ChoiceRow, isTaken: boolean): Promise<void> {
    return this.decide(row, (choice) => takenChoice(row, choice, isTaken))
  }

  /** Applies what was shown, and nothing else: the session refuses when files have changed since. */
  async apply(tasks: readonly string[] | null = null): Promise<void> {
    if (!vscode.workspace.isTrusted) return tellUntrusted()
    await this.#editor.settle()
    await this.#typed
    const { session } = this.#project ?? {}
    if (session === undefined || !(await this.#savedAll())) return
    const applying = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Applying the reply'),
      cancellable: true,
    }
    await vscode.window.withProgress(applying, async (_progress, token) => {
      token.onCancellationRequested(() => session.stop())
      if (session.plan !== null) session.apply(tasks, session.plan.revision)
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

  async discard(): Promise<void> {
    await this.#editor.close()
    this.#project?.session.clear()
    this.#project = undefined
    this.#editor.clear()
    this.update()
  }

  /** The files may have changed: looks at them again. */
  async refresh(): Promise<void> {
    await this.#project?.session.refresh()
    this.update()
  }

  /** Shows the state of the session in the views and editors. */
  update(): void {
    const { session, folder } = this.#project ?? {}
    const plan = session?.plan ?? undefined
    this.#tree.show(session)
    const left = plan?.blocks.filter(canApply).length ?? 0
    this.#view.message = [plan?.fatal, ...(session?.state().remarks ?? [])]
      .flatMap((line) => (line ? withoutMarkup(line) : []))
      .join('\n')
    this.#view.description = plan && describePlan(plan)
    this.#view.badge =
      left === 0 ? undefined : { value: left, tooltip: vscode.l10n.t('{0} to apply', formatCount(left, 'block')) }
    this.#status.setReviewed(left)
    if (folder !== undefined && session?.planned !== undefined && plan?.isChecking === false)
      this.#editor.update(folder.uri, changesIn(session.planned))
    // Nothing is left to look at. What landed is in the history.
    if (plan?.files.length === 0 && plan.blocks.some(({ outcome }) => outcome !== undefined)) void this.#editor.close()
    void vscode.commands.executeCommand('setContext', 'clada.hasReply', plan !== undefined)
    void vscode.commands.executeCommand('setContext', 'clada.canApply', left > 0 && plan?.fatal === undefined)
    this.#changed.fire()
  }

  async decide({ block: { task, key } }: BlockRow, change: (choice: BlockChoice) => BlockChoice): Promise<void> {
    const { session } = this.#project ?? {}
    const detail = session?.planned?.detail(key)
    if (session === undefined || task === undefined || detail === undefined) return
    await session.decide(task, change(detail.choice))
    this.update()
  }

  dispose(): void {
    this.#view.dispose()
    this.#typing.dispose()
    this.#changed.dispose()
  }

  async #take(project: FolderProject): Promise<void> {
    if (this.#project === project) return
    if (this.#project?.session.state().running === null) this.#project.session.clear()
    await this.#editor.close()
    this.#editor.clear()
    this.#project = project
  }

  #shown(): { readonly planned: Planned; readonly folder: vscode.WorkspaceFolder } | undefined {
    const { planned } = this
    return planned === undefined || this.#project === undefined ? undefined : { planned, folder: this.#project.folder }
  }

  /** Resolves when the effects of a long reply are known. */
  #whole(): Promise<void> {
    return new Promise((resolve) => {
      const listening = this.onChange(() => {
        if (this.planned?.plan.isChecking === true) return
        listening.dispose()
        resolve()
      })
    })
  }

  async #check(items: readonly (readonly [ChoiceRow, vscode.TreeItemCheckboxState])[]): Promise<void> {
    for (const [row, state] of items) await this.decide(row, (choice) => checkedChoice(row, choice, state))
  }

  /** A text that the user has typed is the one that the last block on its file leaves behind. */
  async #takeTyped(path: string, text: string): Promise<void> {
    const { planned } = this
    if (planned === undefined || planned.file(path)?.after === text) return
    const block = planned.plan.blocks.findLast(
      (one) => one.outcome === undefined && one.state !== 'left' && pathsOfBlock(planned, one.key).has(path),
    )
    const { choice } = block === undefined ? {} : (planned.detail(block.key) ?? {})
    if (block?.task === undefined || choice === undefined) return this.#refuseTyped()
    const own = planned.detail(block.key)?.files.find((file) => file.path === path)?.hunks ?? []
    const leave = choice.leave?.filter(({ hunk }) => !own.some(({ id }) => id === hunk))
    await this.decide({ block }, () => ({ ...choice, texts: { ...choice.texts, [path]: text }, leave }))
    if ((this.planned?.reviewed(block.task)?.stale.length ?? 0) === 0) return
    await this.decide({ block }, () => choice)
    this.#refuseTyped()
  }

  #refuseTyped(): void {
    this.update()
    void vscode.window.showWarningMessage(vscode.l10n.t('This change cannot be edited here.'))
  }

  /** clada works on files, so what was typed and not saved has to be there first. It is never written over. */
  async #savedAll(): Promise<boolean> {
    const { session, folder } = this.#project ?? {}
    if (session?.planned === undefined || folder === undefined) return false
    const touched = new Set(
      session.planned.plan.files
        .flatMap(({ path, from }) => [path, from ?? path])
        .map((path) => findFile(folder.uri, path).toString()),
    )
    const unsaved = listUnsaved(folder).filter(({ uri }) => touched.has(uri.toString()))
    if (unsaved.length === 0) return true
    const save = vscode.l10n.t('Save and Apply')
    const names = withoutMarkup(unsaved.map(({ uri }) => path.posix.relative(folder.uri.path, uri.path)).join(', '))
    const said = await vscode.window.showWarningMessage(
      vscode.l10n.t('The reply changes files that you have not saved: {0}', names),
      {
        modal: true,
        detail: vscode.l10n.t('They are saved as you see them on the left side, then the reply is applied.'),
      },
      save,
    )
    if (said !== save) return false
    await session.refresh()
    const shown = shownIn(session.planned)
    for (const document of unsaved) if (!(await document.save())) return false
    await session.refresh()
    this.update()
    if (shownIn(session.planned) === shown) return true
    await this.showChanges()
    const changed = vscode.l10n.t(
      'Saving has changed the files, so nothing was applied. Look at the changes, and apply again.',
    )
    void vscode.window.showInformationMessage(changed)
    return false
  }

  async #tellResult(): Promise<void> {
    const { session } = this.#project ?? {}
    if (session?.plan === undefined || session.plan === null) return
    const outcomes = session.plan.blocks.flatMap(({ outcome }) => outcome ?? [])
    const failed = outcomes.filter(({ success, left }) => !success && left !== true)
    const remarks = session.state().remarks
    if (outcomes.length === 0)
      return void vscode.window.showErrorMessage(withoutMarkup(remarks[0] ?? vscode.l10n.t('Nothing was applied.')))
    const copies = vscode.workspace.getConfiguration('clada').get('copyReport') === true
    if (copies) await vscode.env.clipboard.writeText(session.answer())
    const done = outcomes.filter(({ success }) => success).length
    const counts = [
      vscode.l10n.t('{0} applied', done),
      ...(failed.length === 0 ? [] : [vscode.l10n.t('{0} failed ({1})', failed.length, failed[0]?.why ?? '')]),
    ].join(', ')
    const copied = copies ? ` ${vscode.l10n.t('The report for the model is on the clipboard.')}` : ''
    const undo = vscode.l10n.t('Undo')
    const tell = failed.length === 0 ? vscode.window.showInformationMessage : vscode.window.showWarningMessage
    const executions = session.executions()
    // Not awaited: the notification may stay for long.
    void tell(withoutMarkup(`clada: ${counts}.${copied}`), ...(executions.length === 0 ? [] : [undo])).then(
      async (chosen) => {
        if (chosen !== undefined) tellUndone(await session.turnAll('undo', executions, false))
        this.update()
      },
    )
  }
}

/** Most likely the model was not told how to write edits. */
function tellNothingFound(warnings: readonly string[]): void {
  const said = vscode.l10n.t(
    'No edits or commands found. If the model should change files, paste the prompt into the chat first.',
  )
  const prompt = vscode.l10n.t('Copy Prompt')
  void vscode.window.showInformationMessage(withoutMarkup([said, ...warnings].join(' ')), prompt).then((chosen) => {
    if (chosen !== undefined) void vscode.commands.executeCommand('clada.copyPrompt')
  })
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
    vscode.window.setStatusBarMessage(
      vscode.l10n.t('$(discard) {0} restored', formatCount(restored.length, 'file')),
      5000,
    )
  else void vscode.window.showErrorMessage(withoutMarkup(`clada: ${error ?? ''}`))
}

export const tellUntrusted = (): void =>
  void vscode.window.showWarningMessage(vscode.l10n.t('Trust this workspace first. Until then replies are only shown.'))

/** Whatever clada refuses is a sentence for the user. */
export const tellError = (error: unknown): void =>
  void vscode.window.showErrorMessage(withoutMarkup(`clada: ${error instanceof Error ? error.message : String(error)}`))

const changesIn = (planned: Planned) => planned.plan.files.flatMap(({ path }) => planned.file(path) ?? [])

const shownIn = (planned: Planned): string => JSON.stringify(changesIn(planned))

const pathsOfBlock = (planned: Planned, key: number): ReadonlySet<string> =>
  new Set(planned.detail(key)?.files.map((file) => file.path))

function describePlan({ blocks, files, isChecking }: ReplyPlan): string {
  const done = blocks.filter(({ outcome }) => outcome?.success === true).length
  const failed = blocks.filter(({ outcome }) => outcome?.success === false && outcome.left !== true).length
  const attention = blocks.filter(needsAttention).length
  return [
    done > 0
      ? vscode.l10n.t('{0} of {1} applied', done, formatCount(blocks.length, 'block'))
      : [formatCount(blocks.length, 'block'), ...(isChecking ? [] : [formatCount(files.length, 'file')])].join(', '),
    ...(failed === 0 ? [] : [vscode.l10n.t('{0} failed', failed)]),
    ...(attention === 0
      ? []
      : [attention === 1 ? vscode.l10n.t('1 needs attention') : vscode.l10n.t('{0} need attention', attention)]),
  ].join(', ')
}

/** Also an edit of which only a part fits: it is applied, and says why not as a whole. */
const needsAttention = ({ state, outcome, why }: PlanBlock): boolean =>
  outcome === undefined && (attentionStates.has(state) || (state === 'repaired' && why !== undefined))

const attentionStates: ReadonlySet<string> = new Set(['approval', 'refused', 'fails', 'broken'])
