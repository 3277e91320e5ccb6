import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type PageServer, servePage } from '../../packages/clada/src/ui/server.ts'
import { attacks } from './attacks.ts'
import type { Env } from './env.ts'
import { turns } from './turns.ts'
import { type ChatSite, chatSite } from './chat-pages.ts'
import { openBrowser } from './companion-browser.ts'
import { Firefox } from './firefox.ts'
import { firefoxAttacks, firefoxTurns } from './firefox-cases.ts'

/** From the scripts that build, which find their sources by where they are themselves. */
interface Builders {
  readonly buildPage: (dir: string) => Promise<void>
  readonly buildExtension: (dir: string) => Promise<void>
}

interface Served {
  readonly dir: string
  readonly root: string
  readonly page: PageServer
  readonly site: ChatSite
  readonly other: ChatSite
  readonly serve: Env['serve']
}

/** A project with clada running, and chat sites, outside of the test runner. */
async function withServer<T>(
  { buildPage, buildExtension }: Builders,
  work: (served: Served) => Promise<T>,
): Promise<T> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-extension-'))
  const before = process.env['XDG_STATE_HOME']
  process.env['XDG_STATE_HOME'] = path.join(dir, 'state')
  await Promise.all([buildPage(path.join(dir, 'ui')), buildExtension(path.join(dir, 'extension'))])
  const serve = async (name: string): Promise<PageServer & { root: string }> => {
    const root = path.join(dir, name)
    fs.mkdirSync(root)
    const page = await servePage({
      options: { repoPath: root },
      port: { number: 0, kind: 'required' },
      inputFile: path.join(root, 'clada_input.md'),
      assets: path.join(dir, 'ui'),
    })
    return { ...page, root }
  }
  const page = await serve('project')
  const { root } = page
  const [site, other] = await Promise.all([chatSite(), chatSite()])
  try {
    return await work({ dir, root, page, site, other, serve })
  } finally {
    await Promise.all([page.close(), site.close(), other.close()])
    if (before === undefined) delete process.env['XDG_STATE_HOME']
    else process.env['XDG_STATE_HOME'] = before
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

/** Everything that a case needs. */
export const withCompanion = <T>(builders: Builders, work: (env: Env) => Promise<T>): Promise<T> =>
  withServer(builders, async ({ dir, root, page, site, other, serve }) => {
    const browser = await openBrowser(path.join(dir, 'extension/chromium'))
    try {
      await browser.pair(page.companion.code())
      return await work({ browser, site, other, root, port: page.port, code: () => page.companion.code(), serve })
    } finally {
      await browser.close()
    }
  })

/** Runs something in Firefox. */
export const inFirefox = (
  builders: Builders,
  firefox: string,
  work: (browser: Firefox, root: string) => Promise<void>,
): Promise<void> =>
  withServer(builders, async ({ site, root, dir, page }) => {
    const profile = path.join(dir, 'firefox')
    fs.mkdirSync(profile)
    const extension = path.join(dir, 'extension/firefox')
    const options = { site: site.origin, root, code: page.companion.code(), firefox, extension, profile }
    const browser = await Firefox.start(options)
    try {
      await work(browser, root)
    } finally {
      await browser.close()
    }
  })

/** Debian's place, unless `CLADA_FIREFOX` names another. */
export const firefoxPath = process.env.CLADA_FIREFOX ?? '/usr/bin/firefox-esr'

/** Runs the cases whose names have one of the words in them, and prints what came of each. */
export async function attackExtension(words: readonly string[], builders: Builders): Promise<number> {
  const isWanted = ({ name }: { readonly name: string }): boolean =>
    words.length === 0 || words.some((word) => name.includes(word))
  let failed = 0
  const report = async (name: string, run: () => Promise<void>): Promise<void> => {
    try {
      await run()
      console.log(`ok      ${name}`)
    } catch (error) {
      failed++
      console.log(`FAILED  ${name}\n${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const own = [...turns, ...attacks].filter(isWanted)
  if (own.length > 0)
    await withCompanion(builders, async (env) => {
      for (const { name, run } of own) {
        await report(name, () => run(env))
        for (const tab of env.browser.context.pages()) if (tab !== env.browser.own) await tab.close()
      }
    })
  const others = [...firefoxAttacks, ...firefoxTurns].filter(isWanted)
  if (others.length > 0 && !fs.existsSync(firefoxPath)) console.log(`skipped firefox: there is no ${firefoxPath}`)
  else if (others.length > 0)
    await inFirefox(builders, firefoxPath, async (firefox, root) => {
      for (const { name, run } of others) await report(name, () => run(firefox, root))
    })
  console.log(`${own.length + others.length} cases, ${failed} failed`)
  return failed === 0 ? 0 : 1
}
