import path from 'node:path'
import { settingsOf } from '../../config/settings.ts'
import { sha256 } from '../../core/hash.ts'
import { startProgram } from '../../process/programs.ts'
import type { PageServer } from '../../ui/server.ts'
import type { Command } from '../command.ts'
import { approving, editing, limits, numberOf, reading, reporting, saving, UsageError } from '../flags.ts'
import { isTerminal, print, readInputs } from '../streams.ts'
import { visible } from '../../report/words.ts'
import { configured, lasting, reportOptions, withConfig } from '../options.ts'
import { platform } from '../../core/platform.ts'
import { slashed } from '../../core/paths.ts'

export const command: Command = {
  name: 'ui',
  usage: 'clada ui [FILE]',
  summary: 'a page in the browser: see what a reply would do before it does it',
  about:
    'Serves a page on this machine: paste a reply, look at its blocks and their diffs, apply all or some, undo.\nThe printed address works once, for the first browser that opens it.',
  documents: true,
  flags: ['port', 'no-open', ...reading, ...editing, ...approving, ...reporting, ...limits, ...saving, 'help'],
  examples: [
    ['clada ui', 'open the page on this project'],
    ['clada ui reply.md', 'with a saved reply'],
    ['clada ui --port 8017 --no-open', 'on a port of your own, without a browser'],
  ],
  run: async ({ flags, words }) => {
    if (words.length > 1) throw new UsageError('ui takes one file: clada ui reply.md.')
    const [document] = words.length === 0 ? [] : await readInputs(words)
    const { options: read, config } = await configured(flags)
    const options = lasting(read)
    const { root } = settingsOf(options)
    const asked = portOf(numberOf(flags, 'port'))
    const { servePage } = await import('../../ui/server.ts')
    const page = await servePage({
      options,
      port: asked === undefined ? { number: usualPort(root), kind: 'preferred' } : { number: asked, kind: 'required' },
      inputFile: path.resolve(root, config.listener.input_file),
      rules: config.prompt.rules,
      report: { ...reportOptions(await withConfig(flags)), color: false },
      document: document && { ...document, name: path.basename(document.name) },
    }).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && 'syscall' in error && error.syscall === 'listen')) throw error
      throw new UsageError(`Cannot listen on port ${asked}: ${String(error.code)}. Leave --port out, or name another.`)
    })
    const address = page.address()
    print(`clada shows ${visible(slashed(root))} at\n\n  ${address}\n\nThe address works once. Ctrl-C ends it.`)
    if (!page.companion.isPaired) print(`To pair the browser extension: ${page.companion.code()}`)
    if (flags['no-open'] === undefined) openBrowser(address)
    await ended(page)
    return 0
  },
}

/** Waits for Ctrl-C. Enter prints another address, for another browser, and a code for its extension. */
async function ended(page: PageServer): Promise<void> {
  const { stdin } = process
  if (isTerminal(0)) {
    print('Enter shows another address, and a code to pair the browser extension.')
    stdin.on('data', () => print(`\n  ${page.address()}\n\n  ${page.companion.code()}\n`))
  }
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
  stdin.destroy()
  await page.close()
}

function portOf(given: number | undefined): number | undefined {
  if (given === undefined || (Number.isInteger(given) && given >= 0 && given <= 65_535)) return given
  throw new UsageError(`--port must be a number up to 65535, not '${given}'.`)
}

/** The same for a project every time, so that a page that stayed open finds its server again. */
export function usualPort(root: string): number {
  return 17_000 + (Number.parseInt(sha256(root).slice(0, 4), 16) % 4000)
}

/** Asks the desktop to open an address. Nothing is lost when it cannot: the address is printed as well. */
export function openBrowser(address: string): void {
  const [program, ...args] = platform.opener
  const child = startProgram(program, [...args, address], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
