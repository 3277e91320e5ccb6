import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'

/** Texts that mean something to some syntax, well or badly written, and pieces of them put together anew. */

const here = import.meta.dirname

/** Every document beside the tests of the syntaxes, and every input of the conformance cases. */
export const corpus: readonly string[] = [...caseFiles(here), ...conformanceInputs()]

function caseFiles(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.txt'))
    .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
}

function conformanceInputs(): string[] {
  return ['sham.json', 'csl.json', 'cml.json'].flatMap((name) => {
    const found: string[] = []
    collect(JSON.parse(fs.readFileSync(path.join(here, '../conformance', name), 'utf8')), found)
    return found
  })
}

/** The cases differ in form; what they have in common is that a document has several lines. */
function collect(value: unknown, found: string[]): void {
  if (typeof value === 'string') {
    if (value.includes('\n') && value.length < 20_000) found.push(value)
  } else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) collect(one, found)
}

/** Lines that open, close or nearly do so, in every syntax. */
export const fragments: readonly string[] = [
  '#!SHAM [@three-char-SHA-256: abc]\n',
  '#!nesl [@x: abc]\n',
  '#!SHAM [@wrong: abc]\n',
  'action = "file_write"\n',
  "content = <<'EOT_SHAM_abc'\n",
  'content = <<EOF\n',
  'EOT_SHAM_abc\n',
  'EOT_abc\n',
  '#!END_SHAM_abc\n',
  '#!end_abc\n',
  '<---WRITE file="a"--->\n',
  '<---SEARCH file="a"--->\n',
  '<---TASKS--->\n',
  '<---TO--->\n',
  '<---REPLACE--->\n',
  '<---END--->\n',
  '<---END---> x\n',
  '<--- \n',
  '<tasks>\n',
  '<tasks version="1.0">',
  '</tasks>\n',
  '<write path="a">',
  '<![CDATA[',
  ']]>',
  ']]&gt;',
  '</write>\n',
  '<edit path="a">\n',
  '<search>',
  '</search>',
  '</edit>\n',
  '<move from="a" to="b"/>\n',
  '<!--\n',
  '-->\n',
  '<<<EXPLANATION>>>\n',
  '<<<FILE>>>\n',
  '<<<SEARCH>>>\n',
  '<<<REPLACE>>>\n',
  '<<<OVERWRITE>>>\n',
  '<<<END>>>\n',
  'a.txt\n',
  '```\n',
  '```diff\n',
  '````\n',
  '~~~\n',
  '<<<<<<< SEARCH\n',
  '------- SEARCH\n',
  '+++++++ REPLACE\n',
  ':start_line:1\n',
  'The same in `src/b.ts`, then:\n',
  '***\xa0Begin\xa0Patch\n',
  '*** Update File: b \n',
  '&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\n',
  'End',
  '=======\n',
  '>>>>>>> REPLACE\n',
  '*** Begin Patch\n',
  '*** Update File: a\n',
  '*** Add File: b\n',
  '*** End Patch\n',
  '@@\n',
  '+x\n',
  '-y\n',
  ' z\n',
  'diff --git a/x b/x\n',
  '--- a/x\n',
  '+++ b/x\n',
  '@@ -1,2 +1,2 @@\n',
  '> ',
  '\\#!SHAM [@three-char-SHA-256: abc]\n',
  '&lt;---END---&gt;\n',
  '&lt;&lt;&lt;END&gt;&gt;&gt;\n',
  '\xa0',
  '\u200b',
  '\uFEFF',
  '    ',
  '  \n',
  '\n',
  '\r\n',
  '\r',
  'text\n',
  '"',
  "'",
  '<',
  '\\',
]

const cut = (text: string, from: number, to: number): string => {
  const lines = text.split(/(?<=\n)/)
  const first = from % (lines.length + 1)
  return lines.slice(first, first + 1 + (to % (lines.length - first + 1))).join('')
}

/** Parts of the corpus, each a run of lines, and fragments, spliced. */
export const spliced: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constantFrom(...corpus), fc.nat(), fc.nat()).map(([text, from, to]) => cut(text, from, to)),
      fc.array(fc.constantFrom(...fragments), { maxLength: 6 }).map((found) => found.join('')),
      fc.constantFrom(...corpus),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''))

/** Fragments alone, which are denser. */
export const soup: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...fragments), { maxLength: 40 })
  .map((found) => found.join(''))
