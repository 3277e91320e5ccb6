import type { Access, Blocking, PathDecision, PathJudge, PathRefusal, WriterKind } from '../core/effects.ts'
import { isInside, withSlashes } from '../core/paths.ts'
import { foldedName as folded, ignoreFileNames, ownerOfName, projectFileName } from '../core/reserved-names.ts'
import { homeDir, type Platform, platform } from '../core/platform.ts'
import { type Advice, adviseAskingUser, gitReason, type PathRule, reservedReason } from '../core/problem.ts'
import type { IgnoreFile, Settings } from '../core/settings.ts'
import { isIgnored } from '@clada/reply/text/ignore-rules.ts'
import { codePointName, findFirstHidden } from '@clada/reply/text/spell-out.ts'
import { anchorOf, isWholePath, type GlobOn, globTest } from './glob.ts'
import { dependsOnContent } from './secret-files.ts'

/**
 * Decides from the spelling of a path alone whether it may be touched. Looks at names only: links are
 * refused by the workspace, which walks the decided path component by component.
 */
export function makePathJudge(policy: PathPolicy): PathJudge {
  let read: { readonly given: string; readonly absolute: string; readonly decision: PathDecision } | undefined
  return {
    path: (given, absolute, access) => {
      // An edit reads what it writes. Names whose content decides are not written at all.
      if (
        access === 'write' &&
        read?.given === given &&
        read.absolute === absolute &&
        read.decision.verdict === 'allow'
      )
        return blockedForWriting(read.decision, absolute, policy) ?? read.decision
      const decision = judgePath(given, absolute, access, policy)
      if (access === 'read') read = { given, absolute, decision }
      return decision
    },
    blockingBelow: (relative) =>
      blockingOf(relative.split('/'), policy.platform.path.join(policy.roots[0] ?? '', relative), policy),
    blocking: (absolute) => {
      const top = containingRoot(absolute, policy) ?? rootOfPath(absolute, policy.platform)
      return blockingOf(partsBelow(absolute, top, policy.platform), absolute, policy)
    },
    written: (absolute, by) => judgeWriter(absolute, by, policy),
  }
}

/** Why a path that may be read must not be written. */
function blockedForWriting(
  { parts }: PathDecision & { verdict: 'allow' },
  absolute: string,
  policy: PathPolicy,
): PathRefusal | undefined {
  const denied = refusalByName(parts, 'write', policy)
  if (denied !== undefined || parts.length === 0) return denied
  return refusalForUserPlace(policy.platform.path.resolve(absolute), 'write', policy)
}

/**
 * Code may write what documents may. A command that the user approved may also fill directories of packages, in which
 * anything may be called like a secret; one whose approval is bound to what it runs may set up its tools as well.
 */
function judgeWriter(absolute: string, by: WriterKind, policy: PathPolicy): PathDecision {
  if (by === 'code') return judgePlace(absolute, 'write', policy)
  // An install that the user approved with the network may bring another clada.
  if (by === 'wide' && policy.runningProgram.length > 0)
    return judgeWriter(absolute, by, { ...policy, runningProgram: [] })
  const isPackage = partsBelow(absolute, policy.roots[0] ?? '', policy.platform)
    .slice(0, -1)
    .some((part) => packageDirs.has(part))
  if (isPackage) return judgePlace(absolute, 'write', { ...policy, denied: compileDenied([]), notWritten: noNames })
  return judgePlace(absolute, 'write', by === 'wide' ? { ...policy, notWritten: noNames } : policy)
}

/** Directories that package managers and builds fill. */
const packageDirs: ReadonlySet<string> = new Set([
  'node_modules',
  'site-packages',
  '.venv',
  'venv',
  '.tox',
  'target',
  '.gradle',
  'vendor',
])

function blockingOf(parts: readonly string[], absolute: string, policy: PathPolicy): Blocking {
  const pattern = patternFor(parts, absolute, policy)
  const isBlocked =
    (pattern !== undefined && !dependsOnContent(pattern)) ||
    policy.ignoredBy(absolute) !== undefined ||
    isReserved(absolute, policy) ||
    (policy.placesInside && refusalForUserPlace(absolute, 'read', policy) !== undefined)
  return isBlocked ? 'always' : pattern === undefined ? 'never' : 'with-login'
}

const containingRoot = (clean: string, { roots, platform: on }: PathPolicy): string | undefined =>
  roots.find((candidate) => isInside(clean, candidate, on))

const rootOfPath = (clean: string, on: Platform): string => on.path.parse(clean).root

export const pathPolicyOf = (
  {
    root,
    allowedRoots,
    allowEscape,
    deniedPatterns,
    ignoreFiles = [],
    reserved = () => [],
    userPlaces = [],
    runningProgram = [],
  }: Pick<Settings, 'root' | 'allowedRoots' | 'allowEscape' | 'deniedPatterns'> & Partial<Settings>,
  on: Platform = platform,
): PathPolicy => ({
  platform: on,
  spelling: 'plain',
  notWritten: writeBlocked,
  projectFile: 'denied',
  roots: [root, ...allowedRoots],
  allowEscape,
  denied: compileCached(deniedPatterns),
  ignoredBy: makeIgnoredBy(ignoreFiles, on),
  reserved,
  userPlaces: userPlaces.map(folded),
  runningProgram: runningProgram
    .map(folded)
    .filter((file) => allowEscape || [root, ...allowedRoots].some((one) => isInside(file, folded(one), on))),
  placesInside:
    allowEscape ||
    [root, ...allowedRoots]
      .map(folded)
      .some((one) => userPlaces.map(folded).some((place) => isInside(place, one, on) || isInside(one, place, on))),
})

/**
 * For what an undo puts back. Programs may have changed what no document may: odd names are as they were found, and
 * what can make other programs run code was there before. What is blocked stays blocked.
 */
export const undoPolicyOf = (settings: Parameters<typeof pathPolicyOf>[0]): PathPolicy => ({
  ...pathPolicyOf({ ...settings, runningProgram: [] }),
  spelling: 'any',
  notWritten: noNames,
})

/**
 * For going to another commit of the repository at `top`: whatever was committed is restored as it was, blocked files
 * and clada's configuration included, but never git's or clada's own directories.
 */
export const checkoutPolicyOf = (top: string): PathPolicy => ({
  ...undoPolicyOf({ root: top, allowedRoots: [], allowEscape: false, deniedPatterns: [] }),
  projectFile: 'open',
})

interface PathPolicy {
  readonly platform: Platform
  /** `any`: also spellings that are refused in documents. */
  readonly spelling: 'plain' | 'any'
  /** Folded names that are read, but not written. */
  readonly notWritten: ReadonlySet<string>
  /** Whether clada's configuration in the project may be touched. */
  readonly projectFile: 'denied' | 'open'
  /** Canonical absolute directories; the first is the project. */
  readonly roots: readonly string[]
  readonly allowEscape: boolean
  readonly denied: DeniedPatterns
  /** The name of the ignore file that leaves a path out. */
  readonly ignoredBy: (absolute: string) => string | undefined
  readonly reserved: () => readonly string[]
  /** Folded. */
  readonly userPlaces: readonly string[]
  /** Folded; those inside the roots. */
  readonly runningProgram: readonly string[]
  /** Whether any of `userPlaces` has to do with the roots at all. */
  readonly placesInside: boolean
}

function judgePath(given: string, absolute: string, access: Access, policy: PathPolicy): PathDecision {
  const spelling = policy.spelling === 'any' ? undefined : misspelling(given, policy.platform)
  return spelling === undefined ? judgePlace(absolute, access, policy) : deny('invalid_parameter', spelling)
}

function judgePlace(absolute: string, access: Access, policy: PathPolicy): PathDecision {
  const on = policy.platform
  const clean = on.path.resolve(absolute)
  const root = containingRoot(clean, policy) ?? (policy.allowEscape ? rootOfPath(clean, on) : undefined)
  const parts = partsBelow(clean, root ?? rootOfPath(clean, on), on)
  const { denied, unlessLogin } = findRefusals(parts, clean, access, policy)
  if (denied !== undefined && root === undefined)
    return deny(denied.rule, `it is outside the project, and ${denied.reason}`, insideOnly)
  if (denied !== undefined) return denied
  if (access !== 'list' && isReserved(clean, policy)) return deny('path_denied', reservedReason)
  const replacing = root !== undefined && parts.length > 0 ? access : 'read'
  const own = access === 'list' ? undefined : refusalForUserPlace(clean, replacing, policy)
  if (own !== undefined) return own
  if (root === undefined) {
    return deny('path_escape', outsideReason(policy), allowing(clean, policy))
  }
  return { verdict: 'allow', root, parts, unlessLogin }
}

const outsideReason = ({ roots, platform: on }: PathPolicy): string =>
  `it is outside ${roots.length > 1 ? 'the allowed roots' : 'the root'} ${roots.map((one) => quotePath(one, on)).join(', ')}`

/** For what is blocked wherever it is: allowing its directory would not help. */
const insideOnly = 'Use a path inside the root.'

/** How to allow a path outside the roots. Never names the home directory or `/`, which would be too much. */
function allowing(absolute: string, { platform: on }: PathPolicy): Advice {
  const above = isInside(absolute, temporary, on) ? temporary : on.path.dirname(absolute)
  const dir = withSlashes(above, on)
  // Directories of the system itself.
  const isBroad = above !== temporary && partsBelow(above, rootOfPath(above, on), on).length < 2
  if (isBroad || above === homeDir() || /[\s,'"\]]/.test(dir))
    return {
      model: 'Use a path inside the root, or ask the user to allow that directory with --allow.',
      user: 'Use a path inside the root, or allow that directory with --allow.',
    }
  const how = `--allow ${dir}, or allowed_roots: [${dir}] in the config`
  return {
    model: `Use a path inside the root, or ask the user to allow it: ${how}.`,
    user: `Use a path inside the root, or allow it: ${how}.`,
  }
}

const temporary = '/tmp'

/**
 * The user's own config and state, and what runs as clada. A link in the place of a directory above would make another
 * directory of it.
 */
function refusalForUserPlace(
  absolute: string,
  access: Access,
  { userPlaces, runningProgram, platform: on }: PathPolicy,
): PathRefusal | undefined {
  const name = folded(absolute)
  for (const place of userPlaces) {
    if (isInside(name, place, on))
      return deny('path_denied', "it belongs to the user's own config or state of clada", adviseAskingUser('change it'))
    if (access === 'write' && isInside(place, name, on))
      return deny('path_denied', "the user's own config or state of clada is below it, so it cannot be changed", {
        model: 'Use paths further below, or ask the user to change it.',
        user: 'Use paths further below.',
      })
  }
  if (access !== 'write') return undefined
  if (runningProgram.some((place) => isInside(name, place, on)))
    return deny('path_denied', 'it is part of the clada that is running', adviseAskingUser('change it'))
  if (runningProgram.some((place) => isInside(place, name, on)))
    return deny('path_denied', 'the clada that is running is below it', adviseAskingUser('change it'))
  return undefined
}

const isReserved = (absolute: string, { reserved }: PathPolicy): boolean =>
  reserved().some((file) => folded(file) === folded(absolute))

/** Each set by itself, so that an exception of one kind allows nothing that another kind blocks. */
type DeniedPatterns = Readonly<Record<GlobOn, RuleSet>> & {
  /** One for each base. */
  readonly anchored: readonly RuleSet[]
}

interface RuleSet {
  /** Matches whatever any rule matches: most names need no second look. */
  readonly any: (text: string) => boolean
  /** Names that none matches: a directory is asked about with each of its files, and a file when it is read and written. */
  readonly harmless: Set<string>
  readonly rules: readonly {
    readonly pattern: string
    readonly test: (text: string) => boolean
    readonly negated: boolean
  }[]
}

const compiled = new WeakMap<readonly string[], DeniedPatterns>()

/** Compiled once: the patterns of a run are asked for many times. */
function compileCached(patterns: readonly string[]): DeniedPatterns {
  const denied = compiled.get(patterns) ?? compileDenied(patterns)
  compiled.set(patterns, denied)
  return denied
}

function compileDenied(patterns: readonly string[]): DeniedPatterns {
  const rules = patterns.map((raw) => {
    const negated = raw.startsWith('!')
    const given = negated ? raw.slice(1) : raw
    const pattern = given.endsWith('/') ? given.replace(/\/+$/, '') : given
    const on = isWholePath(pattern) ? 'absolute' : pattern.includes('/') ? 'relative' : 'component'
    const anchor = anchorOf(pattern)
    return { pattern, negated, on, base: anchor?.base, ...globTest(folded(anchor?.glob ?? pattern), on) } as const
  })
  const setOf = (on: GlobOn, base?: string): RuleSet => {
    const own = rules.filter((rule) => rule.on === on && rule.base === base)
    const exact = new Set(own.flatMap((rule) => rule.exact ?? []))
    const plain = new RegExp(own.flatMap((rule) => rule.source ?? []).join('|') || '(?!)', 's')
    const others = own.filter((rule) => rule.exact === undefined && rule.source === undefined)
    const any = (text: string): boolean => exact.has(text) || plain.test(text) || others.some((rule) => rule.test(text))
    return { any, harmless: new Set(), rules: own }
  }
  const bases = [...new Set(rules.flatMap(({ base }) => base ?? []))]
  return {
    component: setOf('component'),
    relative: setOf('relative'),
    absolute: setOf('absolute'),
    anchored: bases.map((base) => setOf('absolute', base)),
  }
}

const quotePath = (root: string, on: Platform = platform): string => `'${withSlashes(root, on)}'`

const deny = (rule: PathRule, reason: string, advice?: Advice): PathRefusal => ({
  verdict: 'deny',
  rule,
  reason,
  advice,
})

function partsBelow(clean: string, root: string, on: Platform): string[] {
  return clean
    .slice(root.length)
    .split(on.path.sep)
    .filter((part) => part !== '')
}

/**
 * What is wrong with the spelling itself. The same on every system, so that a document means the same everywhere, except
 * that Windows has drives and backslashes, and refuses some characters.
 */
function misspelling(given: string, on: Platform): string | undefined {
  // Most paths are plain, and nothing can be wrong with those.
  if (given.length < 256 && /^[\w\-./]+$/.test(given) && !doubtful.test(given)) return undefined
  if (given === '') return 'it is empty'
  if (given.length > 4096) return `it is ${given.length} characters long, the limit is 4096`
  const at = /[\t\r\n]/.exec(given)?.index ?? findFirstHidden(given)?.at
  if (at !== undefined)
    return `it contains the invisible character ${codePointName(given.slice(at))} at position ${at + 1}`
  if (given.includes('://') && /^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(given)) return 'it is a URL, not a path'
  const windows = on.drives
  const drive = windows ? given.replace(/^[A-Za-z]:[\\/]/, '/') : given
  if (!windows && given.includes('\\')) return 'it contains a backslash; use forward slashes'
  if (drive.includes(':')) return 'it contains a colon'
  const refused = windows ? /[<>"|?*]/.exec(drive) : null
  if (refused) return `it contains ${refused[0]}, which Windows does not allow in file names`
  if (given.startsWith('~')) return 'it starts with ~, which is not expanded'
  if (given.startsWith('$') && /^\$\{?[A-Za-z_]/.test(given)) return 'it starts with a variable, which is not expanded'
  for (const part of drive.replaceAll('\\', '/').split('/')) {
    if (part === '' || part === '.' || part === '..') continue
    if (part.endsWith('.') || part.endsWith(' ')) return `'${part}' ends with a dot or a space`
    if (deviceName.test(part)) return `'${part}' is a reserved device name on Windows`
    if (Buffer.byteLength(part) > 255) return `a name in it is ${Buffer.byteLength(part)} bytes long, the limit is 255`
  }
  return undefined
}

/** A name that ends with a dot, or begins like that of a device. */
const doubtful = /\.(?:\/|$)|(?:^|\/)(?:con|prn|aux|nul|com|lpt)/i

/** Windows opens a device by these names, whatever follows the first dot; spaces before that are ignored. */
const deviceName = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\.|$)/i

/** Why documents may not touch names that decide what other programs run, or what clada itself may do. */
const ownNames = {
  git: gitReason,
  clada: "it is clada's own state",
  [projectFileName]: "it is clada's own configuration",
} as const
/** Names that documents and code may not write: other programs run what is in them, or they say what models may not read. */
export const writeBlocked: ReadonlySet<string> = new Set([
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.husky',
  ...ignoreFileNames,
])
/** Settings of other version control, in its own directories, that name programs or lead to other settings. */
const versionControl =
  /(?:^|\/)(?:\.hg\/(?:hgrc|sharedpath|shared|requires)|\.sl\/(?:config|sharedpath)|\.jj\/(?:.*\/)?(?:[^/]*\.toml|config-id|repo$)|\.bzr\/branch\/|_darcs\/prefs|\.pijul\/config)/i
const noNames: ReadonlySet<string> = new Set()

function findRefusals(
  parts: readonly string[],
  clean: string,
  access: Access,
  policy: PathPolicy,
): { readonly denied?: PathRefusal | undefined; readonly unlessLogin?: PathRefusal | undefined } {
  const denied = refusalByName(parts, access, policy)
  if (denied !== undefined || access === 'list') return { denied }
  const pattern = patternFor(parts, clean, policy)
  const byPattern = pattern === undefined ? undefined : blockedRefusal(`it matches the denied pattern '${pattern}'`)
  if (pattern !== undefined && !dependsOnContent(pattern)) return { denied: byPattern }
  const file = policy.ignoredBy(clean)
  if (file !== undefined) return { denied: blockedRefusal(`${file} of the project leaves it out`) }
  return { unlessLogin: byPattern }
}

const blockedRefusal = (reason: string): PathRefusal =>
  deny('path_denied', reason, {
    model: 'Its content is blocked for models; ask the user for what you need from it.',
    user: 'Its content is blocked for models.',
  })

function refusalByName(
  parts: readonly string[],
  access: Access,
  { notWritten, projectFile }: PathPolicy,
): PathRefusal | undefined {
  for (const part of parts) {
    const name = folded(part)
    const own = ownerOfName(part) ?? (name === projectFileName && projectFile === 'denied' ? name : undefined)
    if (own !== undefined) return deny('path_denied', ownNames[own])
    if (access === 'write' && notWritten.has(name)) {
      const why = ignoreFileNames.includes(name)
        ? `'${part}' says what models may not read`
        : `'${part}' can make other programs run code`
      return deny('path_denied', `${why}, so writing it is blocked`, adviseAskingUser('change it by hand'))
    }
  }
  if (access === 'write' && notWritten.size > 0 && versionControl.test(parts.join('/')))
    return deny('path_denied', 'version control takes programs from it', adviseAskingUser('change it by hand'))
  return undefined
}

/** The pattern that blocks a path: one that depends on the content only if there is no other. */
function patternFor(parts: readonly string[], clean: string, { denied, platform: on }: PathPolicy): string | undefined {
  const names = parts.map(folded)
  let dependent: string | undefined
  for (const name of names) {
    // Each component by itself, so that an exception for one cannot open another.
    const hit = lastMatch(denied.component, name)
    if (hit !== undefined && !dependsOnContent(hit)) return hit
    dependent ??= hit
  }
  const below = lastMatch(denied.relative, names.join('/'))
  if (below !== undefined) return below
  const whole = folded(withSlashes(clean, on))
  for (const set of [denied.absolute, ...denied.anchored]) {
    const hit = lastMatch(set, whole)
    if (hit !== undefined) return hit
  }
  return dependent
}

/** Directories are asked about before what is in them, as git does: nothing below one that is left out is allowed again. */
function makeIgnoredBy(files: readonly IgnoreFile[], on: Platform): (absolute: string) => string | undefined {
  if (files.length === 0) return () => undefined
  const known = new Map<string, string | undefined>()
  const find = (absolute: string): string | undefined => {
    if (known.has(absolute)) return known.get(absolute)
    const above = on.path.dirname(absolute)
    const found =
      above === absolute ? undefined : (find(above) ?? files.find((file) => isLeftOutBy(file, absolute, on))?.name)
    if (known.size >= mostHarmless) known.clear()
    known.set(absolute, found)
    return found
  }
  return find
}

/** A name may be that of a directory, whatever is there now. */
function isLeftOutBy({ dir, rules }: IgnoreFile, absolute: string, on: Platform): boolean {
  if (!isInside(absolute, dir, on)) return false
  const below = partsBelow(absolute, dir, on).map(folded).join('/')
  return below !== '' && isIgnored(rules, below, 'dir')
}

function lastMatch({ any, harmless, rules }: RuleSet, text: string): string | undefined {
  if (harmless.has(text)) return undefined
  if (!any(text)) {
    if (harmless.size >= mostHarmless) harmless.clear()
    harmless.add(text)
    return undefined
  }
  const last = rules.findLast((rule) => rule.test(text))
  return last === undefined || last.negated ? undefined : last.pattern
}

const mostHarmless = 4096
