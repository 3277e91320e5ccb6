import path from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { folderOf, readSources } from '../scripts/sources.ts'

/** Who may import whom; everything may import its own folder. Files at the top of src/ are listed by name. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  text: ['core'],
  syntax: ['core', 'text'],
  actions: ['core', 'text', 'structure'],
  structure: ['core', 'text'],
  policy: ['core'],
  workspace: ['core', 'state'],
  history: ['core', 'state'],
  report: ['core', 'text'],
  describe: ['core', 'text', 'policy', 'syntax'],
  process: ['core'],
  state: ['core'],
  approvals: ['core', 'state'],
  commands: ['core', 'policy', 'process', 'approvals', 'state'],
  hooks: ['core', 'commands', 'process', 'report'],
  config: ['core', 'text', 'actions', 'report', 'policy', 'state', 'approvals', 'commands', 'settings.ts'],
  session: ['core', 'text', 'syntax', 'state'],
  clipboard: ['core', 'syntax', 'process', 'report', 'session'],
  context: ['core', 'history', 'state'],

  'settings.ts': ['core', 'actions', 'state'],
  'within-time.ts': [],
  'parse-error.ts': ['core', 'actions', 'syntax'],
  'preview.ts': ['core', 'text', 'workspace'],
  'tasks.ts': ['core', 'actions', 'parse-error.ts'],
  'settle.ts': ['core', 'report'],
  'action-runner.ts': [
    'core',
    'actions',
    'commands',
    'context',
    'policy',
    'report',
    'workspace',
    'settle.ts',
    'tasks.ts',
  ],
  'execution.ts': [
    'core',
    'actions',
    'report',
    'workspace',
    'action-runner.ts',
    'parse-error.ts',
    'settle.ts',
    'tasks.ts',
  ],
  'hooks-around.ts': ['core', 'commands', 'history', 'hooks', 'report', 'workspace', 'execution.ts'],
  'run.ts': [
    'core',
    'history',
    'policy',
    'report',
    'syntax',
    'workspace',
    'execution.ts',
    'history-run.ts',
    'hooks-around.ts',
    'steps.ts',
  ],
  'refusal.ts': ['core', 'report'],
  'undo-plan.ts': ['core', 'history', 'workspace'],
  'undo.ts': ['core', 'history', 'policy', 'report', 'workspace', 'refusal.ts', 'undo-plan.ts'],
  'change-tree.ts': ['core', 'history', 'workspace'],
  'step-place.ts': ['core', 'history', 'policy', 'workspace', 'change-tree.ts', 'refusal.ts'],
  'step.ts': ['core', 'history', 'step-place.ts'],
  'squash-run.ts': ['core', 'history', 'policy', 'workspace', 'refusal.ts'],
  'steps.ts': ['core', 'history', 'squash-run.ts', 'step.ts', 'undo.ts'],
  'history-run.ts': ['core', 'history', 'policy', 'workspace', 'preview.ts'],
  'check.ts': ['core', 'actions', 'policy', 'report', 'syntax', 'parse-error.ts', 'settings.ts'],
  'convert.ts': ['core', 'actions', 'syntax', 'settings.ts'],
  'read-config.ts': ['config', 'settings.ts'],
  'clada.ts': [
    'core',
    'actions',
    'history',
    'history-run.ts',
    'preview.ts',
    'run.ts',
    'settings.ts',
    'squash-run.ts',
    'step.ts',
    'undo.ts',
    'within-time.ts',
  ],
  listener: ['core', 'syntax', 'report', 'history', 'workspace', 'state', 'clada.ts', 'settings.ts'],
  'structures.ts': ['structure', 'clada.ts', 'settings.ts'],
  'project-prompt.ts': ['actions', 'describe', 'report', 'settings.ts'],
  'context-text.ts': ['core', 'text', 'report', 'clada.ts'],
  'sham-response.ts': ['core', 'actions', 'syntax', 'clada.ts', 'parse-error.ts', 'settings.ts'],
  'index.ts': [
    'core',
    'actions',
    'history',
    'listener',
    'syntax',
    'text',
    'clada.ts',
    'history-run.ts',
    'read-config.ts',
    'settings.ts',
    'sham-response.ts',
    'structures.ts',
    'squash-run.ts',
    'step.ts',
    'undo.ts',
  ],

  mcp: [
    'core',
    'text',
    'actions',
    'approvals',
    'describe',
    'policy',
    'report',
    'clada.ts',
    'history-run.ts',
    'project-prompt.ts',
    'settings.ts',
  ],
  ui: [
    'core',
    'text',
    'actions',
    'report',
    'describe',
    'approvals',
    'session',
    'check.ts',
    'clada.ts',
    'context-text.ts',
    'history-run.ts',
    'project-prompt.ts',
    'settings.ts',
    'step.ts',
    'undo.ts',
  ],

  cli: [
    'core',
    'text',
    'actions',
    'report',
    'describe',
    'listener',
    'index.ts',
    'run.ts',
    'check.ts',
    'convert.ts',
    'clada.ts',
    'context-text.ts',
    'project-prompt.ts',
    'history',
    'history-run.ts',
    'squash-run.ts',
    'step.ts',
    'undo.ts',
    'settings.ts',
    'within-time.ts',
    'approvals',
    'state',
    'commands',
    'policy',
    'process',
    'session',
    'clipboard',
    'mcp',
    'config',
    'ui',
  ],
}

/** What reaches out of the process, and the only folders and files that may use it. */
const guarded: Readonly<Record<string, readonly string[]>> = {
  'node:fs': [
    'workspace',
    'history',
    'process',
    'approvals',
    'commands',
    'context',
    'state',
    'session',
    'clipboard',
    'listener',
    'config',
    'settings.ts',
    'cli',
    'ui',
  ],
  'node:fs/promises': ['workspace', 'settings.ts', 'cli'],
  'node:child_process': [
    'workspace/exchange.ts',
    'workspace/search.ts',
    'history/git-program.ts',
    'history/merge-file.ts',
    'history/repository-config.ts',
    'process/run-process.ts',
    'clipboard/helper.ts',
    'cli/watch/open-output.ts',
    'ui/open-browser.ts',
  ],
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
