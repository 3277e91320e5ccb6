import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import * as vscode from 'vscode'
import type { PlanBlock, TimelineData } from '../../clada/src/ui/protocol.ts'
import type { PageSession } from '../../clada/src/ui/session.ts'
import type { EditorSettings } from '../../clada/src/config/editor-settings.ts'
import { askApproval } from './approvals.ts'
import { unsavedTexts } from './folders.ts'
import { withoutMarkup } from './words.ts'

type Engine = typeof import('./engine.ts')

/** A folder of the workspace with its session. */
export interface FolderProject {
  readonly folder: vscode.WorkspaceFolder
  readonly session: PageSession
}

/** What a command of a reply has printed. */
interface PrintedText {
  readonly task: string
  readonly text: string
}

/** The projects of the window: each folder of the workspace is one, opened when it is first used. */
export class Projects implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext
  readonly #output: vscode.OutputChannel
  readonly #opened = new Map<string, Promise<FolderProject>>()
  readonly #changed = new vscode.EventEmitter<void>()
  #engine: Promise<Engine> | undefined
  /** The command whose output comes last in the channel. */
  #printing: PlanBlock | undefined
  /** Fires when a session has something new to show. */
  readonly onChange = this.#changed.event

  constructor(context: vscode.ExtensionContext, output: vscode.OutputChannel) {
    this.#context = context
    this.#output = output
  }

  engine(): Promise<Engine> {
    return (this.#engine ??= this.#load())
  }

  /** The folder of a file, of the active editor, the only one, or the one that the user picks. */
  async pick(near = vscode.window.activeTextEditor?.document.uri): Promise<vscode.WorkspaceFolder | undefined> {
    const { workspaceFolders: folders = [] } = vscode.workspace
    const around = near && vscode.workspace.getWorkspaceFolder(near)
    return around ?? (folders.length === 1 ? folders[0] : this.#ask(folders))
  }

  open(folder: vscode.WorkspaceFolder): Promise<FolderProject> {
    const key = folder.uri.toString()
    const before = this.#opened.get(key)
    if (before !== undefined) return before
    const opening = this.#openFolder(folder)
    this.#opened.set(key, opening)
    // After a mistake in clada.yml was corrected, the next command reads it again.
    opening.catch(() => this.#opened.delete(key))
    return opening
  }

  async timelineOf({ session }: FolderProject): Promise<TimelineData> {
    return (await this.engine()).timelineOf(session.project)
  }

  /** The same with the config files and the trust of now, for another reply. What is running goes on. */
  async renew(folder: vscode.WorkspaceFolder): Promise<FolderProject> {
    const key = folder.uri.toString()
    const before = await this.#opened.get(key)?.catch(() => undefined)
    if (before !== undefined && before.session.state().running !== null) return before
    this.#opened.delete(key)
    await before?.session.close()
    return this.open(folder)
  }

  dispose(): void {
    for (const opened of this.#opened.values())
      opened.then(
        ({ session }) => session.close(),
        () => undefined,
      )
    this.#changed.dispose()
  }

  async #ask(folders: readonly vscode.WorkspaceFolder[]): Promise<vscode.WorkspaceFolder | undefined> {
    if (folders.length === 0) {
      const text = vscode.l10n.t('Open a folder first: clada applies replies to the files in it.')
      void vscode.window.showWarningMessage(text)
      return undefined
    }
    return vscode.window.showWorkspaceFolderPick({ placeHolder: vscode.l10n.t('The project of the reply') })
  }

  async #openFolder(folder: vscode.WorkspaceFolder): Promise<FolderProject> {
    const { openProject, editorKeys } = await this.engine()
    const asked = new Set<number>()
    const send = (event: string, data: unknown): void => {
      if (event === 'output' && session !== undefined) this.#showOutput(session, data as PrintedText)
      else this.#changed.fire()
      for (const question of session?.questions.list() ?? []) {
        if (asked.has(question.id)) continue
        asked.add(question.id)
        void askApproval(question).then((answer) => session?.questions.answer(question.id, answer))
      }
    }
    let session: PageSession | undefined
    const opened = await openProject({
      root: folder.uri.fsPath,
      settings: settingsFor(folder, editorKeys),
      unsaved: () => unsavedTexts(folder),
      send,
    })
    session = opened.session
    for (const warning of opened.warnings) this.#output.appendLine(warning)
    return { folder, session }
  }

  /** As in a terminal, below the command, but nothing of it is acted on: no colours, no links, no escape sequences. */
  #showOutput({ plan }: PageSession, { task, text }: PrintedText): void {
    const block = plan?.blocks.find((one) => one.task === task)
    if (block !== undefined && block !== this.#printing) {
      this.#output.appendLine(`\n> ${withoutMarkup(`${block.action} ${block.target}`.trim())}`)
      this.#printing = block
    }
    this.#output.show(true)
    this.#output.append(spellOut(stripVTControlCharacters(text).replaceAll('\r\n', '\n')))
  }

  async #load(): Promise<Engine> {
    const engine = await import('./engine.ts')
    engine.useInstallation(grammarsIn(this.#context.extensionPath), () => ripgrepOf(vscode.env.appRoot))
    return engine
  }
}

/** The keys of `clada.yml` that the settings of VS Code have. */
function settingsFor(folder: vscode.WorkspaceFolder, names: readonly string[]): EditorSettings {
  const configuration = vscode.workspace.getConfiguration('clada', folder)
  const set = (...levels: readonly ('globalValue' | 'workspaceValue' | 'workspaceFolderValue')[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const found = configuration.inspect<unknown>(name)
        const value = levels.map((level) => found?.[level]).findLast((one) => one !== undefined)
        return value === undefined ? [] : [[name, value]]
      }),
    )
  return { user: set('globalValue'), workspace: set('workspaceValue', 'workspaceFolderValue') }
}

function grammarsIn(extension: string): Record<string, string> {
  const dir = path.join(extension, 'dist/grammars')
  const names = fs.existsSync(dir) ? fs.readdirSync(dir) : []
  return Object.fromEntries(names.map((name) => [`grammars/${name}`, path.join(dir, name)]))
}

/** The desktop program has its modules in an archive, and programs beside it. */
function ripgrepOf(appRoot: string): { rgPath: string } {
  const load = createRequire(path.join(appRoot, 'package.json'))
  const found: { rgPath: string } = load('@vscode/ripgrep')
  return { rgPath: found.rgPath.replace(/\bnode_modules\.asar\b/, 'node_modules.asar.unpacked') }
}
