import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { removeFile } from '../state/own-files.ts'
import { keepForUser, stateHome } from '../state/user-state.ts'

/**
 * Writes a file that leads a browser to an address, and returns its own address. A program that opens a browser has the
 * address on its command line, which every user of the machine can read in /proc.
 * @throws SettingsError if the user's state directory cannot be used
 */
export function writeOpener(port: number, address: string): string {
  const file = openerFile(port)
  keepForUser(file, openerPage(address))
  return pathToFileURL(file).href
}

export function removeOpener(port: number): void {
  try {
    removeFile(openerFile(port))
  } catch {
    // Its token works once at most.
  }
}

/** One per port: what a killed server left is replaced by the next one. */
const openerFile = (port: number): string => path.join(stateHome(), 'open', `${port}.html`)

const openerPage = (address: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="referrer" content="no-referrer" />
<meta http-equiv="refresh" content="0; url=${address}" />
<title>clada</title>
<p><a href="${address}">Open clada</a></p>
</html>
`
