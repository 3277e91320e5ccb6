import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { scratchDir } from '../support/scratch.ts'
import { missing, startWorkbench, type Window, type Workbench } from './workbench.ts'

const edit = (file: string, before: string, after: string): string =>
  `${file}\n\`\`\`\n<<<<<<< SEARCH\n${before}\n=======\n${after}\n>>>>>>> REPLACE\n\`\`\`\n\n`
const files = { 'greet.py': 'def greet(name):\n    print("Hello " + name)\n', 'main.py': 'greet("Ada")\n' }
const reply =
  'Here it is.\n\n' +
  edit('greet.py', 'def greet(name):', 'def greet(name, word):') +
  edit('main.py', 'greet("Ada")', 'greet("Ada", "Hi")')

describe('the extension in VS Code', () => {
  let workbench: Workbench | undefined
  beforeAll(async () => {
    if (missing === undefined) workbench = await startWorkbench()
  })
  afterAll(() => workbench?.close())
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing)
  })

  const open = async (root: string): Promise<Window> => {
    if (workbench === undefined) throw new Error('there is no workbench')
    const window = await workbench.open(root)
    onTestFinished(() => window.close())
    return window
  }
  const textIn = (root: string, file: string): string => fs.readFileSync(path.join(root, file), 'utf8')

  it('is a package of at most 3 MB', () => {
    expect(fs.statSync(workbench?.vsix ?? '').size).toBeLessThanOrEqual(3_000_000)
  })

  it('reviews a reply from the clipboard, applies it, copies the report and undoes it', async () => {
    const root = scratchDir(files)
    const window = await open(root)
    await window.copy(reply)
    await window.run('clada: Apply Reply from Clipboard')
    await window.row('Reply', 'greet.py').waitFor()
    await expect.poll(() => window.rows('Reply')).toHaveLength(2)
    await window.page.locator('.multiDiffEntry').nth(1).waitFor()
    await window.picture('review')
    expect(textIn(root, 'greet.py')).toBe(files['greet.py'])

    await window.run('clada: Apply the Reviewed Changes')
    await window.notification('2 applied').waitFor()
    await window.picture('applied')
    expect(textIn(root, 'greet.py')).toContain('def greet(name, word):')
    expect(textIn(root, 'main.py')).toBe('greet("Ada", "Hi")\n')
    expect(await window.clipboard()).toContain('CLADA RESULTS')

    await window.notification('2 applied').getByText('Undo').click()
    await expect.poll(() => textIn(root, 'main.py')).toBe(files['main.py'])
    expect(textIn(root, 'greet.py')).toBe(files['greet.py'])
  })

  it('lists a reply of 300 blocks, and takes the settings of the moment for the next one', async () => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    const window = await open(root)
    const block = (index: number): string =>
      [`#!SHAM [@three-char-SHA-256: abc]`, 'action = "file_write"', `path = "made/${index}.txt"`, 'content = "x"']
        .concat('#!END_SHAM_abc', '')
        .join('\n')
    await window.copy(Array.from({ length: 300 }, (_, index) => block(index)).join('\n'))
    await window.run('clada: Apply Reply from Clipboard')
    await window.page.getByText('300 blocks, 300 files').waitFor()
    await window.row('Reply', '0.txt').waitFor()
    await window.tab('Reply: changes to review (300 files)').waitFor()
    await window.page.locator('.multiDiffEntry').nth(1).waitFor()
    await window.picture('many')
    fs.writeFileSync(path.join(root, 'clada.yml'), 'allowed_actions: [file_read]\n')
    await window.copy(block(1))
    await window.run('clada: Apply Reply from Clipboard')
    await expect.poll(() => window.rows('Reply')).toEqual([expect.stringContaining('allow')])
  })

  it('takes a reply from a selection and from a file, and says when there is none', async () => {
    const root = scratchDir({ ...files, 'reply.md': reply })
    const window = await open(root)
    await window.copy('Nothing to do here.')
    await window.run('clada: Apply Reply from Clipboard')
    await window.notification('No edits or commands found.').waitFor()
    await window.openFile('reply.md')
    await window.page.keyboard.press('Control+A')
    await window.run('clada: Apply Reply from Selection')
    await expect.poll(() => window.rows('Reply')).toHaveLength(2)
    await window.run('clada: Discard the Reply')
    await expect.poll(() => window.rows('Reply')).toHaveLength(0)
    await window.page.keyboard.press('Control+Shift+E')
    await window.chooseFor('reply.md', 'Apply Reply from File')
    await expect.poll(() => window.rows('Reply')).toHaveLength(2)
  })
})
