/** A real edit of one file, and how a model writes it in each syntax. */
export const syntaxes = ['sham', 'csl', 'cml', 'replacer', 'search-replace', 'apply-patch', 'udiff'] as const
export type DamagedSyntax = (typeof syntaxes)[number]

export interface EditHunk {
  /** Index of its first line in the file. */
  readonly start: number
  readonly old: readonly string[]
  readonly fresh: readonly string[]
  /** Lines at both ends that old and new share. */
  readonly head: number
  readonly tail: number
}

export interface Edit {
  readonly path: string
  readonly lines: readonly string[]
  readonly hunks: readonly EditHunk[]
}

/** The file after some of the hunks. */
export function applied(
  { lines, hunks }: Pick<Edit, 'lines' | 'hunks'>,
  which: (hunk: number) => boolean = () => true,
): string[] {
  const result: string[] = []
  let at = 0
  for (const [nth, { start, old, fresh }] of hunks.entries()) {
    result.push(...lines.slice(at, start), ...(which(nth) ? fresh : old))
    at = start + old.length
  }
  return [...result, ...lines.slice(at)]
}

/** An edit of two texts with three lines of context, or nothing when it is too large or not unique. */
export function editOf(path: string, before: string, after: string): Edit | undefined {
  const lines = before.replace(/\n$/, '').split('\n')
  const fresh = after.replace(/\n$/, '').split('\n')
  if (!before.endsWith('\n') || !after.endsWith('\n') || /\r/.test(before + after)) return undefined
  const changes = changesOf(lines, fresh)
  if (changes === undefined || changes.length === 0) return undefined
  const hunks: EditHunk[] = []
  for (const change of joined(changes, 6)) {
    const head = Math.min(3, change.from)
    const tail = Math.min(3, lines.length - change.to)
    const old = lines.slice(change.from - head, change.to + tail)
    hunks.push({
      start: change.from - head,
      old,
      fresh: [
        ...lines.slice(change.from - head, change.from),
        ...change.added,
        ...lines.slice(change.to, change.to + tail),
      ],
      head,
      tail,
    })
  }
  const tooMuch = hunks.length > 3 || hunks.some(({ old, fresh: added }) => old.length > 40 || added.length > 40)
  if (tooMuch || hunks.some(({ old }) => old.length < 4 || !isUnique(lines, old))) return undefined
  return { path, lines, hunks }
}

interface Change {
  readonly from: number
  readonly to: number
  readonly added: readonly string[]
}

function joined(changes: readonly (Change & { readonly newFrom: number })[], gap: number): Change[] {
  const all: { from: number; to: number; added: string[] }[] = []
  for (const { from, to, added } of changes) {
    const last = all.at(-1)
    if (last === undefined || from - last.to > gap) all.push({ from, to, added: [...added] })
    else return [{ from: -1, to: -1, added: [] }]
  }
  return all
}

function isUnique(lines: readonly string[], part: readonly string[]): boolean {
  let found = 0
  for (let at = 0; at + part.length <= lines.length; at++) {
    if (part.every((line, nth) => lines[at + nth]?.trim() === line.trim())) found++
  }
  return found === 1
}

/** Changed lines by the longest common subsequence; undefined where that is too much work. */
function changesOf(before: readonly string[], after: readonly string[]): (Change & { newFrom: number })[] | undefined {
  let head = 0
  while (head < Math.min(before.length, after.length) && before[head] === after[head]) head++
  let tail = 0
  while (tail < Math.min(before.length, after.length) - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const a = before.slice(head, before.length - tail)
  const b = after.slice(head, after.length - tail)
  if (a.length * b.length > 200_000) return undefined
  const width = b.length + 1
  const table = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] =
        a[i] === b[j]
          ? (table[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0)
    }
  }
  const changes: (Change & { newFrom: number; to: number; added: string[] })[] = []
  let open: { from: number; to: number; newFrom: number; added: string[] } | undefined
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      open = undefined
      i++
      j++
      continue
    }
    if (open === undefined) changes.push((open = { from: head + i, to: head + i, newFrom: head + j, added: [] }))
    if (j >= b.length || (i < a.length && (table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0))) {
      i++
      open.to = head + i
    } else open.added.push(b[j++] ?? '')
  }
  return changes
}

/** How the parts of a block are written, so that damage can be done to them. */
export interface Writing {
  readonly path: string
  readonly hunks: readonly {
    readonly old: readonly string[]
    readonly fresh: readonly string[]
    readonly start: number
  }[]
  readonly numbers?: 'right' | 'wrong' | 'absent' | 'wrong-counts'
  readonly bareEmptyLines?: boolean
  readonly fences?: 'none' | 'usual'
}

export function written(syntax: DamagedSyntax, writing: Writing): string {
  const { path, hunks } = writing
  switch (syntax) {
    case 'sham':
      return hunks
        .map(({ old, fresh }, nth) => {
          const id = `a${nth}b`
          const text = (name: string, lines: readonly string[]): string =>
            `${name} = <<'EOT_SHAM_${id}'\n${lines.map((line) => `${line}\n`).join('')}EOT_SHAM_${id}`
          return [
            `#!SHAM [@three-char-SHA-256: ${id}]`,
            'action = "file_replace_text"',
            `path = "${path}"`,
            text('old_text', old),
            text('new_text', fresh),
            `#!END_SHAM_${id}`,
          ].join('\n')
        })
        .join('\n\n')
    case 'csl':
      return hunks
        .map(({ old, fresh }) =>
          [`<---SEARCH file="${path}"--->`, ...old, '<---REPLACE--->', ...fresh, '<---END--->'].join('\n'),
        )
        .join('\n\n')
    case 'cml': {
      const data = (lines: readonly string[]): string => `<![CDATA[${lines.join('\n').replaceAll(']]>', ']]&gt;')}]]>`
      return hunks
        .map(({ old, fresh }) =>
          [
            `<edit path="${path}">`,
            `<search>${data(old)}</search>`,
            `<replace>${data(fresh)}</replace>`,
            '</edit>',
          ].join('\n'),
        )
        .join('\n\n')
    }
    case 'replacer':
      return hunks
        .map(({ old, fresh }) =>
          ['<<<FILE>>>', path, '<<<SEARCH>>>', ...old, '<<<REPLACE>>>', ...fresh, '<<<END>>>'].join('\n'),
        )
        .join('\n\n')
    case 'search-replace': {
      const blocks = hunks.map(({ old, fresh }) =>
        ['<<<<<<< SEARCH', ...old, '=======', ...fresh, '>>>>>>> REPLACE'].join('\n'),
      )
      return writing.fences === 'none'
        ? `${path}\n${blocks.join('\n\n')}`
        : `${path}\n\`\`\`\n${blocks.join('\n\n')}\n\`\`\``
    }
    case 'apply-patch':
      return [
        '*** Begin Patch',
        `*** Update File: ${path}`,
        ...hunks.flatMap((hunk) => ['@@', ...marked(hunk, writing)]),
        '*** End Patch',
      ].join('\n')
    case 'udiff': {
      let grown = 0
      const body = hunks.flatMap((hunk) => {
        const { start, old, fresh } = hunk
        const header = headerOf(writing.numbers ?? 'right', start + 1, old.length, start + 1 + grown, fresh.length)
        grown += fresh.length - old.length
        return [header, ...marked(hunk, writing)]
      })
      const diff = [`--- a/${path}`, `+++ b/${path}`, ...body].join('\n')
      return writing.fences === 'none' ? diff : `\`\`\`diff\n${diff}\n\`\`\``
    }
  }
}

/** The same edit as a call of another tool, written out. */
export const calls: Readonly<Record<string, (writing: Writing) => string>> = {
  'JSON call': ({ path, hunks }) =>
    hunks
      .map(({ old, fresh }) =>
        JSON.stringify({ command: 'str_replace', path, old_str: old.join('\n'), new_str: fresh.join('\n') }),
      )
      .join('\n\n'),
  'XML call': ({ path, hunks }) =>
    hunks
      .map(
        ({ old, fresh }) =>
          `<invoke name="Edit">\n<parameter name="file_path">${path}</parameter>\n<parameter name="old_string">${old.join('\n')}</parameter>\n<parameter name="new_string">${fresh.join('\n')}</parameter>\n</invoke>`,
      )
      .join('\n\n'),
  replace_in_file: ({ path, hunks }) =>
    `<replace_in_file>\n<path>${path}</path>\n<diff>\n${hunks.map(({ old, fresh }) => ['------- SEARCH', ...old, '=======', ...fresh, '+++++++ REPLACE'].join('\n')).join('\n\n')}\n</diff>\n</replace_in_file>`,
  patch: ({ path, hunks }) =>
    `\`\`\`patch ${path}\n${hunks.map(({ old, fresh }) => ['<<<<<<< ORIGINAL', ...old, '=======', ...fresh, '>>>>>>> UPDATED'].join('\n')).join('\n\n')}\n\`\`\``,
}

function headerOf(
  numbers: NonNullable<Writing['numbers']>,
  from: number,
  count: number,
  to: number,
  fresh: number,
): string {
  if (numbers === 'absent') return '@@ ... @@'
  if (numbers === 'wrong') return `@@ -${from + 37},${count} +${to + 41},${fresh} @@`
  if (numbers === 'wrong-counts') return `@@ -${from},${count + 2} +${to},${Math.max(1, fresh - 1)} @@`
  return `@@ -${from},${count} +${to},${fresh} @@`
}

function marked(
  { old, fresh }: { readonly old: readonly string[]; readonly fresh: readonly string[] },
  { bareEmptyLines }: Writing,
): string[] {
  let head = 0
  while (head < Math.min(old.length, fresh.length) && old[head] === fresh[head]) head++
  let tail = 0
  while (tail < Math.min(old.length, fresh.length) - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++
  const context = (line: string): string => (bareEmptyLines && line === '' ? '' : ` ${line}`)
  return [
    ...old.slice(0, head).map(context),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail).map(context),
  ]
}
