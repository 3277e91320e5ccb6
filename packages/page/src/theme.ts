import { effect, signal } from '@preact/signals'
import { writeStored, readStored } from './store.ts'

const themes = ['auto', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

export const theme = signal<Theme>(themes.find((name) => name === readStored('clada-theme')) ?? 'auto')

effect(() => {
  document.documentElement.dataset['theme'] = theme.value
})

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'auto'
  writeStored('clada-theme', theme.value)
}
