import { describe, expect, it } from 'vitest'
import { spokenAdvice, spokenError } from '../../src/report/spoken.ts'

describe('what is written to a model', () => {
  it('is said to a person without names and codes', () => {
    const said: Record<string, string> = {
      "ENOENT: no such file or directory, open 'b.txt'": "no such file or directory, open 'b.txt'",
      'run: expected 1 occurrences but found 0': 'expected 1 occurrences but found 0',
      "run: Path not allowed '.env': it is closed (path_denied)": "Path not allowed '.env': it is closed",
      "run: The user refused 'npm test'": "You refused 'npm test'",
      'run: FILE_NOT_FOUND: a.ts does not exist.': 'a.ts does not exist.',
      'run: git_operation_failed: there is no repository': 'there is no repository',
      'run: Note: this stays': 'Note: this stays',
    }
    for (const [error, spoken] of Object.entries(said)) expect(spokenError({ error, action: 'run' })).toBe(spoken)
  })

  it('sends nobody to themselves', () => {
    const said: Record<string, string> = {
      'Check the path with ls or glob.': 'Check the path.',
      'Ask the user to change the permissions.': 'Change the permissions.',
      'Use a path inside the root, or ask the user to allow that directory with --allow.':
        'Use a path inside the root, or allow that directory with --allow.',
      'Ask the user to install it (apt install bubblewrap), or to run with --exec unsandboxed.':
        'Install it (apt install bubblewrap), or run with --exec unsandboxed.',
      'The user can approve it with: clada approve "npm test". It runs: vitest. Until then, go on without it.':
        'To approve it: clada approve "npm test". It runs: vitest.',
      'Do without it, or ask the user why.': '',
      'Everything it started was stopped. Do less at once, or ask the user for --timeout.':
        'Everything it started was stopped. Do less at once, or give it longer with --timeout.',
      'Nothing was changed. Ask the user to repair the file, or put it aside.':
        'Nothing was changed. Repair the file, or put it aside.',
      'Ask the user for a smaller root.': 'Choose a smaller root.',
      'Do it with file actions, or ask the user.': 'Do it with file actions.',
      'Its content is closed to models; ask the user for what you need from it.': 'Its content is closed to models.',
    }
    for (const [advice, spoken] of Object.entries(said)) expect(spokenAdvice(advice)).toBe(spoken)
  })
})
