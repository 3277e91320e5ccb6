import { computed, effect, signal } from '@preact/signals'
import type { ContextEntry, ProjectFacts, PromptRequest, PromptText, Structure } from '../../src/ui/protocol.ts'
import { say, tried } from '../actions.ts'
import { get, post } from '../api.ts'
import { copyText } from '../copy.ts'
import { view } from '../store.ts'

/** What a prompt is made of here, and the prompt itself. */
export const facts = signal<ProjectFacts | null>(null)
export const context = signal<readonly ContextEntry[]>([])
export const wanted = signal<PromptRequest>({ syntax: 'sham', include: 'everyday', actions: null, show: 'text' })
export const made = signal<PromptText | null>(null)
export const search = signal('')
/** The file the keyboard is at. */
export const at = signal(0)
export const structures = signal<{ readonly file: string; readonly found: readonly Structure[] } | null>(null)
export const promptOpen = signal(false)

/** Files whose paths hold every word that is looked for. */
export const shownFiles = computed(() => {
  const words = search.value.toLowerCase().split(/\s+/)
  return (facts.value?.files ?? []).filter((file) => words.every((word) => file.toLowerCase().includes(word)))
})

export const chosenPaths = computed(() => new Set(context.value.map(({ path }) => path)))

export const load = (): Promise<unknown> =>
  tried(async () => {
    facts.value = await get<ProjectFacts>('/api/project')
    context.value = facts.value.context
  })

export const toggle = (path: string): Promise<unknown> =>
  tried(async () => {
    context.value = await post<ContextEntry[]>('/api/context', { path, on: !chosenPaths.value.has(path) })
  })

export const showStructures = (file: string): Promise<unknown> =>
  tried(async () => {
    structures.value = { file, found: await get<Structure[]>(`/api/structures?path=${encodeURIComponent(file)}`) }
  })

export const copyPrompt = (): Promise<unknown> =>
  tried(async () => {
    if (made.value === null) return
    await copyText(made.value.text)
    say(`${made.value.tokens} tokens are on the clipboard. Paste them to the model.`, 'good')
  })

export function moveFile(by: number): void {
  at.value = Math.min(shownFiles.value.length - 1, Math.max(0, at.value + by))
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
  void tried(async () => {
    const text = await post<PromptText>('/api/prompt', request)
    if (own === asked) made.value = text
  })
})
