// Takes docs/ui.png and docs/ui-dark.png from the real page: `npm run picture:ui`. With --all DIR it takes every main
// state at three widths, in light and dark, for a person to look at.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { exampleProject } from './example-page.mjs'

const home = path.resolve(import.meta.dirname, '..')
const all = process.argv.indexOf('--all')
const browser = await chromium.launch({
  executablePath: process.env.CLADA_BROWSER ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'],
})
try {
  if (all === -1) {
    const size = { width: 1120, height: 680 }
    await withPage({ ...size, colorScheme: 'light' }, (page) => takeOne(page, 'docs/ui.png'))
    await withPage({ ...size, colorScheme: 'dark' }, (page) => takeOne(page, 'docs/ui-dark.png'))
  } else {
    const dir = process.argv[all + 1] ?? 'pictures'
    fs.mkdirSync(dir, { recursive: true })
    for (const colorScheme of ['light', 'dark']) {
      for (const [width, height] of [
        [400, 800],
        [1280, 800],
        [2560, 1440],
      ]) {
        await withPage({ width, height, colorScheme }, (page) =>
          takeAll(page, path.join(dir, `${width}-${colorScheme}`)),
        )
      }
    }
  }
} finally {
  await browser.close()
}

async function takeOne(page, file) {
  await page.locator('.block').first().click()
  await page.waitForSelector('.code-diff .tok-keyword')
  await page.mouse.move(900, 700)
  await page.screenshot({ path: path.join(home, file) })
}

async function takeAll(page, name) {
  const narrow = page.viewportSize().width < 760
  const shot = async (state) => {
    await page.waitForTimeout(150)
    await page.screenshot({ path: `${name}-${state}.png` })
  }
  const list = async () => {
    if (narrow) await page.getByRole('button', { name: /^‹/ }).click()
  }
  await shot('1-blocks')
  await page.locator('.block').first().click()
  await page.waitForSelector('.code-diff .tok-keyword')
  await shot('2-diff')
  await list()
  await page.locator('.block').nth(4).click()
  await page.waitForSelector('.beside')
  await shot('3-fails')
  await list()
  await page.locator('.block').nth(8).click()
  await page.waitForSelector('.alert.ask')
  await list()
  await page.keyboard.press('a')
  await page.locator('.card').waitFor()
  await shot('4-question')
  await page.getByRole('button', { name: 'Once' }).click()
  await page.locator('.result').waitFor()
  await shot('5-done')
  await page.keyboard.press('2')
  await page.waitForSelector('#entries .block')
  await shot('6-timeline')
  await page.keyboard.press('3')
  await page.waitForTimeout(600)
  await shot('7-prompt')
  await page.keyboard.press('?')
  await page.locator('dialog[open]').waitFor()
  await shot('8-keys')
  await page.keyboard.press('Escape')
  await page.keyboard.press('1')
  await page.getByRole('button', { name: 'New reply' }).click()
  await page.waitForSelector('#reply')
  await shot('9-intake')
}

async function withPage({ width, height, colorScheme }, work) {
  const { project, reply, remove } = exampleProject()
  const state = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-state-'))
  const server = spawn(
    process.execPath,
    [path.join(home, 'packages/clada/dist/cli.cjs'), 'ui', reply, '--no-open', '--port', '0'],
    {
      cwd: project,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, XDG_STATE_HOME: state },
    },
  )
  try {
    const address = await new Promise((resolve) => {
      let printed = ''
      server.stdout.on('data', (chunk) => {
        printed += chunk
        const [found] = /http:\S+/.exec(printed) ?? []
        if (found !== undefined) resolve(found)
      })
    })
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(address)
    await page.waitForSelector('.block')
    await work(page)
    await context.close()
  } finally {
    server.kill('SIGINT')
    await new Promise((resolve) => server.once('exit', resolve))
    remove()
    fs.rmSync(state, { recursive: true, force: true })
  }
}
