import fs from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { folderOf, readSources } from '../scripts/sources.ts'

/** Who may import whom, from the bottom up; everything may import its own folder. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  text: ['core'],
  structure: ['core', 'text'],
  actions: ['core', 'text', 'structure'],
  state: ['core'],
  approvals: ['core', 'state', 'policy', 'process'],
  policy: ['core'],
  process: ['core', 'state'],
  commands: ['core', 'approvals', 'policy', 'process'],
  report: ['core', 'text', 'actions', 'syntax'],
  syntax: ['core', 'text'],
  config: ['core', 'text', 'actions', 'state', 'approvals', 'policy', 'process', 'commands', 'report', 'syntax'],
  describe: ['core', 'text', 'policy', 'syntax'],
  journal: ['core', 'state'],
  context: ['core', 'state', 'journal'],
  git: ['core', 'state', 'process', 'journal'],
  workspace: ['core', 'state', 'process'],
  history: ['core', 'state', 'journal', 'git', 'workspace'],
  hooks: ['core', 'process', 'commands', 'report'],
  timetravel: ['core', 'state', 'policy', 'report', 'journal', 'git', 'history', 'workspace'],
  engine: [
    'core',
    'text',
    'structure',
    'actions',
    'policy',
    'commands',
    'report',
    'config',
    'syntax',
    'journal',
    'context',
    'history',
    'hooks',
    'workspace',
    'timetravel',
  ],
  api: [
    'approvals',
    'core',
    'text',
    'structure',
    'actions',
    'report',
    'config',
    'syntax',
    'describe',
    'journal',
    'timetravel',
    'engine',
  ],
  mcp: [
    'core',
    'text',
    'state',
    'actions',
    'approvals',
    'policy',
    'report',
    'config',
    'syntax',
    'describe',
    'engine',
    'api',
  ],
  loop: ['core', 'text', 'state', 'process', 'report', 'config', 'journal', 'workspace', 'api'],
  watch: ['core', 'text', 'state', 'process', 'report', 'config', 'syntax', 'journal', 'git', 'workspace', 'api'],
  ui: [
    'core',
    'loop',
    'text',
    'state',
    'actions',
    'approvals',
    'process',
    'report',
    'config',
    'syntax',
    'describe',
    'timetravel',
    'engine',
    'api',
    'watch',
  ],
  cli: [
    'core',
    'text',
    'structure',
    'actions',
    'state',
    'approvals',
    'policy',
    'process',
    'commands',
    'report',
    'config',
    'syntax',
    'describe',
    'git',
    'timetravel',
    'engine',
    'api',
    'mcp',
    'loop',
    'watch',
    'ui',
  ],
  'seed-api': ['core', 'structure', 'actions', 'report', 'config', 'syntax', 'engine', 'api'],
  'index.ts': [
    'core',
    'text',
    'actions',
    'config',
    'syntax',
    'journal',
    'timetravel',
    'engine',
    'api',
    'watch',
    'seed-api',
  ],
}

/** What reaches out of the process, and the only folders and files that may use it. */
const guarded: Readonly<Record<string, readonly string[]>> = {
  'node:fs': [
    'policy/holds-token.ts',
    'structure/grammar.ts',
    'workspace',
    'journal',
    'git',
    'history',
    'timetravel',
    'process',
    'approvals',
    'commands',
    'context',
    'state',
    'watch',
    'config',
    'cli',
    'ui',
  ],
  'node:fs/promises': ['workspace', 'config', 'cli'],
  'node:child_process': ['process/programs.ts', 'process/run-process.ts'],
}

const entries = ['index.ts', 'cli/main.ts']

const src = path.join(import.meta.dirname, '../src')
const sources = readSources(src)
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
        .map((name) => `${file} imports ${name}`)
    })
    expect(wrong).toEqual([])
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

  it('starts programs in two places only, which take no bare names', () => {
    const starters = sources
      .map(({ file }) => ({ file, code: fs.readFileSync(path.join(src, file), 'utf8') }))
      .filter(({ code }) => /child_process'/.test(code.replaceAll(/^import type .*$/gm, '')))
    expect(starters.map(({ file }) => file)).toEqual(guarded['node:child_process']?.toSorted())
    const started = starters.flatMap(({ code }) =>
      [
        ...code.matchAll(/\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork)\(\s*((?:[^,(]|\([^)]*\))+),/g),
      ].map(([, file]) => file),
    )
    expect(started).toEqual(['fileOf(name, dirs)', 'fileOf(name)', 'file', 'file', 'start.file'])
  })

  it('asks for the name of the system in one place', () => {
    const asking = sources.filter(({ file }) => /process\.platform/.test(fs.readFileSync(path.join(src, file), 'utf8')))
    expect(asking.map(({ file }) => file)).toEqual(['core/platform.ts'])
  })

  it('has no cycle between files, types included', () => {
    expect(cycleIn(importsOf)).toBeUndefined()
  })

  it('has no file that nothing leads to', () => {
    const reached = reachable(entries, importsOf)
    expect(sources.map(({ file }) => file).filter((file) => !reached.has(file))).toEqual([])
  })

  it('is read as a parser reads it', async () => {
    const { metafile } = await build({
      absWorkingDir: src,
      entryPoints: entries,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      write: false,
      metafile: true,
      outdir: 'out',
    })
    for (const [file, { imports }] of Object.entries(metafile.inputs)) {
      const known = sources.find((source) => source.file === file)?.imports
      expect(known, file).toEqual(expect.arrayContaining(imports.map(({ path }) => path)))
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
