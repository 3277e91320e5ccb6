import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { narrowTo } from '../config/narrow-to-roots.ts'
import { canonical, type CladaOptions, settingsOf } from '../config/settings.ts'
import type { ReportOptions } from '../report/parts.ts'
import { messageOf } from '../core/errors.ts'
import { homeDir } from '../core/platform.ts'

/** The project of a client, with what applies there. */
export interface ClientProject {
  readonly options: CladaOptions
  readonly rules: readonly string[]
  /** Values of config files that are ignored: every answer contains them, because they are shown nowhere else. */
  readonly warnings: readonly string[]
  readonly report: ReportOptions
}

/** Where the user lets clients work. */
export type AllowedPlace =
  /** Within one project; the roots of the client can only narrow it. */
  | { readonly within: ClientProject }
  /** Where the client says; `project` is what applies at a root, or in the working directory. */
  | { readonly anywhere: (root?: string) => Promise<ClientProject> }

/** Where actions may work, or why nowhere. */
export type ClientScope = { readonly project: ClientProject } | { readonly refusal: string }

type NarrowedOptions = { readonly options: CladaOptions } | { readonly refusal: string }

/**
 * What the user allows and the client allows too. The client can only narrow: where one of its roots is inside ours,
 * that one is the root; where ours is inside one of its, ours stays.
 */
export function narrowToRoots(options: CladaOptions, uris: readonly string[]): NarrowedOptions {
  // A client that names no roots has nothing open; it says nothing about what is allowed.
  if (uris.length === 0) return { options }
  const narrowed = narrowTo(options, uris.flatMap(directoryOfUri))
  if (narrowed !== undefined) return { options: narrowed }
  const { root } = settingsOf(options)
  return {
    refusal: `the roots of the client (${uris.join(', ')}) and the root of this server (${root}) have nothing in common`,
  }
}

function directoryOfUri(uri: string): string[] {
  try {
    return [canonical(fileURLToPath(uri))]
  } catch {
    // Not a file, or not on this machine: nothing that could be shared.
    return []
  }
}

/**
 * The roots of the client as the project: the first is its root, the others are allowed too. A client is not a person at
 * a prompt, so the home directory and the root of the file system count only where the user names them with --root.
 */
async function projectAt(
  uris: readonly string[],
  anywhere: (root?: string) => Promise<ClientProject>,
): Promise<ClientScope> {
  if (uris.length === 0) return { project: await anywhere() }
  const theirs = [...new Set(uris.flatMap(directoryOfUri))]
  const home = canonical(homeDir())
  const [first, ...rest] = theirs.filter((dir) => dir !== home && dir !== path.parse(dir).root)
  if (first === undefined)
    return { refusal: `no root of the client (${uris.join(', ')}) is a directory of a project on this machine` }
  const project = await anywhere(first)
  const allowedRoots = [...(project.options.allowedRoots ?? []), ...rest]
  return { project: { ...project, options: { ...project.options, repoPath: first, allowedRoots } } }
}

/** The roots of the client, asked for once and again whenever they have changed. */
export class ClientRoots {
  readonly #place: AllowedPlace
  readonly #ask: () => Promise<readonly string[]>
  #scope: Promise<ClientScope> | undefined

  /** `ask` answers with URIs; none where the client has no roots. */
  constructor(place: AllowedPlace, ask: () => Promise<readonly string[]>) {
    this.#place = place
    this.#ask = ask
  }

  scope(): Promise<ClientScope> {
    return (this.#scope ??= this.#asked().catch((error: unknown) => {
      // The next call asks again.
      this.#scope = undefined
      const reason = messageOf(error)
      return { refusal: `the roots of the client cannot be used: ${reason}` }
    }))
  }

  changed(): void {
    this.#scope = undefined
  }

  async #asked(): Promise<ClientScope> {
    const uris = await this.#ask()
    if ('anywhere' in this.#place) return projectAt(uris, this.#place.anywhere)
    const { within } = this.#place
    const found = narrowToRoots(within.options, uris)
    return 'refusal' in found ? found : { project: { ...within, options: found.options } }
  }
}
