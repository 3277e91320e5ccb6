import type { LanguageSupport, StreamParser } from '@codemirror/language'

type Load = () => Promise<LanguageSupport>

/** Colours for a file, by its name. Each language is loaded when its first file is shown. */
export function languageFor(path: string): Load | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const extension = name.slice(name.lastIndexOf('.') + 1)
  return byName[name] ?? byExtension[extension]
}

const script =
  (options: { typescript?: boolean; jsx?: boolean }): Load =>
  async () =>
    (await import('@codemirror/lang-javascript')).javascript(options)

const stream =
  <Modes>(load: () => Promise<Modes>, pick: (modes: Modes) => StreamParser<unknown>): Load =>
  async () => {
    const [modes, { LanguageSupport, StreamLanguage }] = await Promise.all([load(), import('@codemirror/language')])
    return new LanguageSupport(StreamLanguage.define(pick(modes)))
  }

const python: Load = async () => (await import('@codemirror/lang-python')).python()
const cpp: Load = async () => (await import('@codemirror/lang-cpp')).cpp()
const css: Load = async () => (await import('@codemirror/lang-css')).css()
const html: Load = async () => (await import('@codemirror/lang-html')).html()
const json: Load = async () => (await import('@codemirror/lang-json')).json()
const markdown: Load = async () => (await import('@codemirror/lang-markdown')).markdown()
const yaml: Load = async () => (await import('@codemirror/lang-yaml')).yaml()
const xml: Load = async () => (await import('@codemirror/lang-xml')).xml()
const clike = () => import('@codemirror/legacy-modes/mode/clike')
const shell = stream(
  () => import('@codemirror/legacy-modes/mode/shell'),
  ({ shell }) => shell,
)

const byExtension: Readonly<Record<string, Load>> = {
  js: script({ jsx: true }),
  mjs: script({}),
  cjs: script({}),
  jsx: script({ jsx: true }),
  ts: script({ typescript: true }),
  mts: script({ typescript: true }),
  cts: script({ typescript: true }),
  tsx: script({ typescript: true, jsx: true }),
  py: python,
  pyi: python,
  c: cpp,
  h: cpp,
  cc: cpp,
  cpp,
  hpp: cpp,
  css,
  scss: css,
  html,
  htm: html,
  vue: html,
  svelte: html,
  json,
  jsonc: json,
  md: markdown,
  markdown,
  yml: yaml,
  yaml,
  xml,
  svg: xml,
  rs: async () => (await import('@codemirror/lang-rust')).rust(),
  go: async () => (await import('@codemirror/lang-go')).go(),
  java: async () => (await import('@codemirror/lang-java')).java(),
  php: async () => (await import('@codemirror/lang-php')).php(),
  sql: async () => (await import('@codemirror/lang-sql')).sql(),
  sh: shell,
  bash: shell,
  zsh: shell,
  cs: stream(clike, ({ csharp }) => csharp),
  kt: stream(clike, ({ kotlin }) => kotlin),
  scala: stream(clike, ({ scala }) => scala),
  rb: stream(
    () => import('@codemirror/legacy-modes/mode/ruby'),
    ({ ruby }) => ruby,
  ),
  lua: stream(
    () => import('@codemirror/legacy-modes/mode/lua'),
    ({ lua }) => lua,
  ),
  swift: stream(
    () => import('@codemirror/legacy-modes/mode/swift'),
    ({ swift }) => swift,
  ),
  toml: stream(
    () => import('@codemirror/legacy-modes/mode/toml'),
    ({ toml }) => toml,
  ),
  ini: stream(
    () => import('@codemirror/legacy-modes/mode/properties'),
    ({ properties }) => properties,
  ),
}

const byName: Readonly<Record<string, Load>> = {
  dockerfile: stream(
    () => import('@codemirror/legacy-modes/mode/dockerfile'),
    ({ dockerFile }) => dockerFile,
  ),
  gemfile: stream(
    () => import('@codemirror/legacy-modes/mode/ruby'),
    ({ ruby }) => ruby,
  ),
}
