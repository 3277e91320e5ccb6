import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isInside } from '../core/paths.ts'
import { defaultDeniedPatterns } from '../core/settings.ts'
import { anchored } from '../policy/anchored.ts'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { canonical, type CladaOptions, settingsOf } from '../config/settings.ts'

/** Where actions may work: the options that say so, or why nowhere. */
export type Scope = { readonly options: CladaOptions } | { readonly refusal: string }

/**
 * What the user allows and the client allows too. The client can only narrow: where one of its roots is inside ours,
 * that one is the root; where ours is inside one of its, ours stays.
 */
export function narrowed(options: CladaOptions, uris: readonly string[]): Scope {
  // A client that names no roots has nothing open; it says nothing about what is allowed.
  if (uris.length === 0) return { options }
  const settings = settingsOf(options)
  const { root, allowedRoots, allowEscape } = settings
  const ours = [root, ...allowedRoots]
  const judge = makePathJudge(pathPolicyOf(settings))
  // What is closed by a name on its way must not be opened by beginning below that name.
  const isOpen = (dir: string): boolean =>
    ours.includes(dir) || judge.path(path.relative(root, dir), dir, 'write').verdict === 'allow'
  const theirs = uris.flatMap(directoryOf)
  const common = ours.flatMap((own) => theirs.flatMap((their) => smaller(own, their)))
  const [first, ...rest] = new Set([...common, ...(allowEscape ? theirs : [])].filter(isOpen))
  if (first !== undefined) {
    const bases = allowEscape ? [...ours, path.parse(root).root] : ours
    const deniedPatterns = anchored(options.deniedPatterns ?? defaultDeniedPatterns, bases)
    return { options: { ...options, repoPath: first, allowedRoots: rest, allowEscape: false, deniedPatterns } }
  }
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
  if (isInside(own, their)) return [own]
  return isInside(their, own) ? [their] : []
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
