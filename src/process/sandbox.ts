import { type Advice, askUser } from '../core/problem.ts'
import type { Sandbox } from './bounds.ts'
import { bubblewrap } from './bubblewrap.ts'
import { findProgram, systemPath } from './programs.ts'
import { seatbelt } from './seatbelt.ts'
import { platform } from '../core/platform.ts'

export type SandboxChoice =
  | { readonly ok: true; readonly sandbox: Sandbox }
  /** `never`: the system has none, whatever is installed. */
  | { readonly ok: false; readonly reason: string; readonly advice: Advice; readonly never?: true }

export function chooseSandbox(system: NodeJS.Platform = platform.name): SandboxChoice {
  if (system === 'linux') {
    const file = findProgram('bwrap', systemPath)
    if (file !== undefined) return { ok: true, sandbox: bubblewrap(file) }
    return {
      ok: false,
      reason: 'there is no sandbox: bubblewrap is not installed',
      advice: askUser(
        'install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap) or run with --exec unsandboxed',
      ),
    }
  }
  if (system === 'darwin') {
    const file = findProgram('sandbox-exec', ['/usr/bin'])
    if (file !== undefined) return { ok: true, sandbox: seatbelt(file) }
  }
  return {
    ok: false,
    reason: `there is no sandbox for ${system}`,
    advice: askUser('run with --exec unsandboxed, or in a container on Linux'),
    ...(system === 'darwin' ? {} : { never: true as const }),
  }
}
