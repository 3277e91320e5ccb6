/** The values of keys that take one of a few and have a flag, which takes the same. */
export const choices = {
  matching: ['tolerant', 'exact'],
  patches: ['whole', 'good'],
  proposals: ['ask', 'apply', 'off'],
  final_newline: ['exact', 'add'],
  'git.mode': ['commit', 'shadow', 'off'],
  'git.hooks': ['off', 'run'],
  'undo.commits': ['revert', 'drop'],
  'exec.mode': ['sandbox', 'unsandboxed', 'off'],
  'report.error_detail': ['minimal', 'full', 'debug'],
} as const
