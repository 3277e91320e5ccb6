import fs from 'node:fs'
import path from 'node:path'

/**
 * docs/API.md: what the package exports, from `packages/clada/src/index.ts`. Its comments are the headings of the page.
 * The sources are read line by line instead of parsed, which the uniform style allows: a declaration begins a line, and
 * the lines that continue it are indented or begin with a closing bracket.
 */
export function apiPage(root: string): string {
  const main = entriesOf(root, 'index.ts')
  const known = new Set(main.flatMap((entry) => ('name' in entry ? [entry.name] : [])))
  // The names of both entries are described once.
  const more = entriesOf(root, 'compat/index.ts').filter((entry) => 'name' in entry && !known.has(entry.name))
  const page = (entry: Entry): string[] => ('heading' in entry ? [`## ${entry.heading}`, ''] : section(root, entry))
  return [
    '# API',
    '',
    "Everything that `import … from 'clada'` provides. The actions are in [actions.md](actions.md), the codes of failures in",
    '[error-codes.md](error-codes.md).',
    '',
    ...main.flatMap(page),
    '## clada/compat',
    '',
    "`import … from 'clada/compat'` provides `Clada`, `createClada`, the functions above with the signatures of the seeds, and these.",
    '',
    ...more.flatMap(page),
  ].join('\n')
}

type Entry = { readonly heading: string } | { readonly name: string; readonly file: string }

/** What an index exports, with the files from the root of the repository. */
function entriesOf(root: string, index: string): Entry[] {
  const text = fs.readFileSync(path.join(root, sources, index), 'utf8')
  const sourceOf = (name: string): string =>
    name.startsWith('@clada/reply/')
      ? `packages/reply/src/${name.slice('@clada/reply/'.length)}`
      : path.posix.join(sources, path.posix.dirname(index), name)
  return [...text.matchAll(/^\/\/ (.+)$|^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(
    ([, heading, names = '', from = '']): Entry[] =>
      heading !== undefined
        ? [{ heading }]
        : [...names.matchAll(/(?:type )?(\w+)\s*(?:,|$)/g)].map(([, name = '']) => ({ name, file: sourceOf(from) })),
  )
}

const sources = 'packages/clada/src'

function section(root: string, { name, file }: { name: string; file: string }): string[] {
  const { doc, code } = declarationOf(fs.readFileSync(path.join(root, file), 'utf8'), name)
  if (doc === '') throw new Error(`${file}: ${name} is public and has no doc comment`)
  return [`### ${name}`, '', doc, '', '```ts', code, '```', '']
}

interface Declaration {
  readonly doc: string
  readonly code: string
}

function declarationOf(text: string, name: string): Declaration {
  const lines = text.split('\n')
  const at = lines.findIndex((line) =>
    new RegExp(`^export (?:async )?(?:function|class|interface|type|const) ${name}\\b`).test(line),
  )
  if (at === -1) throw new Error(`${name} is exported and not declared`)
  const rest = lines.slice(at + 1).findIndex((line) => !/^(?:[ )}\]]|$)/.test(line))
  const whole = lines.slice(at, rest === -1 ? undefined : at + 1 + rest)
  while (whole.at(-1) === '') whole.pop()
  const code = whole.join('\n').replace(/^export /, '')
  return { doc: docBefore(lines.slice(0, at)), code: shortened(code) }
}

/** Without the bodies of functions, the values of constants and the private members of classes. */
function shortened(code: string): string {
  if (/^(?:async )?function/.test(code)) return signature(code)
  if (code.startsWith('class')) return classOutline(code)
  if (!code.startsWith('const')) return code
  const arrow = /^const (\w+) = (?:async )?((?:<[^>]*>)?\()/s.exec(code)
  if (arrow === null) return code.replace(/ =(?: |\n).*$/s, '')
  return signature(code)
    .replace(/ =>$/, '')
    .replace(/^const (\w+) = (?:async )?/, 'function $1')
}

function classOutline(code: string): string {
  const members = code
    .split('\n')
    .slice(1, -1)
    .join('\n')
    .split(/\n\n(?= {2}\S)/)
  const shown = members
    .filter((member) => !/^(?: {2}\/\*\*.*?\*\/\n)? {2}(?:readonly |async |static |get )*#/s.test(member))
    .map((member) => {
      const doc = /^ {2}\/\*\*.*?\*\/\n/s.exec(member)?.[0] ?? ''
      const rest = member.slice(doc.length)
      return doc + (rest.includes('(') ? signature(rest) : rest)
    })
  return [code.split('\n', 1)[0], ...shown, '}'].join('\n')
}

/** Up to the body: the first `{` or `=>` after the parameters that is not in brackets and does not begin a type. */
function signature(code: string): string {
  let depth = 0
  for (let at = 0; at < code.length; at++) {
    const char = code.charAt(at)
    const isBody = / (?:\{|=>)/y.test(code.slice(at)) && code.charAt(at - 1) !== ':'
    if (depth === 0 && isBody && at > code.indexOf(')')) return code.slice(0, at).replace(/^(\s*)async /, '$1')
    if ('([{'.includes(char)) depth++
    if (')]}'.includes(char)) depth--
  }
  return code
}

function docBefore(lines: readonly string[]): string {
  if (lines.at(-1)?.endsWith('*/') !== true) return ''
  const from = lines.findLastIndex((line) => line.startsWith('/**'))
  return lines
    .slice(from)
    .map((line) => line.replace(/^\/\*\* ?|^ \*(?:\/$)? ?| ?\*\/$/g, '').trim())
    .filter((line) => line !== '')
    .join('\n')
    .replaceAll('@throws', 'Throws')
}
