import fs from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { folderOf, readSources } from '../scripts/sources.ts'

/** Who may import whom, from the bottom up; everything may import its own folder, and every room of the program `reply`. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'reply/core': [],
  'reply/text': ['reply/core'],
  'reply/regions': ['reply/core', 'reply/text'],
  'reply/syntax': ['reply/core', 'reply/text', 'reply/regions'],
  core: [],
  structure: ['core'],
  actions: ['core', 'structure'],
  state: ['core'],
  approvals: ['core', 'state', 'policy', 'process', 'workspace'],
  policy: ['core', 'text'],
  process: ['core', 'state'],
  commands: ['core', 'state', 'approvals', 'policy', 'process'],
  report: ['core', 'actions'],
  config: ['core', 'actions', 'state', 'approvals', 'policy', 'process', 'commands', 'report'],
  describe: ['core', 'policy'],
  store: ['core', 'state', 'process'],
  context: ['core', 'state', 'store'],
  git: ['core', 'state', 'process', 'store'],
  workspace: ['core', 'state', 'process'],
  history: ['core', 'state', 'store', 'git', 'workspace'],
  hooks: ['core', 'process', 'approvals', 'commands', 'report'],
  timetravel: ['core', 'state', 'policy', 'report', 'store', 'git', 'history', 'workspace'],
  engine: [
    'core',
    'state',
    'structure',
    'actions',
    'policy',
    'commands',
    'report',
    'config',
    'store',
    'context',
    'history',
    'hooks',
    'workspace',
    'timetravel',
  ],
  api: [
    'approvals',
    'core',
    'structure',
    'actions',
    'report',
    'config',
    'describe',
    'store',
    'git',
    'timetravel',
    'engine',
  ],
  mcp: ['core', 'state', 'actions', 'approvals', 'policy', 'report', 'config', 'describe', 'engine', 'api'],
  loop: ['core', 'state', 'process', 'report', 'config', 'store', 'workspace', 'api'],
  watch: ['core', 'state', 'process', 'report', 'config', 'store', 'git', 'workspace', 'api'],
  ui: [
    'core',
    'loop',
    'state',
    'actions',
    'approvals',
    'process',
    'report',
    'config',
    'describe',
    'timetravel',
    'engine',
    'api',
    'watch',
  ],
  cli: [
    'core',
    'structure',
    'actions',
    'state',
    'approvals',
    'policy',
    'process',
    'commands',
    'report',
    'config',
    'describe',
    'git',
    'history',
    'timetravel',
    'engine',
    'api',
    'mcp',
    'loop',
    'watch',
    'ui',
  ],
  compat: [
    'describe',
    'core',
    'structure',
    'actions',
    'report',
    'config',
    'engine',
    'api',
    'policy',
    'store',
    'git',
    'timetravel',
  ],
  'index.ts': ['core', 'actions', 'config', 'describe', 'store', 'timetravel', 'engine', 'api', 'watch', 'compat'],
}

/** Who may use `node:fs`, and on what. Files of the project are read and written by `workspace` alone. */
const disk: Readonly<Record<string, readonly string[]>> = {
  'the project': ['workspace'],
  'state of its own': [
    'state',
    'store',
    'history/execution.ts',
    'history/history.ts',
    'history/programs.ts',
    'history/recover.ts',
    'history/take-over.ts',
    'history/take-over-back.ts',
    'approvals/socket.ts',
    'approvals/vouchers.ts',
    'timetravel/undo-plan.ts',
  ],
  // Of the files of the project only whether they are there, and of which kind: git reads their contents itself.
  'the git directory': [
    'git/differences.ts',
    'git/find-repository.ts',
    'git/git-program.ts',
    'git/index-file.ts',
    'git/isolated-git.ts',
    'git/move-head.ts',
    'git/objects.ts',
    'git/repository.ts',
    'git/savable.ts',
    'git/signing.ts',
    'git/snapshot.ts',
  ],
  'programs, their sandboxes and layers': ['process', 'commands/bounds.ts', 'commands/exec-code.ts'],
  'the terminal, the package, and files that the user names': [
    'cli',
    'config/ignore-files.ts',
    'config/load.ts',
    'config/settings.ts',
    'config/small-file.ts',
    'config/trust.ts',
    'core/installation.ts',
    'structure/grammar.ts',
    'ui/companion.ts',
    'ui/followed-file.ts',
    'ui/server.ts',
    'watch/clipboard/open.ts',
    'watch/place.ts',
    'watch/token.ts',
    'watch/watched-file.ts',
  ],
  'a temporary project of its own': ['api/check-examples.ts'],
}

/** What reaches out of the process, and the only folders and files that may use it. */
const guarded: Readonly<Record<string, readonly string[]>> = {
  'node:fs': Object.values(disk).flat(),
  'node:fs/promises': ['workspace', 'config', 'cli'],
  'node:child_process': ['process/programs.ts', 'process/run-process.ts'],
}

const entries = ['index.ts', 'compat/index.ts', 'cli/main.ts']
/** What only the extension for VS Code imports. */
const entriesOfEditors = ['ui/line-origins.ts']

const packages = path.join(import.meta.dirname, '../packages')
const sources = readSources(packages)

/** Where a file of the table lies. */
const located = (file: string): string =>
  path.join(packages, file.startsWith('reply/') ? file.replace('reply/', 'reply/src/') : `clada/src/${file}`)
const codeOf = (file: string): string => fs.readFileSync(located(file), 'utf8')
const importsOf = new Map(sources.map(({ file, imports }) => [file, imports.filter((name) => name.endsWith('.ts'))]))

describe('layers', () => {
  it('lists every folder and every file at the top', () => {
    expect([...new Set(sources.map(({ file }) => folderOf(file)))].sort()).toEqual(Object.keys(mayImport).sort())
  })

  it('imports only what the table allows', () => {
    const wrong = [...importsOf].flatMap(([file, imports]) => {
      const own = folderOf(file)
      return imports
        .filter((name) => folderOf(name) !== own && !mayImport[own]?.includes(folderOf(name)))
        .filter((name) => own.startsWith('reply/') || !name.startsWith('reply/'))
        .map((name) => `${file} imports ${name}`)
    })
    expect(wrong).toEqual([])
  })

  it('keeps reply free of Node, so that it runs in a browser', () => {
    const outside = sources
      .filter(({ file }) => file.startsWith('reply/'))
      .flatMap(({ imports }) => imports.filter((name) => !name.startsWith('reply/')))
    expect([...new Set(outside)]).toEqual(['diff'])
  })

  it('reaches the disk and other programs from few places', () => {
    const wrong = sources.flatMap(({ file, imports }) =>
      imports
        .filter((name) => Object.hasOwn(guarded, name))
        .filter((name) => !guarded[name]?.some((allowed) => allowed === file || allowed === folderOf(file)))
        .map((name) => `${file} imports ${name}`),
    )
    expect(wrong).toEqual([])
  })

  it('names no file for the disk that does not use it', () => {
    const using = sources.filter(({ imports }) => imports.includes('node:fs')).map(({ file }) => file)
    const idle = guarded['node:fs']?.filter((one) => !using.some((file) => file === one || folderOf(file) === one))
    expect(idle).toEqual([])
  })

  it('starts programs in two places only, which take no bare names', () => {
    const starters = sources
      .map(({ file }) => ({ file, code: codeOf(file) }))
      .filter(({ code }) => /child_process'/.test(code.replaceAll(/^import type .*$/gm, '')))
    expect(starters.map(({ file }) => file)).toEqual(guarded['node:child_process']?.toSorted())
    const started = starters.flatMap(({ code }) =>
      [
        ...code.matchAll(/\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork)\(\s*((?:[^,(]|\([^)]*\))+),/g),
      ].map(([, file]) => file),
    )
    expect(started).toEqual(['fileOfProgram(name, dirs)', 'fileOfProgram(name)', 'file', 'file', 'start.file'])
  })

  it('asks for the name of the system in one place', () => {
    const asking = sources.filter(({ file }) => /process\.platform|'(?:win32|linux|darwin)'/.test(codeOf(file)))
    expect(asking.map(({ file }) => file)).toEqual(['core/platform.ts'])
  })

  it('spells the names of git and clada in one place', () => {
    const spelling = sources.filter(({ file }) => /'(?:\.git|\.clada|clada\.yml)'/.test(codeOf(file)))
    expect(spelling.map(({ file }) => file)).toEqual(['core/reserved-names.ts', 'state/git-dirs.ts'])
  })

  it('has no cycle between files, types included', () => {
    expect(cycleIn(importsOf)).toBeUndefined()
  })

  it('has no file that nothing leads to', () => {
    const reached = reachable([...entries, ...entriesOfEditors], importsOf)
    expect(sources.map(({ file }) => file).filter((file) => !reached.has(file))).toEqual([])
  })

  it('is read as a parser reads it', async () => {
    const { metafile } = await build({
      absWorkingDir: packages,
      entryPoints: entries.map(located),
      alias: { '@clada/reply': path.join(packages, 'reply/src') },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      write: false,
      metafile: true,
      outdir: 'out',
    })
    const nameOf = (file: string): string => file.replace(/^clada\/src\//, '').replace(/^reply\/src\//, 'reply/')
    for (const [file, { imports }] of Object.entries(metafile.inputs)) {
      const known = sources.find((source) => source.file === nameOf(file))?.imports
      expect(known, file).toEqual(expect.arrayContaining(imports.map(({ path }) => nameOf(path))))
    }
  })
})

/** The files of a cycle in their order, the first again at the end. */
function cycleIn(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...way, file])
      if (cycle !== undefined) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const file of graph.keys()) {
    const cycle = visit(file, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}

function reachable(from: readonly string[], graph: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>()
  const waiting = [...from]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    waiting.push(...(graph.get(file) ?? []))
  }
  return reached
}
