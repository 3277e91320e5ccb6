import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildExtension } from '../../scripts/extension.mjs'
import { buildPage } from '../../scripts/ui.mjs'
import { skipWithout } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'
import { attacks } from './attacks.ts'
import { firefoxTurns } from './firefox-cases.ts'
import { firefoxPath, inFirefox, withCompanion } from './report.ts'
import { turns } from './turns.ts'

/** One browser for some of the cases; `npm run attack:extension` runs all of them. */
const sample = [...turns, ...attacks].filter(({ name }) =>
  /^(?:spans|shadow|a page like|a browser that|an approval|a reply that was|quick|scripts of|a click on the bar while (?:it is masked|a button)|the page shows|the file changes|a forged|prototypes|a reply of more|hidden text: (?:font size 0|the colour of the page|no height|a closed|a sign that|code that is))/.test(
    name,
  ),
)

const needsNode = /["'`]node:[a-z_]+|\brequire\(|\beval\(/

describe('the browser extension', () => {
  it('is small, needs nothing of Node, and asks for few permissions', async () => {
    const dir = scratchDir()
    await buildExtension(dir)
    for (const browser of ['chromium', 'firefox']) {
      const files = fs.readdirSync(path.join(dir, browser))
      for (const name of files.filter((one) => one.endsWith('.js'))) {
        const code = fs.readFileSync(path.join(dir, browser, name), 'utf8')
        // Preact has code for markup, which the content policy of the panel stops.
        const unwanted = name === 'panel.js' ? needsNode : new RegExp(`${needsNode.source}|innerHTML`)
        expect([name, unwanted.exec(code)?.[0]]).toEqual([name, undefined])
      }
      const manifest: unknown = JSON.parse(fs.readFileSync(path.join(dir, browser, 'manifest.json'), 'utf8'))
      const panel = browser === 'chromium' ? ['sidePanel'] : []
      expect(manifest).toMatchObject({
        permissions: ['storage', 'activeTab', 'scripting', ...panel],
        host_permissions: ['http://127.0.0.1/*'],
      })
      for (const key of ['content_scripts', 'web_accessible_resources', 'externally_connectable'])
        expect(manifest).not.toHaveProperty(key)
      expect(fs.statSync(path.join(dir, `clada-${browser}.zip`)).size).toBeLessThan(400_000)
    }
  })

  it('has no code that applies anything outside of its panel', async () => {
    const dir = scratchDir()
    await buildExtension(dir)
    for (const name of ['background.js', 'content.js'])
      expect(fs.readFileSync(path.join(dir, 'chromium', name), 'utf8')).not.toMatch(/companion/)
  })

  it('takes turns on chat pages in Chromium, and lets hostile pages do nothing', async (context) => {
    skipWithout(context, 'chromium')
    const failed: string[] = []
    await withCompanion({ buildPage, buildExtension }, async (env) => {
      for (const { name, run } of sample) {
        await run(env).catch((error: unknown) => failed.push(`${name}: ${String(error)}`))
        for (const tab of env.browser.context.pages()) if (tab !== env.browser.own) await tab.close()
      }
    })
    expect(failed).toEqual([])
    expect(sample).toHaveLength(39)
  }, 600_000)

  it('takes turns on chat pages in Firefox', async (context) => {
    if (!fs.existsSync(firefoxPath)) context.skip(`needs ${firefoxPath}`)
    const failed: string[] = []
    await inFirefox({ buildPage, buildExtension }, firefoxPath, async (firefox, root) => {
      for (const { name, run } of firefoxTurns)
        await run(firefox, root).catch((error: unknown) => failed.push(`${name}: ${String(error)}`))
    })
    expect(failed).toEqual([])
    expect(firefoxTurns).toHaveLength(7)
  }, 600_000)
})
