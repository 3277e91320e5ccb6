import fs from 'node:fs'
import path from 'node:path'
import { approvalsFor } from '../../approvals/approvals.ts'
import { interpreters, tryInterpreter } from '../../commands/interpreters.ts'
import {
  type CladaOptions,
  commandSettingsOf,
  historySettingsOf,
  SettingsError,
  settingsOf,
} from '../../config/settings.ts'
import { type CommandSettings, execLanguages } from '../../core/commands.ts'
import type { Settings } from '../../core/settings.ts'
import { chooseSandbox, type Layer, layersOf, whyNotStarting } from '../../process/sandbox.ts'
import { ownProgram } from '../../process/programs.ts'
import { isClipboard } from '../../watch/clipboard/clipboard.ts'
import { openClipboard } from '../../watch/clipboard/open.ts'
import type { Command } from '../command.ts'
import { findFlagValue, type FlagValues, saving } from '../flags.ts'
import { findProjectAround, loadConfigFiles, optionsFor, paintFor, projectLine } from '../options.ts'
import type { Paint } from '../../report/pretty.ts'
import { wrapLine } from '../../report/width.ts'
import { columnsOf, print, printJson } from '../streams.ts'
import { spellOut, spellOutCommand } from '../../report/words.ts'
import { approveLine, listUnapproved } from './init.ts'
import { ProblemError } from '../../core/problem.ts'
import { findRepository, nearestRepository } from '../../git/find-repository.ts'
import { git } from '../../git/git-program.ts'
import { type Head, headOf, inRepository, type Repository } from '../../git/repository.ts'
import { explain } from '../../report/explain.ts'
import { userText } from '../../report/failure.ts'
import { inProgress } from '../../state/git-dirs.ts'
import { isOldStateOurs, oldStateDir } from '../../state/old-state.ts'
import { foreignStates } from '../../state/project-state.ts'
import { stateHome } from '../../state/user-state.ts'
import { hasCode } from '../../core/errors.ts'
import { type Platform, platform } from '../../core/platform.ts'
import { withSlashes } from '../../core/paths.ts'
import { projectFileName } from '../../core/reserved-names.ts'
import type { ProjectAround } from '../../state/project-root.ts'

/** Reports what is installed, which sandbox is active, and how to install what is missing. */
export const command: Command = {
  name: 'doctor',
  group: 'set-up',
  usage: 'clada doctor',
  summary: 'show what is installed, which sandbox is active, what is missing',
  words: [],
  flags: ['root', 'no-config', 'allow', 'exec', ...saving, 'json', 'no-color', 'help'],
  examples: [['clada doctor', 'why is exec refused?']],
  run: async ({ flags: given }) => {
    const found = await configs(given)
    // A config that cannot be read is a finding; the others are reported anyway.
    const flags = found.every(({ ok }) => ok) ? given : { ...given, 'no-config': [''] }
    const options = await optionsFor(flags)
    const settings = settingsOf(options)
    const paint = paintFor(flags)
    const findings = [
      await project(settings.root, flags),
      ...(await sandbox(settings.root)),
      ...checkSwaps(),
      ...(await checkInterpreters(settings, commandSettingsOf(options).exec)),
      ...(await gitFindings(settings.root, options, await whoSays(flags))),
      ...state(settings.root),
      ...userState(),
      await clipboard(settings.root),
      ...(await tests(options)),
      ...found,
    ]
    if (flags.json !== undefined) printJson(findings)
    else for (const finding of findings) print(findingLine(finding, paint))
    return findings.every(({ ok, optional }) => ok || optional) ? 0 : 1
  },
}

async function project(root: string, given: FlagValues): Promise<DoctorFinding> {
  const around = await findProjectAround(given)
  const found = `${spellOutCommand(root)} (${whoChose(root, around, given)})`
  if (!isWritable(root))
    return {
      name: 'project',
      ok: false,
      found: `${found} cannot be written to`,
      advice: 'Edits fail. Change its permissions.',
    }
  const line = projectLine(around)
  return { name: 'project', ok: true, found, advice: line === undefined ? undefined : spellOutCommand(line) }
}

function whoChose(root: string, around: ProjectAround | undefined, { root: asked }: FlagValues): string {
  if (asked !== undefined) return '--root'
  if (root === process.cwd()) return 'the working directory'
  return root === around?.root ? `it has ${around.mark}` : 'as a config file says'
}

/** Whether something can be made in a directory, or where the first part of its path is missing. */
function isWritable(dir: string): boolean {
  try {
    fs.accessSync(dir, fs.constants.W_OK)
    return true
  } catch (error) {
    return hasCode(error, 'ENOENT') && isWritable(path.dirname(dir))
  }
}

/** Where approvals and what a watcher has seen are kept. */
function userState(): DoctorFinding[] {
  const dir = stateHome()
  if (isWritable(dir)) return []
  return [
    {
      name: 'own state',
      ok: false,
      optional: true,
      found: `${spellOutCommand(dir)} cannot be written to, so no approval and no trust can be saved`,
      advice: 'Change its permissions, or set XDG_STATE_HOME to a directory that can be written to.',
    },
  ]
}

/** A history that is not read is shown nowhere else after the execution that found it. */
function state(root: string): DoctorFinding[] {
  const old = oldStateDir(root)
  const ignored = [...(old === undefined || isOldStateOurs(root) ? [] : [old]), ...foreignStates(root)]
  return ignored.map((dir) => ({
    name: 'state',
    ok: false,
    optional: true,
    found: `the history in ${spellOutCommand(dir)} was not signed by you for this directory, so it is not read`,
    advice: 'If it is yours, sign it: clada trust --history. If not, it can be deleted.',
  }))
}

/** The source of the setting that says where executions are saved. */
async function whoSays(flags: FlagValues): Promise<string> {
  const loaded = await loadConfigFiles(flags)
  const said = findFlagValue('git.mode', undefined, flags)
  if (said !== undefined) return `--${said.flag}`
  const { from = 'default', at } = loaded?.merged['git.mode'] ?? {}
  const file = from === 'project' ? projectFileName : from === 'user' ? loaded?.user?.file : undefined
  return file === undefined ? 'the default in a repository' : `${spellOutCommand(file)}:${at?.line ?? 1}`
}

async function configs(flags: FlagValues): Promise<DoctorFinding[]> {
  const name = 'config'
  try {
    const { user, project, warnings } = (await loadConfigFiles(flags)) ?? {}
    if (user === undefined && project === undefined) return [{ name, ok: true, found: 'none; clada init writes one' }]
    const more = (warnings ?? []).length === 0 ? {} : { advice: (warnings ?? []).join('\n    ') }
    const limit = project?.trusted ? 'trusted' : 'not trusted, so it can only restrict'
    return [
      ...(user === undefined ? [] : [{ name, ok: true, found: `${user.file} (yours)` }]),
      ...(project === undefined ? [] : [{ name, ok: true, found: `${projectFileName} (${limit})`, ...more }]),
    ]
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return [{ name, ok: false, found: error.message.replaceAll('\n', '\n    ') }]
  }
}

function findingLine({ name, ok, found, advice, optional }: DoctorFinding, paint: Paint): string {
  const mark = ok ? paint.green('✓') : optional ? paint.yellow('–') : paint.red('✗')
  const below = ' '.repeat(nameWidth)
  const [first = '', ...rest] = wrapLine(below + spellOut(withSlashes(found)), columnsOf(1))
  return [
    `${mark} ${name.padEnd(nameWidth - 2)}${first.slice(nameWidth)}`,
    ...rest,
    ...(advice === undefined ? [] : wrapLine(below + spellOut(advice), columnsOf(1)).map(paint.dim)),
  ].join('\n')
}

const nameWidth = 15

/** The sandbox is started, not only looked up: a kernel may refuse it. */
async function sandbox(root: string): Promise<DoctorFinding[]> {
  const name = 'sandbox'
  const choice = chooseSandbox()
  if (!choice.ok) {
    const { reason: found, advice, never } = choice
    const finding = { name, ok: false, found, advice: typeof advice === 'string' ? advice : advice.user }
    // A system without one is healthy anyway: exec is refused there, and everything else works.
    return never
      ? [{ ...finding, optional: true, found: `${found}; exec is refused, everything else works` }]
      : [finding]
  }
  const { name: kind, file } = choice.sandbox
  const failure = await whyNotStarting(choice.sandbox, root)
  const user = process.geteuid?.() === 0 ? 'as root, without its privileges' : 'as an ordinary user'
  if (failure === undefined) {
    const layers = kind === 'bubblewrap' ? (await layersOf(file, root)).map(layer) : []
    return [{ name, ok: true, found: `${kind} is active (${file}), ${user}` }, ...layers]
  }
  return [
    {
      name,
      ok: false,
      found: `${kind} does not start: ${failure}`,
      advice:
        'Allow user namespaces (sysctl -w kernel.unprivileged_userns_clone=1, or on Ubuntu an AppArmor profile for bwrap), or use --exec unsandboxed.',
    },
  ]
}

/** The sandbox holds without any one of them. */
const layer = ({ name, active, advice }: Layer): DoctorFinding =>
  active === undefined
    ? { name: `+ ${name}`, ok: false, optional: true, found: 'not here', advice }
    : { name: `+ ${name}`, ok: true, found: active }

/** What is not promised where paths cannot be walked through open directories. */
export function checkSwaps(on: Platform = platform): DoctorFinding[] {
  if (on.proc) return []
  const found =
    'each path is checked right before its use; a program that swaps directories at that moment could mislead it'
  return [
    {
      name: 'paths',
      ok: false,
      optional: true,
      found,
      advice: 'Do not let untrusted programs work in the project.',
    },
  ]
}

/** Started where code would run: an interpreter may need files that are missing there. */
function checkInterpreters(settings: Settings, exec: CommandSettings['exec']): Promise<DoctorFinding[]> {
  return Promise.all(
    execLanguages.map(async (lang): Promise<DoctorFinding> => {
      const name = interpreters[lang].names[0] ?? lang
      if (exec === 'off') return { name, ok: true, found: 'not tried: exec is off' }
      const tried = await tryInterpreter(lang, settings, exec)
      if (tried.state === 'missing')
        return { name, ok: false, optional: true, found: 'not installed; exec in this language is refused' }
      const { file } = tried
      if (tried.state === 'works') {
        const where = tried.where === 'sandbox' ? 'starts in the sandbox' : 'runs without a sandbox, as configured'
        return { name, ok: true, found: `${tried.version} (${spellOutCommand(file)}), ${where}` }
      }
      const found = `${spellOutCommand(file)} does not start in the sandbox: ${spellOutCommand(tried.reason)}`
      return { name, ok: false, optional: true, found }
    }),
  )
}

/** The commands that run the tests, and whether they are approved. */
async function tests(options: CladaOptions): Promise<DoctorFinding[]> {
  const settings = settingsOf(options)
  const approvals = await approvalsFor(settings, commandSettingsOf(options))
  const approved = approvals.approved().map(spellOutCommand)
  const missing = listUnapproved(settings.root, approvals).map(spellOutCommand)
  const found = approved.length === 0 ? 'no command is approved' : `approved: ${approved.join(', ')}`
  const ok = missing.length === 0
  return [
    {
      name: 'approvals',
      ok,
      optional: true,
      found: ok ? found : `${found}; not approved: ${missing.join(', ')}`,
      advice: ok ? undefined : `To let models run the tests: ${missing.map(approveLine).join('; ')}`,
    },
  ]
}

async function clipboard(root: string): Promise<DoctorFinding> {
  const opened = await openClipboard({ roots: [root] })
  const ok = isClipboard(opened)
  return { name: 'clipboard', ok, found: ok ? opened.name : opened.why, optional: true }
}

/** The installed git, the repository of the project, and how an execution is saved there. */
async function gitFindings(root: string, options: CladaOptions, asked: string): Promise<DoctorFinding[]> {
  const { git: mode, author } = historySettingsOf(options)
  const program = await gitProgram()
  try {
    const repository = program.ok ? await findRepository(root) : nearestRepository(root)
    const head = repository === undefined ? undefined : await headOf(repository)
    const saving = await savingOf(mode, asked, author ?? 'clada', repository, head, program.ok)
    return [
      { ...program, optional: !program.ok && repository === undefined ? true : program.optional },
      { name: 'repository', ok: true, found: repositoryLine(root, repository, head) },
      saving,
    ]
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { details, failure } = explain(error.problem, 'git')
    const advice = details?.['advice']
    const found = userText({ failure })
    return [program, { name: 'repository', ok: false, found, advice: typeof advice === 'string' ? advice : undefined }]
  }
}

async function gitProgram(): Promise<DoctorFinding> {
  const name = 'git'
  const file = ownProgram('git')
  if (file === undefined) return { name, ok: false, found: 'not installed', advice: 'Install git, or use --no-git.' }
  try {
    const { out } = await git({ cwd: '/', env: {}, args: ['--version'] })
    return { name, ok: true, found: `${/\d\S*/.exec(out.toString())?.[0] ?? 'of unknown version'} (${file})` }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return { name, ok: false, found: `${file} does not start: ${explain(error.problem, 'git').error}` }
  }
}

function repositoryLine(root: string, repository: Repository | undefined, head: Head | undefined): string {
  if (repository === undefined) return "none; checkpoints are saved in a repository of clada's own"
  const { top, gitDir, commonDir } = repository
  const place = top === root ? spellOutCommand(root) : `${spellOutCommand(top ?? gitDir)} (the project is a part of it)`
  const branch = head?.branch === undefined ? 'no branch checked out' : `branch ${branchName(head)}`
  const commit = head?.commit === undefined ? 'no commit yet' : `commit ${head.commit.slice(0, 8)}`
  const worktree = gitDir === commonDir ? '' : `, a worktree of ${spellOutCommand(commonDir)}`
  return `${place}, ${spellOutCommand(branch)}, ${commit}${worktree}`
}

const branchName = ({ branch = 'HEAD' }: Head): string => branch.replace(/^refs\/heads\//, '')

/** The mode that the next execution will have, and why. */
async function savingOf(
  mode: 'commit' | 'shadow' | 'off',
  asked: string,
  author: string,
  repository: Repository | undefined,
  head: Head | undefined,
  hasGit: boolean,
): Promise<DoctorFinding> {
  const name = 'saving'
  const fine = (found: string): DoctorFinding => ({ name, ok: true, found })
  if (mode === 'off') return fine(`off (${asked}): nothing is saved in git; undo still works`)
  if (repository === undefined) {
    return fine(hasGit ? "shadow (no repository): checkpoints in clada's own" : 'off (no git): undo still works')
  }
  const objects = path.join(repository.commonDir, 'objects')
  if (!isWritable(objects)) {
    const advice = 'Change its permissions, or use --no-git.'
    return {
      name,
      ok: false,
      found: `${spellOutCommand(objects)} cannot be written to, so nothing is executed`,
      advice,
    }
  }
  if (mode === 'shadow') return fine(`shadow (${asked}): checkpoints under refs/clada; the branch is not changed`)
  const busy = inProgress(repository)
  if (busy !== undefined) {
    const advice = 'Finish or abort it first, or use --no-git.'
    return { name, ok: false, found: `${busy} is in progress, so nothing is executed`, advice }
  }
  if (hasGit && (await inRepository(repository, ['diff', '--cached', '--quiet'], { okExitCodes: [1] })).status === 1)
    return fine('shadow (changes are staged): checkpoints under refs/clada until they are committed')
  const where = head?.branch === undefined ? 'the detached HEAD' : spellOutCommand(branchName(head))
  return fine(
    `commit (${asked}): each execution that changes files is a commit of ${spellOutCommand(author)} on ${where}`,
  )
}

/** One thing that `clada doctor` looked at. */
export interface DoctorFinding {
  readonly name: string
  readonly ok: boolean
  readonly found: string
  readonly advice?: string | undefined
  /** Most of clada does without it. */
  readonly optional?: true
}
