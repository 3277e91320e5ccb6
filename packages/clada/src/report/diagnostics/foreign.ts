import type { DiagnosticCode } from '@clada/reply/core/diagnostic.ts'
import { sendAgainFrom, type DiagnosticRows } from './row.ts'

/** Patches, search-replace blocks, diffs, and calls of the tools of other agents. */
export const foreignDiagnostics: DiagnosticRows<
  Extract<DiagnosticCode, `${'patch' | 'search' | 'diff' | 'call' | 'file' | 'files' | 'lines'}-${string}`>
> = {
  'patch-in-call': {
    code: ({ inner }, explain) => explain.code(inner),
    say: ({ line, inner }, _, explain) => {
      const [message, hint] = explain.sentence(inner, line)
      return [`In the patch, line ${line}: ${message}`, hint]
    },
  },
  'patch-open': {
    code: 'truncated',
    say: ({ first, last }) => [
      `Patch not closed: *** End Patch is missing after line ${last}`,
      `End the patch with *** End Patch. Nothing from line ${first} to ${last} was executed: send it again, complete.`,
    ],
  },
  'patch-stray-end': {
    say: () => [
      '*** End Patch without *** Begin Patch',
      'Begin the patch with *** Begin Patch on a line of its own, and indent both alike.',
    ],
  },
  'patch-outside': {
    say: () => [
      'A section outside a patch',
      'Put *** Begin Patch on a line of its own before the first section, and *** End Patch after the last.',
    ],
  },
  'patch-empty': {
    say: () => [
      'The patch is empty',
      'Write *** Update File: path, *** Add File: path or *** Delete File: path below *** Begin Patch.',
    ],
  },
  'patch-no-path': {
    say: () => ['No path', 'Write the path of the file after the colon.'],
  },
  'patch-move': {
    say: () => ['*** Move to in the wrong place', 'Write it once, directly below *** Update File.'],
  },
  'patch-no-change': {
    say: ({ where }) => [where === 'end' ? 'Nothing follows @@' : 'The update changes nothing', PREFIXES],
  },
  'patch-unmarked': {
    say: ({ row }) => [
      `A line of a new file without +: '${row.slice(0, 60)}'`,
      'Put + before every line of the new file.',
    ],
  },
  'patch-unknown': {
    say: ({ row, where }) => [
      `${unknownRows[where]}: '${row.slice(0, 60)}'`,
      'A section starts with *** Update File: path, *** Add File: path or *** Delete File: path. Its lines start with a space, - or +.',
    ],
  },
  'search-open': {
    code: 'truncated',
    say: (_, line) => [
      'Block not closed: the text ends before >>>>>>> REPLACE',
      `End the block with >>>>>>> REPLACE. ${sendAgainFrom(line)}`,
    ],
  },
  'search-cut': {
    code: 'truncated',
    say: ({ by }) => [
      `Block not closed: another begins on line ${by}, before >>>>>>> REPLACE`,
      `End the block with >>>>>>> REPLACE, if the one on line ${by} does not take its place.`,
    ],
  },
  'search-stray': {
    say: () => ['REPLACE without SEARCH', 'Begin the block with <<<<<<< SEARCH, the old text and =======.'],
  },
  'search-none': {
    say: () => [
      'A diff without SEARCH',
      'Write <<<<<<< SEARCH, the old text, =======, the new text and >>>>>>> REPLACE, each marker on a line of its own.',
    ],
  },
  'search-inside': {
    say: ({ first, last }) => [
      `SEARCH inside the block of line ${first}`,
      `Close the block of line ${first} with >>>>>>> REPLACE before another begins; if such lines are content, make the markers of the block longer. Nothing from line ${first} to ${last} was executed.`,
    ],
  },
  'search-after-head': {
    say: () => [
      'Text after SEARCH',
      'Put the file name on the line before the marker, and the old text on the lines below it.',
    ],
  },
  'search-no-divider': {
    say: () => ['SEARCH without =======', 'Put ======= on a line of its own between the old text and the new.'],
  },
  'search-two-dividers': {
    say: ({ line }) => [
      `A second divider: the first is on line ${line}, and either may be content`,
      'Use a length from 5 to 9 for all three markers of the block that no content line has.',
    ],
  },
  'search-nameless': {
    say: () => [
      'SEARCH without a file name',
      'Write the path of the file, and nothing else, on the line before the marker or before its fence.',
    ],
  },
  'diff-open': {
    code: 'truncated',
    say: (_, line) => [
      'The text ends inside the diff',
      `Close the fence around the diff; without a fence, end it with a line break and give each @@ its counts. ${sendAgainFrom(line)}`,
    ],
  },
  'diff-short': {
    code: 'truncated',
    say: (_, line) => [
      'The last hunk of the diff ends too early: by its counts, more lines are changed',
      `Send the diff on line ${line} again, complete. If nothing is missing, put it in a fence or correct the counts after @@.`,
    ],
  },
  'diff-nameless': {
    code: ({ isCut }) => (isCut ? 'truncated' : 'malformed_block'),
    say: () => [
      'A diff without file names',
      'Put --- a/path and +++ b/path, each on a line of its own, above the first @@.',
    ],
  },
  'diff-binary': {
    code: 'binary_file',
    say: () => [
      'A binary patch cannot be applied',
      'Only text files can be changed. Leave the file out, or create it with a command.',
    ],
  },
  'diff-mode': {
    say: ({ is }) =>
      is === 'link'
        ? ['A diff of a symbolic link', 'Links are not made by diffs. Leave it out, and ask the user to make the link.']
        : [
            'A diff of a submodule',
            'Submodules are not changed by diffs. Leave it out, and ask the user to run git submodule.',
          ],
  },
  'diff-name': {
    say: ({ name }) => [
      name === '' ? 'A file name is missing' : `A file name that cannot be read: ${name.slice(0, 80)}`,
      'Write the path as it is, or in double quotes with \\" and \\\\ for a quote and a backslash.',
    ],
  },
  'diff-no-new-name': {
    say: () => ['--- without +++', 'Put +++ b/path directly below --- a/path; +++ /dev/null deletes the file.'],
  },
  'diff-unclear': {
    say: () => [
      'The two names after diff --git cannot be separated',
      'Put --- a/path and +++ b/path above the first @@.',
    ],
  },
  'diff-half': {
    say: ({ what }) => [
      `Only one of ${what} from and ${what} to`,
      `Write both, ${what} from path and ${what} to path.`,
    ],
  },
  'diff-no-file': {
    say: () => ['Both names are /dev/null', 'Name the file on one side.'],
  },
  'diff-two-files': {
    say: (data) => [
      `The diff names two files, ${data.old} and ${data.new}`,
      'Write the same path twice; for a rename add the lines rename from path and rename to path.',
    ],
  },
  'diff-copy': {
    say: () => ['A copy with changes', 'Copy the file first, then send the changes to the copy as a diff of its own.'],
  },
  'diff-old-lines': {
    say: () => [
      'A new file with old lines',
      'Every line of a new file starts with +; to change an existing file, name it after ---.',
    ],
  },
  'diff-new-lines': {
    say: () => [
      'A deleted file with new lines',
      'Every line of a deleted file starts with -; to change a file, name it after +++ too.',
    ],
  },
  'diff-no-change': {
    say: ({ hasMode }) => [
      hasMode ? 'The diff only changes the file mode, which is not supported' : 'The diff changes nothing',
      PREFIXES,
    ],
  },
  'call-open': {
    code: 'truncated',
    say: ({ closer, isLater }, line) =>
      closer === undefined
        ? [
            'The text ends inside the call',
            isLater
              ? `Close the JSON. Only the calls before it on line ${line} were read: send this one again, complete, and what was to follow it.`
              : `Close the JSON. ${sendAgainFrom(line)}`,
          ]
        : [`Call not closed: ${closer} is missing`, `End the call with ${closer}. ${sendAgainFrom(line)}`],
  },
  'call-no-json': {
    say: ({ line, paths }) => [
      `The call${paths.length > 0 ? ` for ${paths.join(', ')}` : ''} that begins on line ${line} is not JSON from here on`,
      'Write the call as one JSON object, with \\n for line breaks and \\" for quotes in its texts.',
    ],
  },
  'call-without': {
    say: ({ name }) => [`A call without ${name}`, `Give ${name} in the call.`],
  },
  'file-open': {
    code: 'truncated',
    say: (data, line) => [
      data.path === undefined ? 'The text ends inside the file' : `The text ends before the content of '${data.path}'`,
      data.path !== undefined
        ? sendAgainFrom(line)
        : `${data.in === 'fence' ? 'Close the fence' : 'Close it as it was opened'}. ${sendAgainFrom(line)}`,
    ],
  },
  'file-by-shell': {
    say: ({ unknown }) => [
      `A file written by a shell command: ${unknown === 'path' ? 'its path is only known to a shell' : 'a shell would change its text, because the delimiter is not quoted'}`,
      "Quote the delimiter, as in <<'EOF', and write the path as it is; or write the file as a block.",
    ],
  },
  'files-in-fence': {
    say: ({ paths }) => [
      `One fence has several files: ${paths.join(', ')}`,
      'Write each file in a fence of its own, with its name on the line above.',
    ],
  },
  'lines-open': {
    code: 'truncated',
    say: (_, line) => [
      'Edit not closed: end_of_edit is missing',
      `End the edit with end_of_edit. ${sendAgainFrom(line)}`,
    ],
  },
  'lines-no-file': {
    say: () => ['An edit without a file', 'Write open path on a line of its own before the edit, in the same reply.'],
  },
}

const PREFIXES = 'Prefix removed lines with -, added lines with +, and a few unchanged context lines with a space.'

const unknownRows = {
  before: 'Expected *** Update File, *** Add File or *** Delete File',
  marker: 'Unknown marker',
  deleted: 'Text below *** Delete File',
}
