import fs from 'node:fs'
import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { listNames, readStats } from '../state/own-files.ts'
import { isProgram, realPathOr } from './programs.ts'

/** Where languages live in a home directory. Only these are shown inside: next to them are keys and histories. */
const runtimeHomes = [
  '.pyenv',
  '.rbenv',
  '.nodenv',
  '.nvm',
  '.fnm',
  '.volta',
  '.asdf',
  '.rustup',
  '.cargo/bin',
  '.deno/bin',
  '.bun/bin',
  '.local/bin',
  '.local/lib',
  '.local/share/mise',
  '.local/share/fnm',
  // Beside them it keeps logins.
  '.local/share/uv/python',
  '.local/share/uv/tools',
  '.local/share/pnpm',
  '.local/pipx',
  '.sdkman/candidates',
  'go/bin',
  'miniconda3',
  'anaconda3',
  'miniforge3',
  '.gem/ruby',
  '.goenv',
]

/** What tools keep between runs, and what a second `npm install` would miss. Not all of `.cache`: some keep tokens there. */
export const cacheHomes: readonly string[] = [
  '.npm',
  '.yarn',
  '.pnpm-store',
  '.local/share/pnpm/store',
  '.cargo/registry',
  '.cargo/git',
  '.m2/repository',
  '.gradle/caches',
  'go/pkg',
  '.bundle/cache',
  '.nuget/packages',
  ...[
    'pip',
    'uv',
    'pypoetry',
    'yarn',
    'pnpm',
    'node',
    'node-gyp',
    'deno',
    'go-build',
    'composer',
    'ccache',
    'turbo',
  ].map((name) => `.cache/${name}`),
  ...['ms-playwright', 'puppeteer', 'Cypress', 'pre-commit', 'ruff', 'mypy'].map((name) => `.cache/${name}`),
  ...['Yarn', 'pip', 'deno', 'go-build', 'ms-playwright'].map((name) => `Library/Caches/${name}`),
]

const pathsBelowHome = (home: string, names: readonly string[]): string[] =>
  names.map((name) => path.join(home, name)).filter((dir) => fs.existsSync(dir))

/** Settings of package managers beside a language, which may have a login; a star is any one name. */
const settingsBeside = [
  ...['.nvm/versions/node/*', '.nodenv/versions/*', '.volta/tools/image/node/*', '.asdf/installs/nodejs/*']
    .concat('.local/share/fnm/node-versions/*/installation', '.fnm/node-versions/*/installation')
    .concat('.local/share/mise/installs/node/*')
    .map((prefix) => `${prefix}/etc/npmrc`),
  ...['miniconda3', 'anaconda3', 'miniforge3'].flatMap((dir) => [`${dir}/.condarc`, `${dir}/envs/*/.condarc`]),
  ...['.pyenv/versions/*', '.asdf/installs/python/*', '.local/share/mise/installs/python/*'].map(
    (prefix) => `${prefix}/pip.conf`,
  ),
]

/** Files beside languages in a home directory that may be secrets: those settings, and what is directly in a directory that is shown. */
export function findBesideRuntimes(home: string): { readonly settings: string[]; readonly others: string[] } {
  const isRegular = (file: string): boolean => readStats(file)?.isFile() === true
  const settings = settingsBeside.flatMap((pattern) => expandStars(home, pattern.split('/'))).filter(isRegular)
  const others = runtimesIn(home).flatMap((dir) => listNames(dir).map((name) => path.join(dir, name)))
  return { settings, others: others.filter(isRegular) }
}

function expandStars(dir: string, parts: readonly string[]): string[] {
  const [name, ...rest] = parts
  if (name === undefined) return [dir]
  const names = name === '*' ? listNames(dir) : [name]
  return names.flatMap((one) => expandStars(path.join(dir, one), rest))
}

/** Every call of cargo writes them. */
const cargoLocks = ['.global-cache', '.package-cache', '.package-cache-mutate'].map((name) => `.cargo/${name}`)

export const runtimesIn = (home: string): string[] => pathsBelowHome(home, runtimeHomes)
/** Whether a file is one that tools regenerate. */
export const isCached = (file: string, home: string): boolean =>
  ['.cache', ...cacheHomes, ...cargoLocks].some((name) => isInside(file, path.join(home, name)))

/**
 * What a program needs beside it, when it is in none of the usual places: `/x/bin/node` needs `/x`. Code may have laid
 * a link in the project, to a script anywhere: for those nothing is shown but what a language is installed in.
 */
export function prefixOf(file: string, home: string, root: string): string[] {
  const places = isInside(file, root)
    ? [realPathOr(file)].filter((one) => isLanguage.test(one))
    : [file, realPathOr(file)]
  const prefixes = places.map((one) => {
    const dir = path.dirname(one)
    return path.basename(dir) === 'bin' ? path.dirname(dir) : dir
  })
  return [...new Set(prefixes)].filter(
    (dir) =>
      dir !== '/' && !isInside(dir, '/usr') && !isInside(home, dir) && !isInside(dir, root) && !isInside(root, dir),
  )
}

const isLanguage = /\/bin\/(?:python|pypy|node|ruby|bun|deno|perl|php)[\d.]*$/

export interface ProjectTools {
  /** To be put at the beginning of PATH. */
  readonly path: readonly string[]
  readonly venv: string | undefined
}

/** The project's own programs: they count for code and approved commands, never for commands of the list. */
export function projectTools(root: string, cwd: string): ProjectTools {
  const dirs = cwd === root ? [root] : [cwd, root]
  const venv = dirs
    .flatMap((dir) => ['.venv', 'venv'].map((name) => path.join(dir, name)))
    .find((dir) => isProgram(path.join(dir, 'bin', 'python')))
  const bins = dirs.map((dir) => path.join(dir, 'node_modules', '.bin')).filter((dir) => fs.existsSync(dir))
  return { path: [...(venv === undefined ? [] : [path.join(venv, 'bin')]), ...bins], venv }
}
