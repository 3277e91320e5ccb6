import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

async function execute(files: Readonly<Record<string, string>>, reply: string, options: CladaOptions = {}) {
  const root = scratchDir(files)
  const clada = new Clada({ repoPath: root, gitCommit: false, matching: 'tolerant', ...options })
  const { success, proposals, parseErrors, notExecuted } = await clada.execute(reply)
  return { success, files: filesIn(root), proposals: proposals?.map((one) => one.path), parseErrors, notExecuted }
}

const block = (old: string, fresh: string): string =>
  `\`\`\`ts\n<<<<<<< SEARCH\n${old}\n=======\n${fresh}\n>>>>>>> REPLACE\n\`\`\`\n`
const project = { 'src/form.ts': 'export const one = 1\n', 'src/page.ts': 'export const two = 2\n' }
const [one, two] = [
  block('export const one = 1', 'export const one = 10'),
  block('export const two = 2', 'export const two = 20'),
]
const both = { 'src/form.ts': 'export const one = 10\n', 'src/page.ts': 'export const two = 20\n' }

describe('a SEARCH block without a path', () => {
  it.each([
    ['sentences above them', `1. For the form in form.ts:\n${one}\n2. For dates in \`src/page.ts\`, do this:\n${two}`],
    ['headings of their sections', `## src/form.ts\n\nThe form first.\n\n${one}\n## The page: src/page.ts\n\n${two}`],
    ['a sentence below the first', `src/form.ts\n${one}\nNow the same for src/page.ts:\n\n${two}`],
  ])('is proposed for the file that is named in %s', async (_, reply) => {
    const asked = await execute(project, reply)
    expect(asked).toMatchObject({ success: false, parseErrors: [] })
    expect(asked.proposals).toContain('src/page.ts')
    expect(await execute(project, reply, { proposals: 'apply' })).toMatchObject({ success: true, files: both })
  })

  it('is proposed once, where a page has escaped the tags of the call around it', async () => {
    const edit = '------- SEARCH\nexport const one = 1\n=======\nexport const one = 10\n+++++++ REPLACE\n'
    const call = (inner: string): string =>
      `&lt;replace_in_file&gt;\n${inner}&lt;diff&gt;\n${edit}&lt;/diff&gt;\n&lt;/replace_in_file&gt;\n`
    const reply = call('&lt;path&gt;src/form.ts&lt;/path&gt;\n')
    expect((await execute(project, reply)).proposals).toEqual(['src/form.ts'])
    expect(await execute(project, reply, { proposals: 'apply' })).toMatchObject({
      success: true,
      files: { ...project, 'src/form.ts': 'export const one = 10\n' },
      notExecuted: undefined,
    })
    // What is not around the edit is named.
    const deleted = `&lt;delete_file&gt;\n&lt;path&gt;src/page.ts&lt;/path&gt;\n&lt;/delete_file&gt;\n\n${reply}`
    const { success, notExecuted } = await execute(project, deleted, { proposals: 'apply' })
    expect({ success, lines: notExecuted?.map(({ line }) => line) }).toEqual({ success: false, lines: [1] })
  })

  it('is refused where the text above speaks of several files', async () => {
    const reply = `In form.ts and page.ts:\n\n${one}`
    const { success, files, parseErrors } = await execute(project, reply, { proposals: 'apply' })
    expect({ success, files }).toEqual({ success: false, files: project })
    expect(parseErrors[0]?.message).toBe('SEARCH without a file name')
  })
})

describe('a diff without names', () => {
  const diff = (old: string, fresh: string): string => `\`\`\`diff\n- ${old}\n+ ${fresh}\n\`\`\`\n`
  const file = { 'src/a.ts': 'first()\nmiddle()\nlast()\n' }

  it('is of the file that the lines above the first of them speak of', async () => {
    const reply = `Two changes in \`src/a.ts\` are needed:\n\n1. **Import** at the top:\n${diff('first()', 'one()')}\n2. **The last line**:\n${diff('last()', 'two()')}`
    expect(await execute(file, reply)).toMatchObject({ proposals: ['src/a.ts', 'src/a.ts'], parseErrors: [] })
    const { files } = await execute(file, reply, { proposals: 'apply' })
    expect(files).toEqual({ 'src/a.ts': 'one()\nmiddle()\ntwo()\n' })
  })
})

describe('a file without an extension', () => {
  it.each([
    ['Dockerfile', 'FROM node:18\n', 'FROM node:20\n', 'Update the `Dockerfile` as follows:'],
    ['Makefile', 'all:\n\techo 1\n', 'all:\n\techo 2\n', 'Here is the updated Makefile:'],
    ['.gitignore', 'dist\n', 'dist\nbuild\n', 'Update `.gitignore`:'],
    ['.htaccess', 'RewriteEngine On\n', 'RewriteEngine Off\n', 'Replace the contents of `.htaccess` with:'],
  ])('is named in a sentence like any other: %s', async (name, before, after, sentence) => {
    const reply = `${sentence}\n\n\`\`\`\n${after}\`\`\`\n`
    expect(await execute({ [name]: before }, reply)).toMatchObject({ proposals: [name] })
    const { files } = await execute({ [name]: before }, reply, { proposals: 'apply' })
    expect(files).toEqual({ [name]: after })
  })

  it('is not seen in the name of a framework', async () => {
    const reply = `In Next.js and Node.js you write \`src/form.ts\` like this:\n\n\`\`\`ts\nf()\n\`\`\`\n`
    const { notExecuted } = await execute(project, reply)
    expect(notExecuted).toMatchObject([{ path: 'src/form.ts' }])
  })
})
