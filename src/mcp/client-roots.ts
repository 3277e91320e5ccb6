import { fileURLToPath } from 'node:url'
import { isWithin } from '../policy/paths.ts'
import { canonical, type CladaOptions, settingsOf } from '../settings.ts'

/** Where actions may work: the options that say so, or why nowhere. */
export type Scope = { readonly options: CladaOptions } | { readonly refusal: string }

/**
 * What the user allows and the client allows too. The client can only narrow: where one of its roots lies inside ours,
 * that one is the root; where ours lies inside one of its, ours stays.
 */
export function narrowed(options: CladaOptions, uris: readonly string[]): Scope {
  // A client that names no roots has nothing open; it says nothing about what is allowed.
  if (uris.length === 0) return { options }
  const { root, allowedRoots, allowEscape } = settingsOf(options)
  const theirs = uris.flatMap(directoryOf)
  const common = [root, ...allowedRoots].flatMap((own) => theirs.flatMap((their) => smaller(own, their)))
  const [first, ...rest] = new Set([...common, ...(allowEscape ? theirs : [])])
  if (first !== undefined) return { options: { ...options, repoPath: first, allowedRoots: rest, allowEscape: false } }
  return {
    refusal: `the roots of the client (${uris.join(', ')}) and the root of this server (${root}) have nothing in common`,
  }
}

function directoryOf(uri: string): string[] {
  try {
    return [canonical(fileURLToPath(uri))]
  } catch {
    // Not a file, or not on this machine: nothing that could be shared.
    return []
  }
}

function smaller(own: string, their: string): string[] {
  if (isWithin(own, their)) return [own]
  return isWithin(their, own) ? [their] : []
}

/** The roots of the client, asked for once and again whenever they have changed. */
export class ClientRoots {
  readonly #options: CladaOptions
  readonly #ask: () => Promise<readonly string[]>
  #scope: Promise<Scope> | undefined

  /** `ask` answers with URIs; none where the client has no roots. */
  constructor(options: CladaOptions, ask: () => Promise<readonly string[]>) {
    this.#options = options
    this.#ask = ask
  }

  scope(): Promise<Scope> {
    return (this.#scope ??= this.#asked().catch((error: unknown) => {
      // The next call asks again.
      this.#scope = undefined
      const reason = error instanceof Error ? error.message : String(error)
      return { refusal: `the roots of the client cannot be followed: ${reason}` }
    }))
  }

  /** Forgets what was known. */
  changed(): void {
    this.#scope = undefined
  }

  async #asked(): Promise<Scope> {
    return narrowed(this.#options, await this.#ask())
  }
}
