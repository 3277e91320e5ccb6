import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { block, edit, workbench } from './story.ts'

const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
const long = `${lines.join('\n')}\n`
const files = {
  'greet.py': 'def greet(name):\n    print("Hello " + name)\n',
  'main.py': 'greet("Ada")\n',
  'long.txt': long,
}
const inLong = block('abc', {
  action: 'file_write',
  path: 'long.txt',
  content: `${lines.with(0, 'first').with(14, 'middle').with(29, 'last').join('\n')}\n`,
})
const reply =
  edit('greet.py', 'def greet(name):', 'def greet(name, word):') +
  edit('main.py', 'greet("Ada")', 'greet("Ada", "Hi")') +
  inLong

workbench('a review in VS Code', (story) => {
  story('hunk by hunk, in the editor of all changes', files, (at) => {
    it('shows every change, and changes nothing', async () => {
      const { window, read } = at()
      await window.copy(reply)
      await window.run('clada: Apply Reply from Clipboard')
      await window.lens('Leave out').nth(4).waitFor()
      expect(await window.rows('Reply')).toEqual([
        expect.stringContaining('greet.py'),
        expect.stringContaining('main.py'),
        expect.stringContaining('long.txt'),
      ])
      expect(read('long.txt')).toBe(long)
      await window.picture('vscode-review')
    })

    it('leaves out one change of several by the words above it', async () => {
      const { window } = at()
      await window.right('long.txt').getByText('middle').waitFor()
      await window.lens('Leave out').nth(2).click()
      await window.right('long.txt').getByText('middle').waitFor({ state: 'detached' })
      await expect.poll(() => window.rows('Reply')).toContainEqual(expect.stringContaining('1 change left out'))
    })

    it('takes it again', async () => {
      const { window } = at()
      await window.row('Reply', 'long.txt').locator('.monaco-tl-twistie').click()
      await window.press('Reply', 'line 15', 'Accept This Change')
      await window.right('long.txt').getByText('middle').waitFor()
    })

    it('leaves out the only change of a block, and shows where it would be', async () => {
      const { window } = at()
      await window.lens('Leave out').first().click()
      await window.words('Left out').waitFor()
      expect(await window.status('Apply reply (2)').count()).toBe(1)
      await window.lens('Accept').last().click()
      await window.words('Left out').waitFor({ state: 'detached' })
    })

    it('lets the right side be edited, and says that it was', async () => {
      const { window } = at()
      await window.row('Reply', 'main.py').click()
      await window.tab('main.py (reply)').waitFor()
      await window.page.locator('.editor.modified .view-lines').last().click()
      await window.page.keyboard.press('Control+End')
      await window.page.keyboard.type('# typed')
      await expect.poll(() => window.rows('Reply')).toContainEqual(expect.stringContaining('edited by you'))
    })

    it('leaves out the change at the cursor by a key', async () => {
      const { window } = at()
      await window.row('Reply', 'greet.py').click()
      await window.tab('greet.py (reply)').waitFor()
      await window.page.locator('.editor.modified .view-lines').last().click()
      await window.page.keyboard.press('Control+Alt+L')
      await expect.poll(() => window.status('Apply reply (2)').count()).toBe(1)
    })

    it('applies by a key what was shown and typed, and nothing else', async () => {
      const { window, read } = at()
      await window.page.keyboard.press('Control+Alt+Enter')
      await window.notification('2 applied').waitFor()
      expect(read('greet.py')).toBe(files['greet.py'])
      expect(read('main.py')).toBe('greet("Ada", "Hi")\n# typed')
      expect(read('long.txt')).toContain('middle')
    })

    it('tells the model what was applied, edited and left out', async () => {
      const report = await at().window.clipboard()
      expect(report).toContain('CLADA RESULTS')
      expect(report).toMatch(/left out/i)
      expect(report).toContain('# typed')
    })

    it('closes the changes that were applied', async () => {
      const { window } = at()
      await expect.poll(() => window.tab('Reply: changes').count()).toBe(0)
    })
  })

  story('of files that are not saved', { 'a.txt': 'one\ntwo\n' }, (at) => {
    const twice = edit('a.txt', 'two', 'second')

    it('shows the edit in the text that is typed', async () => {
      const { window, read } = at()
      await window.openFile('a.txt')
      await window.page.keyboard.press('Control+Home')
      await window.page.keyboard.type('mine ')
      await window.copy(twice)
      await window.run('clada: Apply Reply from Clipboard')
      await window.right('a.txt').getByText('mine').waitFor()
      expect(read('a.txt')).toBe('one\ntwo\n')
    })

    it('follows what is typed while the review is open', async () => {
      const { window } = at()
      await window.openFile('a.txt')
      await window.page.keyboard.press('Control+Home')
      await window.page.keyboard.type('really ')
      await window.tab('Reply: changes').click()
      await window.right('a.txt').getByText('really').waitFor()
    })

    it('places an edit in text that is on no disk yet', async () => {
      const { window } = at()
      await window.copy(edit('a.txt', 'really mine one', 'nobody’s'))
      await window.run('clada: Apply Reply from Clipboard')
      await window.right('a.txt').getByText('nobody').waitFor()
    })

    it('saves and applies after a yes, and an undo brings back what was typed', async () => {
      const { window, read } = at()
      await window.run('clada: Apply the Reviewed Changes')
      await window.dialog('have not saved: a.txt').getByText('Save and Apply').click()
      await window.notification('1 applied').waitFor()
      expect(read('a.txt')).toBe('nobody’s\ntwo\n')
      await window.notification('1 applied').getByText('Undo').click()
      await expect.poll(() => read('a.txt')).toBe('really mine one\ntwo\n')
    })
  })

  const js = 'function total(items) {\n  return items.length\n}\n'
  story('of what does not fit, or may not be', { 'a.js': js, '.env': 'KEY=1\n', 'b.txt': 'b\n' }, (at) => {
    it('shows why an edit fits nowhere at the place that resembles it most', async () => {
      const { window } = at()
      const wanted = 'function total(list) {\n  return list.length * 2\n}'
      await window.copy(edit('a.js', wanted, 'function sum(items) {\n  return 1\n}'))
      await window.run('clada: Apply Reply from Clipboard')
      await window.tab('a.js').waitFor()
      await window.lens('Use this place').waitFor()
      await window.picture('vscode-nearest')
    })

    it('puts it there by the words above the place, and shows what that changes', async () => {
      const { window, read } = at()
      await window.page.getByText('1 block, 0 files, 1 needs attention').waitFor()
      await window.lens('Use this place').click()
      await window.tab('a.js (reply)').waitFor()
      await expect.poll(() => window.rows('Reply')).toContainEqual(expect.stringContaining('place chosen by you'))
      await window.run('clada: Apply the Reviewed Changes')
      await window.notification('1 applied').waitFor()
      expect(read('a.js')).toBe('function sum(items) {\n  return 1\n}\n')
    })

    it('counts an edit of which only a part fits, and shows where the rest could go', async () => {
      const { window, read } = at()
      await window.copy(edit('a.js', '  return 1', '  return 2') + edit('a.js', 'function sum(items, by) {', 'f() {'))
      await window.run('clada: Apply Reply from Clipboard')
      await window.page.getByText('1 block, 1 file, 1 needs attention').waitFor()
      await expect
        .poll(() => window.rows('Reply'))
        .toEqual([expect.stringContaining('hunk 2 of 2 not found'), expect.stringContaining('Could go to line 1')])
      expect(read('a.js')).toContain('return 1')
    })

    it('says where a file is moved, and shows it as one file of which no line changes', async () => {
      const { window } = at()
      await window.copy(block('abc', { action: 'file_move', old_path: 'b.txt', new_path: 'sub/c.txt' }))
      await window.run('clada: Apply Reply from Clipboard')
      await expect.poll(() => window.rows('Reply')).toEqual([expect.stringMatching(/→ sub\/c\.txt$/)])
      const shown = window.page.locator('.multiDiffEntry')
      await expect.poll(() => shown.allInnerTexts()).toEqual([expect.stringMatching(/^c\.txt\s*sub\s+R\s+b\.txt/)])
    })

    it('says why a file may not be touched', async () => {
      const { window, read } = at()
      await window.copy(edit('.env', 'KEY=1', 'KEY=2') + edit('b.txt', 'b', 'c'))
      await window.run('clada: Apply Reply from Clipboard')
      await expect
        .poll(() => window.rows('Reply'))
        .toEqual([expect.stringMatching(/\.env.*(?:blocked|denied|secret)/i), expect.stringContaining('b.txt')])
      expect(read('.env')).toBe('KEY=1\n')
    })

    it('shows a whole file that a reply proposes as a change before it is one', async () => {
      const { window, read } = at()
      await window.copy('Put this into b.txt:\n\n**b.txt**\n```\nproposed\n```\n')
      await window.run('clada: Apply Reply from Clipboard')
      await window.right('b.txt').getByText('proposed').waitFor()
      expect(read('b.txt')).toBe('b\n')
      await window.run('clada: Apply the Reviewed Changes')
      await expect.poll(() => read('b.txt')).toBe('proposed\n')
      await expect.poll(() => window.tab('Reply: changes').count()).toBe(0)
    })

    it('refuses what has changed on the disk since it was shown', async () => {
      const { window, root, read } = at()
      await window.copy(edit('b.txt', 'proposed', 'again'))
      await window.run('clada: Apply Reply from Clipboard')
      await window.right('b.txt').getByText('again').waitFor()
      fs.writeFileSync(path.join(root, 'b.txt'), 'proposed\nby others\n')
      await window.run('clada: Apply the Reviewed Changes')
      await window.notification('changed').waitFor()
      expect(read('b.txt')).toBe('proposed\nby others\n')
    })
  })

  const four = {
    'a.ts': 'export const a = 1\nexport const b = 2\n',
    'b.ts': 'let b = 1\n',
    'c.ts': 'let c = 1\n',
    'd.ts': 'let d = 1\nlet e = 1\n',
  }
  const mixed = [
    edit('a.ts', 'export const a = 1', 'export const a = 10'),
    '```diff\n--- a/b.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-let b = 1\n+let b = 2\n```\n',
    '*** Begin Patch\n*** Update File: c.ts\n@@\n-let c = 1\n+let c = 2\n*** End Patch\n',
    block('abc', { action: 'file_replace_text', path: 'd.ts', old_text: 'let d = 1', new_text: 'let d = 2' }),
    block('abd', { action: 'file_replace_text', path: 'd.ts', old_text: 'let e = 1', new_text: 'let e = 2' }),
    edit('a.ts', 'export const b = 2', 'export const b = 20'),
  ].join('\n')
  story('of six edits in four formats over four files', four, (at) => {
    it('takes two clicks from the copied reply to the applied changes', async () => {
      const { window, read } = at()
      await window.page.evaluate('globalThis.clicks = 0; addEventListener("click", () => globalThis.clicks++, true)')
      await window.copy(mixed)
      await window.focusAnew()
      await window.status('Review reply (6)').click()
      await window.page.locator('.multiDiffEntry').nth(3).waitFor()
      await window.picture('vscode-six')
      await window.status('Apply reply (6)').click()
      await window.notification('6 applied').waitFor()
      expect(await window.page.evaluate('globalThis.clicks')).toBe(2)
      expect([read('a.ts'), read('b.ts'), read('c.ts'), read('d.ts')]).toEqual([
        'export const a = 10\nexport const b = 20\n',
        'let b = 2\n',
        'let c = 2\n',
        'let d = 2\nlet e = 2\n',
      ])
    })
  })
})
