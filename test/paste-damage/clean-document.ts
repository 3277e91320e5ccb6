import fc from 'fast-check'

/** Random documents as a model writes them: sound blocks whose content is all that a chat program might change. */
export interface CleanDocument {
  readonly text: string
  /** Lines that are not content, from 1. */
  readonly markers: ReadonlySet<number>
  readonly before: Readonly<Record<string, string>>
}

const plainLines = [
  '',
  'word',
  'two words',
  '    indented = true',
  'if (a < b && c > d) say("x")',
  "it's 'quoted' \"twice\"",
  'a_b * c[0] # {1}',
  'C:\\temp\\new_file \\. \\_ \\\\',
  '/^\\s*<!--\\*?$/',
  '&lt;b&gt; &amp; &quot;&#39; &nbsp;',
  'a -- b --- c ...',
  '<<x>> <y>',
]

const oddLines = [
  'no\xa0break',
  'zero\u200bwidth',
  '\u201ccurly\u201d \u2014 it\u2019s\u2026',
  'trailing  ',
  '\xabx\xbb',
]

/** What looks like a marker, whole or damaged; never the delimiter of the block it stands in. */
const markerLines = [
  '#!SHAM [@three-char-SHA-256: zz9]',
  'action = "file_write"',
  'path = "stray.txt"',
  'content = "stray"',
  "content = <<'EOT_SHAM_zz9'",
  'EOT_SHAM_zz9',
  '#!END_SHAM_zz9',
  '\\#!SHAM \\[@three-char-SHA-256: zz9\\]',
  'content = &lt;&lt;&#39;EOT_SHAM_zz9&#39;',
  '#!END\\_SHAM\\_zz9',
  'action = \u201cfile_delete\u201d',
  '> #!SHAM [@three-char-SHA-256: zz9]',
  '<---WRITE file="stray.txt"--->',
  '<---END--->',
  '&lt;---END---&gt;',
  '<<<END>>>',
  '```',
  '~~~~',
]

const nested = [
  '#!SHAM [@three-char-SHA-256: zz9]\naction = "file_write"\npath = "stray.txt"\ncontent = "stray"\n#!END_SHAM_zz9',
  '\\#!SHAM \\[@three-char-SHA-256: zz9\\]\naction = "file\\_write"\npath = "stray.txt"\ncontent = \\<\\<\'EOT\\_SHAM\\_zz9\'\nstray\nEOT\\_SHAM\\_zz9\n\\#!END\\_SHAM\\_zz9',
]

const plainText = fc.array(fc.constantFrom(...plainLines), { minLength: 1, maxLength: 4 })
const anyText = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...plainLines) },
      fc.constantFrom(...oddLines, ...markerLines, ...nested),
    ),
    {
      maxLength: 6,
    },
  )
  .map((lines) => lines.join('\n'))

type Block = readonly (readonly [string, string])[]

const writing = fc
  .record({ action: fc.constantFrom('file_write', 'file_append', 'file_create'), content: anyText })
  .map(({ action, content }) => ({
    lines: [] as string[],
    blockAt: (path: string): Block => [
      ['action', action],
      ['path', path],
      ['content', content],
    ],
  }))

/**
 * The new text takes over lines of the file, or has plain ones: what turns curly quotes to straight ones cannot know of
 * a curly quote that stands nowhere else.
 */
const editing = fc
  .record({
    action: fc.constantFrom('file_replace_text', 'file_replace_all_text', 'file_edit'),
    lines: fc.array(fc.constantFrom(...plainLines, ...oddLines, ...markerLines), { minLength: 3, maxLength: 8 }),
    from: fc.nat(7),
    length: fc.integer({ min: 1, max: 3 }),
    added: plainText,
    kept: fc.boolean(),
  })
  .map(({ action, lines, from, length, added, kept }) => {
    const old = lines.slice(from % lines.length).slice(0, length)
    const changed = kept ? [...old, ...added] : added
    return {
      lines,
      blockAt: (path: string): Block => [
        ['action', action],
        ['path', path],
        ['old_text', old.join('\n')],
        ['new_text', changed.join('\n')],
      ],
    }
  })

const spellings = [
  { header: '#!SHAM [@three-char-SHA-256: ', end: '#!END_SHAM_', delimiter: 'EOT_SHAM_' },
  { header: '#!NESL [@three-char-SHA-256: ', end: '#!END_NESL_', delimiter: 'EOT_NESL_' },
  { header: '#!nesl [@three-char-SHA-256: ', end: '#!end_', delimiter: 'EOT_' },
]

export const cleanDocument = (maxBlocks: number): fc.Arbitrary<CleanDocument> =>
  fc
    .array(
      fc.record({ block: fc.oneof(writing, editing), spelling: fc.constantFrom(...spellings), inline: fc.boolean() }),
      {
        minLength: 1,
        maxLength: maxBlocks,
      },
    )
    .map((blocks) => {
      const before: Record<string, string> = {}
      const markers = new Set<number>()
      const text = ['Some words first.', '']
      const marker = (line: string): void => {
        text.push(line)
        markers.add(text.length)
      }
      blocks.forEach(({ block, spelling: { header, end, delimiter }, inline }, i) => {
        const path = `f${i}.txt`
        if (block.lines.length > 0) before[path] = `${block.lines.join('\n')}\n`
        marker(`${header}q${i}]`)
        for (const [name, value] of block.blockAt(path)) {
          // Something in the document has an angle bracket that is not content.
          const short = name === 'action' || name === 'path' || (inline && i > 0)
          if (short) marker(`${name} = ${JSON.stringify(value)}`)
          else {
            marker(`${name} = <<'${delimiter}q${i}'`)
            if (value !== '') text.push(...value.split('\n'))
            marker(`${delimiter}q${i}`)
          }
        }
        marker(`${end}q${i}`)
        text.push('', 'And then:')
      })
      return { text: `${text.join('\n')}\n`, markers, before }
    })
