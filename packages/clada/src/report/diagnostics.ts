import type { Block, Document, ExplainedDiagnostic } from '@clada/reply/core/block.ts'
import type { Diagnostic, DiagnosticCode, DiagnosticData, FactOf, Instead } from '@clada/reply/core/diagnostic.ts'
import { isTaskName, taskNames, tasks } from '@clada/reply/core/elements.ts'
import { wordsFor } from '@clada/reply/text/undamage.ts'

/** A diagnostic in words. `blockId`: of the block that it costs. */
export function explainDiagnostic(diagnostic: Diagnostic, blockId: string | null): ExplainedDiagnostic {
  const { range, excerpt, syntax, raw } = diagnostic
  const [message, hint] = sentenceOf(diagnostic, range.line)
  const where = { ...range, blockId, content: excerpt.line, context: excerpt.around }
  return { code: reportCodeOf(diagnostic), ...where, message, hint, syntax, raw }
}

/** A document whose diagnostics are in words, for callers outside. */
export function explainDocument(document: Document): Document<ExplainedDiagnostic> {
  const inBlock = (block: Block): Block<ExplainedDiagnostic> => ({
    ...block,
    diagnostics: block.diagnostics.map((one) => explainDiagnostic(one, block.id)),
  })
  return {
    ...document,
    blocks: document.blocks.map(inBlock),
    diagnostics: document.diagnostics.map((one) => explainDiagnostic(one, null)),
    notExecuted: document.notExecuted.map(({ block, ...one }) =>
      block === undefined ? one : { ...one, block: inBlock(block) },
    ),
  }
}

/** The code that reports have for a diagnostic: that of the seeds where they give one. */
export function reportCodeOf({ code, data }: FactOf<DiagnosticCode>): string {
  const row: string | ((data: never) => string) = reportCodes[code] ?? 'malformed_block'
  return typeof row === 'string' ? row : row(data as never)
}

type ReportCodes = { readonly [One in DiagnosticCode]?: string | ((data: DiagnosticData[One]) => string) }

const reportCodes: ReportCodes = {
  'stopped-by': 'SKIPPED',
  'control-character': ({ instead }) => (instead === undefined ? 'malformed_block' : 'INVALID_VALUE'),

  'sham-header': 'MALFORMED_HEADER',
  'sham-id': 'INVALID_BLOCK_ID',
  'sham-end': 'MISMATCHED_END',
  'sham-open': 'UNCLOSED_BLOCK',
  'sham-cut': 'UNCLOSED_BLOCK',
  'sham-line': 'MALFORMED_ASSIGNMENT',
  'sham-value': 'INVALID_VALUE',
  'sham-escape': 'INVALID_VALUE',
  'sham-operator': 'INVALID_ASSIGNMENT_OPERATOR',
  'sham-no-key': 'EMPTY_KEY',
  'sham-key-indented': 'INVALID_KEY',
  'sham-key': 'INVALID_KEY',
  'sham-key-long': 'INVALID_KEY',
  'sham-key-twice': 'DUPLICATE_KEY',
  'sham-quote': 'UNCLOSED_QUOTE',
  'sham-after-value': 'TRAILING_CONTENT',
  'sham-delimiter': 'INVALID_HEREDOC_DELIMITER',
  'sham-heredoc': 'UNCLOSED_HEREDOC',
  'sham-heredoc-cut': 'UNCLOSED_HEREDOC',
  'sham-follows': 'FOLLOWS_UNCLOSED_HEREDOC',

  'csl-attribute': 'CSL_SYNTAX',
  'csl-attribute-equals': 'CSL_SYNTAX',
  'csl-attribute-value': 'CSL_SYNTAX',
  'csl-attribute-unquoted': 'CSL_SYNTAX',
  'csl-attribute-open': 'CSL_SYNTAX',
  'csl-attribute-twice': 'CSL_SYNTAX',
  'csl-malformed': 'CSL_SYNTAX',
  'csl-no-marker': 'CSL_SYNTAX',
  'csl-not-alone': 'CSL_SYNTAX',
  'csl-trailing': 'CSL_SYNTAX',
  'csl-unknown': 'CSL_SYNTAX',
  'csl-misplaced': 'CSL_SYNTAX',
  'csl-nested': 'CSL_SYNTAX',
  'csl-stray-end': 'CSL_SYNTAX',
  'csl-end-attributes': 'CSL_SYNTAX',
  'csl-no-replace': 'CSL_SYNTAX',
  'csl-open': 'truncated',
  'csl-no-file': 'CSL_INVALID',
  'csl-no-lang': 'CSL_INVALID',
  'csl-count': 'CSL_INVALID',
  'csl-flag': 'CSL_INVALID',
  'csl-empty': 'CSL_INVALID',
  'csl-skipped': 'CSL_SKIPPED',

  'cml-cut': 'truncated',
  'cml-endless': 'truncated',
  'cml-follows': 'truncated',
  'cml-in-comment': 'truncated',
  'cml-declaration': 'malformed_xml',
  'cml-inner-cdata': 'malformed_xml',
  'cml-deep': 'malformed_xml',
  'cml-outside-cdata': 'malformed_xml',
  'cml-no-end': 'malformed_xml',
  'cml-xml': 'malformed_xml',
  'cml-no-attribute': ({ name }) => (name === 'edit' ? 'missing_path_attribute' : 'malformed_xml'),
  'cml-empty-attribute': 'path_validation',
  'cml-no-content': 'malformed_xml',
  'cml-no-part': ({ part }) =>
    part === 'search-start' || part === 'search-end' ? `missing_${part.replace('-', '_')}` : `missing_${part}_element`,
  'cml-empty-part': ({ part }) => `empty_${part.replace('-', '_')}`,
  'cml-part-twice': 'malformed_xml',
  'cml-two-searches': 'conflicting_search_modes',
  'cml-beside-parts': 'malformed_xml',
  'cml-count': 'invalid_count',
  'cml-empty-command': 'invalid_parameter',
  'cml-not-empty': 'malformed_xml',
  'cml-unknown': 'malformed_xml',
  'cml-in-tasks': 'malformed_xml',
  'cml-nested': 'malformed_xml',

  'replacer-overrun': ({ isCut }) => (isCut ? 'truncated' : 'REPLACER_SYNTAX'),
  'replacer-open': 'truncated',
  'replacer-without': 'REPLACER_SYNTAX',
  'replacer-stray-end': 'REPLACER_SYNTAX',
  'replacer-second-file': 'REPLACER_SYNTAX',
  'replacer-no-path': 'REPLACER_SYNTAX',
  'replacer-below-path': 'REPLACER_SYNTAX',
  'replacer-empty-search': 'REPLACER_SYNTAX',

  'patch-in-call': ({ inner }) => reportCodeOf(inner),
  'patch-open': 'truncated',
  'search-open': 'truncated',
  'search-cut': 'truncated',
  'diff-open': 'truncated',
  'diff-nameless': ({ isCut }) => (isCut ? 'truncated' : 'malformed_block'),
  'diff-binary': 'binary_file',
  'call-open': 'truncated',
  'file-open': 'truncated',
  'lines-open': 'truncated',
}

/** `line` is the one that the diagnostic is on. */
const sentenceOf = ({ code, data }: FactOf<DiagnosticCode>, line: number): Sentence => {
  const say: (data: never, line: number) => Sentence = sentences[code]
  return say(data as never, line)
}

type Sentence = readonly [message: string, hint?: string | undefined]
type Sentences = { readonly [One in DiagnosticCode]: (data: DiagnosticData[One], line: number) => Sentence }

/** What is wrong, and what to write instead. The seeds fix most messages of SHAM, CSL and CML. */
const sentences: Sentences = {
  'own-syntax': ({ said }) => [said],
  'stopped-by': ({ line }) => [`not executed: the error on line ${line} stops the whole document`],
  damaged: ({ damage, params }) => [
    `The text was damaged in transit: the markers of this block have ${wordsFor(damage)}, and so do the parameters ${params.join(', ')}`,
    'The original text cannot be recovered. Resend the block inside a code block.',
  ],
  'control-character': ({ name, character, instead }) => [
    `The value of '${name}' would contain the control character U+${hex(character)}`,
    `A backslash in quotes begins an escape; to write a backslash itself, double it.${instead === undefined ? '' : ` ${insteadOf(instead)}`}`,
  ],

  'sham-header': ({ keyword, header, isOwnId }) => [
    `Invalid ${keyword} header format`,
    `Write the header as: ${header}${isOwnId ? '' : ' with an id of 2 to 8 letters or digits of your own.'}`,
  ],
  'sham-id': ({ id, header }) => [
    id.length < 2 || id.length > 8
      ? 'Block ID must be exactly 3 characters'
      : 'Block ID must contain only alphanumeric characters',
    `An id is 2 to 8 letters or digits, for example: ${header}`,
  ],
  'sham-end': ({ marker, given, id, end }) => [
    given === id
      ? `End marker '${marker}' is not the one of block '${id}'`
      : `End marker '${given}' doesn't match block ID '${id}'`,
    `End the block with: ${end}`,
  ],
  'sham-open': ({ id, end }) => [
    `Block '${id}' not closed before new block`,
    `End the block with ${end} on a line of its own.`,
  ],
  'sham-cut': ({ id, end, line }) => [
    `Block '${id}' not closed before EOF`,
    `The text ends inside block '${id}': send it again, complete, from its header on line ${line} to ${end}.`,
  ],
  'sham-line': ({ id, instead }) => [
    `Invalid line format in block '${id}': not a valid key-value assignment or empty line`,
    lineAdvice(instead),
  ],
  'sham-value': ({ instead }) => ['Value must be a quoted string or heredoc', insteadOf(instead)],
  'sham-escape': ({ instead }) => ['Value must be a quoted string or heredoc', insteadOf(instead)],
  'sham-operator': ({ instead }) => [
    "Invalid assignment operator ':=' - only '=' is allowed",
    instead === 'nothing' ? ONE_TEXT : insteadOf(instead),
  ],
  'sham-no-key': () => ['Assignment without key name', 'Put the name of the parameter before the =.'],
  'sham-key-indented': ({ character, position, write }) => [
    badKey(character, position),
    `Write the key at the start of the line: ${cut(write)}`,
  ],
  'sham-key': ({ character, position, example }) => [
    badKey(character, position),
    `A key is letters, digits and _, for example: ${cut(example)}`,
  ],
  'sham-key-long': () => ['Key exceeds 256 character limit', 'Use a key of at most 256 characters.'],
  'sham-key-twice': ({ key, id }) => [
    `Duplicate key '${key}' in block '${id}'`,
    `Give '${key}' once; for two actions write two blocks.`,
  ],
  'sham-quote': ({ key, delimiter, isEscaped }) => [
    'Unclosed quoted string',
    isEscaped
      ? 'Write a backslash as \\\\, so that the last quote closes the text.'
      : `Close the quote on the same line. Text of several lines goes in a heredoc: ${key} = <<'${delimiter}'`,
  ],
  'sham-after-value': () => ['Unexpected content after quoted value', ONE_TEXT],
  'sham-delimiter': (data) => [`Heredoc delimiter must be '${data.delimiter}'`, insteadOf(data)],
  'sham-heredoc': ({ delimiter, line, again, end }) => [
    `Heredoc '${delimiter}' not closed before EOF`,
    `Close the heredoc of line ${line} with ${delimiter} on a line of its own.${again === undefined ? '' : ` Line ${again} opens it a second time.`} Nothing down to line ${end} was executed.`,
  ],
  'sham-heredoc-cut': ({ delimiter, line, id, header }) => [
    `Heredoc '${delimiter}' not closed before EOF`,
    `The text ends inside the heredoc of line ${line}: send block '${id}' again, complete, from its header on line ${header}, with everything after it.`,
  ],
  'sham-follows': ({ id }) => [
    'not executed: follows an unclosed heredoc',
    `Send block '${id}' again after the block whose heredoc is not closed.`,
  ],

  'csl-attribute': (_, line) => [`Line ${line}: Invalid attribute syntax`, NAMED],
  'csl-attribute-equals': ({ name }, line) => [
    `Line ${line}: Expected '=' after attribute name`,
    `An attribute has a name and a quoted value, as in file="${cut(name)}".`,
  ],
  'csl-attribute-value': ({ name }, line) => [`Line ${line}: Missing attribute value`, `Write: ${cut(name)}="value"`],
  'csl-attribute-unquoted': ({ name, value }, line) => [
    `Line ${line}: Unquoted attribute value`,
    `Write: ${cut(name)}="${cut(value)}"`,
  ],
  'csl-attribute-open': ({ delimiters }, line) => [
    `Line ${line}: Unterminated quoted value`,
    `Close the quote before ${delimiters.end}. Inside a value a quote is written \\" and a backslash before a quote \\\\.`,
  ],
  'csl-attribute-twice': ({ name }, line) => [
    `Line ${line}: Duplicate attribute: ${name}`,
    `Give '${cut(name)}' once.`,
  ],
  'csl-malformed': ({ meant, ...csl }, line) => [`Line ${line}: Malformed marker`, `Write: ${marker(csl, meant)}`],
  'csl-no-marker': (csl, line) => [
    `Line ${line}: Malformed marker`,
    `Outside content a line may start with ${csl.delimiters.start} only if it is a marker, such as ${marker(csl, 'RUN')}.`,
  ],
  'csl-not-alone': (_, line) => [`Line ${line}: Malformed marker`, ALONE],
  'csl-trailing': ({ hasCr }, line) => [
    `Line ${line}: Content not allowed on marker line`,
    hasCr
      ? 'End every line with LF or CRLF: a lone CR is not a line break here.'
      : `${ALONE} Put this text on a line below; a content line must not start like a marker that closes the content.`,
  ],
  'csl-unknown': ({ name, operations }, line) => [
    `Line ${line}: Unknown operation: ${name}`,
    operations.includes(name.toUpperCase())
      ? `Write ${name.toUpperCase()} in capital letters.`
      : `The operations are ${anded(operations)}.`,
  ],
  'csl-misplaced': ({ name, place, ...csl }, line) => [
    `Line ${line}: ${name} marker not valid in ${place} operation`,
    searchAdvice(csl),
  ],
  'csl-nested': (_, line) => [
    `Line ${line}: TASKS cannot be nested`,
    'Close the first TASKS with END before the second, or leave the inner TASKS and its END out.',
  ],
  'csl-stray-end': (csl, line) => [
    `Line ${line}: END marker without active operation`,
    `Leave it out. If it was content, that content was closed by the ${marker(csl, 'END')} before it.`,
  ],
  'csl-end-attributes': (csl, line) => [
    `Line ${line}: END marker cannot have attributes`,
    `Write: ${marker(csl, 'END')}`,
  ],
  'csl-no-replace': (csl, line) => [`Line ${line}: SEARCH operation without REPLACE`, searchAdvice(csl)],
  'csl-open': ({ name, ...csl }, line) => [
    `Line ${line}: Unterminated ${name} operation`,
    `Close it with ${marker(csl, 'END')}. ${again(line)}`,
  ],
  'csl-no-file': ({ name }) => ["Missing required attribute 'file'", `Name the file: ${name} file="path"`],
  'csl-no-lang': () => ["Missing required attribute 'lang'", 'Name the language: EXEC lang="bash"'],
  'csl-count': () => [
    "Invalid value for 'count': must be positive integer or 'all'",
    'Give the number of occurrences, as in count="3", or count="all"; the default is 1.',
  ],
  'csl-flag': ({ attribute }) => [
    flagMessage(attribute),
    attribute === 'append'
      ? 'Write append="true" to add to the file, or leave it out.'
      : 'Write atomic="true" to apply all changes or none, or leave it out.',
  ],
  'csl-empty': ({ name }) => emptyParts[name],
  'csl-skipped': ({ line, name }) => [
    name === undefined
      ? `Skipped: its TASKS has an error on line ${line}`
      : `Skipped: ${name} on line ${line}, in the same TASKS, is not valid`,
    'The operations in a TASKS run only if all are valid: correct it and send the TASKS again.',
  ],

  'cml-cut': ({ name }) => [
    `<${name}> is not closed before the end of the text`,
    `Close it with </${name}>. Nothing after it was executed: send it again, complete, with everything after it.`,
  ],
  'cml-endless': ({ name, part }) => [
    `${part} is not closed before the end of the text`,
    `The text ends inside <${name}>: send it again, complete, with everything after it.`,
  ],
  'cml-follows': ({ name, line }) => [
    `not executed: follows an unclosed <${name}>`,
    `Send it again after the <${name}> of line ${line}, which is not closed.`,
  ],
  'cml-in-comment': ({ line }) => [
    'not executed: inside a comment that is not closed',
    `Close the comment of line ${line} with -->.`,
  ],
  'cml-mid-line': () => ['An element must start a line', 'Put it on a line of its own.'],
  'cml-version': ({ version }) => [
    `Unknown version: ${version}`,
    'Known versions are 0.0.1 and 1.x: write version="1.0", or leave it out.',
  ],
  'cml-declaration': () => [
    'Declarations and processing instructions are not allowed',
    'Leave out <!DOCTYPE …>, <!ENTITY …> and <?…?>; content goes in <![CDATA[…]]>.',
  ],
  'cml-inner-cdata': () => [
    'CDATA inside CDATA is not escaped',
    'Inside CDATA write ]]&gt; for every ]]> that is content.',
  ],
  'cml-deep': ({ most }) => [`Elements are nested more than ${most} deep`, 'Content goes in <![CDATA[…]]>.'],
  'cml-outside-cdata': () => [
    'Content must be wrapped in CDATA',
    'Write content as <![CDATA[…]]>, with ]]&gt; for every ]]> in it.',
  ],
  'cml-no-end': ({ name }) => [
    `Missing end tag: </${name}>`,
    isTaskName(name) && tasks[name].holds === 'nothing'
      ? `End the tag with />: <${name} …/>`
      : `Close <${name}> with </${name}>.`,
  ],
  'cml-xml': ({ said, about, name }) => [said, about === 'twice' ? `Give ${name} once.` : xmlAdvice[about]],
  'cml-no-attribute': ({ name, attribute }) => [`Missing required attribute: ${attribute}`, asIn(name)],
  'cml-empty-attribute': ({ name, attribute }) => [
    `Empty ${attribute} attribute`,
    attribute === 'dir' ? 'Leave dir out to run in the project root.' : asIn(name),
  ],
  'cml-no-content': ({ name }) => [
    'Missing content',
    name === 'write' ? 'For an empty file write: <write path="file.txt"><![CDATA[]]></write>' : asIn(name),
  ],
  'cml-no-part': ({ part }) => [
    `Missing element: <${part}>`,
    part === 'replace'
      ? 'Add <replace><![CDATA[new text]]></replace>; an empty one deletes.'
      : `Add <${part}><![CDATA[text of the file]]></${part}>.`,
  ],
  'cml-empty-part': ({ part }) => [
    `Empty element: <${part}>`,
    `Write: <${part}><![CDATA[text of the file]]></${part}>`,
  ],
  'cml-part-twice': ({ part }) => [`More than one <${part}>`, 'For two edits write two <edit> elements.'],
  'cml-two-searches': () => [
    'Both <search> and <search-start> or <search-end> are given',
    'Use <search> for the whole text, or <search-start> and <search-end> for its beginning and end.',
  ],
  'cml-beside-parts': () => ['Text outside <search> and <replace>', asIn('edit')],
  'cml-count': ({ count }) => [
    `Invalid count: ${count}`,
    'Write count="3" for exactly three occurrences, count="all" for every one, or leave it out for one.',
  ],
  'cml-empty-command': () => ['Empty command', asIn('run')],
  'cml-atomic': () => [flagMessage('atomic'), 'Write <tasks atomic="true">, or leave it out.'],
  'cml-not-empty': ({ name }) => [`<${name}> must be empty`, asIn(name)],
  'cml-unknown': ({ name, within }) => [`Unknown element: <${name}>`, within === 'tasks' ? IN_TASKS : asIn(within)],
  'cml-in-tasks': () => ['Text directly in <tasks>', IN_TASKS],
  'cml-nested': () => ['<tasks> cannot be nested', IN_TASKS],

  'replacer-overrun': ({ marker, section, line, first, last }) => [
    `<<<${marker}>>> inside <<<${section}>>>`,
    `Close the <<<${section}>>> of line ${line} with ${section === 'SEARCH' ? '<<<REPLACE>>> and ' : ''}<<<END>>>. Nothing from line ${first} to ${last} was executed. Content with such lines needs another syntax.`,
  ],
  'replacer-open': ({ section, first }) => [
    `Block not closed: the text ends inside <<<${section}>>>`,
    `End the block with <<<END>>>. ${again(first)}`,
  ],
  'replacer-without': ({ marker, missing }) => [
    `<<<${marker}>>> without <<<${missing}>>>${marker === 'FILE' ? ' or <<<OVERWRITE>>>' : ''}`,
    missing === 'FILE' ? FILE_FIRST : EDIT_BELOW,
  ],
  'replacer-stray-end': () => [
    '<<<END>>> without a block',
    'Leave it out. If it was content, that content was closed by the <<<END>>> before it.',
  ],
  'replacer-second-file': () => [
    '<<<FILE>>> a second time in one block',
    'Give one path; for two files write two blocks.',
  ],
  'replacer-no-path': () => ['<<<FILE>>> without a path', FILE_FIRST],
  'replacer-below-path': () => [
    'Text between the path and the next marker',
    'Only the path is below <<<FILE>>>. A marker must be alone on its line; the explanation of the change goes below <<<EXPLANATION>>>, before <<<FILE>>>.',
  ],
  'replacer-empty-search': () => [
    'Empty <<<SEARCH>>>',
    'Put the text to find below <<<SEARCH>>>; to write a new file, use <<<OVERWRITE>>>.',
  ],

  'patch-in-call': ({ line, inner }) => {
    const [message, hint] = sentenceOf(inner, line)
    return [`In the patch, line ${line}: ${message}`, hint]
  },
  'patch-open': ({ first, last }) => [
    `Patch not closed: *** End Patch is missing after line ${last}`,
    `End the patch with *** End Patch. Nothing from line ${first} to ${last} was executed: send it again, complete.`,
  ],
  'patch-stray-end': () => [
    '*** End Patch without *** Begin Patch',
    'Begin the patch with *** Begin Patch on a line of its own, and indent both alike.',
  ],
  'patch-outside': () => [
    'A section outside a patch',
    'Put *** Begin Patch on a line of its own before the first section, and *** End Patch after the last.',
  ],
  'patch-empty': () => [
    'The patch is empty',
    'Write *** Update File: path, *** Add File: path or *** Delete File: path below *** Begin Patch.',
  ],
  'patch-no-path': () => ['No path', 'Write the path of the file after the colon.'],
  'patch-move': () => ['*** Move to in the wrong place', 'Write it once, directly below *** Update File.'],
  'patch-no-change': ({ where }) => [where === 'end' ? 'Nothing follows @@' : 'The update changes nothing', PREFIXES],
  'patch-unmarked': ({ row }) => [
    `A line of a new file without +: '${row.slice(0, 60)}'`,
    'Put + before every line of the new file.',
  ],
  'patch-unknown': ({ row, where }) => [
    `${unknownRows[where]}: '${row.slice(0, 60)}'`,
    'A section starts with *** Update File: path, *** Add File: path or *** Delete File: path. Its lines start with a space, - or +.',
  ],

  'search-open': (_, line) => [
    'Block not closed: the text ends before >>>>>>> REPLACE',
    `End the block with >>>>>>> REPLACE. ${again(line)}`,
  ],
  'search-cut': ({ by }) => [
    `Block not closed: another begins on line ${by}, before >>>>>>> REPLACE`,
    `End the block with >>>>>>> REPLACE, if the one on line ${by} does not take its place.`,
  ],
  'search-stray': () => ['REPLACE without SEARCH', 'Begin the block with <<<<<<< SEARCH, the old text and =======.'],
  'search-none': () => [
    'A diff without SEARCH',
    'Write <<<<<<< SEARCH, the old text, =======, the new text and >>>>>>> REPLACE, each marker on a line of its own.',
  ],
  'search-inside': ({ first, last }) => [
    `SEARCH inside the block of line ${first}`,
    `Close the block of line ${first} with >>>>>>> REPLACE before another begins; if such lines are content, make the markers of the block longer. Nothing from line ${first} to ${last} was executed.`,
  ],
  'search-after-head': () => [
    'Text after SEARCH',
    'Put the file name on the line before the marker, and the old text on the lines below it.',
  ],
  'search-no-divider': () => [
    'SEARCH without =======',
    'Put ======= on a line of its own between the old text and the new.',
  ],
  'search-two-dividers': ({ line }) => [
    `A second divider: the first is on line ${line}, and either may be content`,
    'Use a length from 5 to 9 for all three markers of the block that no content line has.',
  ],
  'search-nameless': () => [
    'SEARCH without a file name',
    'Write the path of the file, and nothing else, on the line before the marker or before its fence.',
  ],

  'diff-open': (_, line) => [
    'The text ends inside the diff',
    `Close the fence around the diff; without a fence, end it with a line break and give each @@ its counts. ${again(line)}`,
  ],
  'diff-nameless': () => [
    'A diff without file names',
    'Put --- a/path and +++ b/path, each on a line of its own, above the first @@.',
  ],
  'diff-binary': () => [
    'A binary patch cannot be applied',
    'Only text files can be changed. Leave the file out, or create it with a command.',
  ],
  'diff-name': ({ name }) => [
    name === '' ? 'A file name is missing' : `A file name that cannot be read: ${name.slice(0, 80)}`,
    'Write the path as it is, or in double quotes with \\" and \\\\ for a quote and a backslash.',
  ],
  'diff-no-new-name': () => [
    '--- without +++',
    'Put +++ b/path directly below --- a/path; +++ /dev/null deletes the file.',
  ],
  'diff-unclear': () => [
    'The two names after diff --git cannot be separated',
    'Put --- a/path and +++ b/path above the first @@.',
  ],
  'diff-half': ({ what }) => [
    `Only one of ${what} from and ${what} to`,
    `Write both, ${what} from path and ${what} to path.`,
  ],
  'diff-no-file': () => ['Both names are /dev/null', 'Name the file on one side.'],
  'diff-two-files': (data) => [
    `The diff names two files, ${data.old} and ${data.new}`,
    'Write the same path twice; for a rename add the lines rename from path and rename to path.',
  ],
  'diff-copy': () => [
    'A copy with changes',
    'Copy the file first, then send the changes to the copy as a diff of its own.',
  ],
  'diff-old-lines': () => [
    'A new file with old lines',
    'Every line of a new file starts with +; to change an existing file, name it after ---.',
  ],
  'diff-new-lines': () => [
    'A deleted file with new lines',
    'Every line of a deleted file starts with -; to change a file, name it after +++ too.',
  ],
  'diff-no-change': ({ hasMode }) => [
    hasMode ? 'The diff only changes the file mode, which is not supported' : 'The diff changes nothing',
    PREFIXES,
  ],

  'call-open': ({ closer, isLater }, line) =>
    closer === undefined
      ? [
          'The text ends inside the call',
          isLater
            ? `Close the JSON. Only the calls before it on line ${line} were read: send this one again, complete, and what was to follow it.`
            : `Close the JSON. ${again(line)}`,
        ]
      : [`Call not closed: ${closer} is missing`, `End the call with ${closer}. ${again(line)}`],
  'call-no-json': ({ line }) => [
    `The call that begins on line ${line} is not JSON from here on`,
    'Write the call as one JSON object, with \\n for line breaks and \\" for quotes in its texts.',
  ],
  'call-without': ({ name }) => [`A call without ${name}`, `Give ${name} in the call.`],
  'file-open': (data, line) => [
    'The text ends inside the file',
    `${data.in === 'fence' ? 'Close the fence' : 'Close it as it was opened'}. ${again(line)}`,
  ],
  'file-by-shell': ({ unknown }) => [
    `A file written by a shell command: ${unknown === 'path' ? 'its path is only known to a shell' : 'a shell would change its text, because the delimiter is not quoted'}`,
    "Quote the delimiter, as in <<'EOF', and write the path as it is; or write the file as a block.",
  ],
  'files-in-fence': ({ paths }) => [
    `One fence has several files: ${paths.join(', ')}`,
    'Write each file in a fence of its own, with its name on the line above.',
  ],
  'lines-open': (_, line) => [
    'Edit not closed: end_of_edit is missing',
    `End the edit with end_of_edit. ${again(line)}`,
  ],
  'lines-no-file': () => [
    'An edit without a file',
    'Write open path on a line of its own before the edit, in the same reply.',
  ],
}

const again = (line: number): string => `Nothing from line ${line} on was executed: send it again, complete.`

/** Messages are for reading: a long text is cut. */
const cut = (text: string): string => (text.length <= 160 ? text : `${text.slice(0, 120)}…`)

const badKey = (character: string, position: number): string =>
  `Key contains invalid character '${character}' at position ${position}`

function insteadOf(instead: Instead): string {
  if ('write' in instead) return `Write: ${cut(instead.write)}`
  if ('emptyKey' in instead) return `For an empty text write: ${instead.emptyKey} = ""`
  const { key, delimiter } = instead
  return `Open it with ${cut(key)} = <<'${delimiter}' and close it with ${delimiter} on a line of its own.`
}

function lineAdvice(instead: DiagnosticData['sham-line']['instead']): string {
  if (instead === 'nothing') return 'A block has no comments: leave this line out.'
  if ('fence' in instead) return `Put the code fence outside the block, below ${instead.fence}.`
  if (!('delimiter' in instead) || 'key' in instead) return insteadOf(instead)
  return `Every line is key = "text" or key = <<'${instead.delimiter}'. Put text of several lines in a heredoc.`
}

const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

const ONE_TEXT =
  'End the line at the closing quote; a block has no comments, and a quote inside the text is written \\".'

const ALONE = 'A marker must be alone on its line.'
const NAMED = 'An attribute has a name and a quoted value, as in file="src/a.ts".'

const marker = ({ delimiters }: DiagnosticData['csl-no-marker'], inner: string): string =>
  delimiters.start + inner + delimiters.end

const searchAdvice = (csl: DiagnosticData['csl-no-marker']): string =>
  `Write ${marker(csl, 'SEARCH file="path"')}, the text to find, ${marker(csl, 'REPLACE')}, the new text, ${marker(csl, 'END')}.`

const flagMessage = (name: string): string => `Invalid value for '${name}': must be 'true' or 'false'`

const emptyParts: Readonly<Record<DiagnosticData['csl-empty']['name'], Sentence>> = {
  RUN: ['Empty content not allowed for RUN operation', 'Put the command on the line below the marker.'],
  EXEC: ['Empty content not allowed for EXEC operation', 'Put the code on the lines below the marker.'],
  SEARCH: [
    'Empty search pattern not allowed',
    'Put the text to find between SEARCH and REPLACE; WRITE makes a new file.',
  ],
  TO: ['Empty TO pattern not allowed', 'Put the text that ends the range below TO, or leave TO out.'],
}

const asIn = (name: string): string => `Write: ${elements[name]}`

const elements: Readonly<Record<string, string>> = {
  write: '<write path="file.txt"><![CDATA[content]]></write>',
  edit: '<edit path="file.txt"><search><![CDATA[old text]]></search><replace><![CDATA[new text]]></replace></edit>',
  run: '<run><![CDATA[npm test]]></run>',
  read: '<read path="file.txt" lines="80-125"/>',
  exec: '<exec lang="bash"><![CDATA[code]]></exec>',
  move: '<move from="old.txt" to="new.txt"/>',
  remove: '<remove path="file.txt"/>',
}

const anded = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

const IN_TASKS = `<tasks> can only contain ${anded(taskNames.map((name) => `<${name}>`))}.`

const xmlAdvice = {
  element: 'Write an element as <name attribute="value"><![CDATA[content]]></name>.',
  tag: 'End the tag with >.',
  quotes: 'Write attributes as name="value", in quotes.',
  reference: 'Write & as &amp; in an attribute.',
  character: 'Leave control characters out of tags.',
}

const FILE_FIRST =
  'Put <<<FILE>>> and the path, each on a line of its own, before every <<<SEARCH>>> and <<<OVERWRITE>>>.'
const EDIT_BELOW =
  'Below the path write <<<SEARCH>>>, the old text, <<<REPLACE>>>, the new text, <<<END>>>; or <<<OVERWRITE>>>, the whole file, <<<END>>>.'

const PREFIXES = 'Prefix removed lines with -, added lines with +, and a few unchanged context lines with a space.'

const unknownRows = {
  before: 'Expected *** Update File, *** Add File or *** Delete File',
  marker: 'Unknown marker',
  deleted: 'Text below *** Delete File',
}
