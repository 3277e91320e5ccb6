// Takes the pictures of docs/browser.md from the real extension in a real browser: `npm run picture:extension`.
import fs from 'node:fs'
import path from 'node:path'
import { loadSource } from './source.mjs'
import { buildExtension } from './extension.mjs'
import { buildPage } from './ui.mjs'

const docs = path.resolve(import.meta.dirname, '../docs')
const { withCompanion, barSaying, confirmation, press } = await loadSource(
  'test/extension/report.ts',
  'test/extension/companion-browser.ts',
)

const edit = (file, before, after) =>
  `${file}\n\`\`\`python\n<<<<<<< SEARCH\n${before}\n=======\n${after}\n>>>>>>> REPLACE\n\`\`\`\n\n`
const reply =
  'The greeting gets a second word, and a default.\n\n' +
  edit('greet.py', 'def greet(name):', 'def greet(name, word="Hello"):') +
  edit('greet.py', '    print("Hello " + name)', '    print(f"{word} {name}")') +
  edit('main.py', 'greet("Ada")', 'greet("Ada", "Good morning")')

await withCompanion({ buildPage, buildExtension }, async ({ browser, site, root }) => {
  fs.writeFileSync(path.join(root, 'greet.py'), 'def greet(name):\n    print("Hello " + name)\n')
  fs.writeFileSync(path.join(root, 'main.py'), 'from greet import greet\n\ngreet("Ada")\n')
  const tab = await browser.open(`${site.origin}/editor`)
  await tab.setViewportSize({ width: 860, height: 720 })
  await tab.evaluate(`(() => {
    const style = document.createElement('style')
    style.textContent = \`body { font: 15px/1.5 system-ui, sans-serif; max-width: 780px; margin: 0 auto; padding: 12px 24px; color: #222 }
      pre { background: #f4f4f2; border-radius: 8px; padding: 8px 12px; margin: 8px 0; font-size: 12px; line-height: 1.35 } p { margin: 8px 0 }
      #field { border-radius: 12px !important; border-color: #bbb !important; padding: 10px; width: auto !important; max-height: 120px; overflow: auto; font-size: 13px } #field p { margin: 0 }\`
    document.head.append(style)
  })()`)
  await tab.evaluate(`window.reply(${JSON.stringify(reply)})`)
  await barSaying(tab, /edits in 2 files/)
  await tab.screenshot({ path: path.join(docs, 'browser-bar.png') })
  await press(tab, /^Apply$/)
  const asked = await confirmation(browser.context)
  await asked.setViewportSize({ width: 760, height: 560 })
  await asked.locator('#insert:enabled').waitFor()
  await asked.screenshot({ path: path.join(docs, 'browser-first.png') })
  await asked.locator('#insert').click()
  await barSaying(tab, /applied/)
  await tab.bringToFront()
  await tab.evaluate('scrollTo(0, 1e9)')
  await tab.screenshot({ path: path.join(docs, 'browser-done.png') })
})
