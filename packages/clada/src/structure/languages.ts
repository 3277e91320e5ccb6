import { looksLikeCells } from '../core/cells.ts'
import { words, type Language } from './language.ts'
import { bash } from './languages/bash.ts'
import { c } from './languages/c.ts'
import { cpp } from './languages/cpp.ts'
import { csharp } from './languages/csharp.ts'
import { css } from './languages/css.ts'
import { go } from './languages/go.ts'
import { html } from './languages/html.ts'
import { java } from './languages/java.ts'
import { javascript } from './languages/javascript.ts'
import { json } from './languages/json.ts'
import { kotlin } from './languages/kotlin.ts'
import { markdown } from './languages/markdown.ts'
import { notebook } from './languages/notebook.ts'
import { php } from './languages/php.ts'
import { python } from './languages/python.ts'
import { ruby } from './languages/ruby.ts'
import { rust } from './languages/rust.ts'
import { swift } from './languages/swift.ts'
import { toml } from './languages/toml.ts'
import { tsx, typescript } from './languages/typescript.ts'
import { yaml } from './languages/yaml.ts'

/** Every language whose structures can be edited. Adding one is adding its row here, its grammar and its cases. */
export const languages: readonly Language[] = [
  typescript,
  tsx,
  javascript,
  python,
  markdown,
  json,
  yaml,
  toml,
  java,
  go,
  rust,
  c,
  cpp,
  csharp,
  ruby,
  php,
  bash,
  html,
  css,
  kotlin,
  swift,
  notebook,
]

/** By extension, then by file name, then by the program that its `#!` line names. */
export function languageFor(path: string, text: string): Language | undefined {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase()
  const dot = file.lastIndexOf('.')
  const found = dot === -1 ? undefined : byExtension().get(file.slice(dot + 1))
  // Of a format that is not known, or asked for as it is in the file.
  if (found?.parser.kind === 'cells' && !looksLikeCells(text)) return languageNamed('json')
  return found ?? byFileName().get(file) ?? byInterpreter().get(interpreterOf(text))
}

/** By the info string of a fence. */
export function languageOfFence(info: string): Language | undefined {
  const word = info
    .split(/[\s{,:]/, 1)[0]
    ?.replace(/^\./, '')
    .toLowerCase()
  return word === undefined ? undefined : (byFence().get(word) ?? byExtension().get(word))
}

export const languageNamed = (name: string): Language | undefined => byFence().get(name)

function interpreterOf(text: string): string {
  const [, program, rest = ''] = /^#![ \t]*(\S+)([^\r\n]*)/.exec(text) ?? []
  if (program === undefined) return ''
  const name = program.slice(program.lastIndexOf('/') + 1)
  const named = name === 'env' ? (words(rest).find((word) => !/^-|=/.test(word)) ?? '') : name
  return byInterpreter().has(named) ? named : named.replace(/[\d.]+$/, '')
}

/** Made when it is first asked: most runs ask for one language by its extension. */
const index = (key: (language: Language) => string): (() => ReadonlyMap<string, Language>) => {
  let made: ReadonlyMap<string, Language> | undefined
  return () =>
    (made ??= new Map(languages.flatMap((language) => words(key(language)).map((word) => [word, language] as const))))
}

const byExtension = index(({ extensions }) => extensions)
const byFileName = index(({ fileNames }) => fileNames ?? '')
const byInterpreter = index(({ interpreters }) => interpreters ?? '')
const byFence = index(({ name, fences }) => `${name} ${fences ?? ''}`)
