import { plainReason } from '../core/os-words.ts'
import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import path from 'node:path'
import { isInside, withSlashes } from '../core/paths.ts'
import { defaultDeniedPatterns } from '../policy/secret-files.ts'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { pathSpellings, userFile } from '../state/user-state.ts'
import { type KeyName, keyNames, keyOf } from './keys.ts'
import { type Config } from './nested-config.ts'
import type { EditorSettings } from './editor-settings.ts'
import { type ConfigError, quoteValue } from './kinds.ts'
import {
  configOf,
  type Effective,
  type FileGiven,
  type GivenKeys,
  merge,
  type MergedConfig,
  optionsOf,
  validate,
} from './merge.ts'
import { canonical, type CladaOptions, pathExists, SettingsError } from './settings.ts'
import { isTrusted } from './trust.ts'
import { projectFileName } from '../core/reserved-names.ts'
import { homeDir } from '../core/platform.ts'

/** Everything the config files say, for one project. */
export interface Loaded {
  readonly merged: MergedConfig
  /** For a run. Defaults are in it too. */
  readonly options: CladaOptions
  /** The effective values, as they are nested in a file. */
  readonly config: Config
  /** The project, where a file says so; otherwise as the caller has it. */
  readonly root: string | undefined
  /** The user's own file may only narrow, too, where it is inside the project: documents could write it there. */
  readonly user: (ConfigFile & { readonly inside: boolean }) | undefined
  readonly project: (ConfigFile & { readonly dir: string; readonly trusted: boolean }) | undefined
  /** Values that are ignored, and what to do about it. */
  readonly warnings: readonly string[]
}

export interface ConfigFile {
  readonly file: string
  readonly text: string
  readonly given: GivenKeys
}

/**
 * Reads the user's file and that of the project. @throws SettingsError with every error of both.
 *
 * @param root The project, where the user has named it.
 * @param around Otherwise the project, where neither the user nor a file names another one.
 */
export async function loadConfig(
  root: string | undefined,
  around?: string,
  settings?: EditorSettings,
): Promise<Loaded> {
  const errors: string[] = []
  const own = await readGiven(userFile(), 'followed', errors)
  const named = root ?? own?.given.root?.value ?? around
  const dir = canonical(typeof named === 'string' ? named : process.cwd())
  const found = await readGiven(path.join(dir, projectFileName), 'refused', errors)
  const editor = settings && (await givenByEditor(settings, dir))
  errors.push(...(editor?.errors ?? []))
  if (errors.length > 0) throw new SettingsError(errors.join('\n'))

  const user = own && { ...own, inside: pathSpellings(own.file).some((name) => isInside(name, dir)) }
  const project = found && { ...found, dir, trusted: isTrusted({ place: dir, root: dir }, found.text) }
  const file = user && { ...user, trusted: !user.inside, facts: narrowingFacts(dir, defaultDeniedPatterns) }
  const { denied_patterns: denied } = merge(file)
  const facts = narrowingFacts(dir, denied.value as readonly string[])
  const layers = editor && {
    user: { given: editor.user, trusted: true, facts },
    workspace: { given: editor.workspace, trusted: false, facts },
  }
  const merged = merge(file, project && { ...project, facts }, layers)
  const meant = root === undefined ? merged.root.value : undefined
  const narrowed = typeof meant === 'string' ? meant : (root ?? around)
  const counted = project === undefined ? merged : await withoutApproved(merged, narrowed ?? dir)
  const values = keyNames.map((name) => [name, counted[name].value] as const)
  return {
    merged: counted,
    options: { repoPath: narrowed, partOf: narrowed === undefined ? undefined : dir, ...optionsOf(values) },
    config: configOf(counted),
    root: narrowed,
    user,
    project,
    warnings: [...refusals(counted, user, project), ...(editor?.warnings ?? [])],
  }
}

/** What the settings of an editor say. Those of the user must be right; those of a workspace may be anybody's. */
async function givenByEditor(settings: EditorSettings, dir: string) {
  const { givenBySettings } = await import('./editor-settings.ts')
  const [user, workspace] = [givenBySettings(settings.user), givenBySettings(settings.workspace)]
  return {
    user: resolveDirs(user.given, dir),
    workspace: resolveDirs(workspace.given, dir),
    errors: user.errors.map((error) => `settings: ${error}`),
    warnings: workspace.errors.map((error) => `workspace settings: ignored: ${error}`),
  }
}

/** The config files, for a program that wants to use them. */
export interface ReadConfig {
  /** For `new Clada(options)`. */
  options: CladaOptions
  /** Values that a project's file asks for and does not get. */
  warnings: string[]
}

/** Reads the config files of the user and of a project, as the command line does. @throws SettingsError */
export async function readConfig(repoPath?: string): Promise<ReadConfig> {
  const { options, warnings } = await loadConfig(repoPath)
  return { options, warnings: [...warnings] }
}

async function readGiven(
  file: string,
  links: 'followed' | 'refused',
  errors: string[],
): Promise<ConfigFile | undefined> {
  const read = readConfigFile(file, links)
  if (read === undefined) return undefined
  const located = (error: ConfigError): string =>
    `${configFileName(file)}:${error.at.line}:${error.at.column}: ${error.message}`
  if (!('text' in read)) {
    errors.push(located(read))
    return undefined
  }
  // Most runs have no config, and need no parser for it.
  const { yamlTree } = await import('./yaml-tree.ts')
  const { tree, errors: broken, soundTo } = yamlTree(read.text)
  const { given, errors: wrong } = validate(tree)
  const all = [...broken, ...wrong.filter(({ at }) => at.line < soundTo)].sort(
    (a, b) => a.at.line - b.at.line || a.at.column - b.at.column,
  )
  errors.push(...all.slice(0, mostErrors).map(located))
  if (all.length > mostErrors) errors.push(`${configFileName(file)}: and ${all.length - mostErrors} more.`)
  return { file, text: read.text, given: resolveDirs(given, path.dirname(file)) }
}

const mostErrors = 50

const configFileName = (file: string): string =>
  path.basename(file) === projectFileName ? projectFileName : withSlashes(file)

/** Directories as they really are, so that no link and no dots make one look like another. */
function resolveDirs(given: GivenKeys, dir: string): GivenKeys {
  const absolute = (value: unknown): string =>
    canonical(path.resolve(dir, String(value).replace(/^~(?=\/|$)/, homeDir())))
  const { root, allowed_roots: roots } = given
  return {
    ...given,
    root: root === undefined || root.value === null ? root : { ...root, value: absolute(root.value) },
    allowed_roots:
      roots === undefined || !Array.isArray(roots.value) ? roots : { ...roots, value: roots.value.map(absolute) },
  }
}

function narrowingFacts(dir: string, deniedPatterns: readonly string[]): FileGiven['facts'] {
  const policy = { root: dir, allowedRoots: [], allowEscape: false, deniedPatterns }
  const judge = makePathJudge(pathPolicyOf(policy))
  return { dir, mayWrite: (name) => judge.path(name, path.resolve(dir, name), 'write').verdict === 'allow' }
}

/** Commands that the user has already approved are not reported. */
async function withoutApproved(merged: MergedConfig, root: string): Promise<MergedConfig> {
  const { 'commands.approve': approve } = merged
  const asked = approve.refused?.value
  if (!Array.isArray(asked)) return merged
  // Few projects ask for commands, and the rules for commands are large.
  const [{ Approvals }, { approvalLineOf }] = await Promise.all([
    import('../approvals/approvals.ts'),
    import('../approvals/approval-line.ts'),
  ])
  const approvals = new Approvals(root)
  const open = asked.filter((command: string) => {
    const read = approvalLineOf(command)
    return 'reason' in read || approvals.stateOf(read).state !== 'approved'
  })
  const { refused, ...counted } = approve
  const left: Effective =
    refused === undefined || open.length === 0 ? counted : { ...counted, refused: { ...refused, value: open } }
  return { ...merged, 'commands.approve': left }
}

function refusals(merged: MergedConfig, user: Loaded['user'], project: Loaded['project']): string[] {
  return keyNames.flatMap((name) => {
    const { refused, from, value } = merged[name]
    if (refused === undefined) return []
    const asked = `ignored ${name}: ${writeValue(name, refused.value)}`
    const used = from === 'default' ? `; using ${name}: ${writeValue(name, value)}` : ''
    if (refused.by === 'user') {
      const place = `${withSlashes(user?.file ?? '')}:${refused.at.line}`
      return `${place}: ${asked} (this file is inside the project)${used}.`
    }
    if (refused.by === 'workspace')
      return `workspace settings: ${asked} (they only narrow what you allow yourself)${used}.`
    const place = `${projectFileName}:${refused.at.line}`
    const why = project?.trusted ? 'not approved' : 'this project is not trusted'
    return `${place}: ${asked} (${why})${used}. Run clada trust to allow it.`
  })
}

/** A value on one line. */
export const writeValue = (name: KeyName, value: unknown): string => {
  const { write } = keyOf(name).kind
  const text = JSON.stringify(write === undefined ? value : write(value))
  return quoteValue(text).slice(1, -1)
}

/** No config is larger, and a parser must not be kept busy by one that is. */
const mostBytes = 128 * 1024

/** The bytes of a config file, or why it cannot be read; undefined when it does not exist. */
function readConfigFile(
  file: string,
  links: 'followed' | 'refused',
): { readonly text: string } | ConfigError | undefined {
  const wrong = (message: string): ConfigError => ({ at: { line: 1, column: 1 }, message })
  let fd: number
  try {
    const follow = links === 'followed' ? 0 : (fs.constants.O_NOFOLLOW ?? 0)
    fd = fs.openSync(file, fs.constants.O_RDONLY | follow | (fs.constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    // A dangling link exists, and is an error.
    if (code === 'ENOENT' && !pathExists(file)) return undefined
    if (code === 'ENOTDIR') return undefined
    if (code === 'ELOOP') return wrong("This is a symbolic link, and a project's config must be a file of the project.")
    return wrong(`This file cannot be read: ${plainReason(error)}.`)
  }
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isFile())
      return wrong(
        `This is ${stat.isDirectory() ? 'a directory' : 'not a regular file'}, so it cannot be a config file.`,
      )
    if (stat.size > mostBytes) return wrong(`This file has ${stat.size} bytes; a config has at most ${mostBytes}.`)
    const bytes = fs.readFileSync(fd)
    if (isUtf8(bytes)) return { text: bytes.toString('utf8') }
    return { at: placeOfBroken(bytes), message: 'This is not valid UTF-8. Save the file as UTF-8.' }
  } finally {
    fs.closeSync(fd)
  }
}

/** A line break is never part of another character, so lines can be looked at one by one. */
function placeOfBroken(bytes: Buffer): ConfigError['at'] {
  let line = 1
  for (let start = 0; start <= bytes.length; line++) {
    const end = bytes.indexOf(10, start)
    const whole = bytes.subarray(start, end === -1 ? bytes.length : end)
    if (!isUtf8(whole)) return { line, column: whole.toString('utf8').indexOf('\ufffd') + 1 }
    start += whole.length + 1
  }
  return { line: 1, column: 1 }
}
