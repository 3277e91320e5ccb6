import { tokensOf } from '../text/lines.ts'
import type { Prompt, PromptOptions } from './prompt.ts'

/** A format of another tool that some models write best, as a short prompt teaches it. */
interface Format {
  readonly rules: readonly string[]
  /** Works in the project of `exampleFiles`; a test applies it. */
  readonly example: string
  readonly actions: readonly string[]
}

export const foreignFormats: Readonly<Record<string, Format>> = {
  'search-replace': {
    rules: [
      'The path is on the line before the fence. SEARCH is copied exactly from the file, and occurs in it once; an empty SEARCH makes a new file.',
      'One block per change, with as few lines as make the place unique.',
    ],
    example: [
      'src/greet.js',
      '```js',
      '<<<<<<< SEARCH',
      "  return 'Hello ' + name",
      '=======',
      "  return 'Hello ' + (name || 'you')",
      '>>>>>>> REPLACE',
      '```',
    ].join('\n'),
    actions: ['file_edit', 'file_write'],
  },
  'apply-patch': {
    rules: [
      'Sections are `*** Update File: path`, `*** Add File: path` (every line with +) and `*** Delete File: path`; `*** Move to: path` after an update renames.',
      'Lines begin with a space (kept, copied exactly), - (removed) or + (added). After `@@` you may name the function or class that the change is in. Give three kept lines around a change.',
    ],
    example: [
      '*** Begin Patch',
      '*** Update File: src/greet.js',
      '@@ export function greet(name) {',
      "-  return 'Hello ' + name",
      "+  return 'Hello ' + (name || 'you')",
      ' }',
      '*** End Patch',
    ].join('\n'),
    actions: ['file_patch', 'file_create', 'file_delete'],
  },
  udiff: {
    rules: [
      'A unified diff in a fence, as `diff -u` and git write it; line numbers may be left out (`@@ @@`).',
      'Give three lines around each change, copied exactly. `/dev/null` is the old side of a new file and the new side of a deleted one.',
    ],
    example: [
      '```diff',
      '--- a/src/greet.js',
      '+++ b/src/greet.js',
      '@@ -1,4 +1,4 @@',
      ' // TODO: be polite',
      ' export function greet(name) {',
      "-  return 'Hello ' + name",
      "+  return 'Hello ' + (name || 'you')",
      ' }',
      '```',
    ].join('\n'),
    actions: ['file_patch', 'file_create', 'file_delete'],
  },
}

/** What to tell a model that writes this format anyway. Such a reply can only change files, so the user shows them. */
export function foreignPrompt(format: Format, { root, rules = [], map, task }: PromptOptions): Prompt {
  const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n')
  const text = [
    '# How to change my project',
    `Write changes in your reply like this; clada applies them to \`${root}\`, and I paste its report here. Paths are relative to it.`,
    format.example,
    list([
      ...format.rules,
      'Change only what you have seen; if you have not seen it, ask me for it and end your reply there. Never write "..." for lines that stay.',
    ]),
    'The report has a line `[task-N] SUCCESS` or `ERROR` for each change, where the file changed, and after a failure the nearest lines: send only what failed again, corrected.',
    ...(rules.length === 0 ? [] : ['## Rules of this project', list(rules)]),
    ...(map === undefined ? [] : ['## The project', ['````', map, '````'].join('\n')]),
    ...(task === undefined ? [] : ['## The task', task]),
  ].join('\n\n')
  return { text: `${text}\n`, tokens: tokensOf(text), actions: format.actions, dropped: [] }
}
