import type { KeyName } from '../config/keys.ts'
import { yamlOf } from '../config/sample.ts'
import type { Place } from '../config/tree.ts'
import { visible } from './visible.ts'

/** What a project's file asks for: the user sees everything that they trust. */
export function shownWidening({ name, value, at }: { name: KeyName; value: unknown; at: Place }): string {
  const entries = Array.isArray(value) ? value : undefined
  if (entries === undefined) return `  line ${at.line}: ${name}: ${visible(yamlOf(name, value))}`
  return [`  line ${at.line}: ${name}:`, ...entries.map((entry) => `    - ${visible(shownEntry(entry))}`)].join('\n')
}

const shownEntry = (entry: unknown): string => (typeof entry === 'string' ? entry : JSON.stringify(entry))
