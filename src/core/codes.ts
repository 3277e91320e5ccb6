interface Meaning {
  readonly means: string
  /** What to do about it; for most failures the report says more exactly. */
  readonly advice: string
}

/** The codes of operations on structures. */
const structures = {
  TARGET_NOT_FOUND: {
    means: 'The file has no such structure.',
    advice: 'Use one of the suggestions, or list the structures of the file.',
  },
  TARGET_AMBIGUOUS: {
    means: 'Several structures have this name.',
    advice: 'Add the parent or a line number to the target.',
  },
  TEXT_NOT_FOUND: {
    means: 'The text is not in the structure.',
    advice: 'Read the structure and copy the text exactly.',
  },
  TEXT_AMBIGUOUS: {
    means: 'The text occurs more than once in the structure.',
    advice: 'Add the lines around it until it occurs once.',
  },
  COUNT_MISMATCH: {
    means: 'The text occurs more or less often in the structure than expected.',
    advice: 'Correct the expected count, or the text.',
  },
  LANGUAGE_UNSUPPORTED: { means: 'No parser for this kind of file.', advice: 'Edit the file as text.' },
  PARSER_FAILED: {
    means: 'The file, or the file after the change, cannot be parsed.',
    advice: 'Correct the content, or edit the file as text.',
  },
  FILE_NOT_FOUND: { means: 'The file does not exist.', advice: 'Correct the path.' },
  FILE_TOO_LARGE: { means: 'The file is above the limit for structures.', advice: 'Edit the file as text.' },
  PERMISSION_DENIED: {
    means: 'The file may not be read or written.',
    advice: 'Ask the user to change its permissions.',
  },
  INVALID_PARAMETER: {
    means: 'A parameter has no valid value.',
    advice: 'Correct the parameter that the message names.',
  },
} as const satisfies Readonly<Record<string, Meaning>>

export type StructureCode = keyof typeof structures

/** Every code of a failure. The page of error codes is generated from it. */
export const codes = {
  match_count_mismatch: {
    means: 'The old text is not in the file, or not as often as expected.',
    advice: 'Copy the text from the nearest place that the report shows, or add lines until it occurs once.',
  },
  file_not_found: {
    means: 'The file or directory does not exist.',
    advice: 'Correct the path; the report lists similar ones.',
  },
  file_exists: {
    means: 'Something already exists at the path.',
    advice: 'Choose another path, or write or delete what is there.',
  },
  permission_denied: {
    means: 'The operating system refused it.',
    advice: 'Ask the user to change the permissions or the owner.',
  },
  symlink_not_allowed: {
    means: 'The path leads through a symbolic link.',
    advice: 'Use the path that the link points to, or set `symlinks: inside`.',
  },
  path_escape: {
    means: 'The path is outside of the project.',
    advice: 'Use a path inside it, or allow the directory with `--allow DIR`.',
  },
  path_denied: {
    means: 'The file is blocked: git internals, secrets, or state of clada.',
    advice: 'Ask the user to change the file.',
  },
  command_not_allowed: {
    means: 'The command cannot be approved.',
    advice: 'Use the alternative that the report names.',
  },
  approval_required: {
    means: 'The command needs the approval of the user.',
    advice: 'The user runs `clada approve`, then the document runs again.',
  },
  exec_timeout: { means: 'A program or a text took too long.', advice: 'Make it quicker, or raise `limits.timeout`.' },
  exec_failed: { means: 'A program failed or could not be started.', advice: 'Read its output and correct the cause.' },
  malformed_block: {
    means: 'The block cannot be read.',
    advice: 'Correct the line that the report names and send the block again.',
  },
  invalid_parameter: {
    means: 'A parameter is missing or has no valid value.',
    advice: 'Correct the parameter that the message names.',
  },
  unknown_action: { means: 'There is no action of this name.', advice: 'Use the suggestion, or see `clada tools`.' },
  input_too_large: { means: 'The document is above the limit.', advice: 'Send less at once, or raise `limits.input`.' },
  file_too_large: {
    means: 'The file is above the limit.',
    advice: 'Work on a part of it, or raise `limits.file`.',
  },
  not_utf8: { means: 'The file is text in another encoding.', advice: 'Convert it to UTF-8 first.' },
  binary_file: { means: 'The file is not text.', advice: 'Replace it as a whole, or leave it.' },
  concurrent_modification: {
    means: 'The file changed after it was read.',
    advice: 'Read it again and base the edit on the new content.',
  },
  git_operation_failed: {
    means: 'Git could not do its part, or an undo or step was refused.',
    advice: 'Fix what the report names and retry, or run with `--no-git`.',
  },
  locked: { means: 'Another execution is running in this project.', advice: 'Wait for it, or raise `--lock-timeout`.' },
  no_space: { means: 'The disk or the quota is full.', advice: 'Free some space and retry.' },
  action_not_allowed: {
    means: 'The project does not allow the action for documents.',
    advice: 'Use another action, or ask the user to do it.',
  },
  truncated: { means: 'The document ends inside a block.', advice: 'Send the block again, complete.' },
  review_required: {
    means: 'A whole file of the reply was proposed, and nobody has agreed to it.',
    advice: 'Look at its diff, then run it again with --proposals apply.',
  },
  skipped: {
    means: 'The action did not run: an earlier one failed, time was up, or it already ran.',
    advice: 'Fix the cause and send the action again, unless it already ran.',
  },
  elision: {
    means: 'A line such as `// ... rest unchanged` would be written to the file.',
    advice: 'Write the lines that it replaces.',
  },
  io_error: { means: 'The device failed, or the process ran out of descriptors.', advice: 'Check the disk and retry.' },
  internal_error: {
    means: 'A bug in clada. Only this action was stopped.',
    advice: 'Report it, with `--error-detail debug`.',
  },
  ...structures,
} as const satisfies Readonly<Record<string, Meaning>>

/** The codes of failures. */
export type Code = keyof typeof codes
