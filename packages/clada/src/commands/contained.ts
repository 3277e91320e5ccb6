import path from 'node:path'
import { isInside, withSlashes } from '../core/paths.ts'
import type { ChangedFile, Effect, Landed, NotKept, Staged } from '../core/effects.ts'
import { type Advice, adviseAskingUser, type Problem } from '../core/problem.ts'
import { runWarnings } from '../policy/makes-run.ts'
import type { Bounds, Sandbox } from '../process/bounds.ts'
import { bareEnvironment, withoutRetries } from '../process/environment.ts'
import type { Unusable } from '../process/git-owner.ts'
import type { GitLanding } from '../process/land-git.ts'
import {
  type FoundRepository,
  namesInGitDir,
  LayeredGit,
  makeRepository,
  findPlantedNames,
  repositoryAt,
} from '../process/layered-git.ts'
import { canLayer, giveUpPlace, leadsToDirectory, type Mask, Overlay, whyUnmounted } from '../process/overlay.ts'
import { type ProcessEnd, runProcess } from '../process/run-process.ts'
import { cacheVariables, dropEmptyLayers } from '../process/caches.ts'
import { mountPointsBelow } from '../process/mount-points.ts'
import { isCached } from '../process/runtimes.ts'
import { systemDirs } from '../process/sockets.ts'
import { chooseSandbox, whyNotStarting } from '../process/sandbox.ts'
import { DiscardedWrites } from '../process/discarded-writes.ts'
import { TooMuchWritten, type WriteLimits } from '../process/write-limits.ts'
import { changesBetween, dirChanges, dirsUnlike, modeIn, type Survey, surveyOf } from '../process/survey.ts'
import {
  listBlocked,
  makeBounds,
  makeBlockedTest,
  type Containment,
  existsAt,
  findLinkToUserPlace,
  makeMasks,
  statesBelow,
} from './bounds.ts'
import { type CommandScope, listedCommandMs, type CheckedDirectory, rootArg } from './scope.ts'
import { statesInGit } from '../state/project-state.ts'

export type Contained =
  | {
      readonly ok: true
      readonly end: ProcessEnd
      readonly changed: readonly ChangedFile[]
      /** What the program changed and may not. */
      readonly notKept: readonly NotKept[]
      readonly warnings: string[]
      /** Whether it ran in a sandbox. */
      readonly contained: boolean
      /** Why nothing of it was kept although it ended by itself. */
      readonly refused?: Unusable
    }
  | { readonly ok: false; readonly problem: Problem }

const gib = 1024 ** 3

/** Builds and installs write much more than a piece of code has reason to. */
const writeLimitsOf = ({ by }: Containment): WriteLimits =>
  by === 'code' ? { bytes: 4 * gib, entries: 250_000 } : { bytes: 16 * gib, entries: 1_000_000 }

/**
 * Runs a program with as little around it as the machine can manage, and says what it changed. Where it can it works on
 * layers over the project, and what it did there lands like an edit; else on the project itself, which is looked over
 * before and after.
 */
export async function runContained(
  what: Containment,
  place: CheckedDirectory,
  scope: CommandScope,
): Promise<Contained> {
  const chosen = sandboxFor(what, scope)
  if (chosen !== undefined && 'reason' in chosen) return { ok: false, problem: { kind: 'exec-refused', ...chosen } }
  const layered = chosen?.name === 'bubblewrap' ? await runOnLayers(chosen, what, place, scope) : undefined
  if (layered === undefined && (scope.effect !== 'land' || what.keep !== undefined))
    return { ok: false, problem: onlyOnLayers }
  return layered ?? runOnProject(chosen, what, place, scope)
}

/** Whether what programs change can wait until a group lands: only on layers. */
export async function canStage(scope: Pick<CommandScope, 'settings' | 'commands'>): Promise<boolean> {
  const chosen = sandboxFor({ sandbox: 'required' }, scope)
  return chosen !== undefined && 'name' in chosen && chosen.name === 'bubblewrap' && canLayer(scope.settings.root)
}

/** With the result of a program that was run in a preview. */
export const onlyTried = 'run for this preview only, in the sandbox; nothing was kept'

/** A command that only looks, at files that are partly not on the disk yet. */
export async function lookOnLayers(
  file: string,
  args: readonly string[],
  place: CheckedDirectory,
  scope: CommandScope,
): Promise<ProcessEnd | { readonly problem: Problem }> {
  const memoryBytes = 4 * gib
  const own = { file, args, env: bareEnvironment, timeoutMs: listedCommandMs, memoryBytes }
  const what: Containment = { ...own, sandbox: 'required', network: false, caches: 'none', by: 'code' }
  const done = await runContained(what, place, scope)
  return done.ok ? done.end : done
}

const onlyOnLayers: Problem = {
  kind: 'command-refused',
  reason: 'it would start a process on the project itself, which an atomic group cannot revert',
  advice: 'Put it into a block of its own, after the group.',
}

/** What a program finds although it is not on the disk yet. Of blocked files only that they are there. */
function splitStaged(scope: CommandScope): { staged: Staged[]; elsewhere: string[] } {
  const { root } = scope.settings
  const isBlocked = makeBlockedTest(scope)
  const [staged, elsewhere]: [Staged[], string[]] = [[], []]
  for (const { path: absolute, is } of scope.files.staged()) {
    const name = withSlashes(path.relative(root, absolute))
    if (!isInside(absolute, root)) elsewhere.push(absolute)
    else staged.push({ path: name, is: is.type === 'file' && isBlocked(name) ? { ...is, bytes: undefined } : is })
  }
  return { staged, elsewhere }
}

/** Undefined where layers cannot be mounted. */
async function runOnLayers(
  sandbox: Sandbox,
  what: Containment,
  place: CheckedDirectory,
  scope: CommandScope,
): Promise<Contained | undefined> {
  const { root } = scope.settings
  const git = openLayeredGit(what, place, root)
  const lands = git === undefined ? 'lands' : 'lands repository'
  // Others do not wait until the user has answered.
  await scope.files.outside(rootArg(root), what.keep === undefined ? lands : 'looks')
  const blocked = listBlocked(scope)
  const bounds = makeBounds(what, blocked, scope)
  const plain = { ...bounds, fixed: bounds.fixed.filter((name) => !git?.isIn(name)) }
  const { staged, elsewhere } = splitStaged(scope)
  const others = blocked.repositories.filter((name) => !git?.isIn(name))
  const seen = await makeMasks(plain, others, scope, git === undefined ? 'nothing' : 'git')
  // Of the repository that the command works on everything else is there.
  const states = blocked.repositories.filter((name) => git?.isIn(name)).flatMap((name) => statesBelow(root, name))
  const masks = [...seen, ...states.map(({ path: name }): Mask => ({ path: name, as: 'missing' }))]
  const beside = git?.beside === undefined ? undefined : { dir: git.beside, missing: statesInGit(git.beside) }
  const shown = what.network ? [] : shownDirectories(plain)
  const layered = { masks, caches: plain.caches, beside, shown, staged, limits: writeLimitsOf(what) }
  const layers = await Overlay.open(root, layered)
  if (layers === undefined) return undefined
  const vanishing = new DiscardedWrites(plain.home)
  let ended: ProcessEnd | undefined
  try {
    git?.keepIndex(layers)
    const { file, args } = what
    const env = environmentInside(what)
    const wrapped = sandbox.wrap(
      { file, args, env, cwd: place.absolute },
      boundsOnLayers(plain, layers, blocked.repositories),
    )
    const end = await runProcess({
      ...wrapped,
      ...layers.wrap(wrapped.file, wrapped.args),
      ...limitsOf(what, scope),
      writes: layers.writes,
      onReady: async (pid, first) => {
        layers.hold(pid)
        await vanishing.hold(first)
      },
    })
    if (end.ended === 'itself' && whyUnmounted(end) !== undefined)
      return giveUpPlace(root) ? runOnLayers(sandbox, what, place, scope) : undefined
    const failure = sandbox.failed(end)
    if (failure !== undefined) return await whyNotUp(failure, what, sandbox, root)
    if (end.ended === 'unstarted') return { ok: false, problem: notStarting(what.file, end.error) }
    ended = end
    const dropped =
      end.ended === 'stopped' ||
      end.ended === 'too-much-written' ||
      // Git that is stopped in the middle leaves a repository in the middle.
      (git !== undefined && end.exitCode === null) ||
      (what.keep !== undefined && !(await what.keep(end, summarizeEffects(layers.collect('again').effects))))
    const done = dropped || git === undefined ? undefined : git.collect(layers)
    const landing = done && (await git?.prepare(done, layers))
    if (landing !== undefined && 'reason' in landing)
      return {
        ok: true,
        end,
        changed: [],
        notKept: [],
        warnings: survivorWarning(end),
        contained: true,
        refused: landing,
      }
    const { effects, notKept, stripped } = dropped ? nothingDone : (done?.project ?? layers.collect())
    const { landed, words } = await landInto(landing, () => scope.files.land(root, effects, what.by))
    if (landing !== undefined) await scope.files.landedRepository()
    const inGit = landing?.notKept.map((one) => git?.asReported(one) ?? one) ?? []
    const changed = summarizeEffects(landed.kept)
    const warnings = [
      ...words,
      ...(what.verb === 'init' && makeRepository(effects, place) ? [madeRepository] : []),
      ...elsewhere.map(
        (file) => `'${file}' is outside the project, so the program found it without the changes before it`,
      ),
      ...survivorWarning(end),
      ...discardedWarning(
        vanishing.writtenFiles().filter((file) => !plain.readable.includes(file) && !isCached(file, plain.home)),
      ),
      ...stripped.map((name) => `'${name}' had its setuid or setgid bit removed`),
      ...runWarnings(
        changed
          .filter(({ change, path: name }) => change !== 'delete' && !isInstalled(name, what))
          .map((one) => one.path),
      ),
    ]
    return { ok: true, end, changed, notKept: [...notKept, ...landed.notKept, ...inGit], warnings, contained: true }
  } catch (error) {
    // Before anything has landed.
    if (ended === undefined || !(error instanceof TooMuchWritten)) throw error
    const end = { ...ended, ended: 'too-much-written', exitCode: null } as const
    return { ok: true, end, changed: [], notKept: [], warnings: survivorWarning(end), contained: true }
  } finally {
    vanishing.close()
    layers.close()
    dropEmptyLayers(plain.caches)
  }
}

/** What a program sees besides the project and what it can write to. */
function shownDirectories({ readable }: Bounds): string[] {
  const dirs = [...new Set([...systemDirs, ...readable])].filter(leadsToDirectory)
  const mounted = mountPointsBelow(dirs).flatMap(({ path: at, type }) => (type === 'directory' ? at : []))
  return [...new Set([...dirs, ...mounted])]
}

/** Undefined for other commands, and where there is no repository. */
function openLayeredGit(
  { repository, verb = '' }: Containment,
  place: CheckedDirectory,
  root: string,
): LayeredGit | undefined {
  const found = repository === 'changes' ? repositoryAt(place.absolute, root) : undefined
  return found === undefined || 'reason' in found ? undefined : new LayeredGit(found, verb, root)
}

/** Files of the project land while the repository is locked, as in a checkout by git. */
async function landInto(
  landing: GitLanding | undefined,
  landFiles: () => Promise<Landed>,
): Promise<{ landed: Landed; words: readonly string[] }> {
  try {
    const landed = await landFiles()
    return { landed, words: (await landing?.land()) ?? [] }
  } finally {
    landing?.release()
  }
}

const madeRepository = 'a new repository was made, without hooks; clada undo does not remove it'

/** Packages may bring anything that tools read at the top of a project, where these are not. */
const isInstalled = (name: string, { network }: Containment): boolean =>
  network && name.split('/').includes('node_modules')

/** What looks like success inside, and is not there afterwards. */
function discardedWarning(files: readonly string[]): string[] {
  if (files.length === 0) return []
  const inDirs = new Map<string, string[]>()
  for (const file of files) {
    const [dir = file] = /^\/(?:tmp|var\/tmp|dev\/shm)\/[^/]+\//.exec(file) ?? []
    inDirs.set(dir, [...(inDirs.get(dir) ?? []), file])
  }
  // A build in /tmp writes hundreds of files with long names; the directory says enough.
  const names = [...inDirs].flatMap(([dir, own]) => (own.length > 1 ? [`${dir} (${own.length} files)`] : own))
  const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
  return [`written outside the project and gone now: ${names.slice(0, 3).join(', ')}${more}`]
}

const nothingDone = { effects: [], notKept: [], stripped: [] }

const survivorWarning = ({ allEnded }: ProcessEnd): string[] =>
  allEnded ? [] : ['some processes it started could not be ended; look for them with ps']

/** As reports list them: by name, and directories where nothing listed in them says that they came or went. */
function summarizeEffects(effects: readonly Effect[]): ChangedFile[] {
  const changed = new Map<string, ChangedFile['change']>()
  const isImplied = impliedBy(effects)
  for (const effect of effects) {
    const { path: name } = effect
    if (effect.kind === 'time' || isImplied(effect)) continue
    if (effect.kind === 'gone') changed.set(name, 'delete')
    else changed.set(name, changed.get(name) === 'delete' ? 'modify' : effect.change)
  }
  return [...changed].map(([name, change]) => ({ path: name, change })).sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Whether it is a directory that came or went together with something in it. */
function impliedBy(effects: readonly Effect[]): (effect: Effect) => boolean {
  const [left, made] = [new Set<string>(), new Set<string>()]
  for (const { kind, path: name } of effects) (kind === 'gone' ? left : made).add(path.dirname(name))
  return (effect) => {
    if (effect.kind === 'gone') return effect.type === 'directory' && left.has(effect.path)
    return effect.kind === 'directory' && effect.change === 'create' && made.has(effect.path)
  }
}

/** What lands is judged, so that little has to be kept from being written. */
const boundsOnLayers = (bounds: Bounds, layers: Overlay, repositories: readonly string[]): Bounds => ({
  ...bounds,
  mounts: layers.mounts,
  fixed: bounds.fixed.filter((name) => repositories.includes(name)),
  blocked: bounds.blocked.filter(({ type }) => type === 'directory'),
  absent: [],
})

async function runOnProject(
  chosen: Sandbox | undefined,
  what: Containment,
  place: CheckedDirectory,
  scope: CommandScope,
): Promise<Contained> {
  const { root } = scope.settings
  await scope.files.outside(rootArg(root), what.repository === 'changes' ? 'changes repository' : 'changes')
  const isBlocked = makeBlockedTest(scope)
  const before = surveyOf(root, isBlocked)
  const found = what.repository === 'changes' ? repositoryAt(place.absolute, root) : undefined
  const repository = found === undefined || 'reason' in found ? undefined : found
  const inGit = repository && namesInGitDir(repository)
  const inside = chosen === undefined ? undefined : await runInside(chosen, what, place, scope)
  const failure = inside === undefined ? undefined : chosen?.failed(inside)
  const warnings: string[] = []
  if (failure !== undefined && chosen !== undefined) {
    const refusal = await whyNotUp(failure, what, chosen, root)
    if (refusal !== undefined) return refusal
    warnings.push(`the sandbox could not be started (${failure}), so the command ran without one`)
  }
  const end = inside === undefined || failure !== undefined ? await runBare(what, place, scope) : inside
  if (end.ended === 'unstarted') return { ok: false, problem: notStarting(what.file, end.error) }
  const after = surveyOf(root, isBlocked)
  const changed = changesBetween(before, after)
  const inRoot = (name: string): string => path.join(root, name)
  await scope.files.changedOutside(
    changed.map((file) => inRoot(file.path)),
    {
      created: changed.flatMap(({ path: name, change }) => (change === 'create' ? [inRoot(name)] : [])),
      modes: new Map(
        changed.flatMap(({ path: name }) => {
          const mode = modeIn(before, name)
          return mode === undefined ? [] : [[inRoot(name), mode]]
        }),
      ),
      madeDirs: dirsUnlike(after, before).flatMap(([dir]) => (before.dirs.has(dir) ? [] : [inRoot(dir)])),
      goneDirs: new Map(dirsUnlike(before, after).map(([dir, mode]) => [inRoot(dir), mode])),
    },
  )
  changed.push(...dirChanges(before, after, changed))
  changed.sort((a, b) => (a.path < b.path ? -1 : 1))
  warnings.push(...survivorWarning(end), ...changeWarnings(before, after, changed))
  if (repository !== undefined && inGit !== undefined && chosen !== undefined)
    warnings.push(...discardPlanted(repository, inGit, what, scope))
  return { ok: true, end, changed, notKept: [], warnings, contained: end === inside }
}

/** What is not git's data and was not there before: nothing could be mounted to keep it out. */
function discardPlanted(
  repository: FoundRepository,
  before: ReadonlySet<string>,
  { verb = '' }: Containment,
  { files }: CommandScope,
): string[] {
  const planted = findPlantedNames(repository, before, verb)
  const gone = files.discard(
    repository.commonDir,
    planted.map((name) => path.join(repository.commonDir, name)),
    'made',
  )
  return gone.map((file) => `'${file}' was made by a program of the repository and removed: it is not git's data`)
}

/** Undefined where the command may run without a sandbox. */
async function whyNotUp(
  failure: string,
  what: Containment,
  sandbox: Sandbox,
  root: string,
): Promise<Contained | undefined> {
  if (what.sandbox === 'required') return { ok: false, problem: notComingUp(failure) }
  // Where others start, the project keeps this one from it, and code in there could have caused that.
  const elsewhere = await whyNotStarting(sandbox, root)
  return elsewhere === undefined ? { ok: false, problem: notComingUpHere(failure) } : undefined
}

function sandboxFor(
  { sandbox }: Pick<Containment, 'sandbox'>,
  { commands, settings }: Pick<CommandScope, 'commands' | 'settings'>,
): Sandbox | { reason: string; advice: Advice } | undefined {
  if (commands.exec === 'unsandboxed') return undefined
  if (settings.root === '/') {
    return {
      reason: 'the root is the whole disk, which cannot be contained',
      advice: smallerRoot,
    }
  }
  const link = findLinkToUserPlace(settings)
  if (link !== undefined) {
    return {
      reason: `'${link}' leads to the user's own config or state of clada, and code in this root could replace it`,
      advice: smallerRoot,
    }
  }
  const choice = chooseSandbox()
  if (choice.ok) return choice.sandbox
  return sandbox === 'required' ? { reason: choice.reason, advice: choice.advice } : undefined
}

const smallerRoot: Advice = { model: 'Ask the user for a smaller root.', user: 'Choose a smaller root.' }

const notComingUp = (failure: string): Problem => ({
  kind: 'exec-refused',
  reason: `the sandbox could not be started: ${failure}`,
  advice: adviseAskingUser(
    'allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap) or run with --exec unsandboxed; clada doctor says more',
  ),
})

const notComingUpHere = (failure: string): Problem => ({
  kind: 'exec-refused',
  reason: `the sandbox could not be started in this project: ${failure}`,
  advice: {
    model:
      'Remove what is new and blocked in it (such as many .pem files), or ask the user to run the command themselves.',
    user: 'Remove what is new and blocked in it (such as many .pem files), or run the command yourself.',
  },
})

const notStarting = (file: string, error = 'no reason given'): Problem => ({
  kind: 'exec-refused',
  reason: `${file} could not be started: ${error}`,
  advice: { model: 'Try again with less, or ask the user.', user: 'Try again with less.' },
})

async function runInside(
  sandbox: Sandbox,
  what: Containment,
  place: CheckedDirectory,
  scope: CommandScope,
): Promise<ProcessEnd> {
  const { root, reserved } = scope.settings
  const missing = reserved().filter((file) => isInside(file, root) && !existsAt(file))
  const found = listBlocked(scope)
  const repository = what.repository === 'changes' ? repositoryAt(place.absolute, root) : undefined
  const inRoot = repository !== undefined && 'commonDir' in repository && isInside(repository.commonDir, root)
  const gitDir = inRoot ? withSlashes(path.relative(root, repository.commonDir)) : undefined
  const plain = makeBounds({ ...what, gitDir }, found, scope)
  const states = found.repositories.flatMap((name) => statesBelow(root, name))
  // Empty files that cannot be written: tools that copy or search the project stumble over a device. Git would see a file
  // that is not there; what it runs may make one, and it is taken away.
  const placeholders = what.repository === 'changes' ? [] : scope.files.placehold(root, missing)
  const bounds = {
    ...plain,
    fixed: [...plain.fixed, ...placeholders.map((file) => path.relative(root, file))],
    // On layers nobody is behind them.
    blocked: [...plain.blocked, ...states, ...(what.network ? [] : found.doors)],
  }
  const { file, args } = what
  const own = environmentInside(what)
  const env = sandbox.name === 'sandbox-exec' ? { ...own, ...cacheVariables(bounds.caches) } : own
  const wrapped = sandbox.wrap({ file, args, env, cwd: place.absolute }, bounds)
  try {
    return await runProcess({
      ...wrapped,
      ...limitsOf(what, scope),
    })
  } finally {
    dropEmptyLayers(bounds.caches)
    // Places to mount over had to be made in the project itself.
    const mounted = bounds.absent.map((name) => path.join(root, name))
    scope.files.discard(root, mounted, 'empty directories')
    scope.files.discard(root, placeholders, 'placeholders')
    scope.files.discard(
      root,
      missing.filter((file) => !placeholders.includes(file)),
      'made',
    )
  }
}

const environmentInside = ({ env, network }: Containment): Containment['env'] =>
  network ? env : { ...withoutRetries, ...env }

const limitsOf = ({ timeoutMs }: Containment, { commands, signal, onOutput }: CommandScope) => ({
  timeoutMs,
  outputBytes: commands.outputBytes,
  signal,
  onOutput,
})

function runBare(what: Containment, place: CheckedDirectory, scope: CommandScope): Promise<ProcessEnd> {
  return runProcess({
    file: what.file,
    args: what.args,
    env: what.env,
    cwd: place.safePath,
    scope: 'marked',
    ...limitsOf(what, scope),
  })
}

const changeWarnings = (before: Survey, after: Survey, changed: readonly ChangedFile[]): string[] => [
  ...after.repositories
    .filter((repository) => !before.repositories.includes(repository))
    .map((repository) => `'${repository}' is new: its hooks and config run when git is used there`),
  ...runWarnings(changed.filter(({ change }) => change !== 'delete').map((file) => file.path)),
]
