import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { chatKinds, type PageKind } from './chat-pages.ts'
import { barSaying, barsIn, Panel, pressBar } from './companion-browser.ts'
import { baited, type Case, type Env, opened, replyWriting, tricky } from './env.ts'
import { type Product, products } from './imitations.ts'

/** Whole turns: a reply, the bar, the panel, and the report in the field of the page. */

const kinds: readonly Case[] = chatKinds.map((kind) => ({
  name: `${kind}: from the first token to the report in the field`,
  run: (env) => turn(env, kind),
}))

async function turn(env: Env, kind: PageKind): Promise<void> {
  const file = path.join(env.root, `${kind}.txt`)
  const tab = await env.browser.open(`${env.site.origin}/${kind}`)
  await tab.evaluate(`window.reply(${JSON.stringify(replyWriting(file, tricky))})`)
  await barSaying(tab, /^1 edit in 1 file$/)
  if (kind === 'virtual') await scrollAwayAndBack(tab)
  const panel = await opened(env, tab, new RegExp(`${kind}\\.txt[^]*Apply`))
  assert.equal(fs.existsSync(file), false)
  await panel.press('^Apply$')
  await panel.saying(/1 applied/)
  assert.equal(fs.readFileSync(file, 'utf8'), tricky)
  await barSaying(tab, /1 applied/)
  await insertReport(tab, panel, `${kind}.txt`)
  await tab.close()
}

async function insertReport(tab: Page, panel: Panel, file: string): Promise<void> {
  await panel.press('^Insert report$')
  await panel.saying(/report is in the message field/)
  const field = await tab.evaluate('window.fieldText ? fieldText() : document.getElementById("field").value')
  assert.match(String(field), new RegExp(`=== CLADA RESULTS ===\\s+.*✅.*${file.replace('.', '\\.')}`, 's'))
}

async function scrollAwayAndBack(tab: Page): Promise<void> {
  await tab.evaluate('list.scrollTop = 0')
  await tab.waitForTimeout(200)
  assert.equal((await barsIn(tab)).length, 0)
  await tab.evaluate('list.scrollTop = 1e9')
  await barSaying(tab, /^1 edit in 1 file$/)
}

/** What models write when nobody taught them a format: the path above the fence, and a search and replace block in it. */
export const usualReply = (file: string): string =>
  `The greeting gets a second word.

**${file}**

\`\`\`python
<<<<<<< SEARCH
def greet(name):
=======
def greet(name, word="Hello"):
>>>>>>> REPLACE
\`\`\`

Tell me if anything is missing.
`

export const usualBefore = 'def greet(name):\n    print("Hello " + name)\n'
export const usualAfter = 'def greet(name, word="Hello"):\n    print("Hello " + name)\n'

export const imitated: readonly Case[] = products.flatMap((product) => [
  { name: `a page like ${product}: two clicks from the reply to the file`, run: (env) => imitatedTurn(env, product) },
  {
    name: `a page like ${product}: a fragment that prose announces is 1 proposal`,
    run: (env) => fragment(env, product),
  },
])

async function imitatedTurn(env: Env, product: Product): Promise<void> {
  const name = `${product}.py`
  const file = path.join(env.root, name)
  fs.writeFileSync(file, usualBefore)
  const tab = await env.browser.open(`${env.site.origin}/${product}`)
  await tab.evaluate(
    `window.clicks = 0; addEventListener('click', (event) => { if (event.isTrusted) window.clicks++ }, true)`,
  )
  await tab.evaluate(`window.reply(${JSON.stringify(usualReply(name))})`)
  await barSaying(tab, /^1 edit in 1 file$/)
  const panel = await opened(env, tab, new RegExp(`${name}[^]*word="Hello"[^]*Apply`))
  assert.doesNotMatch(await panel.text(), /a part of a code block/)
  assert.deepEqual(await violationsIn(panel), [])
  await panel.press('^Apply$')
  await panel.saying(/1 applied/)
  assert.equal(fs.readFileSync(file, 'utf8'), usualAfter)
  await insertReport(tab, panel, name)
  // One for the bar; the other ones were in the panel.
  assert.equal(await tab.evaluate('window.clicks'), 1)
  await panel.press('^Undo$')
  await panel.saying(/Undone: 1 file restored/)
  assert.equal(fs.readFileSync(file, 'utf8'), usualBefore)
  await tab.close()
}

async function fragment(env: Env, product: Product): Promise<void> {
  const tab = await env.browser.open(`${env.site.origin}/${product}`)
  const reply =
    'In `src/cart.ts`, change the count function:\n\n```ts\nexport function count() {\n  return 1\n}\n```\n\nDone.\n'
  await tab.evaluate(`window.reply(${JSON.stringify(reply)})`)
  await barSaying(tab, /^1 proposal$/)
  const rest = 'export function total() {\n  return 2\n}\n\n'
  const file = path.join(env.root, 'src/cart.ts')
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, `${rest}export function count() {\n  return 3\n}\n`)
  const panel = await opened(env, tab, /src\/cart\.ts[^]*Ready, a part of the file[^]*Apply/)
  await panel.press('^Apply$')
  await panel.saying(/1 applied/)
  assert.equal(fs.readFileSync(file, 'utf8'), `${rest}export function count() {\n  return 1\n}\n`)
  await panel.press('^Undo$')
  await panel.saying(/Undone: 1 file restored/)
  await tab.close()
}

export const companions: readonly Case[] = [
  {
    name: 'a browser that is not paired yet pairs in the panel, and shows the diff before anything is applied',
    run: async (env) => {
      const { browser, site, root } = env
      const kept = await browser.own.evaluate('chrome.storage.local.get("key")')
      await browser.own.evaluate('chrome.storage.local.remove("key")')
      const file = path.join(root, 'unpaired.txt')
      const tab = await browser.open(`${site.origin}/claude`)
      await tab.evaluate(`window.reply(${JSON.stringify(replyWriting(file, 'x'))})`)
      await barSaying(tab, /^1 edit in 1 file$/)
      const panel = await opened(env, tab, /Pair this browser with clada/)
      const code = env.code()
      await panel.evaluate(
        `(() => { const field = document.getElementById('code'); field.value = ${JSON.stringify(code)}; field.dispatchEvent(new Event('input', { bubbles: true })) })()`,
      )
      await panel.press('^Pair$')
      await panel.saying(/unpaired\.txt[^]*Apply/)
      assert.equal(fs.existsSync(file), false)
      await browser.own.evaluate(`chrome.storage.local.set(${JSON.stringify(kept)})`)
      await tab.close()
    },
  },
  {
    name: 'the panel asks which of several projects, and the popup inserts the prompt',
    run: async (env) => {
      const { browser, other } = env
      const second = await env.serve('second')
      const tab = await browser.open(`${other.origin}/editor`)
      const file = path.join(second.root, 'second.txt')
      await tab.evaluate(`window.reply(${JSON.stringify(replyWriting(file, 'x'))})`)
      await barSaying(tab, /^1 edit in 1 file$/)
      const panel = await opened(env, tab, /Which project is this reply for\?/)
      await panel.press('^second')
      await panel.saying(/second\.txt[^]*Apply/)
      await panel.press('^Apply$')
      await panel.saying(/1 applied/)
      assert.equal(fs.readFileSync(file, 'utf8'), 'x')
      await panel.press('^Insert report$')
      await tab.waitForFunction('fieldText().includes("=== CLADA RESULTS ===")')
      // The popup is about the tab in front.
      await tab.bringToFront()
      await browser.own.reload()
      await browser.own.locator('#project option:checked:not([value=""])').waitFor({ state: 'attached' })
      await browser.own.evaluate(
        `document.getElementById('task').value = 'Fix the login'; document.getElementById('prompting').requestSubmit()`,
      )
      await tab.waitForFunction('/How to work on[^]*## The task\\nFix the login/.test(fieldText())')
      await tab.close()
      await second.close()
    },
  },
  {
    name: 'an approval is asked in the panel, with what each answer means',
    run: async (env) => {
      const { browser, site, root } = env
      fs.writeFileSync(path.join(root, 'package.json'), '{"scripts":{"hi":"node -e 1"}}')
      const tab = await browser.open(`${site.origin}/claude`)
      const block = '#!SHAM [@three-char-SHA-256: r1n]\naction = "run"\ncommand = "npm run hi"\n#!END_SHAM_r1n'
      await tab.evaluate(`window.reply(${JSON.stringify(`I run it.\n\n\`\`\`sham\n${block}\n\`\`\`\n`)})`)
      await barSaying(tab, /^1 action$/)
      const panel = await opened(env, tab, /npm run hi[^]*Apply/)
      await panel.press('^Apply$')
      await panel.saying(/npm run hi[^]*No[^]*(?:Once|Keep)[^]*lways[^]*in this project/)
      assert.deepEqual(await violationsIn(panel), [])
      await panel.press('^No\\b')
      await panel.saying(/1 failed/)
      fs.rmSync(path.join(root, 'package.json'))
      await tab.close()
    },
  },
  {
    name: 'quick look: an edit that fits nowhere shows the nearest lines, and only the blocks scroll',
    run: async (env) => {
      const file = path.join(env.root, 'nearest.py')
      fs.writeFileSync(file, usualBefore)
      const edits = usualReply('nearest.py').replace('def greet(name):\n', 'def greet(who):\n')
      const writes = Array.from({ length: 8 }, (_, at) => `**nearest-${at}.py**\n\n\`\`\`python\nx = ${at}\n\`\`\`\n\n`)
      const tab = await env.browser.open(`${env.site.origin}/claude`)
      await tab.evaluate(`window.reply(${JSON.stringify(writes.join('') + edits)})`)
      await barSaying(tab, /proposals/)
      const panel = await opened(env, tab, /Apply 8 of 9/)
      await panel.evaluate('document.querySelector(".scroller").scrollTop = 1e9')
      await panel.saying(
        /In the file, line 1 \(.*similar\); − expected, \+\s+there[^]*-def greet\(who\):\s+\+def greet\(name\):/,
      )
      assert.deepEqual(await panel.evaluate('[document.scrollingElement.scrollHeight <= innerHeight, scrollY]'), [
        true,
        0,
      ])
      await tab.close()
    },
  },
  {
    name: 'a reply that was applied says so after a reload, and can be undone',
    run: async (env) => {
      const file = path.join(env.root, 'again.txt')
      const reply = JSON.stringify(replyWriting(file, 'again'))
      const tab = await env.browser.open(`${env.site.origin}/spans`)
      await tab.evaluate(`window.reply(${reply})`)
      await barSaying(tab, /^1 edit in 1 file$/)
      const panel = await opened(env, tab, /again\.txt[^]*Apply/)
      await panel.press('^Apply$')
      await panel.saying(/1 applied/)
      await tab.reload()
      await tab.evaluate(`window.reply(${reply})`)
      await barSaying(tab, /^1 edit in 1 file · 1 applied$/)
      await pressBar(tab)
      await panel.saying(/again\.txt[^]*1 applied/)
      await panel.press('^Undo$')
      await panel.saying(/Undone: 1 file restored/)
      assert.equal(fs.existsSync(file), false)
      await tab.close()
    },
  },
  {
    name: 'a reply that was applied: an undo that fails says why, also while the reply is checked again',
    run: async (env) => {
      const { tab, file } = await baited(env, 'unheard')
      const panel = await opened(env, tab, /unheard\.txt[^]*Apply/)
      await panel.press('^Apply$')
      await panel.saying(/1 applied/)
      await panel.evaluate(`(() => {
        const real = window.fetch
        const may = Promise.withResolvers()
        window.answerTheLook = () => { window.fetch = real; may.resolve() }
        window.fetch = async (...asked) => {
          if (asked[0].endsWith('/undo')) throw new TypeError('Failed to fetch')
          if (asked[0].endsWith('/look')) { window.isLooking = true; await may.promise }
          return real(...asked)
        }
      })()`)
      await pressBar(tab)
      await panel.until('window.isLooking === true')
      await panel.press('^Undo$')
      await panel.saying(/clada does not answer/)
      const blocks = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/block')).length`
      const before = Number(await panel.evaluate(blocks))
      await panel.evaluate('window.answerTheLook()')
      // The diff is asked for again when the answer is drawn.
      await panel.until(`${blocks} > ${before}`)
      await panel.saying(/clada does not answer[^]*1 applied/)
      await panel.press('^Undo$')
      await panel.saying(/Undone: 1 file restored/)
      assert.doesNotMatch(await panel.text(), /clada does not answer/)
      assert.equal(fs.existsSync(file), false)
      await tab.close()
    },
  },
  {
    name: 'quick clicks: what the panel shows stays while the bar of the same reply is clicked again',
    run: async (env) => {
      const { tab, file } = await baited(env, 'stays')
      const panel = await opened(env, tab, /stays\.txt[^]*Apply/)
      await panel.press('^Apply$')
      await panel.saying(/1 applied/)
      await panel.evaluate(
        `window.button = [...document.querySelectorAll('button')].find((one) => one.innerText === 'Undo')`,
      )
      const looks = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/look')).length`
      const before = Number(await panel.evaluate(looks))
      await pressBar(tab)
      await panel.until(`${looks} > ${before}`)
      assert.equal(await panel.evaluate('button.isConnected'), true)
      await panel.press('^Undo$')
      await panel.saying(/Undone: 1 file restored/)
      assert.equal(fs.existsSync(file), false)
      await tab.close()
    },
  },
]

/** The accessibility checker over what the panel shows. */
async function violationsIn(panel: Panel): Promise<unknown> {
  const axe = fs.readFileSync(path.resolve(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8')
  await panel.evaluate(`if (!('axe' in window)) { ${axe} }`)
  return panel.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 160)]))`,
  )
}

/** Ways in which pages show the lines of code, each as a script that makes an element of `lines`. */
const markups: Readonly<Record<string, string>> = {
  table: `el('pre', '', el('code', '', el('table', '', el('tbody', '', ...lines.map((line, at) => el('tr', '', el('td', 'n', String(at + 1)), el('td', 'c', line)))))))`,
  gutter: `(() => { const pre = el('pre', '', el('code', 'numbers', lines.map((_, at) => at + 1).join('\\n')), el('code', 'hljs', lines.join('\\n'))); pre.style.display = 'flex'; return pre })()`,
  'block lines with breaks': `el('pre', '', el('code', '', ...lines.flatMap((line) => { const one = el('span', 'line', line); one.style.display = 'block'; return [one, '\\n'] })))`,
  'lines as blocks': `el('pre', '', ...lines.map((line) => el('div', 'line', line === '' ? el('br') : line)))`,
  'lines with br': `el('pre', '', el('code', '', ...lines.flatMap((line) => [line, el('br')])))`,
  'numbers that cannot be selected': `el('pre', '', el('code', '', ...lines.map((line, at) => { const no = el('i', '', 'L' + (at + 1) + ' '); no.style.userSelect = 'none'; return el('div', '', no, el('span', '', line)) })))`,
  'code without pre': `(() => { const box = el('div', 'viewer', ...lines.map((line) => el('div', '', line))); box.style.whiteSpace = 'pre'; return box })()`,
  'a scroller of its own': `(() => { const pre = el('pre', '', el('code', '', lines.join('\\n'))); pre.style.cssText = 'height:60px;width:120px;overflow:auto'; return pre })()`,
  'a label and a button in the pre': `el('pre', '', el('div', '', el('span', '', 'text'), el('button', '', 'Copy')), ...lines.map((line) => el('div', '', line === '' ? el('br') : line)))`,
}

const renderings: readonly Case[] = Object.entries(markups).map(([name, markup]) => ({
  name: `code is read exactly: ${name}`,
  run: async (env) => {
    const file = `${name.replaceAll(' ', '-')}.txt`
    const lines = replyWriting(path.join(env.root, file), tricky).split('\n').slice(3, -4)
    const tab = await env.browser.open(`${env.site.origin}/empty`)
    await tab.evaluate(`(() => {
      const lines = ${JSON.stringify(lines)}
      document.getElementById('log').append(el('div', 'message', el('p', '', 'I will write it.'), el('div', 'box', el('div', 'head', 'text', el('button', '', 'Copy')), ${markup}), el('p', '', 'Done.')))
    })()`)
    await barSaying(tab, /^1 edit in 1 file$/, 8)
    const panel = await opened(env, tab, new RegExp(`${file}[^]*Apply`))
    await panel.press('^Apply$')
    await panel.saying(/1 applied/)
    assert.equal(fs.readFileSync(path.join(env.root, file), 'utf8'), tricky)
    await tab.close()
  },
}))

export const turns: readonly Case[] = [...kinds, ...imitated, ...companions, ...renderings]
