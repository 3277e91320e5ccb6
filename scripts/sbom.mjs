// Writes what a packed release is made of, and from what it was built: a CycloneDX list of its parts and an in-toto
// statement of its origin. Neither is signed; `npm publish --provenance` signs its own.
//
//   npm run sbom -- clada-X.Y.Z.tgz [--out DIR]
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const { out, tarball } = given(process.argv.slice(2))
const manifest = read('package.json')
const { packages } = read('package-lock.json')
const bytes = fs.readFileSync(tarball)
const sha512 = createHash('sha512').update(bytes).digest('hex')
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()

const installed = Object.entries(packages).filter(([at, { dev }]) => at !== '' && !dev)
const inside = bundledIn(tarball)
const bundled = Object.entries(packages).filter(
  ([at, { version, dev }]) => dev && inside.has(`${nameOf(at)} ${version}`),
)
const missing = inside.size - new Set(bundled.map(([at, { version }]) => `${nameOf(at)} ${version}`)).size
if (missing > 0) throw new Error(`${missing} bundled packages are not in package-lock.json`)

const components = [
  ...installed.map(([at, entry]) => component(at, entry, entry.optional ? 'optional' : 'required')),
  ...bundled.map(([at, entry]) => component(at, entry, 'required', [{ name: 'clada:bundled', value: 'true' }])),
  ...Object.entries(read('scripts/grammars.json')).map(([name, sum]) => ({
    type: 'file',
    name: `grammars/${name}.wasm`,
    licenses: [{ license: { id: 'MIT' } }],
    hashes: [{ alg: 'SHA-256', content: sum }],
  })),
]
write('sbom.cdx.json', {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  // Of the same package it is the same list.
  serialNumber: `urn:uuid:${sha512.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-a$4-$5')}`,
  version: 1,
  metadata: {
    timestamp: execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: root, encoding: 'utf8' }).trim(),
    component: {
      type: 'application',
      'bom-ref': `pkg:npm/clada@${manifest.version}`,
      name: manifest.name,
      version: manifest.version,
      purl: `pkg:npm/clada@${manifest.version}`,
      licenses: [{ license: { id: manifest.license } }],
      hashes: [{ alg: 'SHA-512', content: sha512 }],
    },
  },
  components,
})
write('provenance.intoto.json', {
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: path.basename(tarball), digest: { sha512 } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'npm pack',
      externalParameters: { command: 'npm pack', version: manifest.version },
      resolvedDependencies: [
        { name: 'source', digest: { gitCommit: commit } },
        {
          name: 'package-lock.json',
          digest: { sha256: sha256(fs.readFileSync(path.join(root, 'package-lock.json'))) },
        },
        { name: 'node', annotations: { version: process.version, platform: `${process.platform}-${process.arch}` } },
      ],
    },
    runDetails: { builder: { id: process.env.GITHUB_WORKFLOW_REF ?? 'local' } },
  },
})
console.log(`${components.length} parts of ${path.basename(tarball)}, built from ${commit}, in ${out}`)

function given(words) {
  const at = words.indexOf('--out')
  const [file] = words.filter((_, index) => at === -1 || (index !== at && index !== at + 1))
  if (file === undefined) throw new Error('Which package? npm run sbom -- clada-X.Y.Z.tgz')
  return { out: path.resolve(at === -1 ? '.' : words[at + 1]), tarball: path.resolve(file) }
}

/** The packages that a build took in, by name and version, as its list of licences says. */
function bundledIn(file) {
  const parts = ['package/dist/THIRD-PARTY.txt', 'package/dist/ui/THIRD-PARTY.txt']
  const text = execFileSync('tar', ['-xzOf', file, ...parts], { encoding: 'utf8' })
  return new Set([...text.matchAll(/^-{80}\n\n(\S+ \d\S*)$/gm)].map(([, name]) => name))
}

function component(at, { version, license, integrity }, scope, properties) {
  const name = nameOf(at)
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    type: 'library',
    'bom-ref': `${purl}#${at}`,
    name,
    version,
    purl,
    scope,
    ...(license === undefined
      ? {}
      : { licenses: [/^[\w.-]+$/.test(license) ? { license: { id: license } } : { expression: license }] }),
    ...(integrity === undefined
      ? {}
      : {
          hashes: [
            { alg: 'SHA-512', content: Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex') },
          ],
        }),
    ...(properties === undefined ? {} : { properties }),
  }
}

function nameOf(at) {
  return at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

function sha256(data) {
  return createHash('sha256').update(data).digest('hex')
}

function read(name) {
  return JSON.parse(fs.readFileSync(path.join(root, name), 'utf8'))
}

function write(name, value) {
  fs.mkdirSync(out, { recursive: true })
  fs.writeFileSync(path.join(out, name), `${JSON.stringify(value, null, 2)}\n`)
}
