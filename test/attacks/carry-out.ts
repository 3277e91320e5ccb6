import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Approvals, type Grant } from '../../packages/clada/src/approvals/approvals.ts'
import { approvalLineOf } from '../../packages/clada/src/approvals/approval-line.ts'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import { lockFileOf } from '../../packages/clada/src/store/lock.ts'
import type { Attack } from './attack.ts'
import { hasCode } from '../../packages/clada/src/core/errors.ts'
import { documentFor } from './document.ts'
import { canaries, type Fixture } from './fixture.ts'
import { achieved, differences, filesOf, type Picture, pictureOf, type Run } from './oracle.ts'
import { commandOf } from '../support/cli.ts'
import { installClada } from '../support/installed-clada.ts'

export interface Verdict {
  readonly held: boolean
  /** What it achieved, or how it was refused. */
  readonly how: string
}

/** Prepares, attacks, and looks what came of it. `cli` is the program to attack; without it the library is. */
export async function carryOut(attack: Attack, fixture: Fixture, given?: string): Promise<Verdict> {
  // Building it anew takes longer than most attacks; one that changed nothing leaves it as good as new.
  if (!untouched.has(fixture)) fixture.reset()
  untouched.delete(fixture)
  fixture.reached = 0
  const clean = pictures.get(fixture) ?? pictureOf(fixture)
  pictures.set(fixture, clean)
  prepare(attack, fixture)
  const cli = attack.installed && given?.endsWith('.cjs') ? installed(fixture, given) : given
  if (attack.before !== undefined) fixture.prepare(attack.before)
  for (const command of attack.approved ?? []) approve(fixture, fixture.fill(command), attack.grant)
  if (attack.setup !== undefined) fixture.prepare(attack.setup)
  const document = documentFor(attack, fixture)
  const before = pictureOf(fixture)
  const files = attack.reported ? filesOf(fixture) : undefined
  const stop = attack.action?.type === 'race' ? startFlipper(fixture) : undefined
  const run = await (cli === undefined
    ? inProcess(attack, fixture, document)
    : byCommandLine(attack, fixture, document, cli))
  await stop?.()
  if (stop !== undefined) putBack(fixture)
  // The project may change here: by the writes that win the race, and by the link that the first step plants.
  const inside = stop !== undefined || attack.action?.type === 'two-step'
  const { commits, expected } = attack
  const found = achieved(fixture, before, run, { commits, expected: inside ? 'contained' : expected })
  if (attack.action?.type === 'two-step' && !run.failed) found.push('was not refused')
  if (attack.expected === 'warned' && !run.failed && !isWarned(run.output, attack.path ?? ''))
    found.push('was not warned about')
  if (files !== undefined) found.push(...(await unseen(fixture, files, run.output, cli)))
  if (isDeepStrictEqual(pictureOf(fixture), clean) && !fs.existsSync(fixture.state)) untouched.add(fixture)
  const torn = isState(attack) && !isWhole(fixture) ? ['left a torn file'] : []
  const all = [...found, ...torn]
  return {
    held: all.length === 0,
    how: all.length === 0 ? (run.failed ? firstError(run.output) : 'ran, reached nothing') : all.join(', '),
  }
}

const installed = ({ project }: Fixture, cli: string): string =>
  installClada(project, path.dirname(cli), path.basename(cli))

const untouched = new WeakSet<Fixture>()
/** Of each as it is at first, and after every reset. */
const pictures = new WeakMap<Fixture, Picture>()

/** Whether some line of a report says why a file should be looked at. */
const isWarned = (output: string, name: string): boolean =>
  output.includes(`'${name}': `) && /Look at (?:it|them) first/.test(output)

/** What was changed without a word, or is not as it was after an undo. */
async function unseen(
  fixture: Fixture,
  before: ReadonlyMap<string, string>,
  output: string,
  cli: string | undefined,
): Promise<string[]> {
  const changed = differences(before, filesOf(fixture))
  const silent = changed.filter((name) => !output.includes(name)).map((name) => `changed ${name} unseen`)
  if (changed.length === 0) return silent
  const { project, state } = fixture
  if (cli === undefined) await new Clada({ repoPath: project, gitCommit: false }).undo()
  else {
    const [file = '', ...first] = commandOf(cli)
    spawnSync(file, [...first, 'undo', '--root', project, '--no-git'], {
      env: { ...process.env, XDG_STATE_HOME: state },
    })
  }
  return [...silent, ...differences(before, filesOf(fixture)).map((name) => `${name} is not undone`)]
}

export const hostileEnvironment: Readonly<Record<string, string>> = {
  DEPLOY_TOKEN: canaries.environment,
  AWS_SECRET_ACCESS_KEY: canaries.environment,
  MYSQL_PWD: canaries.environment,
  STRIPE_SK: canaries.environment,
  PAT_GITHUB: canaries.environment,
  LDAP_BINDPW: canaries.environment,
}

/** Does something with the state directory of the fixture's user. */
function withState({ state }: Fixture, act: () => void): void {
  const kept = process.env['XDG_STATE_HOME']
  process.env['XDG_STATE_HOME'] = state
  act()
  if (kept === undefined) delete process.env['XDG_STATE_HOME']
  else process.env['XDG_STATE_HOME'] = kept
}

/** As the user does it by `clada approve`. */
function approve(fixture: Fixture, command: string, grant: Grant = {}): void {
  const line = approvalLineOf(command)
  if ('reason' in line) throw new Error(line.reason)
  withState(fixture, () => {
    const approvals = new Approvals(fixture.project)
    approvals.add(line, grant)
    // What is refused for another reason would prove nothing. A command whose files cannot be read whole is asked for again.
    if (!['approved', 'changed'].includes(approvals.stateOf(line).state))
      throw new Error(`'${command}' could not be approved`)
  })
}

const isState = ({ id }: Attack): boolean => id.startsWith('STATE')

function isWhole({ project }: Fixture): boolean {
  return ['alpha changed\n', 'written\n'].includes(fs.readFileSync(path.join(project, 'src/a.txt'), 'utf8'))
}

function prepare({ action }: Attack, fixture: Fixture): void {
  const { project, outside } = fixture
  const list = path.join(project, '.clada', 'allowed-commands.json')
  switch (action?.type) {
    case 'repo-ships':
      fs.mkdirSync(path.dirname(list))
      fs.writeFileSync(list, JSON.stringify({ commands: ['src/evil.sh', 'touch-pwned'], added: {} }))
      return
    case 'unicode-normalise':
    case 'cwd-swap':
      approve(fixture, 'npm test')
      return
    case 'lock':
      withState(fixture, () => fs.symlinkSync(path.join(outside, 'victim.txt'), lockFileOf(project) ?? ''))
      return
    case 'tmp-predict':
      fs.symlinkSync(path.join(outside, 'victim.txt'), path.join(project, 'src', '.a.txt.tmp'))
      return
    case 'erofs':
      fs.chmodSync(path.join(project, 'src/a.txt'), 0o444)
      return
    case 'mode':
      fs.chmodSync(path.join(project, 'src/a.txt'), 0o755)
      return
    case 'git-index-lock':
      fs.writeFileSync(path.join(project, '.git', 'index.lock'), '')
      return
    case 'staged-work':
      fixture.git('add', 'src/a.txt')
  }
}

async function inProcess(attack: Attack, fixture: Fixture, document: string): Promise<Run> {
  const added = environmentOf(attack, fixture)
  const kept = Object.fromEntries(Object.keys(added).map((name) => [name, process.env[name]]))
  Object.assign(process.env, added)
  try {
    const clada = new Clada({
      repoPath: fixture.project,
      gitCommit: false,
      limits: { actionMs: attack.home || attack.grant?.network ? 20_000 : 2000 },
    })
    const times = attack.action?.type === 'race' ? 200 : 1
    let output = ''
    let failed = false
    for (let time = 0; time < times; time++) {
      const shown = attack.preview ? await clada.preview(document) : undefined
      const result = shown?.result ?? (await clada.execute(document))
      output = JSON.stringify(shown ?? result)
      failed = !result.success || times > 1
    }
    return { output, failed, hung: false }
  } finally {
    for (const [name, value] of Object.entries(kept)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

async function byCommandLine(attack: Attack, fixture: Fixture, document: string, cli: string): Promise<Run> {
  const user = new UserOf(fixture, cli, attack)
  const stop = attack.during === undefined ? undefined : await user.start(attack.during)
  const run = runOnce(attack, fixture, document, cli)
  const watched = await stop?.()
  const typed = attack.afterwards === undefined ? undefined : user.type(attack.afterwards)
  const printed = [run.printed, watched, typed?.printed].join('\n')
  return { ...run, output: printed, printed, hung: run.hung || (typed?.hung ?? false) }
}

function runOnce(attack: Attack, fixture: Fixture, document: string, cli: string): Run & { printed: string } {
  const [file = '', ...args] = [
    ...faults(attack),
    ...commandOf(cli),
    ...(attack.preview ? ['diff'] : []),
    // It is given once, or nothing runs.
    ...(attack.options?.includes('--root') ? [] : ['--root', fixture.project]),
    ...(attack.preview || attack.commits ? [] : ['--no-git']),
    ...(attack.options ?? []).map((one) => fixture.fill(one)),
    '--timeout',
    attack.home || attack.grant?.network ? '20' : '2',
  ]
  const env = userEnvironment(attack, fixture)
  const end = spawnSync(file, [...args, '--error-detail', 'full'], {
    cwd: fixture.project,
    input: document,
    env,
    encoding: 'utf8',
    timeout: 110_000,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
  })
  const printed = `${end.stdout}${end.stderr}`
  return { output: printed, printed, failed: end.status !== 0, hung: hasCode(end.error, 'ETIMEDOUT') }
}

const userEnvironment = (attack: Attack, fixture: Fixture): Record<string, string | undefined> => ({
  ...process.env,
  ...hostileEnvironment,
  XDG_STATE_HOME: fixture.state,
  ...environmentOf(attack, fixture),
})

/** The user of the project, at a shell. */
class UserOf {
  readonly #line: (lines: string) => string[]
  readonly #options: { cwd: string; env: Record<string, string | undefined> }

  constructor(fixture: Fixture, cli: string, attack: Attack) {
    const name = { GIT_AUTHOR_NAME: 'u', GIT_AUTHOR_EMAIL: 'u@x', GIT_COMMITTER_NAME: 'u', GIT_COMMITTER_EMAIL: 'u@x' }
    this.#options = { cwd: fixture.project, env: { ...userEnvironment(attack, fixture), ...name, GIT_EDITOR: ':' } }
    this.#line = (lines) => [
      '-c',
      `clada() { ${commandOf(cli)
        .map((word) => `'${word}'`)
        .join(' ')} "$@"; }\n${fixture.fill(lines)}`,
    ]
  }

  /** What it printed. It may fail: what counts is what it does. */
  type(lines: string): { printed: string; hung: boolean } {
    const { stdout, stderr, error } = spawnSync('bash', this.#line(lines), {
      ...this.#options,
      encoding: 'utf8',
      input: '',
      timeout: 60_000,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1024 * 1024,
    })
    return { printed: `${stdout}${stderr}`, hung: hasCode(error, 'ETIMEDOUT') }
  }

  /** Answers with what ends it once it has printed something. */
  async start(lines: string): Promise<() => Promise<string>> {
    const child = spawn('bash', this.#line(lines), {
      ...this.#options,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let printed = ''
    const speaks = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (text) => ((printed += String(text)), resolve()))
      child.once('exit', () => resolve())
    })
    await speaks
    return async () => {
      // Time for it to see what the attack left.
      await new Promise((resolve) => setTimeout(resolve, 700))
      const ended = new Promise((resolve) => child.once('close', resolve))
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      await ended
      return printed
    }
  }
}

/** What stands before the program when the system itself is to fail. */
function faults({ action }: Attack): string[] {
  const inject = (what: string): string[] =>
    fs.existsSync('/usr/bin/strace')
      ? ['/usr/bin/strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=rename,fsync', '-e', `inject=${what}`]
      : []
  switch (action?.type) {
    case 'kill9':
      return inject('rename:signal=KILL:when=1')
    case 'enospc':
      return inject('fsync:error=ENOSPC')
    case 'eio':
      return inject(`${String(action['on'])}:error=EIO`)
    case 'emfile':
      return fs.existsSync('/usr/bin/prlimit') ? ['/usr/bin/prlimit', '--nofile=40'] : []
    default:
      return []
  }
}

function environmentOf({ action, home }: Attack, fixture: Fixture): Record<string, string> {
  if (home) return { HOME: path.join(fixture.parent, 'home') }
  if (action?.type !== 'env') return {}
  const name = String(action['name'])
  // Node itself would obey it before a line of ours runs, so here it only reaches the children.
  if (name === 'NODE_OPTIONS') return {}
  if (name === 'GIT_CONFIG_COUNT') {
    return { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.fsmonitor', GIT_CONFIG_VALUE_0: fixture.fill('{S}') }
  }
  const value = fixture.fill(String(action['value'])).replace('$PATH', process.env['PATH'] ?? '')
  return Object.fromEntries(name.split(' / ').map((one) => [one, value]))
}

const firstError = (output: string): string =>
  /"error":"((?:[^"\\]|\\.)*)"/.exec(output)?.[1]?.slice(0, 110) ??
  /❌ (.*)/.exec(output)?.[1]?.slice(0, 110) ??
  'refused'

/** Swaps a directory with a link that leads out, as fast as the system can. */
export function startFlipper({ project }: Fixture): () => Promise<void> {
  const child = spawn('python3', ['-c', flipper, path.join(project, 'nested'), path.join(project, 'link_out')], {
    stdio: 'ignore',
  })
  return () =>
    new Promise((gone) => {
      child.once('exit', () => gone())
      child.kill('SIGKILL')
    })
}

const flipper = `
import ctypes, sys
libc = ctypes.CDLL(None)
a, b = sys.argv[1].encode(), sys.argv[2].encode()
while True: libc.renameat2(-100, a, -100, b, 2)
`

/** The directory and the link may have ended either way round. */
function putBack({ project }: Fixture): void {
  const nested = path.join(project, 'nested')
  if (!fs.lstatSync(nested).isSymbolicLink()) return
  const other = path.join(project, 'link_out')
  fs.renameSync(nested, `${nested}.tmp`)
  fs.renameSync(other, nested)
  fs.renameSync(`${nested}.tmp`, other)
}
