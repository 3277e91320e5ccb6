import { type Advice, adviseAskingUser } from '../core/problem.ts'
import { type Sandbox, type Bounds, directoriesAbove } from './bounds.ts'
import { bubblewrap, hostFacts } from './bubblewrap.ts'
import { findProgram, systemPath } from './programs.ts'
import { homeDir, type Platform, platform } from '../core/platform.ts'
import path from 'node:path'
import { bareEnvironment } from './environment.ts'
import { runProcess } from './run-process.ts'
import { type GroupLimits, groupLimitsHere } from './control-group.ts'
import { canLayer } from './overlay.ts'

export type SandboxChoice =
  | { readonly ok: true; readonly sandbox: Sandbox }
  /** `never`: the system has none, whatever is installed. */
  | { readonly ok: false; readonly reason: string; readonly advice: Advice; readonly never?: true }

export function chooseSandbox(on: Platform = platform): SandboxChoice {
  if (on.sandbox === 'bubblewrap') {
    const file = findProgram('bwrap', systemPath)
    if (file !== undefined) return { ok: true, sandbox: bubblewrap(file) }
    return {
      ok: false,
      reason: 'there is no sandbox: bubblewrap is not installed',
      advice: adviseAskingUser(
        'install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap) or run with --exec unsandboxed',
      ),
    }
  }
  if (on.sandbox === 'sandbox-exec') {
    const file = findProgram('sandbox-exec', ['/usr/bin'])
    if (file !== undefined) return { ok: true, sandbox: seatbelt(file) }
  }
  return {
    ok: false,
    reason: `there is no sandbox for ${on.name}`,
    advice: adviseAskingUser('run with --exec unsandboxed, or in a container on Linux'),
    never: on.sandbox === undefined ? true : undefined,
  }
}

/** macOS: a profile for sandbox-exec. There is no process namespace, so what is left over is found by its mark. */
export function seatbelt(file: string): Sandbox {
  return {
    name: 'sandbox-exec',
    file,
    wrap: (program, bounds) => ({
      file,
      args: ['-p', seatbeltProfile(bounds), program.file, ...program.args],
      cwd: program.cwd,
      env: program.env,
      scope: 'marked',
    }),
    failed: ({ exitCode, stderr }) =>
      exitCode === 71 && stderr.startsWith('sandbox-exec: ') ? stderr.trim() : undefined,
  }
}

/** Later rules win over earlier ones, so what is blocked comes last. */
export function seatbeltProfile(bounds: Bounds): string {
  const { root, readable, hidden, caches, fixed, blocked, absent, network } = bounds
  const layers = caches.flatMap(({ layer, writes }) => (writes === 'kept' ? [layer] : []))
  const below = (names: readonly string[]): string[] => names.map((name) => path.posix.join(root, name))
  const system = ['/usr', '/bin', '/sbin', '/System', '/Library', '/opt', '/private/var/db', '/private/etc/ssl', '/dev']
  const blockedPaths = [...hidden.map((one) => one.path), ...below(blocked.map(({ path: name }) => name))]
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-fork)',
    '(allow process-exec)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.logger"))',
    '(allow file-read-metadata)',
    rule('allow file-read*', [
      ...system,
      ...readable,
      ...caches.map(({ dir }) => dir),
      ...layers,
      root,
      '/private/tmp',
    ]),
    '(allow file-read* (literal "/") (literal "/private/etc/localtime") (literal "/private/etc/hosts"))',
    // /bin/sh reads from there which shell it is.
    '(allow file-read* (literal "/private/var/select") (literal "/private/var/select/sh"))',
    rule('allow file-write*', [root, ...layers, '/private/tmp']),
    '(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    rule('deny file-write*', below([...fixed, ...absent])),
    rule('deny file-read* file-write*', blockedPaths),
    rule('deny file-write-unlink', below(directoriesAbove(bounds)), 'literal'),
    network ? '(allow network*)\n(allow system-socket)' : '(deny network*)',
  ]
    .filter((line) => line !== '')
    .join('\n')
}

function rule(what: string, paths: readonly string[], how: 'subpath' | 'literal' = 'subpath'): string {
  return paths.length === 0 ? '' : `(${what} ${paths.map((file) => `(${how} ${profileQuoted(file)})`).join(' ')})`
}

const profileQuoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** Undefined when a sandbox with nothing special to keep comes up on this machine, else what it said. */
export async function whyNotStarting(sandbox: Sandbox, root: string): Promise<string | undefined> {
  const program = { file: '/usr/bin/true', args: [], cwd: '/', env: bareEnvironment }
  const none = { readable: [], hidden: [], caches: [], fixed: [], blocked: [], absent: [] }
  const limits = { memoryBytes: 2 ** 30, fileBytes: 2 ** 30, processes: 1000 }
  const wrapped = sandbox.wrap(program, { root, home: homeDir(), ...none, network: false, limits })
  const end = await runProcess({ ...wrapped, timeoutMs: 5000, outputBytes: 10_000 })
  return end.exitCode === 0 ? undefined : end.stderr.trim() || end.error || `exit ${end.exitCode}`
}

/** One of the things that contain a program, each by itself. */
export interface Layer {
  readonly name: string
  /** What it does here; undefined when this machine has none. */
  readonly active: string | undefined
  /** How to get it. */
  readonly advice: string
}

/** The layers of bubblewrap's sandbox on this machine. It comes up with all of them or not at all, but for the overlay. */
export async function layersOf(bwrap: string, root: string): Promise<readonly Layer[]> {
  const { filter, options, prlimit } = hostFacts(bwrap)
  const together = groupLimitsHere()
  const limited = (limit: keyof GroupLimits): string | undefined =>
    together.has(limit)
      ? 'for the whole tree, by a control group'
      : prlimit === undefined
        ? undefined
        : limit === 'tasks'
          ? 'for all processes of the user, by prlimit'
          : 'for each process separately, by prlimit'
  const getPrlimit = 'Install util-linux (prlimit) for limits on memory and processes.'
  return [
    {
      name: 'seccomp',
      active: filter === undefined ? undefined : 'system calls are filtered',
      advice: 'It needs a kernel with seccomp on x86_64 or aarch64.',
    },
    {
      name: 'userns',
      active: options.disableUserns
        ? 'no further user namespaces'
        : filter === undefined
          ? undefined
          : 'no further user namespaces, by the filter of system calls',
      advice: 'Install bubblewrap 0.8 or newer to block user namespaces inside.',
    },
    {
      name: 'tmpfs',
      active: options.size ? 'temporary directories have a size' : undefined,
      advice: 'Install bubblewrap 0.7 or newer to limit what temporary directories take.',
    },
    { name: 'memory', active: limited('memoryBytes'), advice: getPrlimit },
    { name: 'processes', active: limited('tasks'), advice: getPrlimit },
    {
      name: 'overlay',
      active: (await canLayer(root)) ? 'programs work on a layer over the project' : undefined,
      advice: 'Files are compared before and after instead. It needs Linux 5.11 or newer, unshare and mount.',
    },
  ]
}
