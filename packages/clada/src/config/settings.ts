import type { EncodingName } from '../core/encodings.ts'
import fs from 'node:fs'
import path from 'node:path'
import { homeDir } from '../core/platform.ts'
import { isInside, withSlashes } from '../core/paths.ts'
import { foldedName } from '../core/reserved-names.ts'
import { registryWith } from '../actions/registry.ts'
import type { ActionSpec, Registry } from '../core/action.ts'
import type { OwnSyntax } from '@clada/reply/syntax/own-syntax.ts'
import { addSyntax, type SyntaxName } from '@clada/reply/syntax/table.ts'
import { type Ask, type CommandSettings, defaultCommandSettings } from '../core/commands.ts'
import {
  type Conversation,
  defaultLimits,
  globMeantBy,
  type HistorySettings,
  type Hooks,
  type Limits,
  type OnLockWait,
  type Settings,
  SettingsError,
} from '../core/settings.ts'
import { belowRoot } from '../policy/below-root.ts'
import { defaultDeniedPatterns, secretDirectories } from '../policy/secret-files.ts'
import { checkOptions, type OptionKind, optionKinds } from './check-options.ts'
import { ignoreFilesFor } from './ignore-files.ts'
import { takeNoProgramsFrom } from '../process/programs.ts'
import { gitDirectoryOver } from '../state/git-directory.ts'
import { runningProgram } from '../state/running-program.ts'
import { userPlaces } from '../state/user-state.ts'
import { watchedPaths } from '../state/watched-files.ts'

export { SettingsError } from '../core/settings.ts'

/** Options of a project. All have defaults. */
export interface CladaOptions {
  /** The project. Default: the working directory. */
  repoPath?: string
  /** Where the user is. A relative path that is missing in the project and present there is not guessed at. */
  startedIn?: string
  /** Whether executions are saved in git. */
  gitCommit?: boolean
  /** `commit`: on the branch. `shadow`: under refs/clada, nothing else is touched. `off`: not in git. */
  git?: 'commit' | 'shadow' | 'off'
  /** The author of the commits, as `Name <mail>` or only a name. Default: clada. */
  gitAuthor?: string
  /** The first line of commits. Default: `AI: {operation_summary}`. */
  commitMessageFormat?: string
  /** Lines such as `Assisted-by: …` at the end of the messages of commits. */
  commitTrailers?: readonly string[]
  /** Whether the repository's own pre-commit and commit-msg check the commits, in the sandbox. Default: `off`. */
  gitHooks?: 'off' | 'run'
  /** What an undo does with the commits of an execution: another one takes them back, or they leave the branch. Default: `revert`. */
  undoCommits?: 'revert' | 'drop'
  /** The files that the replies were read from. They are not committed, unless git tracks them. */
  replyFiles?: readonly string[]
  /** Keeps two executions apart. Default: one in the user's state directory. */
  lockFile?: string
  /** How many seconds to wait for another execution. Default: 10. */
  lockTimeout?: number
  /** Called once, when an execution waits noticeably for another one, with what is known of that one. */
  onLockWait?: OnLockWait
  /** Marks executions that belong together, so that they can be undone together. */
  conversation?: Conversation
  /** The name of a session, which has a working set of its own; a new one is empty. Default: that of the project. */
  session?: string
  /** Further directories that may be touched. */
  allowedRoots?: readonly string[]
  /** Patterns of files that documents may neither read nor write, instead of the default list. */
  deniedPatterns?: readonly string[]
  /** The project of which `repoPath` is a part: its ignore files, such as `.aiignore`, apply there too. */
  partOf?: string
  /** Actions of your own, made with `defineAction`, besides those of clada. */
  actions?: readonly ActionSpec[]
  /** The only actions a document may use. Default: all that are meant for models. */
  allowedActions?: readonly string[]
  /** Lets SHAM blocks name files relative to the project. */
  relativePaths?: boolean
  /** `inside` follows symbolic links that lead to where a path would be allowed. */
  symlinks?: 'refuse' | 'inside'
  /** Lifts the roots, never the denied patterns. */
  allowEscape?: boolean
  /** Applies a document as a whole or not at all. */
  atomic?: boolean
  /**
   * For a document that was already run. `warn`: it runs again, with a warning. `skip`: blocks that succeeded then are
   * reported as done and do not run again. `resume`: only blocks that changed files then, and whose files are still as
   * they left them, are reported as done; reads, programs and what failed run again. `run`: it runs again. Default:
   * `warn`; command line, MCP and page: `resume`.
   */
  alreadyDone?: 'warn' | 'skip' | 'resume' | 'run'
  /** The only syntaxes that are looked for. */
  syntaxes?: readonly SyntaxName[]
  /** Syntaxes of your own, besides those: looked for in any case. */
  ownSyntaxes?: readonly OwnSyntax[]
  /**
   * Quoted values in which an escape makes a control character other than tab, LF and CR, such as `"\bfoo"`. Default:
   * `keep`; command line, MCP, listener and page: `refuse`.
   */
  controlCharacters?: 'keep' | 'refuse'
  /** Reads everything as it is written: nothing damaged is repaired, and edits match exactly or not at all. */
  strict?: boolean
  /**
   * How an edit finds its place when its old text is not in the file as written. `tolerant`: other whitespace,
   * punctuation and context are forgiven where only one place can be meant, with a warning. Default: `exact`. The formats
   * of other tools are always tolerant.
   */
  matching?: 'tolerant' | 'exact'
  /** A patch of which some hunks do not fit: `whole` applies none of it, `good` those that fit. Default: `whole`. */
  patches?: 'whole' | 'good'
  /**
   * Whole files in a reply without blocks. `ask`: each is shown to `ask` and written after a yes; without `ask` it waits,
   * with code `review_required`. `apply`: they are written. `off`: they are not looked for. Default: `ask`.
   */
  proposals?: 'ask' | 'apply' | 'off'
  /**
   * What `results[].changes` has about the files that an action changed: nothing, where and how much, or also up to three
   * lines of the difference. Default: `none`; the command line, MCP, the listener and the page use `diff`.
   */
  evidence?: 'none' | 'lines' | 'diff'
  /**
   * Whether a file that parsed before an execution and does not after it is warned about. `auto`: if it is small;
   * `lasting`: also if it is larger, for programs that live on and load parsers once. Default: `off`; command line, page and MCP: `auto`.
   */
  syntaxCheck?: 'off' | 'auto' | 'lasting'
  /** How a file that is written whole ends: as the block has it, or always with a line break. Default: `exact`. */
  finalNewline?: 'exact' | 'add'
  /** The encodings of files that are not UTF-8, by glob: `{ 'legacy/*.txt': 'windows-1252' }`. */
  encoding?: Readonly<Record<string, EncodingName>>
  /** What CSL markers begin and end with. Default: `<---` and `--->`. */
  cslDelimiters?: { readonly start: string; readonly end: string }
  /** Files of the program that uses clada, such as the watched one: no document touches them, no checkpoint has them. */
  reserved?: readonly string[]
  limits?: Partial<Limits>
  /** Seconds for a whole document; what is left then is skipped. Default: without end. */
  totalTimeout?: number
  /** `sandbox`: in the sandbox, refused if there is none. `unsandboxed`: directly. `off`: never. */
  exec?: 'sandbox' | 'unsandboxed' | 'off'
  /** `full`: programs see the objects of a repository that tracks blocked files. Default: `safe`, they do not. */
  execGit?: 'safe' | 'full'
  /** Commands that are approved for this run, by the exact words; a * at the end matches any further arguments. */
  approve?: readonly string[]
  /** Those of them that may use the network. */
  network?: readonly string[]
  /** Names of environment variables that approved commands and hooks see, besides those that are safe for all. */
  commandEnv?: readonly string[]
  /** Accepts the project's own list of approved commands. */
  trustApprovals?: boolean
  /** Bytes kept of what a program writes. */
  maxOutput?: number
  /** Commands that run before and after an execution that may change something. */
  hooks?: Hooks
  /** Texts for `${NAME}` in hooks. */
  vars?: Readonly<Record<string, string>>
  /**
   * Asked before a command runs that is neither on the list nor approved; nothing runs before the answer. Without it such a
   * command is refused.
   */
  ask?: Ask
}

const kindsByOption: Readonly<Record<keyof CladaOptions, OptionKind>> = optionKinds

/** @throws SettingsError */
export function settingsOf(options: CladaOptions): Settings {
  checkOptions(options, kindsByOption)
  const root = rootOf(options.repoPath)
  const allowedRoots = (options.allowedRoots ?? []).map((one) => canonical(one))
  const roots = [root, ...allowedRoots]
  refuseSecretPlaces(roots, options.deniedPatterns ?? defaultDeniedPatterns)
  refuseGitDirectories(roots)
  takeNoProgramsFrom(roots)
  for (const pattern of options.deniedPatterns ?? []) {
    const glob = globMeantBy(pattern)
    if (glob !== undefined)
      throw new SettingsError(`The denied pattern '${pattern}' is a regular expression. Write a glob: '${glob}'.`)
  }
  const outer = options.partOf === undefined ? undefined : canonical(options.partOf)
  const reserved = (options.reserved ?? []).map((file) => canonical(file))
  const registry = registryWith(options.actions ?? [])
  const startedIn = options.startedIn === undefined ? root : canonical(options.startedIn)
  return {
    root,
    startedIn: startedIn !== root && isInside(startedIn, root) ? startedIn : undefined,
    allowedRoots,
    deniedPatterns: deniedFrom(roots, options.deniedPatterns ?? defaultDeniedPatterns),
    ignoreFiles: roots.flatMap((one) => ignoreFilesFor(one, outer)),
    registry,
    allowedActions: allowedActionsOf(options.allowedActions, registry),
    relativePaths: options.relativePaths ?? false,
    symlinks: options.symlinks ?? 'refuse',
    allowEscape: options.allowEscape ?? false,
    reserved: () => [...reserved, ...watchedPaths(roots)],
    userPlaces: userPlaces(),
    runningProgram: runningProgram(options.allowEscape === true ? [path.parse(root).root] : roots),
    limits: { ...defaultLimits, ...options.limits },
    session: options.session,
    encoding: options.encoding,
  }
}

/**
 * Patterns are looked for below a root: in a root that is `~/.ssh` or a part of it nothing would be blocked.
 *
 * @throws SettingsError
 */
function refuseSecretPlaces(roots: readonly string[], patterns: readonly string[]): void {
  for (const root of roots) {
    const names = `/${foldedName(withSlashes(root))}/`
    const found = secretDirectories.find(
      ({ name }) => names.includes(`/${name}/`) && patterns.lastIndexOf(name) > patterns.lastIndexOf(`!${name}`),
    )
    if (found === undefined) continue
    throw new SettingsError(
      `Refusing to use '${root}': everything in '${found.name}' is blocked for replies (${found.what}). If you mean it, add '!${found.name}' to denied_patterns in your own config.`,
    )
  }
}

/**
 * Git's directories are known by what is around them: in a root that is below one nothing would be git's.
 *
 * @throws SettingsError
 */
function refuseGitDirectories(roots: readonly string[]): void {
  for (const root of roots) {
    const found = gitDirectoryOver(root)
    if (found === undefined) continue
    throw new SettingsError(
      `Refusing to use '${root}': ${found === root ? 'it' : `'${found}'`} is a git directory, whose files belong to git. Use a worktree of it (git worktree add).`,
    )
  }
}

/**
 * The names of some secrets begin with directories: `.config/gh/hosts.yml`. A root may be one of these, as where somebody
 * keeps `~/.config` in a repository; there the rest of the name is blocked.
 */
function deniedFrom(roots: readonly string[], patterns: readonly string[]): readonly string[] {
  const rests = roots.flatMap((root) => {
    const dirs = new Set(withSlashes(root).toLowerCase().split('/'))
    return patterns
      .filter(
        (pattern) =>
          builtIn.has(pattern) &&
          pattern
            .split('/')
            .slice(0, -1)
            .some((dir) => dirs.has(dir)),
      )
      .flatMap((pattern) => belowRoot(`/**/${pattern}`, root).filter((rest) => !rest.startsWith('**')))
      .map((rest) => `${withSlashes(root)}/${rest}`)
  })
  return rests.length === 0 ? patterns : [...patterns, ...rests]
}

/** A pattern of the user is looked for below the roots: one for `app/build` says nothing of a project called `app`. */
const builtIn: ReadonlySet<string> = new Set(defaultDeniedPatterns)

/** How a document is to be read. @throws SettingsError */
export function readingOptions({
  syntaxes,
  ownSyntaxes = [],
  strict,
  cslDelimiters,
  proposals,
  controlCharacters,
}: CladaOptions): ReadingOptions {
  if (cslDelimiters !== undefined) {
    const { start, end } = cslDelimiters
    const wrong =
      start === end
        ? 'differ from each other'
        : [start, end].some((one) => one === '' || one !== one.trim() || /[\r\n]/.test(one))
          ? 'be on one line, neither empty nor with white space at their ends'
          : undefined
    if (wrong !== undefined) {
      throw new SettingsError(`The CSL delimiters must ${wrong}; '${start}' and '${end}' do not.`)
    }
  }
  for (const own of ownSyntaxes) {
    const wrong = addSyntax(own)
    if (wrong !== undefined) throw new SettingsError(wrong)
  }
  const own = ownSyntaxes.map(({ name }) => name)
  return { syntaxes, own, strict, cslDelimiters, proposals, controlCharacters }
}

/** The part of the options that `syntax/find-blocks.ts` takes. */
interface ReadingOptions {
  readonly own: readonly string[]
  readonly syntaxes: CladaOptions['syntaxes']
  readonly strict: boolean | undefined
  readonly cslDelimiters: CladaOptions['cslDelimiters']
  readonly proposals: CladaOptions['proposals']
  readonly controlCharacters: CladaOptions['controlCharacters']
}

/** @throws SettingsError */
export function historySettingsOf(options: CladaOptions): HistorySettings {
  const { git, gitCommit, gitAuthor, lockFile, lockTimeout, conversation, commitMessageFormat } = options
  if (gitAuthor !== undefined && !/^[^<>\n\0]+( <[^<>\s\0]+>)?$/.test(gitAuthor))
    throw new SettingsError(`The git author is written 'Name' or 'Name <mail>'; '${gitAuthor}' is not.`)
  return {
    git: gitCommit === false ? 'off' : (git ?? 'commit'),
    author: gitAuthor ?? null,
    lockFile: lockFile === undefined ? null : path.resolve(lockFile),
    lockMs: (lockTimeout ?? 10) * 1000,
    onLockWait: options.onLockWait,
    historyBytes: options.limits?.historyBytes,
    conversation,
    messageFormat: commitMessageFormat,
    trailers: trailersOf(options.commitTrailers),
    undoCommits: options.undoCommits,
    replyFiles: options.replyFiles?.map((file) => canonical(file)),
  }
}

/** The one that clada finds its commits by is its own. */
export const trailerPattern = /^(?!clada-execution:)[A-Za-z0-9][A-Za-z0-9-]*: [^\r\n\0]*[^\s\0][^\r\n\0]*$/i
export const trailerForm = "a line such as 'Assisted-by: a language model'"

/** @throws SettingsError */
function trailersOf(trailers: readonly string[] | undefined): readonly string[] | undefined {
  const wrong = trailers?.find((line) => !trailerPattern.test(line))
  if (wrong !== undefined) throw new SettingsError(`A trailer of a commit is ${trailerForm}; '${wrong}' is not.`)
  return trailers
}

/** What the options say about programs. */
export const commandSettingsOf = (options: CladaOptions): CommandSettings => ({
  exec: options.exec ?? defaultCommandSettings.exec,
  approve: options.approve ?? [],
  network: options.network ?? [],
  env: options.commandEnv ?? [],
  trustApprovals: options.trustApprovals ?? false,
  outputBytes: options.maxOutput ?? defaultCommandSettings.outputBytes,
  execGit: options.execGit ?? defaultCommandSettings.execGit,
})

/** The directory of the project, without links. @throws SettingsError */
export function rootOf(given: string | undefined): string {
  const root = canonical(given ?? process.cwd())
  if (!isProjectDirectory(root)) throw new SettingsError(`The root '${given ?? root}' is not a directory.`)
  if (given === undefined && (root === path.parse(root).root || root === canonical(homeDir()))) {
    throw new SettingsError(
      `Refusing to use '${root}' as a project: it is your home directory or the file system root. cd into a project, or pass --root ${root} if you mean it.`,
    )
  }
  return root
}

/** Node 20 throws for a path below a file. */
function isProjectDirectory(at: string): boolean {
  try {
    return fs.statSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return false
    throw error
  }
}

/** A root may be reached through a link; it is resolved here and never again. */
export function canonical(given: string): string {
  const resolved = path.resolve(given)
  try {
    return fs.realpathSync.native(resolved)
  } catch {
    return resolved
  }
}

function allowedActionsOf(names: readonly string[] | undefined, registry: Registry): readonly string[] | null {
  if (names === undefined) return null
  const unknown = names.find((name) => !registry.has(name))
  if (unknown !== undefined) {
    const valid = [...new Set(registry.values())]
      .filter(({ access }) => access.includes('llm'))
      .map(({ name }) => name)
      .join(', ')
    throw new SettingsError(`Invalid action in allowed-actions: '${unknown}'. Valid actions: ${valid}`)
  }
  return names
}

/** The default file of `clada watch`. */
export const defaultInputFile = 'clada_input.md'

/** Whether anything is at a path. The only cost of config files for a run without any. */
export function pathExists(file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // Nothing can exist below a file. Other errors are reported when the file is read.
    return !(error instanceof Error && 'code' in error && error.code === 'ENOTDIR')
  }
}
