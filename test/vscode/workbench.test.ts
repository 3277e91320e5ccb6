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

  it('applies only what is checked, and tells the model', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
    const root = scratchDir({ ...files, 'long.txt': `${lines.join('\n')}\n` })
    const changed = lines.with(0, 'first').with(29, 'last').join('\n')
    const sham = ['#!SHAM [@three-char-SHA-256: abc]', 'action = "file_write"', 'path = "long.txt"']
      .concat(`content = ${JSON.stringify(`${changed}\n`)}`, '#!END_SHAM_abc', '')
      .join('\n')
    const window = await open(root)
    await window.copy(`${edit('main.py', 'greet("Ada")', 'greet("Bob")')}${sham}`)
    await window.run('clada: Apply Reply from Clipboard')
    await window.row('Reply', 'main.py').locator('.monaco-custom-toggle').click()
    const block = window.row('Reply', 'long.txt')
    await block.locator('.monaco-tl-twistie').click()
    await window.row('Reply', 'line 30').locator('.monaco-custom-toggle').click()
    await expect.poll(() => window.rows('Reply')).toContainEqual(expect.stringContaining('1 change left out'))
    await window.picture('partial')
    await window.run('clada: Apply the Reviewed Changes')
    await window.notification('1 applied').waitFor()
    expect(textIn(root, 'main.py')).toBe(files['main.py'])
    expect(textIn(root, 'long.txt')).toBe(`${lines.with(0, 'first').join('\n')}\n`)
    expect(await window.clipboard()).toMatch(/left out/)
  })

  it('asks to save first what was typed and not saved', async () => {
    const root = scratchDir(files)
    const window = await open(root)
    await window.openFile('main.py')
    await window.page.keyboard.press('Control+End')
    await window.page.keyboard.type('# mine')
    await window.copy(reply)
    await window.run('clada: Apply Reply from Clipboard')
    const dialog = window.page.locator('.monaco-dialog-box', { hasText: 'have not saved: main.py' })
    await dialog.waitFor()
    await window.picture('unsaved')
    await dialog.getByText('Save and show the changes').click()
    await expect.poll(() => textIn(root, 'main.py')).toBe('greet("Ada")\n# mine')
    await window.row('Reply', 'main.py').waitFor()
    await window.run('clada: Apply the Reviewed Changes')
    await window.notification('2 applied').waitFor()
    expect(textIn(root, 'main.py')).toBe('greet("Ada", "Hi")\n# mine')
  })

  it('shows the nearest place of an edit that fits nowhere, and puts it there', async () => {
    const root = scratchDir({ 'a.js': 'function total(items) {\n  return items.length\n}\n' })
    const window = await open(root)
    await window.copy(
      edit('a.js', 'function total(list) {\n  return list.length * 2\n}', 'function sum(items) {\n  return 1\n}'),
    )
    await window.run('clada: Apply Reply from Clipboard')
    const place = window.row('Reply', 'Could go to line')
    await place.waitFor()
    await window.page.locator('.tab.active', { hasText: 'a.js' }).waitFor()
    await window.picture('nearest')
    await place.hover()
    await place.locator('.action-label[aria-label^="Use This Place"]').click()
    await expect.poll(() => window.rows('Reply')).toContainEqual(expect.stringContaining('place chosen by you'))
    await window.run('clada: Apply the Reviewed Changes')
    await window.notification('1 applied').waitFor()
    expect(textIn(root, 'a.js')).toBe('function sum(items) {\n  return 1\n}\n')
  })

  it('runs a command only after a yes', async () => {
    const root = scratchDir(files)
    const window = await open(root)
    const command =
      '```sh sham\n#!SHAM [@three-char-SHA-256: abc]\naction = "run"\ncommand = "python3 --version"\n#!END_SHAM_abc\n```\n'
    await window.copy(command)
    await window.run('clada: Apply Reply from Clipboard')
    await window.row('Reply', 'python3 --version').waitFor()
    await window.run('clada: Apply the Reviewed Changes')
    const dialog = window.page.locator('.monaco-dialog-box', { hasText: 'wants to run a command' })
    await dialog.waitFor()
    await window.picture('question')
    await dialog.getByText('No', { exact: true }).click()
    await window.notification('1 failed').waitFor()
  })

  it('makes no link of what a reply says, and shows a hostile name as it is', async () => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    const window = await open(root)
    const name = '[yes](command:workbench.action.terminal.new)'
    // The first cannot be applied: the report about it names the file.
    await window.copy(
      ['#!SHAM [@three-char-SHA-256: abc]', 'action = "file_delete"', `path = "${name}"`, '#!END_SHAM_abc', '']
        .concat('#!SHAM [@three-char-SHA-256: abd]', 'action = "file_delete"', 'path = "a.txt"', '#!END_SHAM_abd', '')
        .join('\n'),
    )
    await window.run('clada: Apply Reply from Clipboard')
    await window.row('Reply', '[yes] (command:').waitFor()
    await window.run('clada: Apply the Reviewed Changes')
    const told = window.notification('1 failed')
    await told.waitFor()
    await window.picture('hostile')
    expect(await told.innerText()).toContain('[yes] (command:')
    expect(await told.locator('a[data-href], .notification-list-item-message a').count()).toBe(0)
    expect(fs.existsSync(path.join(root, 'a.txt'))).toBe(false)
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
    await window.row('Reply', 'made/0.txt').waitFor()
    await window.picture('many')
    fs.writeFileSync(path.join(root, 'clada.yml'), 'allowed_actions: [file_read]\n')
    await window.copy(block(1))
    await window.run('clada: Apply Reply from Clipboard')
    await expect.poll(() => window.rows('Reply')).toEqual([expect.stringContaining('allow')])
  })

  it('lists executions with their changes, undoes one and brings it back', async () => {
    const root = scratchDir(files)
    const window = await open(root)
    await window.copy(reply)
    await window.run('clada: Apply Reply from Clipboard')
    await window.row('Reply', 'main.py').waitFor()
    await window.run('clada: Apply the Reviewed Changes')
    const entry = window.row('History', 'edit 2 files')
    await entry.click()
    await window.page.locator('.tab', { hasText: '#1 edit 2 files' }).waitFor()
    await entry.hover()
    await entry.locator('.action-label[aria-label^="Undo This Execution"]').click()
    await expect.poll(() => textIn(root, 'main.py')).toBe(files['main.py'])
    await window.row('History', 'undone').hover()
    await window.row('History', 'undone').locator('.action-label[aria-label^="Redo This Execution"]').click()
    await expect.poll(() => textIn(root, 'main.py')).toBe('greet("Ada", "Hi")\n')
    await window.picture('history')
    await window.run('clada: Undo the Last Execution')
    await expect.poll(() => textIn(root, 'main.py')).toBe(files['main.py'])
  })

  it('takes a reply from a selection and from a file, and says when there is none', async () => {
    const root = scratchDir({ ...files, 'reply.md': reply })
    const window = await open(root)
    await window.copy('Nothing to do here.')
    await window.run('clada: Apply Reply from Clipboard')
    await window.notification('There are no edits or commands in this text.').waitFor()
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

  it('copies the prompt with the files of the context', async () => {
    const root = scratchDir(files)
    const window = await open(root)
    await window.chooseFor('main.py', 'Add to clada Context')
    await window.page.locator('.statusbar-item', { hasText: 'The context of clada has 1 file' }).waitFor()
    await window.run('clada: Copy Prompt and Context')
    await window.page.locator('.statusbar-item', { hasText: 'Prompt copied' }).waitFor()
    const prompt = await window.clipboard()
    expect(prompt).toContain('greet("Ada")')
    expect(prompt).toContain('file_write')
  })
})

describe('the extension in a workspace that is not trusted', () => {
  it('shows a reply and applies nothing', async ({ skip }) => {
    if (missing !== undefined) skip(missing)
    const root = scratchDir(files)
    const workbench = await startWorkbench({ trust: 'restricted' })
    onTestFinished(() => workbench.close())
    const window = await workbench.open(root)
    await window.copy(reply)
    await window.run('clada: Apply Reply from Clipboard')
    await expect.poll(() => window.rows('Reply')).toHaveLength(2)
    await window.page.locator('[id$="clada.status"]').click()
    await window.notification('Trust this workspace first').waitFor()
    await window.picture('restricted')
    expect(fs.readdirSync(root).sort()).toEqual(['greet.py', 'main.py'])
    expect(fs.readFileSync(path.join(root, 'main.py'), 'utf8')).toBe(files['main.py'])
  })
})
