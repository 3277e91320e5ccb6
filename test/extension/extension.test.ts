import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildExtension } from '../../scripts/extension.mjs'
import { buildPage } from '../../scripts/ui.mjs'
import { needs } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'
import { attacks, turns } from './cases.ts'
import { withCompanion } from './report.ts'

/** One browser for some of the cases; `npm run attack:extension` runs all of them. */
const sample = [...turns, ...attacks].filter(({ name }) => /^(?:spans|scripts of)/.test(name))

describe('the browser extension', () => {
  it('is small, needs nothing of Node, and asks for few permissions', async () => {
    const dir = scratchDir()
    await buildExtension(dir)
    for (const browser of ['chromium', 'firefox']) {
      const files = fs.readdirSync(path.join(dir, browser))
      for (const name of files.filter((one) => one.endsWith('.js'))) {
        const code = fs.readFileSync(path.join(dir, browser, name), 'utf8')
        expect([name, /\bnode:[a-z_]+|\brequire\(|\beval\(|innerHTML/.exec(code)?.[0]]).toEqual([name, undefined])
      }
      const manifest: unknown = JSON.parse(fs.readFileSync(path.join(dir, browser, 'manifest.json'), 'utf8'))
      expect(manifest).toMatchObject({
        permissions: ['storage', 'activeTab', 'scripting'],
        host_permissions: ['http://127.0.0.1/*'],
      })
      for (const key of ['content_scripts', 'web_accessible_resources', 'externally_connectable'])
        expect(manifest).not.toHaveProperty(key)
      expect(fs.statSync(path.join(dir, `clada-${browser}.zip`)).size).toBeLessThan(150_000)
    }
  })

  describe('in a browser', () => {
    needs('chromium')
    it('takes a turn, and lets hostile pages do nothing', async () => {
      const failed: string[] = []
      await withCompanion({ buildPage, buildExtension }, async (env) => {
        for (const { name, run } of sample)
          await run(env).catch((error: unknown) => failed.push(`${name}: ${String(error)}`))
      })
      expect(failed).toEqual([])
      expect(sample).toHaveLength(2)
    })
  })
})
