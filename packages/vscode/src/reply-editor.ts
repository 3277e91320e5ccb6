import * as vscode from 'vscode'
import type { Planned } from '../../clada/src/ui/plan.ts'
import type { BlockState, PlanBlock } from '../../clada/src/ui/protocol.ts'
import { canDecide } from './choices.ts'
import { MemoryFiles, saveWhatIsTyped } from './memory-files.ts'
import type { Projects } from './projects.ts'
import { type ReplyReview, tellError } from './review.ts'
import { outcomeName, withoutMarkup, blockStateName } from './words.ts'

/** The reply as text: to paste it, to see what is wrong with it, and to correct it. */
export class ReplyEditor implements vscode.CodeLensProvider, vscode.CodeActionProvider, vscode.Disposable {
  static readonly #scheme = 'clada-reply'
  // Not Markdown: VS Code would make a link of `[text](command:…)`, and run the command at a click.
  static readonly #uri = vscode.Uri.from({ scheme: ReplyEditor.#scheme, path: '/Reply.txt' })

  readonly #files = new MemoryFiles()
  readonly #review: ReplyReview
  readonly #projects: Projects
  readonly #diagnostics = vscode.languages.createDiagnosticCollection('clada')
  readonly #own: vscode.Disposable[]
  /** Texts are read one after the other. */
  #reading: Promise<unknown> = Promise.resolve()
  readonly onDidChangeCodeLenses: vscode.Event<void>

  constructor(review: ReplyReview, projects: Projects) {
    this.#review = review
    this.#projects = projects
    this.onDidChangeCodeLenses = review.onChange
    const selector = { scheme: ReplyEditor.#scheme }
    this.#own = [
      this.#diagnostics,
      vscode.workspace.registerFileSystemProvider(ReplyEditor.#scheme, this.#files, { isCaseSensitive: true }),
      saveWhatIsTyped(ReplyEditor.#scheme),
      vscode.languages.registerCodeLensProvider(selector, this),
      vscode.languages.registerCodeActionsProvider(selector, this, {
        providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
      }),
      this.#files.onTyped(({ text }) => {
        this.#reading = this.#reading.then(() => this.#read(text)).catch(tellError)
      }),
      review.onChange(() => this.#update()),
    ]
  }

  /** Shows the reply that is reviewed; an empty editor to paste one into where there is none. */
  async open(line?: number): Promise<void> {
    this.#files.put(ReplyEditor.#uri, this.#review.project?.session.text ?? '')
    const document = await vscode.workspace.openTextDocument(ReplyEditor.#uri)
    const options = line === undefined ? {} : { selection: new vscode.Range(line - 1, 0, line - 1, 0) }
    await vscode.window.showTextDocument(document, { preview: false, ...options })
    this.#update()
  }

  provideCodeLenses({ lineCount }: vscode.TextDocument): vscode.CodeLens[] {
    const { planned } = this.#review
    return planned === undefined
      ? []
      : planned.plan.blocks.filter(({ startLine }) => startLine <= lineCount).flatMap(blockLenses)
  }

  provideCodeActions(_document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    const { planned } = this.#review
    if (planned === undefined) return []
    return correctionsIn(planned).flatMap(({ lines, text }) => {
      if (lines.intersection(range) === undefined) return []
      const action = new vscode.CodeAction(vscode.l10n.t('Use the corrected block'), vscode.CodeActionKind.QuickFix)
      action.edit = new vscode.WorkspaceEdit()
      action.edit.replace(ReplyEditor.#uri, lines, text)
      action.diagnostics = [...vscode.languages.getDiagnostics(ReplyEditor.#uri)].filter((one) =>
        lines.intersection(one.range),
      )
      action.isPreferred = true
      return [action]
    })
  }

  dispose(): void {
    for (const one of this.#own) one.dispose()
  }

  async #read(text: string): Promise<void> {
    const folder = this.#review.project?.folder ?? (await this.#projects.pick())
    if (folder !== undefined) await this.#review.edit(await this.#projects.open(folder), text)
  }

  #update(): void {
    const { planned, project } = this.#review
    const text = project?.session.text ?? ''
    const shown = this.#files.text(ReplyEditor.#uri)
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === ReplyEditor.#scheme)
    // What is being typed is newer than what was read.
    if (shown !== undefined && document?.isDirty !== true) this.#files.put(ReplyEditor.#uri, text)
    this.#diagnostics.set(
      ReplyEditor.#uri,
      planned === undefined || document === undefined ? [] : diagnosticsIn(planned),
    )
  }
}

const severities: Partial<Record<BlockState, vscode.DiagnosticSeverity>> = {
  broken: vscode.DiagnosticSeverity.Error,
  fails: vscode.DiagnosticSeverity.Error,
  refused: vscode.DiagnosticSeverity.Error,
  repaired: vscode.DiagnosticSeverity.Warning,
  part: vscode.DiagnosticSeverity.Warning,
  approval: vscode.DiagnosticSeverity.Information,
  skipped: vscode.DiagnosticSeverity.Information,
}

/** What is wrong with the blocks of a reply, and what the user should know about them. */
function diagnosticsIn(planned: Planned): vscode.Diagnostic[] {
  return planned.plan.blocks.flatMap((block) => {
    const { key, state, startLine, why, outcome } = block
    const { problems = [], warnings = [] } = planned.detail(key) ?? {}
    if (outcome !== undefined) return []
    const said = (
      line: number,
      message: string,
      severity: vscode.DiagnosticSeverity,
      column = 1,
    ): vscode.Diagnostic => {
      const range = new vscode.Range(line - 1, column - 1, line - 1, endOfLine)
      const diagnostic = new vscode.Diagnostic(range, withoutMarkup(message), severity)
      diagnostic.source = 'clada'
      return diagnostic
    }
    if (problems.length > 0)
      return problems.map(({ line = startLine, column, message, hint, code }) => {
        const text = [message, hint].filter(Boolean).join('. ')
        return Object.assign(said(line, text, vscode.DiagnosticSeverity.Error, column), { code })
      })
    const severity = severities[state]
    const text = why ?? (state === 'repaired' || state === 'part' ? warnings[0] : undefined)
    return severity === undefined || text === undefined ? [] : [said(startLine, text, severity)]
  })
}

/** VS Code cuts it down to the line. */
const endOfLine = 10_000

function correctionsIn({ checked }: Planned): { readonly lines: vscode.Range; readonly text: string }[] {
  return checked.blocks.flatMap(({ corrected, corrects }) =>
    corrected === undefined || corrects === undefined
      ? []
      : [{ lines: new vscode.Range(corrects.startLine - 1, 0, corrects.endLine - 1, endOfLine), text: corrected }],
  )
}

function blockLenses(block: PlanBlock): vscode.CodeLens[] {
  const { action, target, state, outcome, startLine, task, files, decided } = block
  const range = new vscode.Range(startLine - 1, 0, startLine - 1, 0)
  const row = { kind: 'block', block }
  const name = outcome === undefined ? blockStateName(state) : outcomeName(outcome)
  const said = [[action, target].filter(Boolean).join(' '), name, decided].filter(Boolean).join(' · ')
  const lens = (title: string, command: string, ...args: readonly unknown[]): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, command, arguments: [...args] })
  return [
    lens(withoutMarkup(said), ''),
    ...(files.length === 0 || outcome !== undefined
      ? []
      : [lens(vscode.l10n.t('Show the change'), 'clada.openBlock', row)]),
    ...(canDecide(block)
      ? [
          state === 'left'
            ? lens(vscode.l10n.t('Accept'), 'clada.accept', row)
            : lens(vscode.l10n.t('Leave out'), 'clada.leaveOut', row),
        ]
      : []),
    ...(canDecide(block) && state !== 'left' && task !== undefined
      ? [lens(vscode.l10n.t('Apply only this'), 'clada.applyBlock', row)]
      : []),
  ]
}
