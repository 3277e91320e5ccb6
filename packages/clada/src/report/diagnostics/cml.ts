import type { DiagnosticCode } from '@clada/reply/core/diagnostic.ts'
import { isTaskName, taskNames, tasks } from '@clada/reply/core/cml-tasks.ts'
import { flagMessage, joinWithAnd, type DiagnosticRows } from './row.ts'

/** CML, whose messages the seeds fix. */
export const cmlDiagnostics: DiagnosticRows<Extract<DiagnosticCode, `cml-${string}`>> = {
  'cml-cut': {
    code: 'truncated',
    say: ({ name }) => [
      `<${name}> is not closed before the end of the text`,
      `Close it with </${name}>. Nothing after it was executed: send it again, complete, with everything after it.`,
    ],
  },
  'cml-endless': {
    code: 'truncated',
    say: ({ name, part }) => [
      `${part} is not closed before the end of the text`,
      `The text ends inside <${name}>: send it again, complete, with everything after it.`,
    ],
  },
  'cml-follows': {
    code: 'truncated',
    say: ({ name, line }) => [
      `not executed: follows an unclosed <${name}>`,
      `Send it again after the <${name}> of line ${line}, which is not closed.`,
    ],
  },
  'cml-in-comment': {
    code: 'truncated',
    say: ({ line }) => [
      'not executed: inside a comment that is not closed',
      `Close the comment of line ${line} with -->.`,
    ],
  },
  'cml-mid-line': {
    say: () => ['An element must start a line', 'Put it on a line of its own.'],
  },
  'cml-version': {
    say: ({ version }) => [
      `Unknown version: ${version}`,
      'Known versions are 0.0.1 and 1.x: write version="1.0", or leave it out.',
    ],
  },
  'cml-declaration': {
    code: 'malformed_xml',
    say: () => [
      'Declarations and processing instructions are not allowed',
      'Leave out <!DOCTYPE …>, <!ENTITY …> and <?…?>; content goes in <![CDATA[…]]>.',
    ],
  },
  'cml-inner-cdata': {
    code: 'malformed_xml',
    say: () => ['CDATA inside CDATA is not escaped', 'Inside CDATA write ]]&gt; for every ]]> that is content.'],
  },
  'cml-deep': {
    code: 'malformed_xml',
    say: ({ most }) => [`Elements are nested more than ${most} deep`, 'Content goes in <![CDATA[…]]>.'],
  },
  'cml-outside-cdata': {
    code: 'malformed_xml',
    say: () => ['Content must be wrapped in CDATA', 'Write content as <![CDATA[…]]>, with ]]&gt; for every ]]> in it.'],
  },
  'cml-no-end': {
    code: 'malformed_xml',
    say: ({ name }) => [
      `Missing end tag: </${name}>`,
      isTaskName(name) && tasks[name].holds === 'nothing'
        ? `End the tag with />: <${name} …/>`
        : `Close <${name}> with </${name}>.`,
    ],
  },
  'cml-xml': {
    code: 'malformed_xml',
    say: ({ said, about, name }) => [said, about === 'twice' ? `Give ${name} once.` : xmlAdvice[about]],
  },
  'cml-no-attribute': {
    code: ({ name }) => (name === 'edit' ? 'missing_path_attribute' : 'malformed_xml'),
    say: ({ name, attribute }) => [`Missing required attribute: ${attribute}`, asIn(name)],
  },
  'cml-empty-attribute': {
    code: 'path_validation',
    say: ({ name, attribute }) => [
      `Empty ${attribute} attribute`,
      attribute === 'dir' ? 'Leave dir out to run in the project root.' : asIn(name),
    ],
  },
  'cml-no-content': {
    code: 'malformed_xml',
    say: ({ name }) => [
      'Missing content',
      name === 'write' ? 'For an empty file write: <write path="file.txt"><![CDATA[]]></write>' : asIn(name),
    ],
  },
  'cml-no-part': {
    code: ({ part }) =>
      part === 'search-start' || part === 'search-end'
        ? `missing_${part.replace('-', '_')}`
        : `missing_${part}_element`,
    say: ({ part }) => [
      `Missing element: <${part}>`,
      part === 'replace'
        ? 'Add <replace><![CDATA[new text]]></replace>; an empty one deletes.'
        : `Add <${part}><![CDATA[text of the file]]></${part}>.`,
    ],
  },
  'cml-empty-part': {
    code: ({ part }) => `empty_${part.replace('-', '_')}`,
    say: ({ part }) => [`Empty element: <${part}>`, `Write: <${part}><![CDATA[text of the file]]></${part}>`],
  },
  'cml-part-twice': {
    code: 'malformed_xml',
    say: ({ part }) => [`More than one <${part}>`, 'For two edits write two <edit> elements.'],
  },
  'cml-two-searches': {
    code: 'conflicting_search_modes',
    say: () => [
      'Both <search> and <search-start> or <search-end> are given',
      'Use <search> for the whole text, or <search-start> and <search-end> for its beginning and end.',
    ],
  },
  'cml-beside-parts': {
    code: 'malformed_xml',
    say: () => ['Text outside <search> and <replace>', asIn('edit')],
  },
  'cml-count': {
    code: 'invalid_count',
    say: ({ count }) => [
      `Invalid count: ${count}`,
      'Write count="3" for exactly three occurrences, count="all" for every one, or leave it out for one.',
    ],
  },
  'cml-empty-command': {
    code: 'invalid_parameter',
    say: () => ['Empty command', asIn('run')],
  },
  'cml-atomic': {
    say: () => [flagMessage('atomic'), 'Write <tasks atomic="true">, or leave it out.'],
  },
  'cml-not-empty': {
    code: 'malformed_xml',
    say: ({ name }) => [`<${name}> must be empty`, asIn(name)],
  },
  'cml-unknown': {
    code: 'malformed_xml',
    say: ({ name, within }) => [`Unknown element: <${name}>`, within === 'tasks' ? IN_TASKS : asIn(within)],
  },
  'cml-in-tasks': {
    code: 'malformed_xml',
    say: () => ['Text directly in <tasks>', IN_TASKS],
  },
  'cml-nested': {
    code: 'malformed_xml',
    say: () => ['<tasks> cannot be nested', IN_TASKS],
  },
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

const IN_TASKS = `<tasks> can only contain ${joinWithAnd(taskNames.map((name) => `<${name}>`))}.`

const xmlAdvice = {
  element: 'Write an element as <name attribute="value"><![CDATA[content]]></name>.',
  tag: 'End the tag with >.',
  quotes: 'Write attributes as name="value", in quotes.',
  reference: 'Write & as &amp; in an attribute.',
  character: 'Leave control characters out of tags.',
}
