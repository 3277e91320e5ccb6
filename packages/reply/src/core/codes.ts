/** What a code means, and what to do about it; for most failures the report says more exactly. */
type CodeMeaning = readonly [means: string, advice: string]

/** The codes of operations on structures. */
const structures = {
  TARGET_NOT_FOUND: [
    'The file has no such structure.',
    'Use one of the suggestions, or list the structures of the file.',
  ],
  TARGET_AMBIGUOUS: ['Several structures have this name.', 'Add the parent or a line number to the target.'],
  TEXT_NOT_FOUND: ['The text is not in the structure.', 'Read the structure and copy the text exactly.'],
  TEXT_AMBIGUOUS: ['The text occurs more than once in the structure.', 'Add the lines around it until it occurs once.'],
  COUNT_MISMATCH: [
    'The text occurs more or less often in the structure than expected.',
    'Correct the expected count, or the text.',
  ],
  LANGUAGE_UNSUPPORTED: ['No parser for this kind of file.', 'Edit the file as text.'],
  PARSER_FAILED: [
    'The file, or the file after the change, cannot be parsed.',
    'Correct the content, or edit the file as text.',
  ],
  FILE_NOT_FOUND: ['The file does not exist.', 'Correct the path.'],
  FILE_TOO_LARGE: ['The file is above the limit for structures.', 'Edit the file as text.'],
  PERMISSION_DENIED: ['The file may not be read or written.', 'Ask the user to change its permissions.'],
  INVALID_PARAMETER: ['A parameter has no valid value.', 'Correct the parameter that the message names.'],
} as const satisfies Readonly<Record<string, CodeMeaning>>

export type StructureCode = keyof typeof structures

/** Every code of a failure. The page of error codes is generated from it. */
export const codes = {
  match_count_mismatch: [
    'The old text is not in the file, or not as often as expected.',
    'Copy the text from the nearest place that the report shows, or add lines until it occurs once.',
  ],
  file_not_found: ['The file or directory does not exist.', 'Correct the path; the report lists similar ones.'],
  file_exists: ['Something already exists at the path.', 'Choose another path, or write or delete what is there.'],
  permission_denied: ['The operating system refused it.', 'Ask the user to change the permissions or the owner.'],
  symlink_not_allowed: [
    'The path leads through a symbolic link.',
    'Use the path that the link points to, or set `symlinks: inside`.',
  ],
  path_escape: ['The path is outside the project.', 'Use a path inside it, or allow the directory with `--allow DIR`.'],
  path_denied: ['The file is blocked: git internals, secrets, or state of clada.', 'Ask the user to change the file.'],
  command_not_allowed: ['The command cannot be approved.', 'Use the alternative that the report names.'],
  approval_required: [
    'The command needs the approval of the user.',
    'The user runs `clada approve`, then the document runs again.',
  ],
  exec_timeout: ['A program or a text took too long.', 'Make it quicker, or raise `limits.timeout`.'],
  exec_failed: ['A program failed or could not be started.', 'Read its output and correct the cause.'],
  malformed_block: ['The block cannot be read.', 'Correct the line that the report names and send the block again.'],
  invalid_parameter: ['A parameter is missing or has no valid value.', 'Correct the parameter that the message names.'],
  unknown_action: ['There is no action of this name.', 'Use the suggestion, or see `clada tools`.'],
  input_too_large: ['The document is above the limit.', 'Send less at once, or raise `limits.input`.'],
  file_too_large: ['The file is above the limit.', 'Work on a part of it, or raise `limits.file_bytes`.'],
  not_utf8: ['The file is text in another encoding.', 'Convert it to UTF-8 first.'],
  binary_file: ['The file is not text.', 'Replace it as a whole, or leave it.'],
  concurrent_modification: [
    'The file changed after it was read.',
    'Read it again and base the edit on the new content.',
  ],
  git_operation_failed: [
    'Git could not do its part, or an undo or step was refused.',
    'Fix what the report names and retry, or run with `--no-git`.',
  ],
  locked: ['Another execution is running in this project.', 'Wait for it, or raise `--lock-timeout`.'],
  no_space: ['The disk or the quota is full.', 'Free some space and retry.'],
  action_not_allowed: [
    'The project does not allow the action for documents.',
    'Use another action, or ask the user to do it.',
  ],
  action_failed: [
    'An action that the program around clada has added could not do its work.',
    'Read the message; the action itself wrote it.',
  ],
  truncated: ['The document ends inside a block.', 'Send the block again, complete.'],
  review_required: [
    'A whole file of the reply was proposed, and the user has not agreed to it.',
    'Look at its diff, then run it again with --proposals apply.',
  ],
  skipped: [
    'The action did not run: an earlier one failed, time was up, it already ran, or the user left it out.',
    'Fix the cause and send the action again, unless it already ran or the user does not want it.',
  ],
  elision: [
    'A line such as `// ... rest unchanged` would be written to the file.',
    'Write the lines that it replaces.',
  ],
  io_error: ['The device failed, or the process ran out of descriptors.', 'Check the disk and retry.'],
  internal_error: ['A bug in clada. Only this action was stopped.', 'Report it, with `--error-detail debug`.'],
  ...structures,
} as const satisfies Readonly<Record<string, CodeMeaning>>

/** The codes of failures. */
export type Code = keyof typeof codes
