import type { Clada } from '../api/clada.ts'
import type { CladaOptions } from '../config/settings.ts'

/** What the page works on. */
export interface Project {
  readonly root: string
  readonly options: CladaOptions
  readonly clada: Clada
  /** What its people want of a model, a sentence each. */
  readonly rules: readonly string[]
}

/** A path as people name it: relative to the root, if it is inside. */
export const below = (root: string, target: string): string =>
  target.startsWith(`${root}/`) ? target.slice(root.length + 1) : target
