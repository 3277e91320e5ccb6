import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import type { ChatSite } from './chat-pages.ts'
import { barSaying, type CompanionBrowser, Panel, pressBar } from './companion-browser.ts'

/** One thing that is tried with the extension in a browser. */
export interface Case {
  readonly name: string
  readonly run: (env: Env) => Promise<void>
}

export interface Env {
  readonly browser: CompanionBrowser
  /** A site that the user has chosen. */
  readonly site: ChatSite
  /** One that shows the pages of the first in frames. */
  readonly other: ChatSite
  /** The project of the running clada. */
  readonly root: string
  readonly port: number
  /** A new code to pair with. */
  readonly code: () => string
  /** Starts clada in another project. */
  readonly serve: (name: string) => Promise<{ readonly root: string; close(): Promise<void> }>
}

/** A reply that writes one file. */
export function replyWriting(file: string, content: string): string {
  return `I will write it.\n\n\`\`\`sham\n${blockWriting(file, content)}\n\`\`\`\n\nThat is all.\n`
}

export const blockWriting = (file: string, content: string, id = 'b1k'): string =>
  [
    `#!SHAM [@three-char-SHA-256: ${id}]`,
    'action = "file_write"',
    `path = "${file}"`,
    `content = <<'EOT_SHAM_${id}'`,
    content,
    `EOT_SHAM_${id}`,
    `#!END_SHAM_${id}`,
  ].join('\n')

/** What rendering tends to lose: tabs, trailing spaces, empty lines, numbers. */
export const tricky = '\tfirst  \n\n1\n  two <b> & "three" 3\n    4 \n2'

/** A page with a reply that would write a file, and its bar. */
export async function baited({ browser, site, root }: Env, name: string): Promise<{ tab: Page; file: string }> {
  const file = path.join(root, `${name}.txt`)
  const tab = await browser.open(`${site.origin}/spans`)
  await tab.evaluate(`window.reply(${JSON.stringify(replyWriting(file, name))})`)
  await barSaying(tab, /^1 edit in 1 file$/)
  return { tab, file }
}

/** Clicks on the last bar of a page, and waits until the panel says something of its reply. */
export async function opened({ browser }: Env, tab: Page, saying: RegExp): Promise<Panel> {
  await pressBar(tab)
  const panel = await Panel.of(browser.context)
  await panel.saying(saying)
  return panel
}

/** Nothing has happened, also some time later. */
export async function expectNothing(tab: Page, file: string): Promise<void> {
  await tab.waitForTimeout(300)
  assert.equal(fs.existsSync(file), false)
}
