import type { Offline } from '../core/problem.ts'

/** What to do for a program that failed because the network was closed to it: who can open it, and how. */
export function offlineAdvice(offline: Offline): string {
  const missed = 'The network is closed to it, and it seems to need it.'
  switch (offline.for) {
    case 'command':
      return `${missed} The user can open it with: clada approve --network ${shellQuoted(offline.command)}.`
    case 'code':
      return `${missed} Code never has the network; use run with a command for which the user has said clada approve --network.`
    case 'hook':
      return `${missed} network: true in this hook opens it.`
  }
}

/** So that the line can be copied into a shell and means the same there. */
export const shellQuoted = (text: string): string =>
  /["$`\\!\p{C}]/u.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`
