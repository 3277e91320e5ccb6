import fs from 'node:fs'
import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { platform } from '../core/platform.ts'
import { rootName } from '../state/user-state.ts'
import type { Cache } from './bounds.ts'
import { leadsToDirectory, placeFor } from './overlay.ts'
import { cacheHomes } from './runtimes.ts'

/**
 * What tools keep in the home directory between runs, as a program finds it. The user's own caches are never written to:
 * an install that could poison them would decide what the user's next `npx` runs, outside any sandbox. What a command with
 * network fetches goes to a layer of this project (`kept`); what others write there is thrown away.
 */
export function cachesFor(
  root: string,
  home: string,
  writes: Cache['writes'],
  readable: readonly string[],
): readonly Cache[] {
  const place = placeFor(root)
  if (place === undefined) return []
  const layers = path.join(place, `caches-${rootName(root).slice(0, 16)}`)
  const all = cacheHomes
    .filter((name) => platform.library || !name.startsWith('Library/'))
    .map((name): Cache => ({
      dir: path.join(home, name),
      layer: path.join(layers, name.replaceAll('/', '%')),
      writes,
    }))
  if (writes === 'discarded') return all.filter(({ dir, layer }) => leadsToDirectory(dir) || leadsToDirectory(layer))
  // One that is not there yet cannot be put into a directory that is shown read-only.
  const kept = all.filter(({ dir }) => leadsToDirectory(dir) || !readable.some((one) => isInside(dir, one)))
  for (const { layer } of kept) fs.mkdirSync(layer, { recursive: true, mode: 0o700 })
  return kept
}

/** Removes the layers that stayed empty: few commands use more than one cache. */
export function dropEmptyLayers(caches: readonly Cache[]): void {
  for (const { layer, writes } of caches) {
    if (writes !== 'kept') continue
    try {
      fs.rmdirSync(layer)
    } catch {
      // Something was fetched.
    }
  }
}

/** Where nothing can be put in the place of a directory, tools are told by variables to use the layers. */
export function cacheVariables(caches: readonly Cache[]): Record<string, string> {
  const kept = caches.filter(({ writes }) => writes === 'kept')
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, variable]) => {
      const found = kept.find(({ dir }) => dir.endsWith(`${path.sep}${name.replaceAll('/', path.sep)}`))
      return found === undefined ? [] : [[variable, found.layer]]
    }),
  )
}

const variables: Readonly<Record<string, string>> = {
  '.npm': 'npm_config_cache',
  '.cache/yarn': 'YARN_CACHE_FOLDER',
  '.cache/pip': 'PIP_CACHE_DIR',
  '.cache/uv': 'UV_CACHE_DIR',
  '.cache/pypoetry': 'POETRY_CACHE_DIR',
  '.cache/go-build': 'GOCACHE',
  '.cache/deno': 'DENO_DIR',
  '.cache/composer': 'COMPOSER_CACHE_DIR',
  '.cache/pre-commit': 'PRE_COMMIT_HOME',
}
