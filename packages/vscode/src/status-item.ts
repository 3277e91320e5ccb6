import { formatCount } from '@clada/reply/core/words.ts'
import * as vscode from 'vscode'
import type { Projects } from './projects.ts'

/** The item of the status bar: it applies the reply that is reviewed, or lights up when the clipboard holds one. */
export class StatusItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('clada.status', vscode.StatusBarAlignment.Right, 100)
  readonly #projects: Projects
  readonly #listening: vscode.Disposable
  #checked = ''
  /** Blocks of the reply on the clipboard. */
  #copied = 0
  /** Blocks of the reviewed reply that are not applied yet. */
  #reviewed = 0

  constructor(projects: Projects) {
    this.#projects = projects
    this.#item.name = 'clada'
    this.#show()
    this.#listening = vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) void this.#check()
    })
  }

  setReviewed(blocks: number): void {
    this.#reviewed = blocks
    this.#show()
  }

  /** The reply on the clipboard was taken: it need not be offered again. */
  setTaken(): void {
    this.#copied = 0
    this.#show()
  }

  dispose(): void {
    this.#listening.dispose()
    this.#item.dispose()
  }

  /** Only when the window gets the focus, and only whether there is a reply. */
  async #check(): Promise<void> {
    const isWanted = vscode.workspace.getConfiguration('clada').get('checkClipboard') === true
    const text = isWanted ? await vscode.env.clipboard.readText() : ''
    if (text === this.#checked) return
    this.#checked = text
    const { checkDocument } = await this.#projects.engine()
    const { blocks } = checkDocument(text, { relativePaths: true })
    this.#copied = blocks.filter(({ problems, note }) => problems.length === 0 && note === undefined).length
    this.#show()
  }

  #show(): void {
    const [text, tooltip, command] = this.#words()
    this.#item.text = text
    this.#item.tooltip = tooltip
    this.#item.command = command
    const isIdle = this.#reviewed + this.#copied === 0
    this.#item.backgroundColor = isIdle ? undefined : new vscode.ThemeColor('statusBarItem.warningBackground')
    this.#item.show()
  }

  #words(): readonly [text: string, tooltip: string, command: string] {
    if (this.#reviewed > 0)
      return [
        `$(check) ${vscode.l10n.t('Apply reply ({0})', this.#reviewed)}`,
        vscode.l10n.t('Apply the reviewed changes: {0}', formatCount(this.#reviewed, 'block')),
        'clada.apply',
      ]
    if (this.#copied > 0)
      return [
        `$(clippy) ${vscode.l10n.t('Review reply ({0})', this.#copied)}`,
        vscode.l10n.t('The clipboard holds a reply with {0}. Click to review it.', formatCount(this.#copied, 'block')),
        'clada.applyClipboard',
      ]
    return ['$(clippy) clada', vscode.l10n.t('Review a reply from the clipboard'), 'clada.applyClipboard']
  }
}
