import { isUtf8 } from 'node:buffer'
import path from 'node:path'
import { hasCode } from '../core/errors.ts'
import { isInside, withSlashes } from '../core/paths.ts'
import type { Settings } from '../core/settings.ts'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { canonical } from './settings.ts'
import { readSmallFile } from './small-file.ts'
import { isTrusted, type Trusted } from './trust.ts'

/** Where projects write how coding agents are to work there. */
export const agentNotesName = 'AGENTS.md'

/** An AGENTS.md. It is the project's and may be a stranger's, so the user decides whether models are told what it says. */
export interface AgentNotes {
  /** Relative to the root. */
  readonly path: string
  /** Missing where it is a link, not text or too long: then it can only be named. */
  readonly text?: string | undefined
  readonly isTrusted: boolean
}

type NotesSettings = Pick<Settings, 'root' | 'allowedRoots' | 'allowEscape' | 'deniedPatterns'> & Partial<Settings>

/** The notes of the root, and the nearest above each of some files; those may be missing. */
export function agentNotesFor(settings: NotesSettings, files: readonly string[]): AgentNotes[] {
  const top = notesIn(settings.root, settings)
  const near = files.flatMap((file) => nearestNotes(path.resolve(settings.root, file), settings) ?? [])
  const found = [...(top === undefined ? [] : [top]), ...near]
  return found.filter((one, at) => found.findIndex((other) => other.path === one.path) === at)
}

function nearestNotes(file: string, settings: NotesSettings): AgentNotes | undefined {
  const { root } = settings
  for (let dir = file; dir !== root && isInside(dir, root); dir = path.dirname(dir)) {
    const found = notesIn(dir, settings)
    if (found !== undefined) return found
  }
  return undefined
}

/** Longer ones are books, and no notes. */
const mostBytes = 256 * 1024

function notesIn(dir: string, settings: NotesSettings): AgentNotes | undefined {
  const file = path.join(dir, agentNotesName)
  const name = withSlashes(path.relative(settings.root, file))
  // Through a link it would be another project's, or none at all.
  if (canonical(dir) !== dir) return undefined
  if (makePathJudge(pathPolicyOf(settings)).path(name, file, 'read').verdict !== 'allow') return undefined
  const found = readNotes(file)
  if (found === undefined || found.text?.trim() === '') return undefined
  const { text } = found
  return { path: name, text, isTrusted: text !== undefined && isTrusted(trustOf(name, settings), text) }
}

/** Undefined where nothing is. */
function readNotes(file: string): { readonly text: string | undefined } | undefined {
  try {
    const bytes = readSmallFile(file, { most: mostBytes, links: 'refused' })
    return { text: bytes !== undefined && isUtf8(bytes) ? bytes.toString('utf8') : undefined }
  } catch (error) {
    return hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR') ? undefined : { text: undefined }
  }
}

/** What the user trusts when they trust the notes at a path. */
export const trustOf = (name: string, { root }: Pick<Settings, 'root'>): Trusted => ({
  place: path.resolve(root, name),
  root,
})
