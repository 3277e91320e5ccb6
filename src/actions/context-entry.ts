import nodePath from 'node:path'
import type { ActionContext } from '../core/action.ts'
import type { PathArg } from '../core/files.ts'
import { slashed } from '../core/paths.ts'
import { Stop } from '../core/problem.ts'
import { narrowed, onlyMatch, readNarrowed } from './narrow.ts'

/** Something of the working set as it is now. Sizes are bytes of text. */
export interface Measured {
  /** As the working set spells it. */
  readonly path: string
  readonly size: number
}

/** Reads what a path names, a file or one structure of it; stops like any other read where that may not be. */
export async function measure(context: ActionContext, path: PathArg): Promise<Measured> {
  const inside = await narrowed(context, path)
  if (inside === undefined) {
    const { text } = await context.files.read(path)
    return { path: path.absolute, size: Buffer.byteLength(text) }
  }
  const found = await readNarrowed(context, inside)
  if (!found.ok) throw new Stop(found.problem)
  const spelled = [inside.path.absolute, ...inside.target.split('\n')].join('@@')
  return { path: spelled, size: Buffer.byteLength(onlyMatch(found.data)?.text ?? '') }
}

/** What a path may be called in the working set, whether or not anything is there. */
export function spellingsOf({ given, absolute, base = '/' }: PathArg): string[] {
  const [file = '', ...levels] = given.split('@@')
  return [absolute, [nodePath.resolve(base, file), ...levels.map((level) => level.trim())].join('@@')]
}

/** An entry as an action takes a path. */
export const argOf = (path: string): PathArg => ({ given: slashed(path), absolute: path })
