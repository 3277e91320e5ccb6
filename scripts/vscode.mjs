// Builds the extension for VS Code: a directory to load, and the package that VS Code and Open VSX take.
//
//   npm run build:vscode
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { adapted, external, licencesIn } from './bundled.mjs'
import { asCommonJs, defined } from './command-line.mjs'
import { zipped } from './extension.mjs'
import { packGrammars } from './grammars.mjs'
import { withoutWords, wordsIn } from './vscode-words.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const source = path.join(root, 'packages/vscode')
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'packages/clada/package.json'), 'utf8'))

/** Writes the extension into `dir/extension`, and `dir/clada-vscode-VERSION.vsix`. Returns the path of the package. */
export async function buildVscode(dir, { quality = 5 } = {}) {
  const to = path.join(dir, 'extension')
  fs.rmSync(to, { recursive: true, force: true })
  const dist = path.join(to, 'dist')
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    // The engine is loaded with the first command.
    entryPoints: { extension: 'packages/vscode/src/extension.ts' },
    outdir: dist,
    outExtension: { '.js': '.cjs' },
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    define: defined(),
    external: ['vscode', ...external],
    plugins: [adapted],
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
  })
  fs.mkdirSync(dist, { recursive: true })
  for (const { path: file, text } of outputFiles) fs.writeFileSync(file, await asCommonJs(text))
  packGrammars(path.join(dist, 'grammars'), quality)
  const manifest = JSON.parse(fs.readFileSync(path.join(source, 'package.json'), 'utf8'))
  const { devDependencies: _, private: __, ...shipped } = manifest
  const published = { ...shipped, version }
  const { manifest: named, words } = withoutWords({ ...published, l10n: './l10n' })
  fs.mkdirSync(path.join(to, 'l10n'))
  for (const [file, content] of [
    ['package.json', named],
    ['package.nls.json', words],
    ['l10n/bundle.l10n.json', wordsIn(path.join(source, 'src'))],
  ])
    fs.writeFileSync(path.join(to, file), `${JSON.stringify(content, null, 2)}\n`)
  for (const name of ['README.md', 'activity.svg']) fs.copyFileSync(path.join(source, name), path.join(to, name))
  fs.copyFileSync(path.join(root, 'packages/browser/src/icon.png'), path.join(to, 'icon.png'))
  for (const name of ['CHANGELOG.md', 'LICENSE']) fs.copyFileSync(path.join(root, name), path.join(to, name))
  fs.writeFileSync(path.join(to, 'THIRD-PARTY.txt'), licencesIn(metafile.inputs, 'this extension'))

  const names = fs.readdirSync(to, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const files = names.map((entry) => path.join(entry.parentPath, entry.name))
  const archive = new Map(
    files.map((file) => [path.relative(dir, file).split(path.sep).join('/'), fs.readFileSync(file)]),
  )
  archive.set('extension.vsixmanifest', Buffer.from(vsixManifest(published)))
  archive.set('[Content_Types].xml', Buffer.from(contentTypes(files)))
  const vsix = path.join(dir, `${published.name}-${version}.vsix`)
  fs.writeFileSync(vsix, zipped(archive))
  return vsix
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** What a gallery reads instead of the manifest. */
function vsixManifest({ name, publisher, displayName, description, keywords, categories, engines, icon }) {
  const property = (id, value) => `      <Property Id="Microsoft.VisualStudio.Code.${id}" Value="${escaped(value)}" />`
  const asset = (type, file) => `    <Asset Type="${type}" Path="extension/${file}" Addressable="true" />`
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}" />
    <DisplayName>${escaped(displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(description)}</Description>
    <Tags>${escaped(keywords.join(','))}</Tags>
    <Categories>${escaped(categories.join(','))}</Categories>
    <License>extension/LICENSE</License>
    <Icon>extension/${icon}</Icon>
    <Properties>
${property('Engine', engines.vscode)}
${property('ExtensionDependencies', '')}
${property('ExtensionPack', '')}
${property('ExtensionKind', 'workspace')}
${property('LocalizedLanguages', '')}
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code" />
  </Installation>
  <Dependencies />
  <Assets>
${asset('Microsoft.VisualStudio.Code.Manifest', 'package.json')}
${asset('Microsoft.VisualStudio.Services.Content.Details', 'README.md')}
${asset('Microsoft.VisualStudio.Services.Content.Changelog', 'CHANGELOG.md')}
${asset('Microsoft.VisualStudio.Services.Content.License', 'LICENSE')}
${asset('Microsoft.VisualStudio.Services.Icons.Default', icon)}
  </Assets>
</PackageManifest>
`
}

/** Every kind of file has to be named. */
function contentTypes(files) {
  const known = {
    '.json': 'application/json',
    '.vsixmanifest': 'text/xml',
    '.md': 'text/markdown',
    '.txt': 'text/plain',
    '.png': 'image/png',
    '.svg': 'image/svg+xml',
  }
  const kinds = [
    ...new Set(['.vsixmanifest', ...files.map((file) => path.extname(file)).filter((kind) => kind !== '')]),
  ]
  const rows = kinds.sort().map((kind) => {
    const type = known[kind] ?? 'application/octet-stream'
    return `  <Default Extension="${kind}" ContentType="${type}" />`
  })
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
${rows.join('\n')}
</Types>
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const vsix = await buildVscode(path.join(source, 'dist'), { quality: 11 })
  console.log(`${path.relative(root, vsix)} ${fs.statSync(vsix).size} bytes`)
}
