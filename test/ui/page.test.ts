import { once } from 'node:events'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import { askApprovalSocket } from '../../packages/clada/src/approvals/socket.ts'
import { startClada } from '../support/cli.ts'
import { lacks, needs, skipWithoutLayers } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { clipboardOf, expectAccessible, launch, openTab, paste, strangers } from './browser.ts'
import { served } from './page-server.ts'

const home = path.join(import.meta.dirname, '../..')
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const write = (file: string, content: string): string => `<---WRITE file="${file}"--->\n${content}\n<---END--->\n`
const edit = (file: string, from: string, to: string): string =>
  `<---SEARCH file="${file}"--->\n${from}\n<---REPLACE--->\n${to}\n<---END--->\n`
const run = (command: string): string => `<---RUN--->\n${command}\n<---END--->\n`

/** The machine may have much else to do. */
const soon = <T>(look: () => T) => expect.poll(look)

/** The lines of the edit box, without those that it shows as deleted. */
const editedLines = (page: Page): Promise<string[]> => page.locator('#edit-text > .cm-line').allTextContents()

/** Writes another text into the edit box, which has the focus. */
async function retype(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

/** The example project with the reply that goes with it. */
function example(): { root: string; reply: string } {
  const root = scratchDir()
  fs.cpSync(path.join(home, 'examples/page/project'), root, { recursive: true })
  const reply = fs.readFileSync(path.join(home, 'examples/page/reply.md'), 'utf8')
  return { root, reply: reply.replaceAll('/PROJECT', root) }
}

describe('the page', { timeout: 90_000 }, () => {
  needs('chromium')

  let browser: Browser
  beforeAll(async () => {
    if (!lacks('chromium')) browser = await launch()
  })
  afterAll(async () => {
    if (!lacks('chromium')) await browser.close()
  })

  it('is served by clada ui until Ctrl-C; a reply is pasted, looked at, applied, answered and undone by keys', async () => {
    const { root, reply } = example()
    const before = filesIn(root)
    const program = startClada(['ui', '--no-open', '--port', '0', '--no-git'], root)
    let printed = ''
    program.stdout.on('data', (chunk) => (printed += String(chunk)))
    await soon(() => /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(printed)?.[0]).toBeDefined()
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(printed) ?? []
    const { page, complaints } = await openTab(browser, address)
    expect(page.url()).toBe(`${new URL(address).origin}/`)

    await page.waitForSelector('#reply:focus')
    await paste(page, reply)
    await page.waitForSelector('.block')
    const states = await page.locator('.block .line.quiet > span:first-child').allTextContents()
    expect(states).toEqual([
      'Ready',
      'Ready',
      'Ready',
      'Ready',
      'Will fail',
      'Ready',
      'Ready',
      'Ready',
      'Needs an answer',
      'Refused',
    ])
    // The first that needs a person is looked at, with what is there beside what was asked for.
    await soon(() => page.locator('.block.current .target').textContent()).toContain('money.ts')
    await page.waitForSelector('.beside')
    expect(await page.locator('.beside figcaption').allTextContents()).toEqual([
      'The block expects',
      'In the file, lines 6–8 (98% similar)',
    ])
    await page.keyboard.press('Home')
    await page.waitForSelector('.code-diff.split')
    expect(await page.locator('.cell.removed').count()).toBe(5)
    expect(await page.locator('.cell.added').allTextContents()).toEqual([
      '21+    return this.items.reduce((sum, item) => sum + item.price * item.quantity, 0)',
    ])
    await page.keyboard.press('d')
    await page.waitForSelector('.code-diff.unified')
    expect(await page.locator('.cell.removed').count()).toBe(5)
    expect(await page.locator('.tree .leaf').allTextContents()).toEqual([
      'README.mdadded +1removed −1',
      'cart.tsadded +2removed −6',
      'discount.tsnewadded +14',
      'money.tsadded +1removed −1',
      'cart.test.tsadded +14',
    ])

    // Two are marked, and only they are applied. A part of what lands together marks all of it.
    for (const key of ['x', 'j', ' ']) await page.keyboard.press(key)
    await page.getByRole('button', { name: 'Apply 2 marked' }).waitFor()
    for (const key of ['j', 'j', 'j', 'j', 'x']) await page.keyboard.press(key)
    await page.getByRole('button', { name: 'Apply 5 marked' }).waitFor()
    await page.keyboard.press('x')
    await page.keyboard.press('a')
    await page.locator('.result').waitFor()
    expect(await page.locator('.result').textContent()).toBe('2 done')
    expect(fs.existsSync(path.join(root, 'src/discount.ts'))).toBe(true)

    await page.keyboard.press('a')
    await page.locator('.card').waitFor()
    expect(await page.locator('.card .command').textContent()).toBe('npm test')
    expect((await page.locator('.card dd').allTextContents()).slice(0, 2)).toEqual([
      root,
      expect.stringMatching(/npm$/),
    ])
    // Keys that mean something elsewhere say nothing to a card.
    for (const key of ['a', 'y', 'n', 'Enter', ' ']) await page.keyboard.press(key)
    expect(await page.locator('.card').count()).toBe(1)
    await page.keyboard.press('g')
    await page.waitForSelector('#cards:focus')
    await soon(async () => {
      await page.keyboard.press('Tab')
      return page.evaluate('document.activeElement.textContent')
    }).toMatch(/^No /)
    await page.keyboard.press('Enter')
    await soon(() => page.locator('.result').textContent()).toBe('7 done3 failed')

    await page.keyboard.press('c')
    await page.locator('.banner.good').waitFor()
    const answer = await clipboardOf(page)
    expect(answer).toContain('=== CLADA RESULTS ===')
    expect(answer).toContain('t0t ✅ file_replace_text')
    expect(answer).toContain('p4r ❌ file_replace_text')

    await page.keyboard.press('2')
    await soon(() => page.locator('#entries .block').count()).toBe(2)
    await page.keyboard.press('u')
    await soon(() => page.locator('#entries .block').count()).toBe(3)
    await page.keyboard.press('u')
    await soon(() => page.locator('#entries .block').count()).toBe(4)
    expect(filesIn(root)).toEqual(before)
    // The blocks are there to be applied again.
    await page.keyboard.press('1')
    await page.getByRole('button', { name: 'Apply 7 of 10' }).waitFor()
    await page.keyboard.press('?')
    await page.locator('dialog[open]').waitFor()
    await page.keyboard.press('Escape')
    expect(complaints).toEqual([])

    program.kill('SIGINT')
    const [code] = await once(program, 'exit')
    expect(code).toBe(0)
    await page.getByText('clada ui is not running any more').waitFor()
  })

  it('makes nothing of a hostile text but text', async () => {
    const evil = `"><img src=x onerror="window.owned=1"><script>window.owned=1</script>`
    const turned = 'abc\u202egnp.exe\u200b\u0007'
    const root = scratchDir({ 'a.txt': `${evil}\n${turned}\n`, [`${evil.replaceAll('/', '')}.txt`]: 'x\n' })
    const page = await served(root, { gitCommit: false })
    const { page: tab, complaints } = await openTab(browser, page.address())
    const document = [
      edit('a.txt', evil, `${evil}${evil}`),
      write(`${turned}.html`, `<script>window.owned=1</script>${turned}`),
      edit('a.txt', `${evil} not there`, 'x'),
      run(`npm${turned} test ${evil}`),
      run(`rm ${turned}`),
      `#!nesl [@three-char-SHA-256: abc]\naction = "${evil.replaceAll('"', "'")}"\n#!end_abc\n`,
      write('b.js', evil),
      `<<<EXPLANATION>>>\n${evil}\n<<<FILE>>>\na.txt\n<<<SEARCH>>>\n${turned}\n<<<REPLACE>>>\n${evil}\n<<<END>>>\n`,
      write('rtl.txt', 'x = "שלום עולם" + 1'),
    ].join('\n')
    await paste(tab, document)
    await tab.waitForSelector('.block')
    const count = await tab.locator('.block').count()
    expect(count).toBeGreaterThanOrEqual(7)
    for (let index = 0; index < count; index++) {
      await tab.locator('.block').nth(index).click()
      await soon(() => tab.locator('.detail-body > *').count()).toBeGreaterThan(0)
    }
    // Letters from right to left do not turn around what is next to them.
    await soon(() => tab.locator('.cell.added bdi[dir=rtl]').allTextContents()).toEqual(['שלום עולם'])
    await tab.locator('.leaf').first().click()
    await tab.keyboard.press('a')
    await soon(() => tab.locator('.card, .result').count()).toBeGreaterThan(0)
    if ((await tab.locator('.card').count()) > 0) {
      const shown = (await tab.locator('.card .command').textContent()) ?? ''
      expect(shown).toContain('\\u202e')
      await tab.getByRole('button', { name: /^No\b/ }).click()
    }
    await tab.locator('.result').waitFor()
    await tab.keyboard.press('2')
    await tab.waitForSelector('#entries .block')
    await tab.waitForSelector('.diff')
    expect(await tab.evaluate('window.owned')).toBeUndefined()
    expect(await strangers(tab)).toBe(0)
    const whole = String(await tab.evaluate('document.body.innerText'))
    for (const hidden of ['\u202e', '\u200b', '\u0007']) expect(whole).not.toContain(hidden)
    expect(complaints).toEqual([])
  })

  it('keeps two tabs in step, and says when the server stops and comes back', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    // Not one that the system gives to whoever connects: while the server is away, somebody could get it.
    const port = 22_000 + Math.floor(Math.random() * 8000)
    const server = await served(root, { gitCommit: false }, port)
    const { page: first, context } = await openTab(browser, server.address())
    const second = await context.newPage()
    await second.goto(server.origin)
    await second.waitForSelector('#reply')
    await paste(first, edit('a.txt', 'one', 'two') + run('make it'))
    await second.waitForSelector('.block')
    await second.keyboard.press('a')
    await first.locator('.card').waitFor()
    await second.locator('.card').waitFor()
    // A tab that comes in the middle knows what was done, and shows the block that the question is about.
    await second.reload()
    const states = () => second.locator('.block .line.quiet > span:first-child').allTextContents()
    await soon(states).toEqual(['Done', 'Waits for your answer'])
    await soon(() => second.locator('.block.current .line').first().textContent()).toBe('make it')
    expect(await second.locator('.detail .reason').count()).toBe(0)
    await first.getByRole('button', { name: /^No\b/ }).click()
    for (const tab of [first, second]) await soon(() => tab.locator('.result').textContent()).toBe('1 done1 failed')
    expect(filesIn(root)).toEqual({ 'a.txt': 'two\n' })
    await second.reload()
    await second.locator('.result').waitFor()

    await server.close()
    await first.getByText('clada ui is not running any more').waitFor()
    await first.keyboard.press('R')
    await first.locator('.banner').getByText('clada ui does not answer.').waitFor()
    // One sentence, not words at both ends of the line.
    expect(await first.locator('.banner > span > code').count()).toBe(1)
    // Whatever is just being forked elsewhere in this process holds the old socket for a moment.
    const again = await vi.waitFor(() => served(root, { gitCommit: false }, port), { timeout: 60_000, interval: 200 })
    await first.getByText('does not know this tab').waitFor()
    // The new address, in the same browser: the tabs that stayed open go on.
    const third = await context.newPage()
    await third.goto(again.address())
    await third.waitForSelector('#reply')
    await soon(() => first.locator('.banner').count()).toBe(0)
    await first.locator('#reply').waitFor()
  })

  it('offers no undo and no further question after a reply of which everything was refused', async () => {
    const server = await served(scratchDir(), { gitCommit: false })
    const { page } = await openTab(browser, server.address())
    const block = '#!SHAM [@three-char-SHA-256: one]\naction = "run"\ncommand = "npm test"\n#!END_SHAM_one\n'
    await paste(page, block)
    await page.locator('.detail').getByText('You are asked before it runs.').waitFor()
    await page.keyboard.press('a')
    await page.locator('.card').waitFor()
    await page.getByRole('button', { name: /^No\b/ }).click()
    await soon(() => page.locator('.result').textContent()).toBe('1 failed')
    await page.locator('.detail .reason').getByText("You refused 'npm test'").waitFor()
    expect(await page.getByText('You are asked before it runs.').count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0)
  })

  it('opens a reply again that was not applied when clada ui was started again', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const port = 22_000 + Math.floor(Math.random() * 8000)
    const server = await served(root, { gitCommit: false }, port)
    const { page } = await openTab(browser, server.address())
    await paste(page, edit('a.txt', 'one', 'two'))
    await page.waitForSelector('.block')
    await server.close()
    await page.getByText('clada ui is not running any more').waitFor()
    const again = await vi.waitFor(() => served(root, { gitCommit: false }, port), { timeout: 60_000, interval: 200 })
    await page.goto(again.address())
    await page.locator('.banner').getByText('clada ui was started again. The reply was read again').waitFor()
    await soon(() => page.locator('.block .line.quiet > span:first-child').allTextContents()).toEqual(['Ready'])
    // What the person puts away stays away.
    await page.getByRole('button', { name: 'New reply' }).click()
    await page.waitForSelector('#reply')
    await page.reload()
    await page.waitForSelector('#reply')
    expect(filesIn(root)).toEqual({ 'a.txt': 'one\n' })
  })

  it('opens no reply to one project in another that is served at the same port', async () => {
    const [one, other] = [scratchDir({ 'a.txt': 'one\n' }), scratchDir({ 'a.txt': 'one\n' })]
    const port = 30_000 + Math.floor(Math.random() * 8000)
    const serveNext = (root: string) =>
      vi.waitFor(() => served(root, { gitCommit: false }, port), { timeout: 60_000, interval: 200 })
    const server = await served(one, { gitCommit: false }, port)
    const { page } = await openTab(browser, server.address())
    await paste(page, edit('a.txt', 'one', 'two'))
    await page.waitForSelector('.block')
    await server.close()
    const second = await serveNext(other)
    await page.goto(second.address())
    await page.locator('#reply').waitFor()
    // Longer than tabs wait for each other before one opens it.
    await page.waitForTimeout(600)
    expect(await page.locator('.block').count()).toBe(0)
    await second.close()
    const third = await serveNext(one)
    await page.goto(third.address())
    await page.locator('.banner').getByText('clada ui was started again. The reply was read again').waitFor()
  })

  it('keeps what is typed into the field for a reply while another view is looked at', async () => {
    const server = await served(scratchDir({ 'a.txt': 'one\n' }), { gitCommit: false })
    const { page } = await openTab(browser, server.address())
    await page.locator('#reply').fill(edit('a.txt', 'one', 'two'))
    await page.keyboard.press('Escape')
    await page.keyboard.press('a')
    await page.locator('.banner').getByText('There is no reply to apply. Paste one first.').waitFor()
    await page.keyboard.press('2')
    await page.getByText('Nothing was executed here yet').waitFor()
    await page.keyboard.press('1')
    await soon(() => page.locator('#reply').inputValue()).toBe(edit('a.txt', 'one', 'two'))
    await page.reload()
    await soon(() => page.locator('#reply').inputValue()).toBe(edit('a.txt', 'one', 'two'))
    await page.getByRole('button', { name: 'Review' }).click()
    // At once, before what the block would do is drawn.
    await page.waitForSelector('.block')
    await page.keyboard.press('e')
    await page.locator('.cm-content').waitFor()
    await page.getByRole('button', { name: 'New reply' }).click()
    await soon(() => page.locator('#reply').inputValue()).toBe('')
  })

  it('tells a tab that was opened by hand, when there is no other to ask, what to do', async () => {
    const server = await served(scratchDir(), { gitCommit: false })
    const { page: first, context } = await openTab(browser, server.address())
    await first.waitForSelector('#reply')
    await first.reload()
    await first.waitForSelector('#reply')
    expect(await first.locator('.banner').count()).toBe(0)
    await first.close()
    const second = await context.newPage()
    await second.goto(server.origin)
    await second.getByText('does not know this tab').waitFor()
    const third = await context.newPage()
    await third.goto(server.address())
    await soon(() => second.locator('.banner').count()).toBe(0)
  })

  it('opens through a file that leads to the address', async () => {
    const server = await served(scratchDir(), { gitCommit: false })
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(server.opener(server.address()))
    await page.waitForSelector('#reply')
    expect(page.url()).toBe(`${server.origin}/`)
  })

  it('opens at a loopback name with the code, and works there', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const server = await served(root, { gitCommit: false }, 0, {}, '127.0.0.1')
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const at = `http://localhost:${server.port}/`
    await page.goto(at)
    await page.locator('input').fill(server.code() ?? '')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#reply')
    expect(page.url()).toBe(at)
    await paste(page, edit('a.txt', 'one', 'two'))
    await page.waitForSelector('.block')
    await page.keyboard.press('a')
    await page.locator('.result').waitFor()
    expect(filesIn(root)).toEqual({ 'a.txt': 'two\n' })
  })

  it('shows what was changed in between, refuses to undo over it, and merges when told to', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    const root = scratchDir({ 'a.txt': lines.join('\n') })
    const file = path.join(root, 'a.txt')
    const server = await served(root, { gitCommit: false })
    const { page } = await openTab(browser, server.address())
    await paste(page, edit('a.txt', 'line 3', 'three'))
    await page.waitForSelector('.block')
    await page.keyboard.press('a')
    await page.locator('.result').waitFor()
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('line 16', 'mine'))
    await page.keyboard.press('2')
    await page.getByText('Changed by you since').waitFor()
    await soon(() => page.locator('.cell.added').allTextContents()).toEqual(['17+mine'])
    await page.keyboard.press('u')
    await page.locator('[role=alert]').getByText('a.txt').waitFor()
    expect(fs.readFileSync(file, 'utf8')).toContain('three')
    await page.getByRole('button', { name: 'Merge with my changes' }).click()
    await page.locator('.banner.good').waitFor()
    expect(fs.readFileSync(file, 'utf8')).toBe(lines.join('\n').replace('line 16', 'mine'))
    await page.getByText('Changed by you in between').waitFor()
  })

  it('finds executions, and undoes and redoes one action, one execution, several, or a whole loop', async () => {
    const root = scratchDir({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
    const before = filesIn(root)
    const options = { repoPath: root, gitCommit: false }
    const loop = new Clada({ ...options, conversation: { kind: 'loop', id: 'L1' } })
    const server = await served(root, { gitCommit: false })
    const plain = new Clada(options)
    await plain.execute(edit('a.txt', 'one', 'two') + edit('b.txt', 'one', 'two'))
    await loop.execute(edit('a.txt', 'two', 'three'))
    await loop.execute(edit('a.txt', 'three', 'four'))
    const { page, complaints } = await openTab(browser, server.address())
    await page.keyboard.press('Escape')
    await page.keyboard.press('2')
    const titles = () => page.locator('#entries .block .line:first-child').allTextContents()
    await soon(titles).toEqual(['Loop', 'edit a.txt', 'edit a.txt', 'edit 2 files'])
    // A loop is one difference.
    await page.locator('#entries .block').first().click()
    await soon(() => page.locator('.cell.added').allTextContents()).toEqual(['1+four'])
    await expectAccessible(page, axe)
    await page.getByRole('button', { name: 'Undo all of it' }).click()
    await page.locator('.banner').getByText('executions 3, 2').waitFor()
    expect(filesIn(root)).toEqual({ 'a.txt': 'two\n', 'b.txt': 'two\n' })
    await page.locator('#search-entries').fill('b.txt')
    await soon(titles).toEqual(['edit 2 files'])
    await page.locator('#entries .block').first().click()
    await page.getByRole('button', { name: /only action 2/ }).click()
    await page.locator('.banner').getByText('action 2 of execution 1').waitFor()
    expect(filesIn(root)).toEqual({ 'a.txt': 'two\n', 'b.txt': 'one\n' })
    await soon(() => page.locator('.actions li > .nowrap').allTextContents()).toEqual(['Done', 'Undone'])
    await page.getByRole('button', { name: /only action 2/ }).click()
    await page.locator('.banner').getByText('Redone: action 2 of execution 1').waitFor()
    await page.locator('#entries .box:not(.off)').first().click()
    await page.getByRole('button', { name: 'Undo 1 marked' }).click()
    await page.locator('.banner').getByText('Undone: execution 1. 2 files').waitFor()
    expect(filesIn(root)).toEqual(before)
    // One that was not undone last is redone, then the others together, in the order in which they ran.
    await page.getByRole('button', { name: 'Redo this' }).click()
    await page.locator('.banner').getByText('Redone: execution 1').waitFor()
    expect(filesIn(root)).toEqual({ 'a.txt': 'two\n', 'b.txt': 'two\n' })
    await page.locator('#search-entries').fill('run undone')
    await soon(titles).toEqual(['edit a.txt', 'edit a.txt'])
    for (const box of await page.locator('#entries .box').all()) await box.click()
    await page.getByRole('button', { name: 'Redo 2 marked' }).click()
    await page.locator('.banner').getByText('Redone: executions 2, 3').waitFor()
    expect(filesIn(root)).toEqual({ 'a.txt': 'four\n', 'b.txt': 'two\n' })
    expect(complaints).toEqual([])
  })

  it('answers for other processes in the same project', async () => {
    const root = scratchDir()
    const server = await served(root)
    const request = {
      root,
      command: 'npm test -- --all',
      program: '/usr/bin/npm',
      bound: 'package.json',
      canTry: false,
      unsandboxed: false,
      changed: true,
      about: 'network',
      repository: false,
    } as const
    expect(await askApprovalSocket(request)).toBeUndefined()
    const { page } = await openTab(browser, server.address())
    const asked = askApprovalSocket(request)
    await page.locator('.card').waitFor()
    expect(await page.locator('.card').innerText()).toContain('files that could decide what it runs have changed')
    expect(await page.locator('.card').innerText()).toContain('Until one of these files changes: package.json')
    await page.getByRole('button', { name: /^Always\b/ }).click()
    expect(await asked).toBe('always')
    await soon(() => page.locator('.card').count()).toBe(0)

    // The listener, which is a program of its own, asks here too.
    const watch = startClada(['watch', '--no-git'], root)
    onTestFinished(() => void watch.kill('SIGINT'))
    const input = path.join(root, 'clada_input.md')
    await soon(() => fs.existsSync(input)).toBe(true)
    fs.writeFileSync(input, run('node -p 42'))
    await page.locator('.card').waitFor()
    expect(await page.locator('.card .command').textContent()).toBe('node -p 42')
    await page.getByRole('button', { name: /^Once\b/ }).click()
    await soon(() => fs.readFileSync(input, 'utf8')).toContain('=== CLADA RESULTS ===')

    const stop = new AbortController()
    const left = askApprovalSocket(request, stop.signal)
    await page.locator('.card').waitFor()
    stop.abort()
    expect(await left).toBeUndefined()
    await soon(() => page.locator('.card').count()).toBe(0)
  })

  it('runs nothing before the answer, shows what a command did when it is tried, and keeps that after a yes only', async (context) => {
    await skipWithoutLayers(context)
    const before = { 'a.txt': 'a\n', 'make.sh': 'echo "said \u202e<b>"; echo made > made.txt; rm a.txt\n' }
    const root = scratchDir(before)
    const server = await served(root, { gitCommit: false })
    const { page, complaints } = await openTab(browser, server.address())
    await paste(page, run('sh make.sh'))
    await page.waitForSelector('.block')
    await page.keyboard.press('a')
    await page.locator('.card').waitFor()
    expect(await page.locator('.card').innerText()).not.toContain('said')
    await expectAccessible(page, axe)
    await page.getByRole('button', { name: /^Try\b/ }).click()
    await page.locator('.card li').first().waitFor()
    const card = await page.locator('.card').innerText()
    expect(card).toContain('Approve it and keep the result?')
    expect(card).toContain('In the sandbox, without network: exit 0, 2 files changed. Nothing is kept yet.')
    expect(await page.getByRole('button', { name: /^Try\b/ }).count()).toBe(0)
    expect(card).toContain('said \\u202e<b>')
    expect(await page.locator('.card li').allTextContents()).toEqual(['delete a.txt', 'create made.txt'])
    await expectAccessible(page, axe)
    expect(filesIn(root)).toEqual(before)
    await page.getByRole('button', { name: /^No\b/ }).click()
    await soon(() => page.locator('.result').textContent()).toBe('1 failed')
    expect(filesIn(root)).toEqual(before)
    await page.getByRole('button', { name: 'New reply' }).click()
    await paste(page, run('sh ./make.sh'))
    await page.waitForSelector('.block')
    await page.keyboard.press('a')
    await page.getByRole('button', { name: /^Try\b/ }).click()
    await page.getByRole('button', { name: /^Keep (?!always)/ }).click()
    await soon(() => page.locator('.result').textContent()).toBe('1 done')
    expect(filesIn(root)).toEqual({ 'make.sh': before['make.sh'], 'made.txt': 'made\n' })

    // Whoever asks from elsewhere must be able to show what it did, or is not heard.
    const request = {
      root,
      command: 'x',
      about: 'tried',
      program: 'x',
      canTry: false,
      unsandboxed: false,
      changed: false,
      repository: false,
    } as const
    expect(await askApprovalSocket(request)).toBeUndefined()
    const changed = [{ path: 'b.txt', change: 'modify' }] as const
    const asked = askApprovalSocket({ ...request, tried: { exitCode: 0, changed, more: 7, output: '' } })
    await page.locator('.card').waitFor()
    expect(await page.locator('.card li').allTextContents()).toEqual(['modify b.txt', 'and 7 more'])
    await page.getByRole('button', { name: /^Keep, always/ }).click()
    expect(await asked).toBe('always')
    expect(complaints).toEqual([])
  })

  it('makes a prompt of files, structures and actions that are picked', async () => {
    const { root } = example()
    const server = await served(root, { gitCommit: false })
    const { page, complaints } = await openTab(browser, server.address())
    await page.keyboard.press('Escape')
    await page.keyboard.press('3')
    await page.waitForSelector('.file-row')
    await page.keyboard.press('/')
    await page.waitForSelector('#search-files:focus')
    await page.keyboard.type('src mon')
    await soon(() => page.locator('.file-row .path').allTextContents()).toEqual(['src/money.ts'])
    await page.keyboard.press('Escape')
    await page.keyboard.press('x')
    await soon(() => page.locator('.entry .mono').allTextContents()).toEqual(['src/money.ts'])
    await page.locator('#search-files').fill('cart.ts')
    await page.locator('.file-row').first().click()
    await page.getByLabel('export class Cart').check()
    await soon(() => page.locator('.entry .mono').allTextContents()).toEqual(['src/money.ts', 'src/cart.ts@@Cart'])
    // A folder stands for its files, and what they cost is known before they are chosen.
    await page.locator('#search-files').fill('')
    const folder = page.locator('.file-row', { hasText: 'test/' }).first()
    await folder.locator('.box').click()
    await soon(() => page.locator('.entry .mono').allTextContents()).toContain('test/cart.test.ts')
    const size = fs.statSync(path.join(root, 'test/cart.test.ts')).size
    expect(await folder.locator('.tokens').textContent()).toBe(Math.ceil(size / 4).toLocaleString('en'))
    await folder.locator('.box').click()
    await soon(() => page.locator('.entry .mono').allTextContents()).not.toContain('test/cart.test.ts')
    await page.getByLabel('Task', { exact: true }).fill('Take a discount off.')
    await soon(() => page.locator('.prompt').textContent()).toContain('## The task\n\nTake a discount off.')
    await page.getByLabel('Syntax').selectOption('csl')
    await page.getByLabel('Actions').selectOption('all')
    await soon(() => page.locator('.prompt').textContent()).toContain('<---WRITE')
    await soon(() => page.locator('.prompt').textContent()).toContain('export class Cart')
    await page.getByRole('button', { name: 'Copy prompt and files' }).click()
    await page.locator('.banner.good').waitFor()
    const copied = await clipboardOf(page)
    expect(copied).toContain('/** Amounts are in cents. */')
    expect(copied).toBe(await page.locator('.prompt').textContent())
    await page.reload()
    await page.waitForSelector('#reply:focus')
    await page.waitForSelector('.root:not(:empty)')
    await page.keyboard.press('Escape')
    await page.keyboard.press('3')
    await page.getByLabel('Recent tasks').selectOption('Take a discount off.')
    await soon(() => page.locator('.prompt').textContent()).toContain('Take a discount off.')
    await page.getByLabel('Syntax').selectOption('csl')
    await page.getByLabel('Actions').selectOption('all')
    await soon(() => page.locator('.prompt').textContent()).toBe(copied)
    const tokens = Math.ceil(copied.length / 4)
    expect(await page.locator('.result').textContent()).toContain(`${tokens.toLocaleString('en')} tokens`)
    await expectAccessible(page, axe)
    expect(complaints).toEqual([])
  })

  it.each(['light', 'dark'] as const)('can be used by everybody, in %s', async (colorScheme) => {
    const { root, reply } = example()
    const server = await served(root, { gitCommit: false })
    const { page, complaints } = await openTab(browser, server.address(), { colorScheme })
    await expectAccessible(page, axe)
    // The first Tab of a page leads past the head.
    await page.keyboard.press('Escape')
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('Tab')
    await page.getByRole('link', { name: 'To the list' }).press('Enter')
    await page.waitForSelector('#main:focus')
    await paste(page, reply)
    await page.waitForSelector('.beside, .alert')
    await expectAccessible(page, axe)
    await page.keyboard.press('Home')
    await page.waitForSelector('.code-diff .tok-keyword')
    await expectAccessible(page, axe)
    await page.keyboard.press('a')
    await page.locator('.card').waitFor()
    await expectAccessible(page, axe)
    await page.getByRole('button', { name: /^No\b/ }).click()
    await page.locator('.result').waitFor()
    await page.keyboard.press('2')
    await page.waitForSelector('.code-diff')
    await expectAccessible(page, axe)
    await page.keyboard.press('?')
    await page.locator('dialog[open]').waitFor()
    await expectAccessible(page, axe)
    expect(complaints).toEqual([])
  })

  it('fits a narrow screen', async () => {
    const { root, reply } = example()
    const server = await served(root, { gitCommit: false })
    const { page } = await openTab(browser, server.address(), { width: 400, height: 760 })
    const fits = async (): Promise<void> =>
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await fits()
    await paste(page, reply)
    await page.waitForSelector('.block')
    await fits()
    await page.locator('.block').first().click()
    await page.waitForSelector('.code-diff.unified')
    await fits()
    await page.getByRole('button', { name: '‹ Blocks' }).click()
    await page.locator('#blocks').waitFor()
    await page.keyboard.press('2')
    await page.getByText('Nothing was executed here yet').waitFor()
    await fits()
  })

  it('goes back by the button of the browser, from a detail to its list and from a view to the one before', async () => {
    const server = await served(scratchDir(), { gitCommit: false })
    const { page } = await openTab(browser, server.address(), { width: 360, height: 740 })
    await paste(page, write('a.txt', 'a') + write('b.txt', 'b'))
    const list = page.locator('#blocks')
    const detail = page.locator('.detail')
    await list.waitFor()
    await page.locator('.block').nth(1).click()
    await detail.waitFor()
    await page.goBack()
    await list.waitFor()
    await page.goForward()
    await detail.waitFor()
    // The page's own way back leaves nothing that has to be gone back twice.
    await page.getByRole('button', { name: /^‹/ }).click()
    await list.waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByText('Nothing was executed here yet').waitFor()
    await page.goBack()
    await list.waitFor()
    await page.goBack()
    expect(page.url()).toBe('about:blank')
  })

  it('loses no letter that is typed faster than the page is drawn', async () => {
    const server = await served(scratchDir(), { gitCommit: false })
    const { page } = await openTab(browser, server.address())
    await paste(page, write('a.txt', 'a'))
    await page.waitForSelector('.code-diff')
    await page.keyboard.press('e')
    await page.waitForSelector('#edit-text.cm-content')
    const typed = 'letters '.repeat(40)
    await page.evaluate(`(async () => {
      for (const letter of ${JSON.stringify(typed)}) {
        document.execCommand('insertText', false, letter)
        for (let turn = 0; turn < 5; turn++) await Promise.resolve()
      }
    })()`)
    await soon(() => editedLines(page)).toEqual([`${typed}a`])
  })

  it('applies nothing of the reply before while another one is on its way', async () => {
    const root = scratchDir()
    const server = await served(root, { gitCommit: false })
    const { page } = await openTab(browser, server.address())
    await paste(page, write('a.txt', 'a'))
    await page.waitForSelector('.code-diff')
    let open = (): void => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    await page.route('**/api/document?*', async (route) => {
      await gate
      await route.continue()
    })
    await paste(page, write('b.txt', 'b'))
    await page.keyboard.press('a')
    await page.getByText('Checking what each block would do.').first().waitFor()
    open()
    await page.locator('.block', { hasText: 'b.txt' }).waitFor()
    expect(filesIn(root)).toEqual({})
    await page.keyboard.press('a')
    await page.locator('.result').waitFor()
    expect(filesIn(root)).toEqual({ 'b.txt': 'b' })
  })

  it('shows no carriage returns of a file that has them everywhere', async () => {
    const root = scratchDir({ 'dos.txt': 'one\r\ntwo\r\n', 'both.txt': 'one\r\ntwo\n' })
    const server = await served(root, { gitCommit: false })
    const { page } = await openTab(browser, server.address())
    await paste(page, edit('dos.txt', 'two', '2') + edit('both.txt', 'two', '2'))
    const code = () => page.locator('.code-diff code').allTextContents()
    await soon(code).toEqual(['one', 'one', 'two', '2'])
    await page.keyboard.press('j')
    await soon(code).toEqual(['one\\x0d', 'one\\x0d', 'two', '2'])
  })

  it('shows what a program writes while it runs, and nothing of what was foreseen', async () => {
    const root = scratchDir()
    const server = await served(root, { gitCommit: false, exec: 'unsandboxed' })
    const { page } = await openTab(browser, server.address())
    const wait = 'echo begun; while [ ! -e go ]; do sleep 0.1; done; echo over'
    await paste(
      page,
      `#!SHAM [@three-char-SHA-256: go1]\naction = "exec"\nlang = "bash"\ncode = "${wait}"\n#!END_SHAM_go1\n${write('a.txt', 'x')}`,
    )
    const states = () => page.locator('.block [class^=state-]').allTextContents()
    await page.getByText('not run in a preview').waitFor()
    expect(await page.locator('.output').allTextContents()).toEqual([`Would run${wait}`])
    const named = () => page.locator('.block .target').allTextContents()
    expect(await named()).toEqual([wait, 'a.txt'])
    await page.keyboard.press('a')
    await soon(() => page.locator('.output').allTextContents()).toEqual(['Output so farbegun\n'])
    expect(await page.getByText('not run in a preview').count()).toBe(0)
    expect(await states()).toEqual(['Running', 'Ready'])
    fs.writeFileSync(path.join(root, 'go'), '')
    await soon(() => page.locator('.output').allTextContents()).toEqual([
      expect.stringMatching(/^Outputstdout:\nbegun\nover/),
    ])
    expect(await states()).toEqual(['Done', 'Done'])
    expect(await named()).toEqual([wait, 'a.txt'])
  })

  it('shows a moved file as one change, and names at one height whether they have a directory or not', async () => {
    const root = scratchDir({ 'a.txt': 'one\n', 'in/c.txt': 'c\n' })
    fs.writeFileSync(path.join(root, 'b.png'), Buffer.of(0x89, 0x50, 0xff))
    const server = await served(root, { gitCommit: false })
    const { page } = await openTab(browser, server.address())
    const move = (id: string, from: string, to: string): string =>
      `#!SHAM [@three-char-SHA-256: ${id}]\naction = "file_move"\nold_path = "${root}/${from}"\nnew_path = "${root}/${to}"\n#!END_SHAM_${id}\n`
    await paste(page, move('mva', 'a.txt', 'to/a.txt') + move('mvb', 'b.png', 'to/b.png') + edit('in/c.txt', 'c', 'd'))
    await soon(() => page.locator('.leaf').allTextContents()).toEqual([
      'c.txtadded +1removed −1',
      'a.txtmoved',
      'b.pngmoved',
    ])
    await page.locator('.block').first().click()
    await soon(() => page.locator('.diff-head').textContent()).toBe(
      'to/a.txtmovedfrom a.txtEdit of the new text of to/a.txte',
    )
    await page.locator('.block').nth(1).click()
    await page.getByText('Not text: only its path changes.').waitFor()
    const rows = await page.locator('.block').all()
    const heights = await Promise.all(
      rows.map(async (row) => {
        const [outer, inner] = await Promise.all([row.boundingBox(), row.locator('.file').boundingBox()])
        return (inner?.y ?? 0) - (outer?.y ?? 0)
      }),
    )
    expect(new Set(heights).size).toBe(1)
  })

  it('keeps a reply when something else is pasted, and makes room for another by a key', async () => {
    const server = await served(scratchDir(), { gitCommit: false })
    const { page, complaints } = await openTab(browser, server.address())
    await paste(page, `The first of all.\n${write('a.txt', 'x')}`)
    await page.waitForSelector('.block')
    // A text without blocks is asked about, and the reply stays, also in another look at the page.
    await paste(page, 'https://example.org/ something from the clipboard')
    await page.getByText('has no blocks, so the reply stays open').waitFor()
    expect(await page.locator('.block .target').allTextContents()).toEqual(['a.txt'])
    await page.reload()
    await page.waitForSelector('.block')
    expect(await page.locator('.block .target').allTextContents()).toEqual(['a.txt'])
    await paste(page, 'something else')
    await page.getByRole('button', { name: 'Open the text' }).click()
    await page.waitForSelector('#reply')
    await page.getByRole('button', { name: /^The first of all/ }).click()
    await page.waitForSelector('.block')

    // Another reply takes its place, and the one before is in the list.
    await paste(page, write('b.txt', 'x'))
    await page.locator('.banner').getByText('The previous reply is in the list of replies.').waitFor()
    await page.locator('.replies summary').click()
    await page.getByRole('button', { name: /^The first of all/ }).click()
    await soon(() => page.locator('.block .target').allTextContents()).toEqual(['a.txt'])
    await page.keyboard.press('p')
    await page.waitForSelector('#reply:focus')
    expect(await page.locator('.replies .leaf').count()).toBe(2)
    await expectAccessible(page, axe)
    await page
      .getByRole('button', { name: /^Take .* off the list/ })
      .first()
      .click()
    await soon(() => page.locator('.replies .leaf').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.keyboard.press('2')
    await page.getByText('Nothing was executed here yet').waitFor()
    expect(complaints).toEqual([])
  })

  it('applies the changes that are taken, with the texts and places of the user, and tells the model', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`)
    const root = scratchDir({
      'a.txt': `${lines.join('\n')}\n`,
      'b.txt': 'one\ntwo\n',
      'c.txt': '  call(first,  second)\n',
      'f.txt': 'value = compute(first)\n',
    })
    const changed = lines.map((line) => (['line 2', 'line 15', 'line 28'].includes(line) ? `${line} new` : line))
    const server = await served(root, { gitCommit: false })
    const { page, complaints } = await openTab(browser, server.address())
    const reply = [
      write('a.txt', changed.join('\n')),
      edit('b.txt', 'two', 'TWO'),
      edit('c.txt', 'call(first, other)', 'call(nothing)'),
      write('d.txt', 'unwanted'),
      write('e.txt', 'before'),
      edit('f.txt', 'value = compute(fist)', 'value = compute(second)'),
    ].join('\n')
    await paste(page, reply)
    await page.waitForSelector('.block')
    await page.keyboard.press('Home')
    await soon(() => page.locator('.hunk').count()).toBe(3)
    const border = await page.evaluate(`getComputedStyle(document.querySelector('.hunk button')).borderTopColor`)
    expect(border).not.toMatch(/^rgba\(.* 0\)$|transparent/)
    // The second change is left out by a key, and the reason is written beside it.
    for (const key of [']', ']', 'l']) await page.keyboard.press(key)
    await page.getByLabel('Why it is left out').fill('the old line is right')
    await page.keyboard.press('Enter')
    await soon(() => page.locator('.block.current .line.quiet').textContent()).toContain('1 change left out')
    expect(await page.locator('.left-out .cell.added code').allTextContents()).toEqual(['line 15 new'])
    await expectAccessible(page, axe)
    // By the mouse, and back.
    await page.getByRole('group', { name: 'Change 1 of 3' }).getByRole('button').click()
    await soon(() => page.locator('.block.current .line.quiet').textContent()).toContain('2 changes left out')
    await page.getByRole('group', { name: 'Change 1 of 3' }).getByRole('button', { name: 'Take it' }).click()
    await soon(() => page.locator('.block.current .line.quiet').textContent()).toContain('1 change left out')

    // The new text is edited in place, and the difference follows.
    await page.keyboard.press('j')
    await soon(() => page.locator('.detail h2').textContent()).toContain('b.txt')
    await page.waitForSelector('.hunk')
    await page.keyboard.press('e')
    await page.waitForSelector('#edit-text:focus')
    await retype(page, 'one\nzwei\n')
    // What was typed outlives Esc, another block and a reload.
    for (const key of ['Escape', 'k', 'j']) await page.keyboard.press(key)
    await page.reload()
    await page.waitForSelector('.block')
    await page.locator('.block').nth(1).click()
    await page.getByRole('button', { name: /^Continue draft/ }).click()
    await page.waitForSelector('#edit-text:focus')
    expect(await editedLines(page)).toEqual(['one', 'zwei', ''])
    await soon(() => page.locator('.cm-changedLine').allTextContents()).toEqual(['zwei'])
    expect(await page.locator('.cm-deletedChunk').innerText()).toContain('two')
    await expectAccessible(page, axe)
    await page.keyboard.press('Control+Enter')
    await page.locator('.tag.edited').waitFor()

    // An edit without a place gets the nearest one.
    await page.keyboard.press('j')
    await page.getByRole('button', { name: /^Use this place/ }).click()
    await page.getByText('It goes to line 1, as you chose.').waitFor()
    await page.keyboard.press('j')
    await soon(() => page.locator('.detail h2').textContent()).toContain('d.txt')
    await page.waitForSelector('.hunk')
    await page.keyboard.press('L')
    await page.getByLabel('Left out. Why?').fill('not needed')
    await page.keyboard.press('Enter')
    await soon(() => page.locator('.block.current .line.quiet').textContent()).toContain('Left out: not needed')
    // A place is taken and opened for editing at once.
    for (const key of ['Escape', 'End']) await page.keyboard.press(key)
    await page.getByRole('button', { name: /^Use it and edit/ }).click()
    await page.waitForSelector('#edit-text:focus')
    expect(await editedLines(page)).toEqual(['value = compute(second)', ''])
    await retype(page, 'value = compute(third)\n')
    await page.keyboard.press('Control+Enter')
    await page.locator('.tag.edited').waitFor()
    // What a block says is edited, parameter by parameter.
    await page.keyboard.press('k')
    await soon(() => page.locator('.detail h2').textContent()).toContain('e.txt')
    await page.getByRole('button', { name: 'Edit block' }).click()
    await page.getByRole('textbox', { name: 'content' }).fill('before, and more')
    await expectAccessible(page, axe)
    await page.getByRole('button', { name: 'Use these texts' }).click()
    await soon(() => page.locator('.cell.added code').allTextContents()).toEqual(['before, and more'])
    await page.getByRole('button', { name: 'Undo my changes' }).click()
    await soon(() => page.locator('.cell.added code').allTextContents()).toEqual(['before'])
    // What is decided is kept by the server, also when the text of the reply is edited.
    await page.reload()
    await page.waitForSelector('.block')
    await page.keyboard.press('E')
    await page.waitForSelector('#edit-text:focus')
    await retype(page, reply.replace('before', 'after'))
    await page.getByRole('button', { name: 'Use this text' }).click()
    await page.locator('.banner').getByText('The reply is as you edited it.').waitFor()
    await page.getByRole('button', { name: 'Apply 5 of 6' }).click()
    await soon(() => page.locator('.result').textContent()).toBe('5 done')
    const expected = changed.map((line) => (line === 'line 15 new' ? 'line 15' : line))
    expect(filesIn(root)).toEqual({
      'a.txt': expected.join('\n'),
      'b.txt': 'one\nzwei\n',
      'c.txt': expect.stringContaining('call(nothing)'),
      'e.txt': 'after',
      'f.txt': 'value = compute(third)\n',
    })
    await page.keyboard.press('c')
    await page.locator('.banner.good').waitFor()
    const answer = await clipboardOf(page)
    for (const said of ['the old line is right', 'applied with changes by the user', 'not needed', '+zwei'])
      expect(answer).toContain(said)
    // What the user left out did not fail.
    await page.keyboard.press('2')
    await page.getByText('left out by you').waitFor()
    expect(await page.locator('.block.current').textContent()).toMatch(/5 files · 1 left out$/)
    expect(complaints).toEqual([])
  })

  it('shows all files in one scroll and the map, and finds blocks and files', async () => {
    const { root, reply } = example()
    const server = await served(root, { gitCommit: false })
    const { page, complaints } = await openTab(browser, server.address())
    await paste(page, reply)
    await page.waitForSelector('.block')
    await page.keyboard.press('f')
    await soon(() => page.locator('.diff .code-diff').count()).toBeGreaterThan(3)
    expect(await page.locator('.diff-head .file').allTextContents()).toEqual([
      'README.md',
      'cart.ts',
      'discount.ts',
      'money.ts',
      'cart.test.ts',
    ])
    // Both blocks that change the file, in one difference; more of it on demand.
    const cart = page.locator('.diff', { hasText: 'cart.ts' }).first()
    expect(await cart.locator('.by button').allTextContents()).toEqual(['Go to block 1', 'Go to block 3'])
    const before = await cart.locator('.code-row').count()
    await cart.getByRole('button', { name: '17 unchanged lines' }).click()
    await soon(() => cart.locator('.code-row').count()).toBe(before + 17)
    await page.keyboard.press(']')
    await soon(() => page.evaluate(`document.querySelector('#detail').scrollTop`)).toBeGreaterThan(0)
    await expectAccessible(page, axe)

    await page.keyboard.press('m')
    await soon(() => page.locator('.map-row').count()).toBe(10)
    expect(await page.locator('.map-row .chip').allTextContents()).toEqual(['after 1', 'after 6'])
    await expectAccessible(page, axe)
    await page.keyboard.press('/')
    await page.waitForSelector('#search-blocks:focus')
    await page.keyboard.type('money fail')
    await soon(() => page.locator('.block .target').allTextContents()).toEqual(['src/money.ts'])
    await page.locator('#search-blocks').fill('test/')
    await soon(() => page.locator('.leaf bdi:visible').allTextContents()).toContain('cart.test.ts')
    expect(await page.locator('.tree .leaf').count()).toBe(1)
    expect(complaints).toEqual([])
  })

  it('never shows the changes of one reply below the name of another', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const server = await served(root, { gitCommit: false })
    const { page, complaints } = await openTab(browser, server.address())
    await paste(page, edit('a.txt', 'one', 'two'))
    await page.locator('.diff[aria-label="a.txt"] .cell.added').waitFor()
    await page.evaluate(`(() => {
      window.mixed = []
      new MutationObserver(() => {
        const [title, diff] = [document.querySelector('.detail h2')?.textContent ?? '', document.querySelector('.detail .diff')]
        if (/f0/.test(title) && diff?.ariaLabel === 'a.txt') window.mixed.push(title)
      }).observe(document.body, { childList: true, subtree: true, characterData: true })
    })()`)
    await page.keyboard.press('p')
    await page.waitForSelector('#reply:focus')
    await paste(page, Array.from({ length: 150 }, (_, at) => write(`f${at}.txt`, 'new')).join('\n'))
    await page.locator('.diff[aria-label="f0.txt"] .cell.added').waitFor()
    expect(await page.evaluate('mixed')).toEqual([])
    expect(complaints).toEqual([])
  })

  it('breaks lines between words, and knows how high each is', async () => {
    const long =
      '  const greeting = [first, "two words", `${third} and more`].filter((one) => one !== undefined).join(" ")'
    const lines = [
      long,
      `${long} // ${'ab '.repeat(40)}`,
      `\t\t${'x'.repeat(300)}`,
      '漢字'.repeat(60),
      'a-b/c.d'.repeat(20),
    ]
    const root = scratchDir({ 'a.ts': 'none\n' })
    const server = await served(root, { gitCommit: false })
    const { page, complaints } = await openTab(browser, server.address())
    await paste(page, write('a.ts', lines.join('\n')))
    await page.waitForSelector('.cell.added')
    const rows: unknown = await page.evaluate(`[...document.querySelectorAll('.code-row')].map((row) => {
      const code = row.querySelector('.cell.added code')
      const cut = [...(code?.textContent ?? '').matchAll(/[a-z]{2,}/g)].filter(({ 0: word, index }) => {
        const range = document.createRange()
        const walk = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
        let at = 0
        for (let node = walk.nextNode(); node; at += node.length, node = walk.nextNode()) {
          if (index >= at && index < at + node.length) range.setStart(node, index - at)
          if (index + word.length > at && index + word.length <= at + node.length) range.setEnd(node, index + word.length - at)
        }
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 20))).size > 1
      })
      return { drawn: row.offsetHeight, known: parseFloat(row.style.minHeight), cut: cut.map(([word]) => word.slice(0, 9)) }
    })`)
    const found = Array.isArray(rows) ? rows : []
    expect(found.map(({ cut }) => cut)).toEqual([[], [], ['xxxxxxxxx'], [], []])
    expect(found.map(({ drawn }) => drawn)).toEqual(found.map(({ known }) => known))
    expect(complaints).toEqual([])
  })

  it('cuts names that are too long', async () => {
    const server = await served(scratchDir(), { gitCommit: false })
    const { page } = await openTab(browser, server.address())
    await paste(page, write(`${'a-directory-'.repeat(8)}/${'a-file-'.repeat(20)}.txt`, 'x'))
    await page.waitForSelector('.code-diff')
    const parts = page.locator('.diff-head').locator('.path, .tag, .counts')
    const boxes = await Promise.all((await parts.all()).map((part) => part.boundingBox()))
    const ends = boxes.map((box) => Math.round((box?.x ?? 0) + (box?.width ?? 0)))
    const starts = boxes.map((box) => Math.round(box?.x ?? 0))
    expect(starts.length).toBe(3)
    expect([...ends.slice(0, -1).map((end, at) => end <= (starts[at + 1] ?? 0)), (ends.at(-1) ?? 0) <= 1280]).toEqual([
      true,
      true,
      true,
    ])
    const file = await page.locator('.diff-head .file').boundingBox()
    expect(Math.round((file?.x ?? 0) + (file?.width ?? 0))).toBeLessThanOrEqual(ends[0] ?? 0)
  })

  it('stays quick with a thousand blocks and a diff of five thousand lines', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `const value${index} = compute(${index}, 'text')`)
    const changed = lines.map((line, index) => (index % 3 === 0 ? line.replace('compute', 'reckon') : line))
    const root = scratchDir({ 'large.ts': lines.join('\n') })
    const many = Array.from({ length: 999 }, (_, index) => write(`dir${index % 9}/file${index}.txt`, `text ${index}`))
    const server = await served(root, { gitCommit: false })
    const { page } = await openTab(browser, server.address())
    await paste(page, [write('large.ts', changed.join('\n')), ...many].join('\n'))
    await page.waitForSelector('.code-diff .tok-keyword')
    // So many blocks are shown before it is known what they would do.
    await page.getByRole('button', { name: 'Apply all 1000' }).waitFor()
    expect(await page.locator('.block').count()).toBeLessThan(60)
    expect(await page.locator('.tree .leaf').count()).toBeLessThan(60)
    // Scrolling is cheap when only what is in view is there.
    const sizes: unknown[] = []
    for (const selector of ['.detail-body', '#blocks']) {
      for (let step = 0; step <= 20; step++) {
        sizes.push(
          await page.evaluate(
            `(() => {
              const box = document.querySelector('${selector}')
              box.scrollTop = (box.scrollHeight - box.clientHeight) * ${step} / 20
              return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(box.querySelectorAll('*').length))))
            })()`,
          ),
        )
      }
    }
    expect(Math.max(...sizes.map(Number))).toBeLessThan(5000)
    expect(await page.locator('.block').last().textContent()).toContain('file998.txt')
    await page.keyboard.press('End')
    await soon(() => page.locator('.detail h2').textContent()).toContain('file998.txt')
  })
})
