import { describe, expect, it } from 'vitest'
import type { Bounds } from '../../packages/clada/src/process/bounds.ts'
import { platformOf } from '../../packages/clada/src/core/platform.ts'
import { bubblewrapArgs, environmentOptions } from '../../packages/clada/src/process/bubblewrap.ts'
import { chooseSandbox, seatbeltProfile } from '../../packages/clada/src/process/sandbox.ts'

const bounds: Bounds = {
  root: '/home/u/proj',
  home: '/home/u',
  readable: ['/home/u/.pyenv', '/srv/lib'],
  hidden: [{ path: '/srv/lib/.env', type: 'file' }],
  caches: [],
  fixed: ['.git'],
  blocked: [
    { path: '.env', type: 'file' },
    { path: '.ssh', type: 'directory' },
  ],
  absent: ['.clada'],
  network: false,
  limits: { memoryBytes: 1000, fileBytes: 2000, processes: 30 },
}
const program = { file: '/usr/bin/python3', args: ['-c', 'x'], cwd: '/home/u/proj/src', env: { A: '1' } }
const top = (name: string): { link?: string } | undefined => ({ bin: { link: 'usr/bin' }, 'proc/sys': {} })[name]
const host = {
  superuser: false,
  user: '1000',
  group: '1000',
  top,
  prlimit: '/usr/bin/prlimit',
  real: (file: string) => file,
  filter: Buffer.alloc(8),
  options: { disableUserns: true, size: true },
}

const argsOf = (more: Partial<Bounds> = {}, facts: Partial<typeof host> = {}): string =>
  bubblewrapArgs(program, { ...bounds, ...more }, { ...host, ...facts }).join(' ')

describe.skipIf(process.platform === 'win32')('bubblewrap', () => {
  it('is given everything, in an order in which later mounts lie over earlier ones', () => {
    const args = argsOf()
    const order = [
      '--unshare-pid',
      '--die-with-parent --new-session',
      '--unshare-net',
      '--seccomp 5 --unshare-user --disable-userns',
      '--ro-bind /usr /usr',
      '--symlink usr/bin /bin',
      '--proc /proc',
      '--dev /dev --size 2147483648 --tmpfs /dev/shm --remount-ro /dev',
      '--size 2147483648 --tmpfs /tmp --size 2147483648 --tmpfs /run',
      '--size 2147483648 --tmpfs /home/u ',
      '--ro-bind-try /home/u/.pyenv /home/u/.pyenv',
      '--ro-bind-try /srv/lib /srv/lib',
      '--ro-bind-try /dev/null /srv/lib/.env',
      '--bind /home/u/proj /home/u/proj',
      '--ro-bind-try /home/u/proj/.git /home/u/proj/.git',
      '--ro-bind-try /dev/null /home/u/proj/.env',
      '--tmpfs /home/u/proj/.ssh --remount-ro /home/u/proj/.ssh',
      '--tmpfs /home/u/proj/.clada --remount-ro /home/u/proj/.clada',
      '--remount-ro / ',
      '--chdir /home/u/proj/src --clearenv --args 6 --',
      '/usr/bin/prlimit --data=1000 --fsize=2000 --nproc=30',
      '/usr/bin/python3 -c x',
    ]
    const places = order.map((part) => args.indexOf(part))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(args).not.toContain('--cap-drop')
    expect(args).not.toContain('shadow')
  })

  it('keeps variables out of the list of processes, where other users see them', () => {
    const secret = { ...program, env: { PASSWORD: 'a b', EMPTY: '' } }
    expect(bubblewrapArgs(secret, bounds, host).join(' ')).not.toMatch(/PASSWORD|a b/)
    expect(environmentOptions(secret.env).toString()).toBe('--setenv\0PASSWORD\0a b\0--setenv\0EMPTY\0\0')
  })

  it('takes the powers of the superuser away', () => {
    const args = argsOf({}, { superuser: true })
    expect(args).toContain('--cap-drop ALL')
    expect(args).toContain('--ro-bind /proc/sys /proc/sys')
  })

  it('shows what programs of the system link to in /etc, without settings that may have passwords', () => {
    const names = ['etc/maven', 'etc/maven/m2.conf', 'etc/maven/settings.xml', 'etc/java-25-openjdk', 'etc/shadow']
    const args = argsOf({}, { top: (name) => (names.includes(name) ? {} : undefined) })
    expect(args.match(/--ro-bind \/etc\S+/g)).toEqual([
      '--ro-bind /etc/java-25-openjdk',
      '--ro-bind /etc/maven/m2.conf',
    ])
  })

  it('opens the network only when told', () => {
    expect(argsOf({ network: true })).not.toContain('--unshare-net')
    expect(argsOf({ network: true })).toContain('/etc/resolv.conf')
    expect(argsOf()).not.toContain('/etc/resolv.conf')
  })

  it('lets no program write to a cache of the user', () => {
    const caches = [
      { dir: '/home/u/.npm', layer: '/s/npm', writes: 'kept' },
      { dir: '/home/u/.cache/pip', layer: '/s/pip', writes: 'discarded' },
    ] as const
    expect(argsOf({ caches })).toContain(
      '--bind /s/npm /home/u/.npm --ro-bind-try /home/u/.cache/pip /home/u/.cache/pip',
    )
    const mounts = { root: '/m/merged', shown: [], further: [['/home/u/.npm', '/m/merged0']] } as const
    expect(argsOf({ caches, mounts })).toMatch(
      /--bind \/m\/merged0 \/home\/u\/\.npm .*--bind \/m\/merged \/home\/u\/proj/,
    )
    expect(argsOf({ caches, mounts })).not.toContain('--bind /home/u/.npm')
    // A project that holds them is mounted first.
    expect(argsOf({ caches, mounts, root: '/home/u' })).toMatch(/--bind \/m\/merged \/home\/u .*--bind \/m\/merged0/)
  })

  it('shows directories from where they are layered, so that nothing in them leads outside', () => {
    const shown = [
      ['/usr', '/m/shown0'],
      ['/home/u/.pyenv', '/m/shown1'],
    ] as const
    const args = argsOf({ mounts: { root: '/m/merged', shown, further: [] } })
    expect(args).toContain('--ro-bind /m/shown0 /usr ')
    expect(args).toContain('--ro-bind-try /m/shown1 /home/u/.pyenv ')
    expect(args).toContain('--ro-bind-try /srv/lib /srv/lib ')
    expect(args).not.toContain('--ro-bind /usr /usr')
  })

  it('holds each directory above what is kept, once, before what is kept in it', () => {
    const args = argsOf({ fixed: ['libs/a/.git', 'libs/b/.git'], blocked: [{ path: 'libs/a/x/.env', type: 'file' }] })
    const held = [...args.matchAll(/--bind-try (\S+)/g)].map(([, dir]) => dir)
    expect(held).toEqual(['libs', 'libs/a', 'libs/a/x', 'libs/b'].map((dir) => `/home/u/proj/${dir}`))
    expect(args.indexOf('--bind-try')).toBeGreaterThan(args.indexOf('--bind /home/u/proj '))
    expect(args.lastIndexOf('--bind-try /')).toBeLessThan(args.indexOf('--ro-bind-try /home/u/proj/libs'))
  })

  it('does without what the kernel or an older bubblewrap does not have', () => {
    const options = { disableUserns: false, size: false }
    const args = bubblewrapArgs(program, bounds, { ...host, filter: undefined, options })
    expect(args).not.toContain('--seccomp')
    expect(args).not.toContain('--disable-userns')
    expect(args).not.toContain('--size')
    expect(args).toContain('/dev/shm')
  })

  it('does without prlimit', () => {
    const bare = bubblewrapArgs(program, bounds, { ...host, prlimit: undefined })
    expect(bare.slice(-4)).toEqual(['--', '/usr/bin/python3', '-c', 'x'])
  })
})

describe('sandbox-exec', () => {
  const profile = seatbeltProfile({ ...bounds, root: '/Users/u/a "b"' })

  it('begins with nothing and ends with what is closed', () => {
    expect(profile).toMatchInlineSnapshot(`
      "(version 1)
      (deny default)
      (allow process-fork)
      (allow process-exec)
      (allow signal (target same-sandbox))
      (allow sysctl-read)
      (allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.logger"))
      (allow file-read-metadata)
      (allow file-read* (subpath "/usr") (subpath "/bin") (subpath "/sbin") (subpath "/System") (subpath "/Library") (subpath "/opt") (subpath "/private/var/db") (subpath "/private/etc/ssl") (subpath "/dev") (subpath "/home/u/.pyenv") (subpath "/srv/lib") (subpath "/Users/u/a \\"b\\"") (subpath "/private/tmp"))
      (allow file-read* (literal "/") (literal "/private/etc/localtime") (literal "/private/etc/hosts"))
      (allow file-read* (literal "/private/var/select") (literal "/private/var/select/sh"))
      (allow file-write* (subpath "/Users/u/a \\"b\\"") (subpath "/private/tmp"))
      (allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
      (deny file-write* (subpath "/Users/u/a \\"b\\"/.git") (subpath "/Users/u/a \\"b\\"/.clada"))
      (deny file-read* file-write* (subpath "/srv/lib/.env") (subpath "/Users/u/a \\"b\\"/.env") (subpath "/Users/u/a \\"b\\"/.ssh"))
      (deny network*)"
    `)
  })

  it('lets no program write to a cache of the user', () => {
    const text = seatbeltProfile({
      ...bounds,
      caches: [
        { dir: '/Users/u/.npm', layer: '/s/npm', writes: 'kept' },
        { dir: '/Users/u/Library/Caches/pip', layer: '/s/pip', writes: 'discarded' },
      ],
    })
    expect(text).toContain('(allow file-write* (subpath "/home/u/proj") (subpath "/s/npm") (subpath "/private/tmp"))')
    expect(text).toMatch(/allow file-read\*.*"\/Users\/u\/.npm".*"\/Users\/u\/Library\/Caches\/pip".*"\/s\/npm"/)
  })

  it('lets no directory above what is kept be renamed', () => {
    expect(seatbeltProfile({ ...bounds, fixed: ['libs/a/.git'] })).toContain(
      '(deny file-write-unlink (literal "/home/u/proj/libs") (literal "/home/u/proj/libs/a"))',
    )
  })

  it('opens the network only when told', () => {
    expect(seatbeltProfile({ ...bounds, network: true })).toContain('(allow network*)')
  })
})

describe('the choice', () => {
  it('says what to do where there is none', () => {
    expect(chooseSandbox(platformOf('win32'))).toMatchObject({
      ok: false,
      advice: { model: expect.stringContaining('--exec unsandboxed') },
    })
  })
})
