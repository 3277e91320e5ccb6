import { applied, type DamagedSyntax, type Edit, type EditHunk, type Writing, written } from './edit.ts'

/** An edit on its way: the file it meets, what must come of it, and how it is written. */
export interface Case {
  readonly edit: Edit
  readonly file: string
  readonly expected: string
  readonly writing: Writing
  readonly document: (text: string) => string
  /** Done to the whole reply. */
  readonly whole?: 'quoted' | 'cut-off'
  readonly refusal?: Refusal
}

/** What the report about an edit that must be refused has to say, so that the next try succeeds. */
export type Refusal =
  /** There is nothing to send again: the place is gone, the edit was applied, or the reply is not all there. */
  | { readonly kind: 'gone' | 'applied' | 'cut-off' }
  /** The file as it must become, and its lines where the first change is to be. */
  | { readonly kind: 'twice' | 'changed'; readonly meant: string; readonly lines: readonly string[] }

export interface Damage {
  readonly name: string
  readonly class: 'nothing-lost' | 'by-context' | 'must-refuse'
  /** The part of the edit it is done to: two damages of one part do not combine. */
  readonly part: 'lines' | 'space' | 'characters' | 'file' | 'document' | 'path' | 'header' | 'context' | 'none'
  readonly syntaxes?: readonly DamagedSyntax[]
  /** Whether the reply says what is not in the file, so that applying it takes a warning. */
  readonly warns?: boolean
  /** The case with the damage; undefined where it cannot be done. */
  damage(one: Case): Case | undefined
}

export const cleanCase = (edit: Edit): Case => ({
  edit,
  file: `${edit.lines.join('\n')}\n`,
  expected: `${applied(edit).join('\n')}\n`,
  writing: { path: edit.path, hunks: edit.hunks },
  document: (text) => text,
})

export function textOf(one: Case, syntax: DamagedSyntax | ((writing: Writing) => string)): string {
  const text = one.document(typeof syntax === 'string' ? written(syntax, one.writing) : syntax(one.writing))
  const whole = `Here is the change.\n\n${text}\n\nThat is all.\n`
  if (one.whole === 'cut-off') {
    const last = one.writing.hunks.at(-1)?.fresh.findLast((line) => line.trim().length > 5) ?? '?'
    const at = whole.lastIndexOf(last.slice(0, Math.ceil(last.length / 2)))
    return at < whole.length / 3 ? whole.slice(0, whole.length * 0.7) : whole.slice(0, at + last.length / 2)
  }
  return one.whole === 'quoted'
    ? whole
        .split('\n')
        .map((line) => `> ${line}`.trimEnd())
        .join('\n')
    : whole
}

type Lines = readonly string[]

const eachLine = (one: Case, change: (line: string) => string): Case | undefined => {
  const hunks = one.writing.hunks.map((hunk) => ({ ...hunk, old: hunk.old.map(change), fresh: hunk.fresh.map(change) }))
  // Damage that only new lines show cannot be told from what is meant.
  const isHidden = one.writing.hunks.some(({ old, fresh }) => sameAll(old, change) && !sameAll(fresh, change))
  const same = JSON.stringify(hunks) === JSON.stringify(one.writing.hunks)
  return same || isHidden ? undefined : { ...one, writing: { ...one.writing, hunks } }
}

const sameAll = (lines: Lines, change: (line: string) => string): boolean =>
  lines.every((line) => change(line) === line)

const eachSide = (
  one: Case,
  change: (lines: Lines, side: 'old' | 'fresh', hunk: number) => Lines | undefined,
): Case | undefined => {
  const hunks: Writing['hunks'][number][] = []
  for (const [nth, hunk] of one.writing.hunks.entries()) {
    const old = change(hunk.old, 'old', nth)
    const fresh = change(hunk.fresh, 'fresh', nth)
    if (old === undefined || fresh === undefined) return undefined
    hunks.push({ ...hunk, old, fresh })
  }
  return { ...one, writing: { ...one.writing, hunks } }
}

const inDocument = (one: Case, change: (text: string) => string): Case => ({
  ...one,
  document: (text) => change(one.document(text)),
})

const html = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const curly = (line: string): string =>
  line
    .replace(/(^|[\s([{<=])"/g, '$1\u201c')
    .replaceAll('"', '\u201d')
    .replace(/(^|[\s([{<=])'/g, '$1\u2018')
    .replaceAll("'", '\u2019')

const commonIndent = (lines: Lines): string => {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0] ?? '')
  let common = indents[0] ?? ''
  for (const indent of indents) while (!indent.startsWith(common)) common = common.slice(0, -1)
  return common
}

/** A change of the file outside of what the edit changes, before and after it. */
function fileChanged(
  one: Case,
  change: (lines: readonly string[], hunk: EditHunk) => { at: number; remove: number; add: Lines } | undefined,
): Case | undefined {
  const [hunk] = one.edit.hunks
  if (hunk === undefined) return undefined
  const done = change(one.edit.lines, hunk)
  if (done === undefined) return undefined
  const before = [...one.edit.lines]
  const after = applied(one.edit)
  const inHead = done.at <= hunk.start + hunk.head
  const shifted = inHead ? done.at : done.at + hunk.fresh.length - hunk.old.length
  before.splice(done.at, done.remove, ...done.add)
  after.splice(shifted, done.remove, ...done.add)
  return { ...one, file: `${before.join('\n')}\n`, expected: `${after.join('\n')}\n` }
}

/** The lines of a context line in the writing, changed on both sides. */
function contextChanged(
  one: Case,
  pick: (line: string) => boolean,
  change: (line: string) => string | undefined,
): Case | undefined {
  for (const [nth, { head, tail, old }] of one.edit.hunks.entries()) {
    if (!isRecoverable(one.edit, nth)) return undefined
    const inserts = isInsertion(one.edit.hunks[nth])
    for (let at = 0; at < old.length; at++) {
      const fromEnd = old.length - at
      const isContext = at < head - (inserts ? 1 : 0) || fromEnd <= tail - (inserts ? 1 : 0)
      const line = old[at] ?? ''
      if (!isContext || !pick(line)) continue
      const other = change(line)
      if (other === undefined || other === line) continue
      return eachSide(one, (lines, _, hunk) => {
        if (hunk !== nth) return lines
        const index = at < head ? at : lines.length - fromEnd
        return lines.with(index, other)
      })
    }
  }
  return undefined
}

/** Whether a hunk may be found although a line of its context differs: enough lines, and no other place like it. */
const isRecoverable = (edit: Edit, nth: number): boolean =>
  (edit.hunks[nth]?.old ?? []).filter((line) => line.trim() !== '').length >= 4 && isAlone(edit, nth)

const alone = new WeakMap<EditHunk, boolean>()

function isAlone({ lines, hunks }: Edit, nth: number): boolean {
  const hunk = hunks[nth]
  if (hunk === undefined) return false
  const known = alone.get(hunk) ?? isOnly(lines, hunk)
  alone.set(hunk, known)
  return known
}

function isOnly(lines: Lines, { start, old }: EditHunk): boolean {
  const content = old.map((line) => line.trim()).filter((line) => line !== '')
  const size = content.join('').length
  for (let at = 0; at < lines.length; at++) {
    if (at < start + old.length && at + old.length + 2 > start) continue
    const left = [...content]
    let alike = 0
    for (const line of lines.slice(at, at + old.length + 2)) {
      const found = left.indexOf(line.trim())
      if (found !== -1) alike += left.splice(found, 1).join('').length
    }
    if (alike > 0.4 * size) return false
  }
  return true
}

const isCode = ({ path }: Edit): boolean => /\.(?:[cm]?[jt]s|py)$/.test(path)

const isInsertion = (hunk: EditHunk | undefined): boolean =>
  hunk !== undefined && hunk.old.length === hunk.head + hunk.tail

const word = (line: string): string | undefined => {
  const found = [...line.matchAll(/[A-Za-z]{4,}/g)].at(-1)
  return found === undefined
    ? undefined
    : `${line.slice(0, found.index)}other${line.slice(found.index + found[0].length)}`
}

/** Other bytes in the file where the edit looks, and nothing that may be written then. */
function refused(one: Case, file: string): Case {
  return { ...one, file, expected: file }
}

const withLines = (one: Case, lines: Lines, refusal: Refusal): Case =>
  refused({ ...one, writing: { ...one.writing, numbers: 'absent' }, refusal }, `${lines.join('\n')}\n`)

/** The first lines of the file that change, with a line before and after them. */
export const changingLines = ({ lines, hunks: [hunk] }: Edit): Lines =>
  hunk === undefined
    ? []
    : lines.slice(
        Math.max(0, hunk.start + hunk.head - 1),
        hunk.start + hunk.old.length - hunk.tail + (hunk.tail > 0 ? 1 : 0),
      )

const twice = ({ edit }: Case, more: Lines): Refusal => ({
  kind: 'twice',
  meant: `${[...applied(edit), ...more].join('\n')}\n`,
  lines: changingLines(edit),
})

const changedTo = ({ edit }: Case, lines: Lines): Refusal => ({
  kind: 'changed',
  meant: `${applied(edit).join('\n')}\n`,
  lines: changingLines({ ...edit, lines }),
})

const changedLine = ({ hunks: [hunk] }: Edit): number | undefined =>
  hunk === undefined || isInsertion(hunk) ? undefined : hunk.start + hunk.head

export const damages: readonly Damage[] = [
  { name: 'none', class: 'nothing-lost', part: 'none', damage: (one) => one },
  {
    name: 'trailing spaces dropped',
    class: 'nothing-lost',
    part: 'file',
    warns: true,
    damage: (one) =>
      fileChanged(one, (lines, { start, head }) =>
        head === 0 || lines[start]?.trim() === '' ? undefined : { at: start, remove: 1, add: [`${lines[start]}  `] },
      ),
  },
  {
    name: 'trailing spaces added',
    class: 'nothing-lost',
    part: 'space',
    warns: true,
    damage: (one) => eachLine(one, (line) => `${line}  `),
  },
  {
    name: 'tabs for spaces',
    class: 'nothing-lost',
    part: 'space',
    warns: true,
    damage: (one) => {
      const text = one.writing.hunks.flatMap(({ old, fresh }) => [...old, ...fresh])
      if (text.some((line) => line.startsWith('\t')))
        return eachLine(one, (line) => line.replace(/^\t+/, (tabs) => '    '.repeat(tabs.length)))
      const unit = text.every((line) => (/^ */.exec(line)?.[0].length ?? 0) % 4 === 0) ? 4 : 2
      return eachLine(one, (line) =>
        line.replace(/^ +/, (space) => '\t'.repeat(Math.floor(space.length / unit)) + ' '.repeat(space.length % unit)),
      )
    },
  },
  {
    name: 'indentation lost',
    class: 'nothing-lost',
    part: 'space',
    warns: true,
    damage: (one) => {
      const changed = eachSide(one, (lines, _, nth) => {
        const hunk = one.writing.hunks[nth]
        const indent = commonIndent([...(hunk?.old ?? []), ...(hunk?.fresh ?? [])])
        return lines.map((line) => line.slice(line.trim() === '' ? 0 : indent.length))
      })
      return JSON.stringify(changed?.writing.hunks) === JSON.stringify(one.writing.hunks) ? undefined : changed
    },
  },
  {
    name: 'indentation added',
    class: 'nothing-lost',
    part: 'space',
    warns: true,
    damage: (one) => eachLine(one, (line) => (line.trim() === '' ? line : `    ${line}`)),
  },
  { name: 'entities', class: 'nothing-lost', part: 'characters', warns: true, damage: (one) => eachLine(one, html) },
  {
    name: 'entities in markers too',
    class: 'nothing-lost',
    part: 'characters',
    warns: true,
    damage: (one) => eachLine(one, html) && inDocument(one, html),
  },
  {
    name: 'curly quotes',
    class: 'nothing-lost',
    part: 'characters',
    warns: true,
    damage: (one) => eachLine(one, curly),
  },
  {
    name: 'curly quotes in markers too',
    class: 'nothing-lost',
    part: 'characters',
    warns: true,
    damage: (one) => eachLine(one, curly) && inDocument(one, (text) => text.split('\n').map(curly).join('\n')),
  },
  {
    name: 'no-break spaces in indentation',
    class: 'nothing-lost',
    part: 'space',
    warns: true,
    damage: (one) => eachLine(one, (line) => line.replace(/^ +/, (space) => '\xa0'.repeat(space.length))),
  },
  {
    name: 'no-break spaces everywhere',
    class: 'nothing-lost',
    part: 'space',
    warns: true,
    damage: (one) => eachLine(one, (line) => line.replaceAll(' ', '\xa0')),
  },
  {
    name: 'NFD',
    class: 'nothing-lost',
    part: 'characters',
    warns: true,
    damage: (one) => eachLine(one, (line) => line.normalize('NFD')),
  },
  {
    name: 'line numbers',
    class: 'nothing-lost',
    part: 'lines',
    warns: true,
    damage: (one) =>
      eachSide(one, (lines, _, nth) =>
        lines.map((line, at) => `${(one.edit.hunks[nth]?.start ?? 0) + at + 1}: ${line}`),
      ),
  },
  {
    name: 'CRLF file',
    class: 'nothing-lost',
    part: 'file',
    damage: (one) => ({
      ...one,
      file: one.file.replaceAll('\n', '\r\n'),
      expected: one.expected.replaceAll('\n', '\r\n'),
    }),
  },
  {
    name: 'CRLF reply',
    class: 'nothing-lost',
    part: 'document',
    damage: (one) => inDocument(one, (text) => text.replaceAll('\n', '\r\n')),
  },
  {
    name: 'no final newline in the file',
    class: 'nothing-lost',
    part: 'file',
    damage: (one) => ({ ...one, file: one.file.slice(0, -1), expected: one.expected.slice(0, -1) }),
  },
  {
    name: 'quoted',
    class: 'nothing-lost',
    part: 'document',
    warns: true,
    damage: (one) => ({ ...one, whole: 'quoted' }),
  },
  {
    name: 'fence around',
    class: 'nothing-lost',
    part: 'document',
    syntaxes: ['sham', 'csl', 'cml', 'replacer', 'apply-patch'],
    damage: (one) => inDocument(one, (text) => `\`\`\`\n${text}\n\`\`\``),
  },
  {
    name: 'fence missing',
    class: 'nothing-lost',
    part: 'document',
    syntaxes: ['search-replace', 'udiff'],
    damage: (one) => ({ ...one, writing: { ...one.writing, fences: 'none' } }),
  },
  {
    name: 'fence inside',
    class: 'nothing-lost',
    part: 'lines',
    warns: true,
    syntaxes: ['sham', 'csl', 'cml', 'replacer', 'search-replace'],
    damage: (one) => eachSide(one, (lines) => ['```ts', ...lines, '```']),
  },
  {
    name: 'block indented',
    class: 'nothing-lost',
    part: 'document',
    warns: true,
    syntaxes: ['sham', 'csl', 'replacer', 'search-replace', 'apply-patch', 'udiff'],
    damage: (one) =>
      inDocument(one, (text) =>
        text
          .split('\n')
          .map((line) => (line === '' ? '' : `    ${line}`))
          .join('\n'),
      ),
  },
  {
    name: 'bullet before the block',
    class: 'nothing-lost',
    part: 'document',
    warns: true,
    damage: (one) =>
      inDocument(one, (text) =>
        text
          .split('\n')
          .map((line, at) => (at === 0 ? `- ${line}` : line === '' ? '' : `  ${line}`))
          .join('\n'),
      ),
  },
  {
    name: 'number before the block',
    class: 'nothing-lost',
    part: 'document',
    warns: true,
    damage: (one) =>
      inDocument(one, (text) =>
        text
          .split('\n')
          .map((line, at) => (at === 0 ? `1. ${line}` : line === '' ? '' : `   ${line}`))
          .join('\n'),
      ),
  },
  {
    name: 'wrong numbers',
    class: 'nothing-lost',
    part: 'header',
    syntaxes: ['udiff'],
    damage: (one) =>
      one.writing.numbers === undefined ? { ...one, writing: { ...one.writing, numbers: 'wrong' } } : undefined,
  },
  {
    name: 'no numbers',
    class: 'nothing-lost',
    part: 'header',
    syntaxes: ['udiff'],
    damage: (one) => ({ ...one, writing: { ...one.writing, numbers: 'absent' } }),
  },
  {
    name: 'wrong counts',
    class: 'nothing-lost',
    part: 'header',
    syntaxes: ['udiff'],
    damage: (one) =>
      one.writing.numbers === undefined ? { ...one, writing: { ...one.writing, numbers: 'wrong-counts' } } : undefined,
  },
  {
    name: 'bare empty lines',
    class: 'nothing-lost',
    part: 'header',
    syntaxes: ['apply-patch', 'udiff'],
    damage: (one) =>
      one.writing.hunks.some(({ old }) => old.includes(''))
        ? { ...one, writing: { ...one.writing, bareEmptyLines: true } }
        : undefined,
  },
  {
    name: 'path with ./',
    class: 'nothing-lost',
    part: 'path',
    syntaxes: ['sham', 'csl', 'cml', 'replacer', 'search-replace', 'apply-patch'],
    damage: (one) => ({ ...one, writing: { ...one.writing, path: `./${one.writing.path}` } }),
  },
  {
    name: 'path with a/',
    class: 'nothing-lost',
    part: 'path',
    syntaxes: ['search-replace', 'apply-patch'],
    damage: (one) => ({ ...one, writing: { ...one.writing, path: `a/${one.writing.path}` } }),
  },
  {
    name: 'path in backticks',
    class: 'nothing-lost',
    part: 'path',
    syntaxes: ['search-replace'],
    damage: (one) => ({ ...one, writing: { ...one.writing, path: `\`${one.writing.path}\`` } }),
  },
  {
    name: 'path in bold',
    class: 'nothing-lost',
    part: 'path',
    syntaxes: ['search-replace'],
    damage: (one) => ({ ...one, writing: { ...one.writing, path: `**${one.writing.path}**` } }),
  },
  {
    name: 'path after File:',
    class: 'nothing-lost',
    part: 'path',
    syntaxes: ['search-replace'],
    damage: (one) => ({ ...one, writing: { ...one.writing, path: `File: ${one.writing.path}` } }),
  },
  {
    name: 'path in another case',
    class: 'nothing-lost',
    part: 'path',
    warns: true,
    damage: (one) => ({ ...one, writing: { ...one.writing, path: one.writing.path.toUpperCase() } }),
  },

  {
    name: 'a word of a context line',
    class: 'by-context',
    part: 'context',
    warns: true,
    damage: (one) => contextChanged(one, (line) => line.trim() !== '' && word(line) !== undefined, word),
  },
  {
    name: 'a comment in the context',
    class: 'by-context',
    part: 'context',
    warns: true,
    damage: (one) =>
      contextChanged(
        one,
        (line) => /^\s*(?:\/\/|\*|#)/.test(line),
        (line) => line.replace(/(\/\/|\*|#).*/, '$1 another comment altogether'),
      ),
  },
  {
    name: 'an empty line missing',
    class: 'by-context',
    part: 'context',
    warns: true,
    damage: (one) => {
      const [hunk] = one.edit.hunks
      if (hunk === undefined || !isRecoverable(one.edit, 0)) return undefined
      const at = hunk.old.findIndex((line, nth) => line === '' && nth > 0 && nth < hunk.head - 1)
      return at === -1 ? undefined : eachSide(one, (lines, _, nth) => (nth === 0 ? lines.toSpliced(at, 1) : lines))
    },
  },
  {
    name: 'an empty line added',
    class: 'by-context',
    part: 'context',
    warns: true,
    damage: (one) => {
      const [hunk] = one.edit.hunks
      if (hunk === undefined || hunk.head < 3 || hunk.old[0]?.trim() === '' || !isRecoverable(one.edit, 0))
        return undefined
      return eachSide(one, (lines, _, nth) => (nth === 0 ? lines.toSpliced(1, 0, '') : lines))
    },
  },
  {
    name: 'a line inserted in the file',
    class: 'by-context',
    part: 'context',
    warns: true,
    damage: (one) =>
      fileChanged(one, (_, { start, head, old }) =>
        head < 3 || old[0]?.trim() === '' || !isRecoverable(one.edit, 0)
          ? undefined
          : { at: start + 1, remove: 0, add: ['// a line that came in between 71'] },
      ),
  },
  {
    name: 'a line inserted in the file before the change',
    class: 'by-context',
    part: 'context',
    warns: true,
    damage: (one) =>
      fileChanged(one, (_, hunk) =>
        isInsertion(hunk) || hunk.head === 0 || !isRecoverable(one.edit, 0)
          ? undefined
          : { at: hunk.start + hunk.head, remove: 0, add: ['// a line that came in between 71'] },
      ),
  },
  {
    name: 'a line removed in the file',
    class: 'by-context',
    part: 'context',
    warns: true,
    damage: (one) =>
      fileChanged(one, (_, { start, head, old }) =>
        head < 3 || old[0]?.trim() === '' || old[1]?.trim() === '' || !isRecoverable(one.edit, 0)
          ? undefined
          : { at: start + 1, remove: 1, add: [] },
      ),
  },
  {
    name: 'elision in both',
    class: 'by-context',
    part: 'lines',
    warns: true,
    damage: (one) => {
      // Two changes in one block with what is between them left out.
      const [first, second] = one.writing.hunks
      if (!isCode(one.edit) || one.writing.hunks.length !== 2 || first === undefined || second === undefined)
        return undefined
      const dots = `${commonIndent([...first.old, ...second.old])}${one.edit.path.endsWith('.py') ? '#' : '//'} ... existing code ...`
      return {
        ...one,
        writing: {
          ...one.writing,
          hunks: [
            {
              start: first.start,
              old: [...first.old, dots, ...second.old],
              fresh: [...first.fresh, dots, ...second.fresh],
            },
          ],
        },
      }
    },
    syntaxes: ['sham', 'csl', 'cml', 'replacer', 'search-replace'],
  },
  {
    name: 'elision in the new text',
    class: 'by-context',
    part: 'lines',
    warns: true,
    syntaxes: ['sham', 'csl', 'cml', 'replacer', 'search-replace'],
    damage: (one) => {
      const [hunk] = one.edit.hunks
      if (!isCode(one.edit) || hunk === undefined || hunk.head < 3) return undefined
      const [top = '', , under = ''] = hunk.old
      if (
        top.trim().length < 4 ||
        under.trim().length < 4 ||
        hunk.old.filter((line) => line === top || line === under).length !== 2
      )
        return undefined
      const dots = `${/^\s*/.exec(top)?.[0]}${one.edit.path.endsWith('.py') ? '#' : '//'} ... existing code ...`
      return eachSide(one, (lines, side, nth) => (nth === 0 && side === 'fresh' ? lines.toSpliced(1, 1, dots) : lines))
    },
  },

  {
    name: 'the text is there twice',
    class: 'must-refuse',
    part: 'file',
    damage: (one) => {
      const more = ['', ...(one.edit.hunks[0]?.old ?? [])]
      return withLines(one, [...one.edit.lines, ...more], twice(one, more))
    },
  },
  {
    name: 'twice when spaces are ignored',
    class: 'must-refuse',
    part: 'file',
    damage: (one) => {
      const [hunk] = one.edit.hunks
      const changed = eachLine(one, (line) => (line.trim() === '' ? line : ` ${line}`))
      const more = ['', ...(hunk?.old ?? []).map((line) => (line === '' ? '' : `   ${line}`))]
      return changed && withLines(changed, [...one.edit.lines, ...more], twice(one, more))
    },
  },
  {
    name: 'twice when a context line is misremembered',
    class: 'must-refuse',
    part: 'file',
    damage: (one) => {
      const changed = contextChanged(
        { ...one, edit: { ...one.edit, hunks: one.edit.hunks.slice(0, 1) } },
        (line) => word(line) !== undefined,
        word,
      )
      const more = ['', ...(one.edit.hunks[0]?.old ?? [])]
      return changed && withLines({ ...changed, edit: one.edit }, [...one.edit.lines, ...more], twice(one, more))
    },
  },
  {
    name: 'the line is another one by now',
    class: 'must-refuse',
    part: 'file',
    damage: (one) => {
      const at = changedLine(one.edit)
      if (at === undefined) return undefined
      const indent = /^\s*/.exec(one.edit.lines[at] ?? '')?.[0]
      const lines = one.edit.lines.with(at, `${indent}somethingElse(41, "entirely")`)
      return withLines(one, lines, changedTo(one, lines))
    },
  },
  {
    name: 'a number in the line changed',
    class: 'must-refuse',
    part: 'file',
    damage: (one) => {
      const at = changedLine(one.edit)
      const line = at === undefined ? '' : (one.edit.lines[at] ?? '')
      const other = line.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))
      if (at === undefined || other === line) return undefined
      const lines = one.edit.lines.with(at, other)
      return withLines(one, lines, changedTo(one, lines))
    },
  },
  {
    name: 'the region is gone',
    class: 'must-refuse',
    part: 'file',
    // Where something like it is left, that cannot be told from the region with a line misremembered.
    damage: (one) =>
      isAlone(one.edit, 0)
        ? withLines(one, one.edit.lines.toSpliced(one.edit.hunks[0]?.start ?? 0, one.edit.hunks[0]?.old.length ?? 0), {
            kind: 'gone',
          })
        : undefined,
  },
  {
    name: 'already applied',
    class: 'must-refuse',
    part: 'file',
    damage: (one) =>
      one.edit.hunks.some(({ head, tail }) => head === 0 || tail === 0)
        ? undefined
        : refused({ ...one, refusal: { kind: 'applied' } }, one.expected),
  },
  {
    name: 'cut off',
    class: 'must-refuse',
    part: 'document',
    damage: (one) => ({ ...one, expected: one.file, whole: 'cut-off', refusal: { kind: 'cut-off' } }),
  },
]
