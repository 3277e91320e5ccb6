import type { Offline } from '../core/problem.ts'

/** What to do for a program that failed because the network was closed to it: who can open it, and how. */
export function offlineAdvice(offline: Offline): string {
  const missed = 'The network is closed to it, and it seems to need it.'
  switch (offline.for) {
    case 'command':
      return `${missed} The user can open it with: ${approveLine({ ...offline, network: true })}.`
    case 'code':
      return `${missed} Code never has the network; use run with a command for which the user has said clada approve --network.`
    case 'hook':
      return `${missed} network: true in this hook opens it.`
  }
}

/** The line by which a user approves a command, in whatever directory it is typed. */
export function approveLine({ command, network, root }: { command: string; network: boolean; root?: string }): string {
  const where = root === undefined ? '' : ` --root ${shellQuoted(root)}`
  return `clada approve${network ? ' --network' : ''} ${shellQuoted(command)}${where}`
}

/** So that the line can be copied into a shell and means the same there. */
const shellQuoted = (text: string): string =>
  /["$`\\!\p{C}]/u.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`
