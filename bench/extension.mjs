// Measures the browser extension in a real browser, and prints three figures with their limits.
//
//   node bench/extension.mjs [ROUNDS]
import { buildExtension } from '../scripts/extension.mjs'
import { buildPage } from '../scripts/ui.mjs'
import { loadSource } from '../scripts/source.mjs'
import { median } from './measure.mjs'

const rounds = Number(process.argv[2] ?? 10)
const { withCompanion, barSaying, opened, replyWriting } = await loadSource(
  'test/extension/report.ts',
  'test/extension/companion-browser.ts',
  'test/extension/env.ts',
)

const print = (what, value, limit, unit) =>
  console.log(
    `${value <= limit ? 'ok     ' : 'OVER   '} ${what}: ${Number(value.toFixed(2))}${unit}, limit ${limit}${unit}`,
  )

const bursts = {
  'a clock': `document.getElementById('clock').textContent = new Date().toISOString()`,
  'new paragraphs': `document.getElementById('new').replaceChildren(...Array.from({ length: 50 }, (_, at) => el('p', '', 'Some more text, number ' + at)))`,
  'a growing reply': `document.querySelector('#last code').append(el('span', '', 'const x = 1 // --- '))`,
}

await withCompanion({ buildPage, buildExtension }, async (env) => {
  print('clicks per turn', await clicksPerTurn(env), 2, '')
  const times = await timesToBar(env)
  print(`bar after the last token, median of ${rounds}`, median(times), 300, ' ms')
  print(`bar after the last token, slowest of ${rounds}`, Math.max(...times), 300, ' ms')
  for (const [what, burst] of Object.entries(bursts)) {
    print(`cost of a burst on a page with 1 MB of text, ${what}`, await costOf(env, burst), 5, ' ms')
  }
})

/** From the reply to the file: those in the page, and the one on Apply. */
async function clicksPerTurn(env) {
  const { browser, site, root } = env
  const tab = await browser.open(`${site.origin}/editor`)
  await tab.evaluate(
    `window.clicks = 0; addEventListener('click', (event) => { if (event.isTrusted) window.clicks++ }, true)`,
  )
  await tab.evaluate(`window.reply(${JSON.stringify(replyWriting(`${root}/clicks.txt`, 'x'))})`)
  await barSaying(tab, /1 edit/)
  const panel = await opened(env, tab, /clicks\.txt[^]*Apply/)
  await panel.press('^Apply$')
  await panel.saying(/1 applied/)
  const clicks = await tab.evaluate('window.clicks')
  await tab.close()
  return clicks + 1
}

/** By the page's own clock: from the last token to the element with the bar. */
async function timesToBar({ browser, site, root }) {
  const times = []
  for (let round = 0; round < rounds; round++) {
    const tab = await browser.open(`${site.origin}/spans`)
    const reply = replyWriting(`${root}/bar-${round}.txt`, 'some text\n'.repeat(50))
    times.push(
      await tab.evaluate(`(async () => {
        await window.reply(${JSON.stringify(reply)})
        const message = document.querySelector('.message')
        const shown = new Promise((resolve) => new MutationObserver(() => resolve(performance.now())).observe(message, { childList: true }))
        return (await shown) - window.lastToken
      })()`),
    )
    await tab.close()
  }
  return times
}

/** The processor time of the extension's own script, until long after the last burst, for each of them. */
async function costOf({ browser, site }, burst) {
  const tab = await browser.open(`${site.origin}/empty`)
  await tab.evaluate(`(() => {
    const log = document.getElementById('log')
    for (let at = 0; at < 500; at++) {
      const texts = Array.from({ length: 8 }, () => el('p', '', 'Text that means nothing to anybody, again and again. '.repeat(4)))
      log.append(el('div', 'turn', el('div', 'message', ...texts, plainCode('const a = ' + at + '\\n'.repeat(3) + 'b'.repeat(300), 'js'))))
    }
    log.append(el('div', 'status', el('p', 'clock')), el('div', 'new'), el('div', 'last', el('p', '', 'Look:'), plainCode('let y\\n', 'js')))
    for (const name of ['clock', 'new', 'last']) document.querySelector('.' + name).id = name
  })()`)
  await tab.waitForTimeout(3000)
  const tools = await tab.context().newCDPSession(tab)
  await tools.send('Profiler.enable')
  await tools.send('Profiler.setSamplingInterval', { interval: 100 })
  await tools.send('Profiler.start')
  const count = 40
  await tab.evaluate(`(async () => {
    for (let at = 0; at < ${count}; at++) {
      ${burst}
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })()`)
  await tab.waitForTimeout(2500)
  const { profile } = await tools.send('Profiler.stop')
  const own = new Set(
    profile.nodes.filter(({ callFrame }) => callFrame.url.endsWith('/content.js')).map(({ id }) => id),
  )
  const microseconds = profile.samples.reduce((sum, id, at) => sum + (own.has(id) ? profile.timeDeltas[at] : 0), 0)
  await tab.close()
  return microseconds / 1000 / count
}
