/**
 * The forms in which models write edits, each as a function from what is meant to a reply. A form that can only edit
 * has no `creates`; one that writes whole files says the same for a new file and for one that is there.
 */

interface Meant {
  readonly path: string
  /** The lines that go and those that come; both are all of the file for forms that write whole files. */
  readonly old: string
  readonly text: string
}

interface Form {
  readonly edits: (meant: Meant) => string
  readonly creates?: (meant: Meant) => string
  /** Whether its text is the whole file. */
  readonly isWhole?: true
}

const conflict = (head: string, { old, text }: Meant, tail: string): string =>
  `${head}\n${old === '' ? '' : `${old}\n`}=======\n${text}\n${tail}`
const searchReplace = (meant: Meant): string => conflict('<<<<<<< SEARCH', meant, '>>>>>>> REPLACE')
const original = (meant: Meant): string => conflict('<<<<<<< ORIGINAL', meant, '>>>>>>> UPDATED')
const marked = (mark: string, text: string): string => text.replace(/^/gm, mark)
const hunk = ({ old, text }: Meant): string => `@@ -1 +1 @@\n${marked('-', old)}\n${marked('+', text)}`
const fence = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`

const both = (write: (meant: Meant) => string): Form => ({
  edits: write,
  creates: (meant) => write({ ...meant, old: '' }),
})
const whole = (write: (path: string, text: string) => string): Form => {
  const one = ({ path, text }: Meant): string => write(path, text)
  return { edits: one, creates: one, isWhole: true }
}
const xml = (tool: string, args: Readonly<Record<string, string>>): string =>
  `<${tool}>\n${Object.entries(args)
    .map(([name, value]) => (value.includes('\n') ? `<${name}>\n${value}\n</${name}>` : `<${name}>${value}</${name}>`))
    .join('\n')}\n</${tool}>\n`

const patched = (meant: Meant): string =>
  meant.old === ''
    ? `*** Begin Patch\n*** Add File: ${meant.path}\n${marked('+', meant.text)}\n*** End Patch`
    : `*** Begin Patch\n*** Update File: ${meant.path}\n${hunk(meant)}\n*** End Patch`
const called = (patch: string): string => JSON.stringify({ command: ['apply_patch', patch] })
const replaced = ({ path, old, text }: Meant): string =>
  JSON.stringify({ file_path: path, old_string: old, new_string: text })
const written = (path: string, text: string): string => JSON.stringify({ path, content: `${text}\n` })

export const forms: Readonly<Record<string, Form>> = {
  'search-replace, path above': both((meant) => `${meant.path}\n${fence('ts', searchReplace(meant))}`),
  'search-replace, path in the fence': both((meant) => fence('ts', `${meant.path}\n${searchReplace(meant)}`)),
  'search-replace in tags': both((meant) => `${meant.path}\n<source>ts\n${searchReplace(meant)}\n</source>\n`),
  'conflict markers': both((meant) => fence('ts', `// ${meant.path}\n${original(meant)}`)),
  'unified diff': {
    edits: (meant) => fence('diff', `--- a/${meant.path}\n+++ b/${meant.path}\n${hunk(meant)}`),
    creates: ({ path, text }) =>
      fence('diff', `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${text.split('\n').length} @@\n${marked('+', text)}`),
  },
  apply_patch: {
    edits: (meant) => `${patched(meant)}\n`,
    creates: (meant) => `${patched(meant)}\n`,
  },
  write_to_file: whole(
    (path, text) => `<write_to_file>\n<path>${path}</path>\n<content>\n${text}\n</content>\n</write_to_file>\n`,
  ),
  replace_in_file: both((meant) =>
    xml('replace_in_file', { path: meant.path, diff: conflict('------- SEARCH', meant, '+++++++ REPLACE') }),
  ),
  apply_diff: {
    edits: (meant) =>
      xml('apply_diff', {
        path: meant.path,
        diff: searchReplace({ ...meant, old: `:start_line:1\n-------\n${meant.old}` }),
      }),
  },
  save: whole((path, text) => fence(`save ${path}`, text)),
  append: {
    edits: ({ path, text }) => fence(`append ${path}`, text),
    creates: ({ path, text }) => fence(`append ${path}`, text),
  },
  patch: both((meant) => fence(`patch ${meant.path}`, original(meant))),
  'JSON call': {
    edits: ({ path, old, text }) =>
      fence('json', JSON.stringify({ command: 'str_replace', path, old_str: old, new_str: text }, null, 2)),
    creates: ({ path, text }) => fence('json', JSON.stringify({ command: 'create', path, file_text: `${text}\n` })),
  },
  'apply_patch in a call': {
    edits: (meant) => fence('json', called(`${patched(meant)}\n`)),
    creates: (meant) => `${called(patched(meant))}\n`,
  },
  'XML call': {
    edits: ({ path, old, text }) =>
      `<invoke name="Edit">\n<parameter name="file_path">${path}</parameter>\n<parameter name="old_string">${old}</parameter>\n<parameter name="new_string">${text}</parameter>\n</invoke>\n`,
    creates: ({ path, text }) =>
      `<invoke name="Write">\n<parameter name="file_path">${path}</parameter>\n<parameter name="content">${text}\n</parameter>\n</invoke>\n`,
  },
  'XML call in a wrapper': both(
    ({ path, old, text }) =>
      `<function_calls>\n<invoke name="Edit">\n<parameter name="file_path">${path}</parameter>\n<parameter name="old_string">${old}</parameter>\n<parameter name="new_string">${text}</parameter>\n</invoke>\n</function_calls>\n`,
  ),
  'call with a name and an input': both(
    (meant) => `<tool_use>\n<name>Edit</name>\n<input>${replaced(meant)}</input>\n</tool_use>\n`,
  ),
  'patch after tokens': both((meant) => `<|channel|>commentary to=apply_patch<|message|>${patched(meant)}\n<|call|>\n`),
  'call after tokens': both(
    (meant) =>
      `<|start|>assistant<|channel|>commentary to=functions.replace <|constrain|>json<|message|>${replaced(meant)}<|call|>\n`,
  ),
  'call with a separator': whole(
    (path, text) =>
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>write_file<｜tool▁sep｜>${written(path, text)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n`,
  ),
  'call with a number': whole(
    (path, text) =>
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>${written(path, text)}<|tool_call_end|><|tool_calls_section_end|>\n`,
  ),
  'call with ARGS': whole((path, text) => `[TOOL_CALLS]write_file[ARGS]${written(path, text)}\n`),
  'call with an action': whole((path, text) => `Action: write_file\nAction Input: ${written(path, text)}\n`),
  'call of a server': both((meant) =>
    fence('json', `{"functionCall": {"name": "mcp__files__edit_file", "args": ${replaced(meant)}}}`),
  ),
  'call with keys and values': whole(
    (path, text) =>
      `<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>${path}</arg_value>\n<arg_key>content</arg_key>\n<arg_value>${text}\n</arg_value>\n</tool_call>\n`,
  ),
  'JSON in a tag': whole((path, text) => `<function=write_file>${written(path, text)}</function>\n`),
  'element with old and new': both(
    ({ path, old, text }) =>
      `<modify file="${path}">\n<original_code>\n${old}\n</original_code>\n<new_code>\n${text}\n</new_code>\n</modify>\n`,
  ),
  'element with search-replace': both(
    (meant) => `<dyad-search-replace path="${meant.path}">\n${searchReplace(meant)}\n</dyad-search-replace>\n`,
  ),
  'edits as a list': both(({ path, old, text }) =>
    fence('json', JSON.stringify({ edits: [{ file: path, search: old, replace: text }] })),
  ),
  'SWE-agent': {
    edits: ({ path, text }) => fence('', `open ${path}`) + fence('', `edit 1:1\n${text}\nend_of_edit`),
    creates: ({ path, text }) => fence('', `create ${path}`) + fence('', `edit 1:1\n${text}\nend_of_edit`),
  },
  'path above, bold': whole((path, text) => `**${path}**\n\n${fence('ts', text)}`),
  'path above, heading': whole((path, text) => `### \`${path}\`\n\n${fence('ts', text)}`),
  'path above, plain': whole((path, text) => `${path}\n${fence('ts', text)}`),
  'path above, announced': whole((path, text) => `Updated file: \`${path}\`\n\n${fence('ts', text)}`),
  'path in the info string': whole((path, text) => fence(`ts ${path}`, text)),
  'path after the language': whole((path, text) => fence(`ts:${path}`, text)),
  'path as a title': whole((path, text) => fence(`ts title="${path}"`, text)),
  'path in the first comment': whole((path, text) => fence('ts', `// ${path}\n${text}`)),
  'path with a label': whole((path, text) => fence('ts', `// filepath: ${path}\n${text}`)),
  'file in a tag': whole((path, text) => `<file path="${path}">\n${text}\n</file>\n`),
  'file in an artifact': whole(
    (path, text) =>
      `<antArtifact identifier="one" type="application/vnd.ant.code" title="${path}">\n${text}\n</antArtifact>\n`,
  ),
  'file in an action': whole(
    (path, text) =>
      `<boltArtifact id="x">\n<boltAction type="file" filePath="${path}">\n${text}\n</boltAction>\n</boltArtifact>\n`,
  ),
  'path in a summary': whole(
    (path, text) => `<details>\n<summary>${path}</summary>\n\n${fence('ts', text)}\n</details>\n`,
  ),
  'labels in a fence': both(({ path, old, text }) => fence('edit', `file: ${path}\nfind:\n${old}\nreplace:\n${text}`)),
  'labels above fences': both(
    ({ path, old, text }) => `File: ${path}\n\nFind:\n\n${fence('ts', old)}\nReplace with:\n\n${fence('ts', text)}`,
  ),
  'change this to this': both(
    ({ path, old, text }) => `In \`${path}\`, change this:\n${fence('ts', old)}\nto this:\n${fence('ts', text)}`,
  ),
  'here-document': whole((path, text) => fence('bash', `cat > ${path} <<'EOF'\n${text}\nEOF`)),
  'hunk without a name': {
    edits: (meant) => `In \`${meant.path}\`:\n\n${fence('diff', hunk(meant))}`,
  },
}

/** A file of the project, and the reply that edits it. */
export const files = {
  'src/a.ts': 'export const one = 1\nexport const two = 2\nexport const three = 3\n',
}

const line: Meant = { path: 'src/a.ts', old: 'export const one = 1', text: 'export const one = 100' }
const all: Meant = { ...line, text: 'export const one = 100\nexport const two = 2\nexport const three = 3' }
const elided: Meant = { ...line, text: 'export const one = 100\n// ... existing code ...' }
const fresh: Meant = { path: 'src/new/b.ts', old: '', text: 'export const b = 1\nexport const c = 2' }

const native =
  '#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "ROOT/native.txt"\ncontent = "x"\n#!END_SHAM_abc\n'

/** What may be around a form, or wrong with it. */
export const cases: Readonly<Record<string, (form: Form) => string | undefined>> = {
  'new file': ({ creates }) => creates && `Here it is.\n\n${creates(fresh)}\nDone.\n`,
  'existing file': ({ edits, isWhole }) => `Here it is.\n\n${edits(isWhole ? all : line)}\nDone.\n`,
  'wrong path': ({ edits }) => `Here it is.\n\n${edits({ ...line, path: 'src/b.ts' })}`,
  elided: ({ edits }) => `Here it is.\n\n${edits(elided)}`,
  quoted: ({ edits }) => `You wrote:\n\n${marked('> ', edits(line).trimEnd())}\n\nWhy?\n`,
  'cut off': ({ edits }) => cut(`Here it is.\n\n${edits(line)}`),
  'beside native': ({ edits }) => `${native}\n${edits(line)}`,
}

/** Without the last third of the new text and all that follows it. */
const cut = (reply: string): string => reply.slice(0, reply.lastIndexOf('= 100') + 3)
