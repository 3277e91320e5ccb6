import type { PlanBlock } from '../../../clada/src/ui/protocol.ts'

/** One row of the map: which lines run through it, and which of them the block is on. */
export interface MapRow {
  readonly key: number
  readonly lanes: readonly {
    readonly lane: number
    readonly from: boolean
    readonly to: boolean
    readonly on: boolean
  }[]
  /** Earlier blocks that changed the same files. */
  readonly after: readonly { readonly key: number; readonly path: string }[]
}

/** A file that several blocks change is a line from the first of them to the last. */
export function makeMap(blocks: readonly Pick<PlanBlock, 'key' | 'files'>[]): MapRow[] {
  const uses = new Map<string, number[]>()
  for (const { key, files } of blocks) {
    for (const path of pathsOfFiles(files)) uses.set(path, [...(uses.get(path) ?? []), key])
  }
  const open: (string | undefined)[] = []
  return blocks.map(({ key, files }) => {
    const paths = pathsOfFiles(files)
    for (const path of paths) {
      const all = uses.get(path) ?? []
      if (all.length < 2 || all[0] !== key) continue
      const free = open.indexOf(undefined)
      open[free === -1 ? open.length : free] = path
    }
    const lanes = open.flatMap((path, lane) => {
      if (path === undefined) return []
      const all = uses.get(path) ?? []
      return [{ lane, from: all[0] !== key, to: all.at(-1) !== key, on: paths.includes(path) }]
    })
    const after = paths.flatMap((path) => {
      const before = (uses.get(path) ?? []).findLast((other) => other < key)
      return before === undefined ? [] : [{ key: before, path }]
    })
    for (const [lane, path] of open.entries()) {
      if (path !== undefined && uses.get(path)?.at(-1) === key) open[lane] = undefined
    }
    return { key, lanes, after }
  })
}

/** A moved file is one change at two paths. */
const pathsOfFiles = (files: PlanBlock['files']): string[] =>
  files.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]))
