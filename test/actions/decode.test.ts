import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { decode } from '../../packages/clada/src/actions/decode.ts'
import { actionNames, allActions, registry } from '../../packages/clada/src/actions/registry.ts'
import { withSlashes } from '../../packages/clada/src/core/paths.ts'

type Wrong = readonly [action: string, given: Record<string, string>, message: string, hint: string]

const everyday = [...new Set(registry.values())].filter((spec) => spec.everyday).map(({ name }) => name)
const others = `Often used: ${everyday.join(', ')}; \`clada tools\` lists all.`

/** What a model that never saw clada writes, and what it is told. */
const wrong: readonly Wrong[] = [
  ['wirte_file', {}, 'Unknown action: wirte_file', 'Did you mean file_write?'],
  ['write', {}, 'Unknown action: write', `Did you mean file_write? ${others}`],
  [
    'delete',
    {},
    'Unknown action: delete',
    `Did you mean one of file_delete_lines, file_delete, dir_delete, delete_structure? ${others}`,
  ],
  [
    'str_replace',
    {},
    'Unknown action: str_replace',
    `Did you mean one of file_replace_text, file_replace_all_text, file_replace_text_range, files_replace_all_text, file_replace_lines, replace_structure? ${others}`,
  ],
  ['list_files', {}, 'Unknown action: list_files', `Did you mean one of list_structures, context_list? ${others}`],
  ['mkdir', {}, 'Unknown action: mkdir', others],
  ['rebase', {}, 'Unknown action: rebase', others],
  ['file', {}, 'Unknown action: file', others],
  [
    '',
    { Action: 'file_read' },
    "Missing 'action' field in SHAM block",
    'Add a line action = "…". You gave \'Action\', which is not known.',
  ],
  ['', {}, "Missing 'action' field in SHAM block", 'Add a line action = "…".'],
  [
    'file_replace_text',
    { pth: '/p/a', old: 'x', new_text: 'y' },
    'Missing required parameter: path',
    "file_replace_text needs path: File to change; `file@@Class@@method` changes one structure of it. Missing too: old_text. You gave 'pth', 'old', which are not known.",
  ],
  [
    'file_read',
    { path: 'src/a.ts' },
    'Invalid absolute path: src/a.ts',
    "Parameter 'path': write /p/src/a.ts instead, if that is what you mean.",
  ],
  ['ls', { path: '.' }, 'Invalid absolute path: .', "Parameter 'path': write /p instead, if that is what you mean."],
  [
    'file_read',
    { path: '' },
    'Invalid absolute path: ',
    "Parameter 'path': it is empty; write a path that begins with /p/.",
  ],
  [
    'file_read',
    { path: ' /p/a.ts' },
    'Invalid absolute path:  /p/a.ts',
    "Parameter 'path': write /p/a.ts instead, if that is what you mean.",
  ],
  ...[
    '~/a.ts',
    '$HOME/a.ts',
    process.platform === 'win32' ? 'C:a.ts' : 'C:/a.ts',
    'file:///p/a.ts',
    '../a.ts',
    'a/../../b',
  ].map((path): Wrong => [
    'file_read',
    { path },
    `Invalid absolute path: ${path}`,
    "Parameter 'path': write a path that begins with /p/.",
  ]),
  [
    'files_read',
    { paths: '/p/a\n../b' },
    'Invalid absolute path: ../b',
    "Parameter 'paths': write a path that begins with /p/.",
  ],
]

it('finds every action by the name and the aliases of its definition', () => {
  expect(allActions().map(({ name }) => name)).toEqual(actionNames)
  const names = allActions().flatMap((spec) => [spec.name, ...spec.aliases].map((name) => [name, spec]))
  expect(names.map(([name]) => [name, registry.get(String(name))])).toEqual(names)
})

describe('a wrong call', () => {
  it.each(wrong)('%s %j', (action, given, message, hint) => {
    // A root has a drive on Windows.
    const root = path.resolve('/p')
    const placed = (text: string): string => text.replaceAll(/(?<![\w/.])\/p(?=[/ ])/g, withSlashes(root))
    const params = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, placed(value)]))
    expect(decode(action, params, registry, { root, relativePaths: false })).toMatchObject({
      ok: false,
      message: placed(message),
      hint: placed(hint),
    })
  })
})

describe('the names that other tools have for a parameter', () => {
  const own: Readonly<Record<string, string>> = { path: 'a.txt', old_text: 'one', new_text: 'two', content: 'three' }
  const aliases: Readonly<Record<string, readonly string[]>> = {
    path: ['file_path', 'filePath', 'file', 'filename'],
    old_text: ['old_str', 'old_string', 'oldText', 'oldString', 'search', 'find'],
    new_text: ['new_str', 'new_string', 'newText', 'newString', 'replace', 'replacement'],
    content: ['file_text', 'contents'],
  }
  const options = { root: '/project', relativePaths: true }

  it.each(
    Object.entries(aliases).flatMap(([name, others]) =>
      others.flatMap((other) =>
        (name === 'content' ? ['file_write', 'file_append'] : ['file_edit', 'file_replace_text']).map(
          (action) => [action, name, other] as const,
        ),
      ),
    ),
  )('%s takes %s as %s, and its own name before that', (action, name, other) => {
    const needed =
      action === 'file_write' || action === 'file_append' ? ['path', 'content'] : ['path', 'old_text', 'new_text']
    const rest = Object.fromEntries(needed.filter((one) => one !== name).map((one) => [one, own[one]]))
    const params = { ...rest, [name]: own[name] }
    expect(decode(action, { ...rest, [other]: own[name] }, registry, options)).toMatchObject({ params, warnings: [] })
    expect(decode(action, { ...params, [other]: 'another' }, registry, options)).toMatchObject({
      params,
      warnings: [expect.stringContaining(`'${other}' is not known`)],
    })
  })
})
