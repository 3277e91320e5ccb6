import { findMentionedFiles, isProduct, readFileName, withLinkTargets } from '../foreign/name.ts'
import { exampleWords, lineWords, oldWords } from '../foreign/translations.ts'

/**
 * What the words around a file name say of the text below them. `lines`: it is what the file has on some lines; `part`: it is
 * less than the file, and may be new; `told`: they say to change something in the file; `inside`: only that it is in the file.
 */
export type Said = 'whole' | 'lines' | 'part' | 'told' | 'inside' | 'old' | 'example'

export interface Title {
  readonly path: string
  readonly said: Said
}

/** The file that a line above a fence is about; undefined where it names none, or says more than that. */
export function readTitle(given: string): Title | undefined {
  const line = withLinkTargets(given)
  if (line.length > LONG) return undefined
  const name = readFileName(line.replace(LABEL, '$1').replace(BOLD_LABEL, '$1$2 '))
  const path = name === undefined || !isFile(name) ? spokenOf(line) : name
  if (path === undefined) return insideOf(line)
  if (!isFile(path)) return undefined
  const around = line.replace(path, ' ')
  return { path, said: saidBy(around) }
}

/** "In `src/a.ts`:", alone on a line. */
function insideOf(line: string): Title | undefined {
  const [path, ...others] = INSIDE.test(line) ? new Set(findMentionedFiles(line)) : []
  if (path === undefined || others.length > 0 || !isFile(path)) return undefined
  return INSIDE_FILE.test(line.replace(path, '\xa7')) ? { path, said: 'inside' } : undefined
}

const INSIDE =
  /^\W*(?:\d+[.)]\s+)?[\W_]*(?:(?:then|now|next|also|and|finally|first|second),?\s+)?(?:in|inside|within)\s/i
const INSIDE_FILE =
  /\b(?:in|inside|within)\s+(?:(?:the|your|our)\s+)?(?:file\s+)?[`*_"']*\xa7[`*_"']*(?:\s+file)?(?:[*_]*:[*_]*|(?<=^#{1,6}\s.*))\s*$/i

/** `**File:** name`: the label is bold, not the name. */
const LABEL = /^([\s#>*-]*)(?:\*\*|__)[\w ]{0,20}\b(?:file|path|filename|location)\b[\w ]{0,10}:?(?:\*\*|__):?\s*/i

/** `**Archivo:** name`, as above in other languages. */
const BOLD_LABEL = /^([\s#>*-]*)(?:\*\*|__)([^*_:：\n]{1,30}[:：])(?:\*\*|__)\s*(?=\S)/

/** A sentence with one file in it and no words but those that announce a file. */
function spokenOf(line: string): string | undefined {
  const [path, ...others] = new Set(findMentionedFiles(line))
  if (path === undefined || others.length > 0) return undefined
  if (hasNoWords(line.replace(path, ' '))) return path
  const words: readonly string[] =
    line
      .replace(path, ' ')
      .toLowerCase()
      .match(/[a-z']+/g) ?? []
  const isShown = /^here(?:'s)?$/.test(words[0] ?? '') && !words.includes('in')
  const isTold = isShown || words.some((word) => announces.has(word)) || saidBy(line.replace(path, ' ')) !== 'whole'
  return words.length <= 16 && isTold && words.every(isUsual) ? path : undefined
}

/** "[src/a.ts]:", "a) src/a.ts", "– src/a.ts". A question asks, and what is struck out goes. */
const hasNoWords = (around: string): boolean =>
  !/[?~]|[\p{L}\p{N}]/u.test(around.replace(/^\W*(?:\d{1,3}|[a-z])[.)](?=\W)/i, ' '))

const isUsual = (word: string): boolean => announces.has(word) || fillers.has(word) || saidBy(word) !== 'whole'

const announces = new Set(
  'create creating created update updating updated modify modifying modified edit edited new full complete entire whole replace replacing replaced rewrite rewritten write save add adding added revised corrected fixed refactored content contents file final changed'.split(
    ' ',
  ),
)

const fillers = new Set(
  "here here's is are this the a an your our my below and then now next also finally first second third let's let us please you can should need to i i've i'll have will we of for in at as with it its following follows like so be code version source implementation path named called under inside everything step component module script class config configuration test tests".split(
    ' ',
  ),
)

function saidBy(around: string): Said {
  if (EXAMPLE.test(around) || exampleWords.test(around)) return 'example'
  if (isOfLines(around)) return 'lines'
  if (PART.test(around)) return 'part'
  return OLD.test(around) || oldWords.test(around) ? 'old' : 'whole'
}

const EXAMPLE = /\b(?:examples?|e\.g|instance|sample|usage|output)\b/i
/** Whether words say that a text is only some lines of a file. */
export const isOfLines = (around: string): boolean => LINES.test(around) || lineWords.test(around)

const LINES = /\blines?\b|#L\d|:\d+(?:-\d+)?\b|\b(?:excerpts?|snippets?|partial|fragments?|portion|relevant)\b/i
const PART = /\bthis (?:block|class|code|function|method)\b|\b(?:parts?|section)\b/i
const OLD = /\b(?:current|currently|existing|original|old|before|previous|previously)\b/i

/** No one writes a name or a sentence that is longer. */
export const LONG = 300

/** Whether a text names a file rather than a thing with a dot in it. */
export function isFile(path: string): boolean {
  if (/[<>|"`*?\0]|\$\{|(?:^|[/\\])\$[A-Z]|^\w+:\/\/|[/\\]$|^~/.test(path) || isProduct(path)) return false
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  if (SPECIAL.test(base) || /^\.[a-z][\w.-]*$/i.test(base)) return true
  return base === path ? KNOWN.test(base) : /^[^.].*\.[a-z]\w{0,9}$/i.test(base)
}

/** Whether a fence has commands, or what they print, rather than the text of the file that is named above it. */
export const isSessionAbout = (path: string, language: string): boolean =>
  SESSION.test(language) || (isShell(language) && !SCRIPT.test(path))

export const isShell = (language: string): boolean => SHELL.test(language)

const SHELL = /^(?:sh|bash|zsh|shell|fish|powershell|ps1|cmd|bat)$/i
const SCRIPT = /\.(?:\w*sh|bash|env|command)$|(?:^|\/)[^./]+$/
const SESSION = /^(?:console|terminal|shell-?session|shellsession|output|log|tree)$/i

const SPECIAL =
  /^(?:Makefile|Dockerfile(?:\.\w+)?|Gemfile|Rakefile|Procfile|Jenkinsfile|Vagrantfile|Justfile|Caddyfile|Pipfile|LICENSE|README|CHANGELOG|CODEOWNERS|go\.mod|go\.sum)$/

const KNOWN =
  /^[\w@+ .()[\]-]*[\w)\]]\.(?:[cm]?[jt]sx?|pyi?|ipynb|go|rs|java|kts?|scala|clj|groovy|gradle|c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm|cs|fs|vb|rb|erb|php|swift|dart|lua|r|jl|pl|pm|exs?|erl|hs|mli?|elm|zig|nim|sol|sh|bash|zsh|fish|ps1|bat|cmd|sql|prisma|graphql|gql|proto|html?|css|scss|sass|less|styl|vue|svelte|astro|jsonc?|json5|ya?ml|toml|xml|xsd|svg|csv|tsv|mdx?|markdown|rst|adoc|tex|txt|ini|cfg|conf|config|env|properties|plist|lock|tf|tfvars|hcl|nix|cmake|mk|dockerfile|service|tmpl|tpl|hbs|ejs|pug|njk|jinja2?|j2|diff|patch)$/i
