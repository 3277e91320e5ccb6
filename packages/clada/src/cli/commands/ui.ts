import path from 'node:path'
import { stopSignals } from '../stop-signals.ts'
import { settingsOf } from '../../config/settings.ts'
import { digestOf } from '../../core/digest.ts'
import { startProgram } from '../../process/programs.ts'
import type { PageServer } from '../../ui/server.ts'
import type { Command } from '../command.ts'
import { approving, editing, limits, readNumber, reading, reporting, saving, UsageError } from '../flags.ts'
import { isTerminal, print, readInputs } from '../streams.ts'
import { spellOutCommand } from '../../report/words.ts'
import { loadConfigured, forLongProcess, reportOptions, withConfig } from '../options.ts'
import { hostName } from '../../core/loopback.ts'
import { isOsError } from '../../core/errors.ts'
import { platform } from '../../core/platform.ts'
import { SettingsError } from '../../core/settings.ts'
import { withSlashes } from '../../core/paths.ts'

export const command: Command = {
  name: 'ui',
  group: 'everyday',
  usage: 'clada ui [FILE]',
  summary: 'review a reply in the browser before it is applied',
  about:
    'Serves a page on this machine: paste a reply, look at its blocks and their diffs, apply all or some, undo.\nThe printed address works once, for the first browser that opens it.',
  documents: true,
  flags: ['port', 'host', 'no-open', ...reading, ...editing, ...approving, ...reporting, ...limits, ...saving, 'help'],
  examples: [
    ['clada ui', 'open the page on this project'],
    ['clada ui reply.md', 'with a saved reply'],
    ['clada ui --port 8017 --no-open', 'on a port of your own, without a browser'],
    ['clada ui --port 8017 --host 0.0.0.0', 'in a container that publishes the port'],
  ],
  run: async ({ flags, words }) => {
    if (words.length > 1) throw new UsageError('ui takes one file: clada ui reply.md.')
    const [document] = words.length === 0 ? [] : await readInputs(words)
    const { options: read, config } = await loadConfigured(flags)
    const options = forLongProcess(read)
    const { root } = settingsOf(options)
    const asked = portOf(readNumber(flags, 'port'))
    const host = hostOf(flags.host?.at(-1))
    const { servePage } = await import('../../ui/server.ts')
    const page = await servePage({
      options,
      port: asked === undefined ? { number: choosePort(root), kind: 'preferred' } : { number: asked, kind: 'required' },
      host,
      inputFile: path.resolve(root, config.listener.input_file),
      rules: config.prompt.rules,
      report: { ...reportOptions(await withConfig(flags)), color: false },
      document: document && { ...document, name: path.basename(document.name) },
    }).catch((error: unknown) => {
      if (!isOsError(error)) throw error
      if (error.syscall === 'getaddrinfo' || error.code === 'EADDRNOTAVAIL')
        throw new UsageError(`--host: '${host}' is no name or address of this machine (${error.code}).`)
      if (error.syscall !== 'listen') throw error
      throw new UsageError(`Cannot listen on port ${asked}: ${error.code}. Leave --port out, or name another.`)
    })
    const address = page.address()
    print(
      `clada shows ${spellOutCommand(withSlashes(root))} at\n\n  ${address}\n\nThe address works once. Ctrl-C ends it.`,
    )
    if (host !== undefined) print(elsewhere(page, host))
    if (!page.companion.isPaired) print(`To pair the browser extension: ${page.companion.code()}`)
    if (flags['no-open'] === undefined) openBrowser(page, address)
    await waitForEnd(page, host)
    return 0
  },
}

/** How a browser elsewhere opens the page, with a new code. */
const elsewhere = (page: PageServer, host: string): string =>
  `Browsers elsewhere: http://${host}:${page.port}/ (not encrypted), with the code ${page.code()}`

/** Waits for Ctrl-C. Enter prints another address, for another browser, and a code for its extension. */
async function waitForEnd(page: PageServer, host: string | undefined): Promise<void> {
  const { stdin } = process
  if (isTerminal(0)) {
    print('Enter shows another address, and a code to pair the browser extension.')
    stdin.on('data', () => {
      print(`\n  ${page.address()}\n\n  ${page.companion.code()}\n`)
      if (host !== undefined) print(elsewhere(page, host))
    })
  }
  await new Promise<void>((resolve) => {
    for (const name of Object.keys(stopSignals)) process.once(name, () => resolve())
  })
  stdin.destroy()
  await page.close()
}

function portOf(given: number | undefined): number | undefined {
  if (given === undefined || (Number.isInteger(given) && given >= 0 && given <= 65_535)) return given
  throw new UsageError(`--port must be a number up to 65535, not '${given}'.`)
}

/** The same for a project every time, so that a page that stayed open finds its server again. */
export function choosePort(root: string): number {
  return 17_000 + (Number.parseInt(digestOf(root).slice(0, 4), 16) % 4000)
}

function hostOf(given: string | undefined): string | undefined {
  if (given === undefined || hostName(given) === given.toLowerCase()) return given
  throw new UsageError(`--host takes a name or an address without a port, not '${given}'; IPv6 as [::1].`)
}

/** Asks the desktop to open an address. Nothing is lost when it cannot: the address is printed as well. */
function openBrowser(page: PageServer, address: string): void {
  const [program, ...args] = platform.opener
  let opener: string
  try {
    opener = page.opener(address)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return print(`No browser was opened: ${error.message}`)
  }
  const child = startProgram(program, [...args, opener], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
