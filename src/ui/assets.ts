import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Asset {
  readonly type: string
  readonly bytes: Buffer
}

/** The page's files by their addresses. All are read here, so no address can lead anywhere else. */
export function readAssets(dir: string): ReadonlyMap<string, Asset> {
  const found = new Map<string, Asset>()
  for (const name of fs.readdirSync(dir)) {
    const type = types[path.extname(name)]
    if (type !== undefined) found.set(`/${name}`, { type, bytes: fs.readFileSync(path.join(dir, name)) })
  }
  return found
}

/** The page with the key that its tab keeps. */
export const withKey = ({ type, bytes }: Asset, key: string): Asset => ({
  type,
  bytes: Buffer.from(bytes.toString('utf8').replace('</head>', `<meta name="clada-key" content="${key}" /></head>`)),
})

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** Where the build puts the page: beside the program, or beside the directory that its parts lie in. */
export function assetsDir(): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const places = [path.join(here, 'ui'), path.join(here, '../ui'), path.join(here, '../../dist/ui')]
  const found = places.find((place) => fs.existsSync(path.join(place, 'index.html')))
  if (found === undefined) throw new Error('The files of the page are missing from this installation.')
  return found
}
