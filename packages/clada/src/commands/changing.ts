import type { RunData } from '../core/commands.ts'
import path from 'node:path'
import { isInside, withSlashes } from '../core/paths.ts'
import type { DirectoryEntry, Files, PathArg } from '../core/files.ts'
import type { ChangingCommand } from '../core/listed-commands.ts'
import { ProblemError, type Problem } from '../core/problem.ts'
import type { ParsedCommand } from '../policy/commands/rule.ts'
import { linkOperandError, type CommandScope } from './scope.ts'
import { fail, ok, type Outcome } from '../core/action.ts'
import type { Listed } from '../policy/commands/judge-command.ts'
import { unlessEmpty } from '@clada/reply/core/optional.ts'

/** `mv rm cp mkdir touch`: no process, the same checks and the same journal as any file action. */
export async function runChangingCommand(
  name: ChangingCommand,
  { call }: Listed,
  cwd: PathArg,
  scope: CommandScope,
): Promise<Outcome<RunData>> {
  const found = await scope.files.look(cwd, 'list')
  if (found?.type !== 'directory') return fail({ kind: 'cwd-missing', path: cwd.given })
  const command = new FileCommand(scope.files, scope.settings.root, call)
  const args = call.operands.map(({ text }): PathArg => ({ given: text, absolute: path.resolve(cwd.absolute, text) }))
  try {
    if (name === 'mv' || name === 'cp') await intoTarget(name, command, args)
    else for (const arg of args) await changeOperand(name, command, arg)
  } catch (error) {
    if (!(error instanceof ProblemError) || command.changed.length === 0) throw error
    // What was done before stays done; the answer says what.
    return fail(error.problem, { output: command.output(), exit_code: 1, changed: command.changed })
  }
  return ok({
    output: command.output(),
    exit_code: 0,
    changed: unlessEmpty(command.changed),
  })
}

function changeOperand(name: 'rm' | 'mkdir' | 'touch', command: FileCommand, arg: PathArg): Promise<void> {
  if (name === 'rm') return removeOperand(command, arg)
  return name === 'mkdir' ? makeDirectory(command, arg) : touchOperand(command, arg)
}

async function intoTarget(name: 'mv' | 'cp', command: FileCommand, args: readonly PathArg[]): Promise<void> {
  const target = args.at(-1)
  const sources = args.slice(0, -1)
  if (target === undefined) return
  const found = await command.files.look(target, 'write')
  const into = found?.type === 'directory' && !command.has('-T')
  if (!into && (sources.length > 1 || target.given.endsWith('/')))
    throw new ProblemError(notDirectory(target, found === undefined))
  for (const source of sources) {
    const base = path.basename(source.absolute)
    const to = into
      ? { given: `${target.given.replace(/\/+$/, '')}/${base}`, absolute: path.join(target.absolute, base) }
      : target
    await (name === 'mv' ? movePath(command, source, to) : copyPath(command, source, to))
  }
}

const notDirectory = ({ given }: PathArg, missing: boolean): Problem => ({
  kind: 'os',
  code: missing ? 'ENOENT' : 'ENOTDIR',
  op: 'open',
  path: given,
})

/** More than this is not something a model should do in one line. */
const mostEntries = 10_000

/** One of the commands that the workspace runs, with what it has done so far. */
export class FileCommand {
  readonly files: Files
  readonly changed: { path: string; change: 'create' | 'modify' | 'delete' }[] = []
  readonly #root: string
  readonly #call: ParsedCommand
  readonly #said: string[] = []

  constructor(files: Files, root: string, call: ParsedCommand) {
    this.files = files
    this.#root = root
    this.#call = call
  }

  has(...flags: readonly string[]): boolean {
    return this.#call.has(...flags)
  }

  recordChange(change: 'create' | 'modify' | 'delete', { absolute }: PathArg): void {
    this.changed.push({ path: withSlashes(path.relative(this.#root, absolute)), change })
  }

  print(line: string): void {
    if (this.has('-v')) this.#said.push(`${line}\n`)
  }

  output(): string {
    return this.#said.join('')
  }

  /** Neither the root nor a directory that holds it may go or be moved. */
  refuseRoot({ given, absolute }: PathArg): void {
    if (!isInside(this.#root, absolute)) return
    throw new ProblemError({ kind: 'path', rule: 'path_denied', path: given, reason: 'it is the root itself' })
  }
}

export async function removeOperand(command: FileCommand, arg: PathArg): Promise<void> {
  command.refuseRoot(arg)
  const found = await command.files.look(arg, 'write')
  if (found === undefined) {
    if (command.has('-f')) return
    throw new ProblemError({ kind: 'os', code: 'ENOENT', op: 'unlink', path: arg.given })
  }
  // A slash after a link means its target.
  if (found.type === 'symlink' && arg.given.endsWith('/')) throw linkOperandError(arg.given)
  if (found.type !== 'directory') return removeOne(command, arg)
  if (!command.has('-r')) throw new ProblemError({ kind: 'os', code: 'EISDIR', op: 'unlink', path: arg.given })
  const { files, dirs } = await listTree(command, arg, 'write')
  for (const file of files) await removeOne(command, file)
  for (const dir of dirs.reverse()) {
    await command.files.removeDir(dir)
    command.print(`removed directory '${dir.given}'`)
  }
}

async function removeOne(command: FileCommand, arg: PathArg): Promise<void> {
  await command.files.remove({ ...arg, given: arg.given.replace(/\/+$/, '') })
  command.recordChange('delete', arg)
  command.print(`removed '${arg.given}'`)
}

export async function movePath(command: FileCommand, from: PathArg, to: PathArg): Promise<void> {
  command.refuseRoot(from)
  const found = await command.files.look(from, 'write')
  if (found === undefined) throw new ProblemError({ kind: 'source-missing', path: from.given })
  if (found.type === 'symlink' && from.given.endsWith('/')) throw linkOperandError(from.given)
  if (command.has('-n') && (await command.files.look(to, 'write')) !== undefined) return
  if (found.type !== 'directory') return moveOperand(command, from, to)
  const { files, dirs } = await intoNew(command, from, to, 'write')
  for (const dir of dirs) await command.files.makeDir(pathAfterMove(dir, from, to))
  for (const file of files) await moveOperand(command, file, pathAfterMove(file, from, to))
  for (const dir of dirs.reverse()) await command.files.removeDir(dir)
}

async function moveOperand(command: FileCommand, from: PathArg, to: PathArg): Promise<void> {
  const { overwrote } = await command.files.move(from, to)
  command.recordChange('delete', from)
  command.recordChange(overwrote ? 'modify' : 'create', to)
  command.print(`renamed '${from.given}' -> '${to.given}'`)
}

export async function copyPath(command: FileCommand, from: PathArg, to: PathArg): Promise<void> {
  const found = await command.files.look(from, 'read')
  if (found === undefined) throw new ProblemError({ kind: 'source-missing', path: from.given })
  if (found.type === 'symlink') throw linkOperandError(from.given)
  if (command.has('-n') && (await command.files.look(to, 'write')) !== undefined) return
  if (found.type !== 'directory') return copyOperandFile(command, from, to)
  if (!command.has('-r')) throw new ProblemError({ kind: 'os', code: 'EISDIR', op: 'copyfile', path: from.given })
  const { files, dirs } = await intoNew(command, from, to, 'read')
  for (const dir of dirs) await command.files.makeDir(pathAfterMove(dir, from, to))
  for (const file of files) await copyOperandFile(command, file, pathAfterMove(file, from, to))
}

async function copyOperandFile(command: FileCommand, from: PathArg, to: PathArg): Promise<void> {
  const { overwrote } = await command.files.copy(from, to)
  command.recordChange(overwrote ? 'modify' : 'create', to)
  command.print(`'${from.given}' -> '${to.given}'`)
}

export async function makeDirectory(command: FileCommand, arg: PathArg): Promise<void> {
  const found = await command.files.look(arg, 'write')
  if (!command.has('-p')) {
    if (found !== undefined) throw new ProblemError({ kind: 'os', code: 'EEXIST', op: 'mkdir', path: arg.given })
    const parent = { given: arg.given, absolute: path.dirname(arg.absolute) }
    if ((await command.files.look(parent, 'list')) === undefined) {
      throw new ProblemError({ kind: 'os', code: 'ENOENT', op: 'mkdir', path: arg.given })
    }
  }
  await command.files.makeDir(arg)
  if (found === undefined) command.print(`mkdir: created directory '${arg.given}'`)
}

/** A file that is there stays as it is: its time is not content. */
export async function touchOperand(command: FileCommand, arg: PathArg): Promise<void> {
  const found = await command.files.look(arg, 'write')
  if (found?.type === 'symlink') throw linkOperandError(arg.given)
  if (found !== undefined || command.has('-c')) return
  await command.files.write(arg, '', { ifExists: 'refuse' })
  command.recordChange('create', arg)
}

interface TreeListing {
  readonly files: PathArg[]
  /** The one above before those in it. */
  readonly dirs: PathArg[]
}

async function intoNew(
  command: FileCommand,
  from: PathArg,
  to: PathArg,
  access: 'read' | 'write',
): Promise<TreeListing> {
  if (isInside(to.absolute, from.absolute)) {
    throw new ProblemError({ kind: 'bad-param', param: 'command', message: `'${from.given}' cannot go into itself` })
  }
  const target = await command.files.look(to, 'write')
  if (target !== undefined && target.type !== 'directory') {
    throw new ProblemError({ kind: 'os', code: 'ENOTDIR', op: 'rename', path: to.given })
  }
  if (target !== undefined && (await command.files.list(to)).length > 0 && access === 'write') {
    throw new ProblemError({ kind: 'os', code: 'ENOTEMPTY', op: 'rename', path: to.given })
  }
  const tree = await listTree(command, from, access)
  for (const one of [...tree.dirs, ...tree.files]) await command.files.look(pathAfterMove(one, from, to), 'write')
  return tree
}

/** Everything below a directory, each checked before the first is touched. */
async function listTree(command: FileCommand, top: PathArg, access: 'read' | 'write'): Promise<TreeListing> {
  const tree: TreeListing = { files: [], dirs: [top] }
  for (let at = 0; at < tree.dirs.length; at++) {
    const dir = tree.dirs[at]
    if (dir === undefined) break
    for (const entry of await command.files.list(dir))
      await classifyEntry(command, child(dir, entry), entry, access, tree)
    if (tree.files.length + tree.dirs.length > mostEntries) {
      const message = `'${top.given}' holds more than ${mostEntries} files`
      throw new ProblemError({ kind: 'bad-param', param: 'command', message })
    }
  }
  return tree
}

async function classifyEntry(
  command: FileCommand,
  arg: PathArg,
  { type }: DirectoryEntry,
  access: 'read' | 'write',
  tree: TreeListing,
): Promise<void> {
  await command.files.look(arg, access)
  if (type === 'directory') tree.dirs.push(arg)
  // A copy of a link would be a new link, and the workspace makes none.
  else if (type === 'symlink' && access === 'read') throw linkOperandError(arg.given)
  else tree.files.push(arg)
}

const child = (dir: PathArg, { name }: DirectoryEntry): PathArg => ({
  given: `${dir.given.replace(/\/+$/, '')}/${name}`,
  absolute: path.join(dir.absolute, name),
})

function pathAfterMove(arg: PathArg, from: PathArg, to: PathArg): PathArg {
  const rest = arg.absolute.slice(from.absolute.length)
  return { given: `${to.given.replace(/\/+$/, '')}${withSlashes(rest)}`, absolute: to.absolute + rest }
}
