import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { type ChatSite, chatKinds, chatSite, type PageKind } from './chat-pages.ts'
import { barSaying, barsIn, type CompanionBrowser, confirmation, placeOf, press } from './companion-browser.ts'

/** Whole turns on chat pages, and what hostile pages try. The suite runs some of them, `npm run attack:extension` all. */
export interface Case {
  readonly name: string
  readonly run: (env: Env) => Promise<void>
}

export interface Env {
  readonly browser: CompanionBrowser
  /** A site that the user has chosen. */
  readonly site: ChatSite
  /** One that shows the pages of the first in frames. */
  readonly other: ChatSite
  /** The project of the running clada. */
  readonly root: string
  readonly port: number
  /** Starts clada in another project. */
  readonly serve: (name: string) => Promise<{ readonly root: string; close(): Promise<void> }>
}

/** A reply that writes one file, with what rendering tends to lose: tabs, trailing spaces, empty lines, numbers. */
export function replyWriting(file: string, content: string): string {
  const block = [
    '#!SHAM [@three-char-SHA-256: b1k]',
    'action = "file_write"',
    `path = "${file}"`,
    "content = <<'EOT_SHAM_b1k'",
    content,
    'EOT_SHAM_b1k',
    '#!END_SHAM_b1k',
  ]
  return `I will write it.\n\n\`\`\`sham\n${block.join('\n')}\n\`\`\`\n\nThat is all.\n`
}

export const tricky = '\tfirst  \n\n1\n  two <b> & "three" 3\n    4 \n2'

export const turns: readonly Case[] = chatKinds.map((kind) => ({
  name: `${kind}: from the first token to the answer in the field`,
  run: (env) => turn(env, kind),
}))

async function turn(env: Env, kind: PageKind): Promise<void> {
  await trust(env)
  const file = path.join(env.root, `${kind}.txt`)
  const tab = await env.browser.open(`${env.site.origin}/${kind}`)
  await tab.evaluate(`window.reply(${JSON.stringify(replyWriting(file, tricky))})`)
  await barSaying(tab, /^1 edit in 1 file$/)
  if (kind === 'virtual') await scrollAwayAndBack(tab)
  await press(tab, /^Apply$/)
  const { results } = await barSaying(tab, /^✅ 1 applied$/)
  assert.deepEqual(results, [`✅ file_write ${kind}.txt`])
  assert.equal(fs.readFileSync(file, 'utf8'), tricky)
  await press(tab, /^Insert answer$/)
  await barSaying(tab, /answer is in the field/)
  const field = await tab.evaluate('window.fieldText ? fieldText() : document.getElementById("field").value')
  assert.match(String(field), new RegExp(`=== CLADA RESULTS ===\\n.*✅ file_write.*${kind}\\.txt`, 's'))
  assert.equal(env.browser.context.pages().filter((page) => page.url().includes('confirm')).length, 0)
  await tab.close()
}

async function scrollAwayAndBack(tab: Page): Promise<void> {
  await tab.evaluate('list.scrollTop = 0')
  await tab.waitForTimeout(200)
  assert.equal((await barsIn(tab)).length, 0)
  await tab.evaluate('list.scrollTop = 1e9')
  await barSaying(tab, /^1 edit in 1 file$/)
}

/** As if the content of a reply had been looked at and applied there before. */
export async function trust({ browser, site }: Env, trusted = true): Promise<void> {
  await browser.own.evaluate(`(async () => {
    const { sites = {} } = await chrome.storage.local.get('sites')
    const origin = ${JSON.stringify(site.origin)}
    await chrome.storage.local.set({ sites: { ...sites, [origin]: { ...sites[origin], enabled: 'always', trusted: ${trusted} } } })
  })()`)
}

/** A page with a reply that would write a file, and its bar. */
async function baited({ browser, site, root }: Env, name: string): Promise<{ tab: Page; file: string }> {
  const file = path.join(root, `${name}.txt`)
  const tab = await browser.open(`${site.origin}/spans`)
  await tab.evaluate(`window.reply(${JSON.stringify(replyWriting(file, name))})`)
  await barSaying(tab, /^1 edit in 1 file$/)
  return { tab, file }
}

const closeConfirmation = async ({ browser }: Env): Promise<void> => {
  for (const page of browser.context.pages()) if (page.url().includes('/confirm.html')) await page.close()
}

/** Nothing has happened, also some time later. */
async function expectNothing(tab: Page, file: string): Promise<void> {
  await tab.waitForTimeout(700)
  assert.equal(fs.existsSync(file), false)
}

export const companions: readonly Case[] = [
  {
    name: 'the popup chooses one of several projects, and inserts the prompt',
    run: async (env) => {
      const { browser, other } = env
      const second = await env.serve('second')
      const tab = await browser.open(`${other.origin}/editor`)
      const file = path.join(second.root, 'second.txt')
      await tab.evaluate(`window.reply(${JSON.stringify(replyWriting(file, 'x'))})`)
      await barSaying(tab, /^1 edit in 1 file$/)
      await press(tab, /^Apply$/)
      await barSaying(tab, /Several projects are running/)
      // The popup is about the tab in front.
      await tab.bringToFront()
      await browser.own.reload()
      await browser.own.locator('#project option').nth(2).waitFor({ state: 'attached' })
      assert.equal(await browser.own.evaluate('document.getElementById("site").textContent'), other.origin)
      await browser.own.evaluate(`(() => {
        const list = document.getElementById('project')
        list.value = [...list.options].find(({ text }) => text.startsWith('second ')).value
        list.dispatchEvent(new Event('change'))
      })()`)
      await browser.own.locator('#project option:checked:not([value=""])').waitFor({ state: 'attached' })
      await press(tab, /^Apply$/)
      const asked = await confirmation(browser.context)
      assert.match(await asked.locator('h1').innerText(), /second\?/)
      await asked.locator('#insert:enabled').click()
      await tab.waitForFunction('fieldText().includes("=== CLADA RESULTS ===")')
      assert.equal(fs.readFileSync(file, 'utf8'), 'x')
      await tab.bringToFront()
      await browser.own.evaluate(
        `document.getElementById('task').value = 'Fix the login'; document.getElementById('prompting').requestSubmit()`,
      )
      await tab.waitForFunction('/How to work on[^]*## The task\\nFix the login/.test(fieldText())')
      await tab.close()
      await second.close()
    },
  },
  ...['a', 'a rich'].map((kind) => ({
    name: `the text of ${kind} copy is used where the page shows less`,
    run: async (env: Env) => {
      await trust(env)
      const file = path.join(env.root, `${kind}-copied.txt`)
      const tab = await env.browser.open(`${env.site.origin}/spans`)
      await tab.evaluate(
        `document.addEventListener('clada-copied', () => (window.wasCopied = true))
        window.lossy = true; window.rich = ${kind === 'a rich'}; window.reply(${JSON.stringify(replyWriting(file, tricky))})`,
      )
      await barSaying(tab, /^1 edit in 1 file$/)
      await tab.bringToFront()
      await tab.getByRole('button', { name: 'Copy code' }).click()
      // The text of a rich copy comes a moment later.
      await tab.waitForFunction('window.wasCopied')
      await press(tab, /^Apply$/)
      await barSaying(tab, /^✅ 1 applied$/)
      assert.equal(fs.readFileSync(file, 'utf8'), tricky)
      await tab.close()
    },
  })),
]

/** Ways in which pages show the lines of code, each as a script that makes an element of `lines`. */
const markups: Readonly<Record<string, string>> = {
  table: `el('pre', '', el('code', '', el('table', '', el('tbody', '', ...lines.map((line, at) => el('tr', '', el('td', 'n', String(at + 1)), el('td', 'c', line)))))))`,
  gutter: `(() => { const pre = el('pre', '', el('code', 'numbers', lines.map((_, at) => at + 1).join('\\n')), el('code', 'hljs', lines.join('\\n'))); pre.style.display = 'flex'; return pre })()`,
  'block lines with breaks': `el('pre', '', el('code', '', ...lines.flatMap((line) => { const one = el('span', 'line', line); one.style.display = 'block'; return [one, '\\n'] })))`,
  'lines as blocks': `el('pre', '', ...lines.map((line) => el('div', 'line', line === '' ? el('br') : line)))`,
  'lines with br': `el('pre', '', el('code', '', ...lines.flatMap((line) => [line, el('br')])))`,
  'numbers that cannot be selected': `el('pre', '', el('code', '', ...lines.map((line, at) => { const no = el('i', '', 'L' + (at + 1) + ' '); no.style.userSelect = 'none'; return el('div', '', no, el('span', '', line)) })))`,
  'code without pre': `(() => { const box = el('div', 'viewer', ...lines.map((line) => el('div', '', line))); box.style.whiteSpace = 'pre'; return box })()`,
}

export const renderings: readonly Case[] = Object.entries(markups).map(([name, markup]) => ({
  name: `code is read exactly: ${name}`,
  run: async (env) => {
    await trust(env)
    const file = path.join(env.root, `${name.replaceAll(' ', '-')}.txt`)
    const lines = replyWriting(file, tricky).split('\n').slice(3, -4)
    const tab = await env.browser.open(`${env.site.origin}/empty`)
    await tab.evaluate(`(() => {
      const lines = ${JSON.stringify(lines)}
      document.getElementById('log').append(el('div', 'message', el('p', '', 'I will write it.'), el('div', 'box', el('div', 'head', 'text', el('button', '', 'Copy')), ${markup}), el('p', '', 'Done.')))
    })()`)
    await barSaying(tab, /^1 edit in 1 file$/, 8)
    await press(tab, /^Apply$/)
    await barSaying(tab, /^✅ 1 applied$/, 8)
    assert.equal(fs.readFileSync(file, 'utf8'), tricky)
    await tab.close()
  },
}))

export const attacks: readonly Case[] = [
  {
    name: 'the first reply of a site is shown before it is applied, and can be declined',
    run: async (env) => {
      await trust(env, false)
      const { tab, file } = await baited(env, 'first')
      await press(tab, /^Apply$/)
      const first = await confirmation(env.browser.context)
      assert.match(
        await first.locator('body').innerText(),
        /Apply to .*\?[^]*file_write first\.txt[^]*EOT_SHAM_b1k'\nfirst\n/,
      )
      await first.getByRole('button', { name: 'Do not apply' }).click()
      await barSaying(tab, /not applied/)
      await expectNothing(tab, file)
      await press(tab, /^Apply$/)
      const second = await confirmation(env.browser.context)
      // What the page shows by now is another text; what was shown in the window is what is applied.
      await tab.evaluate(`window.reply(${JSON.stringify(replyWriting(file, 'forged'))})`)
      await tab.evaluate(`document.querySelector('code').textContent = 'forged'`)
      const closed = second.waitForEvent('close')
      await second.locator('#yes:enabled').click()
      await closed
      assert.equal(fs.readFileSync(file, 'utf8'), 'first')
      await tab.close()
    },
  },
  {
    name: 'scripts of the page click, press keys, and talk to the extension and to clada',
    run: async (env) => {
      await trust(env)
      const { tab, file } = await baited(env, 'synthetic')
      const { x, y } = await placeOf(tab, /^Apply$/)
      await tab.evaluate(`(async () => {
        const targets = [...document.querySelectorAll('*'), document.elementFromPoint(${x}, ${y})]
        for (const target of targets) {
          for (const type of ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'dblclick'])
            target.dispatchEvent(new MouseEvent(type, { bubbles: true, composed: true, cancelable: true, clientX: ${x}, clientY: ${y} }))
          for (const key of ['Enter', ' ']) target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true }))
          target.click?.()
          target.focus?.()
        }
        const message = { type: 'apply', seen: true, text: document.body.innerText, hash: '' }
        window.postMessage(message, '*')
        document.dispatchEvent(new CustomEvent('clada-copied', { detail: 'forged' }))
        window.forced = await Promise.allSettled([
          fetch('http://127.0.0.1:${env.port}/companion/pair', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).then((r) => r.status),
          fetch('http://127.0.0.1:${env.port}/companion/projects', { method: 'POST', body: '{}', mode: 'no-cors' }).then((r) => r.status),
          fetch('http://127.0.0.1:${env.port}/api/state', { credentials: 'include' }).then((r) => r.status),
          Promise.resolve().then(() => chrome.runtime.sendMessage(message)),
        ])
      })()`)
      const seen = await tab.evaluate(`({
        roots: [...document.querySelectorAll('*')].filter((one) => one.shadowRoot !== null).length,
        text: document.body.innerText,
        forced: window.forced.map(({ status, value }) => (status === 'fulfilled' ? value : status)),
      })`)
      assert.deepEqual(Reflect.get(Object(seen), 'forced'), ['rejected', 'rejected', 'rejected', 'rejected'])
      assert.equal(Reflect.get(Object(seen), 'roots'), 0)
      assert.doesNotMatch(String(Reflect.get(Object(seen), 'text')), /edit in 1 file/)
      await expectNothing(tab, file)
      assert.equal((await barsIn(tab))[0]?.said, '1 edit in 1 file')
      await tab.close()
    },
  },
  ...[
    [
      'something that lets clicks through is over the bar',
      `(() => {
      const over = document.createElement('div')
      over.textContent = 'You have won! Click here.'
      over.style.cssText = 'position:fixed;inset:0;background:#fff;z-index:2147483647;pointer-events:none'
      document.body.append(over)
    })()`,
    ],
    [
      'the bar is made invisible',
      `document.querySelector('.message').lastElementChild.style.setProperty('opacity', '0.01', 'important')`,
    ],
    [
      'the bar is blurred',
      `document.querySelector('.message').lastElementChild.style.setProperty('filter', 'blur(20px)', 'important')`,
    ],
  ].map(([name = '', script = '']) => ({
    name,
    run: async (env: Env) => {
      await trust(env)
      const { tab, file } = await baited(env, `covered-${script.length}`)
      await tab.waitForTimeout(500)
      await tab.evaluate(script)
      await press(tab, /^Apply$/)
      await barSaying(tab, /Look at the window/)
      await expectNothing(tab, file)
      await closeConfirmation(env)
      // Nor does the answer go to the page.
      await press(tab, /answer$/)
      await barSaying(tab, /Something is over this bar/)
      assert.equal(await tab.evaluate('document.getElementById("field").value'), '')
      await tab.close()
    },
  })),
  {
    name: 'the bar jumps under the pointer just before a click',
    run: async (env) => {
      await trust(env)
      const { tab, file } = await baited(env, 'jump')
      await tab.waitForTimeout(500)
      const { x, y } = await placeOf(tab, /^Apply$/)
      await tab.evaluate(`document.querySelector('.message').style.marginTop = '200px'`)
      await tab.mouse.move(x, y)
      await tab.waitForTimeout(300)
      await tab.evaluate(`document.querySelector('.message').style.marginTop = ''`)
      await tab.mouse.click(x, y)
      await expectNothing(tab, file)
      await closeConfirmation(env)
      await tab.close()
    },
  },
  {
    name: 'the text changes between the bar, or the preview, and the click',
    run: async (env) => {
      await trust(env)
      const { tab, file } = await baited(env, 'mutated')
      const opened = env.browser.context.waitForEvent('page', {
        predicate: (page) => page.url().includes(`:${env.port}/`),
      })
      await press(tab, /^Preview$/)
      await (await opened).locator('.block').first().waitFor()
      await tab.bringToFront()
      const { x, y } = await placeOf(tab, /^Apply$/)
      await tab.mouse.move(x, y)
      await tab.waitForTimeout(500)
      await tab.evaluate(
        `[...document.querySelectorAll('code .t')].find((one) => one.textContent === 'mutated').textContent = 'forged'`,
      )
      await tab.mouse.click(x, y)
      await barSaying(tab, /has changed; nothing was done/)
      await expectNothing(tab, file)
      await (await opened).close()
      await tab.close()
    },
  },
  {
    name: 'a flood of 10,000 blocks',
    run: async (env) => {
      await trust(env)
      const tab = await env.browser.open(`${env.site.origin}/empty`)
      await tab.evaluate(`(() => {
        const log = document.getElementById('log')
        for (let at = 0; at < 10000; at++)
          log.append(el('div', 'turn', el('div', 'message', el('p', '', 'Message ' + at), plainCode(${JSON.stringify(
            replyWriting('FILE', 'flood').split('\n').slice(3, -4).join('\n'),
          )}.replace('FILE', ${JSON.stringify(env.root)} + '/flood-' + at + '.txt'), ''))))
        window.longest = 0
        new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration) })
          .observe({ type: 'longtask' })
      })()`)
      await barSaying(tab, /^1 edit in 1 file$/)
      await tab.waitForTimeout(1500)
      assert.equal((await barsIn(tab)).length <= 30, true)
      assert.equal(
        fs.readdirSync(env.root).some((name) => name.startsWith('flood')),
        false,
      )
      await tab.close()
    },
  },
  {
    name: 'a chat that is shown in a frame of another site',
    run: async (env) => {
      await trust(env)
      const inner = `${env.site.origin}/spans`
      const tab = await env.browser.context.newPage()
      await tab.goto(`${env.other.origin}/frame?${encodeURIComponent(inner)}`)
      const frame = tab.frames().find((one) => one.url() === inner)
      await frame?.evaluate(`window.reply(${JSON.stringify(replyWriting(path.join(env.root, 'frame.txt'), 'x'))})`)
      await tab.waitForTimeout(1800)
      assert.equal(frame === undefined, false)
      assert.deepEqual(await barsIn(tab), [])
      await tab.close()
    },
  },
  {
    name: 'a pairing that clada has forgotten does nothing, and says what to do',
    run: async (env) => {
      await trust(env)
      const keys = path.join(process.env['XDG_STATE_HOME'] ?? '', 'clada/companions.json')
      const kept = fs.readFileSync(keys)
      fs.writeFileSync(keys, '[]')
      try {
        const file = path.join(env.root, 'unpaired.txt')
        const tab = await env.browser.open(`${env.site.origin}/plain`)
        await tab.evaluate(`window.reply(${JSON.stringify(replyWriting(file, 'x'))})`)
        await barSaying(tab, /^1 edit in 1 file$/)
        await press(tab, /^Apply$/)
        await barSaying(tab, /does not know this extension any more\. Pair it again/)
        assert.equal(fs.existsSync(file), false)
        await tab.close()
      } finally {
        fs.writeFileSync(keys, kept)
      }
    },
  },
  {
    name: 'a site that the user has not chosen',
    run: async (env) => {
      const unknown = await chatSite()
      const tab = await env.browser.context.newPage()
      await tab.goto(`${unknown.origin}/spans`)
      await tab.evaluate(`window.reply(${JSON.stringify(replyWriting(path.join(env.root, 'other.txt'), 'x'))})`)
      await tab.waitForTimeout(1800)
      assert.deepEqual(await barsIn(tab), [])
      await tab.close()
      await unknown.close()
    },
  },
]
