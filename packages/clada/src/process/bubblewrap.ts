import fs from 'node:fs'
import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { type Bounds, directoriesAbove, type Program, type ResourceLimits, type Sandbox } from './bounds.ts'
import { mountPointsBelow } from './mount-points.ts'
import { findProgram, realPathOr, systemPath } from './programs.ts'
import { seccompFilter } from './seccomp.ts'
import { systemDirs } from './sockets.ts'
import type { BlockedPath } from './blocked-index.ts'

/** Linux namespaces through bubblewrap: no network, no other processes, and a tree of files put together from nothing. */
export function bubblewrap(file: string): Sandbox {
  return {
    name: 'bubblewrap',
    file,
    wrap: (program, bounds) => ({
      file,
      args: bubblewrapArgs(program, bounds, hostFacts(file)),
      options: environmentOptions(program.env),
      cwd: '/',
      // The first process inside keeps the environment bwrap itself was started with, readable for everybody there.
      env: {},
      scope: 'namespace',
      filter: hostFacts(file).filter,
      memoryBytes: bounds.limits.memoryBytes,
    }),
    failed: ({ exitCode, stderr, status }) =>
      exitCode !== 0 && !status.includes('"child-pid"') && stderr.startsWith('bwrap: ') ? stderr.trim() : undefined,
  }
}

export interface HostFacts {
  readonly superuser: boolean
  readonly user: string
  readonly group: string
  /** What a name at the top of the disk is: a directory, a link with its target, or nothing. */
  readonly top: (name: string) => { readonly link?: string } | undefined
  readonly prlimit: string | undefined
  /** The target of a link, where it would not exist inside. */
  readonly real: (file: string) => string
  /** For system calls; undefined where the kernel has none, or this machine's numbers are not known. */
  readonly filter: Buffer | undefined
  /** What this bubblewrap understands. */
  readonly options: { readonly disableUserns: boolean; readonly size: boolean }
}

export function bubblewrapArgs(program: Program, bounds: Bounds, host: HostFacts): string[] {
  const args = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try']
  args.push('--hostname', 'sandbox', '--die-with-parent', '--new-session', '--json-status-fd', '3', '--block-fd', '4')
  if (!bounds.network) args.push('--unshare-net')
  // Without this the superuser inside could simply mount everything writable again.
  if (host.superuser || bounds.mounts !== undefined) args.push('--cap-drop', 'ALL')
  if (host.filter !== undefined) args.push('--seccomp', '5')
  if (host.options.disableUserns || bounds.mounts !== undefined) args.push('--unshare-user')
  if (host.options.disableUserns) args.push('--disable-userns')
  // The process that made the mounts is root in its namespace; programs keep their user.
  if (bounds.mounts !== undefined) args.push('--uid', host.user, '--gid', host.group)
  args.push(...system(bounds, host), ...bindings(bounds, host))
  // What is left of it is an empty tree in memory, of no use and without a size.
  args.push('--remount-ro', '/')
  args.push('--chdir', program.cwd, '--clearenv', '--args', '6')
  return [...args, '--', ...limitArgs(host.prlimit, bounds.limits), program.file, ...program.args]
}

/** Every user of the machine sees the arguments of a program in the list of processes, and a variable may be a password. */
export const environmentOptions = (env: Program['env']): Buffer =>
  Buffer.from(
    Object.entries(env)
      .flatMap(([name, value]) => ['--setenv', name, value])
      .map((word) => `${word}\0`)
      .join(''),
  )

function system(bounds: Bounds, host: HostFacts): string[] {
  const args = showArgs('--ro-bind', '/usr', bounds)
  for (const name of ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']) {
    const there = host.top(name)
    if (there?.link !== undefined) args.push('--symlink', there.link, `/${name}`)
    else if (there !== undefined) args.push('--ro-bind', `/${name}`, `/${name}`)
  }
  for (const dir of systemDirs)
    if (dir !== '/usr' && host.top(dir.slice(1)) !== undefined) args.push(...showArgs('--ro-bind', dir, bounds))
  args.push('--proc', '/proc', '--dev', '/dev', ...inMemory(host, '/dev/shm'), '--remount-ro', '/dev')
  for (const dir of ['/tmp', '/run', '/var/tmp']) args.push(...inMemory(host, dir))
  if (host.superuser) args.push(...kernelSettings(host))
  // Not the whole of it: /etc holds keys and passwords too.
  for (const name of etcNames.filter((one) => host.top(`etc/${one}`) !== undefined)) {
    args.push('--ro-bind', `/etc/${name}`, `/etc/${name}`)
  }
  return args
}

/** A directory that can be read, with what is mounted in it. */
function showArgs(bind: '--ro-bind' | '--ro-bind-try', dir: string, { mounts }: Bounds): string[] {
  const from = new Map(mounts?.shown)
  if (!from.has(dir)) return [bind, dir, dir]
  return [{ path: dir }, ...mountPointsBelow([dir])].flatMap(({ path: at }) => [bind, from.get(at) ?? at, at])
}

/** A directory that is gone afterwards. What is written there takes memory. */
const inMemory = ({ options }: HostFacts, dir: string): string[] =>
  options.size ? ['--size', String(inMemoryBytes), '--tmpfs', dir] : ['--tmpfs', dir]

/** Enough for what compilers and test runs leave there. */
const inMemoryBytes = 2 * 1024 ** 3

/**
 * The superuser owns the kernel's settings, and needs no special power to write what it owns: a core pattern written
 * inside would be run by the kernel, outside.
 */
function kernelSettings(host: HostFacts): string[] {
  const there = (names: readonly string[]): string[] =>
    names.map((name) => `proc/${name}`).filter((name) => host.top(name) !== undefined)
  return [
    ...there(['sys', 'bus', 'fs', 'irq', 'sysrq-trigger']).flatMap((name) => ['--ro-bind', `/${name}`, `/${name}`]),
    ...there(['kcore', 'kmsg', 'keys', 'mtrr', 'sched_debug']).flatMap((name) => [
      '--ro-bind',
      '/dev/null',
      `/${name}`,
    ]),
  ]
}

/** Each costs a mount, so only what programs do not start without, or show wrong times and names. */
const etcNames = [
  'passwd',
  'group',
  'nsswitch.conf',
  'hosts',
  'localtime',
  'ld.so.cache',
  'alternatives',
  'mime.types',
  'ssl/certs',
  'ssl/openssl.cnf',
  'pki/tls/certs',
  'pki/ca-trust',
  ...[8, 11, 17, 21, 25].map((version) => `java-${version}-openjdk`),
  // Without them Debian's Maven does not start. Its settings.xml may have passwords.
  'maven/m2.conf',
  'maven/logging',
]

function bindings(bounds: Bounds, host: HostFacts): string[] {
  const { root, readable, hidden, home, fixed, blocked, absent, network, mounts } = bounds
  const args: string[] = []
  if (network) args.push('--ro-bind-try', host.real('/etc/resolv.conf'), '/etc/resolv.conf')
  if (home !== root) args.push(...inMemory(host, home))
  for (const dir of [...readable].sort())
    if (!isInside(dir, '/usr')) args.push(...showArgs('--ro-bind-try', dir, bounds))
  for (const { path: at, type } of hidden) args.push(...maskArgs(at, type))
  const project = mounts?.root ?? root
  const caches = cacheBindings(bounds)
  for (const [dir, bind] of caches) if (!isInside(dir, root)) args.push(...bind)
  args.push('--bind', project, root)
  for (const [dir, bind] of caches) if (isInside(dir, root)) args.push(...bind)
  // What is mounted cannot be renamed.
  for (const name of mounts === undefined ? directoriesAbove(bounds) : [])
    args.push('--bind-try', path.join(root, name), path.join(root, name))
  for (const name of fixed) args.push('--ro-bind-try', path.join(project, name), path.join(root, name))
  for (const { path: name, type } of blocked) args.push(...maskArgs(path.join(root, name), type))
  for (const name of absent) args.push('--tmpfs', path.join(root, name), '--remount-ro', path.join(root, name))
  return args
}

/** Without overlays a cache that is kept is the project's own alone, and another cannot be written to. */
function cacheBindings({ caches, mounts }: Bounds): (readonly [dir: string, args: readonly string[]])[] {
  if (mounts !== undefined) return mounts.further.map(([dir, from]) => [dir, ['--bind', from, dir]] as const)
  return caches.map(({ dir, layer, writes }) => [
    dir,
    writes === 'kept' ? ['--bind', layer, dir] : ['--ro-bind-try', dir, dir],
  ])
}

const maskArgs = (at: string, type: BlockedPath['type']): string[] =>
  type === 'file' ? ['--ro-bind-try', '/dev/null', at] : ['--perms', '0000', '--tmpfs', at, '--remount-ro', at]

function limitArgs(prlimit: string | undefined, { memoryBytes, fileBytes, processes }: ResourceLimits): string[] {
  if (prlimit === undefined) return []
  // Data, not address space: engines reserve far more addresses than they ever use.
  return [prlimit, `--data=${memoryBytes}`, `--fsize=${fileBytes}`, `--nproc=${processes}`, '--core=0', '--']
}

const known = new Map<string, HostFacts>()

export function hostFacts(bwrap: string): HostFacts {
  const facts = known.get(bwrap) ?? readHostFacts(bwrap)
  known.set(bwrap, facts)
  return facts
}

function readHostFacts(bwrap: string): HostFacts {
  // To ask it would take longer than everything else together.
  const program = fs.readFileSync(bwrap)
  return {
    superuser: process.geteuid?.() === 0,
    user: String(process.geteuid?.() ?? 0),
    group: String(process.getegid?.() ?? 0),
    top: (name) => {
      const stat = fs.lstatSync(`/${name}`, { throwIfNoEntry: false })
      if (stat === undefined) return undefined
      return stat.isSymbolicLink() ? { link: fs.readlinkSync(`/${name}`) } : {}
    },
    prlimit: findProgram('prlimit', systemPath),
    real: realPathOr,
    filter: fs.existsSync('/proc/sys/kernel/seccomp') ? seccompFilter(process.arch) : undefined,
    options: { disableUserns: program.includes('--disable-userns'), size: program.includes('--size') },
  }
}
