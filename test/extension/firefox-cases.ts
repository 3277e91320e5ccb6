import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import type { Firefox } from './firefox.ts'
import { blockWriting } from './env.ts'
import { hidings } from './hidden-text.ts'
import { products } from './imitations.ts'
import { usualAfter, usualBefore, usualReply } from './turns.ts'

/** What is tried in Firefox, where the panel is the sidebar, or a window while the sidebar is closed. */
export interface FirefoxCase {
  readonly name: string
  readonly run: (firefox: Firefox, root: string) => Promise<void>
}

const imitated: readonly FirefoxCase[] = products.map((product) => ({
  name: `firefox: a page like ${product}: two clicks from the reply to the file`,
  run: async (firefox, root) => {
    const name = `firefox-${product}.py`
    const file = path.join(root, name)
    fs.writeFileSync(file, usualBefore)
    await firefox.show(`/${product}`)
    await firefox.inPage(`window.reply(${JSON.stringify(usualReply(name))}); 1`)
    await firefox.pressBar(/^1 edit in 1 file$/)
    await firefox.toPanel()
    await firefox.saying(new RegExp(`${name}[^]*word="Hello"[^]*Apply`))
    assert.equal(fs.readFileSync(file, 'utf8'), usualBefore)
    await firefox.press('^Apply$')
    await firefox.saying(/1 applied/)
    assert.equal(fs.readFileSync(file, 'utf8'), usualAfter)
    await firefox.press('^Insert report$')
    await firefox.saying(/report is in the message field/)
    assert.match(String(await firefox.inPage('fieldText()')), /=== CLADA RESULTS ===/)
  },
}))

const sidebar: FirefoxCase = {
  name: 'firefox: the sidebar, once it is open, shows the reply of a bar that is clicked',
  run: async (firefox, root) => {
    fs.writeFileSync(path.join(root, 'sidebar.py'), usualBefore)
    await firefox.openSidebar()
    await firefox.show('/claude')
    await firefox.inPage(`window.reply(${JSON.stringify(usualReply('sidebar.py'))}); 1`)
    await firefox.pressBar(/^1 edit in 1 file$/)
    for (let tries = 0; ; tries++) {
      if (/sidebar\.py[^]*word="Hello"[^]*Apply/.test(await firefox.sidebarText())) break
      assert.notEqual(tries, 100, await firefox.sidebarText())
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.equal(await firefox.hasWindow(), false)
  },
}

const hidden: readonly FirefoxCase[] = Object.entries(hidings).map(([name, script], at) => ({
  name: `firefox: hidden text: ${name}`,
  run: async (firefox, root) => {
    const [block, bait] = [
      blockWriting(path.join(root, `seen-${at}.txt`), 'seen'),
      blockWriting(path.join(root, `bait-${at}.txt`), 'not seen', 'h1d'),
    ]
    await firefox.show('/empty')
    await firefox.inPage(`(() => {
      const pre = el('pre', '', el('code', 'language-sham', ${JSON.stringify(`${bait}\n`)}))
      const box = el('div', 'box', pre)
      document.getElementById('log').append(el('div', 'message', el('p', '', 'I will write it.'), plainCode(${JSON.stringify(`${block}\n`)}, 'sham'), el('p', '', 'And:'), box, el('p', '', 'Done.')))
      ;${script}
      return 1
    })()`)
    await firefox.pressBar(/^1 edit in 1 file$/)
    await firefox.toPanel()
    await firefox.saying(new RegExp(`left out[^]*seen-${at}\\.txt[^]*Apply`))
    assert.equal(await firefox.run('arguments[0](document.querySelectorAll(".block-card").length)'), 1)
  },
}))

export const firefoxTurns: readonly FirefoxCase[] = [...imitated, sidebar]
export const firefoxAttacks: readonly FirefoxCase[] = hidden
