import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type PageServer, servePage } from '../../src/ui/server.ts'
import { attacks, companions, type Env, renderings, turns } from './cases.ts'
import { type ChatSite, chatSite } from './chat-pages.ts'
import { openBrowser } from './companion-browser.ts'
import { firefoxTurn } from './firefox.ts'

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
      return await work({ browser, site, other, root, port: page.port, serve })
    } finally {
      await browser.close()
    }
  })

/** A turn in Firefox, where there is one. */
export async function inFirefox(builders: Builders, firefox: string): Promise<void> {
  await withServer(builders, async ({ site, root, dir, page }) => {
    const profile = path.join(dir, 'firefox')
    fs.mkdirSync(profile)
    const extension = path.join(dir, 'extension/firefox')
    await firefoxTurn({ site: site.origin, root, code: page.companion.code(), firefox, extension, profile })
  })
}

/** Runs the cases whose names have one of the words in them, and prints what came of each. */
export async function attackExtension(words: readonly string[], builders: Builders): Promise<number> {
  let failed = 0
  const firefox = '/usr/bin/firefox-esr'
  if (words.length === 0 || words.includes('firefox')) {
    if (!fs.existsSync(firefox)) console.log(`skipped firefox: there is no ${firefox}`)
    else
      await inFirefox(builders, firefox).then(
        () => console.log('ok      firefox: from the first token to the answer in the field'),
        (error: unknown) => {
          failed++
          console.log(`FAILED  firefox: ${String(error)}`)
        },
      )
    if (words[0] === 'firefox') return failed
  }
  await withCompanion(builders, async (env) => {
    for (const { name, run } of [...turns, ...companions, ...renderings, ...attacks]) {
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
