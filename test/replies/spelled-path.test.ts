import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

async function execute(files: Readonly<Record<string, string>>, reply: string, options: CladaOptions = {}) {
  const root = scratchDir(files)
  const clada = new Clada({ repoPath: root, gitCommit: false, matching: 'tolerant', ...options })
  const { success, results, proposals } = await clada.execute(reply.replaceAll('ROOTNAME', path.basename(root)))
  return { success, files: filesIn(root), results, proposals: proposals?.map((one) => one.path) }
}

const edit = (file: string): string =>
  `${file}\n\`\`\`ts\n<<<<<<< SEARCH\nexport const a = 1\n=======\nexport const a = 2\n>>>>>>> REPLACE\n\`\`\`\n`
const whole = (file: string, text = 'export const a = 2\n'): string => `**${file}**\n\n\`\`\`ts\n${text}\`\`\`\n`
const [before, after] = ['export const a = 1\n', 'export const a = 2\n']

describe('separators of Windows', () => {
  it.each([
    ['app\\[locale]\\admin\\page.tsx', 'app/[locale]/admin/page.tsx'],
    ['app\\(shop)\\[...slug]\\page.tsx', 'app/(shop)/[...slug]/page.tsx'],
    ['src\\_lib\\a.ts', 'src/_lib/a.ts'],
    ['[locale]\\page.tsx', '[locale]/page.tsx'],
  ])('stand before punctuation too: %s', async (given, file) => {
    const { success, files, results } = await execute({ [file]: before }, edit(given))
    expect({ success, files }).toEqual({ success: true, files: { [file]: after } })
    expect(results[0]?.warnings).toBeUndefined()
  })

  it('make the directories of a new file', async () => {
    const reply = `app\\[id]\\page.tsx\n\`\`\`ts\n<<<<<<< SEARCH\n=======\n${after}>>>>>>> REPLACE\n\`\`\`\n`
    expect((await execute({}, reply)).files).toEqual({ 'app/[id]/page.tsx': after })
  })

  it.each([
    ['app/routes/($locale).\\_index.tsx', 'app/routes/($locale)._index.tsx'],
    ['app\\[id].ts', 'app[id].ts'],
  ])('are escapes of Markdown where such a file is there: %s', async (given, file) => {
    const { files, results } = await execute({ [file]: before }, edit(given))
    expect(files).toEqual({ [file]: after })
    expect(results[0]?.warnings?.[0]).toContain('backslashes of markdown')
  })

  it('are escapes in the path of a new file that has slashes', async () => {
    const { files } = await execute({}, whole('src/my\\_module.ts'), { proposals: 'apply' })
    expect(files).toEqual({ 'src/my_module.ts': after })
  })

  it('are refused where both readings are files', async () => {
    const both = { 'app[id].ts': before, 'app/[id].ts': before }
    expect(await execute(both, edit('app\\[id].ts'))).toMatchObject({ success: false, files: both })
  })
})

describe('the absolute path of a file on another machine', () => {
  const project = { 'src/lib/a.ts': before }

  it.each([
    '/Users/ada/work/ROOTNAME/src/lib/a.ts',
    'C:\\Users\\ada\\ROOTNAME\\src\\lib\\a.ts',
    '/workspace/src/lib/a.ts',
    'D:/checkout/lib/src/lib/a.ts',
  ])('means the file of the project, as a proposal: %s', async (given) => {
    expect(await execute(project, edit(given))).toMatchObject({ files: project, proposals: ['src/lib/a.ts'] })
    const { files, results } = await execute(project, edit(given), { proposals: 'apply' })
    expect(files).toEqual({ 'src/lib/a.ts': after })
    expect(results[0]?.warnings?.[0]).toContain("was read as 'src/lib/a.ts'")
  })

  it.each([
    '### [a.ts](file:///Users/ada/ROOTNAME/src/lib/a.ts)',
    '### [`a.ts`](file:///c%3A/checkout/src/lib/a.ts#L1)',
    'Update [a.ts](src/lib/a.ts):',
    'In [`a.ts`](file:///home/ada/checkout/src/lib/a.ts#L1-L3), replace all with:',
  ])('is that of a link: %s', async (title) => {
    const { files } = await execute(project, `${title}\n\n\`\`\`ts\n${after}\`\`\`\n`, { proposals: 'apply' })
    expect(files).toEqual({ 'src/lib/a.ts': after })
  })

  it('names a new file below the name of the project', async () => {
    const { files } = await execute(project, whole('/Users/ada/ROOTNAME/src/b.ts'), { proposals: 'apply' })
    expect(files).toEqual({ ...project, 'src/b.ts': after })
  })

  it.each([
    ['a file that is not there', edit('/workspace/src/lib/b.ts')],
    ['a name without directories', edit('/workspace/a.ts')],
    ['a native block', '<---WRITE file="/workspace/src/lib/a.ts"--->\nx\n<---END--->\n'],
    ['a whole file that is not there', whole('/workspace/src/lib/b.ts')],
    ['a path that leads out', edit('/workspace/ROOTNAME/../src/lib/a.ts')],
  ])('is refused for %s', async (_, reply) => {
    expect(await execute(project, reply, { proposals: 'apply' })).toMatchObject({ success: false, files: project })
  })

  it('is refused for a file that is blocked', async () => {
    const blocked = { ...project, '.env': 'export const a = 1\n' }
    const reply = edit('/Users/ada/ROOTNAME/.env')
    expect(await execute(blocked, reply, { proposals: 'apply' })).toMatchObject({ success: false, files: blocked })
  })
})
