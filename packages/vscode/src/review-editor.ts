import * as vscode from 'vscode'
import type { PlannedChange } from '../../clada/src/ui/plan.ts'
import { findFile } from './changes.ts'
import { withoutMarkup } from './words.ts'
import { MemoryFiles, saveNow, saveWhatIsTyped } from './memory-files.ts'

/** Files before and after a reply, side by side. The right side is what will land, and can be edited. */
export class ReviewEditor implements vscode.Disposable {
  static readonly scheme = 'clada-review'
  static readonly #beforeScheme = 'clada-before'

  readonly #after = new MemoryFiles()
  readonly #before = new Map<string, string>()
  readonly #beforeChanged = new vscode.EventEmitter<vscode.Uri>()
  readonly #paths = new Map<string, string>()
  readonly #typed = new vscode.EventEmitter<{ readonly path: string; readonly text: string }>()
  readonly #own: vscode.Disposable[]
  #title = ''
  /** The user has changed the right side of a file. */
  readonly onTyped = this.#typed.event

  constructor() {
    this.#own = [
      vscode.workspace.registerFileSystemProvider(ReviewEditor.scheme, this.#after, { isCaseSensitive: true }),
      vscode.workspace.registerTextDocumentContentProvider(ReviewEditor.#beforeScheme, {
        onDidChange: this.#beforeChanged.event,
        provideTextDocumentContent: ({ path }) => this.#before.get(path) ?? '',
      }),
      saveWhatIsTyped(ReviewEditor.scheme),
      // Changes of the history are shown by the same kind of editor, and have nothing to apply.
      vscode.window.tabGroups.onDidChangeTabs(() => {
        const tab = vscode.window.tabGroups.activeTabGroup.activeTab
        void vscode.commands.executeCommand('setContext', 'clada.reviewIsActive', this.#isReview(tab))
      }),
      this.#after.onTyped(({ uri, text }) => {
        const path = this.#paths.get(uri.path)
        if (path !== undefined) this.#typed.fire({ path, text })
      }),
    ]
  }

  /** The path of the file whose right side a document is. */
  pathOf({ scheme, path }: vscode.Uri): string | undefined {
    return scheme === ReviewEditor.scheme ? this.#paths.get(path) : undefined
  }

  /** Brings what is shown up to date. A file that is no longer changed is shown without a difference. */
  update(root: vscode.Uri, changes: readonly PlannedChange[]): void {
    const now = new Map(changes.map((change) => [findFile(root, change.path).path, change]))
    for (const key of this.#paths.keys())
      if (!now.has(key))
        this.#after.put(vscode.Uri.from({ scheme: ReviewEditor.scheme, path: key }), this.#before.get(key) ?? '')
    for (const [key, { path, from, before, after }] of now) {
      const file = findFile(root, path)
      this.#paths.set(key, path)
      const left = this.#left(findFile(root, from ?? path))
      if (this.#before.get(left.path) !== before) {
        this.#before.set(left.path, before ?? '')
        this.#beforeChanged.fire(left)
      }
      this.#after.put(file.with({ scheme: ReviewEditor.scheme }), after ?? '')
    }
  }

  /** All of them in one editor. */
  async open(title: string, root: vscode.Uri, changes: readonly PlannedChange[]): Promise<void> {
    this.update(root, changes)
    await this.close()
    this.#title = title
    const rows = changes.map(({ path, from, before, after }) => {
      const file = findFile(root, path)
      const left = this.#left(findFile(root, from ?? path))
      return [file, before === null ? undefined : left, after === null ? undefined : this.#right(file)]
    })
    await vscode.commands.executeCommand('vscode.changes', title, rows)
  }

  /** One of them, at a line of the new text. */
  async openOne(root: vscode.Uri, { path, from }: PlannedChange, line = 0): Promise<void> {
    const file = findFile(root, path)
    const selection = new vscode.Range(line, 0, line, 0)
    const title = vscode.l10n.t('{0} (reply)', withoutMarkup(path))
    const left = this.#left(findFile(root, from ?? path))
    await vscode.commands.executeCommand('vscode.diff', left, this.#right(file), title, { preview: true, selection })
  }

  /** Everything that was typed has been told after this. */
  settle(): Promise<void> {
    return saveNow(ReviewEditor.scheme)
  }

  /** Closes what shows the reply. */
  async close(): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs)
    const own = tabs.filter((tab) => this.#isReview(tab))
    if (own.length > 0) await vscode.window.tabGroups.close(own, true)
  }

  /** Forgets the reply. */
  clear(): void {
    this.#after.clear()
    this.#before.clear()
    this.#paths.clear()
  }

  dispose(): void {
    for (const one of this.#own) one.dispose()
  }

  #isReview(tab: vscode.Tab | undefined): boolean {
    if (tab?.input instanceof vscode.TabInputTextDiff) return tab.input.modified.scheme === ReviewEditor.scheme
    // What an editor of several changes shows is not told to extensions.
    return this.#title !== '' && tab?.label.startsWith(this.#title) === true
  }

  #left(file: vscode.Uri): vscode.Uri {
    return file.with({ scheme: ReviewEditor.#beforeScheme })
  }

  #right(file: vscode.Uri): vscode.Uri {
    return file.with({ scheme: ReviewEditor.scheme })
  }
}
