import { computed, effect, signal } from '@preact/signals'
import type {
  ContextChange,
  WorkingSetEntry,
  PromptFacts,
  PagePromptRequest,
  PromptText,
  StructureRow,
} from '../../../clada/src/ui/protocol.ts'
import { showNotice, showErrors } from '../actions.ts'
import { get, post } from '../api.ts'
import { copyText } from '../copy.ts'
import { makeMatcher, page, writeStored, readStored, view } from '../store.ts'

/** What a prompt is made of here, and the prompt itself. */
export const facts = signal<PromptFacts | null>(null)
export const context = signal<readonly WorkingSetEntry[]>([])
export const wanted = signal<PagePromptRequest>({
  syntax: 'sham',
  include: 'everyday',
  actions: null,
  show: 'text',
  task: '',
})
export const made = signal<PromptText | null>(null)
export const search = signal('')
/** The file the keyboard is at. */
export const at = signal(0)
export const structures = signal<{ readonly file: string; readonly found: readonly StructureRow[] } | null>(null)
export const promptOpen = signal(false)

/** One line of the tree. A folder selects all files below it. */
export interface TreeRow {
  readonly path: string
  readonly label: string
  readonly depth: number
  readonly tokens: number
  /** The files below a folder; missing for a file. */
  readonly files?: readonly string[]
}

/** Folders that are open. */
const opened = signal<ReadonlySet<string>>(new Set())

/** Folders and files; as a flat list where something is looked for. */
export const shownRows = computed((): TreeRow[] => {
  const { files = [], tokens = [] } = facts.value ?? {}
  const row = (path: string, index: number): TreeRow => ({ path, label: path, depth: 0, tokens: tokens[index] ?? 0 })
  if (search.value === '') return treeRows(files.map(row), opened.value)
  const has = makeMatcher(search.value)
  return files.map(row).filter(({ path }) => has(path))
})

/** The rows of the tree, of which only the open folders show what is in them. */
export function treeRows(files: readonly TreeRow[], open: ReadonlySet<string>, base = ''): TreeRow[] {
  const folders = new Map<string, TreeRow[]>()
  const own: TreeRow[] = []
  const depth = base.split('/').length - 1
  for (const file of files) {
    const end = file.path.indexOf('/', base.length)
    if (end === -1) own.push({ ...file, label: file.path.slice(base.length), depth })
    else {
      const path = file.path.slice(0, end + 1)
      const inside = folders.get(path)
      if (inside === undefined) folders.set(path, [file])
      else inside.push(file)
    }
  }
  const rows = [...folders].flatMap(([path, inside]) => {
    const tokens = inside.reduce((all, one) => all + one.tokens, 0)
    const folder = { path, label: path.slice(base.length), depth, tokens, files: inside.map((one) => one.path) }
    return [folder, ...(open.has(path) ? treeRows(inside, open, path) : [])]
  })
  return [...rows, ...own]
}

export const isOpen = (path: string): boolean => opened.value.has(path)

/** A folder opens and closes; of a file the structures are shown. */
export function toggleFolder({ path, files }: TreeRow): void {
  if (files === undefined) return void showStructures(path)
  const next = new Set(opened.value)
  if (!next.delete(path)) next.add(path)
  opened.value = next
}

export const chosenPaths = computed(() => new Set(context.value.map(({ path }) => path)))

export const loadProject = (): Promise<unknown> =>
  showErrors(async () => {
    const found = await get<PromptFacts>('/api/project')
    // A small project is seen whole.
    if (facts.value === null && found.files.length <= smallProject) opened.value = new Set(foldersOf(found.files))
    facts.value = found
    context.value = found.context
  })

const smallProject = 60

const foldersOf = (files: readonly string[]): string[] =>
  files.flatMap((file) => [...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index + 1)))

/** How much of a row is chosen. */
export function chosenShare({ path, files = [path] }: Pick<TreeRow, 'path' | 'files'>): 'all' | 'some' | 'none' {
  const count = files.filter((file) => chosenPaths.value.has(file)).length
  return count === files.length ? 'all' : count > 0 ? 'some' : 'none'
}

/** A file, a structure, or all files of a folder. */
export const toggle = (row: Pick<TreeRow, 'path' | 'files'>): Promise<unknown> =>
  showErrors(async () => {
    const { path, files = [path] } = row
    const on = chosenShare(row) !== 'all'
    const paths = files.filter((file) => chosenPaths.value.has(file) !== on)
    const { entries, leftOut } = await post<ContextChange>('/api/context', { paths, on })
    context.value = entries
    if (leftOut.length > 0) showNotice(`Left out: ${leftOut.join('; ')}`, 'info')
  })

const showStructures = (file: string): Promise<unknown> =>
  showErrors(async () => {
    structures.value = { file, found: await get<StructureRow[]>(`/api/structures?path=${encodeURIComponent(file)}`) }
  })

export const copyPrompt = (): Promise<unknown> =>
  showErrors(async () => {
    if (made.value === null) return
    await copyText(made.value.text)
    rememberTask(wanted.value.task)
    showNotice(`${made.value.tokens} tokens are on the clipboard. Paste them to the model.`, 'good')
  })

/** Newest first, for this project. */
export const recentTasks = signal<readonly string[]>([])

const tasksName = (): string => `clada-tasks ${page.value?.root ?? ''}`

export function loadTasks(): void {
  const found: unknown = JSON.parse(readStored(tasksName()) ?? '[]')
  recentTasks.value = Array.isArray(found) ? found.map(String) : []
}

function rememberTask(given: string): void {
  const task = given.trim()
  if (task === '') return
  recentTasks.value = [task, ...recentTasks.value.filter((one) => one !== task)].slice(0, 12)
  writeStored(tasksName(), JSON.stringify(recentTasks.value))
}

export function moveFile(by: number): void {
  at.value = Math.min(shownRows.value.length - 1, Math.max(0, at.value + by))
}

export function toggleAction(name: string): void {
  const { actions } = wanted.value
  const next = new Set(actions ?? [])
  if (!next.delete(name)) next.add(name)
  wanted.value = { ...wanted.value, actions: [...next] }
}

let asked = 0
/** A choice makes the prompt anew; the last answer counts. */
effect(() => {
  const request = wanted.value
  if (view.value !== 'prompt' || facts.value === null || context.value === undefined) return
  const own = ++asked
  // The prompt is updated when the user pauses typing.
  setTimeout(() => {
    if (own !== asked) return
    void showErrors(async () => {
      const text = await post<PromptText>('/api/prompt', request)
      if (own === asked) made.value = text
    })
  }, 150)
})
