// Measures the page in a real Chromium with a reply of 1,000 blocks, and writes the table into docs/page.md:
// `npm run bench:page`. Nothing here is a test.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { cli, median, scratch, spawned } from './measure.mjs'

const count = 1000
const rounds = 3
const home = path.resolve(import.meta.dirname, '..')
const state = path.join(scratch, 'page-state')

/** Half of the blocks write new files, half edit a file of 40 lines each. */
function project(name) {
  const root = path.join(scratch, name)
  fs.rmSync(root, { recursive: true, force: true })
  fs.mkdirSync(path.join(root, 'src'), { recursive: true })
  const lines = Array.from({ length: 40 }, (_, line) => `const value${line} = compute(${line}, 'text')`)
  const blocks = Array.from({ length: count }, (_, index) => {
    if (index % 2 === 0) return `<---WRITE file="dir${index % 9}/file${index}.txt"--->\ntext ${index}\n<---END--->\n`
    fs.writeFileSync(path.join(root, `src/part${index}.ts`), `${lines.join('\n')}\n`)
    const change = `${lines[20]}\n<---REPLACE--->\n${lines[20].replace('compute', 'reckon')}`
    return `<---SEARCH file="src/part${index}.ts"--->\n${change}\n<---END--->\n`
  })
  return { root, reply: blocks.join('\n') }
}

async function serve(root) {
  const server = spawn(process.execPath, [cli, 'ui', '--no-open', '--port', '0', '--no-git', '--root', root], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, XDG_STATE_HOME: state },
  })
  let printed = ''
  const address = await new Promise((resolve) => {
    server.stdout.on('data', (chunk) => {
      printed += chunk
      const [found] = /http:\S+/.exec(printed) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  const end = () => {
    server.kill('SIGINT')
    return new Promise((resolve) => server.once('exit', resolve))
  }
  return { address, end }
}

/** Runs in the page. A promise for the time after the next picture was drawn. */
const inPage = `
  globalThis.drawn = () => new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => resolve(performance.now())
    port2.postMessage(0)
  }))
  globalThis.until = async (there) => {
    for (;;) {
      const now = await drawn()
      if (there()) return now
    }
  }
  globalThis.press = async (key, there) => {
    const before = performance.now()
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    return (await until(there)) - before
  }
`

async function measure(browser, name) {
  const { root, reply } = project(name)
  const { address, end } = await serve(root)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  try {
    await page.goto(address)
    await page.waitForSelector('#reply')
    await page.evaluate(inPage)
    const first = await page.evaluate(
      `(async () => {
        const data = new DataTransfer()
        data.setData('text/plain', ${JSON.stringify(reply)})
        const before = performance.now()
        document.getElementById('reply').dispatchEvent(
          new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
        return (await until(() => document.querySelector('.block .target'))) - before
      })()`,
    )
    await page.waitForSelector('.code-diff')
    await page.waitForTimeout(500)
    const keys = await page.evaluate(
      `(async () => {
        const times = []
        for (let at = 0; at < 60; at++) {
          const wanted = document.querySelector('.block.current').nextElementSibling.querySelector('.target').textContent
          const isCurrent = () => document.querySelector('.block.current .target')?.textContent === wanted
          times.push(await press('j', isCurrent))
        }
        return times
      })()`,
    )
    const details = await page.evaluate(
      `(async () => {
        const times = []
        for (let at = 0; at < 20; at++) {
          const wanted = document.querySelector('.block.current').nextElementSibling.querySelector('.target').textContent
          times.push(await press('j', () =>
            document.querySelector('.detail .code-diff')?.getAttribute('aria-label')?.endsWith(wanted)))
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
        return times
      })()`,
    )
    const applied = await page.evaluate(
      `press('a', () => document.querySelector('.result')?.textContent === '${count} done')`,
    )
    const document = path.join(scratch, 'page-reply.md')
    const other = project(`${name}-run`)
    fs.writeFileSync(document, other.reply)
    const run = spawned([process.execPath, cli, '--no-git', '--root', other.root, document])
    return { first, key: median(keys), slowest: Math.max(...keys), detail: median(details), applied, run }
  } finally {
    await context.close()
    await end()
  }
}

const browser = await chromium.launch({
  executablePath: process.env.CLADA_BROWSER ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'],
})
const found = []
try {
  for (let round = 0; round < rounds; round++) {
    found.push(await measure(browser, `page-${round}`))
    console.log(found.at(-1))
  }
} finally {
  await browser.close()
}
const middle = (name) => median(found.map((each) => each[name]))
const ms = (value) => `${value.toFixed(0)} ms`
const ratio = middle('applied') / middle('run')
const rows = [
  ['from paste to the first block on the screen', ms(middle('first')), '1,000 ms', middle('first') <= 1000],
  ['`j`: from the key to the next row on the screen, median of 60', ms(middle('key')), '32 ms', middle('key') <= 32],
  ['the same, slowest of 60', ms(middle('slowest')), '–', true],
  ['`j`: to the diff of that block on the screen', ms(middle('detail')), '–', true],
  [
    'applying all, from the key to the last result on the screen',
    `${ms(middle('applied'))}, ${ratio.toFixed(2)}× \`clada run\` (${ms(middle('run'))})`,
    '1.5×',
    ratio <= 1.5,
  ],
]
const table = [
  '| 1,000 blocks | | limit | kept |',
  '|---|---|---|---|',
  ...rows.map(
    ([what, value, limit, kept]) =>
      `| ${what} | ${value} | ${limit} | ${limit === '–' ? '' : kept ? 'yes' : '**no**'} |`,
  ),
].join('\n')
console.log(table)
const file = path.join(home, 'docs/page.md')
const between = /(<!-- bench:page -->\n)[\s\S]*?(<!-- end -->)/
fs.writeFileSync(
  file,
  fs.readFileSync(file, 'utf8').replace(between, (_, head, tail) => `${head}${table}\n${tail}`),
)
