import type { Contained } from './contained.ts'
import type { Containment } from './bounds.ts'

/** What programs say when there is no network, by who says it. Each is looked for in any case of letters. */
const saidWithoutNetwork: Readonly<Record<string, RegExp>> = {
  'the C library': /temporary failure in name resolution|name or service not known|nodename nor servname provided/,
  'musl and busybox': /bad address '|try again \(host not found\)/,
  'curl, git, PHP': /could ?n[o']t resolve (?:host|proxy)/,
  'wget, ssh': /unable to resolve host|could not resolve hostname/,
  apt: /temporary failure resolving/,
  'Node.js': /\beai_again\b|\bgetaddrinfo enotfound\b|\benetunreach\b|\bconnect (?:eperm|econnrefused|ehostunreach)\b/,
  'Python, Ruby': /nameresolutionerror|failed to (?:resolve|establish a new connection)|failed to open tcp connection/,
  Go: /dial tcp.*(?:no such host|server misbehaving|network is unreachable|connection refused)/,
  Rust: /failed to lookup address information|dns error/,
  'Java and similar': /unknownhostexception|java\.net\.(?:connect|noroutetohost)exception/,
  'the system': /network is unreachable|no route to host|connection refused/,
}

const anyOfThem = new RegExp(
  Object.values(saidWithoutNetwork)
    .map(({ source }) => `(?:${source})`)
    .join('|'),
  'i',
)

/** What a program failed about is among the last things that it said. */
const lookedAt = 64 * 1024

/** Whether a program that was kept from the network failed, and seems to have failed for that. */
export function seemsToMissNetwork({ network }: Pick<Containment, 'network'>, done: Contained): boolean {
  if (network || !done.ok || !done.contained) return false
  const { ended, exitCode, output } = done.end
  if (ended === 'stopped' || (ended === 'itself' && exitCode === 0)) return false
  return anyOfThem.test(output.slice(-lookedAt))
}
