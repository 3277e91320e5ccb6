import fs from 'node:fs'
import path from 'node:path'
import { slashed } from '../core/paths.ts'

/** Programs whose commands are in files of the project: the names they take unnamed, and how those name others. */
interface RuleFiles {
  readonly names: readonly string[]
  /** Also looked for in the directories above. */
  readonly above?: true
  readonly included?: (text: string) => Included
}

interface Included {
  readonly names: readonly string[]
  /** What is included in words that only the program can understand. */
  readonly unknown: readonly string[]
}

const wrapper = ['gradle/wrapper/gradle-wrapper.properties', 'gradle/wrapper/gradle-wrapper.jar']
const maven = ['extensions.xml', 'maven.config', 'jvm.config', 'wrapper/maven-wrapper.properties']

const programs: Readonly<Record<string, RuleFiles>> = {
  make: { names: ['GNUmakefile', 'makefile', 'Makefile'], included: includedByMake },
  gmake: { names: ['GNUmakefile', 'makefile', 'Makefile'], included: includedByMake },
  just: { names: ['justfile', 'Justfile', '.justfile'], above: true, included: includedByJust },
  task: { names: ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'Taskfile.dist.yml'], above: true },
  rake: { names: ['Rakefile', 'rakefile', 'Rakefile.rb'], above: true },
  ant: { names: ['build.xml'] },
  tox: { names: ['tox.ini'] },
  nox: { names: ['noxfile.py'] },
  composer: { names: ['composer.json'] },
  gradlew: { names: wrapper },
  mvn: { names: maven.map((name) => `.mvn/${name}`) },
  mvnw: { names: maven.map((name) => `.mvn/${name}`) },
}

/** A project that includes more has something else in mind. */
const mostFiles = 500

/** The rules that a program would follow, with what they include. Undefined for programs without such files. */
export function ruleFiles(program: string, words: readonly string[], cwd: string): Text | undefined {
  const rules = programs[program]
  if (rules === undefined) return undefined
  const given = words.flatMap((word) => [word, word.slice(word.indexOf('=') + 1), word.replace(/^-[A-Za-z]/, '')])
  const dirs = [...new Set(['.', ...given])].filter((name) => isDirectory(path.resolve(cwd, name)))
  const above = rules.above ? dirsAbove(cwd) : []
  const names = [...dirs, ...above].flatMap((dir) => rules.names.map((name) => path.resolve(cwd, dir, name)))
  const files = new Set([...names, ...given.map((name) => path.resolve(cwd, name))])
  const found: { name: string; text: string }[] = []
  const unknown = new Set<string>()
  const seen = new Set<string>()
  for (const file of files) {
    const text = readSmall(file)
    if (text === undefined) continue
    // Where case does not matter, several of the names are one file.
    const { dev, ino } = fs.statSync(file)
    if (seen.size === seen.add(`${dev} ${ino}`).size) continue
    found.push({ name: slashed(path.relative(cwd, file)), text })
    const included = rules.included?.(text)
    for (const name of included?.unknown ?? []) unknown.add(name)
    for (const name of included?.names ?? []) {
      for (const from of [path.dirname(file), cwd, ...dirs.map((dir) => path.resolve(cwd, dir))])
        for (const one of matching(from, name)) if (files.size < mostFiles) files.add(one)
    }
  }
  if (found.length === 0) return undefined
  const shown = found.map(({ name, text }) => `${name} (${text.length} characters)`)
  return {
    whole: JSON.stringify([found.map(({ name, text }) => [name, text]), [...unknown]]),
    shown: [...shown, ...[...unknown].map((name) => `whatever include ${name} leads to`)].join(', '),
  }
}

/** `include`, and the directories of other makes that recipes start. */
function includedByMake(text: string): Included {
  const lines = text.replace(/\\\r?\n/g, ' ')
  const words = [...lines.matchAll(/^[ ]*(?:-include|sinclude|include)[ \t]+([^\r\n#]+)/gm)].flatMap(([, names = '']) =>
    splitOutsideCalls(names),
  )
  const dirs = [...lines.matchAll(/(?:\$[({]MAKE[)}]|\bmake\b)[^\r\n]*?(?:-C|--directory)[ =]?([^\s;&|)]+)/g)].flatMap(
    ([, dir = '']) => ['GNUmakefile', 'makefile', 'Makefile'].map((name) => `${dir}/${name}`),
  )
  const files = [...lines.matchAll(/(?:\$[({]MAKE[)}]|\bmake\b)[^\r\n]*?(?:-f|--file=?)[ ]?([^\s;&|)]+)/g)].map(
    ([, name = '']) => name,
  )
  const all = [...words, ...dirs, ...files]
  return { names: all.filter((name) => !name.includes('$')), unknown: words.filter((name) => name.includes('$')) }
}

/** `$(wildcard a b)` is one word. */
const splitOutsideCalls = (text: string): string[] => text.match(/(?:\$[({][^)}]*[)}]|\S)+/g) ?? []

function includedByJust(text: string): Included {
  const imports = [...text.matchAll(/^(?:import\??|!include)[ \t]+['"]?([^'"\r\n]+?)['"]?[ \t]*$/gm)].map(
    ([, name = '']) => name,
  )
  const modules = [...text.matchAll(/^mod\??[ \t]+([\w-]+)(?:[ \t]+['"]([^'"\r\n]+)['"])?/gm)].flatMap(
    ([, name = '', file]) =>
      file === undefined ? [`${name}.just`, `${name}/mod.just`, `${name}/justfile`, `${name}/.justfile`] : [file],
  )
  return { names: [...imports, ...modules], unknown: [] }
}

/** The files a name with stars means. */
function matching(from: string, name: string): string[] {
  if (!/[*?[]/.test(name)) return [path.resolve(from, name)]
  const dir = path.resolve(from, path.dirname(name))
  if (/[*?[]/.test(path.dirname(name))) return []
  // Wider than the pattern is only more that is bound.
  const [head = ''] = path.basename(name).split(/[*?[]/)
  return namesIn(dir)
    .filter((one) => one.startsWith(head))
    .map((one) => path.join(dir, one))
}

const isDirectory = (file: string): boolean => fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false

function dirsAbove(dir: string): string[] {
  const found: string[] = []
  for (let at = path.dirname(dir); at !== path.dirname(at); at = path.dirname(at)) found.push(at)
  return found
}

/** What an approval is bound to, and what is shown of it. */
export interface Text {
  readonly whole: string
  readonly shown: string
}

/** A byte order mark is left out, as programs leave it out that read such files. */
export function readSmall(file: string): string | undefined {
  try {
    const stat = fs.statSync(file)
    if (!stat.isFile() || stat.size >= 5_000_000) return undefined
    return fs.readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch {
    return undefined
  }
}

export function namesIn(dir: string): string[] {
  try {
    return fs.readdirSync(dir).sort()
  } catch {
    return []
  }
}
