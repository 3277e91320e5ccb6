import { startProgram } from '../process/start-program.ts'

/** Asks the desktop to open an address. Nothing is lost when it cannot: the address is printed as well. */
export function openBrowser(address: string): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = startProgram(program ?? 'xdg-open', [...args, address], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  // `start` is a word of the shell; this is what it does with an address.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
