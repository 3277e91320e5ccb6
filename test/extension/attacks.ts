import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { chatSite } from './chat-pages.ts'
import { barSaying, barsIn, Panel, placeOfBar, pressBar } from './companion-browser.ts'
import { baited, blockWriting, type Case, expectNothing, opened, replyWriting } from './env.ts'
import { hiddenTexts } from './hidden-text.ts'

/** What hostile pages try. Nothing of it has an effect. */

const message = `document.querySelector('.message')`
const host = `${message}.lastElementChild`

/** Ways to make a person click on the bar without knowing it. The click opens the panel, and that is all. */
const disguises: Readonly<Record<string, string>> = {
  'a button is drawn over it': `(() => {
    const over = document.createElement('div')
    over.textContent = 'Play'
    over.style.cssText = 'position:fixed;inset:0;background:#fff;z-index:2147483647;pointer-events:none'
    document.body.append(over)
  })()`,
  'it is almost transparent': `${host}.style.setProperty('opacity', '0.01', 'important')`,
  'its surroundings are transparent': `${message}.style.opacity = '0'`,
  'it is blurred': `${host}.style.setProperty('filter', 'blur(20px)', 'important')`,
  'it is masked': `${message}.style.maskImage = 'linear-gradient(black 1px, transparent 2px)'`,
  'it is clipped': `${message}.style.clipPath = 'inset(calc(100% - 30px) 40% 0 40%)'`,
  'it is shown tiny': `${message}.style.zoom = '0.3'`,
  'it has the colour of the page': `${host}.style.setProperty('filter', 'brightness(100)', 'important')`,
}

const disguised: readonly Case[] = Object.entries(disguises).map(([name, script], at) => ({
  name: `a click on the bar while ${name}`,
  run: async (env) => {
    const { tab, file } = await baited(env, `disguised-${at}`)
    await tab.evaluate(script)
    for (let clicks = 0; clicks < 3; clicks++) await pressBar(tab)
    const panel = await Panel.of(env.browser.context)
    // Text that cannot be seen any more is not read, so there may be nothing to show.
    await panel.saying(new RegExp(`disguised-${at}\\.txt|left out`))
    await expectNothing(tab, file)
    assert.equal(await tab.evaluate('document.getElementById("field").value'), '')
    await tab.close()
  },
}))

const swapped: readonly Case[] = [
  {
    name: 'the page shows another text after the panel was opened',
    run: async (env) => {
      const { tab, file } = await baited(env, 'first')
      const panel = await opened(env, tab, /first\.txt[^]*Apply/)
      await tab.evaluate(
        `[...document.querySelectorAll('code .t')].find((one) => one.textContent === 'first').textContent = 'forged'`,
      )
      await panel.saying(/The page shows a different text now/)
      await panel.press('^Apply$')
      await panel.saying(/1 applied/)
      assert.equal(fs.readFileSync(file, 'utf8'), 'first')
      await tab.close()
    },
  },
  {
    name: 'the page shows another text between the bar and the click',
    run: async (env) => {
      const { tab, file } = await baited(env, 'early')
      await tab.mouse.move(...xy(await placeOfBar(tab)))
      await tab.evaluate(
        `[...document.querySelectorAll('code .t')].filter((one) => one.textContent === 'early').at(-1).textContent = 'forged'`,
      )
      const panel = await opened(env, tab, /early\.txt[^]*Apply/)
      // What will be written is what is shown.
      await panel.saying(/\+\s+forged/)
      await expectNothing(tab, file)
      await tab.close()
    },
  },
  {
    name: 'the reply is taken away, and its place given to another one',
    run: async (env) => {
      const { tab, file } = await baited(env, 'gone')
      const panel = await opened(env, tab, /gone\.txt[^]*Apply/)
      await tab.evaluate(
        `${message}.remove(); window.reply(${JSON.stringify(replyWriting(path.join(env.root, 'instead.txt'), 'x'))})`,
      )
      await panel.saying(/not on the page any more/)
      await panel.press('^Apply$')
      await panel.saying(/1 applied/)
      assert.equal(fs.readFileSync(file, 'utf8'), 'gone')
      assert.equal(fs.existsSync(path.join(env.root, 'instead.txt')), false)
      await tab.close()
    },
  },
  {
    name: 'the file changes after its diff was shown',
    run: async (env) => {
      const { tab, file } = await baited(env, 'raced')
      const panel = await opened(env, tab, /raced\.txt[^]*new file[^]*Apply/)
      fs.writeFileSync(file, 'mine')
      await panel.press('^Apply$')
      await panel.saying(/Files have changed since this was shown, so nothing was applied/)
      assert.equal(fs.readFileSync(file, 'utf8'), 'mine')
      await panel.saying(/−\s+mine/)
      await tab.close()
    },
  },
  {
    name: 'the tab shows another site when the report is inserted',
    run: async (env) => {
      const { tab } = await baited(env, 'leaving')
      const panel = await opened(env, tab, /leaving\.txt[^]*Apply/)
      await panel.press('^Apply$')
      await panel.saying(/1 applied/)
      await tab.goto(`${env.other.origin}/spans`)
      await panel.press('^Insert report$')
      await panel.saying(/the report was copied|not allowed|denied/i)
      assert.equal(await tab.evaluate('document.getElementById("field").value'), '')
      await tab.close()
    },
  },
]

const xy = ({ x, y }: { x: number; y: number }): [number, number] => [x, y]

const clicks: readonly Case[] = [
  {
    name: 'quick clicks at the place where the panel appears',
    run: async (env) => {
      const { tab, file } = await baited(env, 'quick')
      await pressBar(tab)
      const panel = await Panel.of(env.browser.context)
      for (let click = 0; click < 20; click++) {
        const place = await panel.evaluate(`(() => {
          const { x, y, width, height } = document.querySelector('.apply .primary')?.getBoundingClientRect() ?? { x: 150, y: 600, width: 0, height: 0 }
          return [x + width / 2, y + height / 2]
        })()`)
        const [x, y] = Array.isArray(place) ? place.map(Number) : []
        await panel.click(x ?? 0, y ?? 0)
        await tab.waitForTimeout(150)
      }
      await panel.saying(/quick\.txt[^]*Apply/)
      await expectNothing(tab, file)
      await tab.close()
    },
  },
  {
    name: 'scripts of the page click, press keys, and talk to the extension and to clada',
    run: async (env) => {
      const { tab, file } = await baited(env, 'synthetic')
      const { x, y } = await placeOfBar(tab)
      const own = env.browser.own.url().replace(/\/popup\.html.*/, '')
      await tab.evaluate(`(async () => {
        const targets = [...document.querySelectorAll('*'), document.elementFromPoint(${x}, ${y})]
        for (const target of targets) {
          for (const type of ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'dblclick'])
            target.dispatchEvent(new MouseEvent(type, { bubbles: true, composed: true, cancelable: true, clientX: ${x}, clientY: ${y} }))
          for (const key of ['Enter', ' ']) target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true }))
          target.click?.()
          target.focus?.()
        }
        const message = { type: 'open', bar: '1', text: document.body.innerText, left: [], isIncomplete: false }
        window.postMessage(message, '*')
        const frame = document.createElement('iframe')
        frame.src = '${own}/panel.html'
        document.body.append(frame)
        const post = (route) => fetch('http://127.0.0.1:${env.port}/companion/' + route, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).then((r) => r.status)
        window.forced = await Promise.allSettled([
          post('pair'),
          post('apply'),
          fetch('http://127.0.0.1:${env.port}/companion/projects', { method: 'POST', body: '{}', mode: 'no-cors' }).then((r) => r.status),
          fetch('http://127.0.0.1:${env.port}/api/state', { credentials: 'include' }).then((r) => r.status),
          fetch('${own}/panel.html').then((r) => r.status),
          Promise.resolve().then(() => chrome.runtime.sendMessage(message)),
        ])
      })()`)
      const seen = await tab.evaluate(`({
        roots: [...document.querySelectorAll('*')].filter((one) => one.shadowRoot !== null).length,
        text: document.body.innerText,
        forced: window.forced.map(({ status, value }) => (status === 'fulfilled' ? value : status)),
      })`)
      assert.deepEqual(Reflect.get(Object(seen), 'forced'), Array(6).fill('rejected'))
      assert.equal(Reflect.get(Object(seen), 'roots'), 0)
      assert.doesNotMatch(String(Reflect.get(Object(seen), 'text')), /edit in 1 file/)
      // Nothing of the extension is loaded into the page, whose address it knows.
      for (const frame of tab.frames().slice(1)) assert.doesNotMatch(await frame.content(), /panel\.js/)
      await expectNothing(tab, file)
      assert.deepEqual(await barsIn(tab), ['1 edit in 1 file'])
      await tab.close()
    },
  },
]

/** Scripts that make the page say one thing to the eye and another one to whoever asks it. */
const liars: Readonly<Record<string, string>> = {
  'a forged event of a copy': `document.dispatchEvent(new CustomEvent('clada-copied', { detail: forged }))`,
  'a copy button that gives another text': `navigator.clipboard.writeText = () => Promise.resolve(); document.querySelector('pre button').click(); document.dispatchEvent(new ClipboardEvent('copy', { clipboardData: Object.assign(new DataTransfer(), {}) }))`,
  'a copy event with another text': `addEventListener('copy', (event) => { event.clipboardData.setData('text/plain', forged); event.preventDefault() }, true); getSelection().selectAllChildren(document.querySelector('code')); document.execCommand('copy')`,
  'prototypes that lie': `
    Object.defineProperty(Node.prototype, 'textContent', { get() { return forged } })
    Object.defineProperty(CharacterData.prototype, 'data', { get() { return forged } })
    window.getComputedStyle = () => ({ display: 'block', visibility: 'visible', opacity: '1' })
    Range.prototype.getClientRects = () => [{ left: 0, top: 0, right: 9, bottom: 9, width: 9, height: 9 }]
    Element.prototype.checkVisibility = () => true`,
}

const forgeries: readonly Case[] = Object.entries(liars).map(([name, script], at) => ({
  name: `${name} changes nothing`,
  run: async (env) => {
    const { tab, file } = await baited(env, `said-${at}`)
    const forged = blockWriting(file, `-said-${at}`)
    await tab.bringToFront()
    await tab.getByRole('button', { name: 'Copy code' }).click()
    await tab.evaluate(`(() => { const forged = ${JSON.stringify(`${forged}\n`)}; ${script} })()`)
    const panel = await opened(env, tab, new RegExp(`said-${at}\\.txt[^]*Apply`))
    await panel.press('^Apply$')
    await panel.saying(/1 applied/)
    assert.equal(fs.readFileSync(file, 'utf8'), `said-${at}`)
    await tab.close()
  },
}))

const oversize: readonly Case[] = [
  {
    name: 'a reply of more than a megabyte is shown whole',
    run: async (env) => {
      const file = path.join(env.root, 'large.txt')
      const tab = await env.browser.open(`${env.site.origin}/empty`)
      const content = `${'some line that is long enough\n'.repeat(40_000)}the last line`
      await tab.evaluate(
        `document.getElementById('log').append(el('div', 'message', el('p', '', 'It:'), plainCode(${JSON.stringify(`${blockWriting(file, content)}\n`)}, 'sham')))`,
      )
      await barSaying(tab, /^1 edit in 1 file$/)
      const panel = await opened(env, tab, /large\.txt[^]*some line[^]*Apply/)
      await panel.evaluate(`document.querySelector('.scroller').scrollTop = 1e9`)
      await panel.saying(/the last line/)
      await panel.press('^Apply$')
      await panel.saying(/1 applied/)
      assert.equal(fs.readFileSync(file, 'utf8'), content)
      await tab.close()
    },
  },
  {
    name: 'a line of 100,000 characters is shown to its end',
    run: async (env) => {
      const file = path.join(env.root, 'long-line.txt')
      const tab = await env.browser.open(`${env.site.origin}/empty`)
      const content = `${'x'.repeat(100_000)} and rm`
      await tab.evaluate(
        `document.getElementById('log').append(el('div', 'message', el('p', '', 'It:'), plainCode(${JSON.stringify(`${blockWriting(file, content)}\n`)}, 'sham')))`,
      )
      await barSaying(tab, /^1 edit in 1 file$/)
      const panel = await opened(env, tab, /long-line\.txt[^]*Apply/)
      await panel.saying(/x and rm/)
      await expectNothing(tab, file)
      await tab.close()
    },
  },
  {
    name: 'a reply that is too long says so, and is not cut',
    run: async (env) => {
      const file = path.join(env.root, 'too-long.txt')
      const tab = await env.browser.open(`${env.site.origin}/empty`)
      const script = `document.getElementById('log').append(el('div', 'message', el('p', '', 'It:'), plainCode(${JSON.stringify(blockWriting(file, 'CONTENT'))}.replace('CONTENT', 'some line that is long enough\\n'.repeat(80000)) + '\\n', 'sham')))`
      await tab.evaluate(script)
      await barSaying(tab, /Too long to review here: 2\.\d million characters/, 60)
      await pressBar(tab)
      await barSaying(tab, /too long to review here/)
      await expectNothing(tab, file)
      await tab.close()
    },
  },
  {
    name: 'a flood of 10,000 blocks',
    run: async (env) => {
      const tab = await env.browser.open(`${env.site.origin}/empty`)
      await tab.evaluate(`(() => {
        const log = document.getElementById('log')
        for (let at = 0; at < 10000; at++)
          log.append(el('div', 'turn', el('div', 'message', el('p', '', 'Message ' + at), plainCode(${JSON.stringify(
            blockWriting('FILE', 'flood'),
          )}.replace('FILE', ${JSON.stringify(env.root)} + '/flood-' + at + '.txt'), ''))))
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
]

const places: readonly Case[] = [
  {
    name: 'a path that turns the reading direction is spelled out',
    run: async (env) => {
      const tab = await env.browser.open(`${env.site.origin}/empty`)
      const file = path.join(env.root, 'gpj\u202etxt.sh')
      await tab.evaluate(
        `document.getElementById('log').append(el('div', 'message', el('p', '', 'It:'), plainCode(${JSON.stringify(`${blockWriting(file, 'x')}\n`)}, 'sham')))`,
      )
      await barSaying(tab, /^1 edit in 1 file$/)
      await opened(env, tab, /gpj\\u\{?202e\}?txt\.sh/)
      await tab.close()
    },
  },
  {
    name: 'a chat that is shown in a frame of another site',
    run: async (env) => {
      const inner = `${env.site.origin}/spans`
      const tab = await env.browser.context.newPage()
      await tab.goto(`${env.other.origin}/frame?${encodeURIComponent(inner)}`)
      const frame = tab.frames().find((one) => one.url() === inner)
      await frame?.evaluate(`window.reply(${JSON.stringify(replyWriting(path.join(env.root, 'frame.txt'), 'x'))})`)
      await tab.waitForTimeout(1200)
      assert.equal(frame === undefined, false)
      assert.deepEqual(await barsIn(tab), [])
      await tab.close()
    },
  },
  {
    name: 'a pairing that clada has forgotten does nothing, and pairs again',
    run: async (env) => {
      const keys = path.join(process.env['XDG_STATE_HOME'] ?? '', 'clada/companions.json')
      const kept = fs.readFileSync(keys)
      fs.writeFileSync(keys, '[]')
      try {
        const file = path.join(env.root, 'forgotten.txt')
        const tab = await env.browser.open(`${env.site.origin}/plain`)
        await tab.evaluate(`window.reply(${JSON.stringify(replyWriting(file, 'x'))})`)
        await barSaying(tab, /^1 edit in 1 file$/)
        await opened(env, tab, /Pair this browser with clada/)
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
      await tab.waitForTimeout(1200)
      assert.deepEqual(await barsIn(tab), [])
      await tab.close()
      await unknown.close()
    },
  },
]

export const attacks: readonly Case[] = [
  ...clicks,
  ...disguised,
  ...swapped,
  ...forgeries,
  ...hiddenTexts,
  ...oversize,
  ...places,
]
