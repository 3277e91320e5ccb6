// Takes the pictures of docs/browser.md from the real extension in a real browser: `npm run picture:extension`.
import fs from 'node:fs'
import path from 'node:path'
import { loadSource } from './source.mjs'
import { buildExtension } from './extension.mjs'
import { buildPage } from './ui.mjs'

const docs = path.resolve(import.meta.dirname, '../docs')
const { withCompanion, barSaying, opened } = await loadSource(
  'test/extension/report.ts',
  'test/extension/companion-browser.ts',
  'test/extension/env.ts',
)

const edit = (file, before, after) =>
  `**${file}**\n\n\`\`\`python\n<<<<<<< SEARCH\n${before}\n=======\n${after}\n>>>>>>> REPLACE\n\`\`\`\n\n`
const reply =
  'The greeting gets a second word, and a default.\n\n' +
  edit('greet.py', 'def greet(name):', 'def greet(name, word="Hello"):') +
  edit('greet.py', '    print("Hello " + name)', '    print(f"{word} {name}")') +
  edit('main.py', 'greet("Ada")', 'greet("Ada", "Good morning")')

const look = {
  light: 'body { color: #222; background: #fff } .card { background: #f7f7f5; border-color: #e2e1dc }',
  dark: ':root { color-scheme: dark } body { color: #ddd; background: #1f1f1e } .card { background: #262624; border-color: #3a3a38 } [contenteditable] { border-color: #555 }',
}
const layout = `body { font: 14px/1.5 system-ui, sans-serif } .thread { height: 540px; padding: 0 28px } .text-xs { padding: 6px 12px 0; font-size: 11px; color: #888 }
  pre { padding: 4px 12px 10px; font: 12px/1.4 ui-monospace, monospace } fieldset { border: 0; margin: 0 } [data-testid] { display: none } .actions, .sticky { display: none }
  [contenteditable] { border-radius: 14px; max-height: 84px; overflow: hidden; font-size: 12px } [contenteditable] p { margin: 0 }`

/** The page and the panel side by side, as the browser shows them. */
async function shoot(context, tab, panel, name) {
  const image = (bytes) => `<img src="data:image/png;base64,${bytes.toString('base64')}">`
  const [page, side] = [await tab.screenshot(), await panel.screenshot()]
  const sheet = await context.newPage()
  await sheet.setViewportSize({ width: 1120, height: 640 })
  await sheet.setContent(
    `<style>body { margin: 0; display: flex; gap: 1px; background: #999; overflow: hidden } img { display: block; height: 640px }</style>${image(page)}${image(side)}`,
  )
  await sheet.waitForFunction('[...document.images].every((one) => one.complete)')
  fs.writeFileSync(path.join(docs, name), await sheet.screenshot({ type: 'png' }))
  await sheet.close()
}

await withCompanion({ buildPage, buildExtension }, async (env) => {
  const { browser, site, root } = env
  fs.writeFileSync(path.join(root, 'greet.py'), 'def greet(name):\n    print("Hello " + name)\n')
  fs.writeFileSync(path.join(root, 'main.py'), 'from greet import greet\n\ngreet("Ada")\n')
  for (const scheme of ['light', 'dark']) {
    const tab = await browser.open(`${site.origin}/claude`)
    await tab.setViewportSize({ width: 700, height: 640 })
    await tab.emulateMedia({ colorScheme: scheme })
    await tab.addStyleTag({ content: layout + look[scheme] })
    await tab.evaluate(`window.reply(${JSON.stringify(reply)})`)
    await barSaying(tab, /edits in 2 files/)
    const panel = await opened(env, tab, /greet\.py[^]*main\.py[^]*Apply/)
    await panel.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] })
    await panel.send('Emulation.setDeviceMetricsOverride', {
      width: 420,
      height: 640,
      deviceScaleFactor: 1,
      mobile: false,
    })
    await tab.evaluate('document.querySelector(".thread").scrollTop = 1e9; document.activeElement.blur()')
    await tab.mouse.move(1, 1)
    await panel.saying(/Ada", "Good/)
    await panel.evaluate('new Promise((resolve) => setTimeout(resolve, 1000))')
    if (scheme === 'light') await shoot(browser.context, tab, panel, 'browser-review.png')
    await panel.press('^Apply')
    await panel.saying(/2 applied/)
    await panel.press('^Insert report')
    await panel.saying(/in the message field/)
    await panel.evaluate('document.querySelector(".scroller").scrollTop = 0')
    if (scheme === 'dark') await shoot(browser.context, tab, panel, 'browser-done.png')
    await panel.press('^Undo$')
    await panel.saying(/Undone/)
    await tab.close()
  }
})
