import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { servePage } from '../../src/ui/server.ts'
import { attacks, type Env, turns } from './cases.ts'
import { chatSite } from './chat-pages.ts'
import { openBrowser } from './companion-browser.ts'

/** From the scripts that build, which find their sources by where they are themselves. */
interface Builders {
  readonly buildPage: (dir: string) => Promise<void>
  readonly buildExtension: (dir: string) => Promise<void>
}

/** Everything that a case needs, outside of the test runner. */
export async function withCompanion<T>(
  { buildPage, buildExtension }: Builders,
  work: (env: Env) => Promise<T>,
): Promise<T> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-extension-'))
  const root = path.join(dir, 'project')
  fs.mkdirSync(root)
  const before = process.env['XDG_STATE_HOME']
  process.env['XDG_STATE_HOME'] = path.join(dir, 'state')
  await Promise.all([buildPage(path.join(dir, 'ui')), buildExtension(path.join(dir, 'extension'))])
  const page = await servePage({
    options: { repoPath: root },
    port: { number: 0, kind: 'required' },
    inputFile: path.join(root, 'clada_input.md'),
    assets: path.join(dir, 'ui'),
  })
  const [site, other] = await Promise.all([chatSite(), chatSite()])
  const browser = await openBrowser(path.join(dir, 'extension/chromium'))
  try {
    await browser.pair(page.companion.code())
    return await work({ browser, site, other, root, port: page.port })
  } finally {
    await browser.close()
    await Promise.all([page.close(), site.close(), other.close()])
    if (before === undefined) delete process.env['XDG_STATE_HOME']
    else process.env['XDG_STATE_HOME'] = before
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

/** Runs the cases whose names have one of the words in them, and prints what came of each. */
export async function attackExtension(words: readonly string[], builders: Builders): Promise<number> {
  let failed = 0
  await withCompanion(builders, async (env) => {
    for (const { name, run } of [...turns, ...attacks]) {
      if (words.length > 0 && !words.some((word) => name.includes(word))) continue
      try {
        await run(env)
        console.log(`ok      ${name}`)
      } catch (error) {
        failed++
        console.log(`FAILED  ${name}\n${error instanceof Error ? error.message : String(error)}`)
      }
      for (const tab of env.browser.context.pages()) if (tab !== env.browser.own) await tab.close()
    }
  })
  return failed === 0 ? 0 : 1
}
