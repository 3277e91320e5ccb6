import * as vscode from 'vscode'

/** Files of a scheme of our own that are on no disk. What the user types in one is saved here, and told. */
export class MemoryFiles implements vscode.FileSystemProvider {
  readonly #files = new Map<string, { readonly bytes: Uint8Array; readonly mtime: number }>()
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>()
  readonly #typed = new vscode.EventEmitter<{ readonly uri: vscode.Uri; readonly text: string }>()
  readonly onDidChangeFile = this.#changed.event
  readonly onTyped = this.#typed.event

  text(uri: vscode.Uri): string | undefined {
    const file = this.#files.get(uri.path)
    return file && new TextDecoder().decode(file.bytes)
  }

  /** Puts a text there; an editor that shows the file follows. */
  put(uri: vscode.Uri, text: string): void {
    const before = this.#files.get(uri.path)
    if (before !== undefined && this.text(uri) === text) return
    // An editor takes only what is newer than the text that it has.
    const mtime = Math.max(Date.now(), (before?.mtime ?? 0) + 1)
    this.#files.set(uri.path, { bytes: new TextEncoder().encode(text), mtime })
    const type = before === undefined ? vscode.FileChangeType.Created : vscode.FileChangeType.Changed
    this.#changed.fire([{ type, uri }])
  }

  clear(): void {
    this.#files.clear()
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, mtime } = this.#file(uri)
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length }
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#file(uri).bytes
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const { mtime } = this.#file(uri)
    this.#files.set(uri.path, { bytes, mtime: Math.max(Date.now(), mtime + 1) })
    this.#typed.fire({ uri, text: new TextDecoder().decode(bytes) })
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined)
  }

  readDirectory(): [string, vscode.FileType][] {
    return []
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri)
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri)
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri)
  }

  #file(uri: vscode.Uri): { readonly bytes: Uint8Array; readonly mtime: number } {
    const file = this.#files.get(uri.path)
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri)
    return file
  }
}

/** Saves what is typed into files of a scheme a moment after the last key, so that no tab asks to be saved. */
export function saveWhatIsTyped(scheme: string): vscode.Disposable {
  const waiting = new Map<string, NodeJS.Timeout>()
  const listening = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    if (document.uri.scheme !== scheme || !document.isDirty) return
    const key = document.uri.toString()
    clearTimeout(waiting.get(key))
    waiting.set(
      key,
      setTimeout(() => void document.save(), pause),
    )
  })
  return new vscode.Disposable(() => {
    listening.dispose()
    for (const timer of waiting.values()) clearTimeout(timer)
  })
}

/** Milliseconds. */
const pause = 300

/** What was typed a moment ago, and is not saved yet. */
export async function saveNow(scheme: string): Promise<void> {
  for (const document of vscode.workspace.textDocuments)
    if (document.uri.scheme === scheme && document.isDirty) await document.save()
}
