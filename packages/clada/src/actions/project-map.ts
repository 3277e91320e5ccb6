import {
  type ActionContext,
  defaulting,
  defineAction,
  fail,
  integer,
  ok,
  optional,
  path,
  rare,
  text,
} from '../core/action.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import type { Files, PathArg } from '../core/files.ts'
import { withSlashes } from '../core/paths.ts'
import { type IgnoreRule, parseIgnoreRules, isIgnored } from '@clada/reply/text/ignore-rules.ts'
import { tokenLength } from '@clada/reply/text/lines.ts'
import { attempt } from './common.ts'
import { onStructures } from './on-structures.ts'
import { oneLined } from './one-line.ts'
import { mapOutput } from './output.ts'
import type { OutlineEntry } from '../structure/document.ts'

export const projectMap = defineAction({
  name: 'project_map',
  description:
    'Show the files and main declarations of a project. It takes no more than `budget` tokens: the files that matter most come first.',
  effect: 'read',
  display: 'always',
  output: mapOutput,
  everyday: true,
  params: {
    path: optional(path('Directory to look at; the project without it.')),
    budget: defaulting(integer('Tokens that the map may take.'), 2000),
    focus: rare(optional(text('Words of the task: files whose names or declarations have them come first.'))),
  },
  returns: { map: 'string', files: 'integer: all there are', shown: 'integer: those with their declarations' },
  examples: [
    {
      title: 'shows directories, then declarations',
      before: {
        'package.json': '{"main": "src/index.js"}\n',
        'src/index.js': "import { Cart } from './cart.js'\n\nexport function main() {}\n",
        'src/cart.js': 'export class Cart {\n  add() {}\n}\n',
        'node_modules/x/index.js': 'export const x = 1\n',
      },
      params: { path: '.' },
      data: { files: 3 },
    },
  ],
  async run({ path: given, budget, focus }, context) {
    if (budget < 100) return fail({ kind: 'bad-param', param: 'budget', message: 'give at least 100 tokens' })
    const base = given ?? context.root
    const room = budget * tokenLength
    const files = await namesBelow(base, context)
    const tree = drawTree(files, room * 0.4)
    const ranked = spreadOverDirectories(await fileRank(files, base, focus, context))
    // Of many files each is shown in short.
    const longest = Math.min(longestEntry, Math.max(shortestEntry, Math.floor(room / Math.max(1, ranked.length))))
    const declared: MapEntry[] = []
    const dirs = new Set<string>()
    let spare = room - tree.length - roomForEnds
    let seen = 0
    let tests = 0
    for (const file of ranked) {
      if (spare < leastEntry || declared.length >= mostFiles) break
      seen++
      // A few tell how this project is tested.
      const isTest = test.test(file) && focusWords(focus).length === 0
      if (isTest && ++tests > mostTests) continue
      const entry = await mapEntry(file, base, Math.min(spare, isTest ? longestTest : longest), context)
      if (entry === undefined) continue
      declared.push(entry)
      spare -= (dirs.has(entry.dir) ? indent.length : entry.dir.length) + entry.text.length + 1
      dirs.add(entry.dir)
    }
    const left = ranked.length - seen
    const more =
      left > 0 ? [`(${left} more source files; project_map of a directory, or list_structures, shows them)`] : []
    const map = [tree, '', ...groupByDirectory(declared), ...more].join('\n')
    return ok({ map, files: files.length, shown: declared.length })
  },
})

interface MapEntry {
  /** With its slash; empty for the directory of the map. */
  readonly dir: string
  /** The name in it, and what it declares. */
  readonly text: string
}

/** Files of one directory stand below its name where that is shorter than to repeat it; others keep their place. */
function groupByDirectory(entries: readonly MapEntry[]): string[] {
  const dirs = new Map<string, string[]>()
  for (const { dir, text } of entries) dirs.set(dir, [...(dirs.get(dir) ?? []), text])
  return entries.flatMap(({ dir, text }) => {
    const texts = dirs.get(dir) ?? []
    if ((texts.length - 1) * dir.length <= texts.length * indent.length + worthALine) return [`${dir}${text}`]
    return text === texts[0] ? [dir, ...texts.map((one) => `${indent}${one}`)] : []
  })
}

const indent = '  '
/** Characters saved. Below that a path on its line is easier to read. */
const worthALine = 20
const roomForEnds = 160
const leastEntry = 60
const longestEntry = 300
const shortestEntry = 200
/** Two or three names tell how tests are written. */
const longestTest = 160
const mostFiles = 120
const mostTests = 5

/** Directories that hold what tools made or brought, whatever .gitignore says. */
const alwaysIgnored = new Set(
  'node_modules bower_components vendor dist build out target coverage __pycache__ venv env site-packages'.split(' '),
)

/** The rules of every .gitignore from the project down to a directory. */
async function rulesAbove(files: Files, root: PathArg, base: PathArg): Promise<IgnoreRule[]> {
  const below = baseBelowRoot(root, base)
  const dirs = below === '' ? [''] : ['', ...below.split('/').map((_, at, names) => names.slice(0, at + 1).join('/'))]
  const rules: IgnoreRule[] = []
  for (const dir of dirs) rules.push(...(await rulesOf(files, root, dir)))
  return rules
}

async function rulesOf(files: Files, root: PathArg, dir: string): Promise<IgnoreRule[]> {
  const name = dir === '' ? '.gitignore' : `${dir}/.gitignore`
  const read = await attempt(() => files.read({ given: name, absolute: `${root.absolute}/${name}` }))
  return 'ok' in read ? [] : parseIgnoreRules(read.text, dir)
}

/** Empty for the root itself, and outside it. */
function baseBelowRoot(root: PathArg, base: PathArg): string {
  const path = withSlashes(base.absolute)
  const start = `${withSlashes(root.absolute)}/`
  return path.startsWith(start) ? path.slice(start.length) : ''
}

/** The files below a directory that are neither hidden nor ignored. */
export async function namesBelow(base: PathArg, { files, root }: ActionContext): Promise<string[]> {
  const above = baseBelowRoot(root, base)
  const rules = await rulesAbove(files, root, base)
  const whole = (name: string): string => (above === '' ? name : `${above}/${name}`)
  const ignoreFiles: string[] = []
  const isShown = (name: string, kind: 'file' | 'dir'): boolean =>
    !isHidden(name, kind) && !isIgnored(rules, whole(name), kind)
  const names = await files.glob(
    base,
    (name) => {
      if (name.endsWith('/.gitignore')) ignoreFiles.push(name.slice(0, -'/.gitignore'.length))
      return isShown(name, 'file')
    },
    (dir) => isShown(dir, 'dir'),
  )
  if (ignoreFiles.length === 0) return names
  for (const dir of ignoreFiles.sort().slice(0, mostIgnoreFiles))
    rules.push(...(await rulesOf(files, root, whole(dir))))
  const known = new Map<string, boolean>([['', true]])
  const isEntered = (dir: string): boolean => {
    const before = known.get(dir)
    if (before !== undefined) return before
    const entered = isEntered(dir.slice(0, Math.max(0, dir.lastIndexOf('/')))) && isShown(dir, 'dir')
    known.set(dir, entered)
    return entered
  }
  return names.filter((name) => isEntered(name.slice(0, Math.max(0, name.lastIndexOf('/')))) && isShown(name, 'file'))
}

const mostIgnoreFiles = 200

/** By the last name of a path. */
function isHidden(name: string, kind: 'file' | 'dir'): boolean {
  const last = name.slice(name.lastIndexOf('/') + 1)
  return (kind === 'dir' && alwaysIgnored.has(last)) || (last.startsWith('.') && last !== '.github')
}

interface MappedDir {
  readonly files: string[]
  readonly dirs: Map<string, MappedDir>
  count: number
}

/** One line per directory with its files; those that there is no room for are only counted. */
function drawTree(names: readonly string[], room: number): string {
  const top: MappedDir = { files: [], dirs: new Map(), count: 0 }
  for (const name of names) {
    const parts = name.split('/')
    let dir = top
    dir.count++
    for (const part of parts.slice(0, -1)) {
      const next: MappedDir = dir.dirs.get(part) ?? { files: [], dirs: new Map(), count: 0 }
      dir.dirs.set(part, next)
      next.count++
      dir = next
    }
    dir.files.push(parts.at(-1) ?? '')
  }
  // Wide directories first lose their names, then deep ones their inside.
  const few = names.filter((name) => test.test(name)).length <= fewTests
  for (const [depth, each, tests] of detail) {
    if (tests === 'shown' && !few) continue
    const lines = renderDir(top, '', { depth, each, tests })
    if (lines.join('\n').length <= room) return lines.join('\n')
  }
  return renderDir(top, '', { depth: 1, each: 0, tests: 'counted' }).join('\n').slice(0, room)
}

/** More are only counted. */
const fewTests = 40

/** How deep, how many names of files of one directory, and whether tests are more than counted: from the fullest picture to the shortest. */
const detail = [
  [20, 200, 'shown'],
  [20, 30, 'shown'],
  [20, 12, 'counted'],
  [6, 6, 'counted'],
  [5, 3, 'counted'],
  [4, 0, 'counted'],
  [3, 0, 'counted'],
  [2, 0, 'counted'],
  [1, 0, 'counted'],
] as const

interface Detail {
  readonly depth: number
  readonly each: number
  readonly tests: 'shown' | 'counted'
}

const testDir = /^(?:tests?|spec|__tests__|testing|fixtures?|testdata|benchmarks?|snapshots?)$/i

function renderDir({ files, dirs, count }: MappedDir, indent: string, how: Detail): string[] {
  const { depth, each, tests } = how
  const shown = files.slice(0, each).map(oneLined)
  const hidden = files.length - shown.length
  const names = [
    ...shown,
    ...(hidden > 0 ? [`${hidden === files.length ? '' : '+ '}${formatCount(hidden, 'file')}`] : []),
  ]
  const own = names.length === 0 ? [] : [`${indent}${names.join('  ')}`]
  if (depth === 0) return [`${indent}${formatCount(count, 'file')}`]
  const alike = new Map<string, string[]>()
  for (const [first, below] of dirs) {
    const { name, dir } = withoutForks(first, below)
    const left = tests === 'counted' && name.split('/').some((part) => testDir.test(part)) ? 0 : depth - 1
    const [only, ...more] = renderDir(dir, `${indent}  `, { ...how, depth: left })
    const rest = `${oneLined(name.slice(first.length))}/`
    // A directory without directories fits on one line.
    const inside = more.length === 0 ? `${rest}  ${(only ?? '').trim()}` : [rest, only ?? '', ...more].join('\n')
    alike.set(inside, [...(alike.get(inside) ?? []), oneLined(first)])
  }
  return [...own, ...[...alike].flatMap(([inside, names]) => linesOfAlike(inside, names, indent))]
}

/** Directories with the same inside, such as one for each language, are one line where they are many. */
function linesOfAlike(inside: string, names: readonly string[], indent: string): string[] {
  if (names.length < manyAlike) return names.flatMap((name) => `${indent}${name}${inside}`.split('\n'))
  const [first, ...others] = names
  return `${indent}${first}${inside}\n${indent}(the same in ${others.slice(0, 2).join(', ')} and ${others.length - 2} more)`.split(
    '\n',
  )
}

const manyAlike = 5

/** Directories that hold nothing but one other are one name, as Java has them: `main/java/com/example`. */
function withoutForks(name: string, dir: MappedDir): { readonly name: string; readonly dir: MappedDir } {
  const [only, ...others] = dir.dirs
  if (only === undefined || others.length + dir.files.length > 0) return { name, dir }
  return withoutForks(`${name}/${only[0]}`, only[1])
}

/** Source files, those first that a newcomer opens first or that the task is about. */
async function fileRank(
  names: readonly string[],
  base: PathArg,
  focus: string | undefined,
  { files, workingSet }: ActionContext,
): Promise<string[]> {
  const set = await attempt(async () => (await workingSet()).entries())
  const kept = new Set('ok' in set ? [] : set.map((entry) => entry.path.split('@@')[0]))
  const named = await attempt(() => files.read({ given: 'package.json', absolute: `${base.absolute}/package.json` }))
  const mains =
    'ok' in named ? [] : [...named.text.matchAll(/"\.?\/?([\w./-]+\.[cm]?[jt]sx?)"/g)].map(([, one = '']) => one)
  const words = focusWords(focus)
  const score = (name: string): number => {
    const lower = name.toLowerCase()
    const depth = name.split('/').length
    const about = words.filter((word) => lower.includes(word)).length
    return (
      (kept.has(`${base.absolute}/${name}`) ? 40 : 0) +
      about * 20 +
      (mains.includes(name) ? 10 : 0) +
      (entryPoint.test(name) ? 8 : 0) -
      // Tests repeat what the code says, and there are often more of them.
      (test.test(name) ? 16 : aside.test(name) ? 8 : 0) -
      depth
    )
  }
  const sources = names.filter((name) => source.test(name) && !notWritten.test(name))
  return sources.toSorted((a, b) => score(b) - score(a) || (a < b ? -1 : 1))
}

/** In order, but a directory with many files leaves room for the others. */
function spreadOverDirectories(ranked: readonly string[]): string[] {
  const taken = new Map<string, number>()
  const rounds = ranked.map((name, at) => {
    const dir = name.slice(0, Math.max(0, name.lastIndexOf('/')))
    const before = taken.get(dir) ?? 0
    taken.set(dir, before + 1)
    return { name, place: at + (before < eachAtOnce ? 0 : Math.floor(before / eachAtOnce) * ranked.length) }
  })
  return rounds.toSorted((a, b) => a.place - b.place).map(({ name }) => name)
}

/** Files of one directory before it is the turn of the others. */
const eachAtOnce = 4

const focusWords = (focus = ''): string[] => [
  ...new Set(
    focus
      .split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u)
      .map((word) => word.toLowerCase())
      .filter((word) => word.length > 3),
  ),
]

const source = /\.(?:[cm]?[jt]sx?|py|java|go|rs|[ch]|cc|cpp|hpp|cs|rb|php|sh|kt|swift)$/i
const notWritten = /\.min\.|\.d\.[cm]?ts$|(?:^|\/)(?:fixtures?|snapshots?|__snapshots__|testdata)\//i
const entryPoint = /(?:^|\/)(?:index|main|app|cli|server|mod|lib|__init__|__main__|setup|manage)\.\w+$/i
/** Code beside the program: configuration, examples, tools. */
const aside =
  /\.config\.\w+$|(?:^|\/)(?:examples?|demos?|docs?|scripts?|tools?|bench(?:marks?)?|\.[^/]+)\/|(?:^|\/)(?:conftest|setup)\.py$/i
const test = /(?:^|\/)(?:tests?|spec|__tests__)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_\w+\.py$/i

/** A file and its declarations on one line; undefined where there are none. */
async function mapEntry(
  name: string,
  base: PathArg,
  room: number,
  context: ActionContext,
): Promise<MapEntry | undefined> {
  const file = { given: name, absolute: `${base.absolute}/${name}` }
  const outcome = await attempt(() => onStructures(context, [file], (operations) => operations.list_structures(name)))
  if (!outcome.ok) return undefined
  const { outlineView } = await import('../structure/outline-view.ts')
  const structures = outlineView(outcome.data.structures).flatMap(withModuleContents)
  // What Rust implements for a type of the same file says little besides the type.
  const declared = structures.filter(({ kind }) => kind !== 'impl')
  const all = (declared.length > 0 ? declared : structures).flatMap((one) => mapHeader(one) ?? [])
  // What others can use says what a file is for. In C a name may be declared once for each platform.
  const headers = [...new Set(all.toSorted((a, b) => b.worth - a.worth).map(({ text }) => text))]
  if (headers.length === 0) return undefined
  const shown: string[] = []
  let spare = room - name.length - 12
  for (const header of headers) {
    spare -= header.length + 2
    if (spare < 0) break
    shown.push(header)
  }
  const left = headers.length - shown.length
  const cut = name.lastIndexOf('/') + 1
  const text = `${oneLined(name.slice(cut))}: ${[...shown, ...(left > 0 ? [`+${left}`] : [])].join('; ')}`
  return { dir: oneLined(name.slice(0, cut)), text }
}

/** A namespace around all of a file says nothing of it. */
const withModuleContents = (one: OutlineEntry): OutlineEntry[] =>
  one.kind === 'module' ? [one, ...(one.children ?? []).flatMap(withModuleContents)] : [one]

const isOpen = /^(?:export|pub|public)\b/
/** They say more in their names than functions, of which a file has more. */
const types = new Set(['class', 'interface', 'trait'])

/** Short, and without what says nothing about the file: values, and what is only brought from elsewhere. */
function mapHeader({
  header,
  kind,
  name,
}: OutlineEntry): { readonly text: string; readonly worth: number } | undefined {
  const text = oneLined(header)
    .replace(/^export (?:default )?/, '')
    .replace(/\s*[{:=]\s*$/, '')
    // `res.send = function send(body)` has one name twice.
    .replace(/^(?:(?:const|let|var) )?([\w$.]+) = ((?:async )?function\*?)\s*[\w$]*\s*(?=\()/, '$2 $1')
  if (
    /= (?:await )?(?:require|import)\(|^(?:module\.)?exports = |^import\b|^(?:pub(?:\([^)]*\))? )?mod \w+;?$/.test(text)
  )
    return undefined
  // Go groups its constants and variables: the keyword alone names none of them.
  if (/^(?:const|var|type)$/.test(text)) return undefined
  // A macro without a value is a guard or a mark.
  if (kind === 'macro' && /^#\s*define\s+\w+$/.test(text)) return undefined
  const isValue =
    kind === 'variable' && !/^(?:async )?function\b|=\s*(?:async\s*)?(?:function\b|\(|[A-Za-z_$][\w$]*$)/.test(text)
  const short = isValue ? text.replace(/\s*[:=].*$/, '') : callables.has(kind) ? withoutParams(text, name) : text
  return {
    text: short.length > 70 ? `${short.slice(0, 69)}…` : short,
    worth: kind === 'macro' ? 0 : (isOpen.test(header) ? 2 : 1) + (types.has(kind) ? 0.5 : isValue ? -0.5 : 0),
  }
}

/** In a map the name of a function says what there is: many parameters took the room of other names. */
function withoutParams(header: string, name = ''): string {
  if (header.length <= fullHeader || name === '') return header
  const start = header.indexOf('(', header.indexOf(name) + name.length)
  const end = header.lastIndexOf(')')
  return start === -1 ? header : `${header.slice(0, start)}(…)${end < start ? '' : header.slice(end + 1)}`
}

const fullHeader = 40
const callables = new Set(['function', 'method', 'variable'])
