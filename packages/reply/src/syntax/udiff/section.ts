import type { Finding } from '../../core/diagnostic.ts'
import { type ForeignBlock } from '../foreign/foreign.ts'
import type { WrittenName, DiffRegion, FileSection } from './walk.ts'

/**
 * What a section asks for, as an action. `fence` is the line of its fence, where that is damaged. A short one ends too early, although
 * the text goes on.
 */
export function readSection(
  section: FileSection,
  region: DiffRegion,
  end: 'whole' | 'short' | 'open',
  fence: readonly string[] = [],
): ForeignBlock {
  const isComplete = end !== 'open'
  const call = callOf(section)
  const unfinished = end === 'whole' ? undefined : UNFINISHED[end]
  const finding =
    unfinished !== undefined ? { code: unfinished, line: section.line } : 'finding' in call ? call.finding : undefined
  const { warnings } = section
  if (section.extended.has('old mode') && finding === undefined)
    warnings.push('the change of the file mode was ignored')
  if (section.extended.get('new file mode')?.text.trim() === '100755' && finding === undefined)
    warnings.push('the file was made without its executable bit; chmod +x sets it')
  return {
    action: 'action' in call ? call.action : '',
    params: 'params' in call ? call.params : {},
    label: 'diff',
    startLine: section.line,
    endLine: isComplete ? section.lastLine : null,
    lastLine: isComplete ? section.lastLine : Math.max(section.lastLine, Math.min(section.next - 1, region.last)),
    findings: finding === undefined ? none : [finding],
    warnings,
    markup: diffMarkup(section, fence),
    uncertainMarks: section.hasUnmarked || undefined,
  }
}

const UNFINISHED = { short: 'diff-short', open: 'diff-open' } as const

const none: readonly never[] = []

/** A fence that is damaged. In the other markers of a diff, two spaces after each is all that leaves them readable. */
function diffMarkup({ old, new: added }: FileSection, fence: readonly string[]): readonly string[] | undefined {
  if (old?.text.endsWith('  ') && added?.text.endsWith('  ')) return [...fence, '--- a  ', '+++ b  ']
  return fence.length > 0 ? fence : undefined
}

interface SectionFailure {
  readonly finding: Finding
}

type SectionCall = { readonly action: string; readonly params: Readonly<Record<string, string>> } | SectionFailure

function callOf(section: FileSection): SectionCall {
  if (section.binary !== undefined) return { finding: { line: section.binary, code: 'diff-binary' } }
  const special = specialMode(section)
  if (special !== undefined) return sectionFailure(special.at, { code: 'diff-mode', data: { is: special.is } })
  const names = sectionNames(section)
  if ('finding' in names) return names
  const { old, new: added } = names
  const { changes } = section
  if (added === null)
    return old === null ? sectionFailure(section.new ?? section, { code: 'diff-no-file' }) : deleteOf(section, old)
  if (old === null) return createOf(section, added)

  if (section.extended.has('copy from')) {
    if (changes) return sectionFailure(section.extended.get('copy from') ?? section, { code: 'diff-copy' })
    return { action: 'file_copy', params: { old_path: old, new_path: added } }
  }
  if (old !== added && !section.extended.has('rename from'))
    return sectionFailure(section.new ?? section, { code: 'diff-two-files', data: { old, new: added } })
  if (!changes && old === added)
    return sectionFailure(section, { code: 'diff-no-change', data: { hasMode: section.extended.has('old mode') } })
  const patch = (changes && section.patch) || ''
  return { action: 'file_patch', params: old === added ? { path: old, patch } : { path: old, patch, new_path: added } }
}

/** Of a link the text of a diff is where it leads, and of a submodule the commit: written to a file, both would be wrong. */
function specialMode({
  extended,
}: FileSection): { readonly at: WrittenName; readonly is: 'link' | 'submodule' } | undefined {
  for (const key of ['new file mode', 'new mode', 'index']) {
    const at = extended.get(key)
    const [, mode] = /(?:^|\s)(120000|160000)\s*$/.exec(at?.text ?? '') ?? []
    if (at !== undefined && mode !== undefined) return { at, is: mode === '120000' ? 'link' : 'submodule' }
  }
  return undefined
}

/** A diff that shows what goes deletes nothing else. */
function deleteOf(section: FileSection, path: string): SectionCall {
  const lines: string[] = []
  for (const row of section.patch?.split('\n') ?? none) {
    if (row.startsWith('+')) return sectionFailure(section, { code: 'diff-new-lines' })
    if (!/^(?:@@|\\)/.test(row)) lines.push(row.slice(1))
  }
  return { action: 'file_delete', params: section.changes ? { path, expect: lines.join('\n') } : { path } }
}

function createOf(section: FileSection, path: string): SectionCall {
  const lines: string[] = []
  let isBare = false
  for (const row of section.patch?.split('\n') ?? none) {
    isBare = row.startsWith('\\')
    if (row.startsWith('+')) lines.push(row.slice(1))
    else if (row.trim() === '') lines.push(row.slice(1))
    else if (!isBare && !row.startsWith('@@')) return sectionFailure(section, { code: 'diff-old-lines' })
  }
  const content = lines.map((line) => `${line}\n`).join('')
  return { action: 'file_create', params: { path, content: isBare ? content.slice(0, -1) : content } }
}

type Names = { readonly old: string | null; readonly new: string | null } | SectionFailure

function sectionNames(section: FileSection): Names {
  const { extended } = section
  for (const kind of extended.size === 0 ? none : (['rename', 'copy'] as const)) {
    const from = extended.get(`${kind} from`)
    const to = extended.get(`${kind} to`)
    const one = from ?? to
    if (one === undefined) continue
    if (from === undefined || to === undefined) return sectionFailure(one, { code: 'diff-half', data: { what: kind } })
    return pairOfNames(from, to, (old, added) => ({ old, new: added }))
  }
  if (section.old !== undefined && section.new === undefined)
    return sectionFailure(section.old, { code: 'diff-no-new-name' })
  const written =
    section.old !== undefined && section.new !== undefined
      ? pairOfNames(section.old, section.new, withoutSides)
      : fromGit(section)
  if ('finding' in written) return written
  if (extended.has('new file mode')) return { old: null, new: written.new }
  return extended.has('deleted file mode') ? { old: written.old, new: null } : written
}

function pairOfNames(
  from: WrittenName,
  to: WrittenName,
  make: (old: string | null, added: string | null) => { old: string | null; new: string | null },
): Names {
  const old = parseDiffName(from.text)
  const added = parseDiffName(to.text)
  if (old === undefined || old === '')
    return sectionFailure(from, { code: 'diff-name', data: { name: from.text.trim() } })
  if (added === undefined || added === '')
    return sectionFailure(to, { code: 'diff-name', data: { name: to.text.trim() } })
  return make(old, added)
}

function fromGit(section: FileSection): Names {
  const names = namesInHeader(section.git ?? '')
  return names === undefined ? sectionFailure(section, { code: 'diff-unclear' }) : withoutSides(names.old, names.new)
}

const sectionFailure = ({ line }: { readonly line: number }, finding: Finding): SectionFailure => ({
  finding: { ...finding, line },
})

/** A name of a diff: null for /dev/null, undefined when it is quoted and the quotes make no sense. */
export function parseDiffName(written: string): string | null | undefined {
  const text = written.trim().replace(/^`([^`]+)`$/, '$1')
  if (text.startsWith('"')) {
    const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]
    return quoted === undefined ? undefined : unescapeGitName(quoted)
  }
  const tab = text.indexOf('\t')
  const name = tab === -1 ? text : text.slice(0, tab).trimEnd()
  const bare = name.includes(':') ? name.replace(/\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$/, '') : name
  return bare === '/dev/null' ? null : bare
}

/** Both names of git's header. Without quotes they can be separated only where they are the same. */
export function namesInHeader(written: string): { old: string; new: string } | undefined {
  const text = written.trim()
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(text)
  if (quoted !== null) {
    const old = parseDiffName(quoted[1] ?? '')
    const added = parseDiffName(quoted[2] ?? '')
    return typeof old === 'string' && typeof added === 'string' ? { old, new: added } : undefined
  }
  const half = (text.length - 1) / 2
  if (!Number.isInteger(half) || text[half] !== ' ') return undefined
  const old = text.slice(0, half)
  const added = text.slice(half + 1)
  return withoutSides(old, added).old === withoutSides(old, added).new ? { old, new: added } : undefined
}

/** Names without "a/" and "b/", which say which side a name is of, and only where both of them say so. */
export function withoutSides(
  old: string | null,
  added: string | null,
): { readonly old: string | null; readonly new: string | null } {
  const bareOld = old?.startsWith('a/') ? old.slice(2) : old
  const bareNew = added?.startsWith('b/') ? added.slice(2) : added
  const both = bareOld !== old && bareNew !== added
  const one = old === null || added === null || (old !== added && bareOld === bareNew)
  return both || one ? { old: bareOld, new: bareNew } : { old, new: added }
}

/** As C writes it; bytes are octal, and together they are UTF-8. */
function unescapeGitName(text: string): string | undefined {
  const bytes: number[] = []
  const encoder = new TextEncoder()
  for (const [whole, octal, letter] of text.matchAll(/\\([0-3][0-7]{2})|\\(.)|[^\\]+/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (letter !== undefined) {
      const code = ESCAPES.get(letter)
      if (code === undefined) return undefined
      bytes.push(code)
    } else bytes.push(...encoder.encode(whole))
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(new Uint8Array(bytes))
  } catch {
    return undefined
  }
}

const ESCAPES = new Map([
  ['a', 7],
  ['b', 8],
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
  ['"', 34],
  ['\\', 92],
])
