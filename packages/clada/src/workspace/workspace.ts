import type { Access, Effect, Landed, NotKept, Staged, WriterKind } from '../core/effects.ts'
import type {
  Discarded,
  FileChoice,
  Files,
  ListedEntry,
  OpenFile,
  PathArg,
  Pathed,
  FileReadOptions,
  Search,
  SearchResult,
  TextFile,
  WriteOptions,
  WriteResult,
} from '../core/files.ts'
import { shortDigestOf, digestOfContent } from '../core/digest.ts'
import { bytesContainLogin } from '../core/logins.ts'
import { looksLikeCells } from '../core/cells.ts'
import { isBelowAny, isInside, isNotebookPath } from '../core/paths.ts'
import { join, sep } from 'node:path'
import { ProblemError } from '../core/problem.ts'
import type { Commits, SeenChanges, Recorder } from '../core/recorder.ts'
import type { Limits } from '../core/settings.ts'
import { toEol } from '@clada/reply/text/lines.ts'
import type { EncodingName } from '../core/encodings.ts'
import { Declarations } from './declared-encoding.ts'
import { decodeText, DiskBase, directoryError, encodeText } from './disk-file.ts'
import { decodeAs, encodeAs, encodingByMark } from './text-encoding.ts'
import { assertLinkStaysInside, type Locator } from './walk.ts'
import { type Location, linkError } from './walk.ts'
import { syncMany } from '../process/sync-many.ts'
import { mayPlant } from './planted-repository.ts'
import { discardNames, makePlaceholders } from './made-names.ts'
import { longestPause, quietMs } from './scratch.ts'
import type { Searched } from './search.ts'
import type { Announced, Base, Landing, Tree } from './tree.ts'

export interface WorkspaceParts {
  readonly tree: Tree
  readonly locator: Locator
  readonly limits: Limits
  /** Waited for before each change of the disk. */
  readonly begin?: ((places: readonly Location[], commits?: Commits) => Promise<void>) | undefined
  readonly recorder?: Recorder | undefined
  /** The encodings of files, for all workspaces of one run. */
  readonly declarations: Declarations
}

/**
 * All access to the disk. Every path is judged here at every use, every text is decoded and hashed here,
 * and every write is compared with what the run has read. Whether the tree below is the disk or a staged one
 * makes no difference to anything above.
 */
export class Workspace {
  readonly parts: WorkspaceParts
  /** The digest of each file as this run last read or wrote it. */
  readonly seen = new Map<string, string>()
  /** Writes on their way to the disk, by path. */
  readonly landing = new Map<string, Promise<unknown>>()

  constructor(parts: WorkspaceParts) {
    this.parts = parts
  }

  /** What one action may do. Its writes may still be landing when it has returned; `onWrite` is called for each. */
  filesFor(onWrite: (landing: Landing) => void, expected?: ExpectedFile): ActionFiles {
    return new ActionFiles(this, onWrite, expected)
  }

  /** Files that were changed past this workspace: what it knew of them no longer holds. */
  forget(paths: Iterable<string>): void {
    for (const path of paths) this.seen.delete(path)
  }

  /** Waits for what is on its way to a path, to a directory above it, or to a file below it. */
  waitForLanding(absolute: string): Promise<unknown> | undefined {
    const waiting: Promise<unknown>[] = []
    // Without an iterator, which would make two objects for each.
    this.landing.forEach((landing, path) => {
      if (areRelated(path, absolute)) waiting.push(landing)
    })
    return waiting.length === 0 ? undefined : Promise.allSettled(waiting)
  }

  /** Waits until nothing is on its way. Failures are the business of the action that wrote. */
  async waitForAll(): Promise<void> {
    await Promise.allSettled(this.landing.values())
  }
}

/** Whether one path is above another, or the same. Most are not, which one character tells. */
function areRelated(one: string, other: string): boolean {
  if (one.length > other.length) return areRelated(other, one)
  const { length } = one
  if (length < other.length && other[length] !== sep && one[length - 1] !== sep) return false
  return isInside(other, one)
}

const encode = (
  file: { readonly text: string; readonly bom: boolean },
  encoding: EncodingName | undefined,
  path: PathArg,
): Promise<Buffer> | Buffer =>
  encoding === undefined || encoding === 'utf-8'
    ? encodeText(file.text, file.bom)
    : encodeAs(file, encoding, path.given)

/** The JSON of a notebook with the cells of a text. */
async function withCells(path: PathArg, json: string, text: string): Promise<string> {
  const { notebookWith } = await import('./notebook.ts')
  const fresh = notebookWith(json, text)
  if (fresh === undefined) throw new ProblemError({ kind: 'not-cells', path: path.given })
  return fresh
}

/** A whole notebook that is written as it is shown: its JSON, with what is in the file where that is a notebook. */
async function asNotebook(path: PathArg, text: string, replaced?: Buffer): Promise<string> {
  if (!isNotebookPath(path.absolute)) return text
  const { emptyNotebook, notebookText } = await import('./notebook.ts')
  if (!looksLikeCells(text)) return text
  const json = replaced?.toString() ?? ''
  return withCells(path, notebookText(json) === undefined ? emptyNotebook : json, text)
}

function announcementsOf(at: Location, effect: Effect | undefined): Announced[] {
  if (effect?.kind === 'gone') return [{ at, becomes: { type: 'absent' } }]
  if (effect?.kind === 'link') return [{ at, becomes: { type: 'moved' } }]
  return effect?.kind === 'file' ? [{ at, becomes: { type: 'file', mode: effect.mode } }] : []
}

function whyNotLanded(tree: Tree, at: Location, effect: Effect): string | undefined {
  try {
    switch (effect.kind) {
      case 'file':
        tree.adopt(at, effect)
        break
      case 'link':
        tree.makeLink(at, effect.target)
        break
      case 'directory':
        tree.makeDir(at, effect.mode)
        break
      case 'time':
        tree.setTime(at, effect.mtime)
        break
      case 'gone':
        if (effect.type === 'directory') tree.removeDir(at)
        else tree.remove(at, { readOnly: 'left so' })
    }
    return undefined
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { problem } = error
    if (problem.kind === 'os')
      return problem.code === 'ENOTEMPTY' ? 'what is in it stays' : `${problem.code}, ${problem.op}`
    if (problem.kind === 'path') return problem.reason
    if (problem.kind === 'not-regular') return `what is there is a ${problem.type}, which undo could not bring back`
    if (problem.kind === 'too-large') return 'there is no room for it in memory'
    return problem.kind === 'changed-meanwhile' ? 'another program changed it in the meantime' : problem.kind
  }
}

/** A file that an action must find as it was reviewed. */
export interface ExpectedFile {
  readonly absolute: string
  /** Its digest; undefined where there must be none. */
  readonly content: string | undefined
}

/** Whether an edit of a notebook was written for its JSON: the lines of a cell are in both. */
function isAboutJson(having = '', cells: string, json: string): boolean {
  const lines = having.split('\n').map((line) => line.trim())
  const foundIn = (text: string): number => lines.filter((line) => text.includes(line)).length
  return foundIn(json) > foundIn(cells)
}

export class ActionFiles implements Files {
  readonly #workspace: Workspace
  readonly #tree: Tree
  readonly #onWrite: (landing: Landing) => void
  readonly #expected: ExpectedFile | undefined
  readonly #bases = new Map<TextFile, Base>()
  readonly #written = new Map<PathArg, Landing>()
  /** The files that this action has given a content. Absolute. */
  readonly changed = new Set<string>()

  constructor(workspace: Workspace, onWrite: (landing: Landing) => void, expected?: ExpectedFile) {
    this.#workspace = workspace
    this.#expected = expected
    this.#tree = workspace.parts.tree
    this.#onWrite = onWrite
  }

  async read(path: PathArg, options: FileReadOptions = {}): Promise<TextFile> {
    // Most files are there and quiet, and a promise for each step takes as long as the step.
    const ready = this.#ready(path, 'read')
    const at = ready instanceof Promise ? await ready : ready
    const found = this.#readStable(at)
    const { file, base } = await this.#readText(found instanceof Promise ? await found : found, at, path, options)
    if (options.notebooks === 'json' || !isNotebookPath(path.absolute)) return file
    const { notebookText } = await import('./notebook.ts')
    const cells = notebookText(file.text)
    if (cells === undefined || isAboutJson(options.having, cells, file.text)) return file
    this.#bases.delete(file)
    const shown: TextFile = { ...file, text: cells, json: file.text }
    this.#bases.set(shown, base)
    return shown
  }

  async save(file: TextFile, text: string): Promise<void> {
    const ready = this.#ready(file.path, 'write')
    const at = ready instanceof Promise ? await ready : ready
    const base = this.#bases.get(file)
    if (base === undefined) throw new Error(`save without read: ${file.path.given}`)
    const content = file.json === undefined ? text : await withCells(file.path, file.json, text)
    const bytes = await encode({ text: content, bom: file.bom }, file.encoding, file.path)
    if (bytes.equals(base.bytes)) return
    this.#workspace.parts.declarations.freeze(at)
    await this.#workspace.parts.begin?.([at])
    this.#bases.delete(file)
    this.#write(at, file.path, bytes, base)
  }

  async landed(path: PathArg): Promise<void> {
    const landing = this.#written.get(path)
    if (landing === undefined) return
    landing.reported = true
    await landing.written
  }

  async write(path: PathArg, text: string, options: WriteOptions = {}): Promise<WriteResult> {
    const at = await this.#ready(path, 'write')
    const plain = text.startsWith('\ufeff') ? text.slice(1) : text
    const look = at.parts.length === 0 ? undefined : this.#tree.look(at)
    if (look !== undefined && look.type !== 'directory' && options.ifExists === 'refuse') {
      throw new ProblemError({ kind: 'os', code: 'EEXIST', op: 'open', path: path.given })
    }
    if (look === undefined) {
      this.#expect(at, path, null, options.expectHash)
      const { declarations } = this.#workspace.parts
      const { encoding, eol } = declarations.of(at)
      const ended = eol === undefined ? plain : toEol(plain, eol)
      const content = await encode({ text: await asNotebook(path, ended), bom: false }, encoding, path)
      declarations.freeze(at)
      await this.#workspace.parts.begin?.([at])
      this.#write(at, path, content, null)
      return { bytes: content.length }
    }
    const base = await this.#readStable(at)
    let content: Buffer
    try {
      this.#expect(at, path, base.bytes, options.expectHash)
      const encoding = this.#encodingOf(at, base.bytes)
      // Without its mark nothing would say any more that a file is in UTF-16.
      const bom = encodingByMark(base.bytes) !== undefined
      content = await encode({ text: await asNotebook(path, plain, base.bytes), bom }, encoding, path)
      this.#workspace.parts.declarations.freeze(at)
      await this.#workspace.parts.begin?.([at])
    } catch (error) {
      base.release()
      throw error
    }
    this.#write(at, path, content, base)
    return { bytes: content.length, replaced: base.bytes }
  }

  async remove(path: PathArg): Promise<void> {
    const at = await this.#ready(path, 'write')
    const look = at.parts.length === 0 ? undefined : this.#tree.look(at)
    if (look !== undefined && look.type !== 'directory') await this.#workspace.parts.begin?.([at])
    this.#workspace.parts.declarations.freeze(at)
    this.#tree.remove(at)
    this.#workspace.seen.delete(at.absolute)
  }

  async move(from: PathArg, to: PathArg): Promise<{ overwrote: boolean }> {
    const source = await this.#ready(from, 'write')
    const target = await this.#ready(to, 'write')
    const look = source.parts.length === 0 ? undefined : this.#tree.look(source)
    if (look === undefined) throw new ProblemError({ kind: 'source-missing', path: from.given })
    if (look.type === 'directory') throw directoryError(source, 'rename')
    if (look.type === 'symlink')
      assertLinkStaysInside(source, this.#tree.readLink(source), this.#workspace.parts.locator)
    if (source.absolute === target.absolute) return { overwrote: false }
    const overwrote = this.#refuseDirectory(target, 'rename')
    await this.#workspace.parts.begin?.([source, target])
    this.#workspace.parts.declarations.freeze(source)
    this.#workspace.parts.declarations.freeze(target)
    this.#tree.rename(source, target)
    this.changed.add(target.absolute)
    const seen = this.#workspace.seen.get(source.absolute)
    this.#workspace.seen.delete(source.absolute)
    if (seen === undefined) this.#workspace.seen.delete(target.absolute)
    else this.#workspace.seen.set(target.absolute, seen)
    return { overwrote }
  }

  async copy(from: PathArg, to: PathArg): Promise<{ overwrote: boolean }> {
    const source = await this.#ready(from, 'read')
    const target = await this.#ready(to, 'write')
    const look = source.parts.length === 0 ? undefined : this.#tree.look(source)
    if (look === undefined) throw new ProblemError({ kind: 'source-missing', path: from.given })
    if (look.type === 'directory') throw directoryError(source, 'copyfile')
    const overwrote = this.#refuseDirectory(target, 'copyfile')
    await this.#workspace.parts.begin?.([target])
    this.#workspace.parts.declarations.freeze(target)
    await this.#tree.copy(source, target)
    this.changed.add(target.absolute)
    this.#workspace.seen.delete(target.absolute)
    return { overwrote }
  }

  async makeDir(path: PathArg): Promise<void> {
    const at = await this.#ready(path, 'write', 'directory')
    const look = at.parts.length === 0 ? undefined : this.#tree.look(at)
    if (look?.type === 'symlink') throw linkError(at, at.absolute)
    if (look !== undefined && look.type !== 'directory') {
      throw new ProblemError({ kind: 'os', code: 'EEXIST', op: 'mkdir', path: path.given })
    }
    if (look === undefined && at.parts.length > 0) await this.#workspace.parts.begin?.([at])
    this.#tree.makeDir(at)
  }

  async removeDir(path: PathArg): Promise<void> {
    const at = await this.#ready(path, 'write', 'directory')
    const look = at.parts.length === 0 ? undefined : this.#tree.look(at)
    if (look?.type === 'directory') await this.#workspace.parts.begin?.([at])
    this.#tree.removeDir(at)
  }

  async list(path: PathArg): Promise<ListedEntry[]> {
    const at = await this.#ready(path, 'list', 'directory')
    return this.#tree.list(at).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async readLink(path: PathArg): Promise<string> {
    return this.#tree.readLink(await this.#ready(path, 'list'))
  }

  async open(path: PathArg): Promise<OpenFile> {
    return this.#tree.open(await this.#ready(path, 'read'))
  }

  isBlocked(path: PathArg): boolean {
    return this.#workspace.parts.locator.refusal(path, 'read') !== undefined
  }

  async glob(
    base: PathArg,
    matches: (relative: string) => boolean,
    enter: (relative: string) => boolean,
  ): Promise<string[]> {
    const at = await this.#ready(base, 'list', 'directory')
    const found: string[] = []
    const pending: Location[] = [at]
    for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
      for (const { name, type } of this.#tree.names(dir)) {
        const child = { ...dir, parts: [...dir.parts, name], absolute: join(dir.absolute, name) }
        const relative = child.parts.slice(at.parts.length).join('/')
        if (type === 'directory') {
          if (this.#workspace.parts.locator.enters(child) && enter(relative)) pending.push(child)
        } else if (matches(relative)) found.push(relative)
      }
    }
    return found.sort()
  }

  async search(query: Search): Promise<SearchResult> {
    const at = await this.#ready(query.base, 'read', 'directory')
    // Loaded only here: most documents never search.
    const { searchFiles } = await import('./search.ts')
    return searchFiles(query, this.#searched(at))
  }

  async searched(base: PathArg, choice: FileChoice): Promise<string[]> {
    const at = await this.#ready(base, 'list', 'directory')
    if (at.parts.length > 0 && this.#tree.look(at)?.type !== 'directory') return []
    const { listSearchedFiles } = await import('./search.ts')
    return listSearchedFiles(choice, this.#searched(at))
  }

  #searched(at: Location): Searched {
    const { locator, limits } = this.#workspace.parts
    return { at, tree: this.#tree, locator, timeoutMs: limits.actionMs }
  }

  async look(path: PathArg, access: Access): Promise<Pathed | undefined> {
    const at = await this.#ready(path, access, 'directory')
    const look = this.#tree.look(at)
    return look === undefined ? undefined : { type: look.type, absolute: at.absolute, stat: look.stat }
  }

  async outside(dir: PathArg, effect: Parameters<Files['outside']>[1]): Promise<{ cwd: string; absolute: string }> {
    const at = await this.#ready(dir, 'list', 'directory')
    await this.#workspace.waitForAll()
    const { begin, recorder } = this.#workspace.parts
    if (effect !== 'looks') await begin?.([], effect.endsWith('repository') ? 'git' : 'clada')
    if (effect.startsWith('changes')) await recorder?.beforeProgram()
    if (effect === 'lands repository') await recorder?.beforeGit()
    const { cwd } = this.#tree.outside(at)
    if (cwd === undefined && this.#tree.look(at)?.type !== 'directory')
      throw new ProblemError({ kind: 'os', code: 'ENOENT', op: 'open', path: dir.given })
    // Made by an action of the same stage: only a program on layers finds it.
    return { cwd: cwd ?? at.absolute, absolute: at.absolute }
  }

  staged(): readonly Staged[] {
    return this.#tree.staged()
  }

  async changedOutside(absolutes: readonly string[], seen?: SeenChanges): Promise<void> {
    this.#workspace.forget(absolutes)
    await this.#workspace.parts.recorder?.changedByProgram(absolutes, seen)
  }

  async landedRepository(): Promise<void> {
    await this.#workspace.parts.recorder?.afterGit()
  }

  placehold(root: string, absolutes: readonly string[]): readonly string[] {
    return makePlaceholders(root, absolutes)
  }

  discard(root: string, absolutes: readonly string[], which: Discarded): readonly string[] {
    return discardNames(root, absolutes, which)
  }

  async land(root: string, effects: readonly Effect[], by: WriterKind): Promise<Landed> {
    const { tree, locator } = this.#workspace.parts
    // What takes a name is on the disk first.
    await syncMany(effects.flatMap((one) => (one.kind === 'file' ? [one.from] : [])))
    const places = effects.map(({ path }) => locator.locateWritten(join(root, path), by))
    const allowed = places.flatMap((at) => ('reason' in at ? [] : [at]))
    if (effects.length > 0) await this.#workspace.parts.begin?.(allowed)
    for (const at of places) if (!('reason' in at)) this.#workspace.parts.declarations.freeze(at)
    await tree.announce(places.flatMap((at, index) => ('reason' in at ? [] : announcementsOf(at, effects[index]))))
    const kept: Effect[] = []
    const notKept: NotKept[] = []
    const refused = new Set<string>()
    tree.ofProgram = true
    for (const [index, effect] of effects.entries()) {
      const absolute = join(root, effect.path)
      // One word for a directory says it of everything in it.
      if (isBelowAny(absolute, refused)) continue
      const at = places[index]
      if (at === undefined) continue
      const reason = 'reason' in at ? at.reason : whyNotLanded(tree, at, effect)
      if (reason === undefined) kept.push(effect)
      else {
        if (effect.kind !== 'time') notKept.push({ path: effect.path, reason })
        if (effect.kind !== 'gone') refused.add(absolute)
      }
      this.#workspace.seen.delete(absolute)
    }
    tree.ofProgram = false
    return { kept, notKept }
  }

  /** Lets go of what was read and not written. */
  close(): void {
    for (const base of this.#bases.values()) base.release()
    this.#bases.clear()
  }

  /** A location that is judged and has no write of this run on its way. */
  #ready(path: PathArg, access: Access, meant: 'file' | 'directory' = 'file'): Promise<Location> | Location {
    const at = this.#workspace.parts.locator.locate(path, access)
    if (meant === 'file' && /[\\/]$/.test(path.given)) throw directoryError(at, 'open')
    // What makes a directory a repository is refused by what is in it, and that may be on its way. On a disk, where a file waits
    // for its sync, HEAD, objects and refs of one reply were all written.
    const landing =
      access === 'write' && mayPlant(at) ? this.#workspace.waitForAll() : this.#workspace.waitForLanding(at.absolute)
    return landing?.then(() => at) ?? at
  }

  /** Reads a file. One that was emptied a moment ago is being saved by an editor: it is read once it stays the same. */
  #readStable(at: Location, waited = 0): Promise<Base> | Base {
    const base = this.#tree.read(at, this.#workspace.parts.limits.fileBytes)
    // It may have come since the path was checked; these are the bytes that are shown.
    if (at.unlessLogin !== undefined && bytesContainLogin(base.bytes)) {
      base.release()
      throw at.unlessLogin
    }
    const age = base instanceof DiskBase ? Math.abs(Date.now() - base.stat.mtimeMs) : quietMs
    if (age >= quietMs || waited >= longestPause || (waited === 0 && base.bytes.length > 0)) return base
    base.release()
    const left = quietMs - age + 1
    return new Promise((done) => setTimeout(done, left)).then(() => this.#readStable(at, waited + left))
  }

  async #readText(
    base: Base,
    at: Location,
    path: PathArg,
    { expectHash }: FileReadOptions,
  ): Promise<{ file: TextFile; base: Base }> {
    try {
      this.#expect(at, path, base.bytes, expectHash)
      const encoding = this.#encodingOf(at, base.bytes)
      const decoded =
        encoding === 'utf-8' ? decodeText(base.bytes, path.given) : await decodeAs(base.bytes, encoding, path.given)
      const file: TextFile = { path, ...decoded, encoding, hash: () => shortDigestOf(base.bytes) }
      this.#bases.set(file, base)
      return { file, base }
    } catch (error) {
      base.release()
      throw error
    }
  }

  /** By its mark, or as the project declares it; never by a guess. */
  #encodingOf(at: Location, bytes: Buffer): EncodingName {
    return encodingByMark(bytes) ?? this.#workspace.parts.declarations.of(at).encoding ?? 'utf-8'
  }

  /** Both the model and this run may have seen the file before; it must still be that one. */
  #expect(at: Location, path: PathArg, bytes: Buffer | null, expected: string | undefined): void {
    const { seen } = this.#workspace
    const actual = expected === undefined || bytes === null ? undefined : shortDigestOf(bytes)
    if (expected !== undefined && expected !== actual) {
      const found = actual ?? 'nothing: there is no such file'
      throw new ProblemError({ kind: 'hash-differs', path: path.given, expected, actual: found })
    }
    const digest = bytes === null ? undefined : digestOfContent(bytes)
    const { absolute, content } = this.#expected ?? {}
    if (absolute === at.absolute && content !== digest)
      throw new ProblemError({ kind: 'changed-meanwhile', path: path.given })
    const before = seen.get(at.absolute)
    if (before !== undefined && before !== digest) {
      // Reported once; the model's next look is at the file as it is now.
      seen.delete(at.absolute)
      throw new ProblemError({ kind: 'changed-meanwhile', path: path.given })
    }
    if (digest !== undefined) seen.set(at.absolute, digest)
  }

  #write(at: Location, path: PathArg, bytes: Buffer, base: Base | null): void {
    const limit = this.#workspace.parts.limits.fileBytes
    if (bytes.length > limit) {
      base?.release()
      throw new ProblemError({ kind: 'too-large', path: at.given, size: bytes.length, limit })
    }
    const { landing, seen } = this.#workspace
    const written = this.#tree.write(at, bytes, base)
    this.changed.add(at.absolute)
    const over = (): void => {
      if (landing.get(at.absolute) === landed) landing.delete(at.absolute)
    }
    const landed: Promise<void> = written.then(over, () => {
      // Refused before anything was begun, it is still held.
      base?.release()
      // It is not there after all, so the next reader meets the old file.
      seen.delete(at.absolute)
      over()
    })
    landing.set(at.absolute, landed)
    seen.set(at.absolute, digestOfContent(bytes))
    const write = { written, bytes: bytes.length + (base?.bytes.length ?? 0), reported: false }
    this.#written.set(path, write)
    this.#onWrite(write)
  }

  /** Whether a file is there to be overwritten. */
  #refuseDirectory(at: Location, op: string): boolean {
    const look = at.parts.length === 0 ? { type: 'directory' as const } : this.#tree.look(at)
    if (look?.type === 'directory') throw directoryError(at, op)
    return look !== undefined
  }
}
