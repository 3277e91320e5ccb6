// Builds the browser extension for each kind of browser, from one source: a directory to load, and a zip of it.
//
//   npm run build:extension
import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { licencesIn } from './bundled.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'packages/clada/package.json'), 'utf8'))

// `scripting` lets it run on the sites that were chosen one by one; nothing else can without a list of sites here.
const permissions = ['storage', 'activeTab', 'scripting']

const browsers = {
  chromium: {
    background: { service_worker: 'background.js' },
    minimum_chrome_version: '123',
    permissions: [...permissions, 'sidePanel'],
    side_panel: { default_path: 'panel.html' },
  },
  firefox: {
    background: { scripts: ['background.js'] },
    permissions,
    sidebar_action: {
      default_panel: 'panel.html',
      default_title: 'clada',
      default_icon: 'icon.png',
      open_at_install: false,
    },
    browser_specific_settings: {
      gecko: {
        id: 'companion@clada.invalid',
        strict_min_version: '140.0',
        data_collection_permissions: { required: ['none'] },
      },
    },
  },
}

const manifest = {
  manifest_version: 3,
  name: 'clada',
  version,
  description: 'Applies the edits in a chat reply to your project, through clada on this machine.',
  icons: { 128: 'icon.png' },
  action: { default_popup: 'popup.html', default_icon: 'icon.png', default_title: 'clada' },
  // Nothing from anywhere but the extension itself, and requests to this machine alone.
  content_security_policy: {
    extension_pages:
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src http://127.0.0.1:*; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  },
  host_permissions: ['http://127.0.0.1/*'],
  optional_host_permissions: ['https://*/*', 'http://*/*'],
}

/** Writes one directory below `dir` for each kind of browser. */
export async function buildExtension(dir) {
  const parts = await Promise.all([
    bundle(dir, ['background', 'content', 'popup'], { format: 'iife' }),
    // Grammars for colours are loaded when their first file is shown.
    bundle(dir, ['panel'], { format: 'esm', splitting: true, chunkNames: '[name]-[hash]' }),
  ])
  const files = new Map(
    parts.flatMap(({ outputFiles }) =>
      outputFiles.map(({ path: file, contents }) => [path.basename(file), Buffer.from(contents)]),
    ),
  )
  for (const name of ['popup.html', 'panel.html', 'own.css', 'icon.png'])
    files.set(name, fs.readFileSync(path.join(root, 'packages/browser/src', name)))
  const inputs = Object.assign({}, ...parts.map(({ metafile }) => metafile.inputs))
  files.set('THIRD-PARTY.txt', Buffer.from(licencesIn(inputs, 'this extension')))
  for (const [browser, own] of Object.entries(browsers)) {
    const all = new Map([...files, ['manifest.json', Buffer.from(JSON.stringify({ ...manifest, ...own }, null, 2))]])
    const to = path.join(dir, browser)
    fs.rmSync(to, { recursive: true, force: true })
    fs.mkdirSync(to, { recursive: true })
    for (const [name, bytes] of all) fs.writeFileSync(path.join(to, name), bytes)
    fs.writeFileSync(path.join(dir, `clada-${browser}.zip`), zipped(all))
  }
}

const bundle = (dir, names, how) =>
  build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(
      names.map((name) => [name, `packages/browser/src/${name}.${name === 'panel' ? 'tsx' : 'ts'}`]),
    ),
    outdir: dir,
    bundle: true,
    platform: 'browser',
    target: ['chrome123', 'firefox140'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
    ...how,
  })

/** An archive with the same bytes for the same files: nothing in it says when it was made. */
export function zipped(files) {
  const [parts, index] = [[], []]
  let at = 0
  for (const [name, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const packed = zlib.deflateRawSync(bytes, { level: 9 })
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    // The first day that an archive can name.
    common.writeUInt16LE(33, 8)
    common.writeUInt32LE(zlib.crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(name.length, 22)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(at, 10)
    index.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, Buffer.from(name))
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), packed)
    at += 30 + name.length + packed.length
  }
  const entries = Buffer.concat(index)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.size, 8)
  end.writeUInt16LE(files.size, 10)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, entries, end])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dir = path.join(root, 'packages/browser/dist')
  await buildExtension(dir)
  console.log(`Load unpacked in Chromium: ${path.join(dir, 'chromium')}`)
  console.log(`Load in Firefox:           ${path.join(dir, 'firefox/manifest.json')}`)
  for (const name of fs.readdirSync(path.join(dir, 'chromium')))
    console.log(`${String(fs.statSync(path.join(dir, 'chromium', name)).size).padStart(7)} ${name}`)
}
