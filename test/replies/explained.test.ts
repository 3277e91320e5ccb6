import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'

const page = `import { dates } from './dates'\nimport { busy } from './busy'\n
export function Page(props) {
  const all = dates(props)
  const taken = busy(all)
  function isDisabled(date) {
    return taken.includes(date)
  }
  return isDisabled(1)
}\n
export function Other() {
  return 1
}\n`
const project = { 'src/page.js': page, 'src/book.js': page.replaceAll('Page', 'Book') }

async function read(reply: string) {
  const clada = new Clada({ repoPath: scratchDir(project), gitCommit: false, matching: 'tolerant' })
  const { success, proposals = [], notExecuted = [] } = await clada.execute(reply)
  const listed = notExecuted.map(({ path, reason }) => `${path} ${reason}`)
  return { success, proposed: proposals.map(({ path }) => path), listed }
}

const fence = (path: string, text: string): string => `${path}\n\`\`\`js\n${text}\n\`\`\`\n`
const fragment = 'if (taken.length > 0) {\n  show(taken)\n}'

describe('lines of a file that are not as the file has them', () => {
  it.each([
    'The main logic is in these components:',
    'The system fetches the dates from the database:',
    '3. How the dates are handled:',
  ])(
    'are a listing below a sentence that only explains, and so are those directly below them: %s',
    async (sentence) => {
      const reply = `${sentence}\n\n${fence('src/page.js', fragment)}\n${fence('src/book.js', `  ${fragment}`)}`
      expect(await read(reply)).toEqual({
        success: true,
        proposed: [],
        listed: ['src/page.js listing', 'src/book.js listing'],
      })
    },
  )

  it.each(['The main logic is in these components. Change them:', 'Here is the fix:', 'Die Logik:'])(
    'are not, below any other: %s',
    async (sentence) => {
      expect(await read(`${sentence}\n\n${fence('src/page.js', fragment)}`)).toMatchObject({ success: false })
    },
  )

  it('are not, where they are the whole file or a declaration of it', async () => {
    const other = 'export function Other() {\n  return 2\n}'
    for (const text of [page.replaceAll('taken', 'gone'), other])
      expect(await read(`The page is in this file:\n\n${fence('src/page.js', text)}`)).toMatchObject({
        proposed: ['src/page.js'],
      })
  })
})

describe('a snippet that only a comment gives to a file', () => {
  const snippet = '```js\n// page.js\nif (taken.length > 0) {\n  show(taken)\n}\n```\n'

  it('is a listing if it has no place there', async () => {
    expect(await read(`**2. The dates:**\n${snippet}`)).toEqual({
      success: true,
      proposed: [],
      listed: ['src/page.js listing'],
    })
  })

  it('is a proposal if it has one, and no listing below words that tell to change the file', async () => {
    const other = '```js\n// page.js\nexport function Other() {\n  return 2\n}\n```\n'
    expect(await read(`**2. The dates:**\n${other}`)).toMatchObject({ proposed: ['src/page.js'] })
    expect(await read(`Update \`src/page.js\`:\n${snippet}`)).toMatchObject({ success: false })
  })
})

describe('an empty fence', () => {
  it('is no change of a file that a sentence tells to change', async () => {
    expect(await read('First I will update `src/page.js` to use it.\n```\n\n```\n')).toEqual({
      success: true,
      proposed: [],
      listed: ['src/page.js listing'],
    })
  })
})

describe('a fence with nothing but comments', () => {
  it('is an example if its file has code', async () => {
    const reply =
      'Share it in a code block like this:\n\n```js\n// Contents of src/page.js\n// Paste the file here\n```\n'
    expect(await read(reply.replace('Contents of ', ''))).toEqual({
      success: true,
      proposed: [],
      listed: ['src/page.js example'],
    })
  })

  it('is a proposal if there is no such file', async () => {
    expect(await read(fence('src/new.js', '// Filled by the build'))).toMatchObject({ proposed: ['src/new.js'] })
  })
})

describe('a sentence that only asks to check a file', () => {
  it('tells no change', async () => {
    expect(await read('Make sure your `src/page.js` has these lines:\n\n```js\nx = 1\n```\n')).toEqual({
      success: true,
      proposed: [],
      listed: ['src/page.js example'],
    })
  })
})

describe('a file with lines left out', () => {
  it('is a listing if what is left is in the file already, and nothing is written', async () => {
    const root = scratchDir(project)
    const file = path.join(root, 'src/page.js')
    const long = new Date('2020-01-01')
    fs.utimesSync(file, long, long)
    const reply = fence(
      'src/page.js',
      "import { dates } from './dates'\nimport { busy } from './busy'\n\n// ... existing code ...",
    )
    const clada = new Clada({ repoPath: root, gitCommit: false, matching: 'tolerant' })
    const { success, proposals, notExecuted } = await clada.execute(reply)
    expect({ success, proposals, reasons: notExecuted?.map(({ reason }) => reason) }).toEqual({
      success: true,
      proposals: undefined,
      reasons: ['listing'],
    })
    expect(fs.statSync(file).mtime).toEqual(long)
  })
})
