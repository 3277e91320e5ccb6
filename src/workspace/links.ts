import fs from 'node:fs'
import path from 'node:path'
import { Stop } from '../core/problem.ts'
import type { Locator } from './locate.ts'
import type { Location } from './location.ts'
import { linkStop } from './walk.ts'

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
    reason: `the file has ${links} names (hard links), so its content may belong to a file that is closed`,
    advice: 'Copy it to a name of its own, or read it under that name.',
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
