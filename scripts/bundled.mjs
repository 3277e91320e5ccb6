// What a bundle takes in of other packages. What users install is left to be installed; whatever else is imported is a
// development dependency and becomes part of the bundle, with its licence.
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'packages/clada/package.json'), 'utf8'))

/** What stays outside. */
export const external = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })

/** Packages that need a change before they can be part of a bundle. */
export const adapted = {
  name: 'adapted',
  setup(build) {
    // It calls a variable of its own `require`, by which the command line would load other parts of Node.
    build.onLoad({ filter: /web-tree-sitter\.js$/ }, ({ path: file }) => ({
      contents: `import { createRequire as __createRequire } from 'node:module'\n${fs
        .readFileSync(file, 'utf8')
        .replace(/const \{ createRequire \} = await import\("module"\);/, 'const createRequire = __createRequire;')}`,
      loader: 'js',
    }))
  },
}

/** The licences of the packages that a build took in, from its metafile; `where` the build is. */
export function licencesIn(inputs, where) {
  const dirs = new Set(Object.keys(inputs).flatMap((input) => packageOf(input) ?? []))
  const texts = [...dirs].sort().map((dir) => {
    const { name, version } = JSON.parse(fs.readFileSync(path.join(root, dir, 'package.json'), 'utf8'))
    const file = fs.readdirSync(path.join(root, dir)).find((entry) => /^licen[cs]e(?:[.-]|$)/i.test(entry))
    if (file === undefined) throw new Error(`${name} has no licence file, so it cannot be bundled`)
    return `${name} ${version}\n\n${fs.readFileSync(path.join(root, dir, file), 'utf8').trim()}\n`
  })
  const line = `${'-'.repeat(80)}\n\n`
  return `Parts of these packages are in ${where}.\n\n${line}${texts.join(`\n${line}`)}`
}

const packageOf = (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0]
