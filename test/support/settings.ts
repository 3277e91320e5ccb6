import path from 'node:path'
import { registry } from '../../packages/clada/src/actions/registry.ts'
import { defaultLimits, type Settings } from '../../packages/clada/src/core/settings.ts'
import { defaultDeniedPatterns } from '../../packages/clada/src/policy/secret-files.ts'

/** A project as it is without a word of its user. */
export const settingsFor = (root: string): Settings => ({
  root: path.resolve(root),
  allowedRoots: [],
  deniedPatterns: defaultDeniedPatterns,
  reserved: () => [],
  userPlaces: [],
  registry,
  allowedActions: null,
  relativePaths: false,
  symlinks: 'refuse',
  allowEscape: false,
  limits: defaultLimits,
})
