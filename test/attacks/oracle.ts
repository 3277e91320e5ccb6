import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Attack } from './attack.ts'
import { stateInGit } from '../../packages/clada/src/state/project-state.ts'
import { canaries, type Fixture } from './fixture.ts'

export interface Picture {
  readonly inside: string
  /** Whether clada has made its own corner. */
  readonly own: boolean
  readonly outside: string
  readonly git: string
  /** Of the repository what git does not write by itself: settings, hooks, plans for later. */
  readonly gitSettings: string
}

export function pictureOf({ project, parent }: Fixture): Picture {
  const around = fs.readdirSync(parent).filter((name) => name !== 'proj')
  return {
    inside: treeOf(project, (name) => name === '.git' || name === '.clada'),
    own: ['.clada', `.git/${stateInGit}`].some((name) => fs.existsSync(path.join(project, name))),
    outside: around.map((name) => `${name}:${treeOf(path.join(parent, name), () => false)}`).join('\n'),
    git: treeOf(path.join(project, '.git'), (name) => name === 'objects' || name === stateInGit) + strangersIn(project),
    gitSettings: treeOf(path.join(project, '.git'), isGitData) + strangersIn(project),
  }
}

/** What is beside the histories in the place where clada keeps them, and a link in their place. */
function strangersIn(project: string): string {
  const git = path.join(project, '.git')
  // Some attacks make it a file: then nothing can be below it.
  if (fs.lstatSync(git, { throwIfNoEntry: false })?.isFile() === true) return ''
  const dir = path.join(git, stateInGit)
  const stat = fs.lstatSync(dir, { throwIfNoEntry: false })
  if (stat === undefined) return ''
  if (!stat.isDirectory()) return ' and a link for the history'
  return fs
    .readdirSync(dir)
    .filter((name) => !/^[0-9a-f]{32}$/.test(name))
    .map((name) => ` ${name}`)
    .join('')
}

const isGitData = (name: string): boolean =>
  /^(?:objects|refs|logs|index|packed-refs|clada|COMMIT_EDITMSG|shallow|AUTO_MERGE|[A-Z]+_HEAD|HEAD|MERGE_\w+)$/.test(
    name,
  )

/** Of a file with holes that is larger than memory only how large it is, and when it was changed. */
const contentOf = (file: string, { size, mtimeMs }: fs.Stats): Buffer =>
  size > 2 ** 30 ? Buffer.from(`${size} bytes of ${mtimeMs}`) : fs.readFileSync(file)

export function treeOf(top: string, skip: (name: string) => boolean): string {
  const hash = createHash('sha256')
  const pending = [top]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const stat = fs.lstatSync(at, { throwIfNoEntry: false })
    if (stat === undefined) continue
    hash.update(`${at}:${stat.mode}:`)
    if (stat.isSymbolicLink()) hash.update(fs.readlinkSync(at))
    else if (stat.isFile()) hash.update(contentOf(at, stat))
    else if (stat.isDirectory()) {
      const names = fs.readdirSync(at).sort()
      for (const name of names) if (!(at === top && skip(name))) pending.push(path.join(at, name))
    }
  }
  return hash.digest('hex')
}

export interface Run {
  /** Everything that a person or a model could get to see. */
  readonly output: string
  /** What a terminal would get; undefined where nothing was printed. */
  readonly printed?: string
  readonly failed: boolean
  /** It had to be ended. */
  readonly hung: boolean
}

/** What an attack has achieved, in words; empty when nothing. */
export function achieved(
  fixture: Fixture,
  before: Picture,
  run: Run,
  { expected, commits }: Pick<Attack, 'expected' | 'commits'>,
): string[] {
  const found: string[] = []
  for (const [whose, canary] of Object.entries(canaries))
    if (run.output.includes(canary)) found.push(`told a secret (${whose})`)
  if (fs.existsSync(path.join(fixture.parent, 'PWNED'))) found.push('ran code')
  const after = pictureOf(fixture)
  if (after.outside !== before.outside) found.push('changed something outside')
  if (commits ? after.gitSettings !== before.gitSettings : after.git !== before.git) found.push('changed .git')
  if (expected === 'refused' && after.inside !== before.inside) found.push('changed the project')
  if (expected === 'refused' && !run.failed) found.push('was not refused')
  if (fixture.reached > 0) found.push('reached a service of the host')
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  if (run.printed !== undefined && /[\u001b\u0007\u0008\u009b]/.test(run.printed))
    found.push('sent an escape to the terminal')
  if (run.hung) found.push('did not end')
  if (run.output.length > 25_000_000) found.push('flooded')
  found.push(...survivors(fixture).map((name) => `left a process: ${name}`))
  return found
}

/** Every file of the project with its mode and bytes, but for git's and clada's own. */
export function filesOf({ project }: Fixture): Map<string, string> {
  const found = new Map<string, string>()
  const pending = ['']
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const entry of fs.readdirSync(path.join(project, at), { withFileTypes: true })) {
      const name = path.join(at, entry.name)
      if (name === '.git' || name === '.clada') continue
      if (entry.isDirectory()) pending.push(name)
      if (!entry.isFile()) continue
      const stat = fs.statSync(path.join(project, name))
      const { mode } = stat
      if ((mode & 0o400) === 0) fs.chmodSync(path.join(project, name), mode | 0o400)
      found.set(name, `${mode} ${contentOf(path.join(project, name), stat).toString('latin1')}`)
      if ((mode & 0o400) === 0) fs.chmodSync(path.join(project, name), mode)
    }
  }
  return found
}

/** Names that differ between two looks. */
export const differences = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name))

/** Processes that still have something to do with the project. */
export function survivors({ fx }: Fixture): string[] {
  const found: string[] = []
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid))) {
    try {
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      // Other tests have their own; where it works tells whose it is, inside a sandbox too.
      if (fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(fx)) found.push(command.slice(0, 80))
    } catch {
      // Gone, or none of ours.
    }
  }
  return found
}
