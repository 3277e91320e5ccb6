import { expect, it } from 'vitest'
import { block, edit, workbench } from './story.ts'

const files = { 'a.txt': 'one\ntwo\n', 'b.txt': 'bee\n', 'src/c.txt': 'sea\n', 'src/d.txt': 'dee\n' }
// The marker at the end is missing.
const broken = block('abc', { action: 'file_write', path: 'new.txt', content: 'x' }).replace('file_write', 'file_wrote')

workbench('clada in VS Code', (story) => {
  story('the reply as text', files, (at) => {
    it('is pasted into an editor of its own, and listed', async () => {
      const { window } = at()
      await window.run('clada: Open the Reply Editor')
      await window.tab('Reply.txt').waitFor()
      await window.page.locator('.editor-instance .view-lines').first().click()
      await window.copy(edit('a.txt', 'two', 'second') + broken)
      await window.page.keyboard.press('Control+V')
      await window.status('Apply reply (1)').waitFor()
      await window.run('View: Show Clada')
      await expect.poll(() => window.rows('Reply')).toHaveLength(2)
    })

    it('shows what is wrong with a block where it is', async () => {
      const { window } = at()
      await window.page.locator('.squiggly-error').first().waitFor()
      await window.page.locator('.view-lines').getByText('file_wrote').first().click()
    })

    it('has words above each block', async () => {
      const { window } = at()
      await window.words('ready').first().waitFor()
      await window.words('cannot be read').first().waitFor()
    })

    it('corrects a block by a quick fix', async () => {
      const { window } = at()
      await window.page.keyboard.press('Control+.')
      await window.page.locator('.action-widget', { hasText: 'Use the corrected block' }).waitFor()
      await window.picture('vscode-reply')
      await window.page.keyboard.press('Enter')
      await window.words('file_write new.txt').first().waitFor()
      await window.page.locator('.squiggly-error').first().waitFor({ state: 'detached' })
    })

    it('applies one block, and keeps the others for later', async () => {
      const { window, read } = at()
      await window.lens('Apply only this').first().click()
      await window.notification('1 applied').waitFor()
      expect(read('a.txt')).toBe('one\nsecond\n')
      await window.words('applied').first().waitFor()
      await window.status('Apply reply (1)').waitFor()
    })

    it('may not be edited where it was applied', async () => {
      const { window, read } = at()
      await window.page.locator('.view-lines').getByText('second').first().click()
      await window.page.keyboard.press('End')
      await window.page.keyboard.type(' thought')
      await window.notification('already applied').waitFor()
      expect(read('a.txt')).toBe('one\nsecond\n')
    })
  })

  const run = (command: string, id = 'abc'): string => block(id, { action: 'run', command })
  story('a command of a reply', { 'a.txt': 'a\n' }, (at) => {
    const ask = async (command: string): Promise<void> => {
      const { window } = at()
      await window.copy(run(command))
      await window.run('clada: Apply Reply from Clipboard')
      await window.row('Reply', command.slice(0, 12)).waitFor()
      await window.run('clada: Apply the Reviewed Changes')
    }

    it('does not run after a no', async () => {
      const { window, read } = at()
      await ask("python3 -c \"open('a.txt','w').write('no')\"")
      await window.dialog('wants to run a command').getByText('No', { exact: true }).click()
      await window.notification('1 failed').waitFor()
      expect(read('a.txt')).toBe('a\n')
    })

    it('does not run when the question is closed', async () => {
      const { window, read } = at()
      await ask("python3 -c \"open('a.txt','w').write('esc')\"")
      await window.dialog('wants to run a command').waitFor()
      await window.page.keyboard.press('Escape')
      await window.notification('1 failed').waitFor()
      expect(read('a.txt')).toBe('a\n')
    })

    it('does not run after Enter, which somebody may be typing when the question comes', async () => {
      const { window, read } = at()
      await ask("python3 -c \"open('a.txt','w').write('enter')\"")
      await window.dialog('wants to run a command').waitFor()
      await window.page.keyboard.press('Enter')
      await window.notification('1 failed').waitFor()
      expect(read('a.txt')).toBe('a\n')
    })

    it('is tried in the sandbox, and what it changes is kept only after another yes', async () => {
      const { window, read } = at()
      await ask("python3 -c \"open('a.txt','w').write('tried')\"")
      await window.dialog('wants to run a command').getByText('Try in sandbox').click()
      await window.dialog('Keep its changes?').getByText('1 file changed').waitFor()
      expect(read('a.txt')).toBe('a\n')
      await window.dialog('Keep its changes?').getByText('Keep', { exact: true }).click()
      await window.notification('1 applied').waitFor()
      expect(read('a.txt')).toBe('tried')
    })

    it('runs once, and shows what it prints without acting on it', async () => {
      const { window } = at()
      await ask('python3 -c "print(\'\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07 said\')"')
      await window.dialog('wants to run a command').getByText('Allow once').click()
      await window.notification('1 applied').waitFor()
      const output = window.page.locator('.output-view-content, .panel .view-lines', { hasText: 'said' }).first()
      await output.waitFor()
      expect((await output.innerText()).replaceAll('\u00a0', ' ')).toMatch(/> run python3 -c [^]* said/)
      await window.picture('vscode-output')
    })

    it('is asked about again after a yes for once, and not after a yes for good', async () => {
      const { window } = at()
      await ask('python3 --version')
      await window.dialog('wants to run a command').getByText('Always').click()
      await window.notification('1 applied').waitFor()
      await window.run('Notifications: Clear All Notifications')
      await ask('python3 --version')
      await window.notification('1 applied').waitFor()
      expect(await window.dialog('wants to run').count()).toBe(0)
    })
  })

  story('the history', files, (at) => {
    it('lists what was applied, with its actions', async () => {
      const { window } = at()
      await window.copy(edit('a.txt', 'two', 'second') + edit('b.txt', 'bee', 'wasp'))
      await window.run('clada: Apply Reply from Clipboard')
      await window.status('Apply reply (2)').click()
      await window.notification('2 applied').waitFor()
      const entry = window.row('History', 'edit 2 files')
      await entry.waitFor()
      await entry.locator('.monaco-tl-twistie').click()
      await window.row('History', 'a.txt').waitFor()
      await window.row('History', 'b.txt').waitFor()
    })

    it('shows the changes of an execution', async () => {
      const { window } = at()
      await window.row('History', 'edit 2 files').click()
      await window.tab('#1 edit 2 files').waitFor()
      await window.right('b.txt').getByText('wasp').waitFor()
      await window.picture('vscode-history')
    })

    it('undoes one action, and brings it back', async () => {
      const { window, read } = at()
      await window.press('History', 'a.txt', 'Undo')
      await expect.poll(() => read('a.txt')).toBe('one\ntwo\n')
      expect(read('b.txt')).toBe('wasp\n')
      await window.row('History', 'undone').waitFor()
      await window.press('History', 'a.txt', 'Redo')
      await expect.poll(() => read('a.txt')).toBe('one\nsecond\n')
    })

    it('undoes an execution, and brings it back', async () => {
      const { window, read } = at()
      await window.press('History', 'edit 2 files', 'Undo')
      await expect.poll(() => read('b.txt')).toBe('bee\n')
      await window.row('History', '· undone').waitFor()
      await expect.poll(() => window.rows('History')).toContainEqual(expect.stringMatching(/a\.txt ?undone/))
      await window.press('History', 'edit 2 files', 'Redo')
      await expect.poll(() => read('b.txt')).toBe('wasp\n')
    })
  })

  for (const isWanted of [true, false])
    story(
      `a line that clada wrote, ${isWanted ? 'with' : 'without'} the setting`,
      { 'a.txt': 'one\ntwo\n' },
      (at) => {
        it(isWanted ? 'says so at the mouse' : 'says nothing', async () => {
          const { window } = at()
          await window.copy(edit('a.txt', 'two', 'second'))
          await window.run('clada: Apply Reply from Clipboard')
          await window.status('Apply reply (1)').click()
          await window.notification('1 applied').waitFor()
          await window.openFile('a.txt')
          await window.page.keyboard.press('Control+End')
          await window.page.keyboard.press('ArrowUp')
          await window.run('Show or Focus Hover')
          const hover = window.page.locator('.monaco-hover:visible', { hasText: 'Written by clada, execution #1' })
          if (isWanted) await hover.first().waitFor()
          // Whatever else there is to say was said by then.
          else await window.page.waitForTimeout(3000)
          expect(await hover.count()).toBe(isWanted ? 1 : 0)
        })
      },
      { settings: isWanted ? { 'clada.whoWroteLine': true } : {} },
    )

  story('the context', files, (at) => {
    it('takes a file', async () => {
      const { window } = at()
      await window.chooseFor('b.txt', 'Add to clada Context')
      await window.status(/[\d,]+ tokens/).waitFor()
      await window.run('View: Show Clada')
      await window.row('Context', 'b.txt').waitFor()
    })

    it('takes a directory', async () => {
      const { window } = at()
      await window.run('View: Show Explorer')
      await window.chooseFor('src', 'Add to clada Context')
      await window.run('View: Show Clada')
      await window.row('Context', 'src/c.txt').waitFor()
      await window.row('Context', 'src/d.txt').waitFor()
    })

    it('takes the lines of a selection', async () => {
      const { window } = at()
      await window.openFile('a.txt')
      await window.page.keyboard.press('Control+End')
      await window.page.keyboard.press('ArrowUp')
      await window.page.keyboard.press('Home')
      await window.page.keyboard.press('Shift+ArrowDown')
      await window.run('clada: Add to clada Context')
      await window.row('Context', 'a.txt:2').waitFor()
      await window.picture('vscode-context')
    })

    it('goes along with the prompt, by a click on its tokens', async () => {
      const { window } = at()
      await window.status(/[\d,]+ tokens/).click()
      await window.status('Prompt copied').waitFor()
      const prompt = await window.clipboard()
      expect(prompt).toContain('bee')
      expect(prompt).toContain('dee')
      expect(prompt).toContain('two')
      expect(prompt).not.toMatch(/^one$/m)
    })

    it('loses what is removed', async () => {
      const { window } = at()
      await window.press('Context', 'b.txt', 'Remove from clada Context')
      await expect.poll(() => window.rows('Context')).not.toContainEqual(expect.stringContaining('b.txt'))
    })
  })

  const two = {
    'one/a.txt': 'a\n',
    'two/a.txt': 'a\n',
    'all.code-workspace': JSON.stringify({ folders: [{ path: 'one' }, { path: 'two' }] }),
  }
  story(
    'a workspace of two folders',
    two,
    (at) => {
      it('asks for the project of a reply, and changes no other', async () => {
        const { window, read } = at()
        await window.copy(edit('a.txt', 'a', 'b'))
        await window.run('clada: Apply Reply from Clipboard')
        await window.page.locator('.quick-input-list .monaco-list-row', { hasText: 'two' }).first().click()
        await window.status('Apply reply (1)').click()
        await window.notification('1 applied').waitFor()
        expect([read('one/a.txt'), read('two/a.txt')]).toEqual(['a\n', 'b\n'])
      })

      it('has one history of both, with the names of the folders', async () => {
        await at().window.row('History', '· two ·').waitFor()
      })
    },
    { open: 'all.code-workspace' },
  )

  story('the keyboard alone', { 'a.txt': 'one\n', 'b.txt': 'two\n' }, (at) => {
    it('reviews, leaves out, takes and applies', async () => {
      const { window, read } = at()
      const { keyboard } = window.page
      await window.copy(edit('a.txt', 'one', 'first') + edit('b.txt', 'two', 'second'))
      await keyboard.press('Control+Alt+V')
      await window.status('Apply reply (2)').waitFor()
      await window.run('View: Show Clada')
      await keyboard.press('Tab')
      await window.row('Reply', 'a.txt').waitFor()
      await window.run('Focus on Reply View')
      await keyboard.press('Home')
      await keyboard.press('Enter')
      await window.tab('a.txt (reply)').waitFor()
      await window.page.locator('.editor.modified .monaco-editor.focused, .editor.modified.focused').first().waitFor()
      await keyboard.press('Control+Alt+L')
      await window.status('Apply reply (1)').waitFor()
      await keyboard.press('Control+Alt+Enter')
      await window.notification('1 applied').waitFor()
      expect([read('a.txt'), read('b.txt')]).toEqual(['one\n', 'second\n'])
    })
  })

  for (const [theme, kind] of [
    ['Default Dark Modern', 'vs-dark'],
    ['Default High Contrast', 'hc-black'],
    ['Default High Contrast Light', 'hc-light'],
  ] as const)
    story(
      `the theme ${theme}`,
      { 'a.txt': 'one\n', '.env': 'K=1\n' },
      (at) => {
        it('has a shape for every state', async () => {
          const { window } = at()
          await window.page.locator(`.monaco-workbench.${kind}`).waitFor()
          await window.copy(edit('a.txt', 'one', 'first') + edit('a.txt', 'no', 'x') + edit('.env', 'K=1', 'K=2'))
          await window.run('clada: Apply Reply from Clipboard')
          await window.row('Reply', '.env').waitFor()
          // In high contrast all of them have one colour, so the shape has to say it.
          const shapes = await window.page.evaluate<string[]>(
            "[...document.querySelectorAll('.monaco-list-row .custom-view-tree-node-item-icon')].map((icon) => icon.className)",
          )
          expect(new Set(shapes).size).toBeGreaterThan(1)
          await window.picture(`vscode-${kind}`)
        })
      },
      { settings: { 'window.autoDetectColorScheme': false, 'workbench.colorTheme': theme } },
    )
})
