import type { Finding } from '../../core/diagnostic.ts'
import { Source } from '../../core/source.ts'
import { matchBullet } from '../damage.ts'
import { ApplyPatchMarks, type Patch, usualMarkup } from './marks.ts'
import { readSections } from './sections.ts'
import {
  markerWarning,
  foreignSyntax,
  type ForeignBlock,
  type ReadMarker,
  Rows,
  makeUnreadable,
} from '../foreign/foreign.ts'
import { lineWithoutBom } from '../../regions/fences.ts'

/*
 * Patches as the tool `apply_patch` takes them:
 *
 *   patch   = "*** Begin Patch" { section } "*** End Patch"
 *   section = add | delete | update
 *   add     = "*** Add File: " path { "+" text }
 *   delete  = "*** Delete File: " path
 *   update  = "*** Update File: " path [ "*** Move to: " path ] { hunk }
 *   hunk    = { "@@" [ " " line above ] } { " " text | "-" text | "+" text } [ "*** End of File" ]
 *
 * What is around a patch, a fence or the shell command that would take it, is ignored. The whole patch may be
 * indented; then every marker has the indentation of the first, and one with another is content, except that the last
 * end closes a patch that has no other, and that a header may be indented where no hunk is open. A line of an update
 * without a mark is taken as context, which must then be in the file, so nothing is made up. An empty one is an
 * empty line. Quotes and backticks around a path are left out.
 *
 * Sections without a beginning fail too. A patch without its end fails whole, because any part may be missing. It reaches
 * to the next beginning, the next fence or the end of the text. A mistake in one section costs that section.
 *
 * Add File and Move to replace a file that is there, with a warning: Codex does so, and undo restores it.
 */

export const applyPatch = foreignSyntax({
  reminder: [
    'No blocks found. Write the edits as a patch, each marker on a line of its own, from the first column:',
    'a line *** Begin Patch, then *** Update File: PATH and below @@ the lines with a space, - or + before them;',
    'a new file is *** Add File: PATH with + before each line; the last line is *** End Patch.',
  ],
  name: 'apply-patch',
  written: ({ path, patch, new_path }) =>
    patch === undefined
      ? undefined
      : [
          '*** Begin Patch',
          `*** Update File: ${path}`,
          ...(new_path === undefined ? [] : [`*** Move to: ${new_path}`]),
          patch,
          '*** End Patch',
        ].join('\n'),
  rules: 'codex',
  marks: /^\*\*\* (?:Begin Patch|End Patch|(?:Add|Update|Delete) File: )/,
  open(source, plain) {
    const marks = new ApplyPatchMarks(source, plain)
    return { seek: (line) => marks.seek(line), read: (line) => readPatch(source, marks, line, plain) }
  },
})

/** The sections of a patch that is an argument of a call. Their lines are those of the patch. */
export function parsePatchArgument(
  text: string,
): Pick<ForeignBlock, 'action' | 'params' | 'label' | 'findings' | 'warnings'>[] {
  const asWritten = (row: string): string => row
  const source = new Source(text)
  const { found } = readPatch(source, new ApplyPatchMarks(source, asWritten), 1, asWritten)
  return found.map(({ action, params, label, findings, warnings = [] }) => ({
    action,
    params,
    label,
    findings: findings.map(({ line = 1, column, length, ...inner }) => ({
      line,
      column,
      length,
      code: 'patch-in-call',
      data: { line, inner },
    })),
    warnings: warnings.map((warning) => `in the patch: ${warning}`),
  }))
}

function readPatch(
  source: Source,
  marks: ApplyPatchMarks,
  line: number,
  plain: ReadMarker,
): { found: ForeignBlock[]; next: number } {
  const patch = marks.patchFrom(line)
  if (patch.kind === 'stray') return { found: [noPatch(line, line, { code: 'patch-stray-end' })], next: line + 1 }
  if (patch.kind === 'outside') return { found: [noPatch(line, line, { code: 'patch-outside' })], next: line + 1 }
  const { last, closed } = patch
  // As it is written, unusual spaces and all.
  const row = lineWithoutBom(source, line)
  const indent = patch.indent === '' || matchBullet(row) !== '' ? patch.indent : (/^\s*/.exec(row)?.[0] ?? '')
  const sections = readSections(new Rows(source, line + 1, last, indent), plain)
  const end = closed ? last + 1 : last
  const found = sections.length > 0 ? sections : [noPatch(line, end, { code: 'patch-empty' })]
  if (!closed) return { found: found.map(cutBefore(line, Math.min(last, source.lastLine))), next: end + 1 }
  const isUsual = patch.markup === usualMarkup && sections.every(({ markup }) => markup === undefined)
  return { found: isUsual || sections.length === 0 ? found : withMarkers(found, patch), next: end + 1 }
}

/** Every section is judged by the markers around all of them too; the first reports damage to those. */
const withMarkers = (
  sections: readonly ForeignBlock[],
  { markup: [begin = '', end = ''], damaged }: ClosedPatch,
): ForeignBlock[] =>
  sections.map((section, at) => {
    const markup = [begin, ...(section.markup ?? []), end]
    if (at > 0) return { ...section, markup }
    return { ...section, markup, warnings: [...damaged.map(markerWarning), ...(section.warnings ?? [])] }
  })

type ClosedPatch = Extract<Patch, { readonly kind: 'patch' }>

/** Of a patch without its end, every section fails. */
const cutBefore =
  (first: number, last: number) =>
  (section: ForeignBlock): ForeignBlock => ({
    ...section,
    endLine: null,
    findings: [{ code: 'patch-open', data: { first, last }, line: section.startLine }],
  })

const noPatch = (line: number, last: number, finding: Finding): ForeignBlock =>
  makeUnreadable({ startLine: line, endLine: last, lastLine: last }, 'Patch', { ...finding, line })
