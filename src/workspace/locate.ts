import fs from 'node:fs'
import path from 'node:path'
import type { Access, PathDecision, PathJudge, Writer } from '../core/effects.ts'
import type { PathArg } from '../core/files.ts'
import { Stop } from '../core/problem.ts'
import { type Location, linkStop } from './walk.ts'
import { platform } from '../core/platform.ts'

/** Turns a path from a block into a location, or stops. Asked at every use, because what was fine a moment ago may be a link now. */
export class Locator {
  readonly #judge: PathJudge
  readonly #symlinks: 'refuse' | 'inside'

  constructor(judge: PathJudge, symlinks: 'refuse' | 'inside') {
    this.#judge = judge
    this.#symlinks = symlinks
  }

  locate(arg: PathArg, access: Access): Location {
    const judged = this.#location(arg, longPath(arg.absolute), access)
    if (this.#symlinks === 'refuse') return judged
    // Following links is allowed as long as they lead to where the path itself would have been allowed.
    const real = realPath(judged.absolute)
    return real === judged.absolute ? judged : this.#location(arg, real, access)
  }

  /** The place of something that a program wrote, or why it may not stay. */
  written(absolute: string, by: Writer): Location | { readonly reason: string } {
    const decision = this.#judge.written(absolute, by)
    if (decision.verdict === 'deny') return { reason: decision.reason }
    const { root, parts } = decision
    return { root, parts, absolute: path.join(root, ...parts), given: absolute }
  }

  /** Whether the content of a file is closed, by its path. */
  closed(absolute: string): boolean {
    return this.#judge.closed(absolute)
  }

  #location(arg: PathArg, absolute: string, access: Access): Location {
    const decision = this.#judge.path(arg.given, absolute, access)
    if (decision.verdict === 'deny') throw refused(arg, decision)
    const { root, parts } = decision
    return { root, parts, absolute: path.join(root, ...parts), given: arg.given }
  }
}

function refused(arg: PathArg, { rule, reason, advice }: PathDecision & { verdict: 'deny' }): Stop {
  return new Stop({ kind: 'path', rule, path: arg.given, reason, ...(advice === undefined ? {} : { advice }) })
}

/**
 * The path with the names that its directories list: Windows opens a file by its short name and in any case as well, and
 * the policy judges names. Links are left for the walk to refuse.
 */
function longPath(absolute: string): string {
  if (!platform.ignoresCase) return absolute
  const { root } = path.parse(absolute)
  const parts = absolute.slice(root.length).split(path.sep)
  let at = root.replace(/^[a-z]:/, (drive) => drive.toUpperCase())
  for (const [nth, part] of parts.entries()) {
    const next = path.join(at, part)
    try {
      if (fs.lstatSync(next).isSymbolicLink()) return path.join(at, ...parts.slice(nth))
      at = fs.realpathSync.native(next)
    } catch {
      return path.join(at, ...parts.slice(nth))
    }
  }
  return at
}

/** The path without links; what does not exist yet is taken as it is. */
function realPath(absolute: string): string {
  const missing: string[] = []
  for (let at = absolute; ; at = path.dirname(at)) {
    try {
      return path.join(fs.realpathSync.native(at), ...missing)
    } catch {
      // A dangling link must not pass for a free name: writing to it would create the file it points to.
      if (fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return absolute
      missing.unshift(path.basename(at))
      if (at === path.dirname(at)) return absolute
    }
  }
}

/**
 * A file with several names may be a closed file under an open one, and nothing about it tells. So its content
 * stays closed, except where package managers link from their store.
 */
export function refuseHardLink(at: Location, { links }: { links: number }): void {
  if (links < 2 || at.parts.includes('node_modules')) return
  throw new Stop({
    kind: 'path',
    rule: 'path_denied',
    path: at.given,
    reason: `the file has ${links} names (hard links), so its content may be that of a blocked file`,
    advice: 'Copy it to a new file, or read it under its other name.',
  })
}

/** Moving a link moves no content, but one that leads out of the roots is not to be spread either. */
export function assertLinkStaysInside(at: Location, locator: Locator): void {
  const target = path.resolve(path.dirname(at.absolute), fs.readlinkSync(at.absolute))
  try {
    locator.locate({ given: at.given, absolute: target }, 'read')
  } catch {
    throw linkStop(at, at.absolute)
  }
}
