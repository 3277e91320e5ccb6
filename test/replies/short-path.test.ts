import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const app = 'export function App() {\n  return null\n}\n'
const one = { 'client/src/App.js': app, 'client/node_modules/x/App.js': 'x\n' }
const two = { ...one, 'admin/App.js': app }

async function execute(files: Readonly<Record<string, string>>, reply: string, options: CladaOptions = {}) {
  const root = scratchDir(files)
  const clada = new Clada({ repoPath: root, gitCommit: false, matching: 'tolerant', ...options })
  return { ...(await clada.execute(reply)), files: filesIn(root) }
}

const whole = (path: string): string =>
  `Update \`${path}\` as follows:\n\n\`\`\`js\nexport function App() {\n  return 1\n}\n\`\`\`\n`
const edit = (path: string): string =>
  `${path}\n\`\`\`js\n<<<<<<< SEARCH\n  return null\n=======\n  return 1\n>>>>>>> REPLACE\n\`\`\`\n`
const edited = app.replace('null', '1')

describe('a path that lacks its directories', () => {
  it.each([
    ['a whole file', whole('App.js')],
    ['a whole file in a directory', whole('src/App.js')],
    ['an edit', edit('App.js')],
    ['an edit in a directory', edit('src/App.js')],
  ])('means the only file that ends in it, as a proposal: %s', async (_, reply) => {
    const asked = await execute(one, reply)
    expect(asked.proposals?.map(({ path }) => path)).toEqual(['client/src/App.js'])
    expect({ success: asked.success, files: asked.files }).toEqual({ success: false, files: one })
    const { success, files, results } = await execute(one, reply, { proposals: 'apply' })
    expect({ success, files }).toEqual({ success: true, files: { ...one, 'client/src/App.js': edited } })
    expect(JSON.stringify(results[0]?.warnings)).toContain("was read as 'client/src/App.js'")
  })

  it('is refused with the files that end in it if there are several', async () => {
    const { success, files, parseErrors } = await execute(two, whole('App.js'), { proposals: 'apply' })
    expect({ success, files }).toEqual({ success: false, files: two })
    expect(parseErrors[0]?.message).toContain('admin/App.js, client/src/App.js')
  })

  it.each(['client/App.js', './App.js'])('is taken as it is if it says where the file is: %s', async (path) => {
    const { files } = await execute(one, whole(path), { proposals: 'apply' })
    expect(files).toEqual({ ...one, [path.replace('./', '')]: edited })
  })

  it('is taken as it is in a native block', async () => {
    const { files } = await execute(one, '<---WRITE file="App.js"--->\nx\n<---END--->\n')
    expect(files).toMatchObject({ 'App.js': 'x', 'client/src/App.js': app })
  })
})

describe('a whole file whose path is there in another case', () => {
  const reply = whole('Client/src/app.js')

  it('is proposed for the file that there is', async () => {
    const asked = await execute(one, reply)
    expect({ paths: asked.proposals?.map(({ path }) => path), files: asked.files }).toEqual({
      paths: ['client/src/App.js'],
      files: one,
    })
    const { files, results } = await execute(one, reply, { proposals: 'apply' })
    expect(files).toEqual({ ...one, 'client/src/App.js': edited })
    expect(results[0]?.warnings).toContainEqual(
      "'Client/src/app.js' was read as 'client/src/App.js', which differs only in upper and lower case; './Client/src/app.js' would be a new file",
    )
  })

  it('is a new file if its path says so, or several are alike', async () => {
    const { files } = await execute(one, whole('./client/src/app.js'), { proposals: 'apply' })
    expect(files).toEqual({ ...one, 'client/src/app.js': edited })
    const both = { 'src/App.js': app, 'src/APP.js': app }
    expect((await execute(both, whole('src/app.js'), { proposals: 'apply' })).files).toEqual({
      ...both,
      'src/app.js': edited,
    })
  })
})
