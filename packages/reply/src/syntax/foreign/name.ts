import { type Source, textFrom } from '../../core/source.ts'
import { type Fence, type FenceRegion, isDiffFence, lineWithoutBom } from '../../regions/fences.ts'
import { Regions } from '../../regions/regions.ts'
import { fileLabel, stepLabel } from './translations.ts'

/**
 * The file that a line names, when it does nothing else. Comment and list marks, a heading, `File:`, quotes,
 * backticks, bold, a colon, line numbers or a remark in parentheses at the end may be around the name; a sentence that
 * mentions a file names none.
 */
export function readFileName(line: string): string | undefined {
  if (line.length > LONG) return undefined
  const text = withLinkTargets(line).trim()
  if (isPlainName(text)) return text
  const name = nameInside(text, [label, ...marksAroundNames()])
  // A name may have spaces, and begin with such a word.
  return name === undefined || /\s/.test(name) ? nameInside(text, marksAroundNames()) : name
}

/**
 * A line with the files that its links lead to: editors write `[a.ts](file:///home/ada/app/src/a.ts)`. A link that leads to
 * something else is its text.
 */
export const withLinkTargets = (line: string): string =>
  line.includes('](')
    ? line.replace(LINK, (_, text: string, target: string) => {
        // Without a drive, as in a sentence a colon ends a name.
        const file = target.replace(/^file:\/\/(?:\/[A-Za-z](?::|%3a)(?=\/))?/i, '')
        const isFile = !/^\w+:/.test(file) && file.replaceAll('\\', '/').endsWith(text.replace(/^[`*_]+|[`*_]+$/g, ''))
        return isFile ? file : text
      })
    : line

const LINK = /\[([^\][\n]+)\]\(<?([^()<>\s#]+)(?:#[^()\n]*)?>?\)/g

/** What is left when nothing more can be taken away, if it is a name. */
function nameInside(line: string, all: readonly Marks[]): string | undefined {
  let [text, marked] = [line, false]
  for (;;) {
    const before = text
    for (const { pattern, marks } of all) {
      const inner = pattern.exec(text)?.groups?.['name']
      if (inner === undefined) continue
      text = inner.trim()
      marked ||= marks
    }
    if (text === before) break
  }
  return looksLikeName(text, marked) ? text : undefined
}

/** What most names look like; the rest takes longer. */
export const isPlainName = (text: string): boolean => PLAIN.test(text)
const PLAIN = /^(?:[a-zA-Z0-9.-][\w.-]*\/)*[a-zA-Z0-9-][\w-]*\.\w*[a-zA-Z0-9]$/

interface Marks {
  readonly pattern: RegExp
  /** Says that a name is meant. */
  readonly marks: boolean
}

/** What is said of a file before its name, where nothing else is said: `For`, `Updated`, `Step 2: Update`, `Changes to`. */
const label: Marks = {
  pattern:
    /^(?:(?:step|part|phase|task|fix|change(?: request)?)\s*\d+|\d+|for|(?:changes?|updates?|edits?|modifications?|fix(?:es)?)\s+(?:to|for|in)|(?:version|contents?|code)\s+(?:of|for)|new file|new|full|final|complete|updated?|updating|modif(?:y|ied)|changed?|edited|revised|corrected|fixed|refactored|rewritten|created?|creating|added)(?:\s*[:.–—-])?\s+(?<name>\S.*)$/i,
  marks: false,
}

let known: readonly Marks[] | undefined

/** What may be around a name. Made when it is needed: the tables for \p{…} would cost every start two milliseconds. */
const marksAroundNames = (): readonly Marks[] =>
  (known ??= [
    { pattern: /^(?:<!--|\/\*+)(?<name>.+?)(?:-->|\*\/)$/, marks: false },
    { pattern: /^(?:#{2,}\s+(?=\/)|(?:#+|\/\/+|--|;+|%+)\s*(?=[^\s#/;%-]))(?<name>.+)$/, marks: false },
    { pattern: /^(?:\d+[．、）]|[０-９]+[.)．、）])\s*(?<name>.+)$/, marks: false },
    { pattern: /^(?:[-*>]|\d+[.)]|(?:[\p{So}\p{Sm}\u2022]\ufe0f?)+)\s+(?<name>.+)$/u, marks: false },
    // `<details><summary>src/a.py</summary>`
    { pattern: /^<details(?:\s[^<>]*)?>\s*(?<name><summary>.+)$/, marks: false },
    { pattern: /^<(?<tag>[a-z][\w-]*)>(?<name>[^<>]+)<\/\k<tag>>$/, marks: false },
    // Code Web Chat teaches "### Updated file: `src/a.ts`".
    {
      pattern:
        /^(?:(?:updated|created|modified|new)\s+)?(?:file[ _-]?(?:name|path)?|path|location)\s*[:：=]\s*(?<name>.+)$/i,
      marks: true,
    },
    { pattern: fileLabel(), marks: true },
    { pattern: stepLabel(), marks: false },
    { pattern: /^renamed file:\s*`[^`\n]+` \(old\)\s*(?<name>`[^`\n]+`) \(new\)$/i, marks: true },
    { pattern: /^(?<quote>`+|\*{1,3}|__|["'])(?<name>.+)\k<quote>$/, marks: true },
    // A name may begin with one, but no extension ends in one.
    { pattern: /^_(?<name>[^_].*\.[a-z0-9]+)_$/i, marks: true },
    { pattern: /^[「『《【«“„‘](?<name>[^「-】《«»“”‘’]+)[」』》】»”’]$/, marks: true },
    { pattern: /^(?<name>.*[^:：\s])\s*[:：]+$/, marks: false },
    // `src/a.py (new file)`, `src/a.py:12`
    { pattern: /^(?<name>.*\S)\s+\([^()]*\)$/, marks: false },
    { pattern: /^(?<name>.*[^\s（])\s*（[^（）]*）$/, marks: false },
    { pattern: /^(?<name>.*\.\w+):\d+(?:-\d+)?$/, marks: false },
  ])

/** The file that the words after the marks of a fence name: `py src/a.py`, `py:src/a.py`, `py title="src/a.py"`. */
export function readFenceName({ info }: Fence): string | undefined {
  if (!SEPARATOR.test(info)) return undefined
  const word = info.slice(info.search(/\S+$/))
  if (!looksLikePath(word)) return undefined
  const name = /(?:^|[:=])["'`]?([^"'`:={}]+)["'`]?\}?$/.exec(word)?.[1]
  return name !== undefined && looksLikePath(name) ? name : undefined
}

const SEPARATOR = /[./\\]/

/** The files that a sentence speaks of, as far as known: with directories, or of a kind that code is in. */
export function findMentionedFiles(line: string): string[] {
  if (line.length > LONG) return []
  const text = withLinkTargets(line)
  const words = text.match(text.includes('`') ? QUOTED_OR_WORD : WORD) ?? []
  return words
    .map((word) => word.replace(/^`+|`+$/g, '').replace(/\.+$/, ''))
    .filter(
      (word) =>
        !word.startsWith('//') &&
        !isProduct(word) &&
        (/[/\\][^/\\]*\.[a-zA-Z]\w*$/.test(word) || CODE.test(word) || WITHOUT_EXTENSION.test(word)),
    )
}

/** Frameworks have routes such as `app/[id]/page.tsx`, `blog/[...slug].astro` and `routes/($lang).users.$id.tsx`. */
const WORD = /(?:[\w@+~\\-]|[./](?:\(\$?[\w.-]+\)|\[{1,2}(?:\.{3})?[\w-]+\]{1,2}|\$)?)+/g
const QUOTED_OR_WORD = new RegExp(`\`[\\w@.+~/\\\\()[\\]$-]+\`|${WORD.source}`, 'g')

/** No one writes a name or a sentence that is longer. */
const LONG = 1000

const CODE =
  /\.(?:[cm]?[jt]sx?|pyi?|go|rs|java|kt|c|cc|cpp|h|hpp|cs|rb|php|swift|sh|sql|html?|s?css|vue|svelte|json|ya?ml|toml|xml|md|txt|ini|cfg)$/

/** Frameworks that are called like files. */
export const isProduct = (word: string): boolean => PRODUCT.test(word)

const PRODUCT =
  /^(?:node|next|vue|react|express|three|d3|nuxt|ember|backbone|angular|asp|socket|moment|chart|p5|alpine|discord|electron)\.(?:js|io|net)$/i

/** Files that are known by their whole name. Other words with a dot before them are selectors, methods or extensions. */
const WITHOUT_EXTENSION =
  /^(?:[\w./-]*\/)?(?:Makefile|Dockerfile|Gemfile|Rakefile|Procfile|Jenkinsfile|Vagrantfile|Justfile|Caddyfile|Pipfile|go\.(?:mod|sum)|\.(?:\w+ignore|git(?:attributes|modules)|env(?:\.[\w-]+)*|editorconfig|htaccess|(?:npm|yarn|nvm|eslint|prettier|stylelint|babel|swc|browserslist|lintstaged|bash|zsh|vim|pylint|coverage)rc(?:\.\w+)?|(?:bash_)?profile|(?:node|python|ruby|tool)-versions?|flake8|clang-(?:format|tidy)|cursorrules))$/

function looksLikeName(text: string, marked: boolean): boolean {
  // In Chinese and Japanese no space is between a label and the name.
  if (text === '' || text.length > 1024 || /[<>|"`\0：]|^\w+:\/\/|[.!?,;。]$/.test(text)) return false
  if (/\s/.test(text)) return marked && looksLikePath(text) && !/:\s/.test(text)
  return marked || looksLikePath(text) || /^(?:[A-Z]\w*file|[A-Z][A-Z_]+)$/.test(text)
}

const looksLikePath = (text: string): boolean => /[/\\]|\.\w+$|^\.\w/.test(text)

/** A name without the quotes or backticks around it; as written otherwise. */
export function stripQuotes(text: string): string {
  const trimmed = text.trim()
  if (!'`"\''.includes(trimmed.charAt(0))) return trimmed
  return /^(`+|["'])(.+)\1$/.exec(trimmed)?.[2]?.trim() ?? trimmed
}

/** The nearest line above that has text, with at most one that is between them. */
export function findLineAbove(source: Source, line: number, floor: number): number | undefined {
  for (let above = line - 1; above >= Math.max(floor, line - 2); above--) {
    if (textFrom(source, above) !== -1) return above
  }
  return undefined
}

/** What names the section that a fence is in: a heading, a line in bold, an item of a numbered list. */
export const isHeading = (row: string): boolean =>
  row.length <= LONG && /^#{1,6}\s|^\s*(?:\d+[.)]\s+)?(?:\*\*|__)\S.*(?:\*\*|__)\W*$/.test(row)

/**
 * The one file that the nearest of the lines above a fence speaks of: of the few above it, which are about it, or of the
 * heading of its section, which may have other fences.
 */
export function findFileInSection(
  source: Source,
  opener: number,
  floor: number,
): { readonly path: string; readonly line: number } | undefined {
  const { paths: [path, ...others] = [], line = 0 } = findFilesInSection(source, opener, floor) ?? {}
  return path === undefined || others.length > 0 ? undefined : { path, line }
}

/** All files of the nearest of these lines that speaks of any. */
export function findFilesInSection(
  source: Source,
  opener: number,
  floor: number,
): { readonly paths: readonly string[]; readonly line: number } | undefined {
  const regions = Regions.of(source)
  const above = findLineAbove(source, opener, 1)
  const isSameFile = above !== undefined && SAME_FILE.test(lineWithoutBom(source, above))
  let [rows, fences, isBeside] = [0, 0, true]
  for (let line = opener - 1; line >= 1 && rows < MOST_ROWS && fences < MOST_FENCES; line--) {
    const fence = regions.fenceAround(line)
    fences += Number(fence !== undefined)
    isBeside &&=
      isSameFile || (line >= floor && rows < FEW_ROWS && (fence === undefined || isNamelessDiff(source, fence)))
    line = fence?.first ?? line
    const row = fence === undefined ? lineWithoutBom(source, line) : ''
    if (row.trim() === '') continue
    rows++
    const paths = isBeside || isHeading(row) ? [...new Set(findMentionedFiles(row))] : []
    if (paths.length > 0) return { paths, line }
    if (/^#{1,6}\s/.test(row)) return undefined
  }
  return undefined
}

/** A diff without names is of the same file as the next one, if no other is spoken of between them. */
function isNamelessDiff(source: Source, fence: FenceRegion): boolean {
  if (!isDiffFence(fence)) return false
  for (let line = fence.first + 1; line < fence.last; line++)
    if (/^\s*(?:--- |\+\+\+ |diff )/.test(lineWithoutBom(source, line))) return false
  return true
}

const SAME_FILE = /\b(?:same|this|that) file\b/i
/** Lines of text, without those in fences. */
const [FEW_ROWS, MOST_ROWS] = [4, 40]
const MOST_FENCES = 20
