import path from 'node:path'
import { type Bounds, directoriesAbove, type Sandbox } from './bounds.ts'

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
      family: 'marked',
    }),
    failed: ({ exitCode, stderr }) =>
      exitCode === 71 && stderr.startsWith('sandbox-exec: ') ? stderr.trim() : undefined,
  }
}

/** Later rules win over earlier ones, so what is closed comes last. */
export function seatbeltProfile(bounds: Bounds): string {
  const { root, readable, hidden, caches, discarded, fixed, closed, absent, network } = bounds
  const below = (names: readonly string[]): string[] => names.map((name) => path.posix.join(root, name))
  const system = ['/usr', '/bin', '/sbin', '/System', '/Library', '/opt', '/private/var/db', '/private/etc/ssl', '/dev']
  const closedPaths = [...hidden.map((one) => one.path), ...below(closed.map(({ path: name }) => name))]
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-fork)',
    '(allow process-exec)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.logger"))',
    '(allow file-read-metadata)',
    rule('allow file-read*', [...system, ...readable, ...caches, ...discarded, root, '/private/tmp']),
    '(allow file-read* (literal "/") (literal "/private/etc/localtime") (literal "/private/etc/hosts"))',
    // /bin/sh reads from there which shell it is.
    '(allow file-read* (literal "/private/var/select") (literal "/private/var/select/sh"))',
    rule('allow file-write*', [root, ...caches, '/private/tmp']),
    '(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    rule('deny file-write*', below([...fixed, ...absent])),
    rule('deny file-read* file-write*', closedPaths),
    rule('deny file-write-unlink', below(directoriesAbove(bounds)), 'literal'),
    network ? '(allow network*)\n(allow system-socket)' : '(deny network*)',
  ]
    .filter((line) => line !== '')
    .join('\n')
}

function rule(what: string, paths: readonly string[], how: 'subpath' | 'literal' = 'subpath'): string {
  return paths.length === 0 ? '' : `(${what} ${paths.map((file) => `(${how} ${quoted(file)})`).join(' ')})`
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
