import path from 'node:path'
import { withSlashes } from '../../core/paths.ts'

/**
 * What does the same as a line that only a shell could run: the command alone, one block for each command, or the action
 * with its parameters filled in, another command where the syntax can only run those. Undefined for lines without
 * operators and globs.
 */
export function adviseInstead(command: string, root: string, coverage: Coverage): string | undefined {
  const stages = stagesOf(command.trim())
  if (stages === undefined) return undefined
  const [first] = stages
  const cd = first?.words[0] === 'cd' && first.next === '&&' ? stages.shift() : undefined
  const dir = cd?.words[1] ?? '.'
  const said = adviseOnStages(stages)
  if (said === undefined) return undefined
  const advice = typeof said === 'string' ? said : coverage === 'own operations' ? commandFor(said) : undefined
  if (typeof said === 'string' || advice !== undefined)
    return cd === undefined ? advice : `${advice} Its directory is dir="${dir}".`
  // Whole paths, which every syntax takes.
  const whole = (name: string, value: string): string =>
    name.endsWith('path') ? withSlashes(path.resolve(root, dir, value)) : value
  const given = Object.entries(said.params).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${whole(name, value)}"`],
  )
  return `Use ${said.action} with ${given.join(' ')}.${said.after ?? ''}`
}

/** What a block can name: every action, or the operations of its syntax. */
export type Coverage = 'all actions' | 'own operations'

/** A command on the list that does what an action does. */
function commandFor({ action, params }: Use): string {
  const { pattern = '', base_path = '.', path: file = '.', include, lines = '', old_path, new_path } = params
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
  const name = pattern.slice(pattern.lastIndexOf('/') + 1)
  const deep = pattern.startsWith('**/') || pattern.includes('/') ? '' : ' -maxdepth 1'
  const where = pattern.replace(/^\*\*\//, '') === name ? `-name ${quoted(name)}` : `-path ${quoted(`*/${pattern}`)}`
  const among = include === undefined ? '' : ` --include=${quoted(include)}`
  const commands: Readonly<Record<string, string>> = {
    glob: `find ${base_path}${deep} ${where}`,
    grep: `grep -rn ${quoted(pattern)} ${file}${among}`,
    file_read_numbered: `head -n ${lines.replace(/^1-/, '')} ${file}`,
    file_copy: `cp ${old_path} ${new_path}`,
  }
  const known = commands[action]
  return known === undefined ? 'Commands run without a shell. Write the file as a block.' : `Run instead: ${known}`
}

/** An action that does the same. */
interface Use {
  readonly action: string
  readonly params: Readonly<Record<string, string | undefined>>
  readonly after?: string
}

function adviseOnStages(stages: Stage[]): string | Use | undefined {
  const [first] = stages
  if (first === undefined) return undefined
  const into = first.redirects.filter(({ to }) => to !== '/dev/null' && !/^&\d$/.test(to))
  if (into.length > 0) return stages.length === 1 ? adviceForRedirect(first, into) : inShell
  const isPipe = stages.slice(0, -1).every(({ next }) => next === '|')
  if (stages.length > 1 && !isPipe) {
    const isPlain = stages.every((stage) => stage.next !== '|' && stage.next !== '||' && stage.redirects.length === 0)
    if (!isPlain) return inShell
    return `Commands run without a shell. Send one block for each: ${stages.map(({ text }) => text).join(', then ')}.`
  }
  if (stages.length === 1) return first.redirects.length > 0 ? adviseRunAlone(first) : adviceForGlob(first)
  return adviceForPipe(first, stages.slice(1)) ?? inShell
}

const inShell =
  'Commands run without a shell. exec with lang="bash" and this line as code runs it in the sandbox, without network.'

const adviseRunAlone = ({ text }: Stage): string =>
  `Run it alone: ${text}. Its whole output is kept, standard error included, and the report shows what matters of it.`

const using = (action: string, params: Use['params'], after?: string): Use => ({
  action,
  params,
  after,
})

function adviceForRedirect({ words: [name, ...rest] }: Stage, [into]: readonly Redirect[]): string | Use {
  const path = into?.to ?? ''
  const appends = into?.operator.endsWith('>>') === true
  if (name === 'echo' || name === 'printf')
    return using(appends ? 'file_append' : 'file_write', { path, content: rest.join(' ') })
  const [only, more] = rest
  if (name === 'cat' && only !== undefined && more === undefined && !appends)
    return using('file_copy', { old_path: only, new_path: path })
  return 'Commands run without a shell. Write files with file_write (WRITE), which checks and journals them.'
}

/** Programs that only cut what the one before them printed, or show it page by page. */
const cutters = new Set(['head', 'tail', 'cat', 'less', 'more'])

function adviceForPipe(first: Stage, rest: readonly Stage[]): string | Use | undefined {
  const [name, ...operands] = first.words
  const [next, ...others] = rest
  if (operands.some((word) => /[*?]/.test(word)) && name !== 'find') return undefined
  if (rest.every(({ words: [program = ''] }) => cutters.has(program))) {
    const [file, more] = operands
    const count = next?.words.join(' ').match(/\d+/)?.[0] ?? '10'
    const isOne = name === 'cat' && file !== undefined && more === undefined
    if (isOne && next?.words[0] === 'head') return using('file_read_numbered', { path: file, lines: `1-${count}` })
    if (isOne && next?.words[0] === 'tail') return `Run it alone: tail -n ${count} ${file}.`
    return adviseRunAlone(first)
  }
  if (next === undefined || others.some(({ words: [program = ''] }) => !cutters.has(program))) return undefined
  const [filter, ...given] = next.words[0] === 'xargs' ? next.words.slice(1) : next.words
  const [pattern] = given.filter((word) => !word.startsWith('-'))
  if (filter !== 'grep' && filter !== 'rg') return undefined
  if (name === 'find') {
    const [dir = '.'] = operands.filter((word) => !word.startsWith('-'))
    const include = operands[operands.findIndex((word) => word === '-name' || word === '-iname') + 1]
    const names = include === undefined || include === dir ? undefined : include
    if (next.words[0] === 'xargs') return using('grep', { pattern, path: dir, include: names })
    return using('glob', { pattern: names === undefined ? `**/*${pattern}*` : `**/${names}`, base_path: dir })
  }
  const [file, more] = operands
  return name === 'cat' && file !== undefined && more === undefined ? using('grep', { pattern, path: file }) : undefined
}

function adviceForGlob({ words: [name, ...rest] }: Stage): string | Use | undefined {
  const operands = rest.filter((word) => !word.startsWith('-'))
  const glob = operands.findLast((word) => /[*?]/.test(word))
  if (glob === undefined) return undefined
  const cut = glob.slice(0, glob.search(/[*?]/)).lastIndexOf('/')
  const [path, below] = [cut === -1 ? '.' : glob.slice(0, cut), glob.slice(cut + 1)]
  if (name === 'ls' || name === 'stat' || name === 'tree') return using('glob', { pattern: below, base_path: path })
  if (name === 'cat' || name === 'head' || name === 'tail')
    return using('glob', { pattern: below, base_path: path }, ' Then files_read with the paths it lists.')
  if (name === 'grep' && operands.length === 2) return using('grep', { pattern: operands[0], path, include: below })
  if (name === 'wc' || name === 'diff' || name === 'file') return inShell
  return undefined
}

interface Redirect {
  readonly operator: string
  readonly to: string
}

interface Stage {
  /** Without quotes. */
  readonly words: string[]
  readonly redirects: Redirect[]
  /** As written, without redirections. */
  text: string
  /** The operator after it. */
  next?: string
}

const piece = /'[^']*'|"(?:[^"\\]|\\.)*"|(?:\\.|[^\s'"|&;<>\\])+/y
const operator = /&>>?|\d?>[>|]?|\|\||&&|\|&?|;/y

/** Undefined for what has other operators: here documents, subshells, expansions. */
function stagesOf(line: string): Stage[] | undefined {
  if (/[\n`]|\$[({]|<|&\s*$/.test(line)) return undefined
  const stages: Stage[] = [{ words: [], redirects: [], text: '' }]
  for (let at = 0; at < line.length;) {
    const stage = stages.at(-1)
    if (stage === undefined) return undefined
    if (line[at] === ' ' || line[at] === '\t') {
      at++
      continue
    }
    operator.lastIndex = at
    const [found] = operator.exec(line) ?? []
    const word = found === undefined ? plainWordAt(line, at) : undefined
    if (word !== undefined) {
      stage.words.push(word.value)
      stage.text += `${stage.text === '' ? '' : ' '}${line.slice(at, word.end)}`
      at = word.end
    } else if (found === undefined) return undefined
    else if (found.includes('>')) {
      at += found.length
      const duplicate = /^&\d/.exec(line.slice(at))?.[0]
      while (line[at] === ' ') at++
      const to = duplicate === undefined ? plainWordAt(line, at) : { value: duplicate, end: at + duplicate.length }
      if (to === undefined) return undefined
      stage.redirects.push({ operator: found, to: to.value })
      at = to.end
    } else {
      stage.next = found === '|&' ? '|' : found
      stages.push({ words: [], redirects: [], text: '' })
      at += found.length
    }
  }
  const last = stages.at(-1)
  if (last?.words.length === 0 && stages.length > 1) stages.pop()
  return stages.every(({ words }) => words.length > 0) ? stages : undefined
}

function plainWordAt(line: string, start: number): { value: string; end: number } | undefined {
  let [value, end] = ['', start]
  for (;;) {
    piece.lastIndex = end
    const [part] = piece.exec(line) ?? []
    if (part === undefined) return end === start ? undefined : { value, end }
    value += /^['"]/.test(part) ? part.slice(1, -1) : part
    end += part.length
  }
}
