import { encodingNames } from '../core/encodings.ts'
import { choices } from './choices.ts'
import { type CladaOptions, defaultInputFile, trailerForm, trailerPattern } from './settings.ts'
import { modelActions, registry } from '../actions/registry.ts'
import { syntaxNames } from '@clada/reply/syntax/table.ts'
import { defaultCommandSettings } from '../core/commands.ts'
import { defaultLimits, globMeantBy, summaryPlace } from '../core/settings.ts'
import { defaultDeniedPatterns } from '../policy/secret-files.ts'
import { formatChoices } from '../report/format.ts'
import {
  oneOf,
  duration,
  fields,
  type ValueKind,
  list,
  mapOf,
  orNone,
  size,
  textKind,
  wholeNumber,
  yesNo,
} from './kinds.ts'
import {
  atMost,
  dirsWithin,
  fileInRoot,
  fileOfOurs,
  alwaysAllowed,
  morePatterns,
  type Narrowing,
  partOfProject,
  someOf,
  towards,
  onlyTrusted,
} from './narrowing.ts'

/**
 * One key of clada.yml. Validation, the options of a run, the flags that override it, the file that `clada init` writes,
 * `clada config`, the documentation and the schema for editors are all derived from this table.
 */
export interface Key<T> {
  readonly kind: ValueKind<T>
  readonly default: T
  readonly about: string
  /** A value as it could be in a file, after the name. */
  readonly example: string
  /** What a project's file may do without being trusted. */
  readonly project: Narrowing<T>
  /** What reads it: the options of a run that it sets, or a part of clada that takes it from `Config`. */
  readonly to: ((value: T) => CladaOptions) | 'loading' | 'listener' | 'clipboard' | 'report' | 'prompt'
  /** Combines the value of a file with the one below it; without it the file's value replaces that. */
  readonly join?: (given: T, below: T) => T
  /** Trust in a file is not enough: the user is asked about each entry. */
  readonly askedEach?: true
}

/** The kind alone says what type the value has. */
const key = <T>(
  one: Omit<Key<T>, 'default' | 'project'> & { default: NoInfer<T>; project: Narrowing<NoInfer<T>> },
): Key<T> => one

const pathKind = (what: string): ValueKind<string> =>
  textKind({ expected: `the path of ${what}`, most: 4096, pattern: /^[^\0\r\n]+$/ })

const pattern: ValueKind<string> = textKind({
  expected: 'a pattern of at most 200 characters with at most five wildcards, such as secrets/** or *.key',
  most: 200,
  // More wildcards would let one pattern take minutes on one name.
  pattern: /^(?=[^*?]*(?:\*{1,2}[^*?]*|\?[^*?]*){0,5}$)!?[^!\0\r\n][^\0\r\n]*$/,
  refuse: (value) => {
    const glob = globMeantBy(value)
    return glob === undefined ? undefined : `a glob, not a regular expression: write ${glob}`
  },
})

/** An action that documents can use. Others have no effect in such a list. */
const actionName: ValueKind<string> = {
  expected: 'the name of an action, which clada tools lists',
  schema: () => anyModelAction().schema(),
  read: (tree, note) => {
    const given = tree.kind === 'scalar' ? String(tree.value) : ''
    if (registry.get(given)?.access.includes('llm') !== false) return anyModelAction().read(tree, note)
    note(tree.at, `names '${given}', which is for the user only: no document can use it. Leave it out.`)
    return undefined
  },
}

const anyModelAction = (): ValueKind<string> =>
  oneOf(
    modelActions().flatMap(({ name, aliases }) => [name, ...aliases]),
    actionName.expected,
  )

const mostSeconds = 24 * 3600

const hook = fields(
  {
    run: textKind({ expected: 'a command line' }),
    timeout: duration(3600),
    cwd: pathKind('a directory in the project'),
    continueOnError: yesNo,
    exec: oneOf(['sandbox', 'unsandboxed']),
    network: yesNo,
  },
  'run',
)

const appendGiven = <T>(given: readonly T[], below: readonly T[]): readonly T[] => [...below, ...given]

export const keys = {
  version: key({
    kind: oneOf([1]),
    default: 1,
    about: "The version of this file's format.",
    example: '1',
    project: alwaysAllowed,
    to: 'loading',
  }),
  syntaxes: key({
    kind: orNone(list(oneOf(syntaxNames))),
    default: null,
    about: 'The only syntaxes that are looked for in a document; null: all of them.',
    example: '[sham, udiff]',
    project: someOf,
    to: (syntaxes) => (syntaxes === null ? {} : { syntaxes }),
  }),
  root: key({
    kind: orNone(pathKind('a directory')),
    default: null,
    about:
      "The directory that may be read and changed. In a project's file a part of the project; in the user's file the project that is meant when --root is not given. Null is the project that is found from the working directory.",
    example: 'packages/app',
    project: partOfProject,
    to: 'loading',
  }),
  allowed_roots: key({
    kind: list(pathKind('a directory'), 100),
    default: [],
    about:
      'Further directories that may be read and changed. Relative ones start at the directory of the file; ~/ is home.',
    example: '[../library]',
    project: dirsWithin,
    to: (allowedRoots) => ({ allowedRoots }),
  }),
  denied_patterns: key({
    // Each is tried on every file of a project.
    kind: list(pattern, 200),
    default: defaultDeniedPatterns,
    about:
      'Patterns of files that documents may neither read nor write, in addition to the built-in list. A pattern without a slash matches any path component. !pattern re-allows a file (trusted projects only). In YAML, patterns that begin with * or ! need quotes.',
    example: '[secrets, "*.sqlite"]',
    project: morePatterns,
    to: (deniedPatterns) => ({ deniedPatterns }),
    join: appendGiven,
  }),
  allowed_actions: key({
    kind: orNone(list(actionName)),
    default: null,
    about:
      'The only actions a document may use; null: all that are meant for models. Actions for the user only cannot be listed.',
    example: '[file_read, file_replace_text, grep]',
    project: someOf,
    to: (allowedActions) => (allowedActions === null ? {} : { allowedActions }),
  }),
  relative_paths: key({
    kind: yesNo,
    default: true,
    about: 'Lets SHAM blocks name files relative to the root; the other syntaxes always can.',
    example: 'false',
    project: towards([false, true]),
    to: (relativePaths) => ({ relativePaths }),
  }),
  matching: key({
    kind: oneOf(choices.matching),
    default: 'tolerant',
    about:
      'How an edit finds its place when its old text is not in the file as written. tolerant: differences in whitespace, punctuation and context are accepted, with a warning, if only one place can be meant. exact: they are not. Formats of other tools are always tolerant.',
    example: 'exact',
    project: towards(['exact', 'tolerant']),
    to: (matching) => ({ matching }),
  }),
  patches: key({
    kind: oneOf(choices.patches),
    default: 'whole',
    about: 'What to do with a patch if some of its hunks do not fit: apply nothing, or the hunks that fit.',
    example: 'good',
    project: towards(['whole', 'good']),
    to: (patches) => ({ patches }),
  }),
  proposals: key({
    kind: oneOf(choices.proposals),
    default: 'ask',
    about:
      'What to do with proposals: whole files in a reply, and other changes that need a yes. ask: show each and apply it after a yes. They wait if nobody can be asked. apply: apply them. off: do not look for them.',
    example: 'apply',
    project: towards(['off', 'ask', 'apply']),
    to: (proposals) => ({ proposals }),
  }),
  final_newline: key({
    kind: oneOf(choices.final_newline),
    default: 'exact',
    about: 'How a file that is written whole ends: exactly as the block has it, or always with a line break.',
    example: 'add',
    project: towards(['exact', 'add']),
    to: (finalNewline) => ({ finalNewline }),
  }),
  encoding: key({
    kind: mapOf(oneOf(encodingNames), /\S/),
    default: {},
    about:
      'The encodings of files that are not UTF-8, by glob. A byte order mark comes first, then this key, then .editorconfig (charset) and .gitattributes (working-tree-encoding).',
    example: "{'legacy/*.txt': windows-1252}",
    project: alwaysAllowed,
    to: (encoding) => ({ encoding }),
    join: (given, below) => ({ ...below, ...given }),
  }),
  symlinks: key({
    kind: oneOf(['refuse', 'inside']),
    default: 'refuse',
    about: 'What to do with a path through a symbolic link: refuse it, or follow links that stay inside the roots.',
    example: 'inside',
    project: towards(['refuse', 'inside']),
    to: (symlinks) => ({ symlinks }),
  }),
  'git.mode': key({
    kind: oneOf(choices['git.mode']),
    default: 'commit',
    about:
      'Where executions are saved: as commits on the branch, under refs/clada, or not in git. undo works in all of them. `git: shadow` is short for it.',
    example: 'shadow',
    project: towards(['off', 'shadow', 'commit']),
    to: (git) => ({ git }),
  }),
  'git.author': key({
    kind: orNone(textKind({ expected: "'Name <mail>' or a name", most: 200, pattern: /^[^<>\n\0]+( <[^<>\s\0]+>)?$/ })),
    default: null,
    about: 'The author of the commits; null: clada.',
    example: "'Ada <ada@example.org>'",
    project: onlyTrusted,
    to: (gitAuthor) => (gitAuthor === null ? {} : { gitAuthor }),
  }),
  'git.commit_message_format': key({
    kind: textKind({
      expected: `one line with ${summaryPlace} in it`,
      most: 200,
      pattern: /^[^\r\n\0]*\{operation_summary\}[^\r\n\0]*$/,
    }),
    default: `AI: ${summaryPlace}`,
    about: 'The first line of a commit.',
    example: `"AI: [web] ${summaryPlace}"`,
    project: onlyTrusted,
    to: (commitMessageFormat) => ({ commitMessageFormat }),
  }),
  'git.trailers': key({
    kind: list(textKind({ expected: trailerForm, most: 200, pattern: trailerPattern }), 20),
    default: [],
    about: 'Lines at the end of the message of each commit, besides the one by which clada finds it.',
    example: '["Assisted-by: a language model"]',
    project: onlyTrusted,
    to: (commitTrailers) => (commitTrailers.length === 0 ? {} : { commitTrailers }),
  }),
  'git.hooks': key({
    kind: oneOf(choices['git.hooks']),
    default: 'off',
    about:
      'run: the pre-commit and commit-msg hooks of the repository check each commit of an execution, in the sandbox. Each must be approved (clada approve "git hook run pre-commit"). The report names a hook that fails, the commit is made all the same, and nothing that a hook writes is kept.',
    example: 'run',
    project: towards(['off', 'run']),
    to: (gitHooks) => (gitHooks === 'off' ? {} : { gitHooks }),
  }),
  'undo.commits': key({
    kind: oneOf(choices['undo.commits']),
    default: 'revert',
    about:
      'What clada undo does with the commits of an execution. revert: it makes another one. drop: it takes them off the branch, if nothing came after them and nobody else has them.',
    example: 'drop',
    project: towards(['revert', 'drop']),
    to: (undoCommits) => (undoCommits === 'revert' ? {} : { undoCommits }),
  }),
  'exec.mode': key({
    kind: oneOf(choices['exec.mode']),
    default: defaultCommandSettings.exec,
    about:
      'sandbox: run code in the sandbox, refuse if there is none. unsandboxed: run it directly. off: never run code. `exec: off` is short for it.',
    example: 'off',
    project: towards(['off', 'sandbox', 'unsandboxed']),
    to: (exec) => ({ exec }),
  }),
  'exec.git': key({
    kind: oneOf(['safe', 'full']),
    default: defaultCommandSettings.execGit,
    about:
      'What code and approved commands see of a repository whose index or last commit has a blocked file. safe: nothing. full: its objects, with that file in them.',
    example: 'full',
    project: towards(['safe', 'full']),
    to: (execGit) => ({ execGit }),
  }),
  'commands.approve': key({
    kind: list(textKind({ expected: 'a command line', most: 1000 }), 200),
    default: [],
    about:
      "Commands that may run, by their exact words; a * at the end matches any further arguments. In the user's file they apply to every project; clada trust asks about those of a project's file one by one.",
    example: '[npm test]',
    project: onlyTrusted,
    to: (approve) => ({ approve }),
    join: appendGiven,
    askedEach: true,
  }),
  'commands.network': key({
    kind: list(textKind({ expected: 'a command line', most: 1000 }), 200),
    default: [],
    about: 'Commands of commands.approve that may use the network. Without an entry here they run without it.',
    example: '[npm install]',
    project: onlyTrusted,
    to: (network) => ({ network }),
    join: appendGiven,
  }),
  'commands.env': key({
    kind: list(textKind({ expected: 'the name of a variable', most: 200, pattern: /^[A-Za-z_][A-Za-z0-9_]*$/ }), 200),
    default: [],
    about:
      'Environment variables that approved commands and hooks see, in addition to harmless ones such as LANG, TERM and JAVA_HOME.',
    example: '[DJANGO_SETTINGS_MODULE]',
    project: onlyTrusted,
    to: (commandEnv) => ({ commandEnv }),
    join: appendGiven,
  }),
  'limits.input': key({
    kind: size,
    default: defaultLimits.inputBytes,
    about: 'The largest document.',
    example: '5m',
    project: atMost,
    to: (inputBytes) => ({ limits: { inputBytes } }),
  }),
  'limits.file_bytes': key({
    kind: size,
    default: defaultLimits.fileBytes,
    about: 'The largest file that is read or changed.',
    example: '1m',
    project: atMost,
    to: (fileBytes) => ({ limits: { fileBytes } }),
  }),
  'limits.history_bytes': key({
    kind: size,
    default: defaultLimits.historyBytes,
    about: 'The largest size of the history of a project on the disk. The oldest executions are removed first.',
    example: '200m',
    project: onlyTrusted,
    to: (historyBytes) => ({ limits: { historyBytes } }),
  }),
  'limits.timeout': key({
    kind: duration(mostSeconds),
    default: defaultLimits.actionMs / 1000,
    about: 'The time limit of one action: a computation, a search, a command or a piece of code.',
    example: '2min',
    project: atMost,
    to: (seconds) => ({ limits: { actionMs: seconds * 1000 } }),
  }),
  'limits.total_timeout': key({
    kind: orNone(duration(mostSeconds)),
    default: null,
    about: 'The time limit of a whole document; the rest is skipped. Null: no limit.',
    example: '10min',
    project: atMost,
    to: (totalTimeout) => (totalTimeout === null ? {} : { totalTimeout }),
  }),
  'limits.output': key({
    kind: size,
    default: defaultCommandSettings.outputBytes,
    about: 'How much of the output of one program is kept.',
    example: '1m',
    project: atMost,
    to: (maxOutput) => ({ maxOutput }),
  }),
  'listener.input_file': key({
    kind: pathKind('a file'),
    default: defaultInputFile,
    about: 'The file that clada watch watches. A project that is not trusted can only name one right in its directory.',
    example: 'notes/reply.md',
    project: fileInRoot,
    to: 'listener',
  }),
  'listener.output_file': key({
    kind: pathKind('a file'),
    default: '.clada/output.md',
    about:
      'Where clada watch writes the whole output. A project that is not trusted can only name a .md or .txt file in .clada/. A file that clada did not write is never replaced.',
    example: 'notes/results.md',
    project: fileOfOurs,
    to: 'listener',
  }),
  'listener.debounce_ms': key({
    kind: wholeNumber(15, 60_000),
    default: 50,
    about: 'How long the file must stay unchanged before it is read, in milliseconds.',
    example: '200',
    project: alwaysAllowed,
    to: 'listener',
  }),
  'clipboard.read': key({
    kind: yesNo,
    default: false,
    about: 'Whether clada watch looks for replies on the clipboard.',
    example: 'true',
    project: towards([false, true]),
    to: 'clipboard',
  }),
  'clipboard.write': key({
    kind: yesNo,
    default: false,
    about: 'Whether clada watch puts its output on the clipboard.',
    example: 'true',
    project: towards([false, true]),
    to: 'clipboard',
  }),
  'clipboard.osc52': key({
    kind: yesNo,
    default: false,
    about: 'Whether text is also copied through the terminal (OSC 52), which helps over SSH.',
    example: 'true',
    project: towards([false, true]),
    to: 'clipboard',
  }),
  'hooks.before': key({
    kind: list(hook, 100),
    default: [],
    about:
      "Commands that run before an execution that may change something. One that fails stops it. The user's come first, then those of a trusted project.",
    example: '[{run: npm run generate, timeout: 1min}]',
    project: onlyTrusted,
    to: (before) => ({ hooks: { before } }),
    join: appendGiven,
  }),
  'hooks.after': key({
    kind: list(hook, 100),
    default: [],
    about: 'Commands that run after it, successful or not.',
    example: "[{run: 'npx --no-install prettier --write --ignore-unknown ${modifiedFiles}'}]",
    project: onlyTrusted,
    to: (after) => ({ hooks: { after } }),
    join: appendGiven,
  }),
  vars: key({
    kind: mapOf(textKind(), /^[A-Za-z_]\w*$/),
    default: {},
    about: 'Texts for ${NAME} in hooks.',
    example: '{BRANCH: main}',
    project: onlyTrusted,
    to: (vars) => ({ vars }),
    join: (given, below) => ({ ...below, ...given }),
  }),
  'report.format': key({
    kind: oneOf(formatChoices),
    default: 'auto',
    about:
      'The format of reports of clada run. auto: pretty on a terminal, otherwise the one that suits the syntax of the document. clada watch, clada mcp and the page always use llm for models.',
    example: 'llm',
    project: alwaysAllowed,
    to: 'report',
  }),
  'report.budget': key({
    kind: orNone(wholeNumber(100, 10_000_000)),
    default: null,
    about: 'The longest report, in tokens of four characters; null: 6000 for llm, no limit for the others.',
    example: '8000',
    project: alwaysAllowed,
    to: 'report',
  }),
  'report.evidence': key({
    kind: oneOf(['none', 'lines', 'diff']),
    default: 'diff',
    about:
      'What reports say about the files that an action changed. lines: where and how much. diff: also up to three lines of the difference.',
    example: 'lines',
    project: alwaysAllowed,
    to: (evidence) => ({ evidence }),
  }),
  'report.syntax_check': key({
    kind: oneOf(['auto', 'off']),
    default: 'auto',
    about:
      'Whether reports warn about a file of a known language that parsed before an execution and does not after it. Without a lasting process (watch, loop, mcp, ui) only files up to 48 kB are parsed.',
    example: 'off',
    project: alwaysAllowed,
    to: (syntaxCheck) => ({ syntaxCheck }),
  }),
  'report.error_detail': key({
    kind: oneOf(choices['report.error_detail']),
    default: 'full',
    about: 'How much is reported about failures.',
    example: 'minimal',
    project: alwaysAllowed,
    to: 'report',
  }),
  'report.color': key({
    kind: oneOf(['auto', 'never']),
    default: 'auto',
    about: 'Colours; auto: on a terminal.',
    example: 'never',
    project: alwaysAllowed,
    to: 'report',
  }),
  notify: key({
    kind: oneOf(['auto', 'off']),
    default: 'auto',
    about: 'A notice of the terminal (OSC 9, or the bell) when a run or a loop of more than ten seconds ends.',
    example: 'off',
    project: alwaysAllowed,
    to: 'report',
  }),
  'prompt.rules': key({
    kind: list(textKind({ expected: 'a sentence', most: 2000 }), 100),
    default: [],
    about: 'House rules that clada prompt gives to the model. Those of a project are used only when it is trusted.',
    example: '[Tests live beside the code they test.]',
    project: onlyTrusted,
    to: 'prompt',
    join: appendGiven,
  }),
} as const

export type KeyName = keyof typeof keys
type KeyValue<K> = K extends Key<infer T> ? T : never
export type KeyValues = { readonly [name in KeyName]: KeyValue<(typeof keys)[name]> }

export const keyNames = Object.keys(keys) as readonly KeyName[]

/** A key without the type of its value, for code that treats all keys alike. */
export const keyOf = (name: KeyName): Key<unknown> => keys[name] as unknown as Key<unknown>
