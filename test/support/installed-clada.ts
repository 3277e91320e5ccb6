import fs from 'node:fs'
import path from 'node:path'
import { ripgrepFile } from '../../packages/clada/src/process/ripgrep.ts'

/** Makes clada a dependency of a project, with one package that it needs and without the optional ones. Returns the link that starts it. */
export function installClada(root: string, dist: string, entry = 'cli.cjs'): string {
  const modules = path.join(root, 'node_modules')
  fs.cpSync(dist, path.join(modules, 'clada/dist'), { recursive: true })
  const needed = { dependencies: { '@vscode/ripgrep': '*' }, optionalDependencies: optional }
  fs.writeFileSync(path.join(modules, 'clada/package.json'), JSON.stringify({ name: 'clada', version: '1', ...needed }))
  fs.mkdirSync(path.join(modules, '@vscode/ripgrep'), { recursive: true })
  fs.writeFileSync(
    path.join(modules, '@vscode/ripgrep/index.js'),
    `exports.rgPath = ${JSON.stringify(ripgrepFile())}\n`,
  )
  fs.mkdirSync(path.join(modules, '.bin'))
  fs.symlinkSync(path.join('../clada/dist', entry), path.join(modules, '.bin/clada.cjs'))
  return path.join(modules, '.bin/clada.cjs')
}

const optional = { 'fs-native-extensions': '*', 'oxc-parser': '*' }
