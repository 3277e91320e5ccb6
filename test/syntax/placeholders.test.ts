import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { called } from '../support/in-process.ts'
import { fill, scratchDir } from '../support/scratch.ts'

/** A native block runs whatever its path is called. In a format of other tools a placeholder is an example, unless the file exists. */

const names = [
  'path/to/file.ts',
  'path/to/your/app.py',
  'your-project/src/a.ts',
  'src/your_module.py',
  'file.ext',
  'filename.ext',
  'filename',
  'file_path',
  'src/your-app/foo.ext',
]

const native: Readonly<Record<string, (name: string, root: string) => string>> = {
  sham: (name, root) =>
    `#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "${root}/${name}"\ncontent = "new"\n#!END_SHAM_abc\n`,
  csl: (name) => `<---WRITE file="${name}"--->\nnew\n<---END--->\n`,
  cml: (name) => `<write path="${name}"><![CDATA[new]]></write>\n`,
  replacer: (name) => `<<<FILE>>>\n${name}\n<<<OVERWRITE>>>\nnew\n<<<END>>>\n`,
}

const foreign: Readonly<Record<string, (name: string) => string>> = {
  'search-replace': (name) => `${name}\n\`\`\`\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n\`\`\`\n`,
  'apply-patch': (name) => `*** Begin Patch\n*** Update File: ${name}\n@@\n-old\n+new\n*** End Patch\n`,
  udiff: (name) => `\`\`\`diff\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-old\n+new\n\`\`\`\n`,
  'xml-call': (name) =>
    `<replace_in_file>\n<path>${name}</path>\n<diff>\n------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE\n</diff>\n</replace_in_file>\n`,
  'json-call': (name) => `{"command":"str_replace","path":"${name}","old_str":"old","new_str":"new"}\n`,
  gptme: (name) => `\`\`\`patch ${name}\n<<<<<<< ORIGINAL\nold\n=======\nnew\n>>>>>>> UPDATED\n\`\`\`\n`,
}

async function run(root: string, input: string, ...args: readonly string[]) {
  const { status, stdout } = await called(['run', '--no-git', '--format', 'json', '--root', root, ...args], { input })
  const { success, notExecuted = [], results, proposals = [] } = JSON.parse(stdout)
  return { status, success, notExecuted, results, proposals }
}

const read = (root: string, name: string): string => fs.readFileSync(path.join(root, name), 'utf8')

describe.each(Object.entries(native))('a complete block of %s', (_, block) => {
  test.each(names)('runs for %s', async (name) => {
    const root = scratchDir()
    expect(await run(root, block(name, root))).toMatchObject({ status: 0, success: true, notExecuted: [] })
    expect(read(root, name)).toBe('new')
  })

  test.each(['your-project', 'your_dir', 'path/to/app'])('runs in a directory called %s', async (dir) => {
    const root = path.join(scratchDir(), dir)
    fs.mkdirSync(root, { recursive: true })
    expect(await run(root, block('src/a.ts', root))).toMatchObject({ status: 0, success: true, notExecuted: [] })
    expect(read(root, 'src/a.ts')).toBe('new')
  })
})

describe.each(Object.entries(foreign))('an edit of %s', (_, edit) => {
  test('of a placeholder is an example if there is no such file', async () => {
    const root = scratchDir({ 'other.ts': 'old\n' })
    const done = await run(root, edit('path/to/file.ts'))
    expect(done).toMatchObject({ status: 0, success: true, results: [] })
    expect(done.notExecuted).toMatchObject([{ path: 'path/to/file.ts', reason: 'example' }])
    expect(fs.existsSync(path.join(root, 'path'))).toBe(false)
  })

  test.each(['path/to/file.ts', 'your-project/a.ts', 'docs/file.ext'])('of %s runs if it exists', async (name) => {
    const root = scratchDir({ [name]: 'old\n' })
    expect(await run(root, edit(name))).toMatchObject({ status: 0, success: true, notExecuted: [] })
    expect(read(root, name)).toBe('new\n')
  })

  test('of a placeholder beside a native block is an example', async () => {
    const root = scratchDir()
    const done = await run(root, `${native['csl']?.('a.ts', root)}\n${edit('path/to/file.ts')}`)
    expect(done).toMatchObject({ status: 0, success: true })
    expect(done.notExecuted).toMatchObject([{ path: 'path/to/file.ts', reason: 'example' }])
  })

  test('of a file that exists is a proposal beside a native block', async () => {
    const root = scratchDir({ 'path/to/file.ts': 'old\n' })
    const done = await run(root, `${native['csl']?.('a.ts', root)}\n${edit('path/to/file.ts')}`)
    expect(done).toMatchObject({ status: 1, success: false })
    expect(done.notExecuted).toEqual([])
    expect(done.proposals).toMatchObject([{ path: 'path/to/file.ts' }])
  })

  test('names its file with the directory of the project, which is no placeholder', async () => {
    const root = path.join(scratchDir(), 'your-project')
    fill(root, { 'a.ts': 'old\n' })
    expect(await run(root, edit(`${root}/a.ts`))).toMatchObject({ status: 0, success: true, notExecuted: [] })
    expect(read(root, 'a.ts')).toBe('new\n')
  })
})

test('a new file is an example too, except where its directory exists', async () => {
  const added = '*** Begin Patch\n*** Add File: path/to/new.ts\n+new\n*** End Patch\n'
  const root = scratchDir()
  expect(await run(root, added)).toMatchObject({ status: 0, results: [], notExecuted: [{ reason: 'example' }] })
  fill(root, { 'path/to/old.ts': 'old\n' })
  expect(await run(root, added)).toMatchObject({ status: 0, notExecuted: [] })
  expect(read(root, 'path/to/new.ts')).toBe('new\n')
})

test('the edits after an example keep their numbers', async () => {
  const root = scratchDir({ 'a.ts': 'old\n' })
  const { results } = await run(root, `${foreign['udiff']?.('path/to/file.ts')}\n${foreign['udiff']?.('a.ts')}`)
  expect(results).toMatchObject([{ task: '2', success: true }])
})

test('a whole file for a placeholder is proposed if it exists, and listed if not', async () => {
  const reply = 'Here is the updated file `path/to/file.ts`:\n\n```ts\nexport const a = 2\n```\n'
  const root = scratchDir()
  expect(await run(root, reply)).toMatchObject({ status: 0, notExecuted: [{ reason: 'example' }] })
  fill(root, { 'path/to/file.ts': 'export const a = 1\n' })
  const done = await run(root, reply)
  expect(done.notExecuted).toEqual([])
  expect(done.proposals).toMatchObject([{ path: 'path/to/file.ts' }])
})

test('an element of another tool that cannot be read is an example for a placeholder', async () => {
  const element = (name: string): string => `<edit-file path="${name}">\nnew\n</edit-file>\n`
  expect(await run(scratchDir(), element('path/to/a.ts'))).toMatchObject({
    status: 0,
    notExecuted: [{ path: 'path/to/a.ts', reason: 'example' }],
  })
  expect(await run(scratchDir(), element('src/a.ts'))).toMatchObject({
    status: 1,
    notExecuted: [{ path: 'src/a.ts', reason: 'unreadable' }],
  })
})
