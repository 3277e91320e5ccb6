import type { ActionSpec } from '../core/action.ts'
import { firstSentence } from './actions.ts'
import { lessonFor } from './lesson.ts'
import { changing, markdownList, tipsFor } from './prompt.ts'

/** Ends the input of the command in the skill's example. No marker of a block looks like it. */
const inputEnd = 'END_OF_BLOCKS'

/** A SKILL.md for agents that load skills and have a shell: what a prompt teaches, for the command line. */
export function skillFor(specs: readonly ActionSpec[]): string {
  const { teaching, forms, examples } = lessonFor({ specs, root: '/project', syntax: 'csl' })
  const blocks = examples[0]?.blocks ?? ''
  return (
    [
      ['---', 'name: clada', `description: ${description}`, '---'].join('\n'),
      '# Change files with clada',
      'Write blocks to `clada` in the top directory of the project. It runs them in order and prints a report.',
      ['```sh', `clada --format llm <<'${inputEnd}'`, blocks, inputEnd, '```'].join('\n'),
      markdownList([
        '`clada diff` instead of `clada` shows what would change and changes nothing. `clada --atomic` applies all blocks or none.',
        '`clada undo` takes back the last execution, `clada undo N` another one; `clada history` lists them.',
        'One action without blocks: `clada do grep pattern="greet(" path=src`. All of them: `clada tools`; one: `clada tools file_edit`.',
        '`clada outline FILE` lists classes, functions and sections; `clada do replace_structure path=FILE target=NAME --stdin content` replaces one.',
        'Exit code 0: all done. 1: something failed, see the report. 2: a wrong call.',
      ]),
      '## Blocks',
      markdownList([
        ...teaching.rules,
        'Each block sees the changes of those before it; one that fails does not stop the others.',
      ]),
      '## Changing files',
      markdownList(
        tipsFor(
          changing,
          forms.map(({ spec }) => spec),
        ),
      ),
      '## The report',
      markdownList(teaching.answer),
      '## What can be written',
      'Replace the words in capitals; ⏎ is a line break.',
      markdownList(forms.map(({ spec, call }) => `${firstSentence(spec.description).replace(/\.$/, '')}: \`${call}\``)),
    ].join('\n\n') + '\n'
  )
}

/** By it an agent decides whether to load the skill. */
const description =
  'Edit files of a project exactly and with undo, by blocks that the clada command applies. Use it to make several edits at once, all or nothing, to preview them as a diff, to replace a function or class by its name, or to take a change back.'
